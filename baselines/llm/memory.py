"""What an agent carries from one auction into the next: a JSON file."""

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
    """A file of what was learnt, auction by auction.

    `{"auctions": [{"auction": which, "after": n, "name": own, "lessons": [...], "rivals": {...}}, ...]}`: of the
    auction which began knowing the first n entries. One of a results folder that is played again, since its run was
    cut off, begins with what it began with then, and takes its own place again: a run that goes on learns the same.

    Raises:
        ValueError: the file is no such memory; names it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise ValueError(f"memory: expected a file in a folder that there is, got {str(path)!r}")
        self._read()

    def recall(self, auction: str | None) -> list[Entry]:
        """What an auction begins with: the entries of those before it.

        Args:
            auction: tells it from all others; None: it is never played again.
        """
        with _LOCK:
            entries = self._read()
        place = _place(entries, auction)
        return entries[: entries[place]["after"] if place < len(entries) else place]

    def keep(self, auction: str | None, after: int, learnt: Entry) -> None:
        """Write down what an auction has taught that began knowing so many entries."""
        with _LOCK:
            entries = self._read()
            place = _place(entries, auction)
            entries[place : place + 1] = [{"auction": auction, "after": after, **learnt}]
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
        for place, entry in enumerate(entries):
            _check_entry(entry, place, f"{where}, auctions[{place}]")
        return entries


def _place(entries: list[Entry], auction: str | None) -> int:
    """Where an auction's entry stands, or would."""
    own = (place for place, entry in enumerate(entries) if auction is not None and entry["auction"] == auction)
    return next(own, len(entries))


def _check_entry(entry: Any, place: int, where: str) -> None:
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: expected an object, got {json.dumps(entry)[:60]}")
    if entry.get("auction") is not None:
        field(entry, "auction", str, where)
    whole_number(f"{where}, after", entry.get("after"), 0, place)
    field(entry, "name", str, where)
    for lesson in field(entry, "lessons", list, where):
        if not isinstance(lesson, str):
            raise ValueError(f"{where}, lessons: expected texts, got {json.dumps(lesson)[:60]}")
    for rival, sentence in field({"rivals": {}, **entry}, "rivals", dict, where).items():
        if not isinstance(sentence, str):
            raise ValueError(f"{where}, rivals, {rival}: expected a text, got {json.dumps(sentence)[:60]}")
