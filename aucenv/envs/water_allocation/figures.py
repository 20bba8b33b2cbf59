"""Compute figures from the records of the water allocation challenge. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping

from aucenv.core.play.bid_errors import BidErrors, count_bid_errors
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label

SCORE = "days_lived"


@dataclasses.dataclass(frozen=True)
class GameFigures:
    """The figures of one game. Tuples have one entry per day; undefined figures are None.

    Attributes:
        rsr_start: the supply-to-requirement ratio at the start: the mean supply / the total need of the living
            residents.
        rsr: this ratio at the end of each day; None once no resident is alive.
        survivors: number of residents that are alive at the end.
        efficiency: the days with water of all residents, divided by the sum of all bids that were not void, in dollars.
        lowest_winning_bids: the lowest winning bid of each day, in dollars; None if nobody got water.
        winners_survive: whether all residents that got water on a day are alive at the end; None if nobody got water.
    """

    rsr_start: float
    rsr: tuple[float | None, ...]
    survivors: int
    efficiency: float | None
    lowest_winning_bids: tuple[float | None, ...]
    winners_survive: tuple[bool | None, ...]

    @property
    def rsr_end(self) -> float | None:
        """The supply-to-requirement ratio at the end; None if no resident is alive."""
        return self.rsr[-1] if self.rsr else self.rsr_start


def game_figures(record: GameRecord) -> GameFigures:
    """Return the figures of one game."""
    days, survivors = record.outcome["days"], set(record.outcome["survivors"])
    low, high = record.scenario["supply_range"]
    mean_supply = (low + high - (not record.scenario["supply_endpoint"])) / 2
    needs = {player["seat"]: dealt["need"] for player, dealt in zip(record.seats, record.deal["seats"], strict=True)}

    def ratio(alive: Iterable[str]) -> float | None:
        total_need = sum(needs[seat] for seat in alive)
        return mean_supply / total_need if total_need else None

    total_bids = sum(bid for day in days for seat, bid in day["bids"].items() if bid and seat not in day["void"])
    wins = sum(len(day["winners"]) for day in days)
    return GameFigures(
        rsr_start=mean_supply / sum(needs.values()),
        rsr=tuple(ratio(seat for seat, after in day["after"].items() if after["health"] > 0) for day in days),
        survivors=len(survivors),
        efficiency=wins / total_bids if total_bids else None,
        lowest_winning_bids=tuple(min((day["bids"][seat] for seat in day["winners"]), default=None) for day in days),
        winners_survive=tuple(survivors.issuperset(day["winners"]) if day["winners"] else None for day in days),
    )


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """The figures of one seat in one game; amounts in dollars.

    Attributes:
        bidder: the bidder's label.
        days: number of days on which it could bid.
        wins: number of days with water.
        spent: its payments for water.
        health, balance: its health and balance at the end.
        bid_errors: its bid errors, in which void bids count as failed.
        game: the figures of the game.
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
    """Return the figures of every seat of one game."""
    bid_errors = count_bid_errors(record)
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        bid_errors[player["seat"]].correct -= result["void_bids"]
        bid_errors[player["seat"]].fail("void", result["void_bids"])
    game = game_figures(record)
    return [
        SeatFigures(
            bidder=seat_label(player),
            seat=player["seat"],
            days_lived=result["days_lived"],
            survived=result["survived"],
            days=sum(player["seat"] in day["bids"] for day in record.outcome["days"]),
            wins=result["wins"],
            spent=result["spent"],
            health=result["health"],
            balance=result["balance"],
            bid_errors=bid_errors[player["seat"]],
            game=game,
        )
        for player, result in zip(record.seats, record.outcome["seats"], strict=True)
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
"""A bidder's figures: each is the ratio of two sums over the bidder's seats and games.

Means are per seat and game. The win rate is per day on which the seat could bid, the mean price per day with water.
Health and balance are those of survivors at the end. Failed bids are bids over the balance, void or refused. Survivors,
the supply-to-requirement ratio at the end and efficiency cover the games in which the bidder sat."""

SHOWN: Mapping[str, tuple[str, str]] = {
    "survival_rate": ("survival", "{:.1%}"),
    "days_lived_mean": ("days lived", "{:.1f}"),
    "win_rate": ("days with water", "{:.0%}"),
    "price_mean": ("price, $", "{:.0f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that printed tables show: heading and format."""

ALSO_SHOWN = (
    "survivors at the end, and results of the games with this bidder and its rivals",
    {
        "health_mean": ("health", "{:.1f}"),
        "balance_mean": ("balance, $", "{:.0f}"),
        "survivors_mean": ("survivors", "{:.2f}"),
        "rsr_end": ("supply / requirement", "{:.2f}"),
        "efficiency": ("efficiency, 1/$", "{:.4f}"),
    },
)
"""A second printed table: its title and its figures."""
