"""Repeated attempts at a call: after transient errors, and without the parameters that the endpoint refuses."""

from __future__ import annotations

import dataclasses
import random
import threading
import time
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from aucenv.baselines.llm.endpoints.errors import (
    CHOICE,
    FORMATS,
    FORMS,
    LIMITS,
    STRICT,
    SYSTEM,
    TRANSIENT,
    ParameterRefused,
    TransportFailure,
)

from aucenv.core.files import JsonObject
from aucenv.core.notices import Notice, inform
from aucenv.core.policy import ModelFailure
from aucenv.core.reader.speech import end_of_reply
from aucenv.core.words.outside_text import Secrets, shorten
from aucenv.runs.model_calls.calls import Completion, Message, Pause
from aucenv.runs.slots import Slots

MAX_PAUSE = 60.0
"""The longest pause between attempts, in seconds; pauses double until they reach it."""
LEAST_JITTER = 0.5
"""The least factor of a pause; it is drawn, so that calls that failed together are not repeated together."""
DROPPED = 3
"""The number of failed attempts at one prompt after which the user is informed."""
MAX_RETRY_AFTER = 900.0
"""The longest wait, in seconds, that an endpoint may ask for (Retry-After) without counting as unreachable."""
MAX_REASONING = 100_000
"""The number of characters of a model's reasoning that are kept, from its beginning."""
MAX_FIELD = 200
"""The number of characters that are kept of the name of the model that answered, and of similar fields."""
CONVERSATION = ("model", "messages", "input", "stream", "stream_options", CHOICE, *FORMS)
"""Fields of a request that are no settings of the call."""


@dataclasses.dataclass(frozen=True)
class Patience:
    """How long failed attempts are repeated.

    Attributes:
        attempts: the number of failed attempts after which the model counts as unreachable.
        backoff: approximate seconds before the second attempt; each further pause doubles, up to MAX_PAUSE.
    """

    attempts: int
    backoff: float

    def longest_pause(self, failed: int) -> float:
        """Return the longest pause after this number of failed attempts, in seconds."""
        return min(MAX_PAUSE, self.backoff * 2 ** min(30, failed - 1))


class Failures:
    """The failed attempts at one call.

    Args:
        model, endpoint, patience: as in `call`.
    """

    def __init__(self, model: str, endpoint: str, patience: Patience) -> None:
        self._model, self._endpoint, self._patience = model, endpoint, patience
        self._number = 0
        self._seconds = 0.0

    def add(self, failure: TransportFailure, seconds: float) -> tuple[float, str]:
        """Add a failed attempt, which took some seconds.

        Returns:
            The seconds until the next attempt, and the reason to wait.

        Raises:
            ModelFailure: the model counts as unreachable.
        """
        self._number += 1
        self._seconds += seconds
        number, most = self._number, self._patience.attempts
        if number >= most:
            raise ModelFailure(f"{self._endpoint}: no answer to {number} attempts; the last: {failure}")
        if failure.after is not None and failure.after > MAX_RETRY_AFTER:
            raise ModelFailure(f"{self._endpoint}: {failure}: it asks to wait {failure.after:.0f} s")
        if number == DROPPED and failure.kind not in map(str, TRANSIENT):
            self._announce(failure)
        reason = f"waiting for {self._endpoint}: {failure}, attempt {number + 1} of {most}"
        if number >= DROPPED and not failure.kind.isdecimal():
            reason += f", about {self._time_left()} left"
        pause = self._patience.longest_pause(number) * random.SystemRandom().uniform(LEAST_JITTER, 1)
        return max(pause, failure.after or 0.0), reason

    def end(self) -> None:
        """End the call, which the model has answered."""
        _SILENT.discard((self._endpoint, self._model))

    def _announce(self, failure: TransportFailure) -> None:
        """Name the endpoint, once until it answers another call of the model."""
        if (self._endpoint, self._model) not in _SILENT:
            _SILENT.add((self._endpoint, self._model))
            asked = f"{self._model} has not answered the same prompt in {self._number} attempts; the last: {failure}"
            left = f"{self._patience.attempts - self._number} more follow, for about {self._time_left()}"
            inform(f"{self._endpoint}: {asked}; {left}")

    def _time_left(self) -> str:
        """Return about how long the attempts that are left take: `40 s`, `7 min`."""
        left = range(self._number, self._patience.attempts)
        pauses = sum(map(self._patience.longest_pause, left)) * (LEAST_JITTER + 1) / 2
        seconds = pauses + len(left) * self._seconds / self._number
        return f"{seconds / 60:,.0f} min" if seconds >= 120 else f"{max(1, round(seconds)):,} s"


_SILENT: set[tuple[str, str]] = set()
"""The endpoints and models that were named because they dropped a prompt, and have answered nothing since then."""


Ask = Callable[[JsonObject], Completion]
"""Sends the body of a request once, and returns its completion.

Raises TransportFailure if the error is transient, ModelFailure if it is permanent, and ParameterRefused if the request
may succeed without a parameter.
"""
BodyOf = Callable[[tuple[str, ...]], JsonObject]
"""Returns the body of the request without these parameters; system messages are still in it."""


