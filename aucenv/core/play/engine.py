"""The engine: what happens in a round, for tables, batches and rollouts.

A seat decides inside, where a rule bidder or a network chooses its bid in compiled code, or it is OUTSIDE and waits for
an action. When a round opens, the seats inside decide at once. The actions of the seats outside close it; without a
decision outside, it closes by itself.

Entering compiled code from Python costs more than most rules do, so a table makes one call per round and a batch one
call per step. The functions are templates: `Engine` binds them to the kernels of one game, and to bidders if there are
seats inside; `core.play.rollouts` has further ones. The templates of batches take two tuples:

buffers: The arrays of all seats.
    state: (rows,) of the state's dtype.
    keys, games_dealt: (rows,) int64, the key of each row's first game, and the number of games dealt after it.
    bids: (rows, seats) int64, the amounts in the open round.
    observations, masks, acting, scores, rewards: (rows, seats, ...), as `open_row` and `record_row` write them.
    terminated, truncated: (rows,) bool.
    results: (rows, seats, RESULT) int64, written if the game has ended; 0 while it runs.
    illegal: (rows, seats) bool, whether the last bid of a seat outside was illegal.
seating: Who sits where; None if all seats are outside, which compiles nothing for seats inside. Positions are counted
    around the table from a first seat, as in `core.play.rivals.SeatingPlan`.
    fixed_first: The seat of position 0; NOBODY draws it for each game.
    counts: (seats,) int64, the number of bidders for each position, one of which is drawn; 0 for a learner.
    kinds, params: (bidders,) int64 and (bidders, any) float64, the bidders of all positions in order.
    bidders: (rows, seats) int64, written for each game: the number of the bidder in each seat, or OUTSIDE.
    seats: (rows, learners) int64, written for each game: the seat of each learner.
    memories: (rows, any) float64, the memories of the bidders.
    learners: Observations, masks, acting, rewards, results and illegal bids of the learners, in the order of their
        seats; copied from the buffers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module

import numpy as np

from aucenv.core.game_modules import FeaturesModule, RulesModule
from aucenv.core.kernel import bind, called, draw, draw_below, inlined, kernel, prefix_of, subkey, template, unbound
from aucenv.core.state import (
    LEARNER,
    MIXTURE,
    NEXT_GAME,
    NOBODY,
    OUTSIDE,
    RUNNING,
    TERMINATED,
    TREMBLE,
    TRUNCATED,
    WITHDRAW,
    rekey,
    seats_of,
)

deal = step = check = clip = payoff = result = decide = unbound
features = update_features = hidden_features = mask = amount = amount_of_share = unbound

SUMMARY_SIZE = 6
"""Length of the summary: item, round, rounds played, status, whether a score changed, and the
acting seats (bit s for seat s)."""

EMPTY_MEMORY = -1.0
"""The first number of a memory that contains nothing about the current game."""

# numba would compile every kernel that takes these a second time if they were literals.
NO_NOISE, NO_STEADY_SEAT = np.int64(0), np.int64(NOBODY)


@template
def decide_without_memory(kind, params, state, b, seat, memory):
    """Call a `decide` kernel that takes no memory."""
    return decide(kind, params, state, b, seat)


@template
def tremble_amount(state, b, seat, amount, noise):
    """Return the amount, or its opposite with probability `noise` / 2**32.

    The opposite of a bid is to withdraw, and the opposite of withdrawing is the lowest legal bid.

    Args:
        noise: int64, from 0 to 2**32.
    """
    g = state[b]
    if noise == 0 or draw(g["key"], TREMBLE, g["item"], g["round"], seat) >= noise:
        return amount
    return WITHDRAW if amount >= 0 else clip(state, b, seat, NO_NOISE)


@template
def decide_inside(state, b, bidders, kinds, params, noise, steady, memory, bids):
    """Write the bids of the seats inside that have a decision; return whether a seat outside has one.

    An illegal bid becomes a withdrawal, as at a table, where the bidder repeats it until its retries are exhausted.

    Args:
        bidders: (seats or more,) int64, the number of the bidder in each seat, or OUTSIDE; None if all seats are inside
            and the numbers are those of the seats.
        kinds, params: (bidders,) int64 and (bidders, any) float64, the bidders.
        noise: Probability times 2**32 that a bidder makes a mistake; see `tremble_amount`.
        steady: The seat that makes no mistakes, or NOBODY.
        memory: (any,) float64, the memory of the bidders between decisions; the first number is how many items it
            covers.
        bids: (seats or more,) int64, the amounts in the open round.
    """
    g = state[b]
    asked = False
    for seat in range(seats_of(g)):
        if g["acting"][seat] != 0:
            bidder = seat if bidders is None else bidders[seat]
            if bidders is not None and bidder == OUTSIDE:
                asked = True
            else:
                bid = decide(kinds[bidder], params[bidder], state, b, seat, memory)
                if seat != steady:
                    bid = tremble_amount(state, b, seat, bid, noise)
                bids[seat] = bid if check(state, b, seat, bid) == 0 else WITHDRAW
    return asked


@template
def play_inside(state, b, bidders, kinds, params, noise, steady, memory, bids):
    """Play rounds until a seat outside has a decision, or the game is over; see `decide_inside`."""
    while state[b]["status"] == RUNNING:
        if decide_inside(state, b, bidders, kinds, params, noise, steady, memory, bids):
            break
        step(state, b, bids)


@kernel
def seat_bidders(b, key, seating):
    """Draw the bidder of each seat of row `b`, for the game with this key."""
    fixed_first, counts, _, _, bidders, seats, memories, _ = seating
    first = fixed_first if fixed_first != NOBODY else draw_below(len(counts), key, LEARNER, 0, 0, 0)
    num_learners = 0
    for seat in range(len(counts)):
        position = (seat - first) % len(counts)
        if counts[position] == 0:
            bidders[b, seat] = OUTSIDE
            seats[b, num_learners] = seat
            num_learners += 1
        else:
            bidder = draw_below(counts[position], key, MIXTURE, 0, 0, seat)
            for other in range(position):
                bidder += counts[other]
            bidders[b, seat] = bidder
    memories[b, 0] = EMPTY_MEMORY


@template
def play_seated(state, b, bids, seating):
    """Play row `b` until a learner has a decision, or the game is over."""
    _, _, kinds, params, bidders, _, memories, _ = seating
    play_inside(state, b, bidders[b], kinds, params, NO_NOISE, NO_STEADY_SEAT, memories[b], bids)


@template
def open_game(state, b, bids, seating, observations, masks, scores, rewards):
    """Play a game that was just dealt or restored to the first decision outside, and write its buffers.

    Args:
        bids: (seats or more,) int64, the amounts in the open round.
        observations: (seats, features) float32, written.
        masks: (seats, actions) int8, written.
        scores: (seats,) float64, written: those before the rounds without a decision outside.
        rewards: (seats,) float64, written: 0.
    """
    payoff(state, b, scores)
    for seat in range(seats_of(state[b])):
        rewards[seat] = 0.0
    if seating is not None:
        play_seated(state, b, bids, seating)
    features(state, b, observations)
    mask(state, b, masks)


@template
def close_round(state, b, bids, seating, observations, masks, scores, rewards):
    """Close a round, play on to the next decision outside, and update the buffers; see `open_game`.

    Features of items that were closed before do not change. Rewards are written if an item is closed.
    """
    item = state[b]["item"]
    step(state, b, bids)
    if seating is not None:
        play_seated(state, b, bids, seating)
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
    open_game(state, b, None, None, observations[b], masks[b], scores[0], scores[1])
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
    for seat in range(state[b]["num_seats"]):
        action = amounts[1, seat]
        if action >= 0:
            amounts[0, seat] = amount(state, b, seat, action)
            amounts[1, seat] = -1
    close_round(state, b, amounts[0], None, observations[b], masks[b], scores[0], scores[1])
    summarize(state, b, scores[1], summary)


@template
def open_row(b, key, buffers, seating):
    """Open the game with this key, which was just dealt or restored in row `b`."""
    state, _, _, bids, observations, masks, _, scores, rewards, _, _, results, illegal = buffers
    results[b] = 0
    illegal[b] = False
    if seating is not None:
        seat_bidders(b, key, seating)
    open_game(state, b, bids[b], seating, observations[b], masks[b], scores[b], rewards[b])


@template
def deal_row(b, key, buffers, seating, template_row):
    """Start the game with this key in row `b`."""
    deal(buffers[0], b, template_row, key)
    open_row(b, key, buffers, seating)


@template
def deal_next(b, buffers, seating, template_row):
    """Start the next game of row `b`; if there are seats inside, one in which a learner decides, or the hundredth."""
    state, keys, games_dealt, _, _, _, _, _, _, _, _, _, _ = buffers
    for _ in range(1 if seating is None else 100):
        games_dealt[b] += 1
        deal_row(b, subkey(keys[b], NEXT_GAME, games_dealt[b]), buffers, seating, template_row)
        if state[b]["status"] == RUNNING:
            break


@template
def record_row(b, buffers, seating):
    """Write which seats of row `b` have a decision, whether its game is over, and its results if it is."""
    state, _, _, _, _, _, acting, _, _, terminated, truncated, results, _ = buffers
    g = state[b]
    for seat in range(seats_of(g)):
        acting[b, seat] = g["acting"][seat] != 0
    terminated[b] = g["status"] == TERMINATED
    truncated[b] = g["status"] == TRUNCATED
    if g["status"] != RUNNING:
        result(state, b, results[b])
    if seating is not None:
        copy_to_learners(b, buffers, seating)


@inlined
def copy_to_learners(b, buffers, seating):
    """Copy the learners' entries of row `b` from the buffers of all seats to the learners' buffers."""
    _, _, _, _, observations, masks, acting, _, rewards, _, _, results, illegal = buffers
    _, _, _, _, _, seats, _, learners = seating
    to_observations, to_masks, to_acting, to_rewards, to_results, to_illegal = learners
    for i in range(seats.shape[1]):
        seat = max(seats[b, i], 0)
        for k in range(to_observations.shape[2]):  # faster than assigning the whole row
            to_observations[b, i, k] = observations[b, seat, k]
        for k in range(to_masks.shape[2]):
            to_masks[b, i, k] = masks[b, seat, k]
        for k in range(to_results.shape[2]):
            to_results[b, i, k] = results[b, seat, k]
        to_acting[b, i] = acting[b, seat]
        to_rewards[b, i] = rewards[b, seat]
        to_illegal[b, i] = illegal[b, seat]


@template
def deal_rows(first, last, thread, buffers, seating, template_row, next_game):
    """Start a game in rows `first` to `last` - 1: the first game of each row's key, or the next one if `next_game`."""
    _, keys, games_dealt, _, _, _, _, _, _, _, _, _, _ = buffers
    for b in range(first, last):
        key = keys[b]
        if next_game:
            games_dealt[b] += 1
            key = subkey(key, NEXT_GAME, games_dealt[b])
        deal_row(b, key, buffers, seating, template_row)
        record_row(b, buffers, seating)


