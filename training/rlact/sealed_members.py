"""The bidders that may play a rival's seat in a sealed-bid auction, with the probability of each of their bids.

They are drawn from the families of the population to train on; the unknown family bids random shares of its value, or
any bid. As the probability of each bid at each signal is known, inference needs no samples of hidden values.

Only the members `regret` have memory. They learn from their earlier signals and bids, which are hidden; in place of
their regrets, the expected regrets given the revealed bids determine their bids.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.training.rlact.inferred_rivals import LIMITS, UNKNOWN, drawn_members
from aucenv.training.rlact.sealed_profits import by_state, num_states

from aucenv.core.money import to_cents
from aucenv.envs.sealed_bid.scenario import Scenario
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
MOST_CELLS = 100_000
"""The most signals times bids of a scenario."""


@dataclasses.dataclass(frozen=True, eq=False)
class Members:
    """Bidders that may play a rival's seat in a scenario.

    Attributes:
        families: The names of the families; the last one is UNKNOWN.
        family: (members,) The number of each member's family.
        chances: (members, signals, bids) The probability of each bid at each signal, with mistakes.
        by_state: (members, states, bids) The same in each state: see `sealed_profits.by_state`.
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
def members_of(scenario: Scenario) -> Members:
    """Return the members that can play a scenario; they are the same in every process."""
    rng = np.random.default_rng(0)
    names, rules, levels = [], [], {}
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


def _chances(scenario: Scenario, policy: Any) -> np.ndarray:
    """Return the probability of each bid at each signal, (signals, bids), in a game's first round."""
    bidder, params = policy.bidder, policy.params
    if bidder.name == "regret":
        return level_chances(scenario, np.ones(int(params[0]) + 1))
    if bidder.name == "noisy":
        share, spread = params[:2]
        return share_chances(scenario, share - spread, share + spread)
    bids = bids_of(lambda state, b, seat: bidder.decide(bidder.kind, params, state, b, seat), scenario)
    return _with_mistakes(scenario, bids[:, None], np.ones((1, 1)))


def share_chances(scenario: Scenario, low: float, high: float) -> np.ndarray:
    """Return the probability of each bid, (signals, bids), of a bidder whose share of its value is uniform."""
    shares = low + (high - low) * (np.arange(POINTS) + 0.5) / POINTS
    bids = as_bids(scenario, np.maximum(0, _values(scenario)[:, None] * shares) / 100)
    return _with_mistakes(scenario, bids, np.full((1, POINTS), 1 / POINTS))


def level_chances(scenario: Scenario, regrets: np.ndarray) -> np.ndarray:
    """Return the probability of each bid, (signals, bids), with regret matching.

    Args:
        regrets: (levels + 1,) Those of the shares 0, 1/levels, ..., 1; the negative ones do not count.
    """
    bids = as_bids(scenario, _levels(scenario, len(regrets) - 1) / 100)
    return _with_mistakes(scenario, bids, _shares_of(regrets)[None])


def _shares_of(regrets: np.ndarray) -> np.ndarray:
    """Return the probability of each level; without a positive regret, all are equally likely."""
    chances = np.maximum(regrets, 0)
    return chances / chances.sum() if chances.sum() > 0 else np.full(len(regrets), 1 / len(regrets))


def _levels(scenario: Scenario, levels: int) -> np.ndarray:
    """Return the amounts at each signal that regret matching compares, (signals, levels + 1), in cents."""
    return signals(scenario)[:, None] * np.arange(levels + 1) / levels


def _values(scenario: Scenario) -> np.ndarray:
    """Return the expected value of the prize at each signal, in cents, as rule bidders compute it."""
    grid = signals(scenario)
    if scenario.values != "cv":
        return grid.astype(float)
    (low, high), error = map(to_cents, scenario.value_range), to_cents(scenario.signal_error)
    return 0.5 * (np.maximum(low, grid - error) + np.minimum(high, grid + error))


def _with_mistakes(scenario: Scenario, bids: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Return the probability of each bid, (signals, bids), from those of bids in cents, both (signals or 1, draws)."""
    grid = bid_grid(scenario)
    bids, chances = np.broadcast_arrays(bids, chances)
    places = np.searchsorted(grid[:-1], bids) + len(grid) * np.arange(len(bids))[:, None]
    counts = np.bincount(places.ravel(), chances.ravel(), len(bids) * len(grid)).reshape(len(bids), -1)
    usual = grid <= max(to_cents(scenario.highest_value), grid[1])
    return (1 - TREMBLE) * counts + TREMBLE * usual / usual.sum()


def hindsight_regrets(
    scenario: Scenario, regrets: np.ndarray, bids: Sequence[int], states: range, common: int | None
) -> np.ndarray:
    """Return the expected regrets of a round for a member that plays regret matching: (levels + 1,) in cents.

    Which bid and which signal it had is hidden: both are weighted by their probabilities. A tie counts as lost, as for
    the bidder.

    Args:
        regrets: (levels + 1,) Its regrets before the round.
        bids: All bids of the round, in cents, negative for abstaining; the last one is not the member's.
        states: The states that are possible in the round, all equally likely.
        common: With common values, the prize's value in cents.
    """
    grid, levels = signals(scenario), len(regrets) - 1
    width = len(grid) - num_states(scenario) + 1
    amounts = _levels(scenario, levels)
    values = grid[:, None] if common is None else np.full((len(grid), 1), common)
    likely = np.bincount((np.array(states)[:, None] + np.arange(width)).ravel(), minlength=len(grid))
    chosen = likely[:, None] * _shares_of(regrets)
    placed = as_bids(scenario, amounts / 100)
    total, weights = np.zeros(levels + 1), 1e-12
    for number, bid in enumerate(bids[:-1]):
        chances = (chosen * (placed == bid)).sum(axis=1)
        rivals = sorted([*bids[:number], *bids[number + 1 :]], reverse=True)
        earned = (_hindsight(scenario, amount, values, rivals) for amount in (amounts.astype(int), np.array([[bid]])))
        total += chances @ np.subtract(*earned)
        weights += chances.sum()
    return total / weights


def _hindsight(scenario: Scenario, bids: np.ndarray, values: np.ndarray, rivals: Sequence[int]) -> np.ndarray:
    """Return what bids would have earned at values against the rivals' bids, which are in descending order."""
    reserve = to_cents(scenario.reserve)
    price = {"second": rivals[0], "third": rivals[min(1, len(rivals) - 1)]}.get(scenario.pricing, bids)
    lost = -np.maximum(bids, 0) if scenario.pricing == "all_pay" else 0
    return np.where((bids > rivals[0]) & (bids >= reserve), values - np.maximum(price, reserve), lost)
