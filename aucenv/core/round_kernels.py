"""What the engines ask of a game's kernels at once: a call from Python costs more than most kernels do.

The functions are templates: `Rows` binds them to one game's kernels, which have the names below.
"""

from __future__ import annotations

import math
from importlib import import_module

from aucenv.core.game_modules import ReportModule, RulesModule, VectorModule
from aucenv.core.kernel import bind, inlined, subkey, unbound
from aucenv.core.state import NEXT_GAME, NOBODY, RUNNING, TERMINATED, TRUNCATED, WITHDRAW, rekey, seats_of

deal = step = check = clip = payoff = features = refresh = mask = amount = amount_of_share = quote = result = unbound
write = update = tell = show = note = step_row = hidden = unbound

MOMENT = 6
"""A moment is told in int64 numbers: item, round, rounds, status, whether a score has changed, who is acting (bit s for
seat s); then what the game quotes."""


def write_row(state, b, seen, legal, scores, gains):
    """Write what a row's seats see, and their scores so far, from which nothing is gained.

    Args:
        seen: (seats, features) float32, written.
        legal: (seats, actions) int8, written.
        scores, gains: (seats,) float64, written.
    """
    features(state, b, seen)
    mask(state, b, legal)
    payoff(state, b, scores)
    for seat in range(seats_of(state[b])):
        gains[seat] = 0.0


def update_row(state, b, item, seen, legal, scores, gains):
    """Bring up to date what was written when `item` was the current one; nothing is gained before it is through."""
    refresh(state, b, item, seen)
    mask(state, b, legal)
    seats = seats_of(state[b])
    for seat in range(seats):
        gains[seat] = 0.0
    if state[b]["item"] != item:
        payoff(state, b, gains)
        for seat in range(seats):
            score = gains[seat]
            gains[seat] = score - scores[seat]
            scores[seat] = score


def tell_row(state, b, gains, told):
    """Tell the moment of row `b`.

    Args:
        told: (MOMENT + quoted numbers,) int64, written.
    """
    g = state[b]
    changed = 0
    acting = 0
    for seat in range(seats_of(g)):
        if gains[seat] != 0.0:
            changed = 1
        if g["acting"][seat] != 0:
            acting |= 1 << seat
    told[0] = g["item"]
    told[1] = g["round"]
    told[2] = g["rounds"]
    told[3] = g["status"]
    told[4] = changed
    told[5] = acting
    quote(state, b, told[MOMENT:])


def show_row(state, b, observations, masks, scores, told):
    """Write all of a table's buffers.

    Args:
        scores: (2, seats) float64: the scores so far, and what was gained last.
    """
    write(state, b, observations[b], masks[b], scores[0], scores[1])
    tell(state, b, scores[1], told)


def deal_row(state, b, template, key, observations, masks, scores, told):
    """Start a game; show it."""
    deal(state, b, template, key)
    show(state, b, observations, masks, scores, told)


def close_row(state, b, amounts, observations, masks, scores, told):
    """Close a round with the acting seats' answers; bring the buffers up to date.

    Args:
        amounts: (2 * seats,) int64: amounts, then vector actions; where one is not negative its amount is written, and
            it becomes -1.
    """
    item = state[b]["item"]
    seats = state[b]["num_seats"]
    for seat in range(seats):
        action = amounts[seats + seat]
        if action >= 0:
            amounts[seat] = amount(state, b, seat, action)
            amounts[seats + seat] = -1
    step(state, b, amounts)
    update(state, b, item, observations[b], masks[b], scores[0], scores[1])
    tell(state, b, scores[1], told)


def note_row(state, b, acting, terminated, truncated, results):
    """Note who has a decision, whether the game is over, and how it ended."""
    g = state[b]
    for seat in range(seats_of(g)):
        acting[b, seat] = g["acting"][seat] != 0
    terminated[b] = g["status"] == TERMINATED
    truncated[b] = g["status"] == TRUNCATED
    if g["status"] != RUNNING:
        result(state, b, results[b])


