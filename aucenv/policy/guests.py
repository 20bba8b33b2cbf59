"""Guests: bidders of users that play in a process of their own, so that they know nothing of the table but their view.

A guest's process has an empty environment and an empty working folder, and gets the views, the observations, the seat
and the seed of its bidder through a socket. It is no sandbox against the operating system: it can read the files of the
user who runs it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import pickle
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import Policy, check_policy
from aucenv.core.views.history import Entry
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.guest_pool import POOL, GuestFailure, GuestProcess, read_answer, without_error
from aucenv.policy.guest_process import send
from aucenv.policy.registry import make_policy, packaged_bidders

SEED_SHIFT = 2
"""The bits by which a hash is shortened, so that a seed is as long as those of deals."""


@dataclasses.dataclass(frozen=True)
class Guests:
    """How the bidders of users play.

    Attributes:
        salt: The secret of the run from which their seeds follow, by a one-way hash, so that no seed of a deal can be
            found by trying seeds; "": seeds are those of other bidders.
        isolated: Whether they play in processes of their own.
    """

    salt: str = ""
    isolated: bool = False

    def policy(self, game: str, name: str, deal: tuple[int, ...] = ()) -> Policy:
        """Create a bidder by its name.

        Args:
            deal: The seed of the deal that it will play.

        Raises:
            ValueError: As in `make_policy`.
        """
        return Guest(game, name, deal) if self.isolated and is_guest(name) else make_policy(game, name)

    def seed(self, name: str, entropy: Sequence[int], seat: int) -> int | None:
        """Return the seed of a seat's randomness in a game; None: the one that the deal has.

        Args:
            name: The name of the bidder.
            entropy: The seed of the game.
            seat: The seat, from 0.
        """
        if not self.salt or not is_guest(name):
            return None
        text = json.dumps([self.salt, *entropy, seat])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> SEED_SHIFT


IN_PROCESS = Guests()


def is_guest(name: str) -> bool:
    """Return whether a bidder is a user's, a `py:` bidder or one of another package."""
    kind = parse_bidder(name).kind
    return kind == "py" or kind in packaged_bidders()


class Guest:
    """A bidder that plays in a process of its own; a policy.

    Args:
        game: The name of the game.
        name: The name of the bidder.
        deal: The seed of the deal that it will play.

    Attributes:
        interface: The bidder's interface.
        notes: The notes of its last action.

    Raises:
        ValueError: The bidder cannot be loaded.
    """

    def __init__(self, game: str, name: str, deal: tuple[int, ...] = ()) -> None:
        self._game, self._name, self._deal = game, name, deal
        self._process: GuestProcess | None = None
        self._connection: socket.socket | None = None
        with self._borrowed() as process:
            about = process.about
        self.interface = about["interface"]
        self.observes = about["observes"]
        self.cheats = about["cheats"]
        self.notes: JsonObject | None = None
        self._packer = Packer()
        for method in ("watch", "why_unplayable", "stated_objective"):
            if method in about["methods"]:
                setattr(self, method, getattr(self, f"_{method}"))
        check_policy(self, f"bidder {name!r}")

    def reset(self, seat: str, seed: int) -> None:
        """Start a game in a copy of the bidder's process that has not played this deal."""
        self.release()
        self._process = POOL.take(self._game, self._name)
        self._packer = Packer()
        self.notes = None
        self._ask("reset", seat, seed)

    def act(self, view: Any, observation: JsonMapping) -> Any:
        """Return the bidder's action."""
        answer = self._ask_with_view("act", view, dict(observation))
        self.notes = answer.get("notes")
        action = answer.get("result")
        if isinstance(action, dict):  # a whole number of thousands of digits
            return 10**2000 * (1 if action.get("boundless", 0) > 0 else -1)
        return action

    def close_game(self, view: Any) -> dict | None:
        """Return the bidder's notes on the game, and let other games use its process."""
        try:
            notes: dict | None = self._ask_with_view("close_game", view).get("result")
            return notes
        finally:
            self.release()

    def _watch(self, view: Any) -> None:
        self._ask_with_view("watch", view)

    def _why_unplayable(self, scenario: Any) -> str | None:
        reason = self._asked_apart("why_unplayable", scenario)
        return None if reason is None else str(reason)

    def _stated_objective(self, scenario: Any, seat: int) -> Any:
        return self._asked_apart("stated_objective", scenario, seat)

    def _asked_apart(self, method: str, *arguments: Any) -> Any:
        """Ask a copy of the process that plays no game, because the scenario may have what a seat may not know.

        Raises:
            ValueError: It does not answer, or raises an exception.
        """
        try:
            with self._borrowed() as process, process.connect() as connection:
                send(connection, pickle.dumps((method, *arguments)))
                return without_error(read_answer(connection)).get("result")
        except (GuestFailure, OSError) as error:
            raise ValueError(f"bidder {parse_bidder(self._name).label!r}, {method}: {error}") from None

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[GuestProcess]:
        process = POOL.take(self._game, self._name)
        try:
            yield process
        except BaseException:
            process.end()
            raise
        POOL.give_back(self._game, self._name, process)

    def _ask_with_view(self, method: str, view: Any, *arguments: Any) -> JsonObject:
        if self._process is not None and self._process.needs(head := (type(view), view.row.dtype, view.scenario_text)):
            self._ask("views", *head)
        return self._ask(method, self._packer.packed(view), *arguments)

    def _ask(self, *message: Any) -> JsonObject:
        """Return the answer to a message.

        Raises:
            GuestFailure: There is none, and the bidder's process is ended; or it states an error.
        """
        if self._process is None:
            raise GuestFailure("its process has ended")
        try:
            if self._connection is None:
                self._connection = self._process.start(self._deal)
            send(self._connection, pickle.dumps(message, protocol=5))
            answer = read_answer(self._connection)
        except (GuestFailure, OSError) as error:
            self._process.end()
            self._process = self._connection = None
            if isinstance(error, GuestFailure):
                raise
            raise GuestFailure("its process has ended") from None
        return without_error(answer)

    def release(self) -> None:
        """Let other games use the bidder's process."""
        self._connection = None
        if self._process is not None:
            POOL.give_back(self._game, self._name, self._process)
            self._process = None


class Packer:
    """Packs what changes in the views of a game: of the history only what is new."""

    def __init__(self) -> None:
        self._sent: tuple[Entry, ...] = ()

    def packed(self, view: SeatView) -> tuple[Any, ...]:
        """Return a view without its head; see `GuestProcess.needs`."""
        before, self._sent = self._sent, view._history
        stays = len(before) if view._history[: len(before)] == before else 0
        return view.row.tobytes(), view.seat_number, view.refused, view.reveals, stays, view._history[stays:]
