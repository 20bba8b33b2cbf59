"""English auctions in words."""

from __future__ import annotations

import numpy as np

from aucenv.core.money import format_dollars
from aucenv.envs.english.rules import TOO_LOW, least_bid


def refusal(state: np.ndarray, seat: int, amount: int, code: int) -> str:
    """Why the rules refuse a bid of `amount` cents by `seat`: the code that `rules.check` gave, in words."""
    bid = format_dollars(amount)
    if code == TOO_LOW:
        return f"{bid} is below the least legal bid of {format_dollars(int(least_bid(state[0])))}"
    return f"{bid} is above the remaining budget of {format_dollars(int(state['budget'][0, seat]))}"
