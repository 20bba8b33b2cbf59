"""Decision points from which actions are rolled out."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucenv.core.views.history import Entry

SEAT_HOLDER = "random"
"""The bidder that lineups have in a seat whose decisions no rule bidder makes; it decides nothing."""
Lineups = tuple[np.ndarray, np.ndarray]
"""Encoded rule bidders: their kinds (lineups, seats) and parameters (lineups, seats, 8)."""


@dataclasses.dataclass(frozen=True, eq=False)
class Decisions:
    """Decision points of games with the same name, number of seats and shape of state.

    Attributes:
        game: The name of the game.
        rows: (decisions,) The states.
        seats: (decisions,) The numbers of the deciding seats.
        texts: The texts of each scenario.
        histories: The bids of the closed rounds of each game, as in `View`.
        bidders: The names of the bidders of each game; those of the rivals may be unknown.
    """

    game: str
    rows: np.ndarray
    seats: np.ndarray
    texts: Sequence[Any]
    histories: Sequence[tuple[Entry, ...]]
    bidders: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, first: int, last: int) -> Decisions:
        """Return the decisions `first` to `last` - 1."""
        now = slice(first, last)
        parts = self.rows[now], self.seats[now], self.texts[now], self.histories[now], self.bidders[now]
        return Decisions(self.game, *parts)


class AnyScenario:
    """A stand-in for a scenario, with the attributes that reading the names of rule bidders needs.

    It has more items than any scenario, because the bidder `item` refuses scenarios without its item.
    """

    name = "at the table"
    items = range(1_000_000)

    def __init__(self, seats: int) -> None:
        self.bidders = (None,) * seats
