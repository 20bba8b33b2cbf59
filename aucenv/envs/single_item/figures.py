"""Compute figures from the records of sealed-bid and clock auctions.

Source: Synthetic Labs, arXiv 2507.09083, section 4.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from aucenv.core.play.bid_errors import BidErrors, count_bid_errors
from aucenv.core.records.figures import TextTable, or_dash
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label

SCORE = "profit"
T = TypeVar("T", bound="SeatFigures")
V = TypeVar("V")


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """The figures of one seat in one game, in dollars.

    Attributes:
        bidder: the bidder's label.
        rounds: number of rounds played.
        won: number of prizes won.
        ratios: bid divided by value, for every bid on a prize worth more than 0 to the seat.
        above: number of these bids that exceed the value.
        efficient: number of rounds whose winner had the highest value, or one of several equal ones.
        revenue: the payments of all bidders.
        expected_revenue: the expected payments of all bidders in equilibrium; None if the equilibrium is unknown.
        cursed: number of prizes won at a loss.
    """

    bidder: str
    seat: str
    profit: float
    rounds: int
    won: int
    ratios: tuple[float, ...]
    above: int
    efficient: int
    revenue: float
    expected_revenue: float | None
    bid_errors: BidErrors
    cursed: int


def seat_figures(record: GameRecord, expected: float | None) -> list[SeatFigures]:
    """Return the figures of every seat of a record. With common values, bids are compared with signals.

    Args:
        expected: the expected revenue of one round in equilibrium, in dollars; None if it is unknown.
    """
    prizes = record.outcome["prizes"]
    bid_errors = count_bid_errors(record)
    revenue, efficient = sum(prize["revenue"] for prize in prizes), _efficient(record)
    figures = []
    for s, (player, result) in enumerate(zip(record.seats, record.outcome["seats"], strict=True)):
        values = record.deal["seats"][s]["values"]
        bids = [(prize["bids"][s], value) for prize, value in zip(prizes, values, strict=False)]
        ratios = tuple(bid / value for bid, value in bids if bid is not None and value > 0)
        figures.append(
            SeatFigures(
                bidder=seat_label(player),
                seat=player["seat"],
                profit=result["profit"],
                rounds=len(prizes),
                won=result["prizes_won"],
                ratios=ratios,
                above=sum(ratio > 1 for ratio in ratios),
                efficient=efficient,
                revenue=revenue,
                expected_revenue=None if expected is None else expected * len(prizes),
                bid_errors=bid_errors[player["seat"]],
                cursed=sum(prize["winner"] == player["seat"] and prize["profits"][s] < 0 for prize in prizes),
            )
        )
    return figures


def figures_with_revenue(revenue_of: Callable[[str], float | None]) -> Callable[[GameRecord], list[SeatFigures]]:
    """Return the function `seat_figures` of a game, with the expected revenue of each record's scenario.

    Args:
        revenue_of: returns the expected revenue of one round in equilibrium for a scenario as JSON, in dollars, or None
            if it is unknown.
    """
    cached_revenue = lru_cache(maxsize=256)(revenue_of)
    return lambda record: seat_figures(record, cached_revenue(json.dumps(record.scenario, sort_keys=True)))


def _efficient(record: GameRecord) -> int:
    """Return the number of rounds in which no seat valued the prize more than its winner; with cv, of all sales."""
    common = record.scenario["values"] == "cv"
    seats = {player["seat"]: s for s, player in enumerate(record.seats)}
    count = 0
    for j, prize in enumerate(record.outcome["prizes"]):
        if prize["winner"] is not None:
            values = [dealt["values"][j] for dealt in record.deal["seats"]]
            count += common or values[seats[prize["winner"]]] == max(values)
    return count


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    "profit_mean": lambda s: (s.profit, 1),
    "profit_per_round": lambda s: (s.profit, s.rounds),
    "prizes_mean": lambda s: (s.won, 1),
    "winners_profit": lambda s: (s.profit, s.won),
    "bid_per_value": lambda s: (sum(s.ratios), len(s.ratios)),
    "bids_above_value": lambda s: (s.above, len(s.ratios)),
    "efficiency": lambda s: (s.efficient, s.rounds),
    "revenue_per_round": lambda s: (s.revenue, s.rounds),
    "revenue_ratio": lambda s: (0, 0) if s.expected_revenue is None else (s.revenue, s.expected_revenue),
    "failed_bid_rate": lambda s: s.bid_errors.failed_bid_rate,
    "unreadable_rate": lambda s: s.bid_errors.unreadable_rate,
    "winners_curse_rate": lambda s: (s.cursed, s.won),
}
"""A bidder's figures: each is the ratio of two sums over the bidder's seats and games.

Means are per seat and game. The winner's profit is profit per prize won. Bid / value and the share of bids above the
value cover bids on prizes worth more than 0 (with cv, signals above 0). Efficiency is the share of rounds whose winner
had the highest value. Efficiency, revenue and revenue / equilibrium revenue cover all games in which the bidder sat,
regardless of the winner. The winner's curse rate is the share of the prizes won at a loss."""

SHOWN: Mapping[str, tuple[str, str]] = {
    "profit_mean": ("mean profit, $", "{:,.1f}"),
    "prizes_mean": ("prizes", "{:.2f}"),
    "winners_profit": ("profit per prize, $", "{:.1f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that printed tables show: heading and format."""

ALSO_SHOWN = (
    "bids, and results of the games with this bidder and its rivals",
    {
        "bid_per_value": ("bid / value", "{:.2f}"),
        "bids_above_value": ("above value", "{:.1%}"),
        "efficiency": ("efficiency", "{:.1%}"),
        "revenue_per_round": ("revenue per round, $", "{:.1f}"),
        "revenue_ratio": ("revenue / equilibrium's", "{:.2f}"),
    },
)
"""A second printed table: its title and its figures."""


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return a table of bid / value by bidder and scenario. Source: Synthetic Labs, arXiv 2507.09083."""
    return [table_by_setting("bid / value, by setting", bids_per_value(records))]


def table_by_setting(title: str, means: Mapping[tuple[str, str], float]) -> TextTable:
    """Return a table of means by bidder and scenario."""
    settings = list(dict.fromkeys(setting for _, setting in means))
    lines = [
        [bidder, *(or_dash(means.get((bidder, setting)), "{:.2f}") for setting in settings)]
        for bidder in dict.fromkeys(bidder for bidder, _ in means)
    ]
    return TextTable(title, ("bidder", *settings), lines)


def bids_per_value(records: Sequence[GameRecord]) -> dict[tuple[str, str], float]:
    """Return the mean of bid / value by bidder and scenario, over bids on prizes worth more than 0.

    With common values, bids are divided by signals.
    """
    ratios = by_setting(records, lambda record: seat_figures(record, None), lambda seat: seat.ratios)
    return {key: sum(values) / len(values) for key, values in ratios.items() if values}


def by_setting(
    records: Sequence[GameRecord],
    figures_of: Callable[[GameRecord], Sequence[T]],
    values_of: Callable[[T], Sequence[V]],
) -> dict[tuple[str, str], list[V]]:
    """Return the values of all seats by bidder and scenario."""
    values: dict[tuple[str, str], list[V]] = {}
    for record in records:
        for seat in figures_of(record):
            values.setdefault((seat.bidder, record.scenario["name"]), []).extend(values_of(seat))
    return values
