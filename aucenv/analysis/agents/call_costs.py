"""Describe in words what model calls cost: a call, a seat of a game, a game, and a whole run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from aucenv.core.records.record import GameRecord
from aucenv.core.words.phrases import count
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.token_prices import dollars


def usage(calls: Sequence[Call]) -> str:
    """Return the tokens and the cost of calls: `80 tokens in (64 cached), 9 out (5 reasoning), $0.0100`."""
    return f"{_tokens(calls)}, {cost_in_words(calls)}"


def _tokens(calls: Sequence[Call]) -> str:
    if any(call.tokens_in is None or call.tokens_out is None for call in calls):
        return "? tokens"
    cached = [call.tokens_cached for call in calls if call.tokens_cached is not None]
    reasoning = [call.tokens_reasoning for call in calls if call.tokens_reasoning is not None]
    tokens_in = f"{sum(call.tokens_in or 0 for call in calls)} tokens in"
    tokens_out = f"{sum(call.tokens_out or 0 for call in calls)} out"
    tokens_in += f" ({sum(cached)} cached)" if cached else ""
    tokens_out += f" ({sum(reasoning)} reasoning)" if reasoning else ""
    return f"{tokens_in}, {tokens_out}"


def cost_in_words(calls: Sequence[Call]) -> str:
    """Return the cost of calls, as far as it is known: `$0.0100`, `at least $0.0100`, `cost unknown`."""
    known = [call.cost for call in calls if call.cost is not None]
    if len(known) == len(calls):
        return dollars(sum(known))
    return f"at least {dollars(sum(known))}" if sum(known) else "cost unknown"


def costs_of_game(record: GameRecord, calls: Sequence[Call]) -> Iterator[str]:
    """Yield a line for each seat of a game that called models, and one for the game; none if no seat did.

    Args:
        record: the game.
        calls: the calls of this game.
    """
    calls = [call for call in calls if not call.is_answer]
    for player in record.seats:
        of_seat = [call for call in calls if call.seat == player["seat"]]
        if of_seat:
            models = ", ".join(dict.fromkeys(call.model for call in of_seat))
            yield f"{player['name']} ({models}): {count(len(of_seat), 'call')}, {usage(of_seat)}"
    if calls:
        yield f"all seats: {count(len(calls), 'call')}, {usage(calls)}"


def cost_of_run(calls: Sequence[Call], finished: Collection[int] | None = None) -> str | None:
    """Return a line with the cost of all calls of a run, in finished and unfinished games; None if they cost nothing.

    Args:
        calls: all calls.
        finished: the finished games, by index, if the line is printed below tables, which leave out the others.
    """
    calls = [call for call in calls if not call.is_answer]
    if not sum(call.cost or 0 for call in calls):
        return None
    unknown = sum(call.cost is None for call in calls)
    line = f"total cost of {count(len(calls), 'model call')}: {cost_in_words(calls)}"
    if unknown:
        line += f" (the cost of {count(unknown, 'call')} is unknown)"
    unfinished = [] if finished is None else [call for call in calls if call.game not in finished]
    if unfinished:
        line += f", of which {cost_in_words(unfinished)} in unfinished games, which the tables leave out"
    return line
