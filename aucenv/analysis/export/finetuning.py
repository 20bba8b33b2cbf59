"""Data for the finetuning of chat models, from recorded games: moves of winners, and pairs of better and worse replies.

The rows are in the conversational formats of TRL: `messages` for supervised finetuning; `prompt`, `chosen` and
`rejected` for DPO.
"""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.runs.model_calls.calls import Call, Message
from aucenv.runs.model_calls.journal import conversations

LOCAL = "local"
"""The endpoint of models that run in the process."""
Move = tuple[JsonObject, list[tuple[Call, Sequence[Message]]]]
"""A decision of a record, and its calls for a bid by attempt, each with all of its messages."""


def runs_here(call: Call) -> bool:
    """Return whether a model runs on this machine or in its network, so that its weights are at hand."""
    if call.endpoint == LOCAL:
        return True
    host = urlsplit(call.endpoint).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
    return address.is_loopback or address.is_private


def left_out(calls: Iterable[Call], models: Collection[str]) -> list[str]:
    """Return the names of the models whose replies are not exported, in order.

    Args:
        models: names of models that are exported although they do not run here.
    """
    return sorted({call.model for call in calls if not (runs_here(call) or call.model in models)})


def moves(
    records: Sequence[GameRecord], calls: Iterable[Call], models: Collection[str]
) -> Iterator[tuple[GameRecord, list[Move]]]:
    """Yield each game with the decisions that exported models have made.

    Args:
        records: the games.
        calls: the calls of all games.
        models: see `left_out`.
    """
    asked: dict[tuple[int, str, int], list[tuple[Call, Sequence[Message]]]] = defaultdict(list)
    for call, messages in conversations(calls):
        if call.purpose == "bid" and (runs_here(call) or call.model in models):
            asked[call.game, call.seat, call.decision].append((call, messages))
    for record in records:
        numbers: dict[str, int] = defaultdict(int)
        of_game = []
        for decision in record.decisions:
            key = record.index, decision["seat"], numbers[decision["seat"]]
            numbers[decision["seat"]] += 1
            if key in asked:
                of_game.append((decision, asked[key]))
        yield record, of_game


def accepted(move: Move) -> tuple[Call, Sequence[Message]] | None:
    """Return the call whose reply became the decision, if it did."""
    decision, calls = move
    return next((pair for pair in calls if pair[0].attempt == len(decision["attempts"])), None)


def winners(record: GameRecord) -> list[str]:
    """Return the seats with the highest score."""
    score = figures_of(record.game).SCORE
    scores = {
        player["seat"]: float(result[score])
        for player, result in zip(record.seats, record.outcome["seats"], strict=True)
    }
    return [seat for seat, value in scores.items() if value == max(scores.values())]


def winners_moves(
    records: Sequence[GameRecord], calls: Sequence[Call], models: Collection[str] = ()
) -> Iterator[JsonObject]:
    """Yield the dialogue of each decision of the winners, if its reply was accepted.

    Args:
        models: see `left_out`.
    """
    for record, of_game in moves(records, calls, models):
        best = winners(record)
        for move in of_game:
            call = accepted(move)
            if call is not None and move[0]["seat"] in best:
                reply = {"role": "assistant", "content": call[0].reply}
                yield {"messages": [*call[1], reply], **_source(call[0])}


def refused_pairs(
    records: Sequence[GameRecord], calls: Sequence[Call], models: Collection[str] = ()
) -> Iterator[JsonObject]:
    """Yield pairs of a reply that was accepted in the end and the first one to the same request, which was refused.

    Args:
        models: see `left_out`.
    """
    for _, of_game in moves(records, calls, models):
        for move in of_game:
            call = accepted(move)
            first = next((pair for pair in move[1] if pair[0].attempt == 0), None)
            if call is not None and first is not None and call[0] is not first[0]:
                yield pair(first, call[0].reply, first[0].reply)


def pair(asked: tuple[Call, Sequence[Message]], chosen: str, rejected: str) -> JsonObject:
    """Return the row of a better and a worse reply to a request."""
    call, messages = asked
    replies = {name: [{"role": "assistant", "content": text}] for name, text in
               (("chosen", chosen), ("rejected", rejected))}  # fmt: skip
    return {"prompt": list(messages), **replies, **_source(call)}


def _source(call: Call) -> JsonObject:
    return {"model": call.model, "game": call.game, "seat": call.seat, "decision": call.decision}
