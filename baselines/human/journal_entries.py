"""People's answers as entries of the journal of calls."""

from __future__ import annotations

import dataclasses
import time

from aucenv.baselines.human.answers import Answer
from aucenv.baselines.human.words import cents_of, simplest_words

from aucenv.core.actions import NoAction
from aucenv.core.game import Game
from aucenv.core.money import to_dollars
from aucenv.core.reply import Unreadable
from aucenv.core.seat_view import GameView
from aucenv.runs import calls

TAKES_OVER = calls.Request(({"role": "user", "content": "A bidder plays on for this person."},), None, 0, None)
"""The request in the journal in whose place the name of that bidder is the reply."""


@dataclasses.dataclass(frozen=True)
class Person:
    """A person in the place of a model in the journal of calls."""

    name: str
    endpoint: str = calls.PERSON

    def complete(self, request: calls.Request, pause: calls.Pause) -> calls.Completion:
        """Raise TypeError: people are asked through an inbox."""
        raise TypeError("a person is asked through an inbox")


def completion_of(request: str, words: str, reason: str, why: str, started: float) -> calls.Completion:
    """Return an answer that was given now as the reply of a model.

    Args:
        request: the `id` of the request.
        words: the decision in words.
        reason: words beside an amount.
        why: TIMED_OUT if no answer came in time; otherwise "".
        started: the time of the request, as `time.time()`.
    """
    return calls.Completion(
        words,
        "stop",
        tokens_in=0,
        tokens_out=0,
        seconds=max(0.0, time.time() - started),
        reasoning=reason,
        reported_cost=0.0,
        settings={},
        started=started,
        request_id=request,
        finish_reason=why,
    )


def earlier_answer(request: str, call: calls.Call, view: GameView, game: Game) -> Answer:
    """Return the answer in an entry of the journal; one in the simplest words for an amount states this amount."""
    try:
        cents = cents_of(call.reply, view, game)
        is_amount = simplest_words(cents, view, game) == call.reply
    except (Unreadable, NoAction):
        is_amount = False
    if not is_amount:
        return Answer(request, words=call.reply)
    return Answer(request, None if cents < 0 else to_dollars(cents), cents < 0, call.reasoning)
