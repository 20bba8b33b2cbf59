"""The compiled step of a batch in which rule bidders play some of the seats.

The functions are templates: `RivalKernels` binds them to the kernels of one game. Positions are counted around the
table from a first seat, as in `core.rivals.SeatingPlan`. The templates take three tuples:

buffers: The arrays of all seats of a batch, from `state` to `results`, as `round_kernels.deal_rows` takes them.
rivals:
    fixed_first: The seat of position 0; NOBODY draws it for each game.
    counts: (seats,) int64, the number of bidders for each position, one of which is drawn; 0 for a learner.
    kinds, params: (bidders,) int64 and (bidders, any) float64, the bidders of all positions in order.
    bidders: (rows, seats) int64, written for each game: the number of the bidder in each seat; NOBODY for a learner.
    seats: (rows, learners) int64, written for each game: the seat of each learner.
    memories: (rows, any) float64, the memories of the bidders.
learners: Observations, masks, acting, rewards, results and illegal bids of the learners, in the order of their seats.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from aucenv.core.game import Game
from aucenv.core.kernel import bind, draw_below, inlined, kernel, subkey, template, unbound
from aucenv.core.rollouts import EMPTY_MEMORY, Rollouts
from aucenv.core.round_kernels import draw_actions, record_status, update_changed, write_all
from aucenv.core.state import LEARNER, MIXTURE, NEXT_GAME, NOBODY, RUNNING, WITHDRAW, seats_of

deal = step = check = clip = amount = update_features = mask = decide = unbound


@kernel
def seat_bidders(b, key, rivals):
    """Draw the bidder of each seat of row `b`, for the game with this key."""
    fixed_first, counts, _, _, bidders, seats, memories = rivals
    first = fixed_first if fixed_first != NOBODY else draw_below(len(counts), key, LEARNER, 0, 0, 0)
    num_learners = 0
    for seat in range(len(counts)):
        position = (seat - first) % len(counts)
        if counts[position] == 0:
            bidders[b, seat] = NOBODY
            seats[b, num_learners] = seat
            num_learners += 1
        else:
            bidder = draw_below(counts[position], key, MIXTURE, 0, 0, seat)
            for other in range(position):
                bidder += counts[other]
            bidders[b, seat] = bidder
    memories[b, 0] = EMPTY_MEMORY


@inlined
def copy_to_learners(b, buffers, rivals, learners):
    """Copy the learners' entries of row `b` from the buffers of all seats to the learners' buffers."""
    _, _, _, observations, masks, acting, _, rewards, terminated, truncated, results = buffers
    to_observations, to_masks, to_acting, to_rewards, to_results, _ = learners
    seats = rivals[5]
    over = terminated[b] or truncated[b]
    for i in range(seats.shape[1]):
        seat = max(seats[b, i], 0)
        for k in range(to_observations.shape[2]):  # faster than assigning the whole row
            to_observations[b, i, k] = observations[b, seat, k]
        for k in range(to_masks.shape[2]):
            to_masks[b, i, k] = masks[b, seat, k]
        to_acting[b, i] = acting[b, seat]
        to_rewards[b, i] = rewards[b, seat]
        if over:
            for k in range(to_results.shape[2]):
                to_results[b, i, k] = results[b, seat, k]


@inlined
def clear_results(b, learners):
    """Clear the results and illegal bids of the last game."""
    _, _, _, _, results, illegal = learners
    for i in range(results.shape[1]):
        illegal[b, i] = False
        for k in range(results.shape[2]):
            results[b, i, k] = 0


@template
def rival_bid(state, b, seat, rivals):
    """Return the bid of the rule bidder in a seat; an illegal bid becomes a withdrawal, as after its last retry."""
    _, _, kinds, params, bidders, _, memories = rivals
    bidder = bidders[b, seat]
    bid = decide(kinds[bidder], params[bidder], state, b, seat, memories[b])
    return bid if check(state, b, seat, bid) == 0 else WITHDRAW


@template
def read_action(state, b, seat, action, legal, vector_actions, clip_illegal):
    """Return the amount of an acting seat's action, and whether the action was illegal."""
    bid = action
    if vector_actions:
        refused = legal[action] == 0
        bid = amount(state, b, seat, action)
    else:
        refused = check(state, b, seat, bid) != 0
    if refused:
        bid = clip(state, b, seat, bid) if clip_illegal else WITHDRAW
    return bid, refused


