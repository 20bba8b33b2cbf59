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
from aucenv.baselines.scripted.rollout import evaluate_actions, read_lineups

from aucenv.core.files import JsonObject
from aucenv.core.kernel import warn_if_slow
from aucenv.core.state import IDLE, NOBODY
from aucenv.core.threads import Threads
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
SHOWN = 0.05
"""The least weight of a family in notes."""
TREMBLE = 0.05
"""The probability of a mistake that inference assumes at the least, because no family is exactly right."""
TEMPER = 0.5
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
    pairs = [read_lineups(game, [[name]], _Anybody()) for name in names]
    kinds, params = (np.concatenate(arrays)[:, 0] for arrays in zip(*pairs, strict=True))
    families = (*dict.fromkeys(family for family, _ in members), UNKNOWN)
    return Prior(kinds, params, families, np.repeat(np.arange(len(families)), PER_FAMILY))


def drawn_members(game: str, number: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """Draw bidders of each family to train on, with wider ranges: pairs of the family and the bidder's name."""
    families = [_widened(family) for family in load_population().families(game, TRAIN)]
    return [(family.name, family.draw(rng)) for family in families for _ in range(number)]


class _Anybody:
    """A stand-in for a scenario of one bidder, with the attributes that `read_lineups` needs."""

    name = "at the table"
    bidders = (None,)


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
    """What a seat infers about its rivals.

    Attributes:
        seats: The rivals' seats.
        weights: (rivals, bidders) The weight of each bidder of the prior, for each rival; each row adds up to 1.
        worlds: (bidders,) A state for each bidder, with its values and its private information in all rivals' seats.
        explained: Whether any bidder explains the bids; otherwise, only strangers have weight.
    """

    seats: tuple[int, ...]
    weights: np.ndarray
    worlds: np.ndarray
    explained: tuple[bool, ...]

    @property
    def effective(self) -> np.ndarray:
        """(rivals,) The effective sample size: the number of bidders with equal weights that would vary as little."""
        return 1.0 / (self.weights**2).sum(1)

    def by_family(self, game: str) -> np.ndarray:
        """Return the weight of each family, (rivals, families)."""
        members = prior(game)
        totals = np.zeros((len(self.seats), len(members.families)))
        np.add.at(totals.T, members.family, self.weights.T)
        return totals

    def notes(self, game: str, names: Sequence[str]) -> JsonObject:
        """Return the families with a weight of at least SHOWN and the effective sample size, by rival.

        Args:
            names: The names of all seats.
        """
        shown, families = {}, prior(game).families
        for seat, weights, known in zip(self.seats, self.by_family(game), self.explained, strict=True):
            order = sorted(range(len(families)), key=lambda number: -weights[number])
            kinds = {families[number]: round(float(weights[number]), 3) for number in order if weights[number] >= SHOWN}
            shown[names[seat]] = kinds if known else {UNKNOWN: 1.0}
        ess = dict(zip((names[seat] for seat in self.seats), self.effective.round(1).tolist(), strict=True))
        return {"kinds": shown, "ess": ess}


def infer_rivals(
    game: str,
    rows: np.ndarray,
    seats: Sequence[int],
    histories: Sequence[Sequence[Sequence[int]]],
    keys: np.ndarray,
    noise: float,
    threads: Threads,
) -> list[Rivals]:
    """Infer the rivals in decision states.

    Args:
        rows: (decisions,) The states as the deciding seats see them.
        seats: The numbers of the deciding seats.
        histories: The closed rounds of each game, as in `View`.
        keys: (decisions, bidders) Each key seeds a world.
        noise: The probability that a rival makes a mistake; at least TREMBLE is assumed.
    """
    warn_if_slow()
    inference = find_family(game).game.inference
    assert inference is not None
    members, room = prior(game), rows["acting"].shape[1]
    rounds = [closed_rounds(row, seat, history) for row, seat, history in zip(rows, seats, histories, strict=True)]
    longest = max(len(ties) for _, ties in rounds)
    amounts = np.full((len(rows), longest + 1, room), IDLE, np.int64)
    ties = np.full((len(rows), longest + 1), NOBODY, np.int64)
    for i, (bids, winners) in enumerate(rounds):
        amounts[i, : len(bids)], ties[i, : len(winners)] = bids, winners
    size = inference.memory_size(int(rows["num_seats"].max()), int(rows["num_items"].max()))
    worlds = np.empty((len(rows), len(members.kinds)), rows.dtype)
    log_weights = np.empty((len(rows), room, len(members.kinds)))
    replayed = np.empty(len(rows), np.int64)
    threads.run(
        inference.weigh_bidders,
        len(rows),
        worlds,
        rows,
        np.array(seats),
        amounts,
        ties,
        np.array([len(winners) for _, winners in rounds]),
        members.kinds,
        members.params,
        max(noise, TREMBLE),
        keys,
        threads.scratch(size, dtype=np.float64),
        log_weights,
        replayed,
    )
    found = []
    for i, seat in enumerate(seats):
        others = tuple(s for s in range(int(rows["num_seats"][i])) if s != seat)
        pairs = [posterior(members, log_weights[i, s], bool(replayed[i])) for s in others]
        found.append(Rivals(others, np.array([p for p, _ in pairs]), worlds[i], tuple(known for _, known in pairs)))
    return found


def posterior(members: Prior, log_weights: np.ndarray, replayed: bool) -> tuple[np.ndarray, bool]:
    """Return the weights of bidders, and whether any of them explains the bids.

    Args:
        log_weights: (bidders,) Log likelihoods.
        replayed: Whether the bids lead to the game's state; otherwise they say nothing.
    """
    strangers = members.family == len(members.families) - 1
    best = log_weights.max()
    if not replayed or not np.isfinite(best):
        return strangers / strangers.sum(), False
    weights = np.exp(TEMPER * (log_weights - best))
    weights /= weights.sum()
    total = weights[strangers].sum()
    if total < LEAST_UNKNOWN:
        share = weights[strangers] / total if total > 0 else 1 / strangers.sum()
        weights *= (1 - LEAST_UNKNOWN) / (1 - total)
        weights[strangers] = LEAST_UNKNOWN * share
    return weights, True


def draw_worlds(
    game: str, row: np.ndarray, rivals: Rivals, keys: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a world for each key, with a bidder for each rival.

    Rivals are independent of each other, given their bids. The values of items that are not sold are those of the
    world of one of the rivals, in turn.

    Args:
        row: (1,) The state as the deciding seat sees it.

    Returns:
        The worlds, (keys,), and the bidders' numbers in the prior, (keys, rivals).
    """
    inference = find_family(game).game.inference
    assert inference is not None
    number = len(keys)
    worlds = np.repeat(row, number)
    bidders = np.empty((number, len(rivals.seats)), np.int64)
    for i, (seat, weights) in enumerate(zip(rivals.seats, rivals.weights, strict=True)):
        points = (rng.random() + np.arange(number)) / number
        chosen = np.minimum(np.searchsorted(weights.cumsum(), points), len(weights) - 1)
        bidders[:, i] = chosen = rng.permutation(chosen)
        for name in inference.private:
            worlds[name][:, seat] = rivals.worlds[name][chosen, seat]
        turn = np.arange(i, number, len(rivals.seats))
        for name in inference.hidden:
            worlds[name][turn] = rivals.worlds[name][chosen[turn]]
    return worlds, bidders


def closed_rounds(row: Any, decider: int, history: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the amounts of each closed round, (rounds, seats), and the seat that won a tie in it, (rounds,).

    Whoever wins a tie has no decision in the next round. In the last round of an item, it is the item's winner.
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
        tied = np.flatnonzero(amounts[r] == highest)
        if highest >= 0 and len(tied) > 1:
            following = numbers.get((item, number + 1))
            leads = [s for s in tied if following is None or amounts[following, s] == IDLE] or list(tied)
            known = row["leader"] if item == row["item"] else row["winner"][item]
            ties[r] = known if known in leads else leads[0]
    return amounts, ties


def evaluate_inferred(
    game: str,
    rows: np.ndarray,
    seats: Sequence[int],
    histories: Sequence[Sequence[Sequence[int]]],
    actions: np.ndarray,
    own: Sequence[str],
    keys: np.ndarray,
    noise: float,
    num_threads: int = 1,
) -> tuple[np.ndarray, list[Rivals]]:
    """Roll out actions between the deciding seat and inferred rivals, as `rollout.evaluate_actions` does for known ones.

    Args:
        rows: (decisions,) The states as the deciding seats see them.
        seats, histories: See `infer_rivals`.
        actions: (decisions, actions) In cents or WITHDRAW; IDLE where a decision has fewer actions.
        own: The rule bidder that makes the deciding seat's later decisions.
        keys: (decisions, keys) Each one seeds all random numbers of its continuations.
        noise: The probability that a rival makes a mistake.

    Returns:
        The profits, (decisions, actions, keys), in cents, and what each deciding seat infers.
    """
    members = prior(game)
    own_kinds, own_params = (array[:, 0] for array in read_lineups(game, [[name] for name in own], _Anybody()))
    num_seats, number = int(rows["num_seats"][0]), keys.shape[1]
    results, inferred = [], []
    rngs = [np.random.default_rng([1, int(each[0])]) for each in keys]
    world_keys = np.array([rng.integers(0, 2**63 - 1, len(members.kinds)) for rng in rngs])
    with Threads(num_threads) as threads:
        for first in range(0, len(rows), num_threads):
            now = slice(first, first + num_threads)
            rivals = infer_rivals(game, rows[now], seats[now], histories[now], world_keys[now], noise, threads)
            inferred += rivals
            worlds = np.empty((len(rivals), number), rows.dtype)
            kinds = np.empty((len(rivals) * number, num_seats), np.int64)
            params = np.empty((*kinds.shape, members.params.shape[1]))
            for i, each in enumerate(rivals, start=first):
                worlds[i - first], bidders = draw_worlds(game, rows[i : i + 1], each, keys[i], rngs[i])
                at = slice((i - first) * number, (i - first + 1) * number)
                kinds[at, each.seats] = members.kinds[bidders]
                params[at, each.seats] = members.params[bidders]
            chosen = np.arange(len(kinds)).reshape(len(rivals), number)
            deciders = np.repeat(seats[now], number)
            profits = []
            for kind, parameters in zip(own_kinds, own_params, strict=True):
                kinds[np.arange(len(kinds)), deciders], params[np.arange(len(kinds)), deciders] = kind, parameters
                profits.append(
                    evaluate_actions(
                        game, worlds, np.array(seats[now]), actions[now], (kinds, params), chosen, keys[now], noise,
                        min(num_threads, len(rivals)),
                    )
                )  # fmt: skip
            results.append(best_of(profits))
    return np.concatenate(results), inferred


def best_of(profits: Sequence[np.ndarray]) -> np.ndarray:
    """Return the profits of each action with the bidder for the later decisions with which their mean is highest.

    Args:
        profits: For each bidder, (decisions, actions, keys).
    """
    stacked = np.array(profits)
    best = stacked.mean(-1).argmax(0)
    return np.take_along_axis(stacked, best[None, ..., None], 0)[0]
