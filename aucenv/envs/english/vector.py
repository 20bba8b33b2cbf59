"""Numbers for a network: the features and the action mask of a seat.

Every feature is clipped to [-CLIP, CLIP]. Prices are shares of the current item's starting price before
discounts, sums of money shares of the sum of all starting prices. `feature_names` lists them.
"""

from __future__ import annotations

from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW
from aucenv.envs.english.rules import MAX_DISCOUNTS, check, increment, least_bid

CLIP = 10.0

PER_GAME = (
    ("progress", "items that are through, as a share of all"),
    ("round", "round of the item, in tens"),
    ("discounts", "halvings of the starting price, over 3"),
    ("price", "current starting price"),
    ("standing", "standing bid, 0 before there is one"),
    ("least", "least legal bid"),
    ("increment", "what a bid must add to the standing bid"),
    ("estimate", "own estimate of the true value"),
    ("raises", "increments that the own budget still allows above the least legal bid, in tens"),
    ("wants_profit", "1 if the own objective is profit"),
    ("wants_items", "1 if it is the number of items"),
    ("wants_this", "1 if it is the current item"),
)
PER_SEAT = (
    ("active", "1 while it has not withdrawn from the item"),
    ("leads", "1 if it holds the standing bid"),
    ("last_bid", "its bid in the last round, 0 if none"),
    ("bids", "its bids for the item, in tens"),
    ("budget", "what is left of its budget"),
    ("profit", "its profit so far"),
    ("won", "items it has won, as a share of all"),
)
PER_ITEM = (
    ("start", "starting price, as a share of the sum"),
    ("estimate", "own estimate, over its starting price"),
    ("fate", "1 sold to this seat, -1 to another, 0 open or unsold"),
    ("hammer", "hammer price over starting price, 0 while unsold"),
    ("value", "true value over starting price, 0 while unsold"),
)


def feature_names(num_bidders: int, num_items: int) -> list[str]:
    """The name of each feature, by index: the game's, then each seat's (the own one first), then each item's."""
    names = [name for name, _ in PER_GAME]
    names += [f"seat+{k}.{name}" for k in range(num_bidders) for name, _ in PER_SEAT]
    return names + [f"item{j}.{name}" for j in range(num_items) for name, _ in PER_ITEM]


@kernel
def put(out, k, x):
    out[k] = min(max(x, -CLIP), CLIP)
    return k + 1


@kernel
def features(state, b, seat, out):
    """Write what `seat` knows.

    Args:
        out: (len(feature_names),) float32, written.
    """
    g = state[b]
    num_seats = g["num_seats"]
    num_items = g["num_items"]
    total = 0.0
    for j in range(num_items):
        total += g["start"][j]
    running = g["status"] == RUNNING
    j = min(g["item"], num_items - 1)
    price = float(g["start"][j])
    least = least_bid(g)
    raise_by = increment(g)
    k = put(out, 0, g["item"] / num_items)
    k = put(out, k, g["round"] / 10)
    k = put(out, k, g["discounts"] / MAX_DISCOUNTS)
    k = put(out, k, g["price"] / price)
    k = put(out, k, g["standing"] / price)
    k = put(out, k, least / price if running else 0.0)
    k = put(out, k, raise_by / price if running else 0.0)
    k = put(out, k, g["estimate"][seat][j] / price if running else 0.0)
    k = put(out, k, (g["budget"][seat] - least) / raise_by / 10 if running else 0.0)
    k = put(out, k, 1.0 if g["objective"][seat] == 0 else 0.0)
    k = put(out, k, 1.0 if g["objective"][seat] == 1 else 0.0)
    k = put(out, k, 1.0 if running and g["target"][seat] == g["lot"][j] else 0.0)
    for offset in range(num_seats):
        s = (seat + offset) % num_seats
        k = put(out, k, float(g["active"][s]))
        k = put(out, k, 1.0 if g["leader"] == s else 0.0)
        k = put(out, k, max(0, g["last_bid"][s]) / price)
        k = put(out, k, g["bids"][s] / 10)
        k = put(out, k, g["budget"][s] / total)
        k = put(out, k, g["profit"][s] / total)
        k = put(out, k, g["won"][s] / num_items)
    for i in range(num_items):
        start = g["start"][i]
        winner = g["winner"][i]
        sold = winner != NOBODY
        k = put(out, k, start / total)
        k = put(out, k, g["estimate"][seat][i] / start)
        k = put(out, k, (1.0 if winner == seat else -1.0) if sold else 0.0)
        k = put(out, k, g["hammer"][i] / start if sold else 0.0)
        k = put(out, k, g["value"][i] / start if sold else 0.0)


@kernel
def mask(state, b, seat, out):
    """Write which vector actions are legal; only 0 where the seat has no decision.

    Args:
        out: (ladder + 1,) int8, written.
    """
    g = state[b]
    acting = g["acting"][seat] != 0
    out[0] = 1
    for action in range(1, len(out)):
        out[action] = 1 if acting and check(state, b, seat, amount(state, b, seat, action)) == 0 else 0


@kernel
def amount(state, b, seat, action):
    """The amount of a vector action: 0 withdraws, a >= 1 bids the least legal bid and a - 1 increments."""
    g = state[b]
    if action == 0:
        return WITHDRAW
    return least_bid(g) + (action - 1) * increment(g)


@kernel
def central(state, b, out):
    """Write the state for a centralised critic: every seat's features, then each item's true value over its start.

    Args:
        out: (num_seats * len(feature_names) + num_items,) float32, written.
    """
    g = state[b]
    num_seats = g["num_seats"]
    num_items = g["num_items"]
    width = (len(out) - num_items) // num_seats
    for seat in range(num_seats):
        features(state, b, seat, out[seat * width : (seat + 1) * width])
    for j in range(num_items):
        put(out, num_seats * width + j, g["value"][j] / g["start"][j])


def num_features(num_bidders: int, num_items: int) -> int:
    return len(PER_GAME) + num_bidders * len(PER_SEAT) + num_items * len(PER_ITEM)


def central_size(num_bidders: int, num_items: int) -> int:
    return num_bidders * num_features(num_bidders, num_items) + num_items
