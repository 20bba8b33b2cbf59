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
from aucenv.core.round_kernels import draw_actions
from aucenv.core.state import LEARNER, MIXTURE, NEXT_GAME, NOBODY, RUNNING, WITHDRAW, seats_of

deal = step = check = clip = amount = refresh = mask = write = update = note = decide = unbound
answer = take = skip = open_round = deal_game = next_row = step_rows = unbound


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


@inlined
def show_learners(b, buffers, rivals, shown):
    """Copy what learners see."""
    _, _, _, observations, masks, acting, _, rewards, terminated, truncated, results = buffers
    seen, legal, deciding, gained, ended, _ = shown
    seats = rivals[5]
    over = terminated[b] or truncated[b]
    for i in range(seats.shape[1]):
        seat = max(seats[b, i], 0)
        for k in range(seen.shape[2]):  # assigned whole, rows are copied more slowly
            seen[b, i, k] = observations[b, seat, k]
        for k in range(legal.shape[2]):
            legal[b, i, k] = masks[b, seat, k]
        deciding[b, i] = acting[b, seat]
        gained[b, i] = rewards[b, seat]
        if over:
            for k in range(ended.shape[2]):
                ended[b, i, k] = results[b, seat, k]


@inlined
def clear_row(b, shown):
    """A new game has no results, and nobody has made an illegal bid in it."""
    _, _, _, _, results, illegal = shown
    for i in range(results.shape[1]):
        illegal[b, i] = False
        for k in range(results.shape[2]):
            results[b, i, k] = 0


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


def skip_rounds(state, b, rivals, own):
    """Play the rounds in which no learner has a decision; whether there were any."""
    sitting = rivals[4]
    g = state[b]
    seats = seats_of(g)
    skipped = False
    while g["status"] == RUNNING:
        learning = False
        for seat in range(seats):
            learning |= (sitting[b, seat] == NOBODY) & (g["acting"][seat] != 0)
        if learning:
            break
        for seat in range(seats):
            if g["acting"][seat] != 0:
                own[seat] = answer(state, b, seat, rivals)
        step(state, b, own)
        skipped = True
    return skipped


def open_row(b, buffers, rivals, shown, own):
    """Play a row, of which everything is written, on to a decision of a learner, or to the end, and show it.

    What is gained until then counts as gained in the next step.
    """
    state, _, _, observations, masks, acting, _, _, terminated, truncated, results = buffers
    item = state[b]["item"]
    if skip(state, b, rivals, own):
        refresh(state, b, item, observations[b])
        mask(state, b, masks[b])
    note(state, b, acting, terminated, truncated, results)
    show_learners(b, buffers, rivals, shown)


def deal_row(b, key, buffers, rivals, shown, template, own):
    """Start the game with this key."""
    state, _, _, observations, masks, _, scores, rewards, _, _, _ = buffers
    deal(state, b, template, key)
    sit_row(b, key, rivals)
    write(state, b, observations[b], masks[b], scores[b], rewards[b])
    clear_row(b, shown)
    open_round(b, buffers, rivals, shown, own)


def deal_beside(first, last, thread, buffers, rivals, shown, template, again, amounts):
    """Start a game in rows `first` to `last` - 1: the first one of each row's key, or `again` the next one."""
    _, keys, dealt, _, _, _, _, _, _, _, _ = buffers
    for b in range(first, last):
        key = keys[b]
        if again:
            dealt[b] += 1
            key = subkey(key, NEXT_GAME, dealt[b])
        deal_game(b, key, buffers, rivals, shown, template, amounts[thread])


def show_beside(rows, buffers, rivals, shown, own):
    """Sit down at games that were put into rows."""
    for b in rows:
        sit_row(b, buffers[1][b], rivals)
        clear_row(b, shown)
        open_round(b, buffers, rivals, shown, own)


