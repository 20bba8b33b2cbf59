"""Seats whose policies deliver their actions later, such as people: one thread waits for all of them."""

from __future__ import annotations

import functools
import queue
from collections.abc import Sequence
from typing import Any, Protocol

PAUSE = 0.25
"""Seconds after which a waiting table checks whether the run is stopped and whether somebody is out of time."""


class RoundOfGame(Protocol):
    """The open round of a running game; see `play.RunningGame`."""

    policies: Sequence[Any]
    journal: Any

    def ask(self, number: int) -> tuple[Any, Any]: ...

    def submit(self, number: int, view: Any, action: Any) -> str | None: ...

    def fail(self, number: int, error: Exception) -> None: ...

    def give_up(self, number: int) -> None: ...


class PostedSeats:
    """The seats of a round that are asked by `Policy.post`.

    Args:
        game: the running game.
        seats: the numbers of the seats.
    """

    def __init__(self, game: RoundOfGame, seats: Sequence[int]) -> None:
        self._game = game
        self._views: dict[int, Any] = {}
        self._delivered: queue.SimpleQueue[tuple[int, Any, Any]] = queue.SimpleQueue()
        for number in seats:
            self._post(number)

    def _post(self, number: int) -> None:
        view, observation = self._game.ask(number)
        self._views[number] = view
        try:
            deliver = functools.partial(self._deliver, number, view)
            self._game.policies[number].post(view, observation, deliver)
        except Exception as error:
            self._deliver(number, view, error)

    def _deliver(self, number: int, view: Any, action: Any) -> None:
        self._delivered.put((number, view, action))

    def collect(self, errors: Sequence[Exception]) -> None:
        """Submit the actions as they are delivered, until each seat has one that is accepted.

        Args:
            errors: the errors of seats that decide in other threads; with the first one, the game has failed.

        Raises:
            RunStopped: the run is stopped.
            PolicyError: a policy has failed.
        """
        try:
            while self._views and not errors:
                try:
                    number, view, action = self._delivered.get(timeout=PAUSE)
                except queue.Empty:
                    self._check()
                    continue
                if self._views.get(number) is view:  # otherwise it is delivered again
                    self._submit(number, view, action)
        finally:
            for number in self._views:
                self._call(number, "cancel")

    def _check(self) -> None:
        if self._game.journal is not None:
            self._game.journal.pause(0)
        for number in self._views:
            self._call(number, "check_time")

    def _call(self, number: int, name: str) -> None:
        """Call an optional method of a seat's policy."""
        method = getattr(self._game.policies[number], name, None)
        if method is not None:
            method()

    def _submit(self, number: int, view: Any, action: Any) -> None:
        try:
            if isinstance(action, Exception):
                raise action
            refused = self._game.submit(number, view, action)
        except Exception as error:
            self._game.fail(number, error)
            self._game.give_up(number)
            refused = None
        if refused is None:
            del self._views[number]
        else:
            self._post(number)
