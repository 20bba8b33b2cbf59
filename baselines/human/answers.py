"""Requests to people for decisions, and their answers."""

from __future__ import annotations

import dataclasses
from typing import Any

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonMapping
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import MAX_DOLLARS

LONGEST = 4000
"""The maximum number of characters of words and drafts."""


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
        seconds: the time for each decision; 0: no limit.
        is_ready: whether time runs; False: it starts when the person says that it is ready, or when the host says so.
    """

    id: str
    view: GameView
    text: str
    deadline: float | None = None
    is_last: bool = True
    times_asked: int = 0
    retries_left: int | None = None
    seconds: float = 0.0
    is_ready: bool = True


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
