"""HARBOR's fifth study: what profiles and strategies earn the Master against rivals that only follow their personas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from aucenv.benchmarks.reproduce.cells import Drawing, Table, grouped
from aucenv.benchmarks.reproduce.harbor.roles import (
    GAMES,
    MASTER,
    PERCENT,
    ROLES,
    by_role,
    condition,
    master_profits,
    numbered,
    of_study,
    rotations,
)
from aucenv.benchmarks.reproduce.harbor.significance_lines import anova_line, paired_line, t_line

from aucenv.analysis.ratings import rate_scores
from aucenv.analysis.resampling import deal_numbers
from aucenv.core.bidder_name import label_of, parse_bidder
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.figures import FIGURES, seat_figures
from aucenv.runs.play import Match

__all__ = ["ABOUT", "BIDDERS", "COLUMNS", "GAMES", "draw", "matches", "more_tables", "rows"]

NAME = "harbor/5"
ABOUT = "HARBOR 5: the Master's strategy: profit ratio in percent, TrueSkill, share of matching houses won; by seat."
BIDDERS = (
    "baseline=persona",
    "true=expact_true,steps=1000",
    "blind_expact=expact_blind",
    "inferred_expact=expact",
    "true_expact=expact_true",
    "second=second_order",
)
"""Labels as in PUBLISHED. "true" has no strategy there, and knows personas: what knowing them does without ExpAct is
here its plan alone; steps that are never taken drain nobody."""
RIVALS = "persona"
STRATEGISTS = "expact"
"""Whom a bidder of the kind `second_order` meets: all seats profile and strategise."""

PUBLISHED = {
    "baseline": (23.45, 24.08, 22.27, 25.67, 25.00, 24.11, 0.77, 0.80, 0.80),
    "true": (26.18, 24.76, 24.89, 25, 25, 25, 0.87, 0.77, 0.90),
    "true_expact": (35.81, 21.32, 22.03, 30.34, 22.77, 21.88, 0.87, 0.73, 0.77),
    "inferred_expact": (32.54, 21.14, 22.08, 28.56, 22.77, 23.66, 1.00, 0.80, 0.83),
    "inferred_rlact": (30.01, 21.55, 23.61, 27.23, 23.22, 24.55, 0.93, 0.87, 0.90),
    "second": (22.68, 24.42, 25.01, 24.55, 25.00, 25.45, 0.93, 0.90, 0.87),
}
"""Claude 3.5 Sonnet; 15 auctions each: profit ratio, TrueSkill, acquisition of the Master and its rivals."""
PUBLISHED_TESTS = {
    "anova": "F(4, 70) = 3.72, p = 0.0084, eta squared 0.18",
    "true_expact": "+12.36, t(28) = -3.33, p = 0.0024",
    "inferred_expact": "+9.09, t(28) = -2.09, p = 0.0456",
    "inferred_rlact": "+6.56, t(28) = -1.66, p = 0.1076, d = 0.61",
}
NAMES = [f"{figure}_{seat}" for figure in ("profit", "skill", "won") for seat in range(len(ROLES))]
HEADINGS = [f"{figure} {seat}" for figure in ("profit", "skill", "won") for seat in ("M", "R1", "R2")]

COLUMNS = {
    "strategy": ("strategy", "{}"),
    "bidder": ("Master", "{}"),
    "games": ("games", "{}"),
    **{name: (heading, "{:.2f}") for name, heading in zip(NAMES, HEADINGS, strict=True)},
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Ten houses, two matching each seat; each bidder in turn is the Master, on the same personas and deals."""
    return numbered(
        (condition(f"{NAME}: two matches each", ids), (bidder, *_rivals(bidder)), deal)
        for bidder in bidders
        for deal, ids in rotations(games, len(ROLES), seed)
    )


def _rivals(bidder: str) -> list[str]:
    return [STRATEGISTS if parse_bidder(bidder).kind == "second_order" else RIVALS] * (len(ROLES) - 1)


def _master(record: GameRecord) -> str:
    return label_of(record.seats[MASTER]["bidder"])


