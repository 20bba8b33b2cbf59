"""Rules of proxy auctions with many days, as on eBay: each auction sells one prize, and a proxy bids for every seat.

Source: Synthetic Labs, arXiv 2507.09083, the third format, and its program (github.com/KeHang-Zhu/llm-auction). Amounts
are cents. `item` counts the auctions of the game, `round` the moves of an auction. `game.py` lists the differences.

On each day the seats move one after another, in an order that is drawn for the day. A move raises the seat's own
maximum, or holds (WITHDRAW, or its earlier maximum). The proxies bid up to the maxima: without a second maximum the
price is the first price, otherwise the lower of the highest maximum and the second one plus the increment. The highest
maximum leads; of equal ones, the earlier.

Soft close: each time the last day is about to begin, a day is added if anybody has raised a maximum since the last
addition, up to MAX_DAYS days. A hidden reserve decides whether the prize is sold: the highest maximum has to reach it.
With `lift` the winner pays at least the reserve, as in textbooks.
"""

from __future__ import annotations

from typing import ClassVar

from aucenv.core.fields import ALL, ITEM, NONE, OWNER, SEAT, flag, integer, money, seat_name, when
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.state import NOBODY, ORDER, RUNNING, WITHDRAW, count_round, rekey, seats_of
from aucenv.core.words.money import ANY_DOLLARS
from aucenv.envs.single_item.rules import RESULT, PrizeState, award_prize, payoff, rank_bid, result
from aucenv.envs.single_item.values import deal_values

__all__ = ["REFUSALS", "RESULT", "State", "check", "clip", "deal", "payoff", "result", "step"]

MAX_DAYS = 20
LEGAL, BELOW_EARLIER, BELOW_PRICE, ABOVE_RANGE, OFF_STEP = 0, 1, 2, 3, 4
REFUSALS = ("legal", "below_earlier_maximum", "below_price", "above_range", "off_step")  # their names in records
MOVE = "move"


@inlined
def is_last_day(g):
    """Return whether this is the last day, whose order is not announced."""
    return g["day"] == g["days_now"] - 1


@inlined
def place_is_known(g, seat, place):
    """Return whether a place in the day's order is known: on the last day only those of the moves so far."""
    return place < g["turn"] or not is_last_day(g)


class State(PrizeState):
    """The state of a proxy auction, with the moves of the current auction; items are auctions."""

    ROOMS: ClassVar = {**PrizeState.ROOMS, MOVE: lambda sizes: MAX_DAYS * PrizeState.ROOMS[SEAT](sizes)}

    soft = flag(ALL, "whether late bids add days")
    days = integer(ALL, "the announced number of days")
    reserve = money(NONE, "the hidden reserve; 0: none", within=ANY_DOLLARS)
    lift = flag(ALL, "whether the winner pays at least the reserve")
    start = money(ALL, "the first price", within=ANY_DOLLARS)
    increment = money(ALL)
    step = money(ALL, "the step between maxima")
    cap = money(ALL, "the highest possible maximum", within=ANY_DOLLARS)
    day = integer(ALL, "the day of the auction, from 0")
    days_now = integer(ALL, "the number of days with those added so far")
    late = flag(ALL, "whether anybody has raised a maximum since the last addition")
    turn = integer(ALL, "the place in the day's order, from 0")
    price_now = money(ALL, within=ANY_DOLLARS)
    leader = seat_name(ALL, "the seat with the highest maximum; nobody before the first bid")

    acting = PrizeState.acting.shown_to(OWNER)
    maximum = money(OWNER, "NOBODY before the seat's first bid", per=SEAT, within=ANY_DOLLARS, hidden_as=NOBODY)
    placed = integer(ALL, "the move at which the seat set its maximum", per=SEAT)
    order = seat_name(when(place_is_known), "the seat at each place of the day's order", per=SEAT)

    price = PrizeState.price.shown_to(ALL)
    led = seat_name(ALL, "the seat that led at the end; nobody has bid, or the auction is not over", per=ITEM)
    days_run = integer(ALL, "the number of days, with those added", per=ITEM)

    moved = seat_name(ALL, per=MOVE)
    raised = flag(ALL, "whether the seat raised its maximum", per=MOVE)
    price_after = money(ALL, per=MOVE, within=ANY_DOLLARS)
    leader_after = seat_name(ALL, per=MOVE)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the values of all auctions. `key` determines all the game's random numbers.

    Args:
        template: one row with the scenario's constants.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    deal_values(g, key)
    open_auction(g)


@inlined
def open_auction(g):
    """Start the next auction, without maxima."""
    g["day"], g["turn"], g["round"], g["late"] = 0, 0, 0, 0
    g["days_now"] = g["days"]
    g["price_now"], g["leader"] = g["start"], NOBODY
    for seat in range(seats_of(g)):
        g["maximum"][seat], g["placed"][seat] = NOBODY, NOBODY
        if g["status"] == RUNNING:
            g["bid"][seat][g["item"]] = WITHDRAW
    draw_order(g)


