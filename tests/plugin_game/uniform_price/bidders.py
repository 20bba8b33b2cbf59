"""Rule bidders, and a bidder for any game."""

from __future__ import annotations

from aucenv.baselines.scripted.policy import Parameter, RuleBidder

from aucenv.core.kernel import draw_below, kernel
from aucenv.core.state import WITHDRAW
from uniform_price import rules

TRUTHFUL, SHADE, RANDOM = range(3)


@kernel
def decide(kind, params, state, b, seat):
    """Return the bid in cents of a bidder of this kind, or WITHDRAW."""
    g = state[b]
    j = g["item"]
    value = g["value"][seat][j]
    if kind == TRUTHFUL:
        return value
    if kind == SHADE:
        return rules.clip(state, b, seat, int(value * params[0]))
    if kind == RANDOM:
        return draw_below(g["highest_value"] // g["step"] + 1, g["seat_key"][seat], 0, j, 0, 0) * g["step"]
    return WITHDRAW


BIDDERS = (
    RuleBidder("truthful", TRUTHFUL, decide, "Bids its value, which is an equilibrium (Krishna, chapter 12)"),
    RuleBidder("shade", SHADE, decide, "Bids a share of its value", (Parameter("share", 0.8, 0, 1),)),
    RuleBidder("random", RANDOM, decide, "Bids a random amount from $0 to the highest value"),
)


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
