"""Infer which bidders play the rivals' seats: how likely each of many bidders would have made the bids so far.

The functions are templates: `Inference` binds them to the kernels of one game.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from aucenv.core.game_modules import BeliefModule, RulesModule
from aucenv.core.kernel import bind, kernel, template, unbound
from aucenv.core.play.engine import EMPTY_MEMORY
from aucenv.core.play.rollouts import ROW, Rollouts
from aucenv.core.state import RUNNING, WITHDRAW

check = chance_to_bid = decide = restart = step = unbound

OTHER_BID = 0.1
"""The likelihood of a bid, relative to that of the bid that the bidder would make, or makes by mistake."""


@template
def log_likelihood(kind, params, state, b, seat, amount, tremble, memory):
    """Return the log of the probability that a bidder makes the bid `amount`, cents or WITHDRAW, in an acting seat.

    Args:
        tremble: The probability that it makes a mistake; see `engine.tremble_amount`.
    """
    bids, bid = amount >= 0, state[b]["least"]
    chance = chance_to_bid(kind, params, state, b, seat)
    if chance < 0.0:
        decided = decide(kind, params, state, b, seat, memory)
        chance = 1.0 if decided >= 0 and check(state, b, seat, decided) == 0 else 0.0
        bid = max(bid, decided)
    likelihood = tremble + (1.0 - 2.0 * tremble) * (chance if bids else 1.0 - chance)
    if bids and amount != bid:
        likelihood *= OTHER_BID
    return math.log(likelihood) if likelihood > 0.0 else -math.inf


@template
def weigh_bidders(first, last, thread, worlds, starts, seats, amounts, ties, rounds, kinds, params, tremble, keys,
                  memories, log_weights, replayed):  # fmt: skip
    """Weigh bidders by the closed rounds of the games `first` to `last` - 1.

    Bidder p plays the seats of all rivals in world p, in which everything that the deciding seat may not know is
    resampled as before the first bid. The closed rounds are played again in all worlds, and each bidder's weight in a
    seat is the probability that it makes the bids of that seat.

    Args:
        worlds: (games, bidders) of the state's dtype, written: the worlds after the closed rounds.
        starts: (games,) of the state's dtype, games in progress.
        seats: (games,) int64, the deciding seats.
        amounts: (games, rounds or more, seats or more) int64, the amounts of each closed round: cents or WITHDRAW, and
            IDLE if the seat had no decision.
        ties: (games, rounds or more) int64, the seat that wins a tie in each round, or NOBODY.
        rounds: (games,) int64, the number of closed rounds.
        kinds, params: (bidders,) int64, (bidders, any) float64.
        tremble: The probability that a rival makes a mistake.
        keys: (games, bidders) int64, which seed the worlds.
        memories: (threads, any) float64, scratch.
        log_weights: (games, seats or more, bidders) float64, written: the log likelihoods.
        replayed: (games,) int64, written: whether the closed rounds lead to the game's state.
    """
    memory = memories[thread]
    for i in range(first, last):
        world, start, decider = worlds[i], starts[i], seats[i]
        for p in range(len(kinds)):
            world[p] = start
            restart(world, p, decider, keys[i, p])
        log_weights[i] = 0.0
        memory[0] = EMPTY_MEMORY
        legal = True
        for r in range(rounds[i]):
            legal = legal and world[0]["status"] == RUNNING
            for seat in range(start["num_seats"]):
                if legal and world[0]["acting"][seat] != 0:
                    amount = amounts[i, r, seat]
                    legal = amount >= WITHDRAW and check(world, ROW, seat, amount) == 0
                    if legal and seat != decider:
                        for p in range(len(kinds)):
                            log_weights[i, seat, p] += log_likelihood(
                                kinds[p], params[p], world, p, seat, amount, tremble, memory
                            )
            if not legal:
                break
            for p in range(len(kinds)):
                world[p]["forced_tie"] = ties[i, r]
                step(world, p, amounts[i, r])
        g = world[0]
        same = legal and g["item"] == start["item"] and g["round"] == start["round"] and g["leader"] == start["leader"]
        for seat in range(start["num_seats"]):
            same = same and g["budget"][seat] == start["budget"][seat]
        replayed[i] = same


class RestartingBelief(BeliefModule, Protocol):
    """The belief module of a game in which rivals can be inferred from their bids."""

    HIDDEN: tuple[str, ...]
    """The fields of the state that `restart` resamples for all seats together."""
    PRIVATE: tuple[str, ...]
    """The fields of the state that `restart` resamples for each rival; their first axis is the seat."""

    def restart(self, state: np.ndarray, b: int, seat: int, key: int, /) -> None:
        """Kernel: resample everything that is hidden from the seat as before the first bid, and reopen the game."""


class Inference:
    """The template `weigh_bidders`, bound to one game and its rule bidders.

    Args:
        name: A unique prefix for the names of the compiled functions.
        rules: The game's rules.
        belief: The game's belief module.
        rollouts: The game's rollouts.
        chance_to_bid: A kernel that takes the same arguments as a `decide` kernel without memory: the probability that
            a bidder that decides at random bids, and -1 for other bidders.
    """

    def __init__(
        self, name: str, rules: RulesModule, belief: RestartingBelief, rollouts: Rollouts, chance_to_bid: Callable
    ) -> None:
        self.hidden, self.private = belief.HIDDEN, belief.PRIVATE
        self.memory_size = rollouts.memory_size
        likelihood = bind(
            log_likelihood, name, kernel, chance_to_bid=chance_to_bid, decide=rollouts.decide, check=rules.check
        )
        self.weigh_bidders = bind(
            weigh_bidders,
            name,
            check=rules.check,
            log_likelihood=likelihood,
            restart=belief.restart,
            step=rules.step,
        )
