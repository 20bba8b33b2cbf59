"""Whole games, and continuations of games, inside compiled code, over the same rules as Table.

The functions are templates: `kernel.bind` compiles them once a game, with that game's kernels for the names below.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aucenv.core.game_modules import BeliefModule, RulesModule
from aucenv.core.kernel import bind, draw, sequence_key, template, unbound
from aucenv.core.state import IDLE, NOBODY, RUNNING, TREMBLE, WITHDRAW, rekey

deal = step = check = clip = result = resample = decide = unbound

FORGOTTEN = -1.0
"""As the first number of a memory: it holds nothing of the game."""

# For literals, numba would compile every kernel that takes them once more.
ROW = np.int64(0)
"""The number of a state's only row."""
NO_NOISE, NOBODY_STEADY = np.int64(0), np.int64(NOBODY)


@template
def decide_without_memory(kind, params, state, b, seat, memory):
    """For bidders that remember nothing."""
    return decide(kind, params, state, b, seat)


@template
def tremble_amount(state, seat, amount, noise):
    """The amount, or by chance the opposite: to withdraw, or else the lowest legal bid.

    Args:
        noise: of 2**32, how often.
    """
    g = state[0]
    if noise == 0 or draw(g["key"], TREMBLE, g["item"], g["round"], seat) >= noise:
        return amount
    return WITHDRAW if amount >= 0 else clip(state, ROW, seat, NO_NOISE)


@template
def finish_game(state, kinds, params, noise, steady, memory, amounts):
    """Play the one row of `state` to its end with scripted bidders.

    An illegal bid withdraws, as a rule that repeats itself would do after its last try at the table.

    Args:
        kinds: (seats,) int64, the bidder of each seat.
        params: (seats, any) float64, its parameters.
        noise: of 2**32, how often a bidder does the opposite of what it means to do, but for the seat `steady`.
        memory: (any,) float64, what bidders keep from one decision to the next; first, how many items it knows of.
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
def play_out(first, last, thread, states, template_row, kinds, params, words, memories, amounts, results):
    """Play games `first` to `last` - 1; game i has the seed [*seed, i].

    Args:
        states: a row to play in for each thread.
        template_row: one row, the scenario's constants.
        kinds, params: (lineups, seats), (lineups, seats, any); game i takes lineup i modulo their number.
        words: (threads, any), the seed's words, with room for one more; see `kernel.seed_words`.
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
        memories[thread, 0] = FORGOTTEN
        finish_game(state, kinds[lineup], params[lineup], NO_NOISE, NOBODY_STEADY, memories[thread], amounts[thread])
        result(state, ROW, results[i])


@template
def play_on(first, last, thread, states, starts, hidden_from, actions, kinds, params, keys, memories, amounts, results):
    """Play continuations `first` to `last` - 1 of games in progress.

    Args:
        states: a row to play in for each thread.
        starts: rows in progress; continuation i starts from row i modulo their number.
        hidden_from: the seat whose ignorance is respected: all that it may not know is drawn anew; or -1.
        actions: (rows, seats) int64, what seats do in the open round: cents, WITHDRAW, or IDLE = as their bidder does;
            continuation i takes row i modulo their number.
        kinds, params: (seats,), (seats, any), the bidders.
        keys: (continuations,) int64; all chance to come follows from them.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        results: (continuations, seats, RESULT) int64, written.
    """
    state = states[thread : thread + 1]
    own, memory = amounts[thread], memories[thread]
    memory[0] = FORGOTTEN
    for i in range(first, last):
        state[0] = starts[i % len(starts)]
        memory[0] = min(memory[0], state[0]["item"]) if len(starts) == 1 else FORGOTTEN
        if hidden_from >= 0:
            resample(state, ROW, hidden_from, keys[i])
        rekey(state[0], keys[i])
        state[0]["forced_tie"] = NOBODY
        for seat in range(len(kinds)):
            if state[0]["acting"][seat] != 0:
                amount = actions[i % len(actions), seat]
                if amount == IDLE:
                    amount = decide(kinds[seat], params[seat], state, ROW, seat, memory)
                own[seat] = amount if check(state, ROW, seat, amount) == 0 else WITHDRAW
        if state[0]["status"] == RUNNING:
            step(state, ROW, own)
        finish_game(state, kinds, params, NO_NOISE, NOBODY_STEADY, memory, own)
        result(state, ROW, results[i])


