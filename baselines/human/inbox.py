"""The requests to one person and the person's answers, for any transport: a terminal, a socket, a script."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from aucenv.baselines.human.answers import LONGEST, Answer, Late, Request, check_words

from aucenv.core.records.record import GameRecord
from aucenv.core.views.seat_view import GameView

__all__ = ["ACCEPTED", "LONGEST", "REPEATED", "Answer", "Inbox", "Late", "Request", "inbox_of"]

ACCEPTED, REPEATED = "accepted", "repeated"

Listener = Callable[[], None]
"""Called after every change, in any thread. It must return at once."""


class Inbox:
    """The open request to a person, the latest view of the person's seat, and answers by request.

    Threads share it: a table posts requests, and clients, of which there may be several, answer them.

    Attributes:
        key: the name of the person; see `inbox_of`.
        game: the index of the game that is played, or was played last; None before the first game.
        seat: the person's seat in it, such as `bidder_0`; "" before the first game.
        view: the latest view of the seat; None before the first round of a game.
        text: everything that the seat knows, in words; "" before the first game.
        end: the last news of the last finished game, and its result.
        end_view: the last view of that game; None before its end.
        record: the record of the last finished game.
        replaced_by: the bidder that plays on for the person in this game; "" if the person plays.
        answered: the answer in the open round, while others decide; None after the round.
        timed_out: the request for which no answer came in time, until a later one is answered; "" if there is none.
        not_accepted: why the last possible answer of a decision was refused, so that the seat makes no bid; "" after a
            later answer.
        asks_ready: whether the time of the first decision of each game starts only when the person is ready.
        draft: what the person has typed for the open request but not sent.
        lock: guards the inbox, and the bidder that posts into it.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.game: int | None = None
        self.view: GameView | None = None
        self.end_view: GameView | None = None
        self.seat = self.text = self.end = self.replaced_by = self.timed_out = self.not_accepted = ""
        self.asks_ready = False
        self.record: GameRecord | None = None
        self.draft = ""
        self.lock = threading.RLock()
        self._changed = threading.Condition(self.lock)
        self.answered: Answer | None = None
        self._request: Request | None = None
        self._take: Callable[[Answer], None] = lambda answer: None
        self._answers: dict[str, Answer | None] = {}  # None: given before the run was resumed
        self._listeners: list[Listener] = []
        self._replace: Callable[[str], None] | None = None
        self._start_clock: Callable[[], None] = lambda: None

    @property
    def request(self) -> Request | None:
        """The open request, or None."""
        return self._request

    @property
    def has_client(self) -> bool:
        """Whether somebody listens."""
        return bool(self._listeners)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function after every change; return the function that ends this."""
        with self._changed:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._changed:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def post(self, request: Request, take: Callable[[Answer], None]) -> None:
        """Open a request, in place of an earlier one.

        Args:
            request: the request.
            take: receives the first valid answer, before it is acknowledged.
        """
        with self._changed:
            if self._request is None or self._request.id != request.id:
                self.draft = ""
            self._request, self._take, self.answered = request, take, None
            self.view = request.view
        self._notify()

    def withdraw_request(self) -> None:
        """Close the open request without an answer."""
        with self._changed:
            self._request = None
        self._notify()

    def expire(self) -> None:
        """Close the open request because no answer came in time."""
        with self._changed:
            self.timed_out = "" if self._request is None else self._request.id
            self.not_accepted = ""
        self.withdraw_request()

    def show(self, view: GameView, text: str) -> None:
        """Show a view of the seat, which may have nothing to decide."""
        with self._changed:
            self.view, self.text, self.answered = view, text, None
        self._notify()

    def clear(self) -> None:
        """Forget everything: a new run begins, maybe of another game."""
        with self._changed:
            self._request = self.view = self.end_view = self.record = self.answered = self.game = None
            self.seat = self.text = self.end = self.draft = self.replaced_by = self.timed_out = self.not_accepted = ""
            self.asks_ready = False
            self._answers.clear()
        self._notify()

    def begin(self, game: int, seat: str) -> None:
        """Forget the last game and earlier answers in this one: it begins. The last record is shown until it ends."""
        with self._changed:
            self._request = self.view = self.answered = None
            self.text = self.replaced_by = self.timed_out = self.not_accepted = ""
            self.game, self.seat = game, seat
            self._answers = {key: one for key, one in self._answers.items() if not key.startswith(f"{game}.")}
        self._notify()

    def close(self, view: GameView, text: str, end: str) -> None:
        """Show the last view of a game, everything that has happened, and what has happened since the last decision."""
        self.show(view, text)
        with self._changed:
            self.end, self.end_view = end, view

    def show_record(self, record: GameRecord) -> None:
        """Show the record of a finished game."""
        with self._changed:
            self.record = record
        self._notify()

    def answer(self, answer: Answer) -> str:
        """Answer a request; the same answer may be sent any number of times.

        Returns:
            ACCEPTED, or REPEATED if the request has this answer already.

        Raises:
            Late: the request is not open, or has another answer.
            ValueError: as in `Answer.check`.
        """
        answer.check()
        with self._changed:
            if answer.request in self._answers:
                if self._answers[answer.request] in (None, answer):
                    return REPEATED
                raise Late("this request is answered already; the first answer counts")
            if self.timed_out == answer.request:
                raise Late("your time for this decision was over, and you have made no bid")
            if self._request is None or self._request.id != answer.request:
                raise Late("this request is closed: the round is over, or another answer came first")
            self.not_accepted = ""
            self._take(answer)
            self._answers[answer.request] = answer
            self.answered = None if self.not_accepted else answer
            self._request, self.timed_out = None, ""
        self._notify()
        return ACCEPTED

    def remember(self, answer: Answer) -> None:
        """Take note of an answer that was given, maybe in other words, before the run was resumed."""
        with self._changed:
            self._answers.setdefault(answer.request, None)
            self.answered = answer
        self._notify()

    def keep_draft(self, request: str, text: str) -> None:
        """Keep what the person has typed for a request but not sent; nothing if the request is not open."""
        check_words("draft", text)
        with self._changed:
            if self._request is not None and self._request.id == request:
                self.draft = text

    def wait(self, timeout: float | None = None) -> Request | None:
        """Wait until a request is open, and return it; None after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            while self._request is None:
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    return None
                self._changed.wait(left)
            return self._request

    def allow_start(self, start_clock: Callable[[], None]) -> None:
        """Set the function that starts the time of the game's first decision."""
        self._start_clock = start_clock

    def start_clock(self, request: str = "") -> None:
        """Start the time of the game's first decision; nothing if it runs.

        Args:
            request: the request that the person has before it; "" for any, and for one that comes later.

        Raises:
            Late: another request is open, or none.
        """
        with self._changed:
            if request and (self._request is None or self._request.id != request):
                raise Late("this request is closed")
            self._start_clock()
        self._notify()

    def allow_replacement(self, replace: Callable[[str], None] | None) -> None:
        """Set the function that lets a bidder of this name play on for the person; None: there is no game."""
        self._replace = replace

    def replace(self, bidder: str) -> None:
        """Let a bidder play on for the person, until the end of the game.

        Raises:
            ValueError: there is no such bidder, it waits for a model, or no game is being played.
        """
        if self._replace is None:
            raise ValueError(f"{self.key}: expected a running game, got none")
        self._replace(bidder)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()
            listeners = list(self._listeners)
        for listener in listeners:
            listener()


_INBOXES: dict[str, Inbox] = {}
_LOCK = threading.Lock()


def inbox_of(key: str) -> Inbox:
    """Return the inbox of a person in this process, by the name of the bidder without its label: `human:Ann`."""
    with _LOCK:
        return _INBOXES.setdefault(key, Inbox(key))
