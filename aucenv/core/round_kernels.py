"""Fused kernels: everything that the engines do to one game in a round, in one compiled call.

Entering compiled code from Python costs more than most rules do, so a table makes one call per round and a batch one
call per step. The functions are templates: `RoundKernels` binds them to the kernels of one game.
"""

from __future__ import annotations

import math
from importlib import import_module

from aucenv.core.game_modules import FeaturesModule, RulesModule
from aucenv.core.kernel import bind, inlined, prefix_of, subkey, template, unbound
from aucenv.core.state import NEXT_GAME, NOBODY, RUNNING, TERMINATED, TRUNCATED, WITHDRAW, rekey, seats_of

deal = step = check = clip = payoff = result = unbound
features = update_features = hidden_features = mask = amount = amount_of_share = unbound

SUMMARY_SIZE = 6
"""Length of the summary: item, round, rounds played, status, whether a score changed, and the
acting seats (bit s for seat s)."""


@template
def write_all(state, b, observations, masks, scores, rewards):
    """Write the observations, masks and scores of row `b` from scratch; rewards become 0.

    Args:
        observations: (seats, features) float32, written.
        masks: (seats, actions) int8, written.
        scores, rewards: (seats,) float64, written.
    """
    features(state, b, observations)
    mask(state, b, masks)
    payoff(state, b, scores)
    for seat in range(seats_of(state[b])):
        rewards[seat] = 0.0


@template
def update_changed(state, b, item, observations, masks, scores, rewards):
    """Update what a round can change, and write the rewards if `item`, the item before the round, is closed.

    This is faster than `write_all`, because features of other items do not change within a round.
    """
    update_features(state, b, item, observations)
    mask(state, b, masks)
    seats = seats_of(state[b])
    for seat in range(seats):
        rewards[seat] = 0.0
    if state[b]["item"] != item:
        payoff(state, b, rewards)
        for seat in range(seats):
            score = rewards[seat]
            rewards[seat] = score - scores[seat]
            scores[seat] = score


@inlined
def summarize(state, b, rewards, summary):
    """Write the summary of row `b`.

    Args:
        summary: (SUMMARY_SIZE,) int64, written.
    """
    g = state[b]
    changed = 0
    acting = 0
    for seat in range(seats_of(g)):
        if rewards[seat] != 0.0:
            changed = 1
        if g["acting"][seat] != 0:
            acting |= 1 << seat
    summary[0] = g["item"]
    summary[1] = g["round"]
    summary[2] = g["rounds"]
    summary[3] = g["status"]
    summary[4] = changed
    summary[5] = acting


@template
def write_table(state, b, observations, masks, scores, summary):
    """Write all buffers of a table.

    Args:
        scores: (2, seats) float64: the current scores, and the rewards of the last round.
    """
    write_all(state, b, observations[b], masks[b], scores[0], scores[1])
    summarize(state, b, scores[1], summary)


@template
def deal_table(state, b, template_row, key, observations, masks, scores, summary):
    """Start a game at a table, and write its buffers."""
    deal(state, b, template_row, key)
    write_table(state, b, observations, masks, scores, summary)


@template
def close_table_round(state, b, amounts, observations, masks, scores, summary):
    """Close the round of a table, and update its buffers.

    Args:
        amounts: (2, seats) int64: the amounts, and the vector actions. If a vector action is not negative, its amount
            is written to the first row and the vector action becomes -1.
    """
    item = state[b]["item"]
    for seat in range(state[b]["num_seats"]):
        action = amounts[1, seat]
        if action >= 0:
            amounts[0, seat] = amount(state, b, seat, action)
            amounts[1, seat] = -1
    step(state, b, amounts[0])
    update_changed(state, b, item, observations[b], masks[b], scores[0], scores[1])
    summarize(state, b, scores[1], summary)


