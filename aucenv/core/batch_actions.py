"""Reading of a batch's actions, which are all checked before any of them takes effect."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.game import Game
from aucenv.core.kernel import kernel
from aucenv.core.money import MAX_DOLLARS, round_to_cents
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW


class ActionReader:
    """Reads and checks the actions of a batch.

    Args:
        interface: "vector", "amount" or "share".
        actions: (rows, seats) int64, written by `read`: vector actions, or amounts in cents.
    """

    def __init__(self, game: Game, scenario: Scenario, interface: str, num_actions: int, actions: np.ndarray) -> None:
        self.game = game
        self.scenario = scenario
        self.interface = interface
        self.num_actions = num_actions
        self.actions = actions
        self._numbers = np.zeros(actions.shape if interface != "vector" else (0, 0))

    def read(self, actions: Any, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Write the actions of the seats that have a decision to `self.actions`.

        Args:
            actions: (rows, seats) vector actions, dollars or shares.
            acting: (rows, seats) bool, whether a seat has a decision.
            seats: (rows, seats) int64, the seat at the table of each column.
            state: (rows,) of the state's dtype, the games.

        Raises:
            ValueError: The shape or dtype is wrong, or an action is out of range; the message names
                its index and value.
        """
        array = np.asarray(actions)
        is_vector = self.interface == "vector"
        if array.shape != self.actions.shape:
            raise ValueError(f"actions: expected shape {self.actions.shape}, got {array.shape}")
        if array.dtype.kind not in ("iu" if is_vector else "iuf"):
            expected = "whole numbers" if is_vector else "numbers"
            raise ValueError(f"actions: expected {expected}, got an array of {array.dtype}")
        np.copyto(self.actions if is_vector else self._numbers, array, casting="unsafe")
        if is_vector:
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
            raise ValueError(f"actions[{row}, {column}]: expected {expected}, got {array[row, column]!r}")

    def check_legal(self, acting: np.ndarray, seats: np.ndarray, state: np.ndarray) -> None:
        """Raise unless all actions that were read are legal.

        Raises:
            ValueError: An action is illegal; the message names its index and the reason.
        """
        amount, check = self.game.features.amount, self.game.rules.check
        scenario_text = self.game.view.ScenarioText.of(self.scenario)
        for row, column in np.argwhere(acting).tolist():
            bid, seat = int(self.actions[row, column]), int(seats[row, column])
            if self.interface == "vector":
                bid = int(amount(state, row, seat, bid))
            code = check(state, row, seat, bid)
            if code:
                reason = self.game.words.refusal(state[row : row + 1], seat, bid, code, scenario_text)
                raise ValueError(f"actions[{row}, {column}]: {reason}")


@kernel
def read_actions(actions, acting, num_actions):
    """Set the actions of seats without a decision to 0; return the flat index of the first invalid one, or -1."""
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
    """Write dollars as cents, negative ones as WITHDRAW; return the flat index of the first NaN, or -1."""
    rows, seats = dollars.shape
    for b in range(rows):
        for seat in range(seats):
            amount = dollars[b, seat]
            if amount != amount and acting[b, seat]:
                return b * seats + seat
            cents[b, seat] = round_to_cents(min(amount, 10.0 * MAX_DOLLARS)) if amount >= 0 else WITHDRAW
    return -1
