"""Find out from the public information on an ascending auction who won a tie."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any


def tie_winner(row: Any, item: int, tied: Sequence[int], deciding: Collection[int]) -> int:
    """Return the seat that won a tie, and so held the standing bid.

    It had no decision in the next round. The same is true of a tied seat that could not pay the next bid, so among
    several ones it is the item's winner, or the current leader, or else the seat that had most money left.

    Args:
        row: A state of the game, in or after this round.
        item: The number of the item.
        tied: The seats with the highest bid.
        deciding: The seats that had a decision in the item's next round; none if there was no such round.
    """
    waiting = [seat for seat in tied if seat not in deciding] or tied
    known = row["leader"] if item == row["item"] else row["winner"][item]
    if known in waiting:
        return int(known)
    spent = {seat: sum(row["hammer"][j] for j in range(item) if row["winner"][j] == seat) for seat in waiting}
    return max(waiting, key=lambda seat: int(row["endowment"][seat] - spent[seat]))
