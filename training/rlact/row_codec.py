"""Encode the state of a game as text, for files."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import zlib

import numpy as np

from aucenv.core.state import NOBODY

MAX_BYTES = 1 << 22
"""Maximum size of an unpacked row."""


@functools.lru_cache
def layout_digest(dtype: np.dtype) -> str:
    """Return a digest of a row's layout, which may change between versions of aucenv."""
    return hashlib.sha256(repr(dtype.descr).encode()).hexdigest()[:12]


@functools.lru_cache
def _stable_dtype(dtype: np.dtype) -> np.dtype:
    seats = dtype["acting"].shape[0]
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        if shape[:1] == (seats,):
            shape = (max(4, seats), *shape[1:])
        if name != "opening":  # other fields determine it
            fields.append((name, base, shape))
    return np.dtype(fields)


def stable_row(row: np.ndarray) -> np.ndarray:
    """Return a row in a layout with room for 4 seats, or for all seats if there are more.

    The ids of states depend on this layout, and the random numbers of judges depend on the ids.
    """
    wide = np.zeros(1, _stable_dtype(row.dtype))
    for name in wide.dtype.names or ():
        if name in ("persona", "second"):
            wide[name] = NOBODY  # absent seats have no persona, as in templates
        values = row[name]
        wide[name][tuple(slice(size) for size in values.shape)] = values
    return wide


def pack(row: np.ndarray, template: np.ndarray) -> str:
    """Return a row as text: its compressed difference from the scenario's template."""
    difference = np.bitwise_xor(row.view(np.uint8), template.view(np.uint8))
    return base64.b64encode(zlib.compress(difference.tobytes(), 9)).decode()


def unpack(text: str, template: np.ndarray, where: str) -> np.ndarray:
    """Return the row that `pack` encoded as `text`.

    Args:
        where: the place of the text, for error messages.

    Raises:
        ValueError: The text is not a packed row of the template's size.
    """
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(f"{where}: expected a packed state: {error}") from None
    if len(data) != template.nbytes:
        raise ValueError(f"{where}: expected {template.nbytes} bytes, got {len(data)}")
    return np.bitwise_xor(np.frombuffer(data, np.uint8), template.view(np.uint8)).view(template.dtype)
