"""The audit of HARBOR: which of the rules A to F each decision of bidders in housing auctions follows.

Source: HARBOR, arXiv 2502.12149, appendix H: a classifier model sorted 273 replies of RLAct into the six rules of
ExpAct and "other". Here a rule sorts each decision, from records alone (`aucenv.training.rlact.probes.audit`): if
ExpAct would also have bid, or also have left, it is ExpAct's rule; otherwise the one that fits the house and the
rivals. Records of any housing auctions can be read; a bidder's decisions in all seats count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from aucenv.benchmarks.studies.cells import Table, differences_table, flattened, with_published
from aucenv.benchmarks.studies.harbor.roles import GAME, GAMES, ROLES, condition, number_matches, rotations
from aucenv.benchmarks.studies.study import Study
from aucenv.training.rlact.probes.audit import CLASSES, PUBLISHED, audit_records

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import ratio
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.notes import ASKS_TO_BID, LETTERS
from aucenv.runs.play import Match

NAME = "harbor/audit"
BIDDERS = ("persona", "expact", "value")
REPLIES = 273
SHARES = {rule: f"share_{rule}" for rule in CLASSES}
"""Rule -> the name of its share in rows."""
FIGURES = {name: (rule, "{:.0%}") for rule, name in SHARES.items()}

COLUMNS = {
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "decisions": ("decisions", "{}"),
    **FIGURES,
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games with ten houses, of which two match each seat; one bidder plays all seats."""
    return number_matches(
        (condition(f"{NAME}: two matches each", ids), [bidder] * len(ROLES), deal)
        for bidder in bidders
        for deal, ids in rotations(games, len(ROLES), seed)
    )


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each bidder of housing auctions, with the share of decisions of each rule, and a published one.

    Intervals are over deals.
    """
    played = [record for record in records if record.game == GAME]
    design = Design.of_records(played)
    counts: dict[str, list[tuple[int, Counter[str]]]] = {}
    for record, deal in zip(played, design.deals.tolist(), strict=True):
        for bidder, counted in audit_records([record]).items():
            counts.setdefault(bidder, []).append((deal, counted))
    table = [_row(bidder, by_game, design) for bidder, by_game in counts.items()]
    published = {SHARES[rule]: PUBLISHED[rule] for rule in CLASSES}
    return [*table, {"bidder": "published", "games": None, "decisions": REPLIES, **published}] if table else []


def _row(bidder: str, by_game: Sequence[tuple[int, Counter[str]]], design: Design) -> JsonObject:
    """Return the row of a bidder.

    Args:
        by_game: the deal number of each of its games, and its decisions by rule.
        design: the deals of all games.
    """
    row: JsonObject = {"bidder": bidder, "games": len(by_game), "decisions": sum(c.total() for _, c in by_game)}
    for rule, name in SHARES.items():
        sums = np.zeros((design.num_deals, 2))
        for deal, counted in by_game:
            sums[deal] += [counted[rule], counted.total()]
        row |= flattened({name: ratio(sums, design)})
    return with_published(row, {SHARES[rule]: PUBLISHED[rule] for rule in CLASSES})


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the differences from the published shares, and the share of decisions to bid: rules A to C."""
    bids = [[row["bidder"], f"{sum(row[SHARES[rule]] for rule in LETTERS if ASKS_TO_BID[rule]):.0%}"] for row in rows]
    return [differences_table(rows, {"bidder": "bidder"}, FIGURES), ("Decisions to bid", ["bidder", "A to C"], bids)]


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the shares by rule, a bar for each bidder, with a diamond at the published share."""
    axes = figure.subplots()
    played = [row for row in rows if row["bidder"] != "published"]
    width = 0.8 / len(played)
    for number, row in enumerate(played):
        bars = [{"share": row[name], **{f"share_{end}": row[f"{name}_{end}"] for end in ("low", "high")}}
                for name in SHARES.values()]  # fmt: skip
        places = [place + width * (number - (len(played) - 1) / 2) for place in range(len(CLASSES))]
        draw_bars(axes, places, [{key: _percent(value) for key, value in bar.items()} for bar in bars],
                  "share", width, row["bidder"])  # fmt: skip
    style = {"markersize": 6, "markerfacecolor": "white", "label": f"RLAct, published ({REPLIES} replies)"}
    axes.plot(range(len(CLASSES)), [100 * PUBLISHED[rule] for rule in CLASSES], "kD", **style)
    axes.set_xticks(range(len(CLASSES)), CLASSES)
    axes.set_xlabel("rule: A to C bid, D to F leave")
    axes.set_ylabel("decisions, %")
    legend_above(figure, 2)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


STUDY: Study = Study(
    name=NAME,
    about="HARBOR's audit: the share of decisions that follow each rule, beside 273 replies of RLAct.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=GAMES,
    offline_games=6,
    offline_bidders=(*BIDDERS, "agent=llm:scripted,agent=harbor"),
    matches=matches,
    rows=rows,
    draw=draw,
    more_tables=more_tables,
    meaning=(
        "Published are shares of replies that a model sorted by their words, in states where RLAct gives advice; ours "
        "are shares of all decisions of whole games, sorted by a rule from the state and the decision alone. A "
        'decision that ExpAct shares has its rule, so that "other" are decisions without a legal reply.'
    ),
)
