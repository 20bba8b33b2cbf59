"""The common base of all games' Views: one seat, and a copy of the state as the seat may see it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from aucenv.core.state import STATUS_NAMES, seat_names


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The texts of a scenario that all seats may read, for games in which the whole scenario is public.

    Attributes:
        seats: The names of the seats: `bidder_0`, ...
        names: The names of the bidders in texts, by seat.
        scenario: The scenario.
    """

    seats: tuple[str, ...]
    names: tuple[str, ...]
    scenario: Any

    @classmethod
    def of(cls: type[TextT], scenario: Any) -> TextT:
        """Return the texts of a scenario whose `bidders` are names."""
        return cls(tuple(seat_names(len(scenario.bidders))), tuple(scenario.bidders), scenario)


TextT = TypeVar("TextT", bound=ScenarioText)


@dataclasses.dataclass(frozen=True, slots=True)
class SeatView:
    """The current information of a seat. Amounts are dollars; seats are named `bidder_0`, ...

    Attributes:
        row: (1,) array of the state's dtype, without what the seat may not know.
        seat_number: The seat, from 0.
        scenario_text: The texts of the scenario that all seats may read, with `seats` and `names`.
        refused: The reason why the seat's last action was refused, if it must act again; otherwise None.
        reveals: Whether nothing is hidden.
    """

    row: np.ndarray
    seat_number: int
    scenario_text: Any
    refused: str | None
    reveals: bool

    def _get(self, field: str) -> int:
        return int(self.row[field][0])

    def _get_seat_value(self, field: str) -> int:
        return int(self.row[field][0, self.seat_number])

    @property
    def seat(self) -> str:
        """The name of the seat."""
        return self.scenario_text.seats[self.seat_number]

    @property
    def name(self) -> str:
        """The name of the bidder in texts."""
        return self.scenario_text.names[self.seat_number]

    @property
    def status(self) -> str:
        """One of "running", "terminated", "truncated"."""
        return STATUS_NAMES[self._get("status")]

    @property
    def item_number(self) -> int:
        """The number of the current item or round in the game, from 0; once all are closed, how many there are."""
        return self._get("item")

    @property
    def must_decide(self) -> bool:
        """Whether the seat has a decision now."""
        return bool(self._get_seat_value("acting"))


GameView = Any
"""The View of a game: a SeatView with further fields, which only the code of the game uses."""


def visible_row(state: np.ndarray, seat: int, copy_visible: Callable[..., None], reveal: bool) -> np.ndarray:
    """Return a copy of a one-row state as `seat` may see it; with `reveal` nothing is hidden.

    Args:
        state: (1,) of the state's dtype.
        seat: The seat.
        copy_visible: The game's kernel, called with state, row, seat and the copy.
        reveal: Whether to copy everything.
    """
    row: np.ndarray = np.ndarray(1, state.dtype, bytearray(state.nbytes))  # np.empty takes 2 us for structured dtypes
    if reveal:
        row[0] = state[0]
    else:
        copy_visible(state, 0, seat, row)
    return row
