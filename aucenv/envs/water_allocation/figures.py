"""Records of the water allocation challenge -> figures. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from aucenv.core.bid_errors import BidErrors, count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.record import GameRecord

SCORE = "days_lived"


@dataclasses.dataclass(frozen=True)
class GameFigures:
    """A whole game. By day, in order; None where it is not defined.

    Attributes:
        rsr_start: the ratio of supply to requirement, the mean supply over the needs of who lives, at the start.
        rsr: at the end of each day; None once nobody lives.
        survivors: how many.
        efficiency: days with water, of all residents, over the dollars of all bids that were not void.
        lowest_winning_bids: dollars; None where nobody got water.
        winners_survive: whether all who got water that day are alive at the end; None where nobody did.
    """

    rsr_start: float
    rsr: tuple[float | None, ...]
    survivors: int
    efficiency: float | None
    lowest_winning_bids: tuple[float | None, ...]
    winners_survive: tuple[bool | None, ...]

    @property
    def rsr_end(self) -> float | None:
        return self.rsr[-1] if self.rsr else self.rsr_start


def game_figures(record: GameRecord) -> GameFigures:
    """The figures of one game."""
    days, survivors = record.outcome["days"], set(record.outcome["survivors"])
    low, high = record.scenario["supply_range"]
    needs = {who["seat"]: dealt["need"] for who, dealt in zip(record.seats, record.deal["seats"], strict=True)}

    def ratio(alive: Iterable[str]) -> float | None:
        needed = sum(needs[seat] for seat in alive)
        return (low + high) / 2 / needed if needed else None

    bid_in_all = sum(bid for day in days for seat, bid in day["bids"].items() if bid and seat not in day["void"])
    wins = sum(len(day["winners"]) for day in days)
    return GameFigures(
        rsr_start=(low + high) / 2 / sum(needs.values()),
        rsr=tuple(ratio(seat for seat, after in day["after"].items() if after["health"] > 0) for day in days),
        survivors=len(survivors),
        efficiency=wins / bid_in_all if bid_in_all else None,
        lowest_winning_bids=tuple(min((day["bids"][seat] for seat in day["winners"]), default=None) for day in days),
        winners_survive=tuple(survivors.issuperset(day["winners"]) if day["winners"] else None for day in days),
    )


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """One seat's game; dollars.

    Attributes:
        bidder: its label.
        days: of the game that it began alive.
        wins: days with water.
        spent: on it.
        health, balance: at the end.
        bid_errors: a void bid counts as one that failed.
        game: the game's figures.
    """

    bidder: str
    seat: str
    days_lived: int
    survived: bool
    days: int
    wins: int
    spent: float
    health: int
    balance: float
    bid_errors: BidErrors
    game: GameFigures


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """The figures of every seat of one game."""
    bid_errors = count_bid_errors(record)
    for who, result in zip(record.seats, record.outcome["seats"], strict=True):
        bid_errors[who["seat"]].correct -= result["void_bids"]
        bid_errors[who["seat"]].fail("void", result["void_bids"])
    game = game_figures(record)
    return [
        SeatFigures(
            bidder=label_of(who["bidder"]),
            seat=who["seat"],
            days_lived=result["days_lived"],
            survived=result["survived"],
            days=sum(who["seat"] in day["bids"] for day in record.outcome["days"]),
            wins=result["wins"],
            spent=result["spent"],
            health=result["health"],
            balance=result["balance"],
            bid_errors=bid_errors[who["seat"]],
            game=game,
        )
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
    ]


def _defined(value: float | None) -> tuple[float, float]:
    return (0, 0) if value is None else (value, 1)


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    "days_lived_mean": lambda s: (s.days_lived, 1),
    "survival_rate": lambda s: (s.survived, 1),
    "win_rate": lambda s: (s.wins, s.days),
    "price_mean": lambda s: (s.spent, s.wins),
    "health_mean": lambda s: (s.health, 1) if s.survived else (0, 0),
    "balance_mean": lambda s: (s.balance, 1) if s.survived else (0, 0),
    "failed_bid_rate": lambda s: s.bid_errors.failed_bid_rate,
    "unreadable_rate": lambda s: s.bid_errors.unreadable_rate,
    "survivors_mean": lambda s: (s.game.survivors, 1),
    "rsr_end": lambda s: _defined(s.game.rsr_end),
    "efficiency": lambda s: _defined(s.game.efficiency),
}
"""A bidder's figures, each a ratio of two sums over its seats and games.

Means are per seat and game; win_rate is per day lived in, price_mean per day with water; health and balance are those
of survivors at the end. Failed bids: those over the balance, void or refused. Survivors, the ratio of supply to
requirement at the end, and efficiency: of the games in which the bidder sat."""

SHOWN: Mapping[str, tuple[str, str]] = {
    "survival_rate": ("survival", "{:.1%}"),
    "days_lived_mean": ("days lived", "{:.1f}"),
    "win_rate": ("days with water", "{:.0%}"),
    "price_mean": ("price", "{:.0f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that tables for people show: heading and format."""

ALSO_SHOWN = (
    "survivors at the end, and what the games with this bidder came to",
    {
        "health_mean": ("health", "{:.1f}"),
        "balance_mean": ("balance", "{:.0f}"),
        "survivors_mean": ("survivors", "{:.2f}"),
        "rsr_end": ("supply / requirement", "{:.2f}"),
        "efficiency": ("efficiency", "{:.4f}"),
    },
)
"""A second table: its title and figures."""