def _rivals_of(record: GameRecord) -> str:
    return ", ".join(sorted({who["bidder"] for who in record.seats[MASTER + 1 :]}))


def _kind(record: GameRecord) -> str:
    name = record.seats[MASTER]["bidder"]
    return name.partition("=")[2] if label_of(name) != name else name


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """A row for each Master, beside the published one that has its label; then those that were not played."""
    figures = {**PERCENT, "won": FIGURES["acquisition"]}
    table: list[JsonObject] = []
    cells = grouped(of_study(records, NAME), _master)
    for master, played in cells.items():
        if master in PUBLISHED:
            table.append(_published(master))
        scores = [dict(zip(ROLES, (s["profit"] for s in r.outcome["seats"]), strict=True)) for r in played]
        ratings = rate_scores(scores, deal_numbers(played))
        skills = {f"skill_{seat}": round(ratings.shuffled[:, seat].mean(), 6) for seat in range(len(ROLES))}
        rules = sum((seat_figures(record)[MASTER].rules for record in played), Counter())
        row = {
            "strategy": master,
            "bidder": _kind(played[0]),
            "rivals": _rivals_of(played[0]),
            "games": len(played),
            **by_role(played, figures),
            **skills,
        }
        table.append({**row, "rules": dict(sorted(rules.items())), "samples": master_profits(played)})
    return [*table, *(_published(name) for name in PUBLISHED if cells and name not in cells)]


def _published(name: str) -> JsonObject:
    return {"strategy": name, "bidder": "published", "games": 15, **dict(zip(NAMES, PUBLISHED[name], strict=True))}


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """The Master's profit against the first one's and, by deal, against that of the one before it; rules.

    The published analysis of variance is of five strategies, RLAct among them.
    """
    own = [row for row in rows if "samples" in row]
    first = own[0]
    lines = []
    for before, row in zip([first, *own], own, strict=False):
        if row is not first:
            independent = t_line(first["samples"], row["samples"])
            told = PUBLISHED_TESTS.get(row["strategy"], "-")
            pair = ["-", "-"] if row["rivals"] != before["rivals"] else [before["strategy"], _paired(before, row)]
            lines.append([row["strategy"], independent, told, *pair])
    alike = [row["samples"] for row in own if row["rivals"] == RIVALS and row["strategy"] in PUBLISHED]
    if len(alike) > 1:
        lines.append([f"{len(alike)} strategies", anova_line(alike), PUBLISHED_TESTS["anova"], "-", "-"])
    headings = ["strategy", f"against {first['strategy']}", "published", "paired with", "difference"]
    tables = [("The Master's profit ratio, tested", headings, lines)]
    used = [row for row in own if row["rules"]]
    if used:
        names = sorted({rule for row in used for rule in row["rules"]})
        shares = [
            [row["strategy"], *(f"{row['rules'].get(rule, 0) / sum(row['rules'].values()):.0%}" for rule in names)]
            for row in used
        ]
        tables.append(("The rules that the Master followed", ["strategy", *names], shares))
    return tables


def _paired(before: JsonObject, row: JsonObject) -> str:
    if len(before["samples"]) != len(row["samples"]):
        return "-"
    return paired_line(before["samples"], row["samples"], len(ROLES))


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """The profit ratio of each seat, by the Master's strategy; a mark for what was published."""
    axes = figure.subplots()
    own = [row for row in rows if "samples" in row]
    for seat, role in enumerate(ROLES):
        places = [place + 0.27 * (seat - 1) for place in range(len(own))]
        axes.bar(places, [row[f"profit_{seat}"] for row in own], 0.27, label=role)
        told = [
            (place, PUBLISHED[row["strategy"]][seat])
            for place, row in zip(places, own, strict=True)
            if row["strategy"] in PUBLISHED
        ]
        axes.plot([place for place, _ in told], [value for _, value in told], "k_", markersize=10)
    axes.set_xticks(range(len(own)), [row["strategy"] for row in own], rotation=15)
    axes.set_ylabel("profit ratio, percent (line: published)")
    axes.legend(frameon=False)
