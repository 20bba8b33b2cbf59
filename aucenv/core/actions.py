"""What a seat answers in its interface, as an amount; and as JSON can hold it."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from aucenv.core.checks import REAL
from aucenv.core.game import Game
from aucenv.core.money import MAX_DOLLARS, to_cents
from aucenv.core.reply import Unreadable
from aucenv.core.state import WITHDRAW


class NoAction(ValueError):
    """Not an action of the interface at all: of another type, shape or range."""


class FailedReply(str):
    """A reply that is no decision whatever it says: a model was cut off, or refused.

    Args:
        reason: why, for the one who is asked again.
    """

    reason: str

    def __new__(cls, text: str, reason: str) -> FailedReply:
        reply = super().__new__(cls, text)
        reply.reason = reason
        return reply


_WHOLE = (int, np.int64)


def vector_number(action: Any, num_actions: int) -> int:
    """A vector action.

    Raises:
        NoAction: not a whole number from 0 to `num_actions` - 1.
    """
    if type(action) in _WHOLE and 0 <= action < num_actions:
        return int(action)
    try:
        number = -1 if isinstance(action, (bool, np.bool_)) else operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise NoAction(f"expected a whole number from 0 to {num_actions - 1} as action, got {action!r}")
    return number


def amount_cents(action: Any) -> int:
    """Dollars, as a number or an array of one, as cents; WITHDRAW where negative.

    Raises:
        NoAction: not one number.
        Unreadable: NaN.
    """
    dollars = _one_number(action, "one number of dollars")
    if dollars < 0:
        return WITHDRAW
    if dollars != dollars:  # NaN
        raise Unreadable(f"{dollars!r} is not an amount of money")
    return to_cents(float(dollars) if dollars < 10 * MAX_DOLLARS else 10 * MAX_DOLLARS)


def share_of(action: Any) -> float:
    """A share from 0 to 1, as a number or an array of one; numbers beyond are clipped.

    Raises:
        NoAction: not one number.
        Unreadable: NaN or infinite.
    """
    share = _one_number(action, "one number from 0 to 1")
    if not math.isfinite(share):
        raise Unreadable(f"{share!r} is not a share")
    return min(max(float(share), 0.0), 1.0)


def _one_number(action: Any, expected: str) -> Any:
    if isinstance(action, np.ndarray) and action.size == 1 and action.ndim <= 1:
        action = action.item()
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, REAL):
        raise NoAction(f"expected {expected} as action, got {action!r}")
    return action


def some_words(action: Any) -> str:
    """A reply in words.

    Raises:
        NoAction: not a str.
        Unreadable: a FailedReply.
    """
    if not isinstance(action, str):
        raise NoAction(f"expected a reply in words as action, got {action!r}")
    if isinstance(action, FailedReply):
        raise Unreadable(action.reason)
    return action


def amount_of(action: Any, interface: str, seat: int, state: np.ndarray, game: Game, scenario_text: Any) -> int:
    """The cents that a seat's answer stands for, where it is no vector action.

    Raises:
        NoAction, Unreadable: as the readers of amounts, shares and words.
    """
    if interface == "amount":
        return amount_cents(action)
    if interface == "share":
        return int(game.vector.amount_of_share(state, 0, seat, share_of(action)))
    rivals = [name for rival, name in enumerate(scenario_text.names) if rival != seat]
    return game.text.read(some_words(action), rivals, scenario_text, state)


def plain(action: Any) -> Any:
    """An action as JSON can hold it."""
    kind = type(action)
    if kind is int or kind is str:
        return action
    if kind is np.int64:
        return int(action)
    if isinstance(action, np.ndarray):
        action = action.item() if action.size == 1 else action.tolist()
    elif isinstance(action, np.generic):
        action = action.item()
    elif kind is FailedReply:
        action = str(action)
    return repr(action) if isinstance(action, float) and not math.isfinite(action) else action
