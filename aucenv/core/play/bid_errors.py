"""Counts of accepted and refused bids per seat."""

from __future__ import annotations

import dataclasses

from aucenv.core.records.record import GameRecord


@dataclasses.dataclass
class BidErrors:
    """The numbers of accepted and refused actions of one seat in a game.

    Attributes:
        correct: The number of accepted actions, including withdrawals. If a seat exhausted its retries or forfeited, no
            action of this decision was accepted.
        failed: The number of refused actions by kind: "unreadable", or one of the game's REFUSALS.
    """

    correct: int = 0
    failed: dict[str, int] = dataclasses.field(default_factory=dict)

    def fail(self, kind: str, times: int = 1) -> None:
        """Count `times` refused actions of this kind."""
        if times:
            self.failed[kind] = self.failed.get(kind, 0) + times

    @property
    def illegal(self) -> int:
        """The number of illegal bids; as in the papers, unreadable replies do not count."""
        return sum(self.failed.values()) - self.failed.get("unreadable", 0)

    @property
    def failed_bid_rate(self) -> tuple[int, int]:
        """The number of illegal bids, and of all readable actions."""
        return self.illegal, self.correct + self.illegal

    @property
    def unreadable_rate(self) -> tuple[int, int]:
        """The number of unreadable replies, and of all actions."""
        return self.failed.get("unreadable", 0), self.correct + sum(self.failed.values())

    def rate(self, kind: str) -> tuple[int, int]:
        """Return the number of bids refused for this reason, and of all readable actions."""
        return self.failed.get(kind, 0), self.correct + self.illegal


def count_bid_errors(record: GameRecord) -> dict[str, BidErrors]:
    """Count the accepted and refused actions of each seat in a record."""
    bid_errors = {player["seat"]: BidErrors() for player in record.seats}
    for decision in record.decisions:
        seat_errors = bid_errors[decision["seat"]]
        seat_errors.correct += decision["action"] is not None
        for attempt in decision["attempts"]:
            seat_errors.fail(attempt["kind"])
    return bid_errors
