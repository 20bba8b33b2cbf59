"""Compute how people decided: the time that decisions took, readable answers, and decisions that no answer came for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.people import TIMED_OUT, is_person

TITLE = "people, in finished games"
COLUMNS = ("bidder", "decisions", "seconds per decision", "readable", "timed out")


def people_figures(records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, JsonObject]:
    """Return how each person decided in finished games, by label.

    Returns:
        A dict for each person: decisions (those that the person was asked for), seconds (until the decision, including
        refused answers), readable_rate (share of answers that were readable) and timed_out (decisions that no answer
        came for in time). A value is None if it is unknown.
    """
    asked: dict[tuple[int, str], list[Call]] = defaultdict(list)
    for call in calls:
        if call.is_answer and call.purpose == "bid":
            asked[call.game, call.seat].append(call)
    by_person: dict[str, list[tuple[GameRecord, str]]] = defaultdict(list)
    for record in records:
        for player in record.seats:
            if is_person(player["bidder"]):
                by_person[seat_label(player)].append((record, player["seat"]))
    return {person: _figures(seats, asked) for person, seats in by_person.items()}


def _figures(seats: Sequence[tuple[GameRecord, str]], asked: Mapping[tuple[int, str], Sequence[Call]]) -> JsonObject:
    calls = [call for record, seat in seats for call in asked.get((record.index, seat), ())]
    decisions = len({(call.game, call.seat, call.decision) for call in calls})
    rates = [count_bid_errors(record)[seat].unreadable_rate for record, seat in seats]
    unreadable, replies = (sum(part) for part in zip(*rates, strict=True))
    return {
        "decisions": decisions,
        "seconds": round(sum(call.seconds for call in calls) / decisions, 3) if decisions else None,
        "readable_rate": round(1 - unreadable / replies, 6) if replies else None,
        "timed_out": sum(call.finish_reason == TIMED_OUT for call in calls),
    }


def cells(figures: Mapping[str, JsonMapping]) -> Iterator[list[str]]:
    """Format the figures as rows of a table, in the order of COLUMNS."""
    formats = {"decisions": "{:,}", "seconds": "{:.2f}", "readable_rate": "{:.1%}", "timed_out": "{:,}"}
    for person, row in figures.items():
        yield [person, *(text.format(row[name]) if row[name] is not None else "-" for name, text in formats.items())]
