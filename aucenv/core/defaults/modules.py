"""Defaults of the modules that a game may omit and that follow from no field: see `core.game.OPTIONAL`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from aucenv.core.checks import REAL
from aucenv.core.files import JsonMapping
from aucenv.core.kernel import kernel
from aucenv.core.play.bid_errors import BidErrors, count_bid_errors
from aucenv.core.records.figures import is_amount
from aucenv.core.records.record import GameRecord
from aucenv.core.records.replay_result import ReplayResult
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.money import money
from aucenv.core.words.phrases import singular
from aucenv.core.words.transcript import describe_decision, plain_value


@kernel
def cannot_resample(state, b, seat, key):
    """Raise ValueError: the game has no belief.py."""
    raise ValueError("cannot resample hidden values: the game has no belief.py")


class NoBelief:
    """The belief module of a game without one: it cannot resample hidden values."""

    resample = staticmethod(cannot_resample)


class ScoreFigures:
    """The figures module of a game without one: the mean score (first number of RESULT), and rates of failed bids."""

    def __init__(self, score: str) -> None:
        self.SCORE = score
        self.FIGURES: Mapping[str, Callable[[SeatScore], tuple[float, float]]] = {
            f"{self.SCORE}_mean": lambda seat: (seat.score, 1),
            "failed_bid_rate": lambda seat: seat.bid_errors.failed_bid_rate,
            "unreadable_rate": lambda seat: seat.bid_errors.unreadable_rate,
        }
        self.SHOWN = {
            f"{self.SCORE}_mean": (
                f"mean {self.SCORE.replace('_', ' ')}{', $' if is_amount(self.SCORE) else ''}",
                "{:,.2f}",
            ),
            "failed_bid_rate": ("failed bids", "{:.1%}"),
        }

    def seat_figures(self, record: GameRecord) -> Sequence[SeatScore]:
        """Return the SeatScore of each seat."""
        bid_errors = count_bid_errors(record)
        return [
            SeatScore(seat_label(player), result[self.SCORE], bid_errors[player["seat"]])
            for player, result in zip(record.seats, record.outcome["seats"], strict=True)
        ]


class SeatScore:
    """The result of one seat in one game.

    Attributes:
        bidder: The label of its bidder.
        score: Its score at the end, the first number of RESULT.
        bid_errors: The numbers of its accepted and refused bids.
    """

    def __init__(self, bidder: str, score: float, bid_errors: BidErrors) -> None:
        self.bidder, self.score, self.bid_errors = bidder, score, bid_errors


class DecisionTranscript:
    """The transcript module of a game without one.

    It has the decisions of each round, what the deal and the outcome list for each item, and the score of each seat.
    Items of a scenario with `num_rounds` are called rounds.
    """

    def __init__(self, score: str) -> None:
        self._score = score

    def transcript(self, record: GameRecord) -> Iterator[str]:
        """Yield the lines of a game's transcript."""
        names = {player["seat"]: player["name"] for player in record.seats}
        for player in record.seats:
            yield f"{player['seat']}: {player['name']} ({player['bidder']})."
        thing, part = ("Round", "step") if "num_rounds" in record.scenario else ("Item", "round")
        for item, of_item in groupby(record.decisions, key=lambda decision: decision["item"]):
            rounds = [list(decisions) for _, decisions in groupby(of_item, key=lambda decision: decision["round"])]
            for number, decisions in enumerate(rounds):
                place = f"{thing} {item + 1}" if len(rounds) == 1 else f"{thing} {item + 1}, {part} {number + 1}"
                yield f"{place}: {'; '.join(describe_decision(one, names, _bid) for one in decisions)}."
            if facts := _facts(record, item, names):
                yield f"{thing} {item + 1}: {facts}."
        for player, result in zip(record.seats, record.outcome["seats"], strict=True):
            yield f"{player['name']} ({player['bidder']}): {_fact(self._score, result[self._score])}."


def _bid(amount: float | None) -> str:
    return "no bid" if amount is None else money(amount)


def _facts(record: GameRecord, item: int, names: Mapping[str, str]) -> str:
    """Return what the deal and the outcome list for an item: fields with as many values as there are items.

    Args:
        names: The names of the bidders, by seat.
    """
    items = max(decision["item"] for decision in record.decisions) + 1
    listed = [
        (name, names.get(value[item], value[item]) if isinstance(value[item], str) else value[item])
        for part in (record.deal, record.outcome)
        for name, value in part.items()
        if name != "seats" and isinstance(value, list) and len(value) == items
    ]
    return ", ".join(_fact(singular(name), value) for name, value in listed)


def _fact(name: str, value: Any) -> str:
    """Return a field of a record in words: `price $40`, `bids $0, $10`, `winner Bidder 1`, `no winner`."""
    if isinstance(value, Mapping):
        return ", ".join(_fact(part, content) for part, content in value.items())
    words = name.replace("_", " ")
    if value is None:
        return f"no {words}"
    values = value if isinstance(value, list) else [value]
    are_amounts = is_amount(name) and all(isinstance(each, REAL) and not isinstance(each, bool) for each in values)
    return f"{words} {', '.join(map(money, values)) if are_amounts else plain_value(value)}"


class NoFiles:
    """The module `files` of a game without one: it cannot replay recorded games."""

    def __init__(self, name: str) -> None:
        self._name = name

    def replay_game(self, data: JsonMapping, where: str) -> ReplayResult:
        """Raise ValueError: the game has no files.py."""
        raise ValueError(f"{where}: game {self._name!r} cannot replay recorded games: it has no files.py")
