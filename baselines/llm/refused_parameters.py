"""Parameters that endpoints refuse: they are left out of later requests, and the user is informed once."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Collection, Mapping, Sequence

from aucenv.baselines.llm.endpoint_errors import FORMS, LIMITS, STRICT, SYSTEM

from aucenv.core.notices import Notice
from aucenv.runs.calls import Message


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
