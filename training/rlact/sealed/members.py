"""The bidders that may play a rival's seat in a sealed-bid auction, with the probability of each of their bids.

They are drawn from the families of the population to train on; the unknown family bids random shares of its value, or
any bid. As the probability of each bid at each signal is known, inference needs no samples of hidden values.

Only the members `regret` have memory: see `sealed.regret`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.training.rlact.judges.inferred_rivals import LIMITS, UNKNOWN, drawn_members
from aucenv.training.rlact.sealed.profits import by_state, num_states
from aucenv.training.rlact.sealed.regret import Learners

from aucenv.core.words.money import to_cents
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.policy.registry import make_policy
from aucenv.theory import as_bids, bid_grid, bids_of, signals

GAME = "sealed_bid"
PER_FAMILY = 16
"""The number of bidders of each family."""
WIDTHS = (0.02, 0.5)
"""The range of half the width of the interval from which an unknown bidder draws its share."""
POINTS = 32
"""The number of equally likely shares that stand for an interval of shares."""
TREMBLE = 0.05
"""The probability of a mistake, a bid drawn uniformly: no family is exactly right."""
MOST_CELLS = 50_000
"""The most signals times bids of a scenario."""


@dataclasses.dataclass(frozen=True, eq=False)
class Members:
    """Bidders that may play a rival's seat in a scenario.

    Attributes:
        families: The names of the families; the last one is UNKNOWN.
        family: (members,) The number of each member's family.
        chances: (members, signals, bids) The probability of each bid at each signal, with mistakes.
        by_state: (members, states, bids) The same in each state: see `profits.by_state`.
        levels: The number of levels of the members that play regret matching, by their numbers.
    """

    families: tuple[str, ...]
    family: np.ndarray
    chances: np.ndarray
    by_state: np.ndarray
    levels: Mapping[int, int]

    @property
    def prior(self) -> np.ndarray:
        """(members,) The weights before the first round: all families are equally likely."""
        return 1 / (len(self.families) * np.bincount(self.family)[self.family])

    @property
    def unknown(self) -> np.ndarray:
        """(members,) Whether each member is of the unknown family."""
        return self.family == len(self.families) - 1


@lru_cache(maxsize=8)
def members_of(scenario: SealedBidScenario) -> Members:
    """Return the members that can play a scenario; they are the same in every process."""
    rng = np.random.default_rng(0)
    names: list[str] = []
    rules: list[np.ndarray] = []
    levels: dict[int, int] = {}
    for family, bidder in drawn_members(GAME, PER_FAMILY, rng):
        policy: Any = make_policy(GAME, bidder)
        if policy.why_unplayable(scenario) is None:
            if policy.bidder.name == "regret":
                levels[len(rules)] = int(policy.params[0])
            names.append(family)
            rules.append(_chances(scenario, policy))
    for _ in range(PER_FAMILY - 1):
        center, width = rng.uniform(*LIMITS), np.exp(rng.uniform(*np.log(WIDTHS)))
        rules.append(share_chances(scenario, max(0.0, center - width), center + width))
    rules.append(np.full_like(rules[-1], 1 / rules[-1].shape[1]))  # any bid, so that some member explains each bid
    names += [UNKNOWN] * PER_FAMILY
    families, chances = tuple(dict.fromkeys(names)), np.array(rules)
    numbers = np.array([families.index(name) for name in names])
    return Members(families, numbers, chances, by_state(chances, num_states(scenario)), levels)


def _chances(scenario: SealedBidScenario, policy: Any) -> np.ndarray:
    """Return the probability of each bid at each signal, (signals, bids), in a game's first round."""
    bidder, params = policy.bidder, policy.params
    if bidder.name == "regret":
        learners = Learners(scenario, [int(params[0])])
        return with_mistakes(scenario, learners.bids, learners.chances)[0]
    if bidder.name == "noisy":
        share, spread = params[:2]
        return share_chances(scenario, share - spread, share + spread)
    bids = bids_of(lambda state, b, seat: bidder.decide(bidder.kind, params, state, b, seat), scenario)
    return with_mistakes(scenario, bids[None, :, None], np.ones((1, 1)))[0]


def share_chances(scenario: SealedBidScenario, low: float, high: float) -> np.ndarray:
    """Return the probability of each bid, (signals, bids), of a bidder whose share of its value is uniform."""
    shares = low + (high - low) * (np.arange(POINTS) + 0.5) / POINTS
    bids = as_bids(scenario, np.maximum(0, _values(scenario)[:, None] * shares) / 100)
    return with_mistakes(scenario, bids[None], np.full((1, POINTS), 1 / POINTS))[0]


def _values(scenario: SealedBidScenario) -> np.ndarray:
    """Return the expected value of the prize at each signal, in cents, as rule bidders compute it."""
    grid = signals(scenario)
    if scenario.values != "cv":
        return grid.astype(float)
    (low, high), error = map(to_cents, scenario.value_range), to_cents(scenario.signal_error)
    return 0.5 * (np.maximum(low, grid - error) + np.minimum(high, grid + error))


def with_mistakes(scenario: SealedBidScenario, bids: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return the probability of each bid, (members, signals, bids), with mistakes.

    Args:
        bids: (members, signals, draws) Bids in cents.
        chances: (members, draws) Their probabilities.
    """
    grid, (members, rows) = bid_grid(scenario), bids.shape[:2]
    cells = members * rows * len(grid)
    places = np.searchsorted(grid[:-1], bids) + np.arange(0, cells, len(grid)).reshape(members, rows, 1)
    weights = np.broadcast_to(chances[:, None], bids.shape)
    counts = np.bincount(places.ravel(), weights.ravel(), cells).reshape(members, rows, -1)
    usual = grid <= max(to_cents(scenario.highest_value), grid[1])
    return (1 - TREMBLE) * counts + TREMBLE * usual / usual.sum()
