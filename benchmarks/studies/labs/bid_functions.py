"""Bids against values: the dots, a smoothed curve and the equilibrium of each mechanism of Synthetic Labs.

Source: the first figure of Synthetic Labs, arXiv 2507.09083. Equilibria are those of `aucenv.theory`, for risk-neutral
bidders, and in first-price auctions also for bidders with the utility x^(1-r). On a rising clock, the prices at which
bidders leave are shown; the winner has not left. With common values, the values are signals.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.benchmarks.studies.cells import Row, bidders_of, distinct, group_by, same_in_all_seats
from aucenv.benchmarks.studies.study import Study

from aucenv import theory
from aucenv.analysis.plots import COLOURS, Drawing, legend_above
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import ratio
from aucenv.core.records.record import GameRecord
from aucenv.envs.single_item.files import LOGGED, MODELS
from aucenv.registration import find_family
from aucenv.runs.play import Match

GRAY = "0.5"
"""The color of the logs' games beside others."""
MECHANISMS = {
    "first price": ("sealed_bid", "first-ipv"),
    "first price, 4 bidders": ("sealed_bid", "first-ipv-4"),
    "first price, 5 bidders": ("sealed_bid", "first-ipv-5"),
    "second price": ("sealed_bid", "second-ipv"),
    "third price": ("sealed_bid", "third-ipv"),
    "all-pay": ("sealed_bid", "all-pay-ipv"),
    "second price, affiliated": ("sealed_bid", "second-apv"),
    "open clock, affiliated": ("clock", "ascending-apv"),
    "blind clock, affiliated": ("clock", "ascending-apv-blind"),
    "second price, common value": ("sealed_bid", "second-cv-4"),
}
"""Mechanism -> game and scenario."""
RISK_AVERSION = 0.5
"""The r of the utility x^(1-r) in the second equilibrium of first-price auctions."""
BANDWIDTH = 0.08
"""The bandwidth of the smoothed curve as a share of the highest value."""
POINTS = 41
"""The number of points of the smoothed curve."""
COLUMNS_OF_PANELS = 3

