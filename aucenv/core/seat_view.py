"""What the Views of all games share: one seat, and a copy of the state without what it may not know."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from aucenv.core.deprecation import renamed
from aucenv.core.state import STATUS_NAMES


@renamed(catalogue="scenario_text")
@dataclasses.dataclass(frozen=True, slots=True)
class SeatView:
    """What `seat` knows now. Amounts are dollars; seats are named `bidder_0`, ...

    Attributes:
        row: (1,) array of the state's dtype, without what the seat may not know.
        seat_number: the seat, from 0.
        scenario_text: the words of the scenario that everybody may read, with `seats` and `names`.
        refused: why the seat's last answer was refused, if it is being asked again.
        reveals: whether nothing is hidden.
    """

    row: np.ndarray
    seat_number: int
    scenario_text: Any
    refused: str | None
    reveals: bool

    def _get(self, field: str) -> int:
        return int(self.row[field][0])

    def _own(self, field: str) -> int:
        return int(self.row[field][0, self.seat_number])

    @property
    def seat(self) -> str:
        return self.scenario_text.seats[self.seat_number]

    @property
    def name(self) -> str:
        """The name people see."""
        return self.scenario_text.names[self.seat_number]

    @property
    def status(self) -> str:
        """One of "running", "terminated", "truncated"."""
        return STATUS_NAMES[self._get("status")]

    @property
    def item_number(self) -> int:
        """The current item's, or round's, place in the game, from 0; their number once all are through."""
        return self._get("item")

    @property
    def must_decide(self) -> bool:
        """Whether the seat has a decision now."""
        return bool(self._own("acting"))


GameView = Any
"""The View of the game that is played: a SeatView with the fields of that game, which only the code of it knows."""


def visible_row(state: np.ndarray, seat: int, copy_visible: Callable[..., None], reveal: bool) -> np.ndarray:
    """A copy of a one-row state for the eyes of `seat`; with `reveal` nothing is left out."""
    row: np.ndarray = np.ndarray(1, state.dtype, bytearray(state.nbytes))  # np.empty takes 2 us for such a dtype
    if reveal:
        row[0] = state[0]
    else:
        copy_visible(state, 0, seat, row)
    return row
