"""The beliefs of a seat of a sealed-bid auction about its rivals, given the closed rounds, and its expected profits.

Bids are revealed without names. With two rivals, each pair of members has a weight, and the likelihood of two bids adds
up both assignments. With another number of rivals, each of them is a draw from one mixture of members; a round
multiplies the weight of a member by its likelihood in the seat of one rival, with the mixture in the other seats. This
is exact for one rival.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from aucenv.training.rlact.judges.inferred_rivals import LEAST_UNKNOWN, shown_families
from aucenv.training.rlact.sealed.members import Members, members_of, with_mistakes
from aucenv.training.rlact.sealed.profits import (
    PRICINGS,
    by_state,
    num_states,
    possible_states,
    round_profits,
)
from aucenv.training.rlact.sealed.regret import Learners

from aucenv.core.files import JsonObject
from aucenv.core.words.money import to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.theory import bid_grid, expected_profits, signals

TEMPER = 0.5
"""The exponent of the likelihood: below 1, because a bidder that is not exactly right repeats its mistakes."""
ROWS = 16
"""The rows of a matrix product, so few that BLAS starts no threads, which take long if all cores are busy."""


class Belief:
    """The weights of members in the seats of the rivals, who are alike to the seat, because bids have no names.

    Args:
        scenario: The scenario.
        members: The prior; None = `members_of(scenario)`.
        temper: The exponent of the likelihood.

    Attributes:
        rounds: The number of closed rounds that are included.
    """

    def __init__(self, scenario: SealedBidScenario, members: Members | None = None, temper: float = TEMPER) -> None:
        self.scenario, self.temper, self.rounds = scenario, temper, 0
        self.members = members = members or members_of(scenario)
        self.states, self.grid = num_states(scenario), bid_grid(scenario)
        self.chances = members.chances.copy()
        self.by_state = members.by_state.copy()
        self.levels = sorted(set(members.levels.values()))
        self.learners = Learners(scenario, self.levels) if self.levels else None
        log_prior = np.log(members.prior)
        self.pairs = scenario.num_bidders == 3
        self.log_weights = log_prior[:, None] + log_prior if self.pairs else log_prior

    @property
    def weights(self) -> np.ndarray:
        """The weights, which add up to 1: of each pair of members, or with another number of rivals of each member."""
        weights = _normalised(self.log_weights)
        unknown = self.members.unknown / self.members.unknown.sum()
        if not self.pairs:
            return (1 - LEAST_UNKNOWN) * weights + LEAST_UNKNOWN * unknown
        one_unknown = unknown[:, None] * weights.sum(0)
        return (1 - 2 * LEAST_UNKNOWN) * weights + LEAST_UNKNOWN * (one_unknown + one_unknown.T)

    @property
    def marginal(self) -> np.ndarray:
        """The weight of each member in the seat of a rival, (members,)."""
        return self.weights.sum(0) if self.pairs else self.weights

    def notes(self) -> JsonObject:
        """Return the families that a rival may belong to, with their weights, and the effective number of members."""
        kinds = shown_families(self.members.families, np.bincount(self.members.family, self.marginal))
        return {"kinds": kinds, "ess": round(float(1 / (self.marginal**2).sum()), 1)}

    def observe(self, row: Any, seat: int) -> None:
        """Include the rounds that were closed since the last call.

        Args:
            row: The state as the seat sees it.
        """
        for j in range(self.rounds, int(row["item"])):
            common = None
            if self.scenario.values == "cv" and (self.scenario.reveal == "all" or row["winner"][j] == seat):
                common = int(row["common"][j])
            states = self._states(int(row["value"][seat, j]), common)
            if self.scenario.reveal == "all":
                ranked = [int(bid) for bid in row["ranked"][j, : self.scenario.num_bidders]]
                ranked.remove(int(row["bid"][seat, j]))
                self._weigh(self._likelihood_of_bids(ranked, states))
                self._learn([*ranked, int(row["bid"][seat, j])], states, common)
            else:
                self._weigh(self._likelihood_of_highest(*highest_rival_bid(self.scenario, row, seat, j), states))
        self.rounds = int(row["item"])

    def profits(self, signal: int) -> np.ndarray:
        """Return the expected profit of each bid of the grid at a signal in cents: (bids,) float64, cents.

        Rivals are independent draws of members in third-price auctions, and if there is another number than two.
        """
        weights = self.weights
        if not self.pairs or self.scenario.pricing not in PRICINGS:
            mixture = np.einsum("m,msb->sb", self.marginal, self.chances)
            return 100 * expected_profits(self.scenario, mixture)[np.searchsorted(signals(self.scenario), signal)]
        possible = possible_states(self.scenario, signal)
        at_most = np.cumsum(self.by_state[:, possible.start : possible.stop].swapaxes(0, 1), axis=-1)
        parts = (weights[row : row + ROWS] @ at_most for row in range(0, len(weights), ROWS))
        paired = np.concatenate(list(parts), axis=1)
        both = (at_most * paired).sum(axis=1)
        mixed = (at_most[..., :-1] * paired[..., 1:]).sum(axis=1)
        neither, mixed = (np.pad(part, ((0, 0), (1, 0))) for part in (both[:, :-1], mixed))
        return round_profits(
            self.scenario, signal, np.array([neither, 2 * (mixed - neither), both - 2 * mixed + neither])
        )

    def _states(self, signal: int, common: int | None) -> range:
        """Return the states, all equally likely, in which the seat has its signal; one of them if it is revealed."""
        if common is None:
            return possible_states(self.scenario, signal)
        state = (common - to_cents(self.scenario.value_range[0])) // to_cents(self.scenario.value_step)
        return range(state, state + 1)

    def _weigh(self, likelihood: np.ndarray) -> None:
        with np.errstate(divide="ignore"):
            self.log_weights = self.log_weights + self.temper * np.log(np.maximum(likelihood, 0))
        self.log_weights -= self.log_weights.max()

    def _likelihood_of_bids(self, bids: list[int], states: range) -> np.ndarray:
        """Return the likelihood of the rivals' bids in cents, up to a factor, in the shape of the weights."""
        places = np.minimum(np.searchsorted(self.grid, bids), len(self.grid) - 1)
        chances = self.by_state[:, states.start : states.stop][..., places]
        if self.pairs:
            one_way = chances[..., 0] @ chances[..., 1].T
            return one_way + one_way.T
        mixture = np.einsum("m,msb->sb", self.weights, chances)
        by_state = mixture.prod(axis=1)
        return (chances / mixture).mean(axis=2) @ (by_state / by_state.sum())

    def _likelihood_of_highest(self, least: int, most: int, states: range) -> np.ndarray:
        """Return the likelihood that the highest bid of a rival is from `least` to `most`, both in cents."""
        sums = np.pad(np.cumsum(self.by_state[:, states.start : states.stop], axis=-1), ((0, 0), (0, 0), (1, 0)))
        under = sums[..., np.searchsorted(self.grid, least)]
        at_most = sums[..., np.searchsorted(self.grid, most, side="right")]
        if self.pairs:
            return at_most @ at_most.T - under @ under.T
        weights, others = self.weights, self.scenario.num_bidders - 2
        return at_most @ (weights @ at_most) ** others - under @ (weights @ under) ** others

    def _learn(self, bids: list[int], states: range, common: int | None) -> None:
        """Let the members that play regret matching learn from a round in which all bids are revealed."""
        if self.learners is not None:
            self.learners.learn(bids, states, common)
            chances = with_mistakes(self.scenario, self.learners.bids, self.learners.chances)
            places = [self.levels.index(levels) for levels in self.members.levels.values()]
            self.chances[list(self.members.levels)] = chances[places]
            self.by_state[list(self.members.levels)] = by_state(chances, self.states)[places]


def highest_rival_bid(scenario: SealedBidScenario, row: Any, seat: int, j: int) -> tuple[int, int]:
    """Return the least and the highest bid in cents that the highest rival may have made in a closed round.

    They follow from who won and from the price, if it is revealed. Abstaining counts as a bid of 0, and ties count in
    full.
    """
    bid, price = int(row["bid"][seat, j]), int(row["price"][j])
    top, reserve = int(bid_grid(scenario)[-1]), to_cents(scenario.reserve)
    if row["winner"][j] == seat:
        if scenario.pricing == "second":
            return (price if price > reserve else 0), price
        return 0, bid
    if price < 0:  # the prize is not sold, or the price is not revealed
        return (0, max(0, reserve - 1)) if scenario.reveal == "price" else (bid if bid >= reserve else 0, top)
    least = min(max(bid, price), top)  # without a cap, there are bids above the grid, which count as its highest bid
    return least, (least if scenario.pricing in ("first", "all_pay") else top)


def _normalised(log_weights: np.ndarray) -> np.ndarray:
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()
