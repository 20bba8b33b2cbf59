"""Rivals inferred from their bids: many bidders of the population, each weighted by how well it explains a seat's bids.

The prior consists of the families to train on, all equally likely, and of strangers, who bid up to random limits. It
does not contain the families of other splits, and it does not assume that parameters are in the ranges to train on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.baselines.population.families import TRAIN, Family, load_population
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.training.rlact.judges.ties import tie_winner
from aucenv.training.rlact.states.decision_points import AnyScenario, Decisions, Lineups

from aucenv.core.adapters.threads import Threads
from aucenv.core.files import JsonObject
from aucenv.core.kernel import warn_if_slow
from aucenv.core.play.inference import Inference
from aucenv.core.state import IDLE, NOBODY
from aucenv.policy.registry import rule_bidders
from aucenv.registration import find_family

UNKNOWN = "unknown"
"""The name of the family of strangers."""
PER_FAMILY = 24
"""The number of bidders of each family."""
WIDER = 1.0
"""Parameters are drawn from ranges that are wider than those to train on by this share of their width at each end."""
LIMITS, SPREADS = (0.4, 1.1), (0.03, 0.25)
"""The ranges of the parameters of strangers."""
LEAST_UNKNOWN = 0.02
"""The least total weight of strangers."""
CHANGE = 0.5
"""The probability that a rival behaves from now on like a random stranger, regardless of its bids so far.

Bidders that no family describes change: they wait for items, or spend what is left. On validation families, 0.5 is as
good as 0; against bidders that sit out the first items it is much better.
"""
WORLDS, DRAWS = 1, 2
"""Purposes of random numbers, besides continuations."""
SHOWN = 0.05
"""The least weight of a family in notes."""
TREMBLE = 0.03
"""The probability of a mistake that inference assumes at the least, because no family is exactly right."""
TEMPER = 0.95
"""The exponent of the likelihood: below 1, because a bidder that is not exactly right repeats its mistakes."""


@dataclasses.dataclass(frozen=True, eq=False)
class Prior:
    """Bidders that may play a rival's seat.

    Attributes:
        kinds, params: (bidders,), (bidders, any); see `read_lineups`.
        families: The names of the families; the last one is UNKNOWN.
        family: (bidders,) The number of each bidder's family.
    """

    kinds: np.ndarray
    params: np.ndarray
    families: tuple[str, ...]
    family: np.ndarray


@lru_cache
def prior(game: str) -> Prior:
    """Return the prior of a game; it is the same in every process."""
    rng = np.random.default_rng(0)
    members = drawn_members(game, PER_FAMILY, rng)
    names = [name for _, name in members]
    for _ in range(PER_FAMILY):
        spread = np.exp(rng.uniform(*np.log(SPREADS)))
        names.append(f"stranger,limit={rng.uniform(*LIMITS):.3f},spread={spread:.3f}")
    pairs = [read_lineups(game, [[name]], AnyScenario(1)) for name in names]
    kinds, params = (np.concatenate(arrays)[:, 0] for arrays in zip(*pairs, strict=True))
    families = (*dict.fromkeys(family for family, _ in members), UNKNOWN)
    return Prior(kinds, params, families, np.repeat(np.arange(len(families)), PER_FAMILY))


def drawn_members(game: str, number: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Draw bidders of each family to train on, with wider ranges: pairs of the family and the bidder's name."""
    families = [_widened(family) for family in load_population().families(game, TRAIN)]
    return [(family.name, family.draw(rng)) for family in families for _ in range(number)]


def _widened(family: Family) -> Family:
    """Return the family with wider ranges of its parameters."""
    known = {parameter.name: parameter for parameter in rule_bidders(family.game)[family.bidder].parameters}
    ranges = {}
    for name, by_split in family.parameters.items():
        low, high = by_split[TRAIN]
        more = type(low)(WIDER * (high - low))
        ranges[name] = {TRAIN: (max(low - more, type(low)(known[name].least)), min(high + more, known[name].most))}
    return dataclasses.replace(family, parameters=ranges)


