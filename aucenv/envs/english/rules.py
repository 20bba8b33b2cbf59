"""Rules of the English auction: items are sold one after another in simultaneous rounds of ascending bids.

Source: AucArena, arXiv 2310.05746, section 2. Amounts are cents; items are numbered in the order of the auction.
`game.py` lists the differences from the paper's program.
"""

from __future__ import annotations

from typing import ClassVar

from aucenv.core.fields import (
    ALL,
    ITEM,
    NONE,
    OWNER,
    SEAT,
    Field,
    GameState,
    flag,
    index_of,
    integer,
    money,
    option,
    ppm,
    random_key,
    room_for,
    room_for_seats,
    seat_name,
    when,
)
from aucenv.core.formats.schema import Value
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.state import (
    ESTIMATE,
    IDLE,
    NOBODY,
    ORDER,
    RUNNING,
    TERMINATED,
    WITHDRAW,
    break_tie,
    count_round,
    rekey,
    seats_of,
)
from aucenv.core.words.money import MAX_DOLLARS, SIGNED_DOLLARS, Dollars

MIN_BIDDERS, MAX_BIDDERS = 2, 16
PROFIT, ITEMS, TARGET = 0, 1, 2
OBJECTIVES = ("profit", "items", "item")
"""Objectives: profit, the number of items, one target item."""
ID = Value("a number or a text", int, str)

LEGAL, TOO_LOW, OVER_BUDGET = 0, 1, 2
REFUSALS = ("legal", "too_low", "over_budget")  # their names in records

PPM = 1_000_000
"""Parts per million: the unit of increments and overestimates."""
MAX_DISCOUNTS = 3


