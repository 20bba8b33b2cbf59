"""The boards of a game one after the other, as small JSON data from which `web/js/boards.js` rebuilds each of them.

A board differs from the one before it in few values, many of which change together. So a game has a `shape`, which many
games share, and a `column` for each place of a value in it, in the order of the shape: the value, if it never changes,
or `[numbers, values]`, the numbers of the boards at which it changes, and its values. These are two numbers of `lists`,
in which each list is once: as it is after a 0; as differences after a 1; and after a 2 as the places of its values in
the list of the different ones, which comes first.

A shape is one of

- `"v"`: a value;
- `["t", shapes]`: a text, a value that has NUMBER_SIGN for each whole number; then come the numbers;
- `["d", {key: shape}]`: an object;
- `["l", shapes]`: a list; first comes its length, a value;
- `["?", shape]`: what is null at some boards; first comes whether it is there, a value;
- `["g", shape]`: a list that grows at its end, and may lose entries there. First come the number of the list of the
  boards at which each entry is new, and that of the boards at which it is there no more. Then come all entries, as if
  they were the values of one place at boards 0, 1, ...
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from aucenv.core.boards.board import Board
from aucenv.core.files import JsonObject

GROWING = frozenset({"points", "entries"})
"""The names of lists that mostly grow."""
NUMBER_SIGN = "\x01"
LEAST = 4
"""The least length of a list that is not stored as it is."""
_NUMBER = re.compile(r"(?<![\w.,])(?:0|[1-9][0-9]{0,2}(?:,[0-9]{3}){0,4})(?!\w|,[0-9])")


def pack(boards: Sequence[Board]) -> JsonObject:
    """Return the boards of a game as data: `shape`, `columns` and `lists`."""
    packer = _Packer(len(boards))
    shape = packer.shape(range(len(boards)), boards)
    return {"shape": shape, "columns": packer.columns, "lists": packer.lists}


def other_columns(columns: Sequence[Any], first: Sequence[Any]) -> list[Any]:
    """Return the columns that differ from those of another game of the same shape: the place of each, and the column.

    Columns that change during a game differ always, because their numbers are of the game's own lists.
    """
    pairs = enumerate(zip(columns, first, strict=True))
    other = [(place, one) for place, (one, same) in pairs if isinstance(one, list) or not _same(one, same)]
    return [part for pair in other for part in pair]


class _Packer:
    def __init__(self, boards: int) -> None:
        self._boards = boards
        self.columns: list[Any] = []
        self.lists: list[Any] = []
        self._numbers: dict[str, int] = {}

    def shape(self, numbers: Sequence[int], values: Sequence[Any], name: str = "") -> Any:
        """Return the shape of a place with a value at the boards with these numbers, and add its columns."""
        kept = [0, *(i for i in range(1, len(values)) if not _same(values[i], values[i - 1]))]
        numbers, values = [numbers[i] for i in kept], [values[i] for i in kept]
        there = [i for i, value in enumerate(values) if value is not None]
        kinds = {type(values[i]) for i in there}
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind is not tuple and kind is not str and not dataclasses.is_dataclass(kind):
            return self._value(numbers, values)
        if len(there) < len(values):
            self._value(numbers, [value is not None for value in values])
            return ["?", self.shape([numbers[i] for i in there], [values[i] for i in there], name)]
        if kind is str:
            return self._text(numbers, values)
        if kind is tuple:
            return ["g", self._growing(numbers, values)] if name in GROWING else ["l", self._list(numbers, values)]
        names = kind.__slots__  # type: ignore[union-attr]  # a part of a Board
        return ["d", {name: self.shape(numbers, [getattr(each, name) for each in values], name) for name in names}]

    def _list(self, numbers: Sequence[int], values: Sequence[Sequence[Any]]) -> list[Any]:
        lengths = [len(value) for value in values]
        self._value(numbers, lengths)
        return [self._part(numbers, values, lengths, k) for k in range(max(lengths))]

    def _part(self, numbers: Sequence[int], values: Sequence[Sequence[Any]], lengths: Sequence[int], k: int) -> Any:
        at = [i for i, length in enumerate(lengths) if length > k]
        return self.shape([numbers[i] for i in at], [values[i][k] for i in at])

    def _growing(self, numbers: Sequence[int], values: Sequence[Sequence[Any]]) -> Any:
        entries, new, gone = list[Any](), list[int](), list[int]()
        open_: list[int] = []
        last: Sequence[Any] = ()
        for number, value in zip(numbers, values, strict=True):
            same = _common(last, value)
            for place in open_[same:]:
                gone[place] = number
            open_[same:] = range(len(entries), len(entries) + len(value) - same)
            entries += value[same:]
            new += [number] * (len(value) - same)
            gone += [self._boards] * (len(value) - same)
            last = value
        self.columns += [self._number(new), self._number(gone)]
        return self.shape(range(len(entries)), entries) if entries else self._value([0], [None])

    def _text(self, numbers: Sequence[int], values: Sequence[str]) -> Any:
        if any(NUMBER_SIGN in value for value in values):
            return self._value(numbers, values)
        split = [_split(value) for value in values]
        self._value(numbers, [form for form, _ in split])
        parts = [numbers_of for _, numbers_of in split]
        lengths = [len(part) for part in parts]
        return ["t", [self._part(numbers, parts, lengths, k) for k in range(max(lengths))]] if any(lengths) else "v"

    def _value(self, numbers: Sequence[int], values: Sequence[Any]) -> str:
        kept = [0, *(i for i in range(1, len(values)) if not _same(values[i], values[i - 1]))]
        if len(kept) == 1:
            self.columns.append(values[0])
        else:
            self.columns.append([self._number([numbers[i] for i in kept]), self._number([values[i] for i in kept])])
        return "v"

    def _number(self, values: Sequence[Any]) -> int:
        """Return the number of a list in `lists`."""
        stored = _stored(values)
        key = json.dumps(stored)
        if key not in self._numbers:
            self._numbers[key] = len(self.lists)
            self.lists.append(stored)
        return self._numbers[key]


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return the length of the common beginning of two lists."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((k for k, (a, b) in pairs if not _same(a, b)), min(len(one), len(other)))


def _stored(values: Sequence[Any]) -> list[Any]:
    """Return a list in the shortest of the three forms."""
    if len(values) < LEAST:
        return [0, *values]
    places: dict[Any, int] = {}
    numbers = [places.setdefault((type(value), value), len(places)) for value in values]
    if 2 * len(places) <= len(values):
        return [2, [value for _, value in places], *numbers]
    if all(type(value) is int for value in values):
        return [1, values[0], *(b - a for a, b in pairwise(values))]
    return [0, *values]


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal; 1 and true are not."""
    return one is other or (one == other and isinstance(one, bool) == isinstance(other, bool))


def _split(text: str) -> tuple[str, list[int]]:
    """Return the form of a text, and its whole numbers as they are written with commas."""
    return _NUMBER.sub(NUMBER_SIGN, text), [int(number.replace(",", "")) for number in _NUMBER.findall(text)]