@dataclasses.dataclass(frozen=True, eq=False)
class Rivals:
    """A seat's inference about its rivals.

    Attributes:
        game: The name of the game.
        seats: The rivals' seats.
        weights: (rivals, bidders) The weight of each bidder of the prior, for each rival; each row adds up to 1.
        worlds: (bidders,) A state for each bidder, with its values and its private information in all rivals' seats.
        explained: Whether any bidder explains the bids; otherwise, only strangers have weight.
    """

    game: str
    seats: tuple[int, ...]
    weights: np.ndarray
    worlds: np.ndarray
    explained: tuple[bool, ...]

    @property
    def effective(self) -> np.ndarray:
        """(rivals,) The effective sample size: the number of bidders with equal weights that would vary as little."""
        return 1.0 / (self.weights**2).sum(1)

    def by_family(self) -> np.ndarray:
        """Return the weight of each family, (rivals, families)."""
        members = prior(self.game)
        totals = np.zeros((len(self.seats), len(members.families)))
        np.add.at(totals.T, members.family, self.weights.T)
        return totals

    def notes(self, names: Sequence[str]) -> JsonObject:
        """Return the families with a weight of at least SHOWN and the effective sample size, by rival.

        Args:
            names: The names of all seats.
        """
        shown, families = {}, prior(self.game).families
        for seat, weights, known in zip(self.seats, self.by_family(), self.explained, strict=True):
            shown[names[seat]] = shown_families(families, weights) if known else {UNKNOWN: 1.0}
        ess = dict(zip((names[seat] for seat in self.seats), self.effective.round(1).tolist(), strict=True))
        return {"kinds": shown, "ess": ess}


def shown_families(families: Sequence[str], weights: np.ndarray) -> dict[str, float]:
    """Return the families with a weight of at least SHOWN and their weights, the highest first."""
    order = [int(number) for number in np.argsort(-weights) if weights[number] >= SHOWN]
    return {families[number]: round(float(weights[number]), 3) for number in order}


def infer_rivals(decisions: Decisions, keys: np.ndarray, noise: float, threads: Threads) -> list[Rivals]:
    """Infer the rivals in decisions of a game that has `inference`.

    Args:
        keys: (decisions, any) Their first entries seed the worlds.
        noise: The probability that a rival makes a mistake; at least TREMBLE is assumed.
    """
    warn_if_slow()
    game, rows = decisions.game, decisions.rows
    inference = _inference(game)
    members, room = prior(game), rows["acting"].shape[1]
    rounds = [closed_rounds(row, history) for row, history in zip(rows, decisions.histories, strict=True)]
    amounts = np.full((len(rows), max(len(ties) for _, ties in rounds) + 1, room), IDLE, np.int64)
    ties = np.full(amounts.shape[:2], NOBODY, np.int64)
    for i, (bids, winners) in enumerate(rounds):
        amounts[i, : len(bids)], ties[i, : len(winners)] = bids, winners
    size = inference.memory_size(int(rows["num_seats"].max()), int(rows["num_items"].max()))
    rngs = [np.random.default_rng([WORLDS, int(key)]) for key in keys[:, 0]]
    world_keys = np.array([rng.integers(0, 2**63, len(members.kinds)) for rng in rngs])
    worlds = np.empty((len(rows), len(members.kinds)), rows.dtype)
    log_weights = np.empty((len(rows), room, len(members.kinds)))
    replayed = np.empty(len(rows), np.int64)
    threads.run(
        inference.weigh_bidders,
        len(rows),
        worlds,
        rows,
        decisions.seats,
        amounts,
        ties,
        np.array([len(winners) for _, winners in rounds]),
        members.kinds,
        members.params,
        max(noise, TREMBLE),
        world_keys,
        threads.scratch(size, dtype=np.float64),
        log_weights,
        replayed,
    )
    inferred = []
    for i, seat in enumerate(decisions.seats):
        rivals = tuple(s for s in range(int(rows["num_seats"][i])) if s != seat)
        pairs = [posterior(members, log_weights[i, s], bool(replayed[i])) for s in rivals]
        weights, explained = zip(*pairs, strict=True)
        inferred.append(Rivals(game, rivals, np.array(weights), worlds[i], explained))
    return inferred


def _inference(game: str) -> Inference:
    inference = find_family(game).game.inference
    assert inference is not None
    return inference


