"""Calls of models: what is asked, what comes back, what is kept of it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Protocol

from aucenv.core.checks import field, number, one_of, whole_number

CONCURRENCY = 16
"""Games in flight by default, where bidders wait for models."""
Pause = Callable[..., None]
"""pause(seconds, why=""): waits, and tells the user why; raises RunStopped as soon as the run has ended."""
Message = dict[str, str]
"""{"role": one of ROLES, "content": words}."""
ROLES = ("system", "user", "assistant")


@dataclasses.dataclass(frozen=True)
class Request:
    """What a model is asked.

    Attributes:
        temperature, seed: None leaves it to the endpoint.
        max_tokens: of the reply.
    """

    messages: tuple[Message, ...]
    temperature: float | None
    max_tokens: int
    seed: int | None

    @property
    def manner(self) -> tuple[float | None, int, bool]:
        """All but the words: temperature, max_tokens, whether there is a seed."""
        return self.temperature, self.max_tokens, self.seed is not None

    def digest(self, model: str) -> str:
        """What tells it from any other request."""
        asked = [model, self.messages, self.temperature, self.max_tokens, self.seed]
        return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


@dataclasses.dataclass(frozen=True)
class Completion:
    """What came back.

    Attributes:
        finish: "stop"; anything else makes it a failed bid: a key of `FAILED`.
        tokens_in, tokens_out: of the prompt and the reply; None where the endpoint does not say.
        seconds: the call that was answered.
        waited: seconds before it: for the endpoint's limit, and for attempts that failed on the way.
        retries: what went wrong on the way, one word for each attempt.
    """

    text: str
    finish: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    waited: float = 0.0
    retries: tuple[str, ...] = ()


FAILED = {
    "length": "the reply was cut off: it is longer than allowed",
    "refusal": "the reply is a refusal",
    "content_filter": "the reply was withheld by a content filter",
    "context": "the conversation has become longer than the model can read",
}
"""Why a completion is no bid whatever its text says, by its `finish`."""


class Model(Protocol):
    """A model that can be asked."""

    @property
    def name(self) -> str:
        """What its endpoint calls it."""
        ...

    @property
    def endpoint(self) -> str:
        """Where it is asked: a URL, or "local"."""
        ...

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Its reply.

        Raises:
            ModelFailure: it cannot be asked, now or ever.
        """
        ...


@dataclasses.dataclass(frozen=True)
class Call:
    """One finished call.

    Attributes:
        decision: the seat's, from 0; attempt: 0, then 1 more for each refused answer.
        purpose: what for: "bid", "plan", ...; tells a decision's calls apart.
        request: the request's digest.
        same: so many of its first messages are those of the seat's call before it; `messages` has the others.
        cost: dollars; None: unknown.
    """

    game: int
    seat: str
    decision: int
    attempt: int
    purpose: str
    endpoint: str
    model: str
    request: str
    same: int
    messages: list[Message]
    reply: str
    finish: str
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    seconds: float
    waited: float
    retries: list[str]

    def __post_init__(self) -> None:
        for name in ("game", "decision", "attempt", "same"):
            whole_number(name, getattr(self, name), 0)
        for name in ("seat", "purpose", "endpoint", "model", "request", "reply", "finish"):
            field(vars(self), name, str)
        for name in ("tokens_in", "tokens_out"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name), 0)
        for name in ("seconds", "waited"):
            number(name, getattr(self, name), 0, 1e12)
        field(vars(self), "retries", list)
        for message in field(vars(self), "messages", list):
            if not isinstance(message, dict):
                raise ValueError(f"messages: expected each with role and content, got {message!r:.80}")
            one_of("messages, role", message.get("role"), ROLES)
            field(message, "content", str, "messages")

    @property
    def key(self) -> tuple[int, str, int, int, str]:
        return self.game, self.seat, self.decision, self.attempt, self.purpose
