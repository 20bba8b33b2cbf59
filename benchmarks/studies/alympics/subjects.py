"""Residents as raters see them: words, bids and results day by day, without the name of the bidder."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence

import numpy as np
from aucenv.baselines.llm.json_replies import without_thinking
from aucenv.benchmarks.studies.alympics.droughts import setting_of

from aucenv.core.files import JsonMapping
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.money import money
from aucenv.core.words.phrases import count

ID_LENGTH = 10


@dataclasses.dataclass(frozen=True)
class Subject:
    """One resident in one game.

    Attributes:
        id: identifies it; it reveals neither the bidder nor the game, and equal games have equal ones.
        record: the game.
        number: the number of the seat.
        persona: "": it has none.
    """

    id: str
    record: GameRecord
    number: int
    persona: str

    @property
    def seat(self) -> str:
        seat: str = self.record.seats[self.number]["seat"]
        return seat

    @property
    def name(self) -> str:
        name: str = self.record.seats[self.number]["name"]
        return name

    @property
    def bidder(self) -> str:
        """The label of the bidder."""
        return seat_label(self.record.seats[self.number])


def subjects(records: Sequence[GameRecord]) -> list[Subject]:
    """Return all residents of the games of published settings, in the order of games and seats."""
    return [
        Subject(_id_of(record, number), record, number, resident["persona"])
        for record in records
        if setting_of(record) is not None
        for number, resident in enumerate(record.scenario["residents"])
    ]


def shuffled(residents: Sequence[Subject]) -> list[Subject]:
    """Return residents in a random order, which depends only on the residents: raters see bidders and games mixed."""
    ordered = sorted(residents, key=lambda subject: subject.id)
    order = np.random.default_rng(len(ordered)).permutation(len(ordered))
    return [ordered[place] for place in order]


def _id_of(record: GameRecord, number: int) -> str:
    """Return the identifier of a resident, from the whole game."""
    bids = [decision["amount"] for decision in record.decisions]
    content = [record.scenario["name"], record.seed, record.index, record.deal, bids, number]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:ID_LENGTH]


def words_of(action: object) -> str:
    """Return the words of a reply in one line, without a reasoning model's thinking; "" if it has none.

    Args:
        action: the action of a decision: a text, the JSON of a structured reply, or the amount of a rule bidder.
    """
    if not isinstance(action, str):
        return ""
    text = without_thinking(action)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(text.split())
    reasoning = data.get("reasoning", "") if isinstance(data, dict) else ""
    return " ".join(str(reasoning).split())


def words_by_day(subject: Subject) -> list[str]:
    """Return a resident's words of each day on which it could bid."""
    return [words_of(decision["action"]) for decision in subject.record.decisions if decision["seat"] == subject.seat]


def describe(subject: Subject) -> str:
    """Return what raters read about a resident: a line about it, and three lines for each day on which it lived."""
    scenario = subject.record.scenario
    resident = scenario["residents"][subject.number]
    low, high = scenario["supply_range"]
    others = ", ".join(f"{each['name']} {each['need']}" for each in scenario["residents"] if each != resident)
    lines = [
        f"{resident['name']} needs {count(resident['need'], 'unit')} of water a day and earns "
        f"{money(resident['salary'])} a day. The supply is {low} to {high} units a day, for "
        f"{count(scenario['days'], 'day')}. Needs of the others: {others}.",
        *_days(subject),
    ]
    return "\n".join(lines)


def _days(subject: Subject) -> Iterator[str]:
    names = {player["seat"]: player["name"] for player in subject.record.seats}
    salary = subject.record.scenario["residents"][subject.number]["salary"]
    status: JsonMapping = {"balance": 0, "health": subject.record.scenario["start_health"], "no_water_days": 0}
    for day, words in zip(subject.record.outcome["days"], words_by_day(subject), strict=False):
        without = count(status["no_water_days"], "day")
        yield (
            f"Day {day['number']}: {count(day['supply'], 'unit')}. Before the bid: balance "
            f"{money(status['balance'] + salary)}, health {status['health']}, {without} without water."
        )
        yield f"Words: {words or '(none)'}"
        bids = ", ".join(f"{names[seat]} {_bid(bid, seat in day['void'])}" for seat, bid in day["bids"].items())
        winners = ", ".join(names[seat] for seat in day["winners"]) or "nobody"
        status = day["after"][subject.seat]
        yield f"Bids: {bids}. Water: {winners}." + (" It dies." if status["health"] <= 0 else "")


def _bid(bid: float | None, void: bool) -> str:
    return "no bid" if bid is None else money(bid) + (" (void)" if void else "")
