"""Numeric observations for neural networks: the features and the action mask of a seat.

Every feature is clipped (`core.adapters.features`). Money is divided by ten times the highest daily salary, water by
the highest possible supply of a day, and health by its cap. `feature_names` lists the features.
"""

from __future__ import annotations

from aucenv.core.adapters.features import clipped
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import IDLE, RUNNING, WITHDRAW, seats_of
from aucenv.core.words.money import cents_of_share
from aucenv.envs.water_allocation.game import SHARES
from aucenv.envs.water_allocation.rules import clip

PER_GAME = (
    ("progress", "number of the day, from 1, divided by the number of days"),
    ("supply", "today's supply; 0 at the end"),
    ("low", "least possible supply"),
    ("alive", "share of the residents that are alive"),
    ("demand", "total need of the living residents, divided by today's supply"),
)
PER_SEAT = (
    ("alive", "1 while it is alive"),
    ("health", "its health"),
    ("thirst", "its consecutive days without water, divided by 10"),
    ("balance", "its balance"),
    ("need", "its daily need of water"),
    ("salary", "its daily salary"),
    ("last_bid", "its bid on the last day; 0 if there is none"),
    ("last_bids", "1 if it bid on the last day"),
    ("last_won", "1 if it got water on the last day"),
    ("won", "its days with water, divided by the number of days"),
)


def feature_names(num_bidders: int) -> list[str]:
    """Return the name of each feature: those of the game, then of each seat (the observing seat first)."""
    names = [name for name, _ in PER_GAME]
    return names + [f"seat+{k}.{name}" for k in range(num_bidders) for name, _ in PER_SEAT]


NUM_GAME, NUM_SEAT = len(PER_GAME), len(PER_SEAT)


@kernel
def features(state, b, out):
    """Write the features of every seat.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    g = state[b]
    seats = g["num_seats"]
    alive = 0
    demand = 0
    highest = 1
    for s in range(seats):
        highest = max(highest, g["salary"][s])
        if g["gone"][s] == 0:
            alive += 1
            demand += g["need"][s]
    per_water = 1.0 / max(1, g["high"])
    running = g["status"] == RUNNING
    progress = min(g["item"] + 1, g["num_items"]) / g["num_items"]
    for seat in range(seats):
        out[seat, 0] = progress
        out[seat, 1] = g["supply"] * per_water
        out[seat, 2] = g["low"] * per_water
        out[seat, 3] = alive / seats
        out[seat, 4] = clipped(demand / max(1, g["supply"])) if running else 0.0
    for s in range(seats):
        write_resident(g, s, 0.1 / highest, per_water, out)


@inlined
def write_resident(g, s, per_money, per_water, out):
    """Write the features of resident `s` into every seat's features, where each seat describes itself first."""
    seats = seats_of(g)
    last = max(0, g["item"] - 1)
    bid = g["bid"][s][last] if g["item"] > 0 else IDLE
    won = g["place"][s][last] > 0 and g["item"] > 0
    alive = 1.0 - g["gone"][s]
    health = clipped(g["health"][s] / g["health_cap"])
    thirst = clipped(g["thirst"][s] * 0.1)
    balance = clipped(g["balance"][s] * per_money)
    need = clipped(g["need"][s] * per_water)
    salary = g["salary"][s] * per_money
    last_bid = clipped(max(0, bid) * per_money)
    share = g["won"][s] / g["num_items"]
    for seat in range(seats):
        at = NUM_GAME + NUM_SEAT * (s - seat if s >= seat else s - seat + seats)
        out[seat, at] = alive
        out[seat, at + 1] = health
        out[seat, at + 2] = thirst
        out[seat, at + 3] = balance
        out[seat, at + 4] = need
        out[seat, at + 5] = salary
        out[seat, at + 6] = last_bid
        out[seat, at + 7] = 1.0 if bid >= 0 else 0.0
        out[seat, at + 8] = 1.0 if won else 0.0
        out[seat, at + 9] = share


@inlined
def update_features(state, b, item, out):
    """Update the features of every seat by writing all of them, since nearly all change every day.

    Args:
        out: (seats, len(feature_names)) float32, written.
    """
    features(state, b, out)


@inlined
def mask(state, b, out):
    """Write which vector actions are legal for every seat: all for the living, only action 0 for the dead.

    Args:
        out: (seats, SHARES + 2) int8, written.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        for action in range(1, out.shape[1]):
            out[seat, action] = g["acting"][seat]


@inlined
def amount(state, b, seat, action):
    """Return the amount of a vector action.

    Action 0 makes no bid; a >= 1 bids a - 1 tenths of the balance, rounded to the nearest dollar within the balance.
    """
    if action == 0:
        return WITHDRAW
    balance = state[b]["balance"][seat]
    dollars = (balance * (action - 1) + 50 * SHARES) // (100 * SHARES)
    return min(dollars, balance // 100) * 100


@inlined
def amount_of_share(state, b, seat, share):
    """Return the amount of a share of the seat's balance."""
    g = state[b]
    return clip(state, b, seat, cents_of_share(g["balance"][seat], share))


@inlined
def hidden_features(state, b, out):
    """Write the supply of every day, including future days.

    Args:
        out: (num_items,) float32, written.
    """
    g = state[b]
    for j in range(g["num_items"]):
        out[j] = g["supplies"][j] / max(1, g["high"])


def num_features(num_bidders: int, num_items: int) -> int:
    return NUM_GAME + num_bidders * NUM_SEAT


def num_hidden_features(num_items: int) -> int:
    return num_items
