"""Rules of the housing auction: an English auction of houses for bidders with personas.

Source: HARBOR, arXiv 2502.12149. The mechanism is AucArena's, in `envs/english/rules.py`. This module adds the bidders'
personas, the choice of the houses for sale, and a log of each seat's bids for each house. Personas change no payoff:
profit remains the objective.
"""

from __future__ import annotations

from typing import ClassVar

from aucenv.core.fields import ALL, ITEM, NONE, OWNER, SEAT, flag, integer, money, room_for
from aucenv.core.kernel import draw, inlined, kernel
from aucenv.core.state import HOUSE, NOBODY, PERSONA, rekey, seats_of
from aucenv.envs.english import rules as english
from aucenv.envs.english.rules import MAX_BIDDERS, REFUSALS, check, clip, max_bid, payoff

__all__ = ["MAX_BIDDERS", "REFUSALS", "RESULT", "State", "check", "clip", "deal", "max_bid", "payoff", "result", "step"]

NUM_PERSONAS = 10
DRAWN = -2
"""In a template, as a seat's persona: the deal draws it."""
ANY = -1
"""As `matches`: houses are drawn among all, regardless of the bidders' personas."""
RANDOM, ASCENDING, DESCENDING, GIVEN = range(4)
"""Orders of the items."""
LIKING = 1000
"""Denominator of likings, which the state holds as integers."""


HOUSE_DIMENSION, PERSONA_DIMENSION = "house", "persona"


class State(english.State, apart=True):
    """The state of a housing auction: that of an English auction, with personas and the houses on offer.

    Its fields stand apart, so that numba does not take this state for that of an English auction.
    """

    ROOMS: ClassVar = {
        **english.State.ROOMS,
        HOUSE_DIMENSION: room_for(HOUSE_DIMENSION, 64),
        PERSONA_DIMENSION: lambda sizes: NUM_PERSONAS,
    }

    num_houses = integer(ALL, "the number of houses from which the deal takes the items")
    matches = integer(ALL, "the number of items drawn for each seat that has a persona, or ANY")
    item_order = integer(ALL)

    persona = integer(OWNER, "the number of the seat's persona, or NOBODY", per=SEAT, hidden_as=NOBODY)
    second = integer(OWNER, "the number of its second persona, or NOBODY", per=SEAT, hidden_as=NOBODY)
    drawn = integer(ALL, "how many of its personas the deal drew", per=SEAT)
    wording = integer(OWNER, "which description of each persona it reads, modulo their number", per=SEAT)

    raises = integer(ALL, "number of bids for the item", per=(SEAT, ITEM))
    top = money(ALL, "the highest of these bids", per=(SEAT, ITEM))
    left_at = money(
        ALL, "the least legal bid at which the seat withdrew; 0: it has not, or could not pay", per=(SEAT, ITEM)
    )

    house_start = money(ALL, per=HOUSE_DIMENSION)
    house_value = money(NONE, per=HOUSE_DIMENSION)
    house_kind = integer(ALL, "the persona that the house suits best", per=HOUSE_DIMENSION)
    offered = flag(ALL, "whether the house is among the items for sale", per=HOUSE_DIMENSION)
    liking = integer(ALL, "how well a house suits each persona", per=(HOUSE_DIMENSION, PERSONA_DIMENSION))


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw personas and houses as the scenario specifies, then start an English auction.

    Args:
        template: one row with the scenario's constants.
        key: the game's key, which determines all its random numbers.
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
    english.start_auction(g, key)


@kernel
def draw_persona(g, seat, random_bits):
    """Return a random persona that no seat has or, once all are taken, that `seat` does not have.

    Args:
        random_bits: uniform on 0 .. 2**32 - 1.
    """
    free = 0
    for k in range(NUM_PERSONAS):
        free += not is_taken(g, k)
    all_taken = free == 0
    if all_taken:
        for k in range(NUM_PERSONAS):
            free += not has_persona(g, seat, k)
    index = (random_bits * free) >> 32
    for k in range(NUM_PERSONAS):
        if not (has_persona(g, seat, k) if all_taken else is_taken(g, k)):
            if index == 0:
                return k
            index -= 1
    return NOBODY