def posterior(members: Prior, log_weights: np.ndarray, replayed: bool) -> tuple[np.ndarray, bool]:
    """Return the weights of bidders, and whether any of them explains the bids.

    Args:
        log_weights: (bidders,) Log likelihoods.
        replayed: Whether the bids lead to the game's state; otherwise they say nothing.
    """
    strangers = _strangers(members) > 0
    best = log_weights.max()
    if not replayed or not np.isfinite(best):
        return _strangers(members), False
    weights = np.exp(TEMPER * (log_weights - best))
    weights /= weights.sum()
    total = weights[strangers].sum()
    if total < LEAST_UNKNOWN:
        share = weights[strangers] / total if total > 0 else 1 / strangers.sum()
        weights *= (1 - LEAST_UNKNOWN) / (1 - total)
        weights[strangers] = LEAST_UNKNOWN * share
    return weights, True


def _strangers(members: Prior) -> np.ndarray:
    """Return the weights of bidders if only strangers have weight, and all of them the same."""
    strangers = members.family == len(members.families) - 1
    return strangers / strangers.sum()


def draw_worlds(row: np.ndarray, rivals: Rivals, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw a world for each key, with a bidder for each rival.

    Rivals are independent of each other, given their bids. The values of items that are not sold are those of the
    world of one of the rivals, in turn.

    Args:
        row: (1,) The state as the deciding seat sees it.
        keys: (keys,) The first one seeds the draws.

    Returns:
        The worlds, (keys,), and the bidders' numbers in the prior, (keys, rivals).
    """
    inference, number = _inference(rivals.game), len(keys)
    rng = np.random.default_rng([DRAWS, int(keys[0])])
    worlds = np.repeat(row, number)
    bidders = np.empty((number, len(rivals.seats)), np.int64)
    strangers = _strangers(prior(rivals.game))
    for i, (seat, inferred) in enumerate(zip(rivals.seats, rivals.weights, strict=True)):
        weights = (1 - CHANGE) * inferred + CHANGE * strangers
        points = (rng.random() + np.arange(number)) / number
        chosen = np.minimum(np.searchsorted(weights.cumsum(), points), len(weights) - 1)
        bidders[:, i] = chosen = rng.permutation(chosen)
        for name in inference.private:
            worlds[name][:, seat] = rivals.worlds[name][chosen, seat]
        turn = np.arange(i, number, len(rivals.seats))
        for name in inference.hidden:
            worlds[name][turn] = rivals.worlds[name][chosen[turn]]
    return worlds, bidders


def draw_tables(decisions: Decisions, rivals: Sequence[Rivals], keys: np.ndarray) -> tuple[np.ndarray, Lineups]:
    """Draw a world and the rivals' bidders for each key of each decision.

    Args:
        rivals: What each deciding seat infers.
        keys: (decisions, keys).

    Returns:
        The worlds, (decisions, keys), and a lineup for each of them, in order.
    """
    members = prior(decisions.game)
    worlds = np.empty(keys.shape, decisions.rows.dtype)
    kinds = np.zeros((*keys.shape, int(decisions.rows["num_seats"][0])), np.int64)
    params = np.zeros((*kinds.shape, members.params.shape[1]))
    for i, each in enumerate(rivals):
        worlds[i], bidders = draw_worlds(decisions.rows[i : i + 1], each, keys[i])
        kinds[i][:, each.seats] = members.kinds[bidders]
        params[i][:, each.seats] = members.params[bidders]
    return worlds, (kinds.reshape(-1, kinds.shape[-1]), params.reshape(-1, *params.shape[2:]))


def closed_rounds(row: Any, history: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the amounts of each closed round, (rounds, seats), and the seat that won a tie in it, (rounds,).

    See `tie_winner`.
    """
    numbers: dict[tuple[int, int], int] = {}
    for item, number, _, _ in history:
        numbers.setdefault((item, number), len(numbers))
    amounts = np.full((len(numbers), len(row["acting"])), IDLE, np.int64)
    for item, number, seat, amount in history:
        amounts[numbers[item, number], seat] = amount
    ties = np.full(len(numbers), NOBODY, np.int64)
    for (item, number), r in numbers.items():
        highest = amounts[r].max()
        tied = np.flatnonzero(amounts[r] == highest).tolist()
        if highest >= 0 and len(tied) > 1:
            following = numbers.get((item, number + 1))
            decide = [] if following is None else np.flatnonzero(amounts[following] != IDLE).tolist()
            ties[r] = tie_winner(row, item, tied, decide)
    return amounts, ties