@template
def deal_next_rows(rows, buffers, seating, template_row):
    """Start the next game of each of these rows."""
    for b in rows:
        deal_next(b, buffers, seating, template_row)
        record_row(b, buffers, seating)


@template
def restore_rows(rows, new_keys, source, max_rounds, buffers, seating):
    """Copy the one row of `source` to several rows.

    Args:
        rows: (any,) int64, the numbers of the rows.
        new_keys: (any,) int64, a key for each of these rows, which seeds its randomness from here on.
    """
    state, keys, games_dealt, _, _, _, _, _, _, _, _, _, _ = buffers
    for i in range(len(rows)):
        b = rows[i]
        state[b] = source[0]
        rekey(state[b], new_keys[i])
        state[b]["forced_tie"] = NOBODY
        state[b]["max_rounds"] = max_rounds
        keys[b] = new_keys[i]
        games_dealt[b] = 0
        open_row(b, keys[b], buffers, seating)
        record_row(b, buffers, seating)


@template
def read_bids(b, buffers, seating, vector_actions, clip_illegal, actions):
    """Write the bids of the seats outside, and which of them were illegal; see `step_row`."""
    state, _, _, bids, _, masks, acting, _, _, _, _, _, illegal = buffers
    for i in range(seats_of(state[b]) if seating is None else actions.shape[1]):
        seat = i if seating is None else max(seating[5][b, i], 0)
        bid = actions[b, i]  # for every seat, because a mispredicted branch costs more than an unused read
        if vector_actions:
            refused = masks[b, seat, bid] < acting[b, seat]
            bid = amount(state, b, seat, bid)
        else:
            refused = acting[b, seat] & (check(state, b, seat, bid) != 0)
        if refused:
            bid = clip(state, b, seat, bid) if clip_illegal else WITHDRAW
        illegal[b, seat] = refused
        bids[b, seat] = bid