@kernel
def draw_order(g):
    """Draw the order of the day, and let its first seat move."""
    seats = g["num_seats"]
    order = g["order"]
    key = subkey(g["key"], ORDER, g["item"])  # a subkey, as a seat could infer `key` from the orders
    for place in range(seats):
        order[place] = place
    for place in range(seats - 1 if g["status"] == RUNNING else 0):
        other = place + draw_below(seats - place, key, ORDER, g["day"], place, 0)
        order[place], order[other] = order[other], order[place]
    call_mover(g)


@inlined
def call_mover(g):
    """Mark the seat that moves next as the one with a decision."""
    mover = g["order"][g["turn"]]
    running = g["status"] == RUNNING
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 if running and seat == mover else 0


@inlined
def step(state, b, amounts):
    """Make a move, and go on to the next seat, day or auction.

    Args:
        amounts: (seats,) int64: the legal amount of the acting seat; other entries are ignored.
    """
    g = state[b]
    seat = g["order"][g["turn"]]
    raises = amounts[seat] >= 0 and amounts[seat] != g["maximum"][seat]
    if raises:
        g["maximum"][seat] = amounts[seat]
        g["placed"][seat] = g["round"]
        g["late"] = 1
    set_price(g)
    move = g["round"]
    g["moved"][move], g["raised"][move] = seat, 1 if raises else 0
    g["price_after"][move], g["leader_after"][move] = g["price_now"], g["leader"]
    g["round"] += 1
    g["turn"] += 1
    if g["turn"] < g["num_seats"]:
        call_mover(g)
    else:
        end_day(g)
    count_round(g)


@inlined
def set_price(g):
    """Compute the price and the leader from the maxima; a leader that a replay names wins a tie."""
    top, second = NOBODY, NOBODY
    leader = NOBODY
    for seat in range(seats_of(g)):
        maximum = g["maximum"][seat]
        if maximum < 0:
            continue
        if maximum > top:
            second = top
            top, leader = maximum, seat
        else:
            if maximum > second:
                second = maximum
            if maximum == top and seat != leader and leads_tie(g, seat, leader):
                leader = seat
    g["leader"] = leader
    g["price_now"] = g["start"] if second == NOBODY else min(top, second + g["increment"])


@inlined
def leads_tie(g, seat, other):
    """Return whether a seat leads another one with the same maximum."""
    if g["forced_tie"] == seat or g["forced_tie"] == other:
        return g["forced_tie"] == seat
    return g["placed"][seat] < g["placed"][other]


@kernel
def end_day(g):
    """Begin the next day, after adding one if the close is soft; after the last day, close the auction."""
    g["day"] += 1
    g["turn"] = 0
    if g["soft"] != 0 and g["late"] != 0 and g["day"] == g["days_now"] - 1 and g["days_now"] < MAX_DAYS:
        g["days_now"] += 1
        g["late"] = 0
    if g["day"] < g["days_now"]:
        draw_order(g)
        return
    close_auction(g)
    open_auction(g)


@kernel
def close_auction(g):
    """Give the prize to the leader if its maximum reaches the reserve."""
    j, leader = g["item"], g["leader"]
    for seat in range(g["num_seats"]):
        g["bid"][seat][j] = g["maximum"][seat] if g["maximum"][seat] >= 0 else WITHDRAW
        rank_bid(g, j, seat, g["bid"][seat][j])
    g["led"][j], g["days_run"][j] = leader, g["days_now"]
    sold = leader != NOBODY and g["maximum"][leader] >= g["reserve"]
    price = max(g["price_now"], g["reserve"]) if g["lift"] != 0 else g["price_now"]
    award_prize(g, leader if sold else NOBODY, price, False)


@inlined
def least_raise(g, seat):
    """Return the least amount that raises the seat's maximum; it may be above the cap."""
    step = g["step"]
    least = (g["price_now"] + step - 1) // step * step
    return max(least, g["maximum"][seat] + step) if g["maximum"][seat] >= 0 else least


@inlined
def check(state, b, seat, amount):
    """Return whether an acting seat's amount is legal.

    Returns:
        LEGAL, or the code of a refusal: BELOW_EARLIER (below the seat's earlier maximum), BELOW_PRICE, ABOVE_RANGE or
        OFF_STEP (between two steps). The price itself is legal, and the earlier maximum is a hold.
    """
    g = state[b]
    if amount < 0 or amount == g["maximum"][seat]:
        return LEGAL
    if amount < g["maximum"][seat]:
        return BELOW_EARLIER
    if amount < g["price_now"]:
        return BELOW_PRICE
    if amount > g["cap"]:
        return ABOVE_RANGE
    return OFF_STEP if amount % g["step"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the legal amount nearest to `amount`; one below the least raise holds."""
    g = state[b]
    least = least_raise(g, seat)
    if amount < 0 or least > g["cap"]:
        return WITHDRAW
    nearest = min((amount + g["step"] // 2) // g["step"] * g["step"], g["cap"] // g["step"] * g["step"])
    return nearest if nearest >= least else WITHDRAW
