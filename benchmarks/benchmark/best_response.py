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
from aucenv.training.rlact.sealed.profits import (
    PRICINGS,
    by_state,
    independent_ties,
    num_states,
    possible_states,
    round_profits,
)

from aucenv.core.files import JsonMapping
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.money import to_dollars
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.sealed_bid.rules import clip
from aucenv.policy.registry import make_policy
from aucenv.theory import bid_grid, signals

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

    def __init__(self, scenario: SealedBidScenario, bidders: Sequence[str], seat: int) -> None:
        if not isinstance(scenario, SealedBidScenario):
            raise ValueError("best response: expected a scenario of sealed_bid")
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
        profits = round_profits(self.scenario, signal, known_ties(self.scenario, signal, rivals))
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


def known_ties(scenario: SealedBidScenario, signal: int, rival_bids: np.ndarray) -> np.ndarray:
    """Return `ties` as `round_profits` takes it, of independent rivals whose bid at each signal is known.

    Args:
        rival_bids: (rivals, signals) int64, cents, negative for abstaining.
    """
    bids, states, possible = bid_grid(scenario), num_states(scenario), possible_states(scenario, signal)
    pair = (rival_bids[..., None] == bids, rival_bids[..., None] < bids)
    at, below = (by_state(each.astype(float), states)[:, possible.start : possible.stop] for each in pair)
    return independent_ties(at, below)
