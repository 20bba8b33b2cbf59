"""Rows of a batch in which rule bidders play some of the seats, inside the compiled step.

The functions are templates: `SeatedRows` binds them to one game's kernels, which have the names below. They take three
tuples of arrays:

buffers: what a batch keeps of all seats, as `rows.deal_rows` takes it.
rivals: `place` (the seat of place 0; NOBODY = drawn for each game), `counts` (seats,) (how many bidders may play each
    place; 0 = a learner), `kinds` (bidders,) and `params` (bidders, 8) of all of them in the order of places. Written
    for each game: `sitting` (rows, seats) (which of the bidders plays; NOBODY = a learner), `seats` (rows, learners)
    (where each learner sits), `memories` (rows, any).
shown: what learners see, in the order of their seats: observations, masks, acting, rewards, results, illegal bids.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from aucenv.core.game import Game
from aucenv.core.kernel import bind, draw_below, inlined, kernel, subkey, unbound
from aucenv.core.rollouts import FORGOTTEN, Rollouts
from aucenv.core.rows import draw_actions
from aucenv.core.state import LEARNER, MIXTURE, NEXT_GAME, NOBODY, RUNNING, WITHDRAW, seats_of

deal = step = check = clip = amount = write = update = note = decide = unbound
answer = take = skip = open_round = next_row = step_rows = unbound


@kernel
def sit_row(b, key, rivals):
    """Draw who plays each seat of the game with this key."""
    place, counts, _, _, sitting, seats, memories = rivals
    first = place if place != NOBODY else draw_below(len(counts), key, LEARNER, 0, 0, 0)
    learners = 0
    for seat in range(len(counts)):
        own = (seat - first) % len(counts)
        if counts[own] == 0:
            sitting[b, seat] = NOBODY
            seats[b, learners] = seat
            learners += 1
        else:
            who = draw_below(counts[own], key, MIXTURE, 0, 0, seat)
            for other in range(own):
                who += counts[other]
            sitting[b, seat] = who
    memories[b, 0] = FORGOTTEN


@kernel
def show_learners(b, buffers, rivals, shown):
    """Copy what learners see."""
    _, _, _, observations, masks, acting, _, rewards, _, _, results = buffers
    seen, legal, deciding, gained, ended, _ = shown
    seats = rivals[5]
    for i in range(seats.shape[1]):
        seat = seats[b, i]
        seen[b, i] = observations[b, seat]
        legal[b, i] = masks[b, seat]
        deciding[b, i] = acting[b, seat]
        gained[b, i] = rewards[b, seat]
        ended[b, i] = results[b, seat]


def answer_seat(state, b, seat, rivals):
    """What the rule bidder at a seat answers; an illegal bid withdraws, as after its last try at a table."""
    _, _, kinds, params, sitting, _, memories = rivals
    who = sitting[b, seat]
    bid = decide(kinds[who], params[who], state, b, seat, memories[b])
    return bid if check(state, b, seat, bid) == 0 else WITHDRAW


def take_bid(state, b, seat, action, legal, by_number, clips):
    """The amount that an acting seat's action stands for, and whether the action was illegal."""
    bid = action
    if by_number:
        refused = legal[action] == 0
        bid = amount(state, b, seat, action)
    else:
        refused = check(state, b, seat, bid) != 0
    if refused:
        bid = clip(state, b, seat, bid) if clips else WITHDRAW
    return bid, refused


def skip_rounds(b, buffers, rivals, own, gains):
    """Play the rounds in which no learner has a decision; what is gained adds to the rewards."""
    state, _, _, observations, masks, _, scores, rewards, _, _, _ = buffers
    sitting = rivals[4]
    seats = seats_of(state[b])
    while state[b]["status"] == RUNNING:
        for seat in range(seats):
            if sitting[b, seat] == NOBODY and state[b]["acting"][seat] != 0:
                return
        item = state[b]["item"]
        for seat in range(seats):
            if state[b]["acting"][seat] != 0:
                own[seat] = answer(state, b, seat, rivals)
        step(state, b, own)
        update(state, b, item, observations[b], masks[b], scores[b], gains)
        for seat in range(seats):
            rewards[b, seat] += gains[seat]


def open_row(b, buffers, rivals, shown, own, gains):
    """Play a row on to a decision of a learner, or to the end, and show it."""
    state, _, _, _, _, acting, _, _, terminated, truncated, results = buffers
    skip(b, buffers, rivals, own, gains)
    note(state, b, acting, terminated, truncated, results)
    show_learners(b, buffers, rivals, shown)


