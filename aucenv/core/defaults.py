"""What stands in for the modules that a game may leave out: see `core.game_modules.OPTIONAL`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np

from aucenv.core.bid_errors import BidErrors, count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.drawing import INK, LEFT, Sheet
from aucenv.core.files import JsonMapping
from aucenv.core.record import GameRecord
from aucenv.core.replay_result import ReplayResult
from aucenv.core.seat_view import GameView
from aucenv.core.transcript import answer


class NoBelief:
    """Nobody can resample what is hidden in this game."""

    def __init__(self, name: str) -> None:
        self._name = name

    def resample(self, state: np.ndarray, b: int, seat: int, key: int) -> None:
        raise ValueError(f"game {self._name!r}: what a seat cannot know is not resampled: it has no belief.py")


class TextPicture:
    """The table as text, drawn line by line."""

    def __init__(self, ansi: Callable[[GameView], str]) -> None:
        self._ansi = ansi

    def rgb(self, view: GameView) -> np.ndarray:
        lines = self._ansi(view).splitlines()
        sheet = Sheet(max(0, len(lines) // 2 - 3))
        for number, line in enumerate(lines):
            sheet.write(LEFT, 16 + 22 * number, line, 15, INK)
        return sheet.pixels()


class ScoreFigures:
    """Figures of any game: the mean of the first of RESULT, and how many bids failed."""

    def __init__(self, score: str) -> None:
        self.SCORE = score
        self.FIGURES: Mapping[str, Callable[[SeatScore], tuple[float, float]]] = {
            f"{self.SCORE}_mean": lambda seat: (seat.score, 1),
            "failed_bid_rate": lambda seat: seat.bid_errors.failed_bid_rate,
            "unreadable_rate": lambda seat: seat.bid_errors.unreadable_rate,
        }
        self.SHOWN = {
            f"{self.SCORE}_mean": (f"mean {self.SCORE.replace('_', ' ')}", "{:,.2f}"),
            "failed_bid_rate": ("failed bids", "{:.1%}"),
        }

    def seat_figures(self, record: GameRecord) -> Sequence[SeatScore]:
        """One for each seat."""
        bid_errors = count_bid_errors(record)
        return [
            SeatScore(label_of(who["bidder"]), made[self.SCORE], bid_errors[who["seat"]])
            for who, made in zip(record.seats, record.outcome["seats"], strict=True)
        ]


class SeatScore:
    """One seat's game.

    Attributes:
        bidder: its label.
        score: what it made.
        bid_errors: what it answered.
    """

    def __init__(self, bidder: str, score: float, bid_errors: BidErrors) -> None:
        self.bidder, self.score, self.bid_errors = bidder, score, bid_errors


class DecisionTranscript:
    """A record's decisions, round by round, and how every seat ended."""

    def __init__(self, score: str) -> None:
        self._score = score

    def transcript(self, record: GameRecord) -> Iterator[str]:
        names = {who["seat"]: who["name"] for who in record.seats}
        for who in record.seats:
            yield f"{who['seat']}: {who['name']} ({who['bidder']})."
        rounds = groupby(record.decisions, key=lambda decision: (decision["item"], decision["round"]))
        for (item, number), decisions in rounds:
            yield f"{item + 1}, round {number + 1}: {'; '.join(answer(decision, names) for decision in decisions)}"
        for who, made in zip(record.seats, record.outcome["seats"], strict=True):
            yield f"{who['name']} ({who['bidder']}): {self._score.replace('_', ' ')} {made[self._score]}."


class NoReplay:
    """This game has no form for games recorded elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name

    def replay_game(self, data: JsonMapping, where: str) -> ReplayResult:
        raise ValueError(f"{where}: game {self._name!r} reads no recorded games: it has no replay.py")
