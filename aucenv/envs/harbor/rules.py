"""The housing auction: an English auction of houses that draw some bidders more than others.

Source: HARBOR, arXiv 2502.12149: AucArena's mechanism, which is `envs/english/rules.py`. Here is what comes on top: who
has which persona, which houses are for sale, and who has bid how hard for which of them. What a persona is drawn to
changes nobody's payoff: profit stays the objective.
"""

from __future__ import annotations

import functools

import numpy as np

from aucenv.core.kernel import draw, inlined, kernel
from aucenv.core.state import HEADER, HOUSE, NOBODY, PERSONA, rekey, seats_of
from aucenv.envs.english import rules as english
from aucenv.envs.english.rules import MAX_BIDDERS, REFUSALS, check, clip, most_bid, payoff

__all__ = ["MAX_BIDDERS", "REFUSALS", "RESULT", "check", "clip", "deal", "most_bid", "payoff", "result", "step"]

NUM_PERSONAS = 10
DRAWN = -2
"""As a seat's persona, in a template: the deal draws it."""
ANY = -1
"""As `matches`: whoever has a persona, houses are drawn among all."""
RANDOM, ASCENDING, DESCENDING, GIVEN = range(4)
"""Orders of the items."""
LIKING = 1000
"""Likings are whole thousandths."""


@functools.lru_cache
def state_dtype(num_bidders: int, num_items: int, num_houses: int) -> np.dtype:
    """The state of one game: that of an English auction, then what follows.

    There is room for 64, 256, ... houses, for the reason told there.
    """
    base = english.state_dtype(num_bidders, num_items)
    seats, items = base["estimate"].shape
    houses = 64
    while houses < num_houses:
        houses *= 4
    per_game = [
        "num_houses",  # from which the deal takes the items
        "matches",  # how many of the items suit each seat that has a persona, or ANY
        "item_order",
    ]
    per_seat = [
        "persona",  # private: its number, or NOBODY
        "second",  # private: that of a second one, or NOBODY
        "drawn",  # how many of its personas the deal drew
        "wording",  # private: which of the persona's descriptions it is given, modulo their number
    ]
    per_house = [
        "house_start",
        "house_value",  # hidden from all
        "house_kind",  # the persona that it suits best
        "offered",  # whether it is among the items
    ]
    per_seat_item = [
        "raises",  # bids made for the item
        "top",  # the highest of them
        "left_at",  # the least legal bid that made the seat withdraw; 0: it has not, or it could not pay
    ]
    # Those of the game come after the header, so that numba does not take the state for that of an English auction.
    after = len(HEADER)
    fields: list[tuple] = [*base.descr[:after], *((name, "i8") for name in per_game), *base.descr[after:]]
    fields += [(name, "i8", (seats,)) for name in per_seat]
    fields += [(name, "i8", (seats, items)) for name in per_seat_item]
    fields += [(name, "i8", (houses,)) for name in per_house]
    fields += [("liking", "i8", (houses, NUM_PERSONAS))]  # how well a house suits each persona
    return np.dtype(fields)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw personas and houses where the scenario says so, then as in English auctions.

    Args:
        template: one row with the scenario's constants.
        key: the game's key, from which all its chance follows.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    for seat in range(g["num_seats"]):
        g["wording"][seat] = draw(key, PERSONA, 0, 2, seat)
        if g["persona"][seat] == DRAWN:
            g["persona"][seat] = draw_persona(g, seat, draw(key, PERSONA, 0, 0, seat))
        if g["second"][seat] == DRAWN:
            g["second"][seat] = draw_persona(g, seat, draw(key, PERSONA, 0, 1, seat))
    if g["num_items"] < g["num_houses"]:
        pick_houses(g, key)
    else:
        for lot in range(g["num_houses"]):
            offer(g, lot, lot)
    sort_items(g)
    for j in range(g["num_items"]):
        lot = g["lot"][j]
        g["start"][j] = g["house_start"][lot]
        g["value"][j] = g["house_value"][lot]
    english.begin(g, key)


@kernel
def draw_persona(g, seat, chance):
    """One of the personas that no seat has, or, once all are taken, that `seat` has not.

    Args:
        chance: uniform on 0 .. 2**32 - 1.
    """
    free = 0
    for k in range(NUM_PERSONAS):
        free += not is_taken(g, k)
    all_taken = free == 0
    if all_taken:
        for k in range(NUM_PERSONAS):
            free += not has_persona(g, seat, k)
    number = (chance * free) >> 32
    for k in range(NUM_PERSONAS):
        if not (has_persona(g, seat, k) if all_taken else is_taken(g, k)):
            if number == 0:
                return k
            number -= 1
    return NOBODY


