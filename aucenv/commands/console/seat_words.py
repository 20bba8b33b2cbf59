"""Sentences for people at a table, the same in terminals and browsers."""

from __future__ import annotations

from aucenv.baselines.human.inbox import Inbox, Request
from aucenv.core.words.phrases import count


def place_of(inbox: Inbox, games: int) -> str:
    """Return which game it is for a person, and the person's name and seat in it; "" before its first round.

    Args:
        inbox: the inbox of the person.
        games: the number of games at each table.
    """
    if inbox.view is None or inbox.game is None:
        return ""
    seats = inbox.view.scenario_text.seats
    number, seat = number_of(inbox.game, games), seats.index(inbox.seat) + 1
    return f"Game {number} of {games}: you are {inbox.view.name}, in seat {seat} of {len(seats)}."


def number_of(game: int, games: int) -> int:
    """Return the number of a game at its table, from 1.

    Args:
        game: the index of the game in the run.
        games: the number of games at each table, whose indices are consecutive.
    """
    return game % games + 1


def tries(request: Request) -> str:
    """Return how many answers to a request are left after a refused one; "" if none was refused."""
    if request.view.refused is None or request.retries_left is None:
        return ""
    left = request.retries_left + 1
    if left == 1:
        return "You have 1 answer left; if it is not accepted, you make no bid."
    return f"You have {count(left, 'answer')} left; if none of them is accepted, you make no bid."


def last_refusal(inbox: Inbox) -> str:
    """Return that the last possible answer of a decision was refused; "" if it was not."""
    if not inbox.not_accepted:
        return ""
    return f"Your answer was not accepted: {inbox.not_accepted}. It was your last one: you make no bid."


def decision_of(request: str) -> str:
    """Return what the ids of all requests for one decision have in common."""
    return request.rpartition(".")[0]


def time_left(request: Request, now: float) -> str:
    """Return how much time is left for a decision, and what happens then; "" without a limit.

    Args:
        request: the request.
        now: the time, as `time.time()`.
    """
    if request.deadline is None:
        return ""
    seconds = count(max(0, round(request.deadline - now)), "second")
    then = "make no bid" if request.is_last else "are asked again"
    return f"Time left for this decision: {seconds}; then you {then}."
