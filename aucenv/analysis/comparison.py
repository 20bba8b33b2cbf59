"""Compare the bidders of two runs, game by game where both runs played the same deals."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aucenv.analysis.agents import bidders_in_words
from aucenv.analysis.metrics import figures_of, game_of, required_counts
from aucenv.analysis.ranking_tables import interval_note
from aucenv.analysis.resampling import Deal, Estimate, deal_of, interval, ratio, resample
from aucenv.analysis.shown_figures import FAILED, UNREADABLE, main_figures, note_on_failed_bids
from aucenv.core.figures import Figures, TextTable
from aucenv.core.record import GameRecord


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

    If a bidder's games in both runs have deals in common, only these are compared, and the interval of the change is
    bootstrapped over deals, so that the luck of a deal cancels out. Otherwise its games in the two runs are resampled
    independently.

    Raises:
        ValueError: the runs are of different games, or no bidder plays in both.
    """
    game = game_of([*first, *second])
    module = figures_of(game)
    sums = [_sums(module, records) for records in (first, second)]
    bidders = [bidder for bidder in sums[0] if bidder in sums[1]]
    in_words = not bidders_in_words([*first, *second]).isdisjoint(bidders)
    if not bidders:
        names = " and ".join(", ".join(by_bidder) for by_bidder in sums)
        raise ValueError(f"expected a bidder that plays in both runs, got {names}")
    return [
        _difference(bidder, name, sums[0][bidder], sums[1][bidder], place)
        for bidder in bidders
        for place, name in enumerate(module.FIGURES)
        if name in main_figures(game, in_words)
    ]


def _sums(module: Figures, records: Sequence[GameRecord]) -> dict[str, dict[Deal, np.ndarray]]:
    """Return by bidder and deal: the numerator and the denominator of each figure, (figures, 2)."""
    figures: Sequence[Callable[[Any], tuple[float, float]]] = list(module.FIGURES.values())
    sums: dict[str, dict[Deal, np.ndarray]] = {}
    required, counts = required_counts(module), dict[str, Counter[str]]()
    for record in records:
        deal = deal_of(record)
        for seat in module.seat_figures(record):
            bidder_sums = sums.setdefault(seat.bidder, {})
            bidder_sums[deal] = bidder_sums.get(deal, 0) + np.array([figure(seat) for figure in figures], float)
            counts.setdefault(seat.bidder, Counter()).update({name: count(seat) for name, count in required.items()})
    for place, name in enumerate(module.FIGURES):
        for bidder in sums:
            if name in required and not counts[bidder][name]:
                for by_figure in sums[bidder].values():
                    by_figure[place] = 0  # undefined
    return sums


def _difference(
    bidder: str, figure: str, first: dict[Deal, np.ndarray], second: dict[Deal, np.ndarray], place: int
) -> Difference:
    shared = [deal for deal in first if deal in second]
    rows = [
        np.array([by_deal[deal][place] for deal in shared or by_deal]) for by_deal in (first, second)
    ]  # (deals, 2) each
    times = [resample(np.arange(len(sums))) for sums in rows]
    if not shared and len(times[0]) and len(times[0][0]) == len(times[1][0]):
        times[1] = times[1][::-1]  # resamples depend on the number of deals alone, but these runs are independent
    estimates = [ratio(sums, drawn) for sums, drawn in zip(rows, times, strict=True)]
    values = [estimate.value for estimate in estimates]
    change = Estimate(None)
    if values[0] is not None and values[1] is not None:
        with np.errstate(invalid="ignore"):
            resampled = [(drawn @ sums).T for sums, drawn in zip(rows, times, strict=True)]
            changes = resampled[1][0] / resampled[1][1] - resampled[0][0] / resampled[0][1]
        counted = [sums[:, 1] != 0 for sums in rows]
        deals = int((counted[0] & counted[1]).sum()) if shared else min(int(count.sum()) for count in counted)
        change = Estimate(values[1] - values[0], *interval(changes, deals))
    return Difference(bidder, figure, estimates[0], estimates[1], change, len(shared))


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
    if estimate.low is None or estimate.high is None:
        return form.format(estimate.value)
    return f"{form.format(estimate.value)} ±{form.format((estimate.high - estimate.low) / 2)}"
