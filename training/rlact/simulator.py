"""What actions are worth: each is played on many times, with what the seat cannot know drawn anew, alike for all.

The published judge of RLAct is a language model (HARBOR, arXiv 2502.12149); this one asks the rules.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import read_lineups, weigh_actions
from aucenv.training.rlact.games import learning_of
from aucenv.training.rlact.states import DecisionState, Worth, bounds

from aucenv.core.bidder_name import inner_name, parse_bidder
from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.money import to_dollars
from aucenv.core.state import IDLE, WITHDRAW
from aucenv.policy.registry import scripted_bidders

USUAL, RECORDED = "usual", "recorded"
MOST_LINEUPS = 36

Lineups = tuple[np.ndarray, np.ndarray]
"""Kinds (lineups, seats) and parameters (lineups, seats, 8)."""


@dataclasses.dataclass(frozen=True)
class Simulator:
    """How games are played on.

    Attributes:
        samples: continuations of each action.
        own: the rule bidder that plays the seat's later decisions; `;` stands for commas.
        rivals: rule bidders with `+` between, each rival as any of them, in all combinations in turn; or "recorded":
            each rival as the bidder that it was, which no seat can know. "usual", here and as own: JUDGE of the
            game's `learning.py`.
        noise: the chance that a rival does the opposite of what it means to do, at each of its decisions.
        ladder: legal actions that are compared: to withdraw, and so many bids; see `legal_ladder`.
        seed: of the draws.
        threads: they change nothing but the time it takes.

    Raises:
        ValueError: a number out of range.
    """

    samples: int = 128
    own: str = USUAL
    rivals: str = USUAL
    noise: float = 0.02
    ladder: int = 4
    seed: int = 0
    threads: int = dataclasses.field(default=1, compare=False)

    def __post_init__(self) -> None:
        whole_number("samples", self.samples, 2, 1_000_000)
        number("noise", self.noise, 0, 1)
        whole_number("ladder", self.ladder, 1, 30)
        whole_number("seed", self.seed, 0)
        whole_number("threads", self.threads, 1, 1024)

    def told(self, game: str) -> str:
        """The settings, in words; who plays on in games of this kind by name."""
        mine, *kinds = self.bidders(game)
        who = f"own={mine}, rivals={'+'.join(kinds) or RECORDED}"
        return f"{who}, samples={self.samples}, noise={self.noise:g}, ladder={self.ladder}, seed={self.seed}"

    def check(self, game: str) -> None:
        """Nothing, if all who are to play on are rule bidders of the game.

        Raises:
            ValueError: one is not, or cheats; names it.
        """
        known = scripted_bidders(game)
        for name in self.bidders(game):
            spec = parse_bidder(name)
            bidder = known[one_of(f"bidder {spec.label!r}, rule bidder", spec.kind, known)]
            bidder.numbers(spec)
            if bidder.cheats:
                raise ValueError(f"bidder {spec.label!r}: expected one that does not cheat to play on")

    def bidders(self, game: str) -> list[str]:
        """The names of all who are to play on, but those that a state records."""
        own, rivals = (
            usual if chosen == USUAL else chosen
            for chosen, usual in zip((self.own, self.rivals), learning_of("game", game).JUDGE, strict=True)
        )
        return [inner_name(name) for name in [own, *([] if rivals == RECORDED else rivals.split("+"))]]

    def legal(self, state: DecisionState) -> list[int]:
        """The actions that are compared, cents: WITHDRAW, then bids."""
        return legal_ladder(state.row, state.seat, self.ladder)

    def profits(self, states: Sequence[DecisionState], actions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """The final profits after each of the actions of each state; cents, (actions, samples).

        Args:
            actions: by state: legal amounts in cents, or WITHDRAW.

        Raises:
            ValueError: a bidder that plays on is no rule bidder of the game; names it.
        """
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, state in enumerate(states):
            groups[state.game, len(state.bidders), state.row.dtype].append(i)
        found: list[np.ndarray] = [np.empty((0, self.samples))] * len(states)
        for (game, _, _), places in groups.items():
            each = [self.lineups(game, states[i].seat, states[i].bidders) for i in places]
            different = list(dict.fromkeys(lineup for lineups in each for lineup in lineups))
            number_of = {lineup: number for number, lineup in enumerate(different)}
            chosen = np.array([[number_of[lineup] for lineup in lineups] for lineups in each])
            amounts = np.full((len(places), max(len(actions[i]) for i in places)), IDLE, np.int64)
            for row, i in zip(amounts, places, strict=True):
                row[: len(actions[i])] = actions[i]
            profits = weigh_actions(
                game,
                np.concatenate([states[i].row for i in places]),
                np.array([states[i].seat for i in places]),
                amounts,
                self.read(game, different),
                chosen,
                np.array([self.keys(int(states[i].id, 16)) for i in places]),
                self.noise,
                self.threads,
            )
            for i, of_state in zip(places, profits, strict=True):
                found[i] = of_state[: len(actions[i])]
        return found

    def keys(self, number: int) -> np.ndarray:
        """The keys from which a state's continuations follow: the same for the same state, whatever is beside it."""
        return np.random.default_rng([self.seed, number]).integers(0, 2**63 - 1, self.samples)

    def lineups(self, game: str, seat: int, bidders: Sequence[str]) -> list[tuple[str, ...]]:
        """Who plays on in a game of these bidders: `own` in the seat, rivals in all combinations, or MOST_LINEUPS."""
        mine, *kinds = self.bidders(game)
        others = [bidder for s, bidder in enumerate(bidders) if s != seat]
        every: Iterable[tuple[str, ...]] = itertools.product(kinds, repeat=len(others))
        if self.rivals == RECORDED:
            every = [tuple(others)]
        elif len(kinds) ** len(others) > MOST_LINEUPS:
            rng = np.random.default_rng([self.seed, len(others)])
            every = [tuple(map(str, rng.choice(kinds, len(others)))) for _ in range(MOST_LINEUPS)]
        return [(*each[:seat], mine, *each[seat:]) for each in every]

    def worths(self, states: Sequence[DecisionState]) -> list[Worth]:
        """What the legal actions of each state are worth."""
        actions = [self.legal(state) for state in states]
        worths = []
        for state, legal, profits in zip(states, actions, self.profits(states, actions), strict=True):
            means, errors = profits.mean(1), standard_error(profits - profits[0])
            dollars = tuple(None if amount == WITHDRAW else to_dollars(amount) for amount in legal)
            mean, error = (tuple((values / 100).round(2).tolist()) for values in (means, errors))
            worths.append(Worth(dollars, mean, error, self.told(state.game)))
        return worths

    def read(self, game: str, lineups: Sequence[tuple[str, ...]]) -> Lineups:
        """Lineups for compiled code."""
        return read_lineups(game, lineups, _Table(len(lineups[0])))


class _Table:
    """What `read_lineups` asks of a scenario."""

    name = "at the table"

    def __init__(self, seats: int) -> None:
        self.bidders = (None,) * seats


def legal_ladder(row: np.ndarray, seat: int, ladder: int) -> list[int]:
    """WITHDRAW, and legal bids in cents, at most `ladder` of them: the least, and 1, 3, 7, ... raises above it."""
    least, most, raise_by = bounds(row, seat)
    return [WITHDRAW, *(bid for i in range(ladder) if (bid := least + (2**i - 1) * raise_by) <= most)]


def standard_error(draws: np.ndarray) -> np.ndarray:
    """Of the means over the last axis."""
    return draws.std(-1, ddof=1) / np.sqrt(draws.shape[-1])
