"""HARBOR's fifth study: the Master's profit by its knowledge of rivals and its strategy.

The rivals of a model that plays as the agent `harbor` are the same model without profiles and strategy, and those of
other bidders `persona`; `masters` has the exceptions. `--set rivals=BIDDER` names another one.

The published acquisition, the share of matching houses that the Master wins, rises with a strategy, from .77 to .87 and
1.00. That of our rule bidders falls: ExpAct maximizes profit, to which a matching house adds no more than another one
of the same value, so that it buys other houses while they are cheap, and then leaves matching ones to save its budget
(rule D), or can no longer pay for them. A table counts these houses.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from aucenv.benchmarks.studies.cells import Row, Table, differences_table, flattened, group_by, with_published
from aucenv.benchmarks.studies.harbor.masters import rival_of, strategy_of
from aucenv.benchmarks.studies.harbor.roles import (
    GAMES,
    MASTER,
    PERCENT,
    ROLES,
    condition,
    figures_by_role,
    master_profits,
    number_matches,
    rotations,
    study_records,
)
from aucenv.benchmarks.studies.harbor.significance_lines import anova_line, paired_line, t_line
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.ranking.ratings import rate_scores
from aucenv.analysis.statistics.design import deal_numbers
from aucenv.core.files import JsonObject
from aucenv.core.records.read_notes import AGAINST
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.envs.harbor.figures import FIGURES, seat_figures
from aucenv.runs.play import Match

NAME = "harbor/5"
PUBLISHED = {
    "baseline": (23.45, 24.08, 22.27, 25.67, 25.00, 24.11, 0.77, 0.80, 0.80),
    "true": (26.18, 24.76, 24.89, 25, 25, 25, 0.87, 0.77, 0.90),
    "true_expact": (35.81, 21.32, 22.03, 30.34, 22.77, 21.88, 0.87, 0.73, 0.77),
    "inferred_expact": (32.54, 21.14, 22.08, 28.56, 22.77, 23.66, 1.00, 0.80, 0.83),
    "inferred_rlact": (30.01, 21.55, 23.61, 27.23, 23.22, 24.55, 0.93, 0.87, 0.90),
    "second": (22.68, 24.42, 25.01, 24.55, 25.00, 25.45, 0.93, 0.90, 0.87),
}
"""Published figures of Claude 3.5 Sonnet, 15 auctions each.

Profit ratio, TrueSkill and acquisition, each of the Master and its two rivals.
"""
PUBLISHED_TESTS = {
    "anova": "F(4, 70) = 3.72, p = 0.0084, eta squared 0.18",
    "true_expact": "+12.36, t(28) = -3.33, p = 0.0024",
    "inferred_expact": "+9.09, t(28) = -2.09, p = 0.0456",
    "inferred_rlact": "+6.56, t(28) = -1.66, p = 0.1076, d = 0.61",
}
NAMES = [f"{figure}_{seat}" for figure in ("profit", "skill", "won") for seat in range(len(ROLES))]
HEADINGS = [f"{figure} {seat}" for figure in ("profit %", "skill", "won") for seat in ("M", "R1", "R2")]

COLUMNS = {
    "strategy": ("strategy", "{}"),
    "bidder": ("Master", "{}"),
    "games": ("games", "{}"),
    **{name: (heading, "{:.2f}") for name, heading in zip(NAMES, HEADINGS, strict=True)},
}


def matches(bidders: Sequence[str], games: int, seed: int, rivals: str | None = None) -> list[Match]:
    """Return games with ten houses, of which two match each seat.

    Each bidder in turn plays the Master, with the same personas and deals.

    Args:
        rivals: The bidder that plays both rivals; None: `rival_of` the Master.
    """
    return number_matches(
        (condition(f"{NAME}: two matches each", ids), (bidder, *[rivals or rival_of(bidder)] * (len(ROLES) - 1)), deal)
        for bidder in bidders
        for deal, ids in rotations(games, len(ROLES), seed)
    )


def _master(record: GameRecord) -> str:
    return str(record.seats[MASTER]["bidder"])


def _rivals_of(record: GameRecord) -> str:
    """Return the rivals without their label."""
    return ", ".join(sorted({_unlabelled(player["bidder"]) for player in record.seats[MASTER + 1 :]}))


def _kind(record: GameRecord) -> str:
    name = record.seats[MASTER]["bidder"]
    return name.partition("=")[2] if label_of(name) != name else name


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each Master, after the published row with its label; then the other published rows."""
    figures = {**PERCENT, "won": FIGURES["acquisition"]}
    table: list[JsonObject] = []
    cells = group_by(study_records(records, NAME), _master)
    for master, played in cells.items():
        key = strategy_of(master)
        if key in PUBLISHED and key not in {row["strategy"] for row in table}:
            table.append(_published(key))
        scores = [dict(zip(ROLES, (s["profit"] for s in r.outcome["seats"]), strict=True)) for r in played]
        ratings = rate_scores(scores, deal_numbers(played))
        skills = flattened({f"skill_{seat}": ratings.of(role) for seat, role in enumerate(ROLES)})
        rules = sum((seat_figures(record)[MASTER].rules for record in played), Counter())
        row: JsonObject = {
            "strategy": label_of(master),
            "published_as": key,
            "model": _model(master),
            "bidder": _kind(played[0]),
            "rivals": _rivals_of(played[0]),
            "games": len(played),
            **figures_by_role(played, figures),
            **skills,
        }
        row |= {**dataclasses.asdict(count_losses(played)), "rules": dict(sorted(rules.items()))}
        published = dict(zip(NAMES, PUBLISHED.get(key or "", [None] * len(NAMES)), strict=True))
        table.append({**with_published(row, published), "samples": master_profits(played)})
    shown = {row["strategy"] for row in table if row["bidder"] == "published"}
    return [*table, *(_published(name) for name in PUBLISHED if cells and name not in shown)]


