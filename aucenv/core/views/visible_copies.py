"""Copies of states without what is hidden from a seat, as the fields of the game's State declare it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aucenv.core.fields import ALL, BY_HIDE, ITEM, OWNER, SEAT, Field, FieldsError, GameState, places_of
from aucenv.core.kernel import bind, inlined, template, unbound

SEATS_USED, ITEMS_USED = -1, -2
"""In the table of `copy_visible`, as lengths: as many as the game has seats or items."""

first = later = is_visible = hide = unbound


@template
def copy_visible(state, b, seat, copied, words, hidden):
    """Copy row `b` into the one row of `copied`, without what is hidden from `seat`.

    Args:
        words: The same memory as `copied`, (any,) int64.
        hidden: (any, 8) int64, a row for each field that not all see: where it starts, what stands for hidden values,
            whether owners see theirs, the number of its condition or -1, and the lengths and steps of two dimensions.
    """
    copied[0] = state[b]
    g = state[b]
    for k in range(len(hidden)):
        start, hidden_as, owned, condition = hidden[k, 0], hidden[k, 1], hidden[k, 2], hidden[k, 3]
        rows, columns = used(g, hidden[k, 4]), used(g, hidden[k, 6])
        for i in range(rows):
            if owned == 0 or i != seat:
                for j in range(columns):
                    if condition < 0 or not is_visible(condition, g, seat, i, j):
                        words[start + i * hidden[k, 5] + j * hidden[k, 7]] = hidden_as
    hide(g, copied[0], seat)


@inlined
def used(g, length):
    """Return a length of the table of `copy_visible`."""
    if length == SEATS_USED:
        return g["num_seats"]
    return g["num_items"] if length == ITEMS_USED else length


@template
def one_of_game(number, g, seat, i, j):
    return first(g, seat) if number == 0 else later(number - 1, g, seat, i, j)


@template
def one_of_row(number, g, seat, i, j):
    return first(g, seat, i) if number == 0 else later(number - 1, g, seat, i, j)


@template
def one_of_table(number, g, seat, i, j):
    return first(g, seat, i, j) if number == 0 else later(number - 1, g, seat, i, j)


@inlined
def never(number, g, seat, i, j):
    """Return that a value is not visible, after all conditions."""
    return False


@inlined
def hide_nothing(full, copied, seat):
    """Hide nothing more."""


class VisibleCopies:
    """Copies of a game's states as its seats see them.

    Args:
        state: The game's State.
        prefix: The prefix of the game's kernels.
        hide: The kernel that decides about fields copied by BY_HIDE; None if there is none.
    """

    def __init__(self, state: type[GameState], prefix: str, hide: Callable[..., None] | None) -> None:
        if (hide is None) == any(field.visible_to is BY_HIDE for field in state.FIELDS.values()):
            raise FieldsError(f"{prefix}: expected a kernel `hide` if fields are visible BY_HIDE, and none otherwise")
        self.state = state
        self._tables: dict[np.dtype, np.ndarray] = {}
        self._conditions = {name: field for name, field in state.FIELDS.items() if field.visible_to.condition}
        decide: Callable[..., Any] = never
        for name, field in reversed(self._conditions.items()):
            chain = (one_of_game, one_of_row, one_of_table)[len(field.per)]
            decide = bind(chain, f"{prefix}_{name}", first=field.visible_to.condition, later=decide)
        self.copy_visible = bind(copy_visible, prefix, is_visible=decide, hide=hide or hide_nothing)

    def table(self, dtype: np.dtype) -> np.ndarray:
        """Return the argument `hidden` of `copy_visible` for states of this dtype."""
        if dtype not in self._tables:
            rows = [self._row(name, field, dtype) for name, field in self.state.FIELDS.items()]
            self._tables[dtype] = np.array([row for row in rows if row], np.int64).reshape(-1, 8)
        return self._tables[dtype]

    def _row(self, name: str, field: Field[Any], dtype: np.dtype) -> list[int]:
        if field.visible_to in (ALL, BY_HIDE):
            return []
        condition = list(self._conditions).index(name) if name in self._conditions else -1
        places, dimensions = places_of(dtype), []
        for k in range(2):
            length = {SEAT: SEATS_USED, ITEM: ITEMS_USED}.get(field.per[k], -3) if k < len(field.per) else 1
            dimensions += [dtype[name].shape[k] if length == -3 else length, places.get(f"{name}/{k}", 0)]
        return [places[name], field.hidden_as, int(field.visible_to is OWNER), condition, *dimensions]

    def row(self, state: np.ndarray, seat: int, reveal: bool = False) -> np.ndarray:
        """Return a copy of a one-row state as `seat` sees it; with `reveal` nothing is hidden."""
        copied: np.ndarray = np.ndarray(
            1, state.dtype, bytearray(state.nbytes)
        )  # np.empty takes 2 us for structured dtypes
        if reveal:
            copied[0] = state[0]
        else:
            self.copy_visible(state, 0, seat, copied, copied.view(np.int64), self.table(state.dtype))
        return copied
