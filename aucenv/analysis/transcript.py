"""Records -> a game told line by line, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aucenv.core.read_notes import mistakes_in
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.calls import Call
from aucenv.runs.journal import conversations


def transcript(record: GameRecord) -> Iterator[str]:
    """A game, answer by answer: who knew what, refused answers, who won and paid what."""
    yield f"Game {record.index} of {record.game}, scenario {record.scenario['name']}, seed {record.seed}."
    yield from find_family(record.game).game.transcript.transcript(record)
    for who in record.seats:
        for phase, _, what in mistakes_in(who.get("notes", {})):
            yield f"{who['name']}, mistake at the end, {phase}: {what}."
        if "forfeited" in who.get("notes", {}):
            yield f"{who['name']} forfeited, {who['notes']['forfeited']}."


def told_calls(record: GameRecord, calls: Iterable[Call]) -> Iterator[str]:
    """Every prompt and reply of the game's models, seat by seat; what was said in the call before is not repeated."""
    own = [call for call in calls if call.game == record.index]
    for who in record.seats:
        decided = [decision for decision in record.decisions if decision["seat"] == who["seat"]]
        for call, messages in conversations(call for call in own if call.seat == who["seat"]):
            place = f"decision {call.decision + 1}"
            if call.decision < len(decided):
                decision = decided[call.decision]
                place += f" (item {decision['item'] + 1}, round {decision['round'] + 1})"
            place += "" if call.purpose == "bid" else f", {call.purpose}"
            used = "? tokens" if call.tokens_in is None else f"{call.tokens_in} tokens in, {call.tokens_out} out"
            took = f"{used}, {call.seconds:.2f} s"
            yield ""
            yield f"=== {who['name']} ({call.model}), {place}, attempt {call.attempt + 1}: {took}"
            for message in messages[call.same :]:
                yield f"--- {message['role']}"
                yield from _inset(message["content"])
            yield f"--- reply ({call.finish})"
            yield from _inset(call.reply)


def _inset(words: str) -> Iterator[str]:
    """Lines that cannot be taken for the transcript's own."""
    return (f"    {line}" for line in words.splitlines())