COLUMNS = {
    "mechanism": ("mechanism", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "bids": ("bids", "{:,}"),
    "gap": ("mean bid less equilibrium, $", "{:+.2f}"),
    "distance": ("mean distance from equilibrium, $", "{:.2f}"),
    "spread": ("standard deviation around the curve, $", "{:.2f}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of every mechanism, in which one bidder plays all seats, with the same values."""
    return list(same_in_all_seats(MECHANISMS.values(), bidders, games, seed))


def equilibrium(game: str, scenario: Any, risk_aversion: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return all values, or signals, in dollars, and the symmetric equilibrium bid at each: (signals,) both.

    Raises:
        ValueError: No closed form is known.
    """
    sealed = scenario.as_sealed() if game == "clock" else scenario
    return theory.signals(sealed) / 100, theory.equilibrium_bids(sealed, risk_aversion)


@lru_cache
def _equilibrium_of(mechanism: str, risk_aversion: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    game, name = MECHANISMS[mechanism]
    return equilibrium(game, find_family(game).game.load_scenario(name), risk_aversion)


def bids_of(record: GameRecord) -> list[tuple[float, float]]:
    """Return value, or signal, and bid of each seat that bids in each round; on a rising clock, not the winner's."""
    rises = record.game == "clock" and record.scenario["direction"] == "ascending"
    bids = []
    for seat, (player, dealt) in enumerate(zip(record.seats, record.deal["seats"], strict=True)):
        for value, prize in zip(dealt["values"], record.outcome["prizes"], strict=False):
            bid = prize["bids"][seat]
            if bid is not None and not (rises and prize["winner"] == player["seat"]):
                bids.append((float(value), float(bid)))
    return bids


def smoothed(values: np.ndarray, bids: np.ndarray, grid: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return the bid at each value of a grid by local linear regression, which has no bias at the ends of a line.

    Source: Fan, "Design-adaptive Nonparametric Regression", JASA 87, 1992.

    Args:
        values, bids: (bids,).
        grid: (points,).
        bandwidth: The standard deviation of the normal kernel that weighs the bids.
    """
    away = values - grid[:, None]  # (points, bids)
    weights = np.exp(-((away / bandwidth) ** 2) / 2)
    first, second = (weights * away).sum(axis=1, keepdims=True), (weights * away**2).sum(axis=1, keepdims=True)
    local = weights * (second - away * first)
    plain = local.sum(axis=1) <= 1e-9 * (weights.sum(axis=1) * second[:, 0] + 1)  # all bids are at one value
    local[plain] = weights[plain]
    curve: np.ndarray = local @ bids / local.sum(axis=1)
    return curve


def rows(records: Sequence[GameRecord]) -> list[Row]:
    """Return a row for each mechanism and bidder: `points` are values and bids, `curve` the smoothed curve."""
    mechanisms = {place: title for title, place in MECHANISMS.items()}
    known = [record for record in records if (record.game, record.scenario["name"]) in mechanisms]
    cells = group_by(known, lambda record: (mechanisms[record.game, record.scenario["name"]], bidders_of(record)))
    table = []
    for mechanism in MECHANISMS:
        for (played_in, bidder), played in cells.items():
            if played_in == mechanism:
                table.append(
                    {"mechanism": mechanism, "bidder": bidder, "games": len(played), **_row(mechanism, played)}
                )
    return table


def _row(mechanism: str, played: Sequence[GameRecord]) -> Row:
    by_game = [np.array(bids_of(record)).reshape(-1, 2) for record in played]
    points = np.concatenate(by_game)
    row: Row = {
        "bids": len(points),
        "points": points.tolist(),
        "curve": [],
        "gap": None,
        "distance": None,
        "spread": None,
    }
    if not len(points):
        return row
    signals, known = _equilibrium_of(mechanism)
    design = Design.of_records(played)
    for name, measure in (("gap", lambda away: away), ("distance", np.abs)):
        sums = np.zeros((design.num_deals, 2))
        for deal, bids in zip(design.deals.tolist(), by_game, strict=True):
            sums[deal] += measure(bids[:, 1] - np.interp(bids[:, 0], signals, known)).sum(), len(bids)
        estimate = ratio(sums, design)
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    values, bids = points.T
    bandwidth = BANDWIDTH * float(signals[-1])
    around = bids - smoothed(values, bids, values, bandwidth)
    grid = np.linspace(values.min(), values.max(), POINTS)
    row["spread"] = float(around.std())
    row["curve"] = np.column_stack([grid, smoothed(values, bids, grid, bandwidth)]).round(4).tolist()
    return row


def size(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the size of the figure: that of a panel times their number."""
    lines = -(-len({row["mechanism"] for row in rows}) // COLUMNS_OF_PANELS)
    return 10.0, 2.9 * lines + 1.2


def _line_of(bidder: str) -> str:
    """Return the style of a bidder's curve, which differs between the two models of the logs."""
    return "--" if bidder == f"{MODELS[1]}{LOGGED}" else "-"


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw a panel for each mechanism: bids as dots, the smoothed curves, the equilibria, and the line bid = value.

    The games of the logs are gray if there are others.
    """
    mechanisms = distinct(rows, "mechanism")
    bidders = distinct(rows, "bidder")
    lines = -(-len(mechanisms) // COLUMNS_OF_PANELS)
    panels = figure.subplots(lines, min(COLUMNS_OF_PANELS, len(mechanisms)), squeeze=False).ravel()
    for axes in panels[len(mechanisms) :]:
        axes.remove()
    for axes, mechanism in zip(panels, mechanisms, strict=False):
        signals, known = _equilibrium_of(mechanism)
        top = float(signals[-1])
        axes.plot([0, top], [0, top], color="0.6", linewidth=0.8, linestyle="--", label="bid = value")
        axes.plot(signals, known, color="black", linewidth=1.4, label="equilibrium (theory)")
        if mechanism.startswith("first"):
            averse = _equilibrium_of(mechanism, RISK_AVERSION)
            axes.plot(*averse, color="black", linestyle=":", label=f"equilibrium (theory), r = {RISK_AVERSION}")
        for row in (row for row in rows if row["mechanism"] == mechanism and row["bids"]):
            is_beside = row["bidder"].endswith(LOGGED) and not all(name.endswith(LOGGED) for name in bidders)
            values, bids = np.array(row["points"]).T
            color = GRAY if is_beside else COLOURS[bidders.index(row["bidder"]) % len(COLOURS)]
            style = {"color": color, "zorder": 1 if is_beside else 2}
            axes.plot(values, bids, ".", alpha=0.35, markersize=4, markeredgewidth=0, **style)
            axes.plot(*np.array(row["curve"]).T, label=row["bidder"], linestyle=_line_of(row["bidder"]), **style)
        highest = max((bid for row in rows if row["mechanism"] == mechanism for _, bid in row["points"]), default=top)
        axes.set_ylim(-0.02 * top, 1.05 * max(top, highest))
        axes.set_title(mechanism, fontsize=9)
    figure.supxlabel("value, or signal, $", fontsize=10)
    figure.supylabel("bid, $", fontsize=10)
    legend_above(figure)


STUDY: Study = Study(
    name="labs/bid-functions",
    about="Bids against values in the mechanisms of Synthetic Labs, with the equilibrium and a smoothed curve.",
    columns=COLUMNS,
    bidders=("equilibrium",),
    games=5,
    offline_bidders=("equilibrium", "planner=llm:scripted,agent=plan-bid-reflect"),
    matches=matches,
    rows=rows,
    draw=draw,
    size=size,
    recorded=("sealed_bid", "clock"),
    meaning=(
        "A dot is a bid, and the curve a local linear regression of bids on values. The equilibrium is that of "
        "risk-neutral bidders without the cap of $99, which binds in third-price auctions; beside it, in first-price "
        "auctions, that of bidders with a relative risk aversion of 0.5."
    ),
)
