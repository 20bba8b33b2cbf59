"""Records of the water allocation challenge -> figures. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from aucenv.policy import label_of
from aucenv.records import GameRecord

SCORE = "days_lived"


@dataclasses.dataclass(frozen=True)
class GameFigures:
    """A whole game.

    Attributes:
        rsr_start, rsr_end: the ratio of supply to requirement: the mean supply over the needs of who lives; None where
            nobody does.
        survivors: how many.
        efficiency: days with water, of all residents, over the dollars of all bids that were not void; None where
            nobody bid.
        lowest_winning_bids: by day, dollars; None where nobody got water.
    """

    rsr_start: float | None
    rsr_end: float | None
    survivors: int
    efficiency: float | None
    lowest_winning_bids: tuple[float | None, ...]


def mean_supply(record: GameRecord) -> float:
    """The expected water of a day."""
    low, high = record.scenario["supply_range"]
    return (low + high) / 2


def game_figures(record: GameRecord) -> GameFigures:
    """The figures of one game."""
    days, seats = record.outcome["days"], record.outcome["seats"]
    needs = {who["seat"]: dealt["need"] for who, dealt in zip(record.seats, record.deal["seats"], strict=True)}
    needed = sum(needs[seat] for seat in record.outcome["survivors"])
    spent = sum(bid for day in days for seat, bid in day["bids"].items() if bid and seat not in day["void"])
    return GameFigures(
        rsr_start=mean_supply(record) / sum(needs.values()),
        rsr_end=mean_supply(record) / needed if needed else None,
        survivors=len(record.outcome["survivors"]),
        efficiency=sum(seat["wins"] for seat in seats) / spent if spent else None,
        lowest_winning_bids=tuple(min((day["bids"][seat] for seat in day["winners"]), default=None) for day in days),
    )


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """One seat's game; dollars.

    Attributes:
        bidder: its label.
        days: of the game that it began alive.
        wins: days with water.
        spent: on it.
        bids: what it bid in all, void bids aside.
        correct: answers that were accepted, those without a bid and void ones too.
        failed: refused answers, by kind; void bids as "void".
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
    correct: int
    failed: dict[str, int]
    game: GameFigures


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """The figures of every seat of one game."""
    seats = [who["seat"] for who in record.seats]
    correct = dict.fromkeys(seats, 0)
    failed: dict[str, dict[str, int]] = {
        seat: {"void": result["void_bids"]} for seat, result in zip(seats, record.outcome["seats"], strict=True)
    }
    for decision in record.decisions:
        correct[decision["seat"]] += decision["action"] is not None
        for attempt in decision["attempts"]:
            kinds = failed[decision["seat"]]
            kinds[attempt["kind"]] = kinds.get(attempt["kind"], 0) + 1
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
            correct=correct[who["seat"]] - result["void_bids"],
            failed=failed[who["seat"]],
            game=game,
        )
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
    ]


def _failures(figures: SeatFigures, but: str = "") -> int:
    return sum(count for kind, count in figures.failed.items() if kind != but)


def _defined(value: float | None) -> tuple[float, float]:
    return (0, 0) if value is None else (value, 1)


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    "days_lived_mean": lambda s: (s.days_lived, 1),
    "survival_rate": lambda s: (s.survived, 1),
    "win_rate": lambda s: (s.wins, s.days),
    "price_mean": lambda s: (s.spent, s.wins),
    "health_mean": lambda s: (s.health, 1) if s.survived else (0, 0),
    "balance_mean": lambda s: (s.balance, 1) if s.survived else (0, 0),
    "failed_bid_rate": lambda s: (_failures(s, "unreadable"), s.correct + _failures(s, "unreadable")),
    "unreadable_rate": lambda s: (s.failed.get("unreadable", 0), s.correct + _failures(s)),
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
