"""Play whole games of one policy that decides in many games at once, against rule bidders in compiled code."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.training.rlact.judges.continuations import is_rule_bidder
from aucenv.training.rlact.judges.row_rollouts import RowPolicy, play_to_end
from aucenv.training.rlact.states.decision_points import SEAT_HOLDER, AnyScenario

from aucenv.core.adapters.threads import Threads
from aucenv.core.kernel import Seed, game_key
from aucenv.core.play.engine import EMPTY_MEMORY
from aucenv.policy.registry import rule_numbers
from aucenv.registration import find_family
from aucenv.runs.play import play


@dataclasses.dataclass(frozen=True)
class SeatGame:
    """A game in which a policy has one seat.

    Attributes:
        scenario: the scenario of the game.
        rivals: the names of the bidders in the other seats, by seat.
        seat: the number of the policy's seat.
        seed: the seed of the game.
    """

    scenario: Any
    rivals: tuple[str, ...]
    seat: int
    seed: Seed

    def lineup(self, bidder: Any) -> list[Any]:
        """Return the bidders of all seats if this one has the policy's seat."""
        return [*self.rivals[: self.seat], bidder, *self.rivals[self.seat :]]


class RuleRows:
    """A rule bidder that decides in many games at once; it equals the compiled one.

    Args:
        game: the name of the game.
        name: the name of the rule bidder.

    Raises:
        ValueError: It is not a rule bidder of the game.
    """

    def __init__(self, game: str, name: str) -> None:
        self._rollouts = find_family(game).game.rollouts
        scenario: Any = AnyScenario(2)
        self._kind, self._params = rule_numbers(game, name, scenario)

    def act_rows(self, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return amounts in cents, or WITHDRAW; see `row_rollouts.RowPolicy`."""
        memory = np.empty(self._rollouts.memory_size(rows["acting"].shape[1], int(rows["num_items"].max(initial=0))))
        amounts = np.empty(len(numbers), np.int64)
        for i, (number, seat) in enumerate(zip(numbers.tolist(), seats.tolist(), strict=True)):
            memory[0] = EMPTY_MEMORY
            amounts[i] = self._rollouts.decide(self._kind, self._params, rows, number, seat, memory)
        return amounts


def surplus(game: str, each: SeatGame) -> int:
    """Return the sum of all items' true values less their starting prices, in cents."""
    template = each.scenario.template()
    row = np.zeros(1, template.dtype)
    find_family(game).game.rules.deal(row, 0, template, game_key(each.seed))
    return int((row["value"] - row["start"])[0, : row["num_items"][0]].sum())


def seat_profits(policy: RowPolicy, game: str, games: Sequence[SeatGame], num_threads: int = 1) -> np.ndarray:
    """Return the final profit of the policy's seat in each game, (games,), in cents.

    The games are those of `runs.play.play`, unless a bid of the policy would be refused there.

    Raises:
        ValueError: A rival is not a rule bidder of this game, or cannot play the scenario.
    """
    groups: dict[Any, list[int]] = defaultdict(list)
    for i, each in enumerate(games):
        groups[each.scenario.template().dtype].append(i)
    profits = np.empty(len(games), np.int64)
    for indices in groups.values():
        profits[indices] = _play(policy, game, [games[i] for i in indices], num_threads)
    return profits


def profits_of(bidder: Any, game: str, games: Sequence[SeatGame]) -> np.ndarray:
    """Return the same as `seat_profits` for any bidder and rivals, one decision at a time if compiled code cannot."""
    compiled = np.array([
        hasattr(bidder, "act_rows") and all(is_rule_bidder(game, name) for name in each.rivals) for each in games
    ])  # fmt: skip
    profits = np.empty(len(games), np.int64)
    profits[compiled] = seat_profits(bidder, game, [games[i] for i in np.flatnonzero(compiled).tolist()])
    for i in np.flatnonzero(~compiled).tolist():
        each = games[i]
        record = play(game, each.scenario, each.lineup(bidder), seed=each.seed)
        profits[i] = round(100 * record.outcome["seats"][each.seat]["profit"])
    return profits


def _play(policy: RowPolicy, name: str, games: Sequence[SeatGame], num_threads: int) -> np.ndarray:
    """Return the same as `seat_profits` for games whose states have one layout."""
    game, number = find_family(name).game, len(games)
    templates = [each.scenario.template() for each in games]
    states = np.zeros(number, templates[0].dtype)
    for i, (each, template) in enumerate(zip(games, templates, strict=True)):
        game.rules.deal(states, i, template, game_key(each.seed))
    pairs = [read_lineups(name, [each.lineup(SEAT_HOLDER)], each.scenario) for each in games]
    kinds, params = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
    seats = np.array([each.seat for each in games])
    with Threads(num_threads) as threads:
        return play_to_end(policy, name, states, seats, None, np.arange(number), (kinds, params), 0.0, threads)
