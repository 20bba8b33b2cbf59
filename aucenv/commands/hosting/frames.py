"""What each client of a table gets: data that follow from the View of its seat, and from nothing else."""

from __future__ import annotations

from typing import Any

from aucenv.baselines.human.inbox import Inbox, Request
from aucenv.benchmarks.report.page_data import game_data, page_module
from aucenv.core.choices import ANY
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.record import GameRecord
from aucenv.core.table import Table


def view_of(game: Game, view: Any) -> JsonObject | None:
    """Return a view as the data that the game's page draws; None if the game has no page."""
    module = page_module(game.package)
    return None if module is None or view is None else module.view_data(view)


def seat_frame(game: Game, inbox: Inbox, now: float, phase: str) -> JsonObject:
    """Return what the client of a seat shows.

    Args:
        game: the game.
        inbox: the inbox of the person.
        now: the time, as `time.time()`.
        phase: "lobby", "playing" or "over".
    """
    request = inbox.request
    view = inbox.view if request is None else request.view
    return {
        "type": "seat",
        "phase": phase,
        "name": None if view is None else view.name,
        "view": view_of(game, view),
        "words": inbox.text,
        "request": None if request is None else _request(game, request, inbox.draft, now),
    }


def _request(game: Game, request: Request, draft: str, now: float) -> JsonObject:
    module = page_module(game.package)
    return {
        "id": request.id,
        "text": request.text,
        "refused": request.view.refused,
        "sign": getattr(request.view.scenario_text, "sign", "$"),
        "choices": module.choices(request.view) if hasattr(module, "choices") else ANY,
        "seconds_left": None if request.deadline is None else max(0, round(request.deadline - now)),
        "is_last": request.is_last,
        "times_asked": request.times_asked,
        "draft": draft,
    }


def public_data(game: Game, table: Table) -> JsonObject | None:
    """Return what all seats of a table know, as its page draws it; None if the game has no page."""
    module = page_module(game.package)
    return None if module is None else module.public_data(table.view(0))


def replay_frame(record: GameRecord) -> JsonObject:
    """Return the replay of a finished game, with everything that was hidden in it.

    It has no seed, from which the deals of later games follow.
    """
    return {"type": "replay", "game": {**game_data(record), "seed": []}}