@template
def step_row(b, buffers, seating, template_row, vector_actions, clip_illegal, actions):
    """Close a round in row `b`, or start the row's next game if its game is over.

    Args:
        vector_actions: Whether `actions` are vector actions; otherwise they are cents.
        clip_illegal: Whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, learners) int64; all in range, including those of seats without a decision.
    """
    state, _, _, bids, observations, masks, _, scores, rewards, _, _, _, _ = buffers
    over = state[b]["status"] != RUNNING
    read_bids(b, buffers, seating, vector_actions, clip_illegal, actions)
    if over:
        deal_next(b, buffers, seating, template_row)
    else:
        close_round(state, b, bids[b], seating, observations[b], masks[b], scores[b], rewards[b])
    record_row(b, buffers, seating)


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
        step_row(b, *args)


@template
def step_rows_at_random(first, last, thread, masks, acting, actions, generators, args):
    """Call `draw_actions` and `step_row` for rows `first` to `last` - 1."""
    for b in range(max(first, 0), last):
        draw_actions(b, masks, acting, actions, generators)
        step_row(b, *args)


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


class Bidders:
    """The templates for seats inside, bound to one game and its bidders; each is an attribute under its name.

    Args:
        name: A unique prefix for the names of the compiled functions.
        rules: The game's rules.
        decide: The kernel of the bidders; what creates arrays in it is an `allocating` kernel.
        memory_size: A function that returns the size of the memory that `decide` takes, for the numbers of seats and
            items; None if it takes no memory.
        is_large: Whether `decide` is so large that inlining it takes long to compile.
    """

    def __init__(
        self,
        name: str,
        rules: RulesModule,
        decide: Callable,
        memory_size: Callable[[int, int], int] | None = None,
        is_large: bool = False,
    ) -> None:
        self.name = name
        self.compiler = called if is_large else inlined
        self.memory_size = memory_size or (lambda num_seats, num_items: 1)
        self.decide = bind(decide_without_memory, name, decide=decide) if memory_size is None else decide
        self.tremble_amount = bind(tremble_amount, name, clip=rules.clip)
        deciding = {"decide": self.decide, "tremble_amount": self.tremble_amount, "check": rules.check}
        self.decide_inside = bind(decide_inside, name, self.compiler, **deciding)
        playing = {"decide_inside": self.decide_inside, "step": rules.step}
        self.play_inside = bind(play_inside, name, self.compiler, **playing)


