"""Compiled rollouts between rule bidders: whole games, and continuations of games in progress.

They play the rounds of `core.play.engine`, under the same rules as a table. The functions are templates: `Rollouts`
binds them to the kernels of one game and its bidders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aucenv.core.compiled.networks import NetworkKernels
from aucenv.core.game_modules import BeliefModule, RulesModule
from aucenv.core.kernel import bind, sequence_key, template, unbound
from aucenv.core.play.engine import EMPTY_MEMORY, NO_NOISE, NO_STEADY_SEAT, Bidders
from aucenv.core.state import IDLE, NOBODY, OUTSIDE, RUNNING, WITHDRAW, rekey

deal = step = check = result = resample = decide_inside = play_inside = unbound

ROW = np.int64(0)  # numba would compile every kernel that takes it a second time if it were a literal
"""The number of the only row of a state."""


@template
def play_games(first, last, thread, states, template_row, kinds, params, words, memories, amounts, results):
    """Play games `first` to `last` - 1; game i has the seed [*seed, i].

    Args:
        states: (threads,) of the state's dtype, scratch.
        template_row: One row with the constants of the scenario.
        kinds, params: (lineups, seats), (lineups, seats, any); game i is played by lineup i modulo their number.
        words: (threads, any) int64, the seed's words, and an element for the number of the game; see
            `kernel.seed_words`.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        results: (games, seats, RESULT) int64, written.
    """
    state = states[thread : thread + 1]
    seed, memory, bids = words[thread], memories[thread], amounts[thread]
    for i in range(first, last):
        seed[-1] = i
        deal(state, ROW, template_row, sequence_key(seed))
        memory[0] = EMPTY_MEMORY
        j = i % len(kinds)
        play_inside(state, ROW, None, kinds[j], params[j], NO_NOISE, NO_STEADY_SEAT, memory, bids)
        result(state, ROW, results[i])


@template
def continue_games(
    first, last, thread, states, starts, hidden_from, actions, kinds, params, keys, memories, amounts, results
):
    """Play continuations `first` to `last` - 1 of games in progress.

    Args:
        states: (threads,) of the state's dtype, scratch.
        starts: (any,) of the state's dtype, games in progress; continuation i starts from row i modulo their number.
        hidden_from: The seat for which everything that it may not know is resampled; -1 resamples nothing.
        actions: (rows, seats) int64, the amounts in the open round: cents, WITHDRAW, or IDLE if the seat's bidder
            decides. Continuation i uses row i modulo their number.
        kinds, params: (seats,), (seats, any), the bidders.
        keys: (continuations,) int64, which seed all randomness from here on.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        results: (continuations, seats, RESULT) int64, written.
    """
    state = states[thread : thread + 1]
    bids, memory = amounts[thread], memories[thread]
    bidders = bids.copy()
    memory[0] = EMPTY_MEMORY
    for i in range(first, last):
        state[0] = starts[i % len(starts)]
        memory[0] = min(memory[0], state[0]["item"]) if len(starts) == 1 else EMPTY_MEMORY
        if hidden_from >= 0:
            resample(state, ROW, hidden_from, keys[i])
        rekey(state[0], keys[i])
        state[0]["forced_tie"] = NOBODY
        for seat in range(len(kinds)):  # whose action is given waits outside in the open round
            amount = actions[i % len(actions), seat]
            bidders[seat] = seat if amount == IDLE else OUTSIDE
            if amount != IDLE:
                bids[seat] = amount if check(state, ROW, seat, amount) == 0 else WITHDRAW
        decide_inside(state, ROW, bidders, kinds, params, NO_NOISE, NO_STEADY_SEAT, memory, bids)
        if state[0]["status"] == RUNNING:
            step(state, ROW, bids)
        play_inside(state, ROW, None, kinds, params, NO_NOISE, NO_STEADY_SEAT, memory, bids)
        result(state, ROW, results[i])


@template
def evaluate_actions(first, last, thread, states, starts, drawn, seats, actions, lineups, kinds, params, noise, keys,
                  memories, amounts, ends, results):  # fmt: skip
    """Roll out several actions of the deciding seat, in decision states `first` to `last` - 1.

    For each key, everything that the seat may not know is resampled once, and the same sample is used for all actions.

    Args:
        states: (2 * threads,) of the state's dtype, scratch.
        starts: (decisions, any) of the state's dtype, games in progress; key k uses entry k modulo their number.
        drawn: Whether everything that the seat may not know is resampled in `starts` already.
        seats: (decisions,) int64, the deciding seats.
        actions: (decisions, any) int64, cents or WITHDRAW; IDLE marks unused entries.
        lineups: (decisions, any) int64, numbers of lineups; key k uses entry k modulo their number.
        kinds, params: (lineups, seats), (lineups, seats, any), the bidders of the lineups.
        noise: Probability times 2**32 that a rival makes a mistake; see `engine.tremble_amount`.
        keys: (decisions, keys) int64, which seed all randomness from here on.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        ends: (threads, seats or more, RESULT) int64, scratch.
        results: (decisions, actions, keys) int64, written: the first number of the game's RESULT, of the deciding seat.
    """
    sampled = states[2 * thread : 2 * thread + 1]
    state = states[2 * thread + 1 : 2 * thread + 2]
    bids, memory = amounts[thread], memories[thread]
    bidders = bids.copy()
    for i in range(first, last):
        memory[0] = EMPTY_MEMORY
        decider = seats[i]
        for seat in range(kinds.shape[1]):
            bidders[seat] = seat if seat != decider else OUTSIDE
        for k in range(keys.shape[1]):
            j = lineups[i, k % lineups.shape[1]]
            sampled[0] = starts[i, k % starts.shape[1]]
            memory[0] = min(memory[0], sampled[0]["item"])
            if not drawn:
                resample(sampled, ROW, decider, keys[i, k])
            rekey(sampled[0], keys[i, k])
            sampled[0]["forced_tie"] = NOBODY
            decide_inside(sampled, ROW, bidders, kinds[j], params[j], noise, decider, memory, bids)
            rival_bids = bids.copy()
            for a in range(actions.shape[1]):
                if actions[i, a] != IDLE:
                    state[0] = sampled[0]
                    memory[0] = min(memory[0], sampled[0]["item"])
                    bids[:] = rival_bids
                    bids[decider] = actions[i, a]
                    step(state, ROW, bids)
                    play_inside(state, ROW, None, kinds[j], params[j], noise, decider, memory, bids)
                    result(state, ROW, ends[thread])
                    results[i, a, k] = ends[thread, decider, 0]


@template
def start_continuations(first, last, thread, states, seats, keys, drawn):
    """Prepare the states `first` to `last` - 1 for continuations.

    Args:
        states: (continuations,) of the state's dtype, changed.
        seats: (continuations,) int64, the deciding seats.
        keys: (continuations,) int64, which seed all randomness from here on.
        drawn: Whether everything that the seats may not know is resampled already.
    """
    for i in range(first, last):
        if not drawn:
            resample(states, i, seats[i], keys[i])
        rekey(states[i], keys[i])
        states[i]["forced_tie"] = NOBODY


@template
def play_until_asked(first, last, thread, states, running, seats, own, lineups, kinds, params, noise, memories, bidders,
                     bids, ends, results):  # fmt: skip
    """Continue the games `first` to `last` - 1, until their deciding seats have a decision or they are over.

    Args:
        states: (games,) of the state's dtype, changed.
        running: (games,) int64, whether to continue a game; written: 0 once it is over.
        seats: (games,) int64, the deciding seats.
        own: (games,) int64, the amount of the deciding seat, or IDLE if the other seats have not decided yet.
        lineups: (games,) int64, numbers of lineups.
        kinds, params: (lineups, seats), (lineups, seats, any), the bidders of the lineups.
        noise: Probability times 2**32 that a rival makes a mistake; see `engine.tremble_amount`.
        memories: (games, any) float64, the memories of the bidders of each game.
        bidders: (games, seats) int64, the numbers of the seats; OUTSIDE for the deciding seats.
        bids: (games, seats) int64, the amounts in the open rounds.
        ends: (threads, seats or more, RESULT) int64, scratch.
        results: (games,) int64, written at the end: the first number of the game's RESULT, of the deciding seat.
    """
    for i in range(first, last):
        state, decider, amount, j = states[i : i + 1], seats[i], own[i], lineups[i]
        if running[i] != 0:
            if amount != IDLE:
                bids[i, decider] = amount if check(state, ROW, decider, amount) == 0 else WITHDRAW
                step(state, ROW, bids[i])
            play_inside(state, ROW, bidders[i], kinds[j], params[j], noise, NO_STEADY_SEAT, memories[i], bids[i])
            if state[0]["status"] != RUNNING:
                result(state, ROW, ends[thread])
                results[i] = ends[thread, decider, 0]
                running[i] = 0


def stacked(params: Sequence[np.ndarray]) -> np.ndarray:
    """Return the parameters of bidders as the rows of one array, with zeros at the ends of the shorter ones."""
    rows = np.zeros((len(params), max(map(len, params), default=0)))
    for row, numbers in zip(rows, params, strict=True):
        row[: len(numbers)] = numbers
    return rows


class Rollouts(Bidders):
    """The templates for whole games and for continuations, bound to one game and its rule bidders.

    Args:
        name, rules, decide, memory_size, is_large: As in `Bidders`.
        belief: The game's belief module.
    """

    def __init__(
        self,
        name: str,
        rules: RulesModule,
        belief: BeliefModule,
        decide: Callable,
        memory_size: Callable[[int, int], int] | None = None,
        is_large: bool = False,
    ) -> None:
        super().__init__(name, rules, decide, memory_size, is_large)
        self._rules, self._belief = rules, belief
        playing = {"result": rules.result, "play_inside": self.play_inside}
        answering = {"step": rules.step, **playing}
        continuing = {"resample": belief.resample, "decide_inside": self.decide_inside, **answering}
        self.play_games = bind(play_games, name, deal=rules.deal, **playing)
        self.continue_games = bind(continue_games, name, check=rules.check, **continuing)
        self.evaluate_actions = bind(evaluate_actions, name, **continuing)
        self.start_continuations = bind(start_continuations, name, resample=belief.resample)
        self.play_until_asked = bind(play_until_asked, name, check=rules.check, **answering)

    def with_networks(self, networks: NetworkKernels) -> Rollouts:
        """Return rollouts in which neural networks play beside the rule bidders."""
        decide_all = networks.decide(self.decide)
        return Rollouts(f"{self.name}_networks", self._rules, self._belief, decide_all, self.memory_size, True)
