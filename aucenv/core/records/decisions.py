"""Records of the decisions of seats: accepted actions and refused attempts."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any


class IllegalBid(ValueError):
    """A bid that the rules refuse; raised if `illegal="raise"`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """An action that was refused.

    Attributes:
        action: The action, as a JSON value.
        refused: The reason, in words.
        kind: One of the game's REFUSALS, or "unreadable" if no bid could be read.
    """

    action: Any
    refused: str
    kind: str


@dataclasses.dataclass(slots=True)
class Decision:
    """The decision of one seat in one round.

    Attributes:
        item, round: The item and the round, from 0.
        seat: The seat, from 0.
        action: The action in its interface; None if it exhausted its retries or forfeited.
        amount: Cents, or WITHDRAW.
        attempts: The refused actions before it.
        notes: The notes of its policy.
    """

    item: int
    round: int
    seat: int
    action: Any
    amount: int
    attempts: list[Attempt]
    notes: dict


Accepted = tuple[Any, list[Attempt], dict]
"""An accepted action, with the refused attempts before it and the policy's notes."""
ClosedRound = tuple[int, int, tuple[int, ...], dict[int, Accepted], list[int]]
"""A closed round: item, round, acting seats, their accepted actions by seat, and the amounts of all seats."""


@lru_cache(maxsize=4096)
def seats_in(mask: int) -> tuple[int, ...]:
    """Return the seats whose bits are set in `mask`: seat s has bit s."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
