"""Model calls: the request, the completion and the record of a call."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from typing import Protocol

from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import (
    ANY_JSON,
    BOOLEAN,
    NONEMPTY_TEXT,
    TEXT,
    ListOf,
    Object,
    Optional,
    choice,
    number,
    whole,
)
from aucenv.core.reader.wording import sentence
from aucenv.core.words.structured_reply import ReplyForm

CONCURRENCY = 16
"""Default number of games played at the same time, if bidders call models."""
Pause = Callable[..., None]
"""pause(seconds, why=""): waits, shows the user the reason, and raises RunStopped as soon as the run is stopped."""
Message = dict[str, str]
"""{"role": one of ROLES, "content": text}."""
ROLES = ("system", "user", "assistant")


@dataclasses.dataclass(frozen=True)
class Request:
    """A request to a model.

    Attributes:
        messages: the whole conversation.
        temperature, seed, top_p: None uses the endpoint's default.
        max_tokens: maximum length of the reply.
        reply_form: the form that the reply must have; None: free text.
        sample: a number by which equal requests differ whose replies are independent; endpoints do not get it.
        as_tool: whether the form is that of a tool which the model must call, and not of a text.
    """

    messages: tuple[Message, ...]
    temperature: float | None
    max_tokens: int
    seed: int | None
    reply_form: ReplyForm | None = None
    top_p: float | None = None
    sample: int = 0
    as_tool: bool = False

    @property
    def sampling(self) -> tuple[float | None, int, bool, bool, float | None, bool]:
        """The sampling options: temperature, max_tokens, whether there are a seed and a form, top_p and `as_tool`."""
        has_form = self.reply_form is not None
        return self.temperature, self.max_tokens, self.seed is not None, has_form, self.top_p, self.as_tool

    @property
    def settings(self) -> JsonObject:
        """The sampling options that are set, by name."""
        names = ("temperature", "top_p", "max_tokens", "seed")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def digest(self, model: str) -> str:
        """Return a hash that identifies this request to a model."""
        content: list[object] = [model, self.messages, self.temperature, self.max_tokens, self.seed]
        if self.reply_form is not None:  # otherwise the hash is that of requests recorded before there were forms
            content.append(self.reply_form.actions)
        if self.top_p is not None:
            content.append({"top_p": self.top_p})
        if self.as_tool:
            content.append({"as_tool": True})
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


@dataclasses.dataclass(frozen=True)
class Completion:
    """A model's reply to a request.

    Attributes:
        text: the reply.
        finish: "stop", or a key of `FAILED`, which makes the reply a failed bid.
        tokens_in, tokens_out: numbers of tokens of the prompt and the reply; None if the endpoint does not report them.
        seconds: duration of the successful attempt.
        waited: seconds before that attempt, spent waiting for the endpoint's rate limit and on failed attempts.
        retries: one word for each failed attempt, which names the failure.
        structured: whether the model was required to use the request's form; some endpoints do not support this.
        reasoning: the model's reasoning, if the endpoint returns it apart from the reply.
        tokens_cached: how many of `tokens_in` were read from the endpoint's cache; None if it does not say.
        tokens_written: how many of `tokens_in` were written to that cache; None if the endpoint does not say.
        tokens_reasoning: how many of `tokens_out` are reasoning; None if the endpoint does not say.
        reported_cost: the cost in dollars that the endpoint reports; None if it reports none.
        settings: the parameters of the request besides its messages, as the endpoint accepted them; None: those of
            the `Request`.
        left_out: the parameters that the endpoint has refused, so that they were left out.
        started: the start of the successful attempt, in seconds since 1970.
        tool_calls: the number of the calls of tools in the response; `text` holds them as JSON objects.
        answered_by, fingerprint, request_id, finish_reason: the model, the fingerprint of its configuration, the
            number of the request and the reason why the reply ended, in the endpoint's words; "" if it does not say.
    """

    text: str
    finish: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    waited: float = 0.0
    retries: tuple[str, ...] = ()
    structured: bool = False
    reasoning: str = ""
    tokens_cached: int | None = None
    tokens_written: int | None = None
    tokens_reasoning: int | None = None
    reported_cost: float | None = None
    settings: JsonObject | None = None
    left_out: tuple[str, ...] = ()
    started: float | None = None
    answered_by: str = ""
    fingerprint: str = ""
    request_id: str = ""
    finish_reason: str = ""
    tool_calls: int = 0


FAILED = ("length", "refusal", "content_filter", "context")
"""The values of `finish` with which a completion is not a bid, regardless of its text; `failure_reason` says why."""


def failure_reason(finish: str) -> str:
    """Return the reason why a completion with this `finish`, one of `FAILED`, is not a bid."""
    return sentence("english", finish)


class Model(Protocol):
    """A model that replies to requests."""

    @property
    def name(self) -> str:
        """The name of the model at its endpoint."""
        ...

    @property
    def endpoint(self) -> str:
        """The URL of its endpoint, or "local"."""
        ...

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply to a request.

        Args:
            request: the request.
            pause: called for every wait; see `Pause`.

        Raises:
            ModelFailure: the model cannot be called, because of a permanent error or too many transient ones.
        """
        ...


