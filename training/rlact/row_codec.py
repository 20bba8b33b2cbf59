"""A game's state as text, for files."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import zlib

import numpy as np

from aucenv.core.state import NOBODY

MOST_BYTES = 1 << 22
"""Of an unpacked row."""


@functools.lru_cache
def layout_of(dtype: np.dtype) -> str:
    """What tells the layout of a row from others: a state's fields may change between versions."""
    return hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:12]


@functools.lru_cache
def _settled_dtype(dtype: np.dtype) -> np.dtype:
    seats = dtype["acting"].shape[0]
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        if shape[:1] == (seats,):
            shape = (max(4, seats), *shape[1:])
        if name != "opening":  # it follows from the others
            fields.append((name, base, shape))
    return np.dtype(fields)


def settled(row: np.ndarray) -> np.ndarray:
    """A row in a layout that stays, with room for 4 seats: ids follow from it, and judges' chance from ids."""
    wide = np.zeros(1, _settled_dtype(row.dtype))
    for name in wide.dtype.names or ():
        if name in ("persona", "second"):
            wide[name] = NOBODY  # as templates have it, for seats that are not there too
        given = row[name]
        wide[name][tuple(slice(size) for size in given.shape)] = given
    return wide


def pack(row: np.ndarray, template: np.ndarray) -> str:
    """A row as text: where it differs from its scenario's template."""
    changed = np.bitwise_xor(row.view(np.uint8), template.view(np.uint8))
    return base64.b64encode(zlib.compress(changed.tobytes(), 9)).decode()


def unpack(text: str, template: np.ndarray, where: str) -> np.ndarray:
    """The row that `pack` made text of.

    Raises:
        ValueError: it is none of this layout.
    """
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(f"{where}: expected a packed state: {error}") from None
    if len(data) != template.nbytes:
        raise ValueError(f"{where}: expected {template.nbytes} bytes, got {len(data)}")
    return np.bitwise_xor(np.frombuffer(data, np.uint8), template.view(np.uint8)).view(template.dtype)
