"""Records of games that sell one prize a round -> figures. Source: Synthetic Labs, arXiv 2507.09083, section 4."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from aucenv.core.bid_errors import BidErrors, count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.figures import Shown, or_dash
from aucenv.core.record import GameRecord

SCORE = "profit"


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """One seat's game; dollars.

    Attributes:
        bidder: its label.
        rounds: that were played.
        won: prizes.
        ratios: bid over value, of every bid on a prize worth more than 0 to the seat.
        above: of these bids, those above the value.
        efficient: rounds in which the prize went to a highest value.
        revenue: what all bidders paid.
        expected_revenue: what all would pay in equilibrium; None where that is not known.
        cursed: prizes won at a loss.
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
    """The figures of every seat. In cv, bids are held against signals.

    Args:
        expected: what a round brings in equilibrium, dollars; None: not known.
    """
    prizes = record.outcome["prizes"]
    bid_errors = count_bid_errors(record)
    revenue, efficient = sum(prize["revenue"] for prize in prizes), _efficient(record)
    figures = []
    for s, (who, result) in enumerate(zip(record.seats, record.outcome["seats"], strict=True)):
        values = record.deal["seats"][s]["values"]
        bids = [(prize["bids"][s], value) for prize, value in zip(prizes, values, strict=False)]
        ratios = tuple(bid / value for bid, value in bids if bid is not None and value > 0)
        figures.append(
            SeatFigures(
                bidder=label_of(who["bidder"]),
                seat=who["seat"],
                profit=result["profit"],
                rounds=len(prizes),
                won=result["prizes_won"],
                ratios=ratios,
                above=sum(ratio > 1 for ratio in ratios),
                efficient=efficient,
                revenue=revenue,
                expected_revenue=None if expected is None else expected * len(prizes),
                bid_errors=bid_errors[who["seat"]],
                cursed=sum(prize["winner"] == who["seat"] and prize["profits"][s] < 0 for prize in prizes),
            )
        )
    return figures


def figures_beside(revenue_of: Callable[[str], float | None]) -> Callable[[GameRecord], list[SeatFigures]]:
    """`seat_figures` of a game.

    Args:
        revenue_of: what a round of a scenario, given as JSON, brings in equilibrium, dollars; None: not known.
    """
    known = lru_cache(maxsize=256)(revenue_of)
    return lambda record: seat_figures(record, known(json.dumps(record.scenario, sort_keys=True)))


def _efficient(record: GameRecord) -> int:
    """Rounds in which the prize went to a seat that nobody values it more than; in cv, every sale."""
    common = record.scenario["values"] == "cv"
    seats = {who["seat"]: s for s, who in enumerate(record.seats)}
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
"""A bidder's figures, each a ratio of two sums over its seats and games.

Means are per seat and game. winners_profit: profit over prizes won. Bid over value, and the share of bids above it:
over bids on prizes worth more than 0 (in cv, signals). Efficiency (prizes that went to a highest value), revenue, and
revenue over the equilibrium's: of the games in which the bidder sat, whoever won. The winner's curse: prizes won at a
loss, of those won."""

SHOWN: Mapping[str, tuple[str, str]] = {
    "profit_mean": ("mean profit", "{:,.1f}"),
    "prizes_mean": ("prizes", "{:.2f}"),
    "winners_profit": ("profit a prize", "{:.1f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that tables for people show: heading and format."""

ALSO_SHOWN = (
    "bids, and what the games with this bidder brought",
    {
        "bid_per_value": ("bid / value", "{:.2f}"),
        "bids_above_value": ("above value", "{:.1%}"),
        "efficiency": ("efficiency", "{:.1%}"),
        "revenue_per_round": ("revenue a round", "{:.1f}"),
        "revenue_ratio": ("of the equilibrium's", "{:.2f}"),
    },
)
"""A second table: its title and figures."""


def agent_tables(records: Sequence[GameRecord]) -> list[Shown]:
    """Bids over values, by setting. Source: Synthetic Labs, arXiv 2507.09083."""
    found = bids_per_value(records)
    settings = list(dict.fromkeys(setting for _, setting in found))
    lines = [
        [bidder, *(or_dash(found.get((bidder, setting)), "{:.2f}") for setting in settings)]
        for bidder in dict.fromkeys(bidder for bidder, _ in found)
    ]
    return [Shown("bid / value, by setting", ("bidder", *settings), lines)]


def bids_per_value(records: Sequence[GameRecord]) -> dict[tuple[str, str], float]:
    """The mean of bid over value, by bidder and scenario: of bids on prizes worth more than 0 (in cv, signals)."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for record in records:
        for seat in seat_figures(record, None):
            ratios.setdefault((seat.bidder, record.scenario["name"]), []).extend(seat.ratios)
    return {key: sum(of_key) / len(of_key) for key, of_key in ratios.items() if of_key}
