"""The result of a replay, and the rounding of recorded bids to whole cents."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.words.money import format_dollars, to_cents, to_dollars


@dataclasses.dataclass(frozen=True)
class ReplayResult:
    """The result of replaying a recorded game with our rules.

    Attributes:
        id: The identifier of the recorded game; None if the record is malformed and has none.
        output: The results of our rules, as `aucenv replay --out` writes them; None if the replay failed.
        difference: The first difference between our rules and the record; None if they agree.
        compared: Whether the record includes results to compare with.
        table: The table at which the game was replayed, up to the first difference that stopped it.
        rounded: A sentence for each recorded bid that was rounded to whole cents.
        error: Why the record is malformed, and so was not replayed; None if it is not.
        has_values: Whether the table has the recorded values; otherwise its values mean nothing.
    """

    id: int | str | None
    output: JsonObject | None
    difference: str | None
    compared: bool
    table: Any
    rounded: tuple[str, ...] = ()
    error: str | None = None
    has_values: bool = True


class ReplayDifference(Exception):
    """A difference between our rules and a record."""


class BidRounding:
    """Rounds recorded bids to whole cents, and notes those that have fractions of a cent.

    Attributes:
        notes: a sentence for each bid that was rounded.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._counts: Counter[Hashable] = Counter()

    def round(self, where: str, dollars: float, group: Hashable) -> float:
        """Return a bid in whole cents.

        Args:
            where: the place of the bid, for the notes.
            dollars: the bid.
            group: the bids whose roundings add up in the amounts that `agrees` compares.
        """
        rounded = to_dollars(to_cents(dollars))
        if abs(dollars - rounded) > 1e-9 * max(1.0, dollars):
            self.notes.append(f"{where}: ${dollars} is rounded to {format_dollars(to_cents(dollars))}")
            self._counts[group] += 1
        return rounded

    def agrees(self, recorded: float, ours: float, group: Hashable) -> bool:
        """Return whether a recorded amount of dollars is ours, except for the rounding of the bids of `group`."""
        if to_cents(recorded) == to_cents(ours):
            return True
        return abs(recorded - ours) <= 0.005 * self._counts[group] + 1e-9 * max(1.0, abs(recorded))
