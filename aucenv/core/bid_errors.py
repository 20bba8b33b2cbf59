"""How often seats answered what the rules accept, and what was refused."""

from __future__ import annotations

import dataclasses

from aucenv.core.record import GameRecord


@dataclasses.dataclass
class BidErrors:
    """One seat's answers in a game.

    Attributes:
        correct: how many were accepted, those without a bid too.
        failed: how many were not, by kind.
    """

    correct: int = 0
    failed: dict[str, int] = dataclasses.field(default_factory=dict)

    def fail(self, kind: str, times: int = 1) -> None:
        if times:
            self.failed[kind] = self.failed.get(kind, 0) + times

    @property
    def illegal(self) -> int:
        """Bids against the rules; the papers do not count answers that were no bid at all."""
        return sum(self.failed.values()) - self.failed.get("unreadable", 0)

    @property
    def failed_bid_rate(self) -> tuple[int, int]:
        """Bids against the rules, and all that could be read."""
        return self.illegal, self.correct + self.illegal

    @property
    def unreadable_rate(self) -> tuple[int, int]:
        """Answers that could not be read, and all."""
        return self.failed.get("unreadable", 0), self.correct + sum(self.failed.values())

    def rate(self, kind: str) -> tuple[int, int]:
        """Bids against this rule, and all that could be read."""
        return self.failed.get(kind, 0), self.correct + self.illegal


def count_bid_errors(record: GameRecord) -> dict[str, BidErrors]:
    """Each seat's answers."""
    bid_errors = {who["seat"]: BidErrors() for who in record.seats}
    for decision in record.decisions:
        of_seat = bid_errors[decision["seat"]]
        of_seat.correct += decision["action"] is not None
        for attempt in decision["attempts"]:
            of_seat.fail(attempt["kind"])
    return bid_errors
