"""Compiled rollouts between rule bidders: whole games, and continuations of games in progress.

They use the same rules as Table. The functions are templates: `Rollouts` binds them to the kernels of one game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aucenv.core.game_modules import BeliefModule, RulesModule
from aucenv.core.kernel import bind, draw, inlined, kernel, sequence_key, template, unbound
from aucenv.core.networks import NetworkKernels
from aucenv.core.state import IDLE, NOBODY, RUNNING, TREMBLE, WITHDRAW, rekey

deal = step = check = clip = result = resample = decide = unbound

EMPTY_MEMORY = -1.0
"""The first number of a memory that contains nothing about the current game."""

# numba would compile every kernel that takes these a second time if they were literals.
ROW = np.int64(0)
"""The number of the only row of a state."""
NO_NOISE, NO_STEADY_SEAT = np.int64(0), np.int64(NOBODY)


@template
def decide_without_memory(kind, params, state, b, seat, memory):
    """Call a `decide` kernel that takes no memory."""
    return decide(kind, params, state, b, seat)


@template
def tremble_amount(state, seat, amount, noise):
    """Return the amount, or its opposite with probability `noise` / 2**32.

    The opposite of a bid is to withdraw, and the opposite of withdrawing is the lowest legal bid.

    Args:
        state: A state of one row.
        noise: int64, from 0 to 2**32.
    """
    g = state[0]
    if noise == 0 or draw(g["key"], TREMBLE, g["item"], g["round"], seat) >= noise:
        return amount
    return WITHDRAW if amount >= 0 else clip(state, ROW, seat, NO_NOISE)


@template
def finish_game(state, kinds, params, noise, steady, memory, amounts):
    """Play the game in the one row of `state` to its end with rule bidders.

    An illegal bid becomes a withdrawal, as at a table, where the rule repeats it until its retries are exhausted.

    Args:
        kinds: (seats,) int64, the rule of each seat.
        params: (seats, any) float64, its parameters.
        noise: Probability times 2**32 that a bidder makes a mistake; see `tremble_amount`.
        steady: The seat that makes no mistakes, or NOBODY.
        memory: (any,) float64, the memory of the bidders between decisions; the first number is how many items it
            covers.
        amounts: (seats or more,) int64, scratch.
    """
    while state[0]["status"] == RUNNING:
        for seat in range(len(kinds)):
            if state[0]["acting"][seat] != 0:
                amount = decide(kinds[seat], params[seat], state, ROW, seat, memory)
                if seat != steady:
                    amount = tremble_amount(state, seat, amount, noise)
                amounts[seat] = amount if check(state, ROW, seat, amount) == 0 else WITHDRAW
        step(state, ROW, amounts)


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
    seed = words[thread]
    for i in range(first, last):
        lineup = i % len(kinds)
        seed[-1] = i
        deal(state, ROW, template_row, sequence_key(seed))
        memories[thread, 0] = EMPTY_MEMORY
        finish_game(state, kinds[lineup], params[lineup], NO_NOISE, NO_STEADY_SEAT, memories[thread], amounts[thread])
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
    memory[0] = EMPTY_MEMORY
    for i in range(first, last):
        state[0] = starts[i % len(starts)]
        memory[0] = min(memory[0], state[0]["item"]) if len(starts) == 1 else EMPTY_MEMORY
        if hidden_from >= 0:
            resample(state, ROW, hidden_from, keys[i])
        rekey(state[0], keys[i])
        state[0]["forced_tie"] = NOBODY
        for seat in range(len(kinds)):
            if state[0]["acting"][seat] != 0:
                amount = actions[i % len(actions), seat]
                if amount == IDLE:
                    amount = decide(kinds[seat], params[seat], state, ROW, seat, memory)
                bids[seat] = amount if check(state, ROW, seat, amount) == 0 else WITHDRAW
        if state[0]["status"] == RUNNING:
            step(state, ROW, bids)
        finish_game(state, kinds, params, NO_NOISE, NO_STEADY_SEAT, memory, bids)
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
        noise: Probability times 2**32 that a rival makes a mistake; see `tremble_amount`.
        keys: (decisions, keys) int64, which seed all randomness from here on.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        ends: (threads, seats or more, RESULT) int64, scratch.
        results: (decisions, actions, keys) int64, written: the first number of the game's RESULT, of the deciding seat.
    """
    sampled = states[2 * thread : 2 * thread + 1]
    state = states[2 * thread + 1 : 2 * thread + 2]
    bids, memory = amounts[thread], memories[thread]
    for i in range(first, last):
        memory[0] = EMPTY_MEMORY
        decider = seats[i]
        for k in range(keys.shape[1]):
            lineup = lineups[i, k % lineups.shape[1]]
            sampled[0] = starts[i, k % starts.shape[1]]
            memory[0] = min(memory[0], sampled[0]["item"])
            if not drawn:
                resample(sampled, ROW, decider, keys[i, k])
            rekey(sampled[0], keys[i, k])
            sampled[0]["forced_tie"] = NOBODY
            for seat in range(kinds.shape[1]):
                if seat != decider and sampled[0]["acting"][seat] != 0:
                    amount = decide(kinds[lineup, seat], params[lineup, seat], sampled, ROW, seat, memory)
                    amount = tremble_amount(sampled, seat, amount, noise)
                    bids[seat] = amount if check(sampled, ROW, seat, amount) == 0 else WITHDRAW
            rival_bids = bids.copy()
            for a in range(actions.shape[1]):
                if actions[i, a] != IDLE:
                    state[0] = sampled[0]
                    memory[0] = min(memory[0], sampled[0]["item"])
                    bids[:] = rival_bids
                    bids[decider] = actions[i, a]
                    step(state, ROW, bids)
                    finish_game(state, kinds[lineup], params[lineup], noise, decider, memory, bids)
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
def play_until_asked(first, last, thread, states, running, seats, own, lineups, kinds, params, noise, memories, amounts,
                     ends, results):  # fmt: skip
    """Continue the games `first` to `last` - 1, until their deciding seats have a decision or they are over.

    Args:
        states: (games,) of the state's dtype, changed.
        running: (games,) int64, whether to continue a game; written: 0 once it is over.
        seats: (games,) int64, the deciding seats.
        own: (games,) int64, the amount of the deciding seat, if it has a decision.
        lineups: (games,) int64, numbers of lineups.
        kinds, params: (lineups, seats), (lineups, seats, any), the bidders of the lineups.
        noise: Probability times 2**32 that a rival makes a mistake; see `tremble_amount`.
        memories: (games, any) float64, the memories of the bidders of each game.
        amounts: (threads, seats or more) int64, scratch.
        ends: (threads, seats or more, RESULT) int64, scratch.
        results: (games,) int64, written at the end: the first number of the game's RESULT, of the deciding seat.
    """
    bids = amounts[thread]
    for i in range(first, last):
        state, memory, lineup, decider = states[i : i + 1], memories[i], lineups[i], seats[i]
        asked = running[i] == 0
        while not asked:
            for seat in range(kinds.shape[1]):
                if state[0]["acting"][seat] != 0:
                    amount = own[i]
                    if seat != decider:
                        amount = decide(kinds[lineup, seat], params[lineup, seat], state, ROW, seat, memory)
                        amount = tremble_amount(state, seat, amount, noise)
                    bids[seat] = amount if check(state, ROW, seat, amount) == 0 else WITHDRAW
            step(state, ROW, bids)
            asked = state[0]["acting"][decider] != 0
            if state[0]["status"] != RUNNING:
                result(state, ROW, ends[thread])
                results[i] = ends[thread, decider, 0]
                running[i], asked = 0, True