@inlined
def has_persona(g, seat, k):
    return g["persona"][seat] == k or g["second"][seat] == k


@kernel
def is_taken(g, k):
    """Whether some seat has persona `k`."""
    taken = False
    for seat in range(g["num_seats"]):
        taken = taken or has_persona(g, seat, k)
    return taken


@inlined
def suits(g, seat, j):
    """Whether item `j` matches a persona of `seat`."""
    return has_persona(g, seat, g["house_kind"][g["lot"][j]])


@kernel
def pick_houses(g, key):
    """Offer houses drawn by chance: `matches` for each seat with a persona, half for each of two; then others.

    The others suit nobody at the table, as long as there are such houses.
    """
    count = 0
    for k in range(NUM_PERSONAS):
        needed = 0
        for seat in range(g["num_seats"]):
            needed = max(needed, matches_of(g, seat, k))
        for _ in range(needed):
            offer(g, count, pick_house(g, k, draw(key, HOUSE, count, 0, 0)))
            count += 1
    while count < g["num_items"]:
        lot = pick_house(g, DRAWN if g["matches"] == ANY else NOBODY, draw(key, HOUSE, count, 0, 0))
        if lot == NOBODY:
            lot = pick_house(g, DRAWN, draw(key, HOUSE, count, 0, 0))
        offer(g, count, lot)
        count += 1


@kernel
def matches_of(g, seat, k):
    """How many houses for persona `k` are offered because `seat` has it."""
    if g["matches"] == ANY:
        return 0
    if g["persona"][seat] == k:
        return g["matches"] if g["second"][seat] == NOBODY else (g["matches"] + 1) // 2
    return g["matches"] // 2 if g["second"][seat] == k else 0


@kernel
def offer(g, j, lot):
    g["lot"][j] = lot
    g["offered"][lot] = 1


@kernel
def pick_house(g, k, chance):
    """A house not yet offered that suits persona `k`; NOBODY: one that suits no seat's; DRAWN: any.

    Args:
        chance: uniform on 0 .. 2**32 - 1.

    Returns:
        Its number; NOBODY where there is none.
    """
    fitting = 0
    for lot in range(g["num_houses"]):
        fitting += is_fitting(g, lot, k)
    number = (chance * fitting) >> 32
    for lot in range(g["num_houses"]):
        if is_fitting(g, lot, k):
            if number == 0:
                return lot
            number -= 1
    return NOBODY


@kernel
def is_fitting(g, lot, k):
    kind = g["house_kind"][lot]
    if g["offered"][lot] != 0:
        return False
    return k == DRAWN or kind == k or (k == NOBODY and not is_taken(g, kind))


@kernel
def sort_items(g):
    """Put the items into their order, by starting price or as the scenario gives them."""
    for j in range(1, g["num_items"]):
        lot = g["lot"][j]
        place = j
        while place > 0 and comes_after(g, g["lot"][place - 1], lot):
            g["lot"][place] = g["lot"][place - 1]
            place -= 1
        g["lot"][place] = lot


@kernel
def comes_after(g, first, second):
    """Whether house `first` is sold after house `second`."""
    order = g["item_order"]
    if order == ASCENDING and g["house_start"][first] != g["house_start"][second]:
        return g["house_start"][first] > g["house_start"][second]
    if order == DESCENDING and g["house_start"][first] != g["house_start"][second]:
        return g["house_start"][first] < g["house_start"][second]
    return first > second


@inlined
def step(state, b, amounts):
    """Close the round as in English auctions, and note how hard each seat has bid.

    Args:
        amounts: (seats,) int64: the bid of every acting seat in cents, or WITHDRAW; others are not read.
            They must be legal.
    """
    g = state[b]
    j = g["item"]
    for seat in range(seats_of(g)):
        if g["acting"][seat] != 0:
            if amounts[seat] < 0:
                g["left_at"][seat][j] = g["least"]
            else:
                g["raises"][seat][j] += 1
                g["top"][seat][j] = amounts[seat]
                g["left_at"][seat][j] = 0
    english.step(state, b, amounts)


NUM_ENGLISH = len(english.RESULT)
RESULT = (*english.RESULT, "matched", "matching")


@inlined
def result(state, b, out):
    """Write what compiled rollouts keep of a game into `out`, (seats, RESULT) int64; amounts in cents.

    As in English auctions; then the items that match the seat's persona, those it won and all.
    """
    english.result(state, b, out)
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, NUM_ENGLISH] = 0
        out[seat, NUM_ENGLISH + 1] = 0
        for j in range(g["num_items"]):
            if suits(g, seat, j):
                out[seat, NUM_ENGLISH] += g["winner"][j] == seat
                out[seat, NUM_ENGLISH + 1] += 1
