"""Memory of an agent: a JSON file that it reads at the start of an auction and extends at the end."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from aucenv.core.checks import field, whole_number
from aucenv.core.files import JsonObject, parse_object, to_pretty_json, write_atomically

_LOCK = threading.Lock()
Entry = JsonObject


class Memory:
    """A file with one entry per auction.

    Its form is `{"auctions": [{"auction": id, "after": n, "name": bidder, "lessons": [...], "rivals": {...}}, ...]}`.
    Field `after` is the number of entries that the auction started with. A run that resumes may replay an auction. The
    auction then starts with the same entries as the first time, and its new entry replaces the old one.

    Raises:
        ValueError: if the file is not a memory; the message names the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise ValueError(f"memory: expected a file in an existing folder, got {str(path)!r}")
        self._read()

    def recall(self, auction: str | None) -> list[Entry]:
        """Return the entries that an auction starts with: those of the auctions before it.

        Args:
            auction: the auction's unique id; None: it is never replayed.
        """
        with _LOCK:
            entries = self._read()
        index = _index(entries, auction)
        return entries[: entries[index]["after"] if index < len(entries) else index]

    def save(self, auction: str | None, after: int, entry: Entry) -> None:
        """Save the entry of an auction that started with `after` entries."""
        with _LOCK:
            entries = self._read()
            index = _index(entries, auction)
            entries[index : index + 1] = [{"auction": auction, "after": after, **entry}]
            write_atomically(self.path, to_pretty_json({"auctions": entries}))

    def _read(self) -> list[Entry]:
        where = f"memory {self.path}"
        if not self.path.exists():
            return []
        try:
            data = parse_object(self.path.read_text(encoding="utf-8"), where)
        except UnicodeDecodeError as error:
            raise ValueError(f"{where}: not UTF-8: {error.reason}") from None
        entries = field(data, "auctions", list, where)
        for index, entry in enumerate(entries):
            _check_entry(entry, index, f"{where}, auctions[{index}]")
        return entries


def _index(entries: list[Entry], auction: str | None) -> int:
    """Return the index of an auction's entry; the number of entries if there is none."""
    matches = (index for index, entry in enumerate(entries) if auction is not None and entry["auction"] == auction)
    return next(matches, len(entries))


def _check_entry(entry: Any, index: int, where: str) -> None:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: expected an object, got {json.dumps(entry)[:60]}")
    if entry.get("auction") is not None:
        field(entry, "auction", str, where)
    whole_number(f"{where}, after", entry.get("after"), 0, index)
    field(entry, "name", str, where)
    for lesson in field(entry, "lessons", list, where):
        if not isinstance(lesson, str):
            raise ValueError(f"{where}, lessons: expected texts, got {json.dumps(lesson)[:60]}")
    for rival, sentence in field({"rivals": {}, **entry}, "rivals", dict, where).items():
        if not isinstance(sentence, str):
            raise ValueError(f"{where}, rivals, {rival}: expected a text, got {json.dumps(sentence)[:60]}")
