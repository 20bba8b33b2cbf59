"""Remove what a person has written from a results folder. Its decisions, and so the games, stay as they are."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from aucenv.core.adapters.actions import NoAction, action_cents
from aucenv.core.checks import suggestion
from aucenv.core.files import JsonMapping, JsonObject, to_pretty_json, write_atomically
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.core.state import WITHDRAW
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.core.words.money import to_cents
from aucenv.core.words.reply import Unreadable
from aucenv.policy.registry import HUMAN_KIND
from aucenv.runs.loop import Report
from aucenv.runs.model_calls.calls import Call, Message, Request
from aucenv.runs.model_calls.journal import conversations
from aucenv.runs.people import at_table, is_person, person_of
from aucenv.runs.records import retrace
from aucenv.runs.results import ResultsFolder, read_run

REMOVED = "(removed)"
FORGOTTEN = "person"
"""The name in place of that of the person, with a number."""
WORDS = ("reason",)
"""Notes that hold words of a person."""


@dataclasses.dataclass(frozen=True)
class Forgotten:
    """What was removed from a results folder.

    Attributes:
        seats: the number of seats in finished games from which words were removed.
        names: the names of bidders at the first table, or of people in finished games, and the names in their place.
        is_finished: whether the run is finished; otherwise it can be resumed with these names.
        namesakes: the people at other tables whose name has changed with that of the person, and whose words stay.
    """

    seats: int
    names: Mapping[str, str]
    is_finished: bool
    namesakes: tuple[str, ...]


def forget(folder: Path, seat: str, report: Callable[[Sequence[GameRecord], Sequence[Call]], Report]) -> Forgotten:
    """Remove a person's words and name from a results folder.

    Decisions in words become the simplest words for their amounts, and refused ones for the refused amounts. Answers in
    games that are not finished are removed altogether, so that they are asked for again if the run is resumed. People
    of the same name at other tables get the same new name, because a run has one list of bidders for all tables; their
    words stay.

    Args:
        folder: the results folder.
        seat: the person: its name or its label; or a seat such as `bidder_0`, for all people who have played in it.
        report: computes the tables from the records and calls.

    Raises:
        OSError: the folder cannot be read or written, or a run is writing to it.
        ValueError: no person is meant, or a record is invalid.
    """
    run = read_run(folder)
    results = ResultsFolder(folder, run["settings"])
    try:
        records = [results.records[index] for index in sorted(results.records)]
        names = _names(run["settings"], records)
        seated = {
            (record.index, player["seat"]): player["bidder"]
            for record in records
            for player in record.seats
            if is_person(player["bidder"])
        }
        bidders = {name for name in names if seat in _aliases(name)}
        bidders |= {name for (_, place), name in seated.items() if place == seat}
        chosen = {place: name for place, name in seated.items() if name in bidders}
        if not bidders:
            known = sorted({alias for name in names for alias in _aliases(name)})
            raise ValueError(
                f"PERSON: expected a person in {folder}, one of {', '.join(known) or 'none'}, or a seat of one, got "
                f"{seat!r}{suggestion(seat, known)}"
            )
        everywhere = {at_table(name) for name in bidders}
        renamed = {name: new for name, new in names.items() if at_table(name) in everywhere}
        cleared = [_without_words(record, chosen, renamed) for record in records]
        people = {person_of(parse_bidder(old)): person_of(parse_bidder(new)) for old, new in renamed.items()}
        forgotten = {person_of(parse_bidder(name)) for name in bidders}
        kept = [
            call
            for call in results.journal.calls
            if call.game in results.records or not (call.is_answer and call.model in forgotten)
        ]
        calls = list(_calls_without_words(kept, chosen, _words_by_decision(cleared), people))
        _write(folder, run, cleared, calls, renamed, report)
    finally:
        results.close()
    changed = {old: new for old, new in renamed.items() if old != new}
    return Forgotten(
        len(chosen),
        {at_table(old): at_table(new) for old, new in changed.items()},
        bool(run["finished"]),
        tuple(person_of(parse_bidder(new)) for old, new in changed.items() if old not in bidders),
    )


def _aliases(bidder: str) -> tuple[str, str, str]:
    """Return the names by which a person may be called."""
    return bidder, label_of(bidder), person_of(parse_bidder(bidder))


def _names(settings: JsonMapping, records: Sequence[GameRecord]) -> dict[str, str]:
    """Return the name in place of that of each person, by the name of the bidder; it has one number at all tables."""
    played = [player["bidder"] for record in records for player in record.seats]
    people = dict.fromkeys(at_table(name) for name in (*settings.get("bidders", ()), *played) if is_person(name))
    tables = range(1, settings.get("tables", 1) + 1)
    names: dict[str, str] = {}
    for number, name in enumerate(people, 1):
        options = "".join(f",{key}={value}" for key, value in parse_bidder(name).params.items())
        new = name if is_forgotten(name) else f"{HUMAN_KIND}:{FORGOTTEN}-{number}{options}"
        names |= {at_table(name, table): at_table(new, table) for table in (tables if len(tables) > 1 else [None])}
    return names


def is_forgotten(bidder: str) -> bool:
    """Return whether a bidder is a person whose name was removed."""
    return re.fullmatch(rf"(.*=)?{HUMAN_KIND}:{FORGOTTEN}-\d+(,.*)?", bidder) is not None


def _without_words(record: GameRecord, chosen: Mapping[tuple[int, str], str], renamed: Mapping[str, str]) -> GameRecord:
    """Return a record without the words and names of people."""
    mine = {player["seat"] for player in record.seats if (record.index, player["seat"]) in chosen}
    seats = [{**player, "bidder": renamed.get(player["bidder"], player["bidder"])} for player in record.seats]
    if not mine:
        return dataclasses.replace(record, seats=seats)
    decisions = []
    for table, decision in retrace(record):
        if decision is not None:
            decisions.append(_plain(table, decision) if decision["seat"] in mine else decision)
    return dataclasses.replace(record, seats=seats, decisions=decisions)


def _plain(table: Table, decision: JsonObject) -> JsonObject:
    """Return a decision in the simplest words."""
    write = table.game.words.reply_writer(table.scenario)
    number = table.scenario_text.seats.index(decision["seat"])

    def words(action: Any) -> Any:
        if not isinstance(action, str):
            return action
        try:
            cents = action_cents(action, "text", number, table.state, table.game, table.scenario_text)
        except (Unreadable, NoAction):
            return REMOVED
        return write(cents)

    attempts = [{**attempt, "action": words(attempt["action"])} for attempt in decision["attempts"]]
    for attempt in attempts:
        if attempt["action"] == REMOVED:
            attempt["refused"] = REMOVED  # it may quote the words
    action = decision["action"]
    if isinstance(action, str):
        action = write(WITHDRAW if decision["amount"] is None else to_cents(decision["amount"]))
    notes = {name: value for name, value in decision["notes"].items() if name not in WORDS}
    return {**decision, "action": action, "attempts": attempts, "notes": notes}


def _words_by_decision(records: Iterable[GameRecord]) -> dict[tuple[int, str, int], list[str]]:
    """Return the words of each decision: those of its refused attempts, and then those that were accepted."""
    words: dict[tuple[int, str, int], list[str]] = {}
    for record in records:
        numbers: dict[str, int] = {}
        for decision in record.decisions:
            seat = decision["seat"]
            number = numbers[seat] = numbers.get(seat, -1) + 1
            said = [attempt["action"] for attempt in decision["attempts"]] + [decision["action"] or ""]
            words[record.index, seat, number] = [one if isinstance(one, str) else str(one) for one in said]
    return words


def _calls_without_words(
    calls: Iterable[Call],
    chosen: Mapping[tuple[int, str], str],
    words: Mapping[tuple[int, str, int], Sequence[str]],
    people: Mapping[str, str],
) -> Iterator[Call]:
    """Yield the calls of a run with the new names of people; those of people that are forgotten have no words."""
    for call, conversation in conversations(calls):
        if not (call.is_answer and call.model in people):
            yield call
            continue
        cleared = list(call.messages)
        if (call.game, call.seat) in chosen:
            said = words.get((call.game, call.seat, call.decision), [])
            reply = said[call.attempt] if call.purpose == "bid" and call.attempt < len(said) else call.reply
            cleared, conversation = map(_without_answers, (cleared, conversation))
            call = dataclasses.replace(call, reply=reply, reasoning="", messages=cleared)
        name = people[call.model]  # a resumed run finds an answer by the digest of its request, which has the name
        digest = Request(tuple(conversation), None, 0, None).digest(name)
        yield dataclasses.replace(call, model=name, request=digest)


def _without_answers(messages: Sequence[Message]) -> list[Message]:
    return [{**message, "content": REMOVED} if message["role"] == "assistant" else message for message in messages]


def _write(
    folder: Path,
    run: JsonObject,
    records: Sequence[GameRecord],
    calls: Sequence[Call],
    renamed: Mapping[str, str],
    report: Callable[[Sequence[GameRecord], Sequence[Call]], Report],
) -> None:
    """Write all files of the folder in which the person's words or name may be; that of the games is the last one."""
    settings = {**run["settings"]}
    if isinstance(settings.get("bidders"), list):
        settings["bidders"] = [renamed.get(name, name) for name in settings["bidders"]]
    changed: JsonObject = {**run, "settings": settings}
    lines = [{field.name: getattr(call, field.name) for field in dataclasses.fields(call)} for call in calls]
    write_atomically(folder / "calls.jsonl", "".join(_line(line) for line in lines))
    if records:
        reported = report(records, calls)
        changed |= {name: getattr(reported, name) for name in ("models", "people") if name in run}
        write_atomically(folder / "table.json", to_pretty_json(reported.rows))
        write_atomically(folder / "table.md", reported.markdown)
    write_atomically(folder / "run.json", to_pretty_json(changed))
    _forget_links(folder, renamed)
    write_atomically(folder / "games.jsonl", "".join(f"{record.to_json()}\n" for record in records))


def _line(data: JsonMapping) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def _forget_links(folder: Path, renamed: Mapping[str, str]) -> None:
    """Remove the links of people, and their names from the names of their ratings."""
    (folder / "links.json").unlink(missing_ok=True)
    for old, new in renamed.items():
        for file in folder.glob("ratings-*.csv"):
            if file.stem == f"ratings-{file_part(person_of(parse_bidder(old)))}":
                file.replace(file.with_name(f"ratings-{file_part(person_of(parse_bidder(new)))}.csv"))


def file_part(name: str) -> str:
    """Return a name of a person as a part of a file's name."""
    return quote(name, safe="")