def call(
    model: str, endpoint: str, ask: Ask, body_of: BodyOf, patience: Patience, slots: Slots, pause: Pause
) -> Completion:
    """Return a model's completion.

    Transient errors are retried with exponential backoff. A parameter that the endpoint refuses is left out of the
    repeated request and of all later ones.

    Args:
        model: the name of the model.
        endpoint: its URL, for errors.
        ask: sends a request once.
        body_of: returns the body of the request.
        patience: how long failed attempts are repeated.
        slots: limits the simultaneous calls to the endpoint.
        pause: as in `Model.complete`.

    Raises:
        ModelFailure: if an error is permanent, or after too many transient ones.
    """
    left_out = REFUSED.of(endpoint, model)
    refused: dict[str, str] = {}
    retries: list[str] = []
    failures = Failures(model, endpoint, patience)
    started = time.monotonic()
    while True:
        body = _body_without(body_of, left_out)
        with slots:
            pause(0)
            attempt_started, clock = time.monotonic(), time.time()
            try:
                completion = ask(body)
                break
            except TransportFailure as transient:
                failure = transient
            except ModelFailure as permanent:
                name = getattr(permanent, "parameter", None)
                if not isinstance(permanent, ParameterRefused) or name is None or name in left_out:
                    raise ModelFailure(f"{endpoint}: {permanent}") from None
                left_out = (*left_out, name)
                refused[name] = str(permanent)
                retries.append(name)
                continue
        retries.append(failure.kind)
        pause(*failures.add(failure, time.monotonic() - attempt_started))
    failures.end()
    if refused:
        REFUSED.add(endpoint, model, refused)
    return dataclasses.replace(
        completion,
        seconds=time.monotonic() - attempt_started,
        waited=attempt_started - started,
        retries=tuple(retries),
        structured=any(name in body for name in (*FORMATS, CHOICE)),
        settings={name: value for name, value in body.items() if name not in CONVERSATION},
        left_out=left_out,
        started=clock,
    )


def _body_without(body_of: BodyOf, left_out: tuple[str, ...]) -> JsonObject:
    body = body_of(left_out)
    if SYSTEM in left_out:
        name = "messages" if "messages" in body else "input"
        body[name] = without_system(body[name])
    return body


def cleaned(completion: Completion, secrets: Secrets) -> Completion:
    """Return a completion without surrogates and with secrets masked, whose texts have a limited length."""
    lines = ("answered_by", "fingerprint", "request_id", "finish_reason")
    texts: dict[str, Any] = {
        name: secrets.mask(repair_surrogates(getattr(completion, name))) for name in (*lines, "text", "reasoning")
    }
    texts |= {name: shorten(texts[name], MAX_FIELD) for name in lines}
    texts |= {"text": end_of_reply(texts["text"]), "reasoning": texts["reasoning"][:MAX_REASONING]}
    return dataclasses.replace(completion, **texts)


def repair_surrogates(text: str) -> str:
    """Join the surrogate pairs of a text and replace lone surrogates, which files cannot hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class RefusedParameters:
    """The parameters that each model has refused, as far as this process knows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_model: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, endpoint: str, model: str) -> tuple[str, ...]:
        """Return the parameters that a model has refused."""
        return self._by_model.get((endpoint, model), ())

    def add(self, endpoint: str, model: str, reasons: Mapping[str, str]) -> None:
        """Add parameters that a model has refused, and inform the user about new ones.

        Args:
            endpoint: the endpoint.
            model: the name of the model.
            reasons: parameter -> the endpoint's error.
        """
        with self._lock:
            known = self.of(endpoint, model)
            new = [name for name in reasons if name not in known]
            self._by_model[endpoint, model] = (*known, *new)
        for name in new:
            text = f"{endpoint}: {model} does not support {_named(name)} ({reasons[name]}); {_consequence(name, known)}"
            warnings.warn(text, Notice, stacklevel=3)

    def clear(self) -> None:
        """Forget all parameters that models have refused."""
        with self._lock:
            self._by_model.clear()


def _named(parameter: str) -> str:
    return {SYSTEM: "the system role", STRICT: "strict tools"}.get(parameter, parameter)


def _consequence(parameter: str, refused: Collection[str]) -> str:
    if parameter == SYSTEM:
        return "system messages become part of the first user message"
    if parameter in FORMS:
        return "only its prompts ask for JSON"
    others = [name for name in LIMITS[:2] if name not in (parameter, *refused)]
    if parameter in LIMITS[:2] and others:
        return f"{others[0]} takes its place"
    return "it is left out"


def without_system(messages: Sequence[Message]) -> list[Message]:
    """Return a conversation in which system messages are part of the next user message."""
    kept: list[Message] = []
    pending: list[str] = []
    for message in messages:
        if message["role"] == "system":
            pending.append(message["content"])
        elif message["role"] == "user" and pending:
            kept.append({"role": "user", "content": "\n\n".join([*pending, message["content"]])})
            pending = []
        else:
            kept.append(message)
    return [*kept, {"role": "user", "content": "\n\n".join(pending)}] if pending else kept


REFUSED = RefusedParameters()
