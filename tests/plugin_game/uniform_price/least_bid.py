"""A bidder for any game."""

from __future__ import annotations


class LeastBid:
    """Bids $0 in every round; for games in which 0 is a legal bid.

    Args:
        dollars: the bid.
    """

    interface = "amount"

    def __init__(self, dollars: str = "0") -> None:
        self.dollars = float(dollars)

    def reset(self, seat: str, seed: int) -> None:
        """Keep nothing from game to game."""

    def act(self, view: object, observation: object) -> float:
        return self.dollars

    def close_game(self, view: object) -> None:
        """Record no notes."""
