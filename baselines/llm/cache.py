"""Replies kept across runs."""

from __future__ import annotations

import dataclasses
import json
import warnings
from pathlib import Path

from aucenv.core.checks import field
from aucenv.core.files import parse_object, write_atomically
from aucenv.runs.calls import Completion, Model, Pause, Request


@dataclasses.dataclass(frozen=True)
class CachedModel:
    """A model that is asked the same thing once: a file for each request, in a folder.

    What is found there cost nothing: it has no tokens. Only for temperature 0, where a reply follows from the request.
    """

    model: Model
    folder: Path

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
        return self.model.endpoint

    def complete(self, request: Request, pause: Pause) -> Completion:
        """The reply in the folder, or else the model's."""
        assert request.temperature == 0
        file = self.folder / f"{request.digest(f'{self.endpoint} {self.name}')}.json"
        if file.is_file():
            kept = parse_object(file.read_text(encoding="utf-8"), str(file))
            return Completion(field(kept, "text", str, str(file)), field(kept, "finish", str, str(file)), 0, 0)
        completion = self.model.complete(request, pause)
        kept = {"model": self.name, "text": completion.text, "finish": completion.finish}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(file, json.dumps(kept, ensure_ascii=False) + "\n")
        except OSError as error:  # the reply is there all the same
            warnings.warn(f"cache {self.folder}: {error}", stacklevel=2)
        return completion