def _model(bidder: str) -> str:
    """Return the model that plays a Master, without its strategy; "": a rule bidder plays it."""
    return _unlabelled(bidder, without=("tom", "strategy")) if parse_bidder(bidder).kind == "llm" else ""


def _unlabelled(bidder: str, without: Sequence[str] = ()) -> str:
    """Return a bidder's name without its label and some of its options; the order of options does not matter."""
    spec = parse_bidder(bidder)
    options = [f"{name}={value}" for name, value in sorted(spec.params.items()) if name not in without]
    return ",".join([spec.kind if spec.arg is None else f"{spec.kind}:{spec.arg}", *options])


def _published(name: str) -> JsonObject:
    return {"strategy": name, "bidder": "published", "games": 15, **dict(zip(NAMES, PUBLISHED[name], strict=True))}


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return tests, the differences from the published values, and the tables of matching houses and of rules.

    The tests are of the Master's profit ratio: each Master is tested against the first one that the same model plays
    and, paired by deal, against the previous one. The published analysis of variance covers five strategies, among them
    RLAct. If decisions are against the rule noted with them, their share is the last column of the last table.
    """
    played = [row for row in rows if "samples" in row]
    headings = ["strategy", "against", "difference", "published", "paired with", "difference"]
    tables = [("Tests of the Master's profit ratio", headings, list(_tests(played)))]
    if all("lost" in row for row in played):
        figures = {name: COLUMNS[name] for name in NAMES}
        won = {
            row["strategy"]: PUBLISHED[row["published_as"]][NAMES.index("won_0")]
            for row in played
            if row["published_as"]
        }
        losses = [acquisition_table(by_model, won) for by_model in _by_model(played)]
        title, headings, _ = losses[0]
        acquisition = (title, headings, [line for _, _, lines in losses for line in lines])
        tables += [differences_table(played, {"strategy": "strategy"}, figures), acquisition]
    with_rules = [row for row in played if row["rules"]]
    if with_rules:
        names = sorted({rule for row in with_rules for rule in row["rules"]}, key=lambda rule: (rule == AGAINST, rule))
        shares = [
            [row["strategy"], *(f"{row['rules'].get(rule, 0) / sum(row['rules'].values()):.0%}" for rule in names)]
            for row in with_rules
        ]
        tables.append(("The rules that the Master followed", ["strategy", *names], shares))
    return tables


def _by_model(played: Sequence[JsonObject]) -> list[list[JsonObject]]:
    """Group the rows of Masters by the model that plays them; rule bidders are one group."""
    return list(group_by(played, lambda row: row["model"]).values())


def _tests(played: Sequence[JsonObject]) -> Iterator[list[str]]:
    """Yield the lines of the tests of Masters, and of the analyses of variance of those with the same rivals."""
    for by_model in _by_model(played):
        first = by_model[0]
        for previous, row in itertools.pairwise(by_model):
            against = t_line(first["samples"], row["samples"])
            published = PUBLISHED_TESTS.get(row["published_as"] or "", "-")
            pair = ["-", "-"] if row["rivals"] != previous["rivals"] else [previous["strategy"], _paired(previous, row)]
            yield [row["strategy"], first["strategy"], against, published, *pair]
    alike = group_by([row for row in played if row["published_as"]], lambda row: row["rivals"])
    for rivals, rows in alike.items():
        if len(rows) > 1:
            analysis = anova_line([row["samples"] for row in rows])
            yield [f"{len(rows)} strategies against {rivals}", "-", analysis, PUBLISHED_TESTS["anova"], "-", "-"]


def _paired(previous: JsonObject, row: JsonObject) -> str:
    if len(previous["samples"]) != len(row["samples"]):
        return "-"
    return paired_line(previous["samples"], row["samples"], len(ROLES))


def size(rows: Sequence[JsonObject]) -> tuple[float, float]:
    """Return the size of the figure, with room for each Master."""
    return max(6.4, 1.1 * sum("samples" in row for row in rows)), 4.8


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the profit ratio of each seat by the Master's strategy, with a diamond at the published value."""
    axes = figure.subplots()
    played = [row for row in rows if "samples" in row]
    for seat, role in enumerate(ROLES):
        places = [place + 0.27 * (seat - 1) for place in range(len(played))]
        draw_bars(axes, places, played, f"profit_{seat}", 0.27, role)
        published = [
            (place, PUBLISHED[row["published_as"]][seat])
            for place, row in zip(places, played, strict=True)
            if row["published_as"]
        ]
        style = {"markersize": 5, "markerfacecolor": "white", "label": "published"}
        axes.plot([place for place, _ in published], [value for _, value in published], "kD", **style)
    axes.set_xticks(range(len(played)), [row["strategy"].replace("_", "\n") for row in played])
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xlabel("strategy of the Master")
    axes.set_ylabel("profit ratio, %")
    legend_above(figure, 2)


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


