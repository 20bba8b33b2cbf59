"""The secret links of a run: one for each seat, one for observers of each table, and one for the host."""

from __future__ import annotations

import dataclasses
import hmac
import json
import os
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from aucenv.core.files import read_object
from aucenv.core.formats.schema import NONEMPTY_TEXT, MapOf

FILE = "links.json"
TRIES = 10
"""Wrong tokens that an address may try in a second."""


@dataclasses.dataclass(frozen=True)
class Links:
    """The tokens of a run.

    Attributes:
        tokens: whose link it is -> the token: "host", "observer TABLE" or "seat KEY", with the key of an inbox.
    """

    tokens: Mapping[str, str]

    @classmethod
    def open(cls, folder: Path, names: list[str]) -> Links:
        """Return the links of a results folder; new ones are written into a file that only its owner can read.

        Raises:
            OSError: the file cannot be read or written.
            ValueError: the file is not that of links.
        """
        file = folder / FILE
        known = MapOf(NONEMPTY_TEXT).check(read_object(file, str(file)), str(file)) if file.exists() else {}
        tokens = {name: known.get(name) or secrets.token_urlsafe(16) for name in names}
        if tokens != known:
            folder.mkdir(parents=True, exist_ok=True)
            part = folder / f".{FILE}.partial"
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
                json.dump(tokens, opened, indent=1)
            part.replace(file)
        return cls(tokens)

    def owner(self, token: str) -> str | None:
        """Return whose token it is, or None; the time that this takes does not depend on the token."""
        owner = None
        for name, known in self.tokens.items():
            if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
                owner = name
        return owner


class Guard:
    """Limits how often an address may try wrong tokens."""

    def __init__(self) -> None:
        self._failures: dict[str, list[float]] = {}

    def is_blocked(self, address: str) -> bool:
        """Return whether the address has tried too many wrong tokens in the last second."""
        recent = [at for at in self._failures.get(address, ()) if time.monotonic() - at < 1]
        self._failures[address] = recent
        if not recent:
            del self._failures[address]
        return len(recent) >= TRIES

    def failed(self, address: str) -> None:
        """Take note of a wrong token."""
        if len(self._failures) > 10_000:
            self._failures.clear()
        self._failures.setdefault(address, []).append(time.monotonic())