@template
def record_status(state, b, acting, terminated, truncated, results):
    """Write which seats of row `b` have a decision, whether its game is over, and its results if it is."""
    g = state[b]
    for seat in range(seats_of(g)):
        acting[b, seat] = g["acting"][seat] != 0
    terminated[b] = g["status"] == TERMINATED
    truncated[b] = g["status"] == TRUNCATED
    if g["status"] != RUNNING:
        result(state, b, results[b])


@template
def deal_rows(first, last, thread, state, keys, games_dealt, observations, masks, acting, scores, rewards, terminated,
              truncated, results, template_row, next_game):  # fmt: skip
    """Start a game in rows `first` to `last` - 1: the first game of each row's key, or the next one if `next_game`."""
    for b in range(first, last):
        key = keys[b]
        if next_game:
            games_dealt[b] += 1
            key = subkey(key, NEXT_GAME, games_dealt[b])
        deal(state, b, template_row, key)
        write_all(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        record_status(state, b, acting, terminated, truncated, results)


@template
def restore_rows(rows, new_keys, source, max_rounds, state, keys, games_dealt, observations, masks, acting, scores,
                 rewards, terminated, truncated, results):  # fmt: skip
    """Copy the one row of `source` to several rows.

    Args:
        rows: (any,) int64, the numbers of the rows.
        new_keys: (any,) int64, a key for each of these rows, which seeds its randomness from here on.
    """
    for i in range(len(rows)):
        b = rows[i]
        state[b] = source[0]
        rekey(state[b], new_keys[i])
        state[b]["forced_tie"] = NOBODY
        state[b]["max_rounds"] = max_rounds
        keys[b] = new_keys[i]
        games_dealt[b] = 0
        write_all(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        record_status(state, b, acting, terminated, truncated, results)


@template
def step_row(b, thread, state, keys, games_dealt, observations, masks, acting, scores, rewards, terminated,
             truncated, results, template_row, vector_actions, clip_illegal, actions, amounts, illegal):  # fmt: skip
    """Close a round in row `b`, or start the row's next game if its game is over.

    Args:
        keys, games_dealt: (rows,) int64, the key of each row's first game, and the number of games dealt after it.
        results: (rows, seats, RESULT) int64, written if the game has ended; 0 while it runs.
        vector_actions: Whether `actions` are vector actions; otherwise they are cents.
        clip_illegal: Whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, seats) int64; all in range, including those of seats without a decision.
        amounts: (threads, seats or more) int64, scratch.
        illegal: (rows, seats) bool, written: whether a bid was illegal.
    """
    bids = amounts[thread]
    item = state[b]["item"]
    over = state[b]["status"] != RUNNING
    for seat in range(seats_of(state[b])):
        bid = actions[b, seat]  # for every seat, because a mispredicted branch costs more than an unused read
        if vector_actions:
            refused = masks[b, seat, bid] < acting[b, seat]
            bid = amount(state, b, seat, bid)
        else:
            refused = acting[b, seat] & (check(state, b, seat, bid) != 0)
        if refused:
            bid = clip(state, b, seat, bid) if clip_illegal else WITHDRAW
        illegal[b, seat] = refused
        bids[seat] = bid
    if over:
        games_dealt[b] += 1
        deal(state, b, template_row, subkey(keys[b], NEXT_GAME, games_dealt[b]))
        write_all(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
    else:
        step(state, b, bids)
        update_changed(state, b, item, observations[b], masks[b], scores[b], rewards[b])
    record_status(state, b, acting, terminated, truncated, results)


@inlined
def draw_action(x, num_actions):
    """Return the next state of a linear congruential generator (31 bits), and an action from 0 to num_actions - 1."""
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x, (x * num_actions) >> 31


@inlined
def draw_actions(b, masks, acting, actions, generators):
    """Draw a uniformly random legal action for every seat of row `b` that has a decision; return their number.

    Args:
        generators: (rows,) int64, the state of each row's random number generator, updated.
    """
    count = 0
    x = generators[b]
    legal, acts, chosen = masks[b], acting[b], actions[b]
    for seat in range(masks.shape[1]):
        x, action = draw_action(x, masks.shape[2])
        while legal[seat, action] < acts[seat]:
            x, action = draw_action(x, masks.shape[2])
        chosen[seat] = action
        count += acts[seat]
    generators[b] = x
    return count


@template
def step_rows(first, last, thread, *args):
    """Call `step_row` for rows `first` to `last` - 1."""
    for b in range(max(first, 0), last):  # never negative, which saves a check for each array
        step_row(b, thread, *args)


@template
def step_rows_at_random(first, last, thread, masks, acting, actions, generators, args):
    """Call `draw_actions` and `step_row` for rows `first` to `last` - 1."""
    for b in range(max(first, 0), last):
        draw_actions(b, masks, acting, actions, generators)
        step_row(b, thread, *args)


@template
def read_shares(shares, acting, seats, state, cents):
    """Write shares as cents; return the flat index of the first share that is not finite, or -1.

    Args:
        shares, acting, cents: (rows, seats) float64, bool, int64.
        seats: (rows, seats) int64, the seat at the table of each column.
    """
    rows, num_seats = shares.shape
    for b in range(rows):
        for i in range(num_seats):
            if acting[b, i]:
                share = shares[b, i]
                if not math.isfinite(share):
                    return b * num_seats + i
                cents[b, i] = amount_of_share(state, b, seats[b, i], min(max(share, 0.0), 1.0))
    return -1


@template
def write_whole_states(first, last, thread, state, observations, out):
    """Write all features and hidden values of rows `first` to `last` - 1, for a centralized critic.

    Args:
        observations: (rows, seats, features) float32.
        out: (rows, seats * features + hidden features) float32, written.
    """
    seats, size = observations.shape[1], observations.shape[2]
    for b in range(max(first, 0), last):
        for seat in range(seats):
            for k in range(size):
                out[b, seat * size + k] = observations[b, seat, k]
        hidden_features(state, b, out[b, seats * size :])


class RoundKernels:
    """The templates of this module, bound to one game; each is an attribute under the template's name."""

    def __init__(self, module: str, rules: RulesModule, vector: FeaturesModule) -> None:
        self._module = module
        game = prefix_of(module)
        self.write_all = bind(write_all, game, features=vector.features, mask=vector.mask, payoff=rules.payoff)
        changes = {"update_features": vector.update_features, "mask": vector.mask, "payoff": rules.payoff}
        self.update_changed = bind(update_changed, game, inlined, **changes)
        self.record_status = bind(record_status, game, inlined, result=rules.result)
        writing = {"write_all": self.write_all, "record_status": self.record_status}
        moving = {"step": rules.step, "amount": vector.amount, "update_changed": self.update_changed}
        self.write_table = bind(write_table, game, write_all=self.write_all)
        self.deal_table = bind(deal_table, game, deal=rules.deal, write_table=self.write_table)
        self.close_table_round = bind(close_table_round, game, **moving)
        self.deal_rows = bind(deal_rows, game, deal=rules.deal, **writing)
        self.restore_rows = bind(restore_rows, game, **writing)
        checks = {"check": rules.check, "clip": rules.clip}
        self.step_row = bind(step_row, game, inlined, deal=rules.deal, **checks, **writing, **moving)
        self.step_rows = bind(step_rows, game, inlined, step_row=self.step_row)
        self.step_rows_at_random = bind(step_rows_at_random, game, inlined, step_row=self.step_row)
        self.read_shares = bind(read_shares, game, amount_of_share=vector.amount_of_share)
        self.write_whole_states = bind(write_whole_states, game, inlined, hidden_features=vector.hidden_features)

    def __reduce__(self) -> tuple:  # pickled by name, because each process compiles its kernels
        return _load_round_kernels, (self._module,)


def _load_round_kernels(module: str) -> RoundKernels:
    return import_module(module).GAME.kernels
