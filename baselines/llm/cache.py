"""A cache of replies, shared by runs."""

from __future__ import annotations

import dataclasses
import json
import warnings
from pathlib import Path

from aucenv.core.files import read_object, write_atomically
from aucenv.core.schema import BOOLEAN, TEXT, Object, choice, whole
from aucenv.runs.calls import FAILED, Completion, Model, Pause, Request

ENTRY = Object(
    {"model": TEXT, "text": TEXT, "finish": choice("stop", *FAILED)},
    {"structured": BOOLEAN, "reasoning": TEXT, "tool_calls": whole()},
)
"""The format of a file of the cache."""
KEPT = ("structured", "reasoning", "tool_calls")
"""The further fields of a completion that a file holds unless they are empty."""


@dataclasses.dataclass(frozen=True)
class CachedModel:
    """A model with a cache: a folder with one file per request, and above temperature 0 one per sample of its replies.

    Cached replies count no tokens, so they cost nothing.
    """

    model: Model
    folder: Path

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
        return self.model.endpoint

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the model reads."""
        return getattr(self.model, "variables", ())

    @property
    def identity(self) -> str:
        """Text that identifies everything besides the request that a reply depends on."""
        return getattr(self.model, "identity", f"{self.endpoint} {self.name}")

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the cached reply; if there is none, call the model and cache its reply."""
        sample = f"-{request.sample}" if request.temperature != 0 else ""
        file = self.folder / f"{request.digest(self.identity)}{sample}.json"
        if file.is_file():
            entry = ENTRY.check(read_object(file), str(file))
            more = {name: entry[name] for name in KEPT if name in entry}
            return Completion(entry["text"], entry["finish"], 0, 0, **more)
        completion = self.model.complete(request, pause)
        entry = {"model": self.name, "text": completion.text, "finish": completion.finish}
        entry |= {name: value for name in KEPT if (value := getattr(completion, name))}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(file, json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:  # the game can use the reply even if it is not cached
            warnings.warn(f"cache {self.folder}: {error}", stacklevel=2)
        return completion
