"""Memory of an agent: a JSON file that it reads at the start of an auction and extends at the end."""

from __future__ import annotations

import threading
from pathlib import Path

from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.core.formats.schema import NONEMPTY_TEXT, TEXT, ListOf, MapOf, Object, Optional, whole

_LOCK = threading.Lock()
Entry = JsonObject


MEMORY = Object(
    {
        "auctions": ListOf(
            Object(
                {"after": whole(), "name": NONEMPTY_TEXT, "lessons": ListOf(TEXT)},
                {"auction": Optional(NONEMPTY_TEXT), "rivals": MapOf(TEXT), "game": NONEMPTY_TEXT},
            )
        )
    }
)
"""The format of the file."""


class Memory:
    """A file with one entry per auction.

    Its form is `{"auctions": [{"auction": id, "after": n, "game": game, "name": bidder, "lessons": [...],
    "rivals": {...}}, ...]}`; files of older versions have no `game`, and only housing auctions have `rivals`. Field
    `after` is the number of entries that the auction started with. A run that resumes may replay an auction. The
    auction then starts with the same entries as the first time, and its new entry replaces the old one.

    Args:
        path: the file.
        game: the name of the game whose lessons it keeps; None accepts those of any game.

    Raises:
        ValueError: if the file is not a memory, or one of another game; the message names the file.
    """

    def __init__(self, path: Path, game: str | None = None) -> None:
        self.path = path
        self.game = game
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
            game = {} if self.game is None else {"game": self.game}
            entries[index : index + 1] = [{"auction": auction, "after": after, **game, **entry}]
            write_atomically(self.path, to_pretty_json({"auctions": entries}))

    def _read(self) -> list[Entry]:
        where = f"memory {self.path}"
        if not self.path.exists():
            return []
        entries: list[Entry] = MEMORY.check(read_object(self.path, where), where)["auctions"]
        for index, entry in enumerate(entries):
            whole(0, index).check(entry["after"], where, f"auctions[{index}].after")
            game = entry.get("game", "harbor" if "rivals" in entry else self.game)
            if self.game is not None and game != self.game:
                raise ValueError(
                    f"{where}: auctions[{index}]: expected lessons of the game {self.game}, got {game}; give each game "
                    "its own file"
                )
        return entries


def _index(entries: list[Entry], auction: str | None) -> int:
    """Return the index of an auction's entry; the number of entries if there is none."""
    matches = (index for index, entry in enumerate(entries) if auction is not None and entry.get("auction") == auction)
    return next(matches, len(entries))