def next_game(b, buffers, rivals, shown, template, own):
    """Start the next game of a row: the first one that asks a learner anything, of the next 100."""
    state, keys, dealt, _, _, _, _, _, _, _, _ = buffers
    for _ in range(100):
        dealt[b] += 1
        deal_game(b, subkey(keys[b], NEXT_GAME, dealt[b]), buffers, rivals, shown, template, own)
        if state[b]["status"] == RUNNING:
            return


def deal_next(rows, buffers, rivals, shown, template, own):
    """Start the next games of rows."""
    for b in rows:
        next_row(b, buffers, rivals, shown, template, own)


def step_beside(first, last, thread, buffers, rivals, shown, template, by_number, clips, actions, amounts):
    """Close a round in rows `first` to `last` - 1, and those that rivals play alone; or start the next game of a row.

    Args:
        by_number: whether `actions` are vector actions; otherwise cents.
        clips: whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, learners) int64, in range.
        amounts: (threads, seats or more) int64, scratch.
    """
    state, _, _, observations, masks, acting, scores, rewards, terminated, truncated, results = buffers
    sitting, seats = rivals[4], rivals[5]
    illegal = shown[5]
    own = amounts[thread]
    for b in range(max(first, 0), last):  # never negative: the compiler need not ask for each array
        if state[b]["status"] != RUNNING:
            next_row(b, buffers, rivals, shown, template, own)
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
        skip(state, b, rivals, own)
        update(state, b, item, observations[b], masks[b], scores[b], rewards[b])
        note(state, b, acting, terminated, truncated, results)
        show_learners(b, buffers, rivals, shown)


def step_beside_by_chance(first, last, thread, masks, acting, actions, chance, args):
    """The same with the learners' actions drawn by `core.rows.draw_actions`."""
    for b in range(first, last):
        draw_actions(b, masks, acting, actions, chance)
    step_rows(first, last, thread, *args)


class SeatedRows:
    """One game's bound templates, with its rule bidders' `decide`: `deal_rows`, `show_rows`, `step_rows`, ...."""

    def __init__(self, game: Game, rollouts: Rollouts) -> None:
        name, rows, rules = game.package.rpartition(".")[2], game.rows, game.rules
        fast = kernel if rollouts.allocates else inlined
        answered = bind(answer_seat, f"{name}_answer", fast, decide=rollouts.decide, check=rules.check)
        taken = bind(
            take_bid, f"{name}_take_bid", inlined, amount=game.vector.amount, check=rules.check, clip=rules.clip
        )
        skipped = bind(skip_rounds, f"{name}_skip_rounds", fast, answer=answered, step=rules.step)
        seen = {"refresh": game.vector.refresh, "mask": game.vector.mask, "note": rows.note}
        opened = bind(open_row, f"{name}_open_row", skip=skipped, **seen)
        dealt = bind(deal_row, f"{name}_deal_row", deal=rules.deal, write=rows.write, open_round=opened)
        followed = bind(next_game, f"{name}_next_game", deal_game=dealt)
        self._package = game.package
        self.memory_size = rollouts.memory_size
        self.deal_rows = bind(deal_beside, f"{name}_deal_beside", deal_game=dealt)
        self.show_rows = bind(show_beside, f"{name}_show_beside", open_round=opened)
        self.deal_next = bind(deal_next, f"{name}_deal_next", next_row=followed)
        self.step_rows = bind(
            step_beside,
            f"{name}_step_beside",
            fast,
            take=taken,
            answer=answered,
            skip=skipped,
            next_row=followed,
            step=rules.step,
            update=rows.update,
            note=rows.note,
        )
        self.step_rows_by_chance = bind(
            step_beside_by_chance, f"{name}_step_beside_by_chance", fast, step_rows=self.step_rows
        )

    def __reduce__(self) -> tuple:  # by name: a process has its own compiled kernels
        return _load_seated_rows, (self._package,)


def _load_seated_rows(package: str) -> SeatedRows:
    game = import_module(f"{package}.env").GAME
    return seated_rows(game, import_module(game.bidders).ROLLOUTS)


@lru_cache
def seated_rows(game: Game, rollouts: Rollouts) -> SeatedRows:
    return SeatedRows(game, rollouts)
