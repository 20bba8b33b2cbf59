"""Write a recorded game as text, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aucenv.analysis.agents.call_costs import costs_of_game, usage
from aucenv.core.checks import one_of
from aucenv.core.records.read_notes import mistakes_in
from aucenv.core.records.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import conversations


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a game's transcript: hidden values, every reply, refusals, winners and prices."""
    seed = _seed_in_words(record.seed)
    yield f"Game {record.index} of {record.game}, scenario {record.scenario['name']}, {seed}."
    yield from find_family(record.game).game.transcript.transcript(record)
    for player in record.seats:
        for phase, _, description in mistakes_in(player.get("notes", {})):
            yield f"{player['name']}, mistake at the end, {phase}: {description}."
        if "forfeited" in player.get("notes", {}):
            yield f"{player['name']} forfeited, {player['notes']['forfeited']}."


def _seed_in_words(seed: Sequence[int]) -> str:
    """Return a game's seed in words: in a run, it is the seed of the run and the number of the deal."""
    if len(seed) == 2:
        return f"seed {seed[0]}, deal {seed[1]}"
    return f"seed {', '.join(map(str, seed))}"


def call_transcript(record: GameRecord, calls: Iterable[Call]) -> Iterator[str]:
    """Yield every prompt, reasoning and reply of the game's models and people by seat, and then what the calls cost.

    Messages that the seat's previous call already contains are not repeated.

    Raises:
        ValueError: a call is of a seat that the game does not have.
    """
    game_calls = [call for call in calls if call.game == record.index]
    seats = [player["seat"] for player in record.seats]
    for call in game_calls:
        one_of(f"calls.jsonl: game {call.game}, decision {call.decision}, seat", call.seat, seats)
    for player in record.seats:
        decisions = [decision for decision in record.decisions if decision["seat"] == player["seat"]]
        for call, messages in conversations(call for call in game_calls if call.seat == player["seat"]):
            place = f"decision {call.decision + 1}"
            if call.decision < len(decisions):
                decision = decisions[call.decision]
                place += f" (item {decision['item'] + 1}, round {decision['round'] + 1})"
            place += "" if call.purpose == "bid" else f", {call.purpose}"
            yield ""
            used = f"{call.seconds:.2f} s" if call.is_answer else f"{usage([call])}, {call.seconds:.2f} s"
            yield f"=== {player['name']} ({call.model}), {place}, attempt {call.attempt + 1}: {used}"
            for message in messages[call.same :]:
                yield f"--- {message['role']}"
                yield from _indented(message["content"])
            if call.reasoning:
                yield "--- reasoning" + ("" if call.tokens_reasoning is None else f" ({call.tokens_reasoning} tokens)")
                yield from _indented(call.reasoning)
            yield f"--- reply ({call.finish})"
            yield from _indented(call.reply)
    costs = list(costs_of_game(record, game_calls))
    if costs:
        yield from ("", "Costs of this game:", *costs)


def _indented(text: str) -> Iterator[str]:
    """Indent the lines of a message, to distinguish them from the lines of the transcript."""
    return (f"    {line}" for line in text.splitlines())
