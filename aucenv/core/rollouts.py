"""Whole games, and continuations of games, inside compiled code, over the same rules as Table.

The functions are templates: `kernel.bind` compiles them once a game, with that game's kernels for the names below.
"""

from __future__ import annotations

from typing import Any

from aucenv.core.kernel import bind, sequence_key, unbound
from aucenv.core.state import IDLE, NOBODY, RUNNING, WITHDRAW, rekey

deal = step = check = result = resample = decide = finish = unbound


def finish_game(state, kinds, params, amounts):
    """Play the one row of `state` to its end with scripted bidders.

    An illegal bid withdraws, as a rule that repeats itself would do after its last try at the table.

    Args:
        kinds: (seats,) int64, the bidder of each seat.
        params: (seats, any) float64, its parameters.
        amounts: (seats,) int64, scratch.
    """
    while state[0]["status"] == RUNNING:
        for seat in range(len(kinds)):
            if state[0]["acting"][seat] != 0:
                amount = decide(kinds[seat], params[seat], state, 0, seat)
                amounts[seat] = amount if check(state, 0, seat, amount) == 0 else WITHDRAW
        step(state, 0, amounts)


def play_out(first, last, thread, states, template, kinds, params, words, amounts, results):
    """Play games `first` to `last` - 1; game i has the seed [*seed, i].

    Args:
        states: a row to play in for each thread.
        template: one row, the scenario's constants.
        kinds, params: (lineups, seats), (lineups, seats, any); game i takes lineup i modulo their number.
        words: (threads, any), the seed's words, with room for one more; see `kernel.seed_words`.
        amounts: (threads, seats) int64, scratch.
        results: (games, seats, RESULT) int64, written.
    """
    state = states[thread : thread + 1]
    seed = words[thread]
    for i in range(first, last):
        lineup = i % len(kinds)
        seed[-1] = i
        deal(state, 0, template, sequence_key(seed))
        finish(state, kinds[lineup], params[lineup], amounts[thread])
        result(state, 0, results[i])


def play_on(first, last, thread, states, starts, hidden_from, actions, kinds, params, keys, amounts, results):
    """Play continuations `first` to `last` - 1 of games in progress.

    Args:
        states: a row to play in for each thread.
        starts: rows in progress; continuation i starts from row i modulo their number.
        hidden_from: the seat whose ignorance is respected: all that it may not know is drawn anew; or -1.
        actions: (rows, seats) int64, what seats do in the open round: cents, WITHDRAW, or IDLE = as their bidder does;
            continuation i takes row i modulo their number.
        kinds, params: (seats,), (seats, any), the bidders.
        keys: (continuations,) int64; all chance to come follows from them.
        amounts: (threads, seats) int64, scratch.
        results: (continuations, seats, RESULT) int64, written.
    """
    state = states[thread : thread + 1]
    own = amounts[thread]
    for i in range(first, last):
        state[0] = starts[i % len(starts)]
        if hidden_from >= 0:
            resample(state, 0, hidden_from, keys[i])
        rekey(state[0], keys[i])
        state[0]["forced_tie"] = NOBODY
        for seat in range(len(kinds)):
            if state[0]["acting"][seat] != 0:
                amount = actions[i % len(actions), seat]
                if amount == IDLE:
                    amount = decide(kinds[seat], params[seat], state, 0, seat)
                own[seat] = amount if check(state, 0, seat, amount) == 0 else WITHDRAW
        if state[0]["status"] == RUNNING:
            step(state, 0, own)
        finish(state, kinds, params, own)
        result(state, 0, results[i])


class Rollouts:
    """One game's bound templates, with its rule bidders' `decide`: `play_out`, `play_on`."""

    def __init__(self, name: str, rules: Any, belief: Any, decide: Any) -> None:
        moves = {"step": rules.step, "check": rules.check, "decide": decide}
        finished = bind(finish_game, f"{name}_finish", **moves)
        self.play_out = bind(play_out, f"{name}_play_out", deal=rules.deal, result=rules.result, finish=finished)
        self.play_on = bind(
            play_on, f"{name}_play_on", resample=belief.resample, result=rules.result, finish=finished, **moves
        )