class Engine:
    """The templates for tables and batches, bound to one game; each is an attribute under its name.

    Args:
        module: The module that has the game as GAME.
        attribute: The name of this engine among the attributes of the game.
        rules, vector: The game's modules `rules` and `features`.
        bidders: The bidders of the seats inside; None if all seats are outside.
    """

    def __init__(
        self, module: str, attribute: str, rules: RulesModule, vector: FeaturesModule, bidders: Bidders | None = None
    ) -> None:
        self._place = module, attribute
        game = prefix_of(module) if bidders is None else f"{bidders.name}_rivals"
        compiler = inlined if bidders is None else bidders.compiler
        writing = {"mask": vector.mask, "payoff": rules.payoff}
        seated = {"play_inside": unbound if bidders is None else bidders.play_inside}
        playing = {"play_seated": bind(play_seated, game, compiler, **seated)}
        opening = {"open_game": bind(open_game, game, features=vector.features, **playing, **writing)}
        changing = {"update_features": vector.update_features, **playing, **writing}
        closing = {"close_round": bind(close_round, game, compiler, step=rules.step, **changing)}
        self.write_table = bind(write_table, game, **opening)
        self.deal_table = bind(deal_table, game, deal=rules.deal, write_table=self.write_table)
        self.close_table_round = bind(close_table_round, game, amount=vector.amount, **closing)
        rows = {"open_row": bind(open_row, game, compiler, **opening)}
        recording = {"record_row": bind(record_row, game, inlined, result=rules.result)}
        dealing = {"deal_row": bind(deal_row, game, compiler, deal=rules.deal, **rows)}
        dealing_next = {"deal_next": bind(deal_next, game, compiler, **dealing)}
        self.deal_rows = bind(deal_rows, game, compiler, **dealing, **recording)
        self.deal_next_rows = bind(deal_next_rows, game, compiler, **dealing_next, **recording)
        self.restore_rows = bind(restore_rows, game, compiler, **rows, **recording)
        reading = {"amount": vector.amount, "check": rules.check, "clip": rules.clip}
        moving = {"read_bids": bind(read_bids, game, inlined, **reading), **closing, **dealing_next, **recording}
        self.step_row = bind(step_row, game, compiler, **moving)
        self.step_rows = bind(step_rows, game, compiler, step_row=self.step_row)
        self.step_rows_at_random = bind(step_rows_at_random, game, compiler, step_row=self.step_row)
        self.read_shares = bind(read_shares, game, amount_of_share=vector.amount_of_share)
        self.write_whole_states = bind(write_whole_states, game, inlined, hidden_features=vector.hidden_features)

    def __reduce__(self) -> tuple:  # pickled by name, because each process compiles its kernels
        return _load_engine, self._place


def _load_engine(module: str, attribute: str) -> Engine:
    engine: Engine = getattr(import_module(module).GAME, attribute)
    return engine
