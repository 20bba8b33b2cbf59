"""The history of a game's closed rounds, and the point up to which a seat has seen it."""

from __future__ import annotations

from collections.abc import Iterable

from aucenv.core.records.decisions import ClosedRound, Decision

Entry = tuple[int, int, int, int]
"""One decision: (item, round, seat, amount)."""


class History:
    """The closed rounds of one game, in order."""

    def __init__(self, closed: Iterable[ClosedRound] = ()) -> None:
        self.closed: list[ClosedRound] = list(closed)
        self._entries: tuple[Entry, ...] = ()
        self._num_converted = 0  # the number of closed rounds that are in the entries

    def entries(self) -> tuple[Entry, ...]:
        """Return all decisions of closed rounds, in order."""
        if self._num_converted < len(self.closed):
            new = self.closed[self._num_converted :]
            self._entries += tuple([(item, n, s, amounts[s]) for item, n, acting, _, amounts in new for s in acting])
            self._num_converted = len(self.closed)
        return self._entries

    def decisions(self) -> list[Decision]:
        """Return the same decisions with actions, refused attempts and notes."""
        return [
            Decision(item, number, seat, action, amount, attempts, notes)
            for item, number, acting, accepted, amounts in self.closed
            for seat, amount, (action, attempts, notes) in ((seat, amounts[seat], accepted[seat]) for seat in acting)
        ]

    def last_decision(self, seat: int) -> tuple[int, int] | None:
        """Return (number of entries known, item) of `seat` at its last decision; None before its first decision."""
        entries = self.entries()
        last_round = next((entry[:2] for entry in reversed(entries) if entry[2] == seat), None)
        if last_round is None:
            return None
        return sum(entry[:2] < last_round for entry in entries), last_round[0]
