"""Forms of replies at endpoints: the parameter that requires one, and the models that do not support it."""

from __future__ import annotations

import threading
import warnings

from aucenv.core.files import JsonObject
from aucenv.core.notices import Notice
from aucenv.core.structured_reply import ReplyForm


def response_format(form: ReplyForm) -> JsonObject:
    """Return the value of OpenAI's parameter `response_format`, which vLLM, Ollama and llama.cpp support too."""
    return {"type": "json_schema", "json_schema": {"name": "decision", "strict": True, "schema": form.json_schema()}}


class Refusals:
    """The models that do not support forms of replies, as far as this process knows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: set[tuple[str, str]] = set()

    def known(self, endpoint: str, model: str) -> bool:
        """Return whether a model is known not to support forms."""
        return (endpoint, model) in self._models

    def add(self, endpoint: str, model: str, reason: str) -> None:
        """Add a model, and warn the user if it is new.

        Args:
            reason: the endpoint's error.
        """
        with self._lock:
            is_new = (endpoint, model) not in self._models
            self._models.add((endpoint, model))
        if is_new:
            text = f"{endpoint}: {model} does not support response_format ({reason}); only its prompts ask for JSON"
            warnings.warn(text, Notice, stacklevel=3)


REFUSALS = Refusals()