def deal_beside(first, last, thread, buffers, rivals, shown, template, again, amounts, gains):
    """Start a game in rows `first` to `last` - 1: the first one of each row's key, or `again` the next one."""
    state, keys, dealt, observations, masks, _, scores, rewards, _, _, results = buffers
    for b in range(first, last):
        key = keys[b]
        if again:
            dealt[b] += 1
            key = subkey(key, NEXT_GAME, dealt[b])
        deal(state, b, template, key)
        sit_row(b, key, rivals)
        write(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        open_round(b, buffers, rivals, shown, amounts[thread], gains[thread])


def show_beside(rows, buffers, rivals, shown, own, gains):
    """Sit down at games that were put into rows."""
    for b in rows:
        sit_row(b, buffers[1][b], rivals)
        open_round(b, buffers, rivals, shown, own, gains)


def next_game(b, buffers, rivals, shown, template, own, gains):
    """Start the next game of a row: the first one that asks a learner anything, of the next 100."""
    state, keys, dealt, observations, masks, _, scores, rewards, _, _, results = buffers
    for _ in range(100):
        dealt[b] += 1
        key = subkey(keys[b], NEXT_GAME, dealt[b])
        deal(state, b, template, key)
        sit_row(b, key, rivals)
        write(state, b, observations[b], masks[b], scores[b], rewards[b])
        results[b] = 0
        shown[5][b] = False
        open_round(b, buffers, rivals, shown, own, gains)
        if state[b]["status"] == RUNNING:
            return


def deal_next(rows, buffers, rivals, shown, template, own, gains):
    """Start the next games of rows."""
    for b in rows:
        next_row(b, buffers, rivals, shown, template, own, gains)


def step_beside(first, last, thread, buffers, rivals, shown, template, by_number, clips, actions, amounts, gains):
    """Close a round in rows `first` to `last` - 1, and those that rivals play alone; or start the next game of a row.

    Args:
        by_number: whether `actions` are vector actions; otherwise cents.
        clips: whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, learners) int64, in range.
        amounts, gains: (threads, seats or more) int64 and float64, scratch.
    """
    state, _, _, observations, masks, acting, scores, rewards, _, _, _ = buffers
    sitting, seats = rivals[4], rivals[5]
    illegal = shown[5]
    for b in range(first, last):
        own = amounts[thread]
        if state[b]["status"] != RUNNING:
            next_row(b, buffers, rivals, shown, template, own, gains[thread])
            continue
        for i in range(seats.shape[1]):
            seat = seats[b, i]
            illegal[b, i] = False
            if acting[b, seat]:
                own[seat], illegal[b, i] = take(state, b, seat, actions[b, i], masks[b, seat], by_number, clips)
        for seat in range(seats_of(state[b])):
            if sitting[b, seat] != NOBODY and acting[b, seat]:
                own[seat] = answer(state, b, seat, rivals)
        item = state[b]["item"]
        step(state, b, own)
        update(state, b, item, observations[b], masks[b], scores[b], rewards[b])
        open_round(b, buffers, rivals, shown, own, gains[thread])


def step_beside_by_chance(first, last, thread, masks, acting, actions, chance, args):
    """The same with the learners' actions drawn by `core.rows.draw_actions`."""
    for b in range(first, last):
        draw_actions(b, masks, acting, actions, chance)
    step_rows(first, last, thread, *args)


class SeatedRows:
    """One game's bound templates, with its rule bidders' `decide`: `deal_rows`, `show_rows`, `step_rows`, ...."""

    def __init__(self, game: Game, rollouts: Rollouts) -> None:
        name, rows, rules = game.package.rpartition(".")[2], game.rows, game.rules
        moves = {"step": rules.step, "update": rows.update}
        answered = bind(answer_seat, f"{name}_answer", decide=rollouts.decide, check=rules.check)
        taken = bind(
            take_bid, f"{name}_take_bid", inlined, amount=game.vector.amount, check=rules.check, clip=rules.clip
        )
        skipped = bind(skip_rounds, f"{name}_skip_rounds", answer=answered, **moves)
        opened = bind(open_row, f"{name}_open_row", skip=skipped, note=rows.note)
        dealing = {"deal": rules.deal, "write": rows.write, "open_round": opened}
        self._package = game.package
        self.memory_size = rollouts.memory_size
        self.deal_rows = bind(deal_beside, f"{name}_deal_beside", **dealing)
        self.show_rows = bind(show_beside, f"{name}_show_beside", open_round=opened)
        followed = bind(next_game, f"{name}_next_game", **dealing)
        self.deal_next = bind(deal_next, f"{name}_deal_next", next_row=followed)
        self.step_rows = bind(
            step_beside,
            f"{name}_step_beside",
            take=taken,
            answer=answered,
            open_round=opened,
            next_row=followed,
            **moves,
        )
        self.step_rows_by_chance = bind(
            step_beside_by_chance, f"{name}_step_beside_by_chance", step_rows=self.step_rows
        )

    def __reduce__(self) -> tuple:  # by name: a process has its own compiled kernels
        return _load_seated_rows, (self._package,)


def _load_seated_rows(package: str) -> SeatedRows:
    game = import_module(f"{package}.env").GAME
    return seated_rows(game, import_module(game.bidders).ROLLOUTS)


@lru_cache
def seated_rows(game: Game, rollouts: Rollouts) -> SeatedRows:
    return SeatedRows(game, rollouts)
