"""Numeric observations for neural networks: the features and the action mask of a seat.

Every feature is clipped (`core.adapters.features`). Prices are divided by the current item's starting price before
discounts, sums of money by the sum of all starting prices. `feature_names` lists the features.
"""

from __future__ import annotations

from numpy import float32, uint32

from aucenv.core.adapters.features import clipped, positive_share, share
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share
from aucenv.envs.english.rules import ITEMS, MAX_DISCOUNTS, PROFIT, max_bid

PER_GAME = (
    ("progress", "share of the items that are closed"),
    ("round", "round of the current item, divided by 10"),
    ("discounts", "halvings of the starting price, divided by 3"),
    ("price", "current starting price"),
    ("standing", "standing bid; 0 if there is none"),
    ("least", "least legal bid"),
    ("increment", "least raise over the standing bid"),
    ("estimate", "the seat's estimate of the true value"),
    ("raises", "r / (r + 10), where r is the number of increments above the least legal bid that the budget allows"),
    ("wants_profit", "1 if the seat's objective is profit"),
    ("wants_items", "1 if it is the number of items"),
    ("wants_this", "1 if it is the current item"),
)
PER_SEAT = (
    ("active", "1 while it has not withdrawn from the item"),
    ("leads", "1 if it holds the standing bid"),
    ("last_bid", "its bid in the last round; 0 if there is none"),
    ("bids", "its bids for the item, divided by 10"),
    ("budget", "its remaining budget"),
    ("profit", "its profit so far"),
    ("won", "share of the items that it has won"),
)
PER_ITEM = (
    ("start", "starting price, divided by the sum of all"),
    ("estimate", "the seat's estimate, divided by the starting price"),
    ("fate", "1 if sold to this seat, -1 if sold to another, 0 if open or unsold"),
    ("hammer", "h / (h + starting price) for the hammer price h; 0 if not sold"),
    ("value", "true value, divided by the starting price; 0 if not sold"),
)


def feature_names(num_bidders: int, num_items: int) -> list[str]:
    """Return the name of each feature: those of the game, then of each seat (the observing seat first) and item."""
    names = [name for name, _ in PER_GAME]
    names += [f"seat+{k}.{name}" for k in range(num_bidders) for name, _ in PER_SEAT]
    return names + [f"item{j}.{name}" for j in range(num_items) for name, _ in PER_ITEM]


ZERO, TENTH, ONE, TEN = float32(0.0), float32(0.1), float32(1.0), float32(10.0)
PER_DISCOUNT = float32(1.0 / MAX_DISCOUNTS)
NUM_GAME, NUM_SEAT, NUM_ITEM = len(PER_GAME), len(PER_SEAT), len(PER_ITEM)


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    write_objectives(g, out)
    write_price(g, out)
    write_round(g, out)
    write_progress(g, out)
    for j in range(g["num_items"]):
        write_item(g, j, out)


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat, which were last written when `item` was the current item.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    over = g["status"] != RUNNING
    moved = over or g["item"] != item
    if moved or g["leader"] == NOBODY or out[0, 2] != float32(g["discounts"]) * PER_DISCOUNT:
        write_price(g, out)
    write_round(g, out)
    if moved:
        write_progress(g, out)
        for j in range(item, g["item"]):
            write_item(g, j, out)


@inlined
def seat_offset(s, seat, num_seats):
    """Return the index at which the features of `seat` describe seat `s`; every seat describes itself first."""
    return NUM_GAME + NUM_SEAT * (s - seat if s >= seat else s - seat + num_seats)


@kernel
def write_objectives(g, out):
    """Write the features that never change."""
    for seat in range(seats_of(g)):
        out[seat, 9] = 1.0 if g["objective"][seat] == PROFIT else 0.0
        out[seat, 10] = 1.0 if g["objective"][seat] == ITEMS else 0.0


@inlined
def write_price(g, out):
    """Write the features that change with the starting price."""
    per_start = ONE / float32(g["opening"])
    discounts = float32(g["discounts"]) * PER_DISCOUNT
    price = share(g["price"], per_start)
    raise_share = share(g["raise_by"], per_start) if g["status"] == RUNNING else ZERO
    for seat in range(seats_of(g)):
        out[seat, 2] = discounts
        out[seat, 3] = price
        out[seat, 6] = raise_share


