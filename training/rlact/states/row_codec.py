"""Encode the state of a game as text, for files, and digest what a seat sees of it.

Both go by the names of the fields and the values of their entries, so that neither depends on the order of the fields,
their widths, or how many seats and items a state has room for.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import json
import math
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from aucenv.core.checks import at, inside, suggestion
from aucenv.core.files import parse_object
from aucenv.core.formats.schema import ListOf, Object, Schema, whole
from aucenv.core.records.record import expect
from aucenv.core.state import NOBODY

MAX_BYTES = 1 << 22
"""Maximum size of an unpacked row."""
BLANK = dict.fromkeys(("forced_tie", "leader", "winner", "persona", "second"), NOBODY)
"""The values of blank entries, which `view_digest` leaves out; those of all other fields are 0.

If a field is added whose usual value is not 0, that value must be added here, so that ids stay the same.
"""
NOT_DIGESTED = frozenset(("seat_key", "wording", "opening"))
"""Fields that ids do not depend on: no seat sees its random key, and other values determine the others."""


class _Entries(NamedTuple):
    """The entries of a row's fields, in alphabetical order of the fields.

    Attributes:
        names: the names of the fields.
        fields: (entries,) for each entry, the number of its field in `names`.
        places: (entries, 2) its indices in the field; 0 along axes that the field lacks.
        blanks: (entries,) its value if it is blank.
    """

    names: list[str]
    fields: np.ndarray
    places: np.ndarray
    blanks: np.ndarray

    def values(self, row: np.ndarray) -> np.ndarray:
        """Return the values of the entries, (entries,) int64."""
        return np.concatenate([row[name].ravel() for name in self.names], dtype=np.int64)

    def starts(self, chosen: np.ndarray) -> np.ndarray:
        """Return where in `chosen`, increasing numbers of entries, those of another field start."""
        return np.flatnonzero(np.diff(self.fields[chosen], prepend=-1))


@functools.lru_cache
def _entries(dtype: np.dtype) -> _Entries:
    names = sorted(dtype.names or ())
    shapes = [dtype[name].shape for name in names]
    counts = [math.prod(shape) for shape in shapes]
    places = [np.indices((*shape, 1, 1)[:2]).reshape(2, -1).T for shape in shapes]
    blanks = [BLANK.get(name, 0) for name in names]
    return _Entries(names, np.repeat(range(len(names)), counts), np.concatenate(places), np.repeat(blanks, counts))


def view_digest(row: np.ndarray, seat: int, history: Sequence[Any], descriptions: Sequence[str]) -> str:
    """Return a digest of what a seat sees, as 16 hexadecimal digits: the id of a decision state.

    It depends on the names of the fields and on their entries that are not blank, so that a field in which all entries
    are blank can be added without changing ids.

    Args:
        row: (1,) the state as the seat sees it.
    """
    entries = _entries(row.dtype)
    values = entries.values(row)
    hidden = [number for number, name in enumerate(entries.names) if name in NOT_DIGESTED]
    chosen = np.flatnonzero((values != entries.blanks) & ~np.isin(entries.fields, hidden))
    starts = entries.starts(chosen)
    names = [entries.names[number] for number in entries.fields[chosen[starts]]]
    digest = hashlib.sha256(json.dumps([names, starts.tolist(), seat, history, descriptions]).encode())
    digest.update(np.column_stack([entries.places[chosen], values[chosen]]).astype("<i8").tobytes())
    return digest.hexdigest()[:16]


def pack(row: np.ndarray, template: np.ndarray) -> str:
    """Return a row as text: the fields that differ from the scenario's template, as compressed JSON.

    Of a field with several entries, the JSON has those up to the last that differs, along each axis.
    """
    entries = _entries(row.dtype)
    chosen = np.flatnonzero(entries.values(row) != entries.values(template))
    starts = entries.starts(chosen)
    ends = np.maximum.reduceat(entries.places[chosen], starts) + 1 if len(chosen) else ()
    fields = {}
    for number, end in zip(entries.fields[chosen[starts]], ends, strict=True):
        values = row[entries.names[number]][0]
        fields[entries.names[number]] = values[tuple(map(slice, end[: values.ndim]))].tolist()
    return base64.b64encode(zlib.compress(json.dumps(fields, separators=(",", ":")).encode(), 9)).decode()


def unpack(text: str, template: np.ndarray, where: str) -> np.ndarray:
    """Return the row that `pack` encoded as `text`.

    Args:
        where: the place of the text, for error messages.

    Raises:
        ValueError: The text is not a packed row; or a field is unknown, too large, or has a value out of its range.
    """
    try:
        fields = parse_object(decompress(text, where).decode(), where)
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: expected packed JSON: {error}") from None
    schema = _schema(template.dtype)
    for name in fields.keys() - set(schema.names):
        hint = suggestion(name, schema.names)
        raise ValueError(f"{at(where, inside('', name))}: expected a field of the game's state, got this one{hint}")
    schema.check(fields, where)
    row = template.copy()
    for name, values in fields.items():
        base, shape = template.dtype[name].base, template.dtype[name].shape
        try:
            entries = np.array(values, base)
        except ValueError:
            raise ValueError(f"{where}: {name}: expected lists of equal lengths") from None
        if entries.ndim != len(shape):
            raise ValueError(f"{where}: {name}: expected lists in {len(shape)} levels, got {entries.ndim}")
        if any(size > room for size, room in zip(entries.shape, shape, strict=False)):
            sizes, rooms = (" x ".join(map(str, sizes)) for sizes in (entries.shape, shape))
            raise ValueError(f"{where}: {name}: expected at most {rooms} values, got {sizes}")
        corner: tuple[int | slice, ...] = (0, *(slice(size) for size in entries.shape))
        row[name][corner] = entries
    return row


def decompress(text: str, where: str) -> bytes:
    """Return the bytes that were compressed as `text`.

    Raises:
        ValueError: The text is not base64 of compressed bytes.
    """
    try:
        return zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(f"{where}: expected a packed state: {error}") from None


@functools.lru_cache
def _schema(dtype: np.dtype) -> Object:
    """Return the schema of the packed fields of a row."""
    fields: dict[str, Schema] = {}
    for name in dtype.names or ():
        limits = np.iinfo(dtype[name].base)
        fields[name] = whole(int(limits.min), int(limits.max))
        for _ in dtype[name].shape:
            fields[name] = ListOf(fields[name])
    return Object({}, fields)


def check_row(row: np.ndarray, template: np.ndarray, where: str) -> None:
    """Check the numbers of seats, items, houses and personas, because compiled code uses them as indices.

    Raises:
        ValueError: One of them is out of range.
    """
    names = row.dtype.names or ()
    for name in ("num_seats", "num_items", "num_houses"):
        if name in names:
            expect(int(row[name][0]), int(template[name][0]), where, name, "as in the scenario")
    seats, items = int(row["num_seats"][0]), int(row["num_items"][0])
    lots = int(row["num_houses"][0]) if "num_houses" in names else items
    limits = {"item": (0, items), "lot": (0, lots), "target": (NOBODY, lots)}
    limits |= dict.fromkeys(("forced_tie", "leader", "winner"), (NOBODY, seats))
    if "liking" in names:
        kinds = row.dtype["liking"].shape[-1]
        limits |= {"persona": (NOBODY, kinds), "second": (NOBODY, kinds), "house_kind": (0, kinds)}
    for name, (least, end) in ((name, limits[name]) for name in limits if name in names):
        for value in (row[name].min(), row[name].max()):
            whole(least, end - 1).check(int(value), where, name)
