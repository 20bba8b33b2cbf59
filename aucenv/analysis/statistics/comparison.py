"""Compare the bidders of two runs, game by game where both runs played the same deals."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.analysis.agents.agents import bidders_in_words
from aucenv.analysis.ranking.shown_figures import FAILED, UNREADABLE, main_figures, note_on_failed_bids
from aucenv.analysis.ranking.tables import interval_note
from aucenv.analysis.statistics.design import Deal, Design, Lineup, deal_of, lineup_of
from aucenv.analysis.statistics.intervals import MIN_DEALS, Estimate, estimate, ratio, ratio_influence, with_interval
from aucenv.analysis.statistics.metrics import figures_of, game_of, required_counts
from aucenv.core.records.figures import Figures, ShownFigure, TextTable
from aucenv.core.records.record import GameRecord


@dataclasses.dataclass(frozen=True)
class Difference:
    """One figure of a bidder in two runs.

    Attributes:
        bidder: the bidder's label in both runs.
        figure: the name of the figure.
        first, second: its estimates in the two runs.
        change: the second minus the first.
        deals: the number of deals in both runs; the estimates are of these deals alone. 0 if the runs share none.
    """

    bidder: str
    figure: str
    first: Estimate
    second: Estimate
    change: Estimate
    deals: int


def compare(first: Sequence[GameRecord], second: Sequence[GameRecord]) -> list[Difference]:
    """Compare every bidder that plays in both runs, in all figures of the game that tables show.

    If a bidder's games in both runs have deals in common, only these are compared, deal by deal, so that the luck of a
    deal cancels out. Otherwise its games in the two runs are independent.

    Raises:
        ValueError: the runs are of different games, or no bidder plays in both.
    """
    game = game_of([*first, *second])
    module = figures_of(game)
    sums, runs = zip(*(_sums(module, records) for records in (first, second)), strict=True)
    bidders = [bidder for bidder in sums[0] if bidder in sums[1]]
    in_words = not bidders_in_words([*first, *second]).isdisjoint(bidders)
    if not bidders:
        names = " and ".join(", ".join(by_bidder) for by_bidder in sums)
        raise ValueError(f"expected a bidder that plays in both runs, got {names}")
    return [
        _difference(bidder, name, [each[bidder] for each in sums], runs, place)
        for bidder in bidders
        for place, name in enumerate(module.FIGURES)
        if name in main_figures(game, in_words)
    ]


Sums = dict[Deal, np.ndarray]
"""The numerator and the denominator of each figure by deal, (figures, 2)."""
Lineups = Mapping[Deal, Sequence[Lineup]]
"""The lineups that play each deal of a run."""


def _sums(module: Figures, records: Sequence[GameRecord]) -> tuple[dict[str, Sums], Lineups]:
    """Return the sums of each bidder, and the lineups."""
    figures: Sequence[Callable[[Any], tuple[float, float]]] = list(module.FIGURES.values())
    sums: dict[str, Sums] = {}
    lineups: dict[Deal, list[Lineup]] = {}
    required, counts = required_counts(module), dict[str, Counter[str]]()
    for record in records:
        deal = deal_of(record)
        lineups.setdefault(deal, []).append(lineup_of(record))
        for seat in module.seat_figures(record):
            bidder_sums = sums.setdefault(seat.bidder, {})
            bidder_sums[deal] = bidder_sums.get(deal, 0) + np.array([figure(seat) for figure in figures], float)
            counts.setdefault(seat.bidder, Counter()).update({name: count(seat) for name, count in required.items()})
    for place, name in enumerate(module.FIGURES):
        for bidder in sums:
            if name in required and not counts[bidder][name]:
                for by_figure in sums[bidder].values():
                    by_figure[place] = 0  # undefined
    return sums, lineups


def _design(deals: Sequence[Deal], runs: Sequence[Lineups]) -> Design:
    """Return the design of deals, whose strata are those of all the runs together."""
    games = [
        (number, tuple(f"{run}: {name}" for name in lineup), deal[0])
        for number, deal in enumerate(deals)
        for run, lineups in enumerate(runs)
        for lineup in lineups[deal]
    ]
    return Design.of(
        np.array([number for number, _, _ in games], np.int64),
        [lineup for _, lineup, _ in games],
        [setting for _, _, setting in games],
    )


def _difference(bidder: str, figure: str, sums: Sequence[Sums], runs: Sequence[Lineups], place: int) -> Difference:
    first, second = sums
    shared = [deal for deal in first if deal in second]
    rows = [np.array([by_deal[deal][place] for deal in shared or by_deal]) for by_deal in sums]  # (deals, 2) each
    designs = [_design(shared or list(by_deal), [run]) for by_deal, run in zip(sums, runs, strict=True)]
    estimates = [ratio(*each) for each in zip(rows, designs, strict=True)]
    (value, influence), (other_value, other_influence) = map(ratio_influence, rows)
    change = Estimate(None)
    if value is not None and other_value is not None:
        counted, other_counted = (each[:, 1] != 0 for each in rows)
        if shared:
            both = counted & other_counted
            change = estimate(other_value - value, other_influence - influence, _design(shared, runs), both)
        else:
            parts = ((designs[0], influence, counted), (designs[1], other_influence, other_counted))
            change = _independent(other_value - value, parts)
    return Difference(bidder, figure, estimates[0], estimates[1], change, len(shared))


def _independent(change: float, parts: Sequence[tuple[Design, np.ndarray, np.ndarray]]) -> Estimate:
    """Return the difference of two independent figures, with the degrees of freedom of Welch's t-test.

    Args:
        parts: the design, the influence of each deal and the deals that contribute, of each figure.
    """
    if min(int(counted.sum()) for _, _, counted in parts) < MIN_DEALS:
        return Estimate(change)
    results = [design.variance(influence[:, None], counted) for design, influence, counted in parts]
    variances, degrees = [float(variance[0]) for variance, _ in results], [degrees for _, degrees in results]
    total = sum(variances)
    if min(degrees) < MIN_DEALS - 1 or not total:
        return with_interval(change, math.sqrt(total), min(degrees))
    weights = sum(variance**2 / each for variance, each in zip(variances, degrees, strict=True))
    return with_interval(change, math.sqrt(total), int(total**2 / weights))


def comparison_table(differences: Sequence[Difference], game: str, names: tuple[str, str]) -> TextTable:
    """Return the table of a comparison.

    Args:
        differences: as `compare` returns them.
        game: the name of the game.
        names: how the two runs are called.
    """
    shown = main_figures(game, True)
    lines = []
    for difference in differences:
        heading, form = shown[difference.figure]
        values = [_format(estimate, form) for estimate in (difference.change, difference.first, difference.second)]
        lines.append([difference.bidder, heading, *values, f"{difference.deals:,}" if difference.deals else "none"])
    title = f"B ({names[1]}) minus A ({names[0]}); {interval_note(lines)}"
    values_of = {(one.bidder, one.figure): (one.first.value, one.second.value) for one in differences}
    note = note_on_failed_bids(
        pair
        for (bidder, figure), failed in values_of.items()
        if figure == FAILED
        for pair in zip(failed, values_of.get((bidder, UNREADABLE), (0.0, 0.0)), strict=True)
    )
    return TextTable(title, ("bidder", "figure", "B minus A", "A", "B", "shared deals"), lines, note)


def _format(estimate: Estimate, form: str) -> str:
    if estimate.value is None:
        return "-"
    text = form.format(estimate.value)
    if estimate.low is not None and estimate.high is not None:
        text += f" ±{form.format((estimate.high - estimate.low) / 2)}"
    return ShownFigure(text, estimate.value, estimate.low, estimate.high)