@template
def skip_rounds(state, b, rivals, bids):
    """Play the rounds in which no learner has a decision; return whether there were any."""
    bidders = rivals[4]
    g = state[b]
    seats = seats_of(g)
    skipped = False
    while g["status"] == RUNNING:
        learning = False
        for seat in range(seats):
            learning |= (bidders[b, seat] == NOBODY) & (g["acting"][seat] != 0)
        if learning:
            break
        for seat in range(seats):
            if g["acting"][seat] != 0:
                bids[seat] = rival_bid(state, b, seat, rivals)
        step(state, b, bids)
        skipped = True
    return skipped


@template
def advance_row(b, buffers, rivals, learners, bids):
    """Play a row, whose buffers are written, to the next decision of a learner or to the end, and update the buffers.

    Rewards of the skipped rounds are included in those of the next step.
    """
    state, _, _, observations, masks, acting, _, _, terminated, truncated, results = buffers
    item = state[b]["item"]
    if skip_rounds(state, b, rivals, bids):
        update_features(state, b, item, observations[b])
        mask(state, b, masks[b])
    record_status(state, b, acting, terminated, truncated, results)
    copy_to_learners(b, buffers, rivals, learners)


@template
def deal_row(b, key, buffers, rivals, learners, template_row, bids):
    """Start the game with this key in row `b`."""
    state, _, _, observations, masks, _, scores, rewards, _, _, _ = buffers
    deal(state, b, template_row, key)
    seat_bidders(b, key, rivals)
    write_all(state, b, observations[b], masks[b], scores[b], rewards[b])
    clear_results(b, learners)
    advance_row(b, buffers, rivals, learners, bids)


@template
def deal_rows(first, last, thread, buffers, rivals, learners, template_row, next_game, amounts):
    """Start a game in rows `first` to `last` - 1: the first game of each row's key, or the next one if `next_game`."""
    _, keys, games_dealt, _, _, _, _, _, _, _, _ = buffers
    for b in range(first, last):
        key = keys[b]
        if next_game:
            games_dealt[b] += 1
            key = subkey(key, NEXT_GAME, games_dealt[b])
        deal_row(b, key, buffers, rivals, learners, template_row, amounts[thread])


@template
def seat_restored_rows(rows, buffers, rivals, learners, bids):
    """Draw the bidders of rows whose games were restored, and play them to a decision of a learner."""
    for b in rows:
        seat_bidders(b, buffers[1][b], rivals)
        clear_results(b, learners)
        advance_row(b, buffers, rivals, learners, bids)


@template
def deal_next_game(b, buffers, rivals, learners, template_row, bids):
    """Start the next game of a row in which a learner has a decision; give up after 100 games."""
    state, keys, games_dealt, _, _, _, _, _, _, _, _ = buffers
    for _ in range(100):
        games_dealt[b] += 1
        deal_row(b, subkey(keys[b], NEXT_GAME, games_dealt[b]), buffers, rivals, learners, template_row, bids)
        if state[b]["status"] == RUNNING:
            return


@template
def deal_next_rows(rows, buffers, rivals, learners, template_row, bids):
    """Start the next game of each of these rows."""
    for b in rows:
        deal_next_game(b, buffers, rivals, learners, template_row, bids)


