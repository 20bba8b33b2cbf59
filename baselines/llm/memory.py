"""What an agent carries from one auction into the next: a JSON file."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from aucenv.core.checks import field, whole_number
from aucenv.core.jsonl import parse_object
from aucenv.records import to_pretty_json, write_atomically

_LOCK = threading.Lock()


class Memory:
    """A file of what was learnt, auction by auction.

    `{"auctions": [{"auction": its seed, "after": n, "lessons": [...], ...}, ...]}`: of the auction with this seed,
    which began knowing the first n entries. An auction that is played again begins with what it began with then,
    and takes its own place again: a run that goes on, or is repeated, learns the same.

    Raises:
        ValueError: the file is no such memory; names it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[int, int] = {}  # entries that an auction began with
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise ValueError(f"memory: expected a file in a folder that there is, got {str(path)!r}")
        self._read()

    def recall(self, auction: int) -> dict[str, Any]:
        """What an auction begins with: the entry of the one before; {} before the first."""
        with _LOCK:
            entries = self._read()
            place = self._place(entries, auction)
            known = entries[place]["after"] if place < len(entries) else place
            self._known[auction] = known
            return entries[known - 1] if known else {}

    def keep(self, auction: int, learnt: dict[str, Any]) -> None:
        """Write down what an auction has taught."""
        with _LOCK:
            entries = self._read()
            place = self._place(entries, auction)
            entries[place : place + 1] = [{"auction": auction, "after": self._known.pop(auction), **learnt}]
            write_atomically(self.path, to_pretty_json({"auctions": entries}))

    def _place(self, entries: list[dict[str, Any]], auction: int) -> int:
        """Where an auction's entry stands, or would."""
        return next((j for j, entry in enumerate(entries) if entry["auction"] == auction), len(entries))

    def _read(self) -> list[dict[str, Any]]:
        where = f"memory {self.path}"
        if not self.path.exists():
            return []
        try:
            data = parse_object(self.path.read_text(encoding="utf-8"), where)
        except UnicodeDecodeError as error:
            raise ValueError(f"{where}: not UTF-8: {error.reason}") from None
        entries = field(data, "auctions", list, where)
        for place, entry in enumerate(entries):
            at = f"{where}, auctions[{place}]"
            if not isinstance(entry, dict):
                raise ValueError(f"{at}: expected an object, got {json.dumps(entry)[:60]}")
            field(entry, "auction", int, at)
            whole_number(f"{at}, after", entry.get("after"), 0, place)
            for lesson in field({"lessons": [], **entry}, "lessons", list, at):
                if not isinstance(lesson, str):
                    raise ValueError(f"{at}, lessons: expected texts, got {json.dumps(lesson)[:60]}")
            for rival, sentence in field({"rivals": {}, **entry}, "rivals", dict, at).items():
                if not isinstance(sentence, str):
                    raise ValueError(f"{at}, rivals, {rival}: expected a text, got {json.dumps(sentence)[:60]}")
        return entries
