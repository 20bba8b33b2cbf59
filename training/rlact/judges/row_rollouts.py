"""Roll out actions of deciding seats, whose later decisions are made by a policy that decides in many games at once."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from aucenv.training.rlact.states.decision_points import Decisions, Lineups

from aucenv.core.adapters.threads import Threads
from aucenv.core.play.engine import EMPTY_MEMORY
from aucenv.core.state import IDLE, OUTSIDE
from aucenv.registration import find_family


class RowPolicy(Protocol):
    """A policy that decides from the states of many games, of which it reads only what its seat may know."""

    def act_rows(self, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return amounts in cents, or WITHDRAW, (decisions,) int64.

        Args:
            rows: (any,) states.
            numbers: (decisions,) the row of each decision.
            seats: (decisions,) the deciding seats.
        """
        ...


def evaluate_with(
    policy: RowPolicy,
    decisions: Decisions,
    worlds: np.ndarray,
    actions: np.ndarray,
    lineups: Lineups,
    chosen: np.ndarray,
    keys: np.ndarray,
    noise: float,
    num_threads: int,
) -> np.ndarray:
    """Return the same as `continuations.evaluate` for a rule bidder that decides as the policy does.

    Args:
        policy: The bidder that makes the deciding seats' later decisions.
        decisions, worlds, actions, lineups, chosen, keys, noise: See `continuations.evaluate`.
    """
    game = find_family(decisions.game).game
    shape = len(decisions), actions.shape[1], keys.shape[1]
    number = shape[0] * shape[1] * shape[2]
    starts = worlds if worlds.ndim > 1 else worlds[:, None]
    chosen = chosen[:, np.arange(shape[2]) % chosen.shape[1]]
    states, lineup_of, all_keys = (np.broadcast_to(each[:, None], shape).flatten() for each in (starts, chosen, keys))
    seats = np.repeat(decisions.seats, shape[1] * shape[2])
    own = np.repeat(actions.reshape(-1), shape[2])
    with Threads(num_threads) as threads:
        threads.run(game.rollouts.start_continuations, number, states, seats, all_keys, worlds.ndim > 1)
        results = play_to_end(policy, decisions.game, states, seats, own, lineup_of, lineups, noise, threads)
    return results.reshape(shape)


def play_to_end(
    policy: RowPolicy,
    name: str,
    states: np.ndarray,
    seats: np.ndarray,
    first: np.ndarray | None,
    lineup_of: np.ndarray,
    lineups: Lineups,
    noise: float,
    threads: Threads,
) -> np.ndarray:
    """Play games to their end, in which a policy decides in one seat and rule bidders in the others.

    Args:
        name: The name of the game.
        states: (games,), changed.
        seats: (games,) the policy's seats.
        first: (games,) its amounts at its first decisions, where IDLE plays no game; None asks it.
        lineup_of: (games,) the numbers of the lineups.
        lineups: The rule bidders.
        noise: The probability of a rival's mistake; see `rollout.evaluate_actions`.
        threads: The threads.

    Returns:
        (games,) int64, the final profits of the policy's seats, in cents; IDLE where no game is played.
    """
    game, number, num_seats = find_family(name).game, len(states), lineups[0].shape[1]
    running = np.ones(number, np.int64) if first is None else (first != IDLE).astype(np.int64)
    results = np.full(number, IDLE, np.int64)
    memories = np.empty((number, game.rollouts.memory_size(num_seats, int(states["num_items"].max()))))
    memories[:, 0] = EMPTY_MEMORY
    bidders, amounts = np.tile(np.arange(num_seats), (number, 1)), np.full(number, IDLE)
    bidders[np.arange(number), seats] = OUTSIDE
    settings = seats, amounts, lineup_of, *lineups, round(noise * 2**32), memories, bidders, np.empty_like(bidders)
    ends = threads.scratch(num_seats, len(game.rules.RESULT))
    while True:
        threads.run(game.rollouts.play_until_asked, number, states, running, *settings, ends, results)
        asked = np.flatnonzero(running)
        if not len(asked):
            return results
        amounts[asked] = policy.act_rows(states, asked, seats[asked]) if first is None else first[asked]
        first = None