PERSON = "person"
"""The endpoint of people's answers in the journal of calls."""


@dataclasses.dataclass(frozen=True)
class Call:
    """One finished call of a model.

    Attributes:
        game, seat: the game's index and the seat whose bidder called the model.
        decision: number of the seat's decision, from 0.
        attempt: number of refused replies for this decision before this call.
        purpose: "bid", "plan", ...: it distinguishes the calls for one decision.
        request: the request's digest.
        same: number of leading messages that are equal to those of the seat's previous call; `messages` holds the rest.
        cost: in dollars; None if it is unknown.
        settings: the parameters of the request besides its messages, such as the temperature.
        started: the start of the successful attempt, in ISO 8601 (UTC); "" if it is unknown.

    The other attributes are those of `Completion`.
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
    structured: bool = False
    reasoning: str = ""
    tokens_cached: int | None = None
    tokens_written: int | None = None
    tokens_reasoning: int | None = None
    reported_cost: float | None = None
    settings: JsonObject = dataclasses.field(default_factory=dict)
    left_out: list[str] = dataclasses.field(default_factory=list)
    started: str = ""
    answered_by: str = ""
    fingerprint: str = ""
    request_id: str = ""
    finish_reason: str = ""
    tool_calls: int = 0

    @property
    def key(self) -> tuple[int, str, int, int, str]:
        """The tuple that identifies the call in its run: game, seat, decision, attempt and purpose."""
        return self.game, self.seat, self.decision, self.attempt, self.purpose

    @property
    def is_answer(self) -> bool:
        """Whether the entry is of a person, and not of a model."""
        return self.endpoint == PERSON


SECONDS = number(0, 1e9)
CALL = Object(
    {
        **{name: whole() for name in ("game", "decision", "attempt", "same")},
        **dict.fromkeys(("seat", "purpose", "endpoint", "model", "request"), NONEMPTY_TEXT),
        "messages": ListOf(Object({"role": choice(*ROLES), "content": TEXT})),
        "reply": TEXT,
        "finish": choice("stop", *FAILED),
        "tokens_in": Optional(whole()),
        "tokens_out": Optional(whole()),
        "cost": Optional(number(0, 1e9)),
        "seconds": SECONDS,
        "waited": SECONDS,
        "retries": ListOf(TEXT),
    },
    {  # earlier versions did not write these
        "structured": BOOLEAN,
        **dict.fromkeys(("reasoning", "started", "answered_by", "fingerprint", "request_id", "finish_reason"), TEXT),
        **dict.fromkeys(("tokens_cached", "tokens_written", "tokens_reasoning"), Optional(whole())),
        "reported_cost": Optional(number(0, 1e9)),
        "settings": Object({}, rest=ANY_JSON),
        "left_out": ListOf(TEXT),
        "tool_calls": whole(),
    },
)
"""The format of a line of calls.jsonl: the fields of a `Call`."""
