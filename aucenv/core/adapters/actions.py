"""Conversion of the actions that seats submit in their interfaces to amounts, and to JSON values."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Collection
from typing import Any

import numpy as np

from aucenv.core.checks import REAL
from aucenv.core.game import Game
from aucenv.core.reader.refusals import Unreadable
from aucenv.core.reader.wording import translated
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import MAX_DOLLARS, to_cents


class NoAction(ValueError):
    """An action outside the interface's action space: its type, shape or range is wrong."""


class FailedReply(str):
    """A reply that counts as unreadable regardless of its text, because the model was cut off or refused to reply.

    Args:
        reason: the reason, which the bidder sees when it is asked again.
    """

    reason: str

    def __new__(cls, text: str, reason: str) -> FailedReply:
        reply = super().__new__(cls, text)
        reply.reason = reason
        return reply


_WHOLE = (int, np.int64)


def unpacked(action: Any) -> Any:
    """Return the element of an array that has only one, and any other action as it is."""
    return action.reshape(-1)[0] if isinstance(action, np.ndarray) and action.size == 1 else action


def read_vector_action(action: Any, num_actions: int) -> int:
    """Return a vector action as an int.

    Raises:
        NoAction: It is not a whole number from 0 to `num_actions` - 1.
    """
    if type(action) in _WHOLE and 0 <= action < num_actions:
        return int(action)
    one = unpacked(action)
    try:
        number = -1 if isinstance(one, (bool, np.bool_)) else operator.index(one)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise NoAction(f"expected a whole number from 0 to {num_actions - 1} as action, got {action!r}")
    return number


def read_dollar_action(action: Any) -> int:
    """Return the cents of an action in dollars; WITHDRAW if it is negative.

    Raises:
        NoAction: It is not one number.
        Unreadable: It is NaN.
    """
    dollars = _one_number(action, "one number of dollars")
    if dollars < 0:
        return WITHDRAW
    if dollars != dollars:  # NaN
        raise Unreadable(f"{float(dollars)!r} is not an amount of money")
    return to_cents(float(dollars) if dollars < 10 * MAX_DOLLARS else 10 * MAX_DOLLARS)


def read_share_action(action: Any) -> float:
    """Return an action that is a share, clipped to the range from 0 to 1.

    Raises:
        NoAction: It is not one number.
        Unreadable: It is NaN or infinite.
    """
    share = _one_number(action, "one number from 0 to 1")
    if not math.isfinite(share):
        raise Unreadable(f"{float(share)!r} is not a share")
    return min(max(float(share), 0.0), 1.0)


def _one_number(action: Any, expected: str) -> Any:
    number = unpacked(action)
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, REAL):
        raise NoAction(f"expected {expected} as action, got {action!r}")
    return number


def read_text_action(action: Any, language: str = "english") -> str:
    """Return an action that is a reply in words.

    Args:
        language: the language of the reason why a FailedReply is refused.

    Raises:
        NoAction: It is not a str.
        Unreadable: It is a FailedReply.
    """
    reply = unpacked(action)
    if not isinstance(reply, str):
        raise NoAction(f"expected a reply in words as action, got {action!r}")
    if isinstance(reply, FailedReply):
        raise Unreadable(translated(reply.reason, language))
    return reply


def action_cents(action: Any, interface: str, seat: int, state: np.ndarray, game: Game, scenario_text: Any) -> int:
    """Return the cents that a seat's action means, in every interface but "vector".

    Raises:
        NoAction, Unreadable: As in `read_dollar_action`, `read_share_action`, `read_text_action` and the game's
            `words.read`.
    """
    if interface == "amount":
        return read_dollar_action(action)
    if interface == "share":
        return int(game.features.amount_of_share(state, 0, seat, read_share_action(action)))
    rivals = [name for rival, name in enumerate(scenario_text.names) if rival != seat]
    language = getattr(getattr(scenario_text, "scenario", None), "language", "english")
    reply = read_text_action(action, language)
    try:
        return game.words.read(reply, rivals, scenario_text, state)
    except Unreadable:
        by_name = in_first_person(reply, scenario_text.names[seat], rivals)
        if by_name == reply:
            raise
    return game.words.read(by_name, rivals, scenario_text, state)


MAX_INT_DIGITS = 900
"""The length of the longest whole number that is recorded as a number."""
LONG_INT = f"a whole number of more than {MAX_INT_DIGITS} digits"
"""The text as which a longer one is recorded."""
NOT_FINITE = ("inf", "-inf", "nan")
"""The texts as which numbers that JSON does not have are recorded."""


def to_json_value(action: Any) -> Any:
    """Return an action as a value that JSON can represent."""
    kind = type(action)
    if kind is str or (kind is int and -(10**18) < action < 10**18):
        return action
    if kind is np.int64:
        return int(action)
    if isinstance(action, np.ndarray):
        action = action.item() if action.size == 1 else action.tolist()
    elif isinstance(action, np.generic):
        action = action.item()
    elif kind is FailedReply:
        action = str(action)
    if isinstance(action, float) and not math.isfinite(action):
        return repr(action)
    if isinstance(action, int) and abs(action) >= 10**MAX_INT_DIGITS:  # readers refuse longer numbers
        return LONG_INT
    return action


_DOES = """bid|raise|offer|open|start|counter|withdraw|fold|abstain|leave|quit|exit|stay|hold|wait|take|drop|bow|step
    |sit|decline|submit|place|make|enter|propose|set"""


def in_first_person(reply: str, name: str, rivals: Collection[str]) -> str:
    """Return a reply with "I" for the bidder's name before a decision at its beginning or in its last line.

    A sentence that names a rival is a report and stays unchanged.
    """

    def first_person(match: re.Match[str]) -> str:
        if any(rival and rival in match["rest"] for rival in rivals):
            return match[0]
        does = (match["does"] or "").lower()
        words = {"": "", "is": "I am", "will": "I will", "passes": "I pass"}.get(does, f"I {does[:-1]}")
        return f"{match['mark']}{words}{match['rest']}"

    return re.sub(
        rf"""(?ix)(?P<mark>(?:\A|\n(?=[^\n]*\s*\Z))[\s*_\#(\[-]*) {re.escape(name)} [*_]* \s+
        (?:[\w'\ ]{{1,40}}?\band\s+)?(?:hereby\s+|now\s+)?
        (?:(?:says|replies|answers|responds|shouts|announces)\s*[:,]\s*
        |(?P<does>(?:{_DOES})s|passes|is|will)\b) (?P<rest>[^\n]*)""",
        first_person,
        reply,
    )
