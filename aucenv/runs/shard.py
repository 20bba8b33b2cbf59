"""Shards: parts of a run that are played separately, for example on several machines, and merged afterwards."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aucenv.runs.play import Match


@dataclasses.dataclass(frozen=True)
class Shard:
    """The part `number` of `count` parts of a run, written `number/count`.

    All games of a deal belong to the same part, so that the luck of a deal cancels out within each part.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise ValueError(f"shard: expected I/N with I from 1 to N, such as 1/4, got '{self}'")

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse `number/count`.

        Raises:
            ValueError: The text has another form.
        """
        match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
        if match is None:
            raise ValueError(f"shard: expected I/N with I from 1 to N, such as 1/4, got {text!r}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def of(self, schedule: Sequence[Match]) -> list[Match]:
        """Return the games of this part, which are a prefix of those of this part of a longer schedule.

        Raises:
            ValueError: There are fewer deals than parts.
        """
        deals: dict[tuple[int, ...], int] = {}
        numbers = [deals.setdefault(tuple(match.seed), len(deals)) for match in schedule]
        if len(deals) < self.count:
            raise ValueError(f"shard: expected at most {len(deals)} parts, one for each deal, got '{self}'")
        return [m for m, number in zip(schedule, numbers, strict=True) if number % self.count == self.number - 1]