@inlined
def has_persona(g, seat, k):
    """Return whether `seat` has persona `k`."""
    return g["persona"][seat] == k or g["second"][seat] == k


@kernel
def is_taken(g, k):
    """Return whether any seat has persona `k`."""
    taken = False
    for seat in range(g["num_seats"]):
        taken = taken or has_persona(g, seat, k)
    return taken


@inlined
def matches_persona(g, seat, j):
    """Return whether item `j` matches a persona of `seat`."""
    return has_persona(g, seat, g["house_kind"][g["lot"][j]])


@kernel
def pick_houses(g, key):
    """Offer random houses: first those that match the seats' personas, then others, which match no seat if possible.

    There are `matches` houses for each seat that has a persona; if it has two, half of them match each.
    """
    count = 0
    for k in range(NUM_PERSONAS):
        needed = 0
        for seat in range(g["num_seats"]):
            needed = max(needed, num_matches(g, seat, k))
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
def num_matches(g, seat, k):
    """Return how many houses that match persona `k` are offered because `seat` has it."""
    if g["matches"] == ANY:
        return 0
    if g["persona"][seat] == k:
        return g["matches"] if g["second"][seat] == NOBODY else (g["matches"] + 1) // 2
    return g["matches"] // 2 if g["second"][seat] == k else 0


@kernel
def offer(g, j, lot):
    """Make house `lot` item `j`."""
    g["lot"][j] = lot
    g["offered"][lot] = 1


@kernel
def pick_house(g, k, random_bits):
    """Return a random house that is not offered yet, or NOBODY if there is none.

    Args:
        k: the persona that the house matches; NOBODY: it matches no seat; DRAWN: any house.
        random_bits: uniform on 0 .. 2**32 - 1.
    """
    num_candidates = 0
    for lot in range(g["num_houses"]):
        num_candidates += is_candidate(g, lot, k)
    index = (random_bits * num_candidates) >> 32
    for lot in range(g["num_houses"]):
        if is_candidate(g, lot, k):
            if index == 0:
                return lot
            index -= 1
    return NOBODY


@kernel
def is_candidate(g, lot, k):
    """Return whether `pick_house` may pick house `lot` for persona `k`."""
    kind = g["house_kind"][lot]
    if g["offered"][lot] != 0:
        return False
    return k == DRAWN or kind == k or (k == NOBODY and not is_taken(g, kind))


@kernel
def sort_items(g):
    """Sort the items in the scenario's order: by starting price, or as given."""
    for j in range(1, g["num_items"]):
        lot = g["lot"][j]
        i = j
        while i > 0 and comes_after(g, g["lot"][i - 1], lot):
            g["lot"][i] = g["lot"][i - 1]
            i -= 1
        g["lot"][i] = lot


@kernel
def comes_after(g, first, second):
    """Return whether house `first` is sold after house `second`."""
    order = g["item_order"]
    if order == ASCENDING and g["house_start"][first] != g["house_start"][second]:
        return g["house_start"][first] > g["house_start"][second]
    if order == DESCENDING and g["house_start"][first] != g["house_start"][second]:
        return g["house_start"][first] < g["house_start"][second]
    return first > second


@inlined
def step(state, b, amounts):
    """Close the round as in English auctions, and log each seat's bids for the item.

    Args:
        amounts: (seats,) int64: the legal bid of every acting seat in cents, or WITHDRAW; other entries are ignored.
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
    """Write the results of a game that is over into `out`, (seats, RESULT) int64; amounts in cents.

    The results are those of English auctions, then the numbers of items that match the
    seat's personas: those that it won, and all.
    """
    english.result(state, b, out)
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, NUM_ENGLISH] = 0
        out[seat, NUM_ENGLISH + 1] = 0
        for j in range(g["num_items"]):
            if matches_persona(g, seat, j):
                out[seat, NUM_ENGLISH] += g["winner"][j] == seat
                out[seat, NUM_ENGLISH + 1] += 1
