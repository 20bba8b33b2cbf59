"""Version 1 of the format of decision states: rows are bytes in the layout of the time, and ids are digests of them.

The fields here are those of version 1, in its order, and must stay as they are. Rows are converted to the present
layout by the names of their fields, and back for the check of ids.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from aucenv.training.rlact.row_codec import decompress

from aucenv.core.state import NOBODY

HEADER = ("key", "num_seats", "num_items", "item", "round", "rounds", "max_rounds", "status", "forced_tie")
HARBOR_GAME = ("num_houses", "matches", "item_order")
GAME = (
    *("discount", "increment", "shuffled", "opening", "price", "discounts", "standing", "leader", "least"),
    *("raise_by", "total"),
)
SEAT = (
    *("active", "acting", "bids", "last_bid", "budget", "profit", "won", "objective", "target", "endowment"),
    *("seat_key", "bias", "noise"),
)
ITEM = ("lot", "start", "value", "winner", "hammer")
SEAT_ITEM = ("estimate",)
HARBOR_SEAT = ("persona", "second", "drawn", "wording")
HARBOR_SEAT_ITEM = ("raises", "top", "left_at")
HOUSE = ("house_start", "house_value", "house_kind", "offered")
NUM_PERSONAS = 10
DISCOUNT, ASK_BROKE = 1, 2
"""Flags of the field `discount`, which are now the fields `discount` and `ask_broke`."""


@functools.lru_cache
def _dtype(seats: int, items: int, houses: int) -> np.dtype:
    """Return the dtype with room for so many seats, items and houses; English auctions have no houses."""
    fields: list[tuple] = [(name, "i8") for name in [*HEADER, *(HARBOR_GAME if houses else ()), *GAME]]
    fields += [(name, "i8", (seats,)) for name in SEAT]
    fields += [(name, "i8", (items,)) for name in ITEM]
    fields += [(name, "i8", (seats, items)) for name in SEAT_ITEM]
    if houses:
        fields += [(name, "i8", (seats,)) for name in HARBOR_SEAT]
        fields += [(name, "i8", (seats, items)) for name in HARBOR_SEAT_ITEM]
        fields += [(name, "i8", (houses,)) for name in HOUSE]
        fields += [("liking", "i8", (houses, NUM_PERSONAS))]
    return np.dtype(fields)


def _to_layout_1(row: np.ndarray, least_seats: int) -> np.ndarray:
    """Return a row in the layout of version 1, with room for at least `least_seats` seats."""
    seats, items = int(row["num_seats"][0]), int(row["num_items"][0])
    houses = int(row["num_houses"][0]) if "num_houses" in (row.dtype.names or ()) else 0
    room = max(seats, least_seats) if seats <= 4 else 16
    old = np.zeros(1, _dtype(room, _room(16, items), _room(64, houses) if houses else 0))
    for name in ("winner", "persona", "second") if houses else ("winner",):
        old[name] = NOBODY
    _copy_fields(row, old)
    old["discount"] = DISCOUNT * row["discount"] + ASK_BROKE * row["ask_broke"]
    return old


def _room(least: int, number: int) -> int:
    while least < number:
        least *= 4
    return least


def _copy_fields(source: np.ndarray, target: np.ndarray) -> None:
    """Copy the fields that both have, as far as there is room."""
    names = target.dtype.names or ()
    for name in source.dtype.names or ():
        if name in names:
            both = tuple(slice(min(sizes)) for sizes in zip(source[name].shape, target[name].shape, strict=True))
            target[name][both] = source[name][both]


def unpack_1(layout: str, text: str, template: np.ndarray, where: str) -> np.ndarray:
    """Return a row of a file of version 1 in the present layout.

    Args:
        layout: the file's digest of the layout.
        text: the compressed difference between the bytes of the row and those of the scenario's template.
        where: the place of the state, for error messages.

    Raises:
        ValueError: The layout is not that of version 1, or the text is not a packed row of this layout.
    """
    old_template = _to_layout_1(template, 0)
    expected = hashlib.sha256(repr(old_template.dtype.descr).encode()).hexdigest()[:12]
    if layout != expected:
        raise ValueError(
            f"{where}: layout: expected {expected}, got {layout!r}, of another version of aucenv; collect the states "
            "again"
        )
    data = decompress(text, f"{where}: row")
    if len(data) != old_template.nbytes:
        raise ValueError(f"{where}: row: expected {old_template.nbytes} bytes, got {len(data)}")
    old = (np.frombuffer(data, np.uint8) ^ old_template.view(np.uint8)).view(old_template.dtype)
    row = template.copy()
    _copy_fields(old, row)
    row["discount"] = (old["discount"] & DISCOUNT) != 0
    row["ask_broke"] = (old["discount"] & ASK_BROKE) != 0
    return row


def view_digest_1(row: np.ndarray, seat: int, history: Sequence[Any], descriptions: Sequence[str]) -> str:
    """Return the id of version 1: a digest of the bytes of what a seat sees, in a layout with room for 4 seats.

    Args:
        row: (1,) the state as the seat sees it.
    """
    public = _to_layout_1(row, 4)
    names = public.dtype.names or ()
    for name in {"seat_key", "wording"} & set(names):
        public[name] = 0
    digest = hashlib.sha256(b"".join(public[name].tobytes() for name in names if name != "opening"))
    digest.update(json.dumps([seat, history, descriptions]).encode())
    return digest.hexdigest()[:16]
