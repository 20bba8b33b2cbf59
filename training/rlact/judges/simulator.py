"""The simulator judge: estimate the expected profit of actions by rolling out each of them many times.

Hidden information is resampled in every rollout, and all actions of a state share the same random numbers. The
published judge of RLAct is a language model (HARBOR, arXiv 2502.12149); this one simulates the game instead.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.training.rlact.judges.continuations import (
    best_of,
    check_later_bidder,
    evaluate,
    is_rule_bidder,
)
from aucenv.training.rlact.judges.inferred_rivals import Rivals, draw_tables, infer_rivals
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.sealed.shares import share_ladder, share_profits
from aucenv.training.rlact.states.decision_points import SEAT_HOLDER, AnyScenario, Decisions, Lineups
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.states import ActionValues, DecisionState, bounds

from aucenv.core.adapters.threads import Threads
from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.state import IDLE, WITHDRAW
from aucenv.core.words.bidder_name import joined_names, parse_bidder
from aucenv.core.words.money import to_dollars
from aucenv.policy.registry import make_policy, rule_bidders

USUAL, RECORDED, INFERRED = "usual", "recorded", "inferred"
GAME = "{game}"
"""In the name of a bidder, this stands for the name of the game, as in the name of a file."""
MAX_LINEUPS = 36
MOST_INFERRED = 10_000
"""The maximum number of rollouts of an action with inferred rivals, each of which has its own copy of the state."""


@dataclasses.dataclass(frozen=True)
class Simulator:
    """The settings of rollouts, and the methods that run them.

    Attributes:
        samples: number of rollouts of each action.
        own: the bidder that makes the seat's later decisions, or several ones, separated by `+`, of which the best for
            each action does; `;` stands for commas. Bidders other than rule bidders have to decide from the View alone
            (see `continuations.check_later_bidder`), and are slow unless they have `act_rows`; see `row_rollouts`.
            "usual", which may be one of several, is LATER_BIDDERS of the game's `learning.py` if the rivals are
            inferred, and else the first name in JUDGE. `{game}` stands for the name of the game.
        rivals: rule bidders, separated by `+`; the rollouts cycle through all combinations of them in the rivals'
            seats. "usual" is the second name in JUDGE. "inferred" draws the rivals from many bidders by how well these
            explain the bids so far; see `inferred_rivals`. "recorded" stands for the rivals in the state's game, which
            no seat can know.
        noise: the probability that a rival makes a mistake at a decision; see `rollout.evaluate_actions`.
        ladder: the maximum number of bids that are compared, besides withdrawing; see `legal_ladder`.
        seed: seed of the rollouts.
        threads: number of threads; results do not depend on it.

    Raises:
        ValueError: A number is out of range.
    """

    samples: int = 128
    own: str = USUAL
    rivals: str = USUAL
    noise: float = 0.02
    ladder: int = 4
    seed: int = 0
    threads: int = dataclasses.field(default=1, compare=False)

    def __post_init__(self) -> None:
        most = MOST_INFERRED if self.rivals == INFERRED else 1_000_000
        whole_number("samples", self.samples, 2, most)
        number("noise", self.noise, 0, 1)
        whole_number("ladder", self.ladder, 1, 30)
        whole_number("seed", self.seed, 0)
        whole_number("threads", self.threads, 1, 1024)

    def describe(self, game: str) -> str:
        """Return the settings as text, with the names of the bidders that play games of this kind."""
        if game == SEALED_BID:
            return "exact expected profits, rivals=inferred"
        own, rivals = "+".join(self.later_bidders(game)), "+".join(self.rival_bidders(game)) or self.rivals
        numbers = f"samples={self.samples}, noise={self.noise:g}, ladder={self.ladder}, seed={self.seed}"
        return f"own={own}, rivals={rivals}, {numbers}"

    def bidders(self, states: Iterable[DecisionState]) -> set[str]:
        """Return the names of the bidders that play in rollouts of these states."""
        games = {state.game for state in states} - {SEALED_BID}
        return {name for game in games for name in (*self.later_bidders(game), *self.rival_bidders(game))}

    def check(self, game: str) -> None:
        """Raise unless all bidders of rollouts can play the game, and the rivals are rule bidders.

        Raises:
            ValueError: A bidder is not a bidder of the game, cheats, or plays a rival and is not a rule bidder.
        """
        if game == SEALED_BID:
            return
        known = rule_bidders(game)
        for name in self.rival_bidders(game):
            one_of(f"bidder {parse_bidder(name).label!r}, rule bidder", parse_bidder(name).kind, known)
        for name in (*self.later_bidders(game), *self.rival_bidders(game)):
            spec = parse_bidder(name)
            if spec.kind not in known:
                check_later_bidder(name, make_policy(game, name))
                continue
            known[spec.kind].read_parameters(spec)
            if known[spec.kind].cheats:
                raise ValueError(f"bidder {spec.label!r}: expected a bidder that does not cheat")

    def later_bidders(self, game: str) -> list[str]:
        """Return the names of the bidders that make the deciding seat's later decisions."""
        learning = learning_module("game", game)
        usual = learning.LATER_BIDDERS if self.rivals == INFERRED else learning.JUDGE[0]
        names = joined_names(self.own.replace(GAME, game))
        return [each for name in names for each in (joined_names(usual) if name == USUAL else [name])]

    def rival_bidders(self, game: str) -> list[str]:
        """Return the names of the bidders that play the rivals; none if the rivals are recorded or inferred."""
        if self.rivals in (RECORDED, INFERRED):
            return []
        return joined_names(learning_module("game", game).JUDGE[1] if self.rivals == USUAL else self.rivals)

    def legal(self, state: DecisionState) -> list[int]:
        """Return the legal actions that are compared: WITHDRAW, then bids in cents."""
        if state.game == SEALED_BID:
            return share_ladder(state.full_row, state.seat)
        return legal_ladder(state.full_row, state.seat, self.ladder)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the seat's final profit in every rollout; by state, (actions, samples), in cents.

        In sealed-bid auctions, the samples are equal: the expected profit in the round; see `shares`.

        Args:
            actions: by state: legal amounts in cents, or WITHDRAW.

        Raises:
            ValueError: A bidder is not a rule bidder of the game.
        """
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, state in enumerate(states):
            groups[state.game, len(state.bidders), state.full_row.dtype].append(i)
        results: list[np.ndarray] = [np.empty((0, self.samples))] * len(states)
        for (game, _, _), indices in groups.items():
            if game == SEALED_BID:  # equal samples, which have no error
                for i in indices:
                    results[i] = np.repeat(share_profits(states[i], [*actions[i]])[:, None], self.samples, 1)
                continue
            amounts = np.full((len(indices), max(len(actions[i]) for i in indices)), IDLE, np.int64)
            for row, i in zip(amounts, indices, strict=True):
                row[: len(actions[i])] = actions[i]
            keys = np.array([self.keys(int(states[i].id, 16)) for i in indices])
            profits, _ = self.roll_out(self._decisions(game, [states[i] for i in indices]), amounts, keys)
            for i, state_profits in zip(indices, profits, strict=True):
                results[i] = state_profits[: len(actions[i])]
        return results

    def _decisions(self, game: str, states: Sequence[DecisionState]) -> Decisions:
        rows = [state.view().row if self.rivals == INFERRED else state.full_row for state in states]
        return Decisions(
            game,
            np.concatenate(rows),
            np.array([state.seat for state in states]),
            [state.scenario_text for state in states],
            [state.history for state in states],
            [state.bidders for state in states],
        )

    def roll_out(self, decisions: Decisions, actions: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, list[Rivals]]:
        """Roll out actions of the deciding seats.

        If several bidders can make the later decisions, the one with which an action's mean profit is highest does so.

        Args:
            decisions: The decision points; with inferred rivals, their rows are those that the seats see.
            actions: (decisions, actions), in cents or WITHDRAW; IDLE where a decision has fewer actions.
            keys: (decisions, samples), which seed all random numbers of the rollouts.

        Returns:
            The final profits, (decisions, actions, samples), in cents, and what each seat infers about its rivals:
            nothing, unless `rivals` is "inferred".
        """
        later = self.later_bidders(decisions.game)
        if self.rivals != INFERRED:
            return best_of([self._roll_out_lineups(decisions, actions, own, keys) for own in later]), []
        profits, inferred = [], []
        with Threads(self.threads) as threads:
            for first in range(0, len(decisions), self.threads):
                now = slice(first, first + self.threads)
                part = decisions.part(first, first + self.threads)
                rivals = infer_rivals(part, keys[now], self.noise, threads)
                worlds, lineups = draw_tables(part, rivals, keys[now])
                chosen = np.arange(len(lineups[0])).reshape(keys[now].shape)
                settings = keys[now], self.noise, min(self.threads, len(part))
                profits.append(
                    best_of([evaluate(part, worlds, actions[now], lineups, chosen, own, *settings) for own in later])
                )
                inferred += [dataclasses.replace(each, worlds=each.worlds[:0].copy()) for each in rivals]
        return np.concatenate(profits), inferred

    def _roll_out_lineups(self, decisions: Decisions, actions: np.ndarray, own: str, keys: np.ndarray) -> np.ndarray:
        game, seats = decisions.game, decisions.seats.tolist()
        by_state = [self.lineups(game, *each) for each in zip(seats, decisions.bidders, strict=True)]
        distinct = list(dict.fromkeys(lineup for lineups in by_state for lineup in lineups))
        lineup_index = {lineup: index for index, lineup in enumerate(distinct)}
        chosen = np.array([[lineup_index[lineup] for lineup in lineups] for lineups in by_state])
        lineups = _encoded(game, tuple(distinct))
        return evaluate(decisions, decisions.rows, actions, lineups, chosen, own, keys, self.noise, self.threads)

    def keys(self, number: int) -> np.ndarray:
        """Return the random keys of a state's rollouts, which depend on the seed and the state's number alone."""
        return np.random.default_rng([self.seed, number]).integers(0, 2**63 - 1, self.samples)

    def lineups(self, game: str, seat: int, bidders: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the lineups of rollouts: all combinations of rivals, and a rule bidder in the deciding seat.

        If there are more than MAX_LINEUPS combinations, return MAX_LINEUPS random ones.
        """
        kinds = self.rival_bidders(game)
        others = [bidder for s, bidder in enumerate(bidders) if s != seat]
        combinations: Iterable[tuple[str, ...]] = itertools.product(kinds, repeat=len(others))
        if self.rivals == RECORDED:
            combinations = [tuple(others)]
        elif len(kinds) ** len(others) > MAX_LINEUPS:
            rng = np.random.default_rng([self.seed, len(others)])
            combinations = [tuple(map(str, rng.choice(kinds, len(others)))) for _ in range(MAX_LINEUPS)]
        own = next((name for name in self.later_bidders(game) if is_rule_bidder(game, name)), SEAT_HOLDER)
        return [(*rivals[:seat], own, *rivals[seat:]) for rivals in combinations]

    def action_values(self, states: Sequence[DecisionState]) -> list[ActionValues]:
        """Estimate the value of each state's legal actions."""
        actions = [self.legal(state) for state in states]
        action_values = []
        for state, legal, profits in zip(states, actions, self.profits(states, actions), strict=True):
            means, errors = profits.mean(1), standard_error(profits - profits[0])
            dollars = tuple(None if amount == WITHDRAW else to_dollars(amount) for amount in legal)
            mean, error = (tuple((values / 100).round(2).tolist()) for values in (means, errors))
            action_values.append(ActionValues(dollars, mean, error, self.describe(state.game)))
        return action_values


