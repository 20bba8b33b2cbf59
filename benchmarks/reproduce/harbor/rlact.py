"""What a bidder earns where ExpAct sat, against the same two rivals: the gate that RLAct has to pass.

In HARBOR (arXiv 2502.12149) RLAct earned less than ExpAct on the same inferred profiles, 30.01% against 32.54%. Here
both meet the same rivals on the same deals, each deal in all three seats, with the personas' evaluation descriptions
and fresh houses in each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.benchmarks.reproduce.cells import Drawing, Table, grouped
from aucenv.benchmarks.reproduce.harbor.roles import condition_of, numbered, of_study
from aucenv.training.rlact.audit import CLASSES, OTHER, PUBLISHED

from aucenv.analysis.resampling import Estimate, ratio, resample
from aucenv.core.bidder_name import label_of
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.figures import FIGURES, seat_figures
from aucenv.envs.harbor.named_scenarios import drawn_scenario
from aucenv.envs.harbor.scenario import Scenario
from aucenv.runs.play import Match

NAME = "harbor/rlact"
ABOUT = "RLAct's gate: profit ratio in percent in ExpAct's place, against the same two rivals; paired by deal."
BIDDERS = ("expact", "judge-greedy")
GAMES = 1500
SEATS = 3
RIVALS = (("expact", "persona"), ("persona", "persona"), ("expact", "expact"), ("value", "pace"))
"""Of each cell; the first is the one that counts, and of the last `judge-greedy` thinks wrongly."""
FIRST_HOUSES = 100_001
"""Fresh houses that no training states have, of the first deal."""

COLUMNS = {
    "rivals": ("rivals", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "profit": ("profit ratio", "{:.2f}"),
    "more": ("more than the first", "{:+.2f}"),
    "won": ("acquisition", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Each bidder in turn against each pair of rivals; games rounded up to whole deals."""
    return numbered(_games(bidders, -(-games // SEATS), seed))


def _games(bidders: Sequence[str], deals: int, seed: int) -> Iterator[tuple[Scenario, Sequence[str], tuple[int, int]]]:
    for rivals in RIVALS:
        for bidder in bidders:
            for deal in range(deals):
                for seat in range(SEATS):  # of its index in the run, `_seat`
                    houses = f"fresh-{FIRST_HOUSES + 2 * deal}"
                    scenario = drawn_scenario(f"{NAME}: {', '.join(rivals)}", houses, "single")
                    yield scenario, (*rivals[:seat], bidder, *rivals[seat:]), (seed, deal)


def _seat(record: GameRecord) -> int:
    return record.index % SEATS


def _bidder(record: GameRecord) -> str:
    return record.seats[_seat(record)]["bidder"]


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each pair of rivals and bidder; `more`: its profit ratio less the first bidder's, on deals of both."""
    table: list[JsonObject] = []
    for rivals, of_rivals in grouped(of_study(records, NAME), condition_of(NAME)).items():
        by_bidder = grouped(of_rivals, _bidder)
        first = sums_by_deal(next(iter(by_bidder.values())))
        for number, (bidder, played) in enumerate(by_bidder.items()):
            own = sums_by_deal(played)
            sums = np.array([*own.values()])
            row = {"rivals": rivals, "bidder": label_of(bidder), "games": len(played)}
            row |= _rounded("profit", ratio(sums[:, :2], resample(np.arange(len(sums)))))
            row |= _rounded("won", ratio(sums[:, 2:4], resample(np.arange(len(sums)))), 1)
            both = [deal for deal in own if number and deal in first and own[deal][4] == first[deal][4]]
            if both:  # the same below the line, since the deals and the seats are
                more = np.array([[own[deal][0] - first[deal][0], own[deal][1]] for deal in both])
                row |= _rounded("more", ratio(more, resample(np.arange(len(more)))))
            rules = sum((seat_figures(record)[_seat(record)].rules for record in played), Counter())
            table.append(row | {"rules": dict(sorted(rules.items()))})
    return table


def sums_by_deal(records: Sequence[GameRecord]) -> dict[tuple[int, ...], np.ndarray]:
    """By seed: above and below the line of the bidder's profit ratio and of its acquisition; and its seats, in bits."""
    sums: dict[tuple[int, ...], np.ndarray] = {}
    for record in records:
        figures = seat_figures(record)[_seat(record)]
        here = [*FIGURES["profit_ratio"](figures), *FIGURES["acquisition"](figures), 1 << _seat(record)]
        sums[tuple(record.seed)] = sums.get(tuple(record.seed), np.zeros(5)) + here
    return sums


def _rounded(name: str, found: Estimate, times: float = 100) -> dict[str, float | None]:
    values = {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: None if value is None else round(times * value, 6) for key, value in values.items()}


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """The rules that bidders note, and those of RLAct's published replies."""
    used = [row for row in rows if row["rules"]]
    if not used:
        return []
    lines = [[row["rivals"], row["bidder"], *_shares(row["rules"])] for row in used]
    told = ["-", "RLAct, published", *(f"{PUBLISHED[rule]:.0%}" for rule in CLASSES)]
    return [("The rules that decisions follow", ["rivals", "bidder", *CLASSES], [*lines, told])]


def _shares(rules: dict[str, int]) -> list[str]:
    known = {rule: rules.get(rule, 0) for rule in CLASSES}
    total = sum(rules.values())
    known[OTHER] = total - sum(known[rule] for rule in CLASSES if rule != OTHER)
    return [f"{known[rule] / total:.0%}" for rule in CLASSES]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Profit ratios by pair of rivals, a bar for each bidder."""
    axes = figure.subplots()
    rivals = list(dict.fromkeys(row["rivals"] for row in rows))
    bidders = list(dict.fromkeys(row["bidder"] for row in rows))
    width = 0.8 / len(bidders)
    for number, bidder in enumerate(bidders):
        own = [row for row in rows if row["bidder"] == bidder]
        places = [rivals.index(row["rivals"]) + width * (number - (len(bidders) - 1) / 2) for row in own]
        axes.bar(places, [row["profit"] for row in own], width, label=bidder)
    axes.set_xticks(range(len(rivals)), [f"against {pair}" for pair in rivals])
    axes.set_ylabel("profit ratio, percent")
    axes.legend(frameon=False)
