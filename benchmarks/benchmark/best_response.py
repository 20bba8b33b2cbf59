"""The best response in a round of a sealed-bid auction, against rivals whose bid functions are known.

The responder knows the rivals' rules, their parameters and the closed rounds, so that it knows what each rival bids at
each of its possible values or signals in this round; the values themselves it does not know. Unlike in
`aucenv.theory.best_response`, each rival may have another bid function. The response is exact for the round, and does
not try to influence what rivals learn for later rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from aucenv.core.files import JsonMapping
from aucenv.core.money import to_cents, to_dollars
from aucenv.core.seat_view import SeatView
from aucenv.envs.sealed_bid.rules import clip
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.policy.registry import make_policy
from aucenv.theory import bid_grid, signals

PRICINGS = ("first", "second", "all_pay")
VALUES = ("ipv", "cv")


class BestResponse:
    """A bidder that bids the best response in each round.

    Args:
        scenario: The scenario, without a reserve.
        bidders: The bidders of all seats; those of rivals are names of rule bidders.
        seat: The number of its seat.

    Raises:
        ValueError: The best response is not implemented for the scenario, or a rival is not a rule bidder.
    """

    interface: Literal["amount"] = "amount"
    observes = False
    cheats = True  # it reads what rivals have seen, but no values of rivals in the current round

    def __init__(self, scenario: Scenario, bidders: Sequence[str], seat: int) -> None:
        if scenario.pricing not in PRICINGS or scenario.values not in VALUES or scenario.reserve:
            raise ValueError(
                f"best response: expected a pricing of {', '.join(PRICINGS)}, values of {', '.join(VALUES)} and no "
                f"reserve, got {scenario.pricing}, {scenario.values} and a reserve of {scenario.reserve:g}"
            )
        self.scenario = scenario
        self.rivals = {number: make_policy("sealed_bid", name) for number, name in enumerate(bidders) if number != seat}

    def reset(self, seat: str, seed: int) -> None:
        """Do nothing; it keeps no state."""

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        """Return the lowest best bid in dollars."""
        signal = int(view.row["value"][0, view.seat_number, view.item_number])
        rivals = np.array([self.bids(view.row, seat, policy) for seat, policy in self.rivals.items()])
        profits = round_profits(self.scenario, signal, rivals)
        best = int(np.argmax(profits >= profits.max() - 1e-9))  # smaller differences are rounding
        return to_dollars(int(bid_grid(self.scenario)[best]))

    def bids(self, full_row: np.ndarray, seat: int, policy: object) -> np.ndarray:
        """Return what a rival bids at each signal in this round, in cents; WITHDRAW if it abstains."""
        row, now = full_row.copy(), int(full_row["item"][0])
        bidder, params = policy.bidder, policy.params  # type: ignore[attr-defined]  # a rule bidder
        amounts = []
        for signal in signals(self.scenario):
            row["value"][0, seat, now] = signal
            amounts.append(int(clip(row, 0, seat, bidder.decide(bidder.kind, params, row, 0, seat))))
        return np.array(amounts)

    def close_game(self, view: SeatView) -> None:
        """Do nothing; it keeps no state."""


def round_profits(scenario: Scenario, signal: int, rival_bids: np.ndarray) -> np.ndarray:
    """Return the expected profit of each bid of the grid at a signal: (bids,) float64, cents.

    Args:
        signal: The value, or with common values the signal, in cents.
        rival_bids: (rivals, signals) int64, cents, negative for abstaining.
    """
    grid, signal_grid = bid_grid(scenario), signals(scenario)
    low, step = to_cents(scenario.value_range[0]), to_cents(scenario.value_step)
    states = (to_cents(scenario.value_range[1]) - low) // step + 1 if scenario.values == "cv" else 1
    width = len(signal_grid) - states + 1
    place = int(np.searchsorted(signal_grid, signal))
    possible = range(max(0, place - width + 1), min(place, states - 1) + 1)
    total = np.zeros(len(grid))
    for state in possible:
        value = low + step * state if scenario.values == "cv" else signal
        win, price = _win_and_price(grid, rival_bids[:, state : state + width], scenario.pricing)
        total += value * win - (grid if scenario.pricing == "all_pay" else price)
    return total / len(possible)


def _win_and_price(grid: np.ndarray, rival_bids: np.ndarray, pricing: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of winning and the mean price, which is 0 if the seat loses: both (bids,).

    Args:
        rival_bids: (rivals, equally likely draws) int64, in cents; the draws of rivals are independent.
    """
    at = np.array([(bids[:, None] == grid).mean(axis=0) for bids in rival_bids])
    below = np.array([(bids[:, None] < grid).mean(axis=0) for bids in rival_bids])
    ties = np.ones((1, len(grid)))  # by the number of rivals with the same bid, if no rival bids more
    for same, less in zip(at, below, strict=True):
        ties = np.pad(ties * less, ((0, 1), (0, 0))) + np.pad(ties * same, ((1, 0), (0, 0)))
    win = (ties / np.arange(1, len(ties) + 1)[:, None]).sum(axis=0)
    if pricing != "second":
        return win, grid * win
    highest = np.diff((at + below).prod(axis=0), prepend=0.0)  # if all rivals abstain, the price is 0
    lower = np.concatenate([[0.0], np.cumsum(highest * grid)[:-1]])
    return win, lower + grid * (win - ties[0])