def deal_rows(first, last, thread, state, keys, dealt, observations, masks, acting, scores, rewards, terminated,
              truncated, results, template, again):  # fmt: skip
    """Start a game in rows `first` to `last` - 1: the first one of each row's key, or `again` the next one."""
    for b in range(first, last):
        key = keys[b]
        if again:
            dealt[b] += 1
            key = subkey(key, NEXT_GAME, dealt[b])
        deal(state, b, template, key)
        write(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        note(state, b, acting, terminated, truncated, results)


def put_rows(rows, new_keys, source, max_rounds, state, keys, dealt, observations, masks, acting, scores, rewards,
             terminated, truncated, results):  # fmt: skip
    """Put the one row of `source` into rows, each with a key of its own."""
    for i in range(len(rows)):
        b = rows[i]
        state[b] = source[0]
        rekey(state[b], new_keys[i])
        state[b]["forced_tie"] = NOBODY
        state[b]["max_rounds"] = max_rounds
        keys[b] = new_keys[i]
        dealt[b] = 0
        write(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        note(state, b, acting, terminated, truncated, results)


def play_row(b, thread, state, keys, dealt, observations, masks, acting, scores, rewards, terminated,
              truncated, results, template, by_number, clips, actions, amounts, illegal):  # fmt: skip
    """Close a round in row `b`; where the game was over, start the next instead.

    Args:
        keys, dealt: of each row, its first game's key and how many games came after that.
        results: (rows, seats, RESULT) int64, written where the game has ended; 0 where it runs.
        by_number: whether `actions` are vector actions; otherwise cents.
        clips: whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, seats) int64; of all seats in range, read or not.
        amounts: (threads, seats or more) int64, scratch.
        illegal: (rows, seats) bool, written: where a bid was illegal.
    """
    own = amounts[thread]
    item = state[b]["item"]
    over = state[b]["status"] != RUNNING
    for seat in range(seats_of(state[b])):
        bid = actions[b, seat]  # whoever acts: a branch that nobody foresees costs more than reading for nothing
        if by_number:
            refused = masks[b, seat, bid] < acting[b, seat]
            bid = amount(state, b, seat, bid)
        else:
            refused = acting[b, seat] & (check(state, b, seat, bid) != 0)
        if refused:
            bid = clip(state, b, seat, bid) if clips else WITHDRAW
        illegal[b, seat] = refused
        own[seat] = bid
    if over:
        dealt[b] += 1
        deal(state, b, template, subkey(keys[b], NEXT_GAME, dealt[b]))
        write(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
    else:
        step(state, b, own)
        update(state, b, item, observations[b], masks[b], scores[b], rewards[b])
    note(state, b, acting, terminated, truncated, results)


@inlined
def draw_action(x, num_actions):
    """The next number of a linear congruential generator, and an action as uniform as it is."""
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    return x, (x * num_actions) >> 31


@inlined
def draw_actions(b, masks, acting, actions, chance):
    """Draw uniformly among the legal actions of every seat of row `b` that has a decision; how many those are.

    Draws until an action is legal.

    Args:
        chance: (rows,) int64, the generator's numbers, brought up to date.
    """
    count = 0
    x = chance[b]
    legal, acts, chosen = masks[b], acting[b], actions[b]
    for seat in range(masks.shape[1]):
        x, action = draw_action(x, masks.shape[2])
        while legal[seat, action] < acts[seat]:
            x, action = draw_action(x, masks.shape[2])
        chosen[seat] = action
        count += acts[seat]
    chance[b] = x
    return count


def step_rows(first, last, thread, *args):
    """`play_row` in rows `first` to `last` - 1."""
    for b in range(max(first, 0), last):  # never negative: the compiler need not ask for each array
        step_row(b, thread, *args)


def step_rows_by_chance(first, last, thread, masks, acting, actions, chance, args):
    """The same with actions drawn by `draw_actions`."""
    for b in range(max(first, 0), last):
        draw_actions(b, masks, acting, actions, chance)
        step_row(b, thread, *args)


def read_shares(shares, acting, seats, state, cents):
    """Write shares as cents; the place of the first that is no finite number, -1 where all are.

    Args:
        shares, acting, cents: (rows, seats) float64, bool, int64.
        seats: (rows, seats) int64, which seat of the table each is.
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


def central_rows(first, last, thread, state, observations, out):
    """Write the whole state of rows `first` to `last` - 1 for a centralised critic: all features, and what is hidden.

    Args:
        observations: (rows, seats, features) float32.
        out: (rows, seats * features + hidden) float32, written.
    """
    seats, size = observations.shape[1], observations.shape[2]
    for b in range(max(first, 0), last):
        for seat in range(seats):
            for k in range(size):
                out[b, seat * size + k] = observations[b, seat, k]
        hidden(state, b, out[b, seats * size :])


class Rows:
    """One game's bound templates: `show`, `deal`, `close` for tables, those of many `_rows` for batches.

    Compiled loops call `step_row`.
    """

    def __init__(self, package: str, rules: RulesModule, vector: VectorModule, report: ReportModule) -> None:
        self._package = package
        name = package.rpartition(".")[2]
        written = bind(write_row, f"{name}_write", features=vector.features, mask=vector.mask, payoff=rules.payoff)
        updated = bind(
            update_row, f"{name}_update", inlined, refresh=vector.refresh, mask=vector.mask, payoff=rules.payoff
        )
        told = bind(tell_row, f"{name}_tell", quote=report.quote)
        noted = bind(note_row, f"{name}_note", inlined, result=rules.result)
        self.write, self.update, self.note = written, updated, noted
        dealing = {"deal": rules.deal, "write": written, "note": noted}
        moves = {"step": rules.step, "amount": vector.amount, "update": updated}
        self.show = bind(show_row, f"{name}_show", write=written, tell=told)
        self.deal = bind(deal_row, f"{name}_deal", deal=rules.deal, show=self.show)
        self.close = bind(close_row, f"{name}_close", tell=told, **moves)
        self.deal_rows = bind(deal_rows, f"{name}_deal_rows", **dealing)
        self.put_rows = bind(put_rows, f"{name}_put_rows", write=written, note=noted)
        self.step_row = bind(
            play_row, f"{name}_step_row", inlined, check=rules.check, clip=rules.clip, **dealing, **moves
        )
        self.central_rows = bind(central_rows, f"{name}_central_rows", inlined, hidden=vector.hidden)
        self.step_rows = bind(step_rows, f"{name}_step_rows", inlined, step_row=self.step_row)
        self.step_rows_by_chance = bind(
            step_rows_by_chance, f"{name}_step_rows_by_chance", inlined, step_row=self.step_row
        )
        self.read_shares = bind(read_shares, f"{name}_read_shares", amount_of_share=vector.amount_of_share)

    def __reduce__(self) -> tuple:  # by name: a process has its own compiled kernels
        return _load_rows, (self._package,)


def _load_rows(package: str) -> Rows:
    return import_module(f"{package}.env").GAME.rows