def stacked(params: Sequence[np.ndarray]) -> np.ndarray:
    """Return the parameters of bidders as the rows of one array, with zeros at the ends of the shorter ones."""
    rows = np.zeros((len(params), max(map(len, params), default=0)))
    for row, numbers in zip(rows, params, strict=True):
        row[: len(numbers)] = numbers
    return rows


class Rollouts:
    """The templates for whole games and for continuations, bound to one game and its rule bidders.

    Args:
        name: A unique prefix for the names of the compiled functions.
        rules: The game's rules.
        belief: The game's belief module.
        decide: The kernel of the rule bidders.
        memory_size: A function that returns the size of the memory that `decide` takes, for the numbers of seats and
            items; None if it takes no memory.
        allocates: Whether `decide` creates arrays.
    """

    def __init__(
        self,
        name: str,
        rules: RulesModule,
        belief: BeliefModule,
        decide: Callable,
        memory_size: Callable[[int, int], int] | None = None,
        allocates: bool = False,
    ) -> None:
        self.name = name
        self.allocates = allocates
        self._rules, self._belief = rules, belief
        self.memory_size = memory_size or (lambda num_seats, num_items: 1)
        self.decide = bind(decide_without_memory, name, decide=decide) if memory_size is None else decide
        fast = kernel if allocates else inlined
        round_ = {"check": rules.check, "decide": self.decide, "step": rules.step}
        self.tremble_amount = bind(tremble_amount, name, clip=rules.clip)
        trembling = {"tremble_amount": self.tremble_amount}
        finishing = {"finish_game": bind(finish_game, name, fast, **trembling, **round_)}
        self.play_games = bind(play_games, name, deal=rules.deal, result=rules.result, **finishing)
        self.start_continuations = bind(start_continuations, name, resample=belief.resample)
        self.play_until_asked = bind(play_until_asked, name, result=rules.result, **trembling, **round_)
        continuing = {"resample": belief.resample, "result": rules.result, **finishing, **round_}
        self.continue_games = bind(continue_games, name, **continuing)
        self.evaluate_actions = bind(evaluate_actions, name, **trembling, **continuing)

    def with_networks(self, networks: NetworkKernels) -> Rollouts:
        """Return rollouts in which neural networks play beside the rule bidders."""
        decide_all = networks.decide(self.decide)
        return Rollouts(f"{self.name}_networks", self._rules, self._belief, decide_all, self.memory_size, True)
