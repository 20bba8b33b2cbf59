"""An English auction's record -> figures.

Source: AucArena, arXiv 2310.05746; the profit ratio: HARBOR, arXiv 2502.12149.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from aucenv.core.bid_errors import BidErrors, count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.figures import Counts
from aucenv.core.record import GameRecord
from aucenv.envs.english.increments import RANGES, bid_increments
from aucenv.envs.english.thinking import agent_tables

__all__ = ["COUNTS", "FIGURES", "SCORE", "SHOWN", "SeatFigures", "agent_tables", "seat_figures"]

SCORE = "profit"


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """One seat's game; dollars.

    Attributes:
        bidder: its label.
        profit_ratio: profit over the sum of all items' (true value - starting price); None where that is not positive.
        items: items won.
        engagement: bids made, by item in the auction's order.
        cursed: items won above their true value.
    """

    bidder: str
    seat: str
    profit: float
    profit_ratio: float | None
    items: int
    budget_left: float
    engagement: tuple[int, ...]
    bid_errors: BidErrors
    cursed: int


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """The figures of every seat of an English auction."""
    items = record.deal["items"]
    surplus = sum(item["true_value"] - item["starting_price"] for item in items)
    values = {item["id"]: item["true_value"] for item in items}
    bids = {seat["seat"]: [0] * len(items) for seat in record.seats}
    bid_errors = count_bid_errors(record)
    for decision in record.decisions:
        bids[decision["seat"]][decision["item"]] += decision["amount"] is not None
    return [
        SeatFigures(
            bidder=label_of(who["bidder"]),
            seat=who["seat"],
            profit=result["profit"],
            profit_ratio=result["profit"] / surplus if surplus > 0 else None,
            items=len(result["won"]),
            budget_left=result["budget_left"],
            engagement=tuple(bids[who["seat"]]),
            bid_errors=bid_errors[who["seat"]],
            cursed=sum(price > values[item] for item, price in result["won"]),
        )
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
    ]


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    "profit_mean": lambda s: (s.profit, 1),
    "profit_ratio": lambda s: (0, 0) if s.profit_ratio is None else (s.profit_ratio, 1),
    "items_mean": lambda s: (s.items, 1),
    "budget_left_mean": lambda s: (s.budget_left, 1),
    "engagement": lambda s: (sum(s.engagement), len(s.engagement)),
    "failed_bid_rate": lambda s: s.bid_errors.failed_bid_rate,
    "too_low_rate": lambda s: s.bid_errors.rate("too_low"),
    "over_budget_rate": lambda s: s.bid_errors.rate("over_budget"),
    "unreadable_rate": lambda s: s.bid_errors.unreadable_rate,
    "winners_curse_rate": lambda s: (s.cursed, s.items),
}
"""A bidder's figures, each a ratio of two sums over its seats and games.

Means are per seat and game; the profit ratio counts where it is defined; engagement is bids per item offered. Refused
bids (CFR), in all and by kind, are shares of accepted answers and refused bids; unreadable answers, of all answers.
The winner's curse: items won above their true value, as a share of items won."""

SHOWN = {
    "profit_mean": ("mean profit", "{:,.0f}"),
    "profit_ratio": ("profit ratio", "{:.1%}"),
    "items_mean": ("items", "{:.2f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that tables for people show: heading and format."""

COUNTS = Counts("bid_increments", "bids by their raise, in percent of the starting price", RANGES, bid_increments)
