"""What each client of a table gets: data that follow from the View of its seat, and from nothing else."""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.baselines.human.inbox import Answer, Inbox, Request
from aucenv.benchmarks.report.page_data import choices_of, game_data
from aucenv.commands.console.seat_words import last_refusal, number_of, place_of, tries
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game import Game
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.core.state import NOBODY
from aucenv.core.words.bidder_name import parse_bidder, public_name, successor_of
from aucenv.runs.people import is_person, people_in
from aucenv.runs.recorded.forget import WORDS
from aucenv.runs.records import replay


def _board_of(game: Game, view: Any) -> JsonObject:
    """Return the board of a view, and how decisions are said; None for both before the first view."""
    if view is None:
        return {"board": None, "said": None}
    return {"board": game.board.board(view).data(), "said": dataclasses.asdict(game.board.said(view.scenario_text))}


def seat_frame(game: Game, inbox: Inbox, now: float, phase: str, games: int = 1) -> JsonObject:
    """Return what the client of a seat shows.

    Args:
        game: the game.
        inbox: the inbox of the person.
        now: the time, as `time.time()`.
        phase: "lobby", "playing" or "over".
        games: the number of games at each table.
    """
    request = inbox.request
    view = inbox.view if request is None else request.view
    return {
        "type": "seat",
        "phase": phase,
        "place": place_of(inbox, games),
        **_board_of(game, view),
        "words": inbox.text,
        "replaced_by": inbox.replaced_by,
        "person": inbox.key,
        "answered": _answered(inbox.answered),
        "timed_out": bool(inbox.timed_out),
        "not_accepted": last_refusal(inbox),
        "request": None if request is None else _request(game, request, inbox.draft, now),
    }


def _answered(answer: Answer | None) -> JsonObject | None:
    """Return what a person has answered in the open round."""
    if answer is None:
        return None
    return {"amount": answer.amount, "withdraw": answer.withdraw, "words": answer.words}


def _request(game: Game, request: Request, draft: str, now: float) -> JsonObject:
    return {
        "id": request.id,
        "text": request.text,
        "refused": request.view.refused,
        "sign": getattr(request.view.scenario_text, "sign", "$"),
        "choices": choices_of(game, request.view),
        "ready": request.is_ready,
        "seconds": request.seconds,
        "seconds_left": None if request.deadline is None else max(0, round(request.deadline - now)),
        "is_last": request.is_last,
        "times_asked": request.times_asked,
        "tries": tries(request),
        "draft": draft,
    }


def public_board(game: Game, table: Table) -> JsonObject:
    """Return the board of what all seats of a table know."""
    return game.board.board(table.view(0)).for_seat(NOBODY).data()


def result_frame(record: GameRecord, key: str, games: int) -> JsonObject:
    """Return a person's result of a finished game, as the person's last view of it states it.

    Args:
        record: the game.
        key: the name of the person's inbox.
        games: the number of games at each table.
    """
    table = replay(record)
    seat = next(number for number, player in enumerate(record.seats) if people_in([player["bidder"]]) == [key])
    result = table.game.words.describe(table.view(seat)).rpartition("\n\n")[2]
    return {"type": "result", "text": f"Game {number_of(record.index, games)} of {games}: {result}"}


def replay_frame(record: GameRecord, key: str) -> JsonObject:
    """Return the replay of a finished game for a person, with everything that was hidden in it.

    It has no seed, from which the deals of later games follow; of the other bidders, it has short names, and not the
    words that people wrote beside their amounts.
    """
    data = game_data(record)
    seats = [{**player, "bidder": _short(player["bidder"]), "label": _short_label(player)} for player in data["seats"]]
    mine = {player["seat"] for player in record.seats if people_in([player["bidder"]]) == [key]}
    others = {player["seat"] for player in record.seats if is_person(player["bidder"])} - mine
    decisions = [
        {**one, "notes": {name: note for name, note in one["notes"].items() if name not in WORDS}}
        if one["seat"] in others
        else one
        for one in data["decisions"]
    ]
    return {"type": "replay", "game": {**data, "seats": seats, "decisions": decisions, "seed": []}}


def _short_label(player: JsonMapping) -> str:
    """Return the short name of a seat's bidder; that of a replaced person has the bidder that has replaced it."""
    successor = successor_of(player)
    return _short(player["bidder"]) + ("" if successor is None else f", then {_short(successor)}")


def _short(bidder: str) -> str:
    """Return the label of a bidder, or its kind."""
    if is_person(bidder):
        return people_in([bidder])[0]
    spec = parse_bidder(bidder)
    return spec.label if spec.label != public_name(bidder) else spec.kind