@lru_cache(maxsize=256)
def _encoded(game: str, lineups: tuple[tuple[str, ...], ...]) -> Lineups:
    return read_lineups(game, lineups, AnyScenario(len(lineups[0])))


def legal_ladder(row: np.ndarray, seat: int, ladder: int) -> list[int]:
    """Return WITHDRAW and up to `ladder` legal bids in cents: the least bid, and 1, 3, 7, ... increments more."""
    least, most, raise_by = bounds(row, seat)
    return [WITHDRAW, *(bid for i in range(ladder) if (bid := least + (2**i - 1) * raise_by) <= most)]


def standard_error(samples: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over the last axis."""
    return samples.std(-1, ddof=1) / np.sqrt(samples.shape[-1])


@dataclasses.dataclass(frozen=True)
class CachedSimulator(Simulator):
    """A `Simulator` with a cache, for training, which meets the same states many times.

    The results are those of `Simulator`, because a rollout's random numbers depend on the seed and the state alone.
    """

    cache: dict[tuple[str, int], np.ndarray] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the same profits as `Simulator.profits`."""
        uncached = [
            (state, list(dict.fromkeys(a for a in each if (state.id, a) not in self.cache)))
            for state, each in zip(states, actions, strict=True)
        ]
        uncached = [(state, missing) for state, missing in uncached if missing]
        if uncached:
            results = super().profits([state for state, _ in uncached], [missing for _, missing in uncached])
            for (state, missing), profits in zip(uncached, results, strict=True):
                self.cache.update({(state.id, a): row for a, row in zip(missing, profits, strict=True)})
        return [np.array([self.cache[state.id, a] for a in each]) for state, each in zip(states, actions, strict=True)]
