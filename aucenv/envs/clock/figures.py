"""Compute figures from the records of clock auctions, with the expected revenue of the equilibrium.

A seat that wins a rising clock has not left it: its leaving price is only known to be above the price at which the
clock stopped. A seat that has not taken the prize from a falling clock would take it at a lower price. Bid / value
counts such a price as censored (`core.records.censored_mean`), whether a bidder replies at each tick or names a price
in advance. The published count takes the price at which the clock stopped for the winner's.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aucenv.core.records.censored_mean import censored_mean
from aucenv.core.records.figures import PooledFigure, TextTable
from aucenv.core.records.record import GameRecord
from aucenv.core.words.names import names_of_records
from aucenv.envs.clock import field_loss
from aucenv.envs.clock.game import GAME, ClockScenario
from aucenv.envs.sealed_bid import figures as sealed_bid
from aucenv.envs.single_item import figures as single_item
from aucenv.envs.single_item.figures import SCORE, SHOWN, by_setting, figures_with_revenue, table_by_setting

__all__ = [
    "ALSO_SHOWN",
    "FIGURES",
    "POOLED",
    "SCORE",
    "SHOWN",
    "SeatFigures",
    "agent_tables",
    "bids_per_value",
    "seat_figures",
]


@dataclasses.dataclass(frozen=True)
class SeatFigures(single_item.SeatFigures):
    """The figures of one seat in one game; `ratios` are those of the prices at which it left or took the prize.

    Attributes:
        rising: whether the clock is ascending.
        censored: the price at which the clock stopped divided by the value, for every prize worth more than 0 to the
            seat that it won without leaving, or, on a descending clock, did not take.
        met: the rounds of the seat with the prices of its rivals; see `field_loss.COLUMNS`.
    """

    rising: bool
    censored: tuple[float, ...]
    met: tuple[tuple[float, ...], ...]


def expected_revenue(scenario: ClockScenario) -> float | None:
    """Return the expected revenue of one round in equilibrium, in dollars.

    The result is None unless the auction is equivalent to a sealed-bid auction with a known equilibrium.
    """
    if not scenario.solved_as_sealed:
        return None
    try:
        return sealed_bid.expected_revenue(scenario.as_sealed())
    except ValueError:  # prices that are not multiples of the tick do not form a grid of bids
        return None


_shared_figures = figures_with_revenue(
    names_of_records()(lambda data: expected_revenue(GAME.load_scenario(json.loads(data))))
)


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """Return the figures of every seat of a record. With common values, prices are compared with signals."""
    rising = record.scenario["direction"] == "ascending"
    last = record.scenario["highest_price" if rising else "lowest_price"]
    figures = []
    for s, (shared, met) in enumerate(zip(_shared_figures(record), field_loss.rounds_met(record), strict=True)):
        values = record.deal["seats"][s]["values"]
        censored = tuple(
            (last if prize["price"] is None else prize["price"]) / value
            for prize, value in zip(record.outcome["prizes"], values, strict=False)
            if prize["bids"][s] is None and value > 0
        )
        figures.append(SeatFigures(**sealed_bid.fields_of(shared), rising=rising, censored=censored, met=met))
    return figures


def _observed(seat: SeatFigures) -> list[tuple[float, ...]]:
    """Return each ratio of a seat, with whether it is exact and whether its clock is ascending."""
    rising = float(seat.rising)
    exact = [(ratio, 1.0, rising) for ratio in seat.ratios]
    return [*exact, *((ratio, 0.0, rising) for ratio in seat.censored)]


def _mean_ratio(observations: np.ndarray) -> Callable[[np.ndarray], float]:
    """Return a function from the weights of `_observed` ratios to their mean.

    Ratios of descending clocks are negated, because censored ones are at most as high as observed.
    """
    ratios, exact, rising = observations[:, 0], observations[:, 1] > 0, observations[:, 2] > 0
    parts = [
        (sign, where, censored_mean(sign * ratios[where], exact[where])) for sign, where in ((1, rising), (-1, ~rising))
    ]

    def mean(weights: np.ndarray) -> float:
        means = [(sign * part(weights[where]), float(weights[where].sum())) for sign, where, part in parts]
        known = [(value, size) for value, size in means if not math.isnan(value)]
        total = sum(size for _, size in known)
        return sum(value * size for value, size in known) / total if known else math.nan

    return mean


BID_PER_VALUE = PooledFigure(_observed, _mean_ratio)


def _published(seat: SeatFigures) -> tuple[float, ...]:
    """Return the ratios that the paper's authors count: winners at the price at which a rising clock stopped."""
    return (*seat.ratios, *(seat.censored if seat.rising else ()))


FIGURES: dict[str, Callable[[Any], tuple[float, float]]] = {
    **{name: figure for name, figure in single_item.FIGURES.items() if name != "bid_per_value"},
    "published_bid_per_value": lambda seat: (sum(_published(seat)), len(_published(seat))),
}
POOLED = {"bid_per_value": BID_PER_VALUE, **field_loss.POOLED}
_TITLE, _COLUMNS = single_item.ALSO_SHOWN
ALSO_SHOWN = (
    _TITLE,
    {"bid_per_value": _COLUMNS["bid_per_value"], "published_bid_per_value": ("published count", "{:.2f}")}
    | _COLUMNS
    | field_loss.SHOWN,
)


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return tables of bid / value by bidder and scenario, with censored prices and as the paper counts."""
    published = by_setting(records, seat_figures, _published)
    return [
        table_by_setting("bid / value, by setting", bids_per_value(records)),
        table_by_setting(
            "bid / value as the paper counts, with the price at which the clock stopped for the winner",
            {key: sum(ratios) / len(ratios) for key, ratios in published.items() if ratios},
        ),
    ]


def bids_per_value(records: Sequence[GameRecord]) -> dict[tuple[str, str], float]:
    """Return the mean of bid / value by bidder and scenario, with censored prices."""
    means = {
        key: _mean_ratio(np.array(observed, float))(np.ones(len(observed)))
        for key, observed in by_setting(records, seat_figures, _observed).items()
        if observed
    }
    return {key: mean for key, mean in means.items() if not math.isnan(mean)}
