"""Members that play regret matching in sealed-bid auctions: how they bid, given the revealed bids.

Their regrets depend on their earlier signals and bids, which are hidden. Expected regrets take their place: each bid of
a round may be theirs, at any signal, with weights that are the probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from aucenv.training.rlact.sealed.profits import num_states

from aucenv.core.words.money import to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.theory import as_bids, signals


class Learners:
    """Bidders that play regret matching; see the rule bidder `regret`.

    Args:
        scenario: The scenario, in which all bids are revealed.
        levels: The number of levels of each of them.

    Attributes:
        bids: (learners, signals, levels + 1 or more) The bids that they choose among, in cents.
        regrets: (learners, levels + 1 or more) The expected regrets, in cents.
    """

    def __init__(self, scenario: SealedBidScenario, levels: Sequence[int]) -> None:
        self.scenario, self.signals = scenario, signals(scenario)
        count, level = np.array(levels)[:, None], np.arange(max(levels) + 1)
        self.real = level <= count
        self.amounts = self.signals[:, None] * np.minimum(level / count, 1)[:, None]
        self.bids = as_bids(scenario, self.amounts / 100)
        self.regrets = np.zeros(self.real.shape)

    @property
    def chances(self) -> np.ndarray:
        """The probability of each level, (learners, levels + 1 or more): all the same without a positive regret."""
        weights = np.maximum(self.regrets, 0) * self.real
        weights = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, self.real)
        return weights / weights.sum(axis=1, keepdims=True)

    def learn(self, bids: Sequence[int], states: range, common: int | None) -> None:
        """Add the expected regrets of a round. A tie counts as lost, as for the bidder.

        Args:
            bids: All bids of the round, in cents, negative for abstaining; the last one is not of a learner.
            states: The states that are possible in the round, all equally likely.
            common: With common values, the prize's value in cents.
        """
        width = len(self.signals) - num_states(self.scenario) + 1
        likely = np.bincount((np.array(states)[:, None] + np.arange(width)).ravel(), minlength=len(self.signals))
        chosen = likely[:, None] * self.chances[:, None]
        total, weights = np.zeros(self.regrets.shape), np.full((len(self.regrets), 1), 1e-12)
        for number, bid in enumerate(bids[:-1]):
            chances = np.where(self.bids == bid, chosen, 0).sum(axis=2)
            rivals = sorted([*bids[:number], *bids[number + 1 :]], reverse=True)
            earned, actual = (
                self._hindsight(each, common, rivals) for each in (self.amounts.astype(int), np.array([bid]))
            )
            total += (chances[:, None] @ (earned - actual))[:, 0]
            weights += chances.sum(axis=1, keepdims=True)
        self.regrets += total / weights

    def _hindsight(self, bids: np.ndarray, common: int | None, rivals: Sequence[int]) -> np.ndarray:
        """Return what bids would have earned at each signal against the rivals' bids, which are in descending order."""
        scenario, values = self.scenario, self.signals[:, None] if common is None else common
        price = {"second": rivals[0], "third": rivals[min(1, len(rivals) - 1)]}.get(scenario.pricing, bids)
        reserve = to_cents(scenario.reserve)
        lost = -np.maximum(bids, 0) if scenario.pricing == "all_pay" else 0
        return np.where((bids > rivals[0]) & (bids >= reserve), values - np.maximum(price, reserve), lost)
