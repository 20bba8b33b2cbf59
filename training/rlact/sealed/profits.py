"""The expected profit of each bid in a round of a sealed-bid auction, against rivals with different bid functions.

`aucenv.theory.expected_profits` does the same for rivals that all have one bid function.
"""

from __future__ import annotations

import numpy as np

from aucenv.core.words.money import to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.theory import bid_grid, signals

PRICINGS = ("first", "second", "all_pay")
"""The pricings that `round_profits` can compute."""


def num_states(scenario: SealedBidScenario) -> int:
    """Return the number of states of a value model, given which the signals are independent: see `aucenv.theory`."""
    if scenario.values == "ipv":
        return 1
    low, high = scenario.value_range
    return (to_cents(high) - to_cents(low)) // to_cents(scenario.value_step) + 1


def possible_states(scenario: SealedBidScenario, signal: int) -> range:
    """Return the states, all equally likely, in which a seat can have this signal in cents."""
    signal_grid, states = signals(scenario), num_states(scenario)
    width, place = len(signal_grid) - states + 1, int(np.searchsorted(signal_grid, signal))
    return range(max(0, place - width + 1), min(place, states - 1) + 1)


def by_state(bid_chances: np.ndarray, states: int) -> np.ndarray:
    """Return the probability of each bid in each state, (..., states, bids), from that at each signal.

    Args:
        bid_chances: (..., signals, bids) Probabilities.
    """
    width = bid_chances.shape[-2] - states + 1
    sums = np.cumsum(bid_chances, axis=-2)
    lower = np.concatenate([np.zeros_like(sums[..., :1, :]), sums[..., : states - 1, :]], axis=-2)
    return (sums[..., width - 1 :, :] - lower) / width


def independent_ties(at: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return `ties` as in `round_profits` of independent rivals: (rivals + 1, states, bids).

    Args:
        at, below: (rivals, states, bids) The probabilities that a rival makes a bid, and that it bids less.
    """
    ties = np.ones((1, *at.shape[1:]))
    for same, less in zip(at, below, strict=True):
        none = np.zeros_like(ties[:1])
        ties = np.concatenate([ties * less, none]) + np.concatenate([none, ties * same])
    return ties


def round_profits(scenario: SealedBidScenario, signal: int, ties: np.ndarray) -> np.ndarray:
    """Return the expected profit of each bid of the grid at a signal: (bids,) float64, cents.

    Args:
        scenario: A scenario with one of PRICINGS.
        signal: The value, or with common values the signal, in cents.
        ties: (rivals + 1, possible states, bids) By the number of rivals, the probability that this many rivals make
            the same bid and the others bid less or abstain.
    """
    grid, possible = bid_grid(scenario), possible_states(scenario, signal)
    common = to_cents(scenario.value_range[0]) + to_cents(scenario.value_step) * np.array(possible)[:, None]
    value, reserve = common if scenario.values == "cv" else signal, to_cents(scenario.reserve)
    win = (ties / np.arange(1, len(ties) + 1)[:, None, None]).sum(axis=0)
    price = grid * win
    if scenario.pricing == "second":
        highest = np.diff(ties.sum(axis=0), prepend=0.0)  # if all rivals abstain, the price is the reserve
        lower = np.cumsum(highest * np.maximum(grid, reserve), axis=1)
        price = np.pad(lower[:, :-1], ((0, 0), (1, 0))) + grid * (win - ties[0])
    sold = grid >= reserve
    return ((value * win * sold) - (grid if scenario.pricing == "all_pay" else price * sold)).mean(axis=0)
