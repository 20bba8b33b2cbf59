"""The actions of a batch's rows, read and checked before anything is done with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.game import Game
from aucenv.core.game_modules import Scenario
from aucenv.core.kernel import kernel
from aucenv.core.money import MAX_DOLLARS, cents_of
from aucenv.core.state import WITHDRAW


class ActionReader:
    """Reads what a batch is given.

    Args:
        interface: "vector", "amount" or "share".
        actions: (rows, seats) int64, where it writes vector actions, or amounts in cents.
    """

    def __init__(self, game: Game, scenario: Scenario, interface: str, num_actions: int, actions: np.ndarray) -> None:
        self.game = game
        self.scenario = scenario
        self.interface = interface
        self.num_actions = num_actions
        self.actions = actions
        self._numbers = np.zeros(actions.shape if interface != "vector" else (0, 0))

    def read(self, actions: Any, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Write what is given, of seats that have a decision.

        Args:
            acting, seats: (rows, seats), who has a decision and which seat of the table each is.
            state: (rows,), the games.

        Raises:
            ValueError: another shape or dtype, or an action out of range; names its index and value.
        """
        given = np.asarray(actions)
        by_number = self.interface == "vector"
        if given.shape != self.actions.shape:
            raise ValueError(f"actions: expected shape {self.actions.shape}, got {given.shape}")
        if given.dtype.kind not in ("iu" if by_number else "iuf"):
            expected = "whole numbers" if by_number else "numbers"
            raise ValueError(f"actions: expected {expected}, got an array of {given.dtype}")
        np.copyto(self.actions if by_number else self._numbers, given, casting="unsafe")
        if by_number:
            bad = read_actions(self.actions, acting, self.num_actions)
            expected = f"a whole number from 0 to {self.num_actions - 1}"
        elif self.interface == "amount":
            bad = read_dollars(self._numbers, acting, self.actions)
            expected = "a number of dollars"
        else:
            bad = self.game.kernels.read_shares(self._numbers, acting, seats, state, self.actions)
            expected = "a number from 0 to 1"
        if bad >= 0:
            row, column = divmod(bad, self.actions.shape[1])
            raise ValueError(f"actions[{row}, {column}]: expected {expected}, got {given[row, column]!r}")

    def check_legal(self, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Nothing, if all that was read is legal.

        Raises:
            ValueError: something is not; names its index and why.
        """
        amount, check = self.game.vector.amount, self.game.rules.check
        scenario_text = self.game.view.ScenarioText.of(self.scenario)
        for row, column in np.argwhere(acting).tolist():
            bid, seat = int(self.actions[row, column]), int(seats[row, column])
            if self.interface == "vector":
                bid = int(amount(state, row, seat, bid))
            code = check(state, row, seat, bid)
            if code:
                reason = self.game.text.refusal(state[row : row + 1], seat, bid, code, scenario_text)
                raise ValueError(f"actions[{row}, {column}]: {reason}")


@kernel
def read_actions(actions, acting, num_actions):
    """Make those of seats without a decision 0; the place of the first other that is out of range, -1 where none is."""
    rows, seats = actions.shape
    for b in range(rows):
        for seat in range(seats):
            if not acting[b, seat]:
                actions[b, seat] = 0
            elif not 0 <= actions[b, seat] < num_actions:
                return b * seats + seat
    return -1


@kernel
def read_dollars(dollars, acting, cents):
    """Write dollars as cents, negative as WITHDRAW; the place of the first that is no number, -1 where all are."""
    rows, seats = dollars.shape
    for b in range(rows):
        for seat in range(seats):
            amount = dollars[b, seat]
            if amount != amount and acting[b, seat]:
                return b * seats + seat
            cents[b, seat] = cents_of(min(amount, 10.0 * MAX_DOLLARS)) if amount >= 0 else WITHDRAW
    return -1