@template
def step_rows(
    first, last, thread, buffers, rivals, learners, template_row, vector_actions, clip_illegal, actions, amounts
):
    """Step rows `first` to `last` - 1: close a round and play on to a learner's decision, or start the next game.

    Args:
        vector_actions: Whether `actions` are vector actions; otherwise they are cents.
        clip_illegal: Whether an illegal bid becomes the nearest legal one; otherwise its seat withdraws.
        actions: (rows, learners) int64, in range.
        amounts: (threads, seats or more) int64, scratch.
    """
    state, _, _, observations, masks, acting, scores, rewards, terminated, truncated, results = buffers
    bidders, seats = rivals[4], rivals[5]
    illegal = learners[5]
    bids = amounts[thread]
    for b in range(max(first, 0), last):  # never negative, which saves a check for each array
        if state[b]["status"] != RUNNING:
            deal_next_game(b, buffers, rivals, learners, template_row, bids)
            continue
        for i in range(seats.shape[1]):
            seat = seats[b, i]
            illegal[b, i] = False
            if acting[b, seat]:
                bids[seat], illegal[b, i] = read_action(
                    state, b, seat, actions[b, i], masks[b, seat], vector_actions, clip_illegal
                )
        for seat in range(seats_of(state[b])):
            if bidders[b, seat] != NOBODY and acting[b, seat]:
                bids[seat] = rival_bid(state, b, seat, rivals)
        item = state[b]["item"]
        step(state, b, bids)
        skip_rounds(state, b, rivals, bids)
        update_changed(state, b, item, observations[b], masks[b], scores[b], rewards[b])
        record_status(state, b, acting, terminated, truncated, results)
        copy_to_learners(b, buffers, rivals, learners)


@template
def step_rows_at_random(first, last, thread, masks, acting, actions, generators, args):
    """Draw the learners' actions with `core.round_kernels.draw_actions`, and call `step_rows`."""
    for b in range(first, last):
        draw_actions(b, masks, acting, actions, generators)
    step_rows(first, last, thread, *args)


class RivalKernels:
    """The templates of this module, bound to one game and its rule bidders, under the templates' names."""

    def __init__(self, game: Game, rollouts: Rollouts) -> None:
        kernels, rules, vector = game.kernels, game.rules, game.features
        prefix = f"{rollouts.name}_rivals"
        fast = kernel if rollouts.allocates else inlined
        bidding = {"rival_bid": bind(rival_bid, prefix, fast, decide=rollouts.decide, check=rules.check)}
        reading = {"amount": vector.amount, "check": rules.check, "clip": rules.clip}
        skipping = {"skip_rounds": bind(skip_rounds, prefix, fast, step=rules.step, **bidding)}
        recording = {"record_status": kernels.record_status}
        features = {"update_features": vector.update_features, "mask": vector.mask}
        advancing = {"advance_row": bind(advance_row, prefix, **features, **skipping, **recording)}
        dealing = {"deal_row": bind(deal_row, prefix, deal=rules.deal, write_all=kernels.write_all, **advancing)}
        dealing_next = {"deal_next_game": bind(deal_next_game, prefix, **dealing)}
        self._module, self._plays_networks = game.module, rollouts is not game.rollouts
        self.memory_size = rollouts.memory_size
        self.deal_rows = bind(deal_rows, prefix, **dealing)
        self.seat_restored_rows = bind(seat_restored_rows, prefix, **advancing)
        self.deal_next_rows = bind(deal_next_rows, prefix, **dealing_next)
        self.step_rows = bind(
            step_rows,
            prefix,
            fast,
            read_action=bind(read_action, prefix, inlined, **reading),
            step=rules.step,
            update_changed=kernels.update_changed,
            **bidding,
            **skipping,
            **recording,
            **dealing_next,
        )
        self.step_rows_at_random = bind(step_rows_at_random, prefix, fast, step_rows=self.step_rows)

    def __reduce__(self) -> tuple:  # pickled by name, because each process compiles its kernels
        return _load_rival_kernels, (self._module, self._plays_networks)


def _load_rival_kernels(module: str, plays_networks: bool) -> RivalKernels:
    game = import_module(module).GAME
    return rival_kernels(game, game.network_rollouts if plays_networks else game.rollouts)


@lru_cache
def rival_kernels(game: Game, rollouts: Rollouts) -> RivalKernels:
    """Return the kernels of a game with its rule bidders, which are bound once per process."""
    return RivalKernels(game, rollouts)