@template
def weigh_actions(first, last, thread, states, starts, seats, actions, lineups, kinds, params, noise, keys, memories,
                  amounts, ends, results):  # fmt: skip
    """Play each of several actions of a seat on, in decision states `first` to `last` - 1.

    All that the seat may not know is drawn anew from each key, once for all actions.

    Args:
        states: two rows to play in for each thread.
        starts: (decisions,) rows in progress.
        seats: (decisions,) int64, who decides.
        actions: (decisions, any) int64, cents or WITHDRAW; IDLE = none.
        lineups: (decisions, any) int64, which of the lineups plays on; the k-th key takes the k-th modulo their number.
        kinds, params: (lineups, seats), (lineups, seats, any), their bidders.
        noise: of 2**32, how often a rival does the opposite of what it means to do; the same for all actions.
        keys: (decisions, keys) int64; all chance to come follows from them.
        memories: (threads, any) float64, scratch.
        amounts: (threads, seats or more) int64, scratch.
        ends: (threads, seats or more, RESULT) int64, scratch.
        results: (decisions, actions, keys) int64, written: the first of the game's RESULT, of the seat.
    """
    drawn = states[2 * thread : 2 * thread + 1]
    state = states[2 * thread + 1 : 2 * thread + 2]
    own, memory = amounts[thread], memories[thread]
    for i in range(first, last):
        memory[0] = FORGOTTEN
        me = seats[i]
        for k in range(keys.shape[1]):
            lineup = lineups[i, k % lineups.shape[1]]
            drawn[0] = starts[i]
            memory[0] = min(memory[0], drawn[0]["item"])
            resample(drawn, ROW, me, keys[i, k])
            rekey(drawn[0], keys[i, k])
            drawn[0]["forced_tie"] = NOBODY
            for seat in range(kinds.shape[1]):
                if seat != me and drawn[0]["acting"][seat] != 0:
                    amount = decide(kinds[lineup, seat], params[lineup, seat], drawn, ROW, seat, memory)
                    amount = tremble_amount(drawn, seat, amount, noise)
                    own[seat] = amount if check(drawn, ROW, seat, amount) == 0 else WITHDRAW
            answers = own.copy()
            for a in range(actions.shape[1]):
                if actions[i, a] != IDLE:
                    state[0] = drawn[0]
                    memory[0] = min(memory[0], drawn[0]["item"])
                    own[:] = answers
                    own[me] = actions[i, a]
                    step(state, ROW, own)
                    finish_game(state, kinds[lineup], params[lineup], noise, me, memory, own)
                    result(state, ROW, ends[thread])
                    results[i, a, k] = ends[thread, me, 0]


class Rollouts:
    """One game's bound templates, with its rule bidders' `decide`: `play_out`, `play_on`, `weigh_actions`.

    Args:
        decide: their kernel, with a memory of `memory_size(num_seats, num_items)` numbers where that is given.
        allocates: whether it makes arrays.
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
        self.allocates = allocates
        self.memory_size = memory_size or (lambda num_seats, num_items: 1)
        self.decide = bind(decide_without_memory, name, decide=decide) if memory_size is None else decide
        round_ = {"check": rules.check, "decide": self.decide, "step": rules.step}
        trembling = {"tremble_amount": bind(tremble_amount, name, clip=rules.clip)}
        finishing = {"finish_game": bind(finish_game, name, **trembling, **round_)}
        self.play_out = bind(play_out, name, deal=rules.deal, result=rules.result, **finishing)
        continuing = {"resample": belief.resample, "result": rules.result, **finishing, **round_}
        self.play_on = bind(play_on, name, **continuing)
        self.weigh_actions = bind(weigh_actions, name, **trembling, **continuing)