LOSSES_TITLE = "Matching houses that the Master won, how it lost the others, and how many other houses it won"
LOSSES_HEADINGS = (
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
    return LOSSES_TITLE, list(LOSSES_HEADINGS), lines


def _signed(change: float | None) -> str:
    return "-" if change is None else f"{change:+.2f}"


def direction(ours: float | None, theirs: float | None) -> str:
    """Return in words whether our acquisition and the published one change in the same direction."""
    if ours is None or theirs is None:
        return "-"
    words = ["falls" if change < -0.005 else "rises" if change > 0.005 else "stays" for change in (ours, theirs)]
    return f"{words[0]}, as published" if words[0] == words[1] else f"{words[0]} where the published {words[1]}"


STUDY: Study = Study(
    name=NAME,
    about=(
        "HARBOR 5: profit ratio (%), TrueSkill and share of matching houses won, by the Master's strategy and by seat."
    ),
    columns=COLUMNS,
    bidders=(  # with the labels of PUBLISHED; "true" never drains rivals, as the published one has no strategy
        "baseline=persona",
        "true=expact_true,steps=1000",  # so high that rule B, to drain rivals, never applies
        "blind_expact=expact_blind",
        "inferred_expact=expact",
        "true_expact=expact_true",
        "second=second_order",
    ),
    games=GAMES,
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    more_tables=more_tables,
    has_rivals=True,
    meaning=(
        "Published are means of Claude 3.5 Sonnet over 15 auctions, without intervals: that of a difference is the "
        "one of ours. The acquisition of rule bidders falls where the published one rises: ExpAct as a rule maximizes "
        "profit, to which a matching house adds no more than another one, and spends its budget on others, or saves "
        "it for them."
    ),
)