@inlined
def least_raise(price, increment):
    """Return the least raise over the standing bid: a share of the current starting price, and at least one cent.

    Args:
        increment: the share, ppm.
    """
    return max(1, (price * increment + PPM // 2) // PPM)


@inlined
def halved(price):
    """Return a starting price after one discount, rounded down to whole dollars."""
    return price // 200 * 100


@inlined
def sold(g, seat, j):
    """Return whether item `j` has a winner, so that its true value is public."""
    return g["winner"][j] != NOBODY


class State(GameState):
    """The state of an English auction. Amounts are cents; items are in the auction's order."""

    ROOMS: ClassVar = {SEAT: room_for_seats(MAX_BIDDERS), ITEM: room_for(ITEM, 16)}

    discount = flag(ALL, "whether a starting price that receives no bid is halved")
    ask_broke = flag(ALL, "whether a seat that cannot pay the least legal bid has a decision, too")
    increment = ppm(ALL, "the least raise, as a share of the item's current starting price")
    shuffled = flag(ALL, "whether the deal shuffles the items")
    opening = money(ALL, "the current item's starting price, before discounts; at the end that of the last item")
    price = money(ALL, "the current starting price, after discounts")
    discounts = integer(ALL, "how often the starting price was halved")
    standing = money(ALL, "the standing bid; 0 if there is none")
    leader = seat_name(ALL, "the seat that holds the standing bid")
    least = money(ALL, "the least legal bid; 0 once all items are closed")
    raise_by = money(ALL, "the least raise over the standing bid")
    total = money(ALL, "the sum of all starting prices, before discounts")

    active = flag(ALL, "whether the seat has not withdrawn from the current item", per=SEAT)
    acting = flag(ALL, "whether the seat has a decision in this round", per=SEAT)
    bids = integer(ALL, "number of bids for the current item", per=SEAT)
    last_bid = money(ALL, "in the previous round: an amount, WITHDRAW or IDLE", per=SEAT)
    budget = money(ALL, "the remaining budget", per=SEAT)
    profit = money(ALL, per=SEAT, within=SIGNED_DOLLARS)
    won = integer(ALL, "items won so far", per=SEAT)
    objective = option(ALL, OBJECTIVES, per=SEAT)
    target: Field[str | None] = index_of(
        ALL, "item_names", "the target item in the scenario", per=SEAT, may_be_none=True
    )
    endowment = money(ALL, "the budget at the start", per=SEAT)
    seat_key = random_key(OWNER, "the key of the seat's random numbers", per=SEAT)
    bias = ppm(NONE, "the overestimate", per=SEAT)
    noise = ppm(NONE, "the estimate's error is uniform within this share", per=SEAT)

    lot: Field[int | str] = index_of(ALL, "item_ids", "the item in the scenario", per=ITEM, schema=ID)
    start = money(ALL, "the starting price, before discounts", per=ITEM)
    value = money(when(sold), "the true value", per=ITEM)
    winner = seat_name(ALL, "the winner; nobody if the item is not sold, or not sold yet", per=ITEM)
    hammer = money(ALL, "the hammer price", per=ITEM)

    estimate = money(OWNER, "the estimate of the true value", per=(SEAT, ITEM), within=Dollars(0, 20 * MAX_DOLLARS))


@inlined
def set_price(g, price):
    """Set the current item's starting price, and the least raise, which is a share of it."""
    g["price"] = price
    g["raise_by"] = least_raise(price, g["increment"])


@inlined
def max_bid(g, seat):
    """Return the highest legal bid of `seat`; WITHDRAW if it has no decision."""
    budget = g["budget"][seat]
    return budget if g["acting"][seat] != 0 else WITHDRAW


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`; `key` determines all its random numbers.

    Args:
        template: one row with the scenario's constants; its items are in the scenario's order.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    start_auction(g, key)


@kernel
def start_auction(g, key):
    """Shuffle the items if the scenario's order is random, draw the estimates, and open the first item."""
    num_items = g["num_items"]
    if g["shuffled"] != 0:
        for j in range(num_items - 1, 0, -1):
            k = draw_below(j + 1, key, ORDER, j, 0, 0)
            g["lot"][j], g["lot"][k] = g["lot"][k], g["lot"][j]
            g["start"][j], g["start"][k] = g["start"][k], g["start"][j]
            g["value"][j], g["value"][k] = g["value"][k], g["value"][j]
    for seat in range(seats_of(g)):
        noise = g["noise"][seat]
        noise_key = subkey(key, ESTIMATE, seat) if noise > 0 else 0  # a subkey, as seats could infer `key` from errors
        for j in range(num_items):
            error = draw_below(2 * noise + 1, noise_key, ESTIMATE, j, 0, 0) - noise if noise > 0 else 0
            share = PPM + g["bias"][seat] + error
            g["estimate"][seat][j] = max(0, (g["value"][j] * share + PPM // 2) // PPM)
    open_item(g)
    advance(g)


@inlined
def open_item(g):
    """Open the current item, or end the game if there is none left."""
    j = g["item"]
    g["round"] = 0
    g["standing"] = 0
    g["leader"] = NOBODY
    g["discounts"] = 0
    if j == g["num_items"]:
        g["price"] = g["least"] = 0
        g["status"] = TERMINATED
    else:
        g["opening"] = g["start"][j]
        set_price(g, g["opening"])
    for seat in range(seats_of(g)):
        g["active"][seat] = 1
        g["acting"][seat] = 0
        g["bids"][seat] = 0
        g["last_bid"][seat] = IDLE


@inlined
def advance(g):
    """Open the next round in which a seat has a decision; rounds without any decision close without bids."""
    while g["status"] == RUNNING and mark_acting(g) == 0:
        close_without_bids(g)


@inlined
def mark_acting(g):
    """Mark the seats that have a decision, and return how many there are.

    A seat has a decision if it has not withdrawn, does not lead and can afford the least legal bid; a seat that cannot
    afford it withdraws, unless the game asks it. The loop has no branches, which the processor could not predict.
    """
    asks_broke = g["ask_broke"] != 0
    least = g["price"] if g["leader"] == NOBODY else g["standing"] + g["raise_by"]
    g["least"] = least
    asked = 0
    for seat in range(seats_of(g)):
        leads = seat == g["leader"]
        active = g["active"][seat] & (leads | asks_broke | (g["budget"][seat] >= least))
        acts = active & (not leads)
        g["active"][seat] = active
        g["acting"][seat] = acts
        asked += acts
    return asked


@inlined
def step(state, b, amounts):
    """Close the round.

    Args:
        amounts: (seats,) int64: the legal bid of every acting seat in cents, or WITHDRAW; other entries are ignored.
    """
    g = state[b]
    best = WITHDRAW
    leader = NOBODY
    bids = 0
    tied = False
    for seat in range(seats_of(g)):
        amount = max(amounts[seat], WITHDRAW)
        bid = amount if g["acting"][seat] != 0 else IDLE
        bids += bid >= 0
        tied = (bid == best) | (tied & (bid < best))
        leader = seat if bid > best else leader
        best = max(best, bid)
        g["active"][seat] -= bid == WITHDRAW
        g["bids"][seat] += bid >= 0
        g["last_bid"][seat] = bid
    if bids == 0:
        close_without_bids(g)
    else:
        if tied:
            for seat in range(seats_of(g)):
                g["acting"][seat] = 1 if g["last_bid"][seat] == best else 0
            leader = break_tie(g, g["acting"])
        lone = bids == 1 and g["leader"] == NOBODY
        g["leader"] = leader
        g["standing"] = best
        if lone:
            sell(g)
        else:
            g["round"] += 1
    advance(g)
    count_round(g)


@inlined
def close_without_bids(g):
    """Close a round without bids: sell the item to the leader; without a leader, discount it or leave it unsold."""
    if g["leader"] != NOBODY:
        sell(g)
        return
    price = halved(g["price"])
    if g["discount"] != 0 and g["discounts"] < MAX_DISCOUNTS and price > 0:
        set_price(g, price)
        g["discounts"] += 1
        g["round"] += 1
        for seat in range(seats_of(g)):
            g["active"][seat] = 1
    else:
        g["item"] += 1
        open_item(g)


@inlined
def sell(g):
    """Sell the current item: the leader pays the standing bid and gets the true value."""
    j = g["item"]
    seat = g["leader"]
    g["winner"][j] = seat
    g["hammer"][j] = g["standing"]
    g["budget"][seat] -= g["standing"]
    g["profit"][seat] += g["value"][j] - g["standing"]
    g["won"][seat] += 1
    g["item"] += 1
    open_item(g)


@inlined
def check(state, b, seat, amount):
    """Return LEGAL, TOO_LOW or OVER_BUDGET for an acting seat's amount. Withdrawing is always legal."""
    g = state[b]
    if (amount < 0) | ((amount >= g["least"]) & (amount <= max_bid(g, seat))):
        return LEGAL
    return TOO_LOW if amount < g["least"] else OVER_BUDGET


@inlined
def clip(state, b, seat, amount):
    """Return the legal amount nearest to `amount`; WITHDRAW if the seat cannot pay any."""
    g = state[b]
    if (amount < 0) | (g["budget"][seat] < g["least"]):
        return WITHDRAW
    return min(max(amount, g["least"]), g["budget"][seat])


@inlined
def payoff(state, b, out):
    """Write each seat's score so far into `out`, (seats,) float64; rewards are its changes.

    The score is profit / sum of the starting prices, items won / number of items, or 1 once the target item is won.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        if g["objective"][seat] == PROFIT:
            out[seat] = g["profit"][seat] / g["total"]
        elif g["objective"][seat] == ITEMS:
            out[seat] = g["won"][seat] / g["num_items"]
        else:
            out[seat] = 0.0
            for j in range(g["num_items"]):
                if g["lot"][j] == g["target"][seat] and g["winner"][j] == seat:
                    out[seat] = 1.0


RESULT = ("profit", "items", "budget_left")


@inlined
def result(state, b, out):
    """Write the results of a game that is over into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["profit"][seat]
        out[seat, 1] = g["won"][seat]
        out[seat, 2] = g["budget"][seat]
