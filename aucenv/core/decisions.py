"""What seats have answered, accepted and refused."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any


class IllegalBid(ValueError):
    """A bid that the rules refuse, where `illegal="raise"`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that was refused.

    Attributes:
        refused: why.
        kind: "unreadable", no bid at all, or which of the game's REFUSALS.
    """

    action: Any
    refused: str
    kind: str


@dataclasses.dataclass(slots=True)
class Decision:
    """How one seat decided in one round.

    Attributes:
        action: what it answered in its interface; None where it ran out of tries, or forfeited.
        amount: cents, or WITHDRAW.
        attempts: its refused answers before.
        notes: what its policy wants kept.
    """

    item: int
    round: int
    seat: int
    action: Any
    amount: int
    attempts: list[Attempt]
    notes: dict


Accepted = tuple[Any, list[Attempt], dict]
"""An accepted answer: action, attempts, notes."""
ClosedRound = tuple[int, int, tuple[int, ...], dict[int, Accepted], list[int]]
"""A closed round: item, round, the seats that were asked, what each answered, and the amounts, by seat."""


@lru_cache(maxsize=4096)
def seats_in(mask: int) -> tuple[int, ...]:
    """The seats whose bits are set: seat s has bit s."""
    return tuple(seat for seat in range(mask.bit_length()) if mask >> seat & 1)
