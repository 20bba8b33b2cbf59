"""The matching houses that HARBOR's Master wins and loses, and how it loses them.

Source: the acquisition of experiment 5 of HARBOR, arXiv 2502.12149. A house that matches a persona is worth no more to
its bidder than another one of the same value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.benchmarks.reproduce.cells import Row, Table
from aucenv.benchmarks.reproduce.harbor.roles import MASTER

from aucenv.core.record import GameRecord

SAVE = "D"
"""The rule to leave a house, to save the budget for others."""


@dataclasses.dataclass(frozen=True)
class Losses:
    """Houses of the Master over games.

    Attributes:
        lost: houses that match its persona and that others won, or nobody.
        unaffordable: those of them that were sold for more than the rest of its budget.
        saved: those of the others that it left last under rule D.
        bought: houses that do not match its persona and that it won.
    """

    lost: int
    unaffordable: int
    saved: int
    bought: int


def count_losses(records: Sequence[GameRecord]) -> Losses:
    """Count the houses that the Master won and lost in these games."""
    lost = unaffordable = saved = bought = 0
    for record in records:
        seat, dealt = record.seats[MASTER]["seat"], record.deal["seats"][MASTER]
        budget, rules = dealt["budget"], _last_rules(record, seat)
        for j, (item, sale) in enumerate(zip(record.deal["items"], record.outcome["items"], strict=True)):
            matches, won = item["persona"] in dealt["personas"], sale["winner"] == seat
            if matches and not won:
                lost += 1
                too_dear = sale["price"] is not None and sale["price"] > budget
                unaffordable += too_dear
                saved += not too_dear and rules.get(j) == SAVE
            bought += won and not matches
            budget -= sale["price"] if won else 0
    return Losses(lost, unaffordable, saved, bought)


def _last_rules(record: GameRecord, seat: str) -> dict[int, str | None]:
    """Return for each house the rule that the seat noted with its last decision about it."""
    return {one["item"]: one["notes"].get("rule") for one in record.decisions if one["seat"] == seat}


TITLE = "Matching houses that the Master won, how it lost the others, and how many other houses it won"
HEADINGS = (
    "strategy", "acquisition", "change", "published", "published change", "direction",
    "lost", "budget spent", "left under rule D", "others won",
)  # fmt: skip


def acquisition_table(rows: Sequence[Row], published: dict[str, float]) -> Table:
    """Return the table of the Master's acquisition beside the published one, and of how it lost matching houses.

    Args:
        rows: the rows of Masters that played, the first of which is the baseline of changes: with `strategy`, `won_0`
            and the fields of `Losses`.
        published: the published acquisition of the Master by strategy.
    """
    first, lines = rows[0], []
    for row in rows:
        theirs, base = published.get(row["strategy"]), published.get(first["strategy"])
        change = None if row is first else row["won_0"] - first["won_0"]
        their_change = None if row is first or theirs is None or base is None else theirs - base
        lines.append(
            [
                row["strategy"],
                f"{row['won_0']:.2f}",
                _signed(change),
                "-" if theirs is None else f"{theirs:.2f}",
                _signed(their_change),
                direction(change, their_change),
                *(str(row[name]) for name in ("lost", "unaffordable", "saved", "bought")),
            ]
        )
    return TITLE, list(HEADINGS), lines


def _signed(change: float | None) -> str:
    return "-" if change is None else f"{change:+.2f}"


def direction(ours: float | None, theirs: float | None) -> str:
    """Return in words whether our acquisition and the published one change in the same direction."""
    if ours is None or theirs is None:
        return "-"
    words = ["falls" if change < -0.005 else "rises" if change > 0.005 else "stays" for change in (ours, theirs)]
    return f"{words[0]}, as published" if words[0] == words[1] else f"{words[0]} where the published {words[1]}"