@inlined
def write_round(g, out):
    """Write the features that change in every round."""
    num_seats = seats_of(g)
    running = g["status"] == RUNNING
    per_start = ONE / float32(g["opening"])
    ten_raises = TEN * float32(g["raise_by"])
    least = g["least"]
    round_number = share(g["round"], TENTH)
    standing = share(g["standing"], per_start)
    least_share = share(least, per_start) if running else ZERO
    for s in range(num_seats):
        spare = float32(max(0, g["budget"][s] - least))
        raises = spare / (spare + ten_raises) if running else ZERO
        active = float32(g["active"][s])
        leads = float32(g["leader"] == s)
        last_bid = positive_share(g["last_bid"][s], per_start)
        bids = share(g["bids"][s], TENTH)
        out[s, 1] = round_number
        out[s, 4] = standing
        out[s, 5] = least_share
        out[s, 8] = raises
        for seat in range(num_seats):
            at = seat_offset(s, seat, num_seats)
            out[seat, at] = active
            out[seat, at + 1] = leads
            out[seat, at + 2] = last_bid
            out[seat, at + 3] = bids


@inlined
def write_progress(g, out):
    """Write the features that change when an item is closed."""
    num_seats = seats_of(g)
    running = g["status"] == RUNNING
    j = min(g["item"], g["num_items"] - 1)
    per_start = ONE / float32(g["opening"]) if running else ZERO
    per_item = ONE / float32(g["num_items"])
    per_total = ONE / float32(g["total"])
    progress = share(g["item"], per_item)
    for s in range(num_seats):
        budget = share(g["budget"][s], per_total)
        profit = share(g["profit"][s], per_total)
        won = share(g["won"][s], per_item)
        out[s, 0] = progress
        out[s, 7] = share(g["estimate"][s][j], per_start)
        out[s, 11] = ONE if running and g["target"][s] == g["lot"][j] else ZERO
        for seat in range(num_seats):
            at = seat_offset(s, seat, num_seats)
            out[seat, at + 4] = budget
            out[seat, at + 5] = profit
            out[seat, at + 6] = won


@inlined
def write_item(g, j, out):
    """Write the features of item `j`."""
    winner = g["winner"][j]
    sold = winner != NOBODY
    per_start = ONE / float32(g["start"][j])
    start = share(g["start"][j], ONE / float32(g["total"]))
    price = float32(g["hammer"][j]) if sold else ZERO
    hammer = price / (price + float32(g["start"][j]))
    value = share(g["value"][j], per_start) if sold else ZERO
    at = uint32(NUM_GAME + NUM_SEAT * seats_of(g) + NUM_ITEM * j)  # unsigned: spares a check for negative indices
    for seat in range(seats_of(g)):
        out[seat, at] = start
        out[seat, at + 1] = share(g["estimate"][seat][j], per_start)
        out[seat, at + 2] = (ONE if winner == seat else -ONE) if sold else ZERO
        out[seat, at + 3] = hammer
        out[seat, at + 4] = value


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat; only action 0 for a seat without a decision.

    Args:
        out: (seats, ladder + 1) int8, written.
    """
    g = state[b]
    least = g["least"]
    raise_by = g["raise_by"]
    for seat in range(seats_of(g)):
        highest = max_bid(g, seat)
        bid = least
        out[seat, 0] = 1
        for action in range(1, out.shape[1]):
            out[seat, action] = bid <= highest
            bid += raise_by


@inlined
def amount(state, b, seat, action):
    """Return the amount of a vector action: 0 withdraws, a >= 1 bids the least legal bid plus a - 1 increments."""
    g = state[b]
    bid = g["least"] + (action - 1) * g["raise_by"]
    return bid if action > 0 else WITHDRAW


@inlined
def amount_of_share(state, b, seat, share):
    """Return the amount of a share of the seat's estimate, or of its budget if its objective is not profit.

    A share below the least legal bid withdraws; a share above the budget bids the whole budget.
    """
    g = state[b]
    budget = g["budget"][seat]
    full = g["estimate"][seat][g["item"]] if g["objective"][seat] == PROFIT else budget
    bid = min(cents_of_share(full, share), budget)
    return bid if bid >= g["least"] else WITHDRAW


@inlined
def hidden_features(state, b, out):
    """Write what is hidden from every seat: each item's true value divided by its starting price.

    Args:
        out: (num_items,) float32, written.
    """
    g = state[b]
    for j in range(g["num_items"]):
        out[j] = clipped(g["value"][j] / g["start"][j])


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_GAME + num_bidders * NUM_SEAT + num_items * NUM_ITEM


def num_hidden_features(num_items: int) -> int:
    return num_items
