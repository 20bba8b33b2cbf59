"""The requests to one person and the person's answers, for any transport: a terminal, a socket, a script."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from typing import Any

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonMapping
from aucenv.core.money import MAX_DOLLARS
from aucenv.core.record import GameRecord
from aucenv.core.seat_view import GameView

LONGEST = 4000
"""The maximum number of characters of words and drafts."""
ACCEPTED, REPEATED = "accepted", "repeated"


class Late(ValueError):
    """An answer to a request that is closed or was never open."""


@dataclasses.dataclass(frozen=True)
class Request:
    """A request for a decision.

    Attributes:
        id: identifies the request within its run, also after the run is resumed: game, seat, decision and attempt.
        view: the View of the seat.
        text: the news since the last decision, and what the seat has to decide.
        deadline: the time, as `time.time()`, until which the first answer counts; None: there is no limit.
        is_last: whether the seat makes no bid if the deadline passes; otherwise the person is asked again.
        times_asked: how often the person was asked already because the deadline had passed.
        retries_left: how often the person is asked again if its answers are refused; None: it is not known.
    """

    id: str
    view: GameView
    text: str
    deadline: float | None = None
    is_last: bool = True
    times_asked: int = 0
    retries_left: int | None = None


@dataclasses.dataclass(frozen=True)
class Answer:
    """An answer: an amount, a withdrawal, or words that state the decision. With the first two, words are the reason.

    Attributes:
        request: the `id` of the request.
        amount: a bid in dollars, or None.
        withdraw: whether the seat withdraws, or makes no bid.
        words: words of the person.
    """

    request: str
    amount: float | None = None
    withdraw: bool = False
    words: str = ""

    @classmethod
    def of(cls, data: JsonMapping) -> Answer:
        """Return the answer in JSON data.

        Raises:
            ValueError: a field is missing, unknown or out of range; the message names it.
        """
        unknown = set(data) - {"request", "amount", "withdraw", "words"}
        if unknown:
            raise ValueError(f"answer: expected request, amount, withdraw and words, got {excerpt(sorted(unknown)[0])}")
        answer = cls(**data) if "request" in data else cls("", **data)
        answer.check()
        return answer

    def check(self) -> None:
        """Raise ValueError unless the fields have their types and state one decision."""
        if not isinstance(self.request, str) or not self.request:
            raise ValueError(f"answer.request: expected the id of a request, got {excerpt(self.request)}")
        if self.amount is not None:
            is_number = isinstance(self.amount, (int, float)) and not isinstance(self.amount, bool)
            if not is_number or not 0 <= self.amount <= MAX_DOLLARS:
                raise ValueError(
                    f"answer.amount: expected dollars from 0 to {MAX_DOLLARS:,}, got {excerpt(self.amount)}"
                )
        if not isinstance(self.withdraw, bool):
            raise ValueError(f"answer.withdraw: expected true or false, got {excerpt(self.withdraw)}")
        check_words("answer.words", self.words)
        if self.withdraw and self.amount is not None:
            raise ValueError("answer: expected an amount or a withdrawal, got both")
        if self.amount is None and not self.withdraw and not self.words.strip():
            raise ValueError("answer: expected an amount, a withdrawal or words, got none of them")


def check_words(name: str, words: Any) -> str:
    """Return words of a person.

    Raises:
        ValueError: they are no text, or too long.
    """
    if not isinstance(words, str):
        raise ValueError(f"{name}: expected a text, got {excerpt(words)}")
    if len(words) > LONGEST:
        raise ValueError(f"{name}: expected at most {LONGEST:,} characters, got {len(words):,}")
    return words


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
        draft: what the person has typed for the open request but not sent.
        lock: guards the inbox, and the bidder that posts into it.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.game: int | None = None
        self.view: GameView | None = None
        self.end_view: GameView | None = None
        self.seat = self.text = self.end = self.replaced_by = self.timed_out = ""
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
            self.seat = self.text = self.end = self.draft = self.replaced_by = self.timed_out = ""
            self._answers.clear()
        self._notify()

    def begin(self, game: int, seat: str) -> None:
        """Forget the last game and earlier answers in this one: it begins. The last record is shown until it ends."""
        with self._changed:
            self._request = self.view = self.answered = None
            self.text = self.replaced_by = self.timed_out = ""
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
            self._take(answer)
            self._answers[answer.request] = self.answered = answer
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
