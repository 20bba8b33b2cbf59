"""What has happened in a game's closed rounds: all of it, and what of it a seat has been told."""

from __future__ import annotations

from collections.abc import Iterable

from aucenv.core.decisions import ClosedRound, Decision

Entry = tuple[int, int, int, int]
"""(item, round, seat, amount) of one decision."""


class History:
    """The closed rounds of one game, in order."""

    def __init__(self, closed: Iterable[ClosedRound] = ()) -> None:
        self.closed: list[ClosedRound] = list(closed)
        self._entries: tuple[Entry, ...] = ()
        self._num_entered = 0  # of the closed rounds, those in the entries

    def entries(self) -> tuple[Entry, ...]:
        """Every decision, in order."""
        if self._num_entered < len(self.closed):
            new = self.closed[self._num_entered :]
            self._entries += tuple([(item, n, s, amounts[s]) for item, n, acting, _, amounts in new for s in acting])
            self._num_entered = len(self.closed)
        return self._entries

    def decisions(self) -> list[Decision]:
        """The same, with actions, refused answers and notes."""
        return [
            Decision(item, number, seat, action, amount, attempts, notes)
            for item, number, acting, accepted, amounts in self.closed
            for seat, amount, (action, attempts, notes) in ((seat, amounts[seat], accepted[seat]) for seat in acting)
        ]

    def last_decision(self, seat: int) -> tuple[int, int] | None:
        """What `seat` knew at its last decision: the number of entries and the item; None before its first."""
        entries = self.entries()
        moment = next((entry[:2] for entry in reversed(entries) if entry[2] == seat), None)
        if moment is None:
            return None
        return sum(entry[:2] < moment for entry in entries), moment[0]
