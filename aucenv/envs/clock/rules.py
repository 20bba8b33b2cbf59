"""Rules of clock auctions: each round sells one prize on a price clock that rises or falls in ticks.

Sources: Synthetic Labs, arXiv 2507.09083, for ascending clocks; Krishna, Auction Theory, section 1.1, for the Dutch
auction. Amounts are cents. `item` counts the rounds of the game, `round` the ticks of the clock. `game.py` lists the
differences from the paper's program.

The amount of an action is WITHDRAW, STAY or a price. Ascending: WITHDRAW leaves now, STAY stays at this tick, and a
price above the clock's stays until the clock reaches it. Descending: WITHDRAW waits at this tick, a price of at least
the clock's takes the prize now, and a lower price takes it when the clock reaches it. A seat that has named a price is
not asked again in the round.
"""

from __future__ import annotations

from aucenv.core.fields import ALL, BY_HIDE, OWNER, SEAT, flag, integer, money, option, when
from aucenv.core.kernel import inlined, kernel
from aucenv.core.state import NOBODY, RUNNING, WITHDRAW, break_tie, count_round, rekey, seats_of
from aucenv.core.words.money import ANY_DOLLARS
from aucenv.envs.single_item.rules import RESULT, PrizeState, award_prize, payoff, rank_bid, result
from aucenv.envs.single_item.values import REVEAL_ALL, deal_values

__all__ = ["REFUSALS", "RESULT", "State", "check", "clip", "deal", "hide", "payoff", "result", "step"]

STAY = 0
DIRECTIONS = ("ascending", "descending")

LEGAL, PASSED, OFF_TICK, BEYOND = 0, 1, 2, 3
REFUSALS = ("legal", "passed", "off_tick", "beyond_end")  # their names in records


@inlined
def is_open(g, seat):
    """Return whether all seats see how many are still in."""
    return g["open"] != 0


class State(PrizeState):
    """The state of a clock auction; `bid` is the price at which a seat left or took the prize, otherwise WITHDRAW."""

    falling = option(ALL, DIRECTIONS, "the direction of the clock")
    open = flag(ALL, "whether all seats see how many are still in")
    start = money(ALL, "the first price", within=ANY_DOLLARS)
    end = money(ALL, "the last price", within=ANY_DOLLARS)
    tick = money(ALL, "the step between prices")
    price_now = money(ALL, within=ANY_DOLLARS)
    still_in = integer(when(is_open), "the number of seats that are still in")

    acting = PrizeState.acting.shown_to(OWNER)
    active = flag(OWNER, "whether the seat is still in", per=SEAT)
    limit = money(OWNER, "the price named in this round, or NOBODY", per=SEAT, within=ANY_DOLLARS, hidden_as=NOBODY)

    ranked = PrizeState.ranked.shown_to(BY_HIDE)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the values of all rounds. `key` determines all the game's random numbers.

    Args:
        template: one row with the scenario's constants.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    deal_values(g, key)
    open_clock(g)


@inlined
def open_clock(g):
    """Start the clock for the current prize, with all seats in."""
    g["round"] = 0
    g["price_now"] = g["start"]
    g["still_in"] = seats_of(g)
    for seat in range(seats_of(g)):
        g["active"][seat] = 1
        g["limit"][seat] = NOBODY
        if g["status"] == RUNNING:
            g["bid"][seat][g["item"]] = WITHDRAW
            g["acting"][seat] = 1


@inlined
def step(state, b, amounts):
    """Close the tick, and move on to the next tick or prize at which a seat has a decision.

    Args:
        amounts: (seats,) int64: the legal amount of every acting seat; other entries are ignored.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        if g["acting"][seat] != 0:
            amount = amounts[seat]
            if amount < 0 and g["falling"] == 0:
                g["limit"][seat] = g["price_now"]
            elif amount > 0 or (amount == 0 and g["falling"] != 0):
                g["limit"][seat] = amount
    while True:
        ended = fall(g) if g["falling"] != 0 else climb(g)
        if ended:
            open_clock(g)
        elif not move(g):
            end_clock(g)
            open_clock(g)
        if g["status"] != RUNNING or mark_acting(g) > 0:
            break
    count_round(g)


@inlined
def mark_acting(g):
    """Mark the seats that have a decision (they are still in and have not named a price); return their number."""
    asked = 0
    for seat in range(seats_of(g)):
        acts = 1 if g["active"][seat] != 0 and g["limit"][seat] == NOBODY else 0
        g["acting"][seat] = acts
        asked += acts
    return asked


@kernel
def climb(g):
    """Remove the seats whose limits the rising price has reached; if at most one is left, close the round.

    The last seat wins at the price at which its last rival left. If the last seats leave together, one of them wins at
    random. If all leave at a first price above 0, the prize is not sold.

    Returns:
        Whether the round has closed.
    """
    seats, price, j = g["num_seats"], g["price_now"], g["item"]
    staying = 0
    winner = NOBODY
    for seat in range(seats):
        g["acting"][seat] = 0
        if g["active"][seat] != 0:
            if g["limit"][seat] != NOBODY and g["limit"][seat] <= price:
                g["acting"][seat] = 1  # the seats that leave now, for a possible tie
            else:
                staying += 1
                winner = seat
    if staying == 0 and (g["round"] > 0 or g["start"] == 0):  # leaving at a first price above 0 counts as abstaining
        winner = break_tie(g, g["acting"])
    for seat in range(seats):
        if g["acting"][seat] != 0:
            g["active"][seat] = 0
            g["bid"][seat][j] = price
            rank_bid(g, j, seats - g["still_in"], price)
            g["still_in"] -= 1
    if staying > 1:
        return False
    if staying == 1:
        rank_bid(g, j, seats - 1, WITHDRAW)
    award_prize(g, winner, price, False)
    return True


@kernel
def fall(g):
    """Sell the prize if the falling price has reached the limit of a seat; break ties at random.

    Returns:
        Whether the round has closed.
    """
    seats, price, j = g["num_seats"], g["price_now"], g["item"]
    taking = 0
    for seat in range(seats):
        takes = g["limit"][seat] != NOBODY and g["limit"][seat] >= price
        g["acting"][seat] = 1 if takes else 0
        taking += takes
    if taking == 0:
        return False
    number = 0
    for turn in range(2):  # the seats that take it rank first
        for seat in range(seats):
            if (g["acting"][seat] != 0) == (turn == 0):
                bid = price if turn == 0 else WITHDRAW
                g["bid"][seat][j] = bid
                rank_bid(g, j, number, bid)
                number += 1
    award_prize(g, break_tie(g, g["acting"]), price, False)
    return True


@inlined
def move(g):
    """Move the clock by a tick, or to the next limit if no seat has a decision before it.

    Returns:
        Whether the clock has moved; False at its end.
    """
    sign = -1 if g["falling"] != 0 else 1
    if g["price_now"] == g["end"]:
        return False
    ticks = 1
    if mark_acting(g) == 0:
        ticks = (g["end"] - g["price_now"]) * sign // g["tick"]
        for seat in range(seats_of(g)):
            if g["active"][seat] != 0:
                ticks = min(ticks, max(1, (g["limit"][seat] - g["price_now"]) * sign // g["tick"]))
    g["price_now"] += sign * ticks * g["tick"]
    g["round"] += ticks
    return True


@kernel
def end_clock(g):
    """Close the round at the clock's end.

    On a rising clock, one of the seats that are still in wins at random, at the last price. On a falling clock, the
    prize is not sold.
    """
    seats, j = g["num_seats"], g["item"]
    winner = NOBODY
    if g["falling"] == 0:
        winner = break_tie(g, g["active"])
    for seat in range(seats):
        if g["active"][seat] != 0:
            bid = g["end"] if g["falling"] == 0 else WITHDRAW
            g["bid"][seat][j] = bid
            rank_bid(g, j, seats - g["still_in"], bid)
            g["still_in"] -= 1
    award_prize(g, winner, g["end"], False)


@kernel
def keep_exits(g, out, j):
    """Copy the leaving prices of closed round `j` that open feedback has shown to `out`; others become WITHDRAW.

    Those are the prices below that at which the clock stopped: the seats that left there closed the round. A state in
    which hidden values have been resampled may lack this price; then its first rank has been replaced already.
    """
    replaced = g["ranked"][j][0] == WITHDRAW
    for k in range(g["num_seats"]):
        left_at = g["ranked"][j][k]
        shown = replaced or 0 <= left_at < g["price"][j]
        out["ranked"][j][k] = left_at if shown else WITHDRAW


@kernel
def hide(full, copied, seat):
    """Hide the ranked bids that are not revealed, but for the prices at which seats left an open clock."""
    seats = full["num_seats"]
    for j in range(full["num_items"]):
        if j >= full["item"] or full["reveal"] != REVEAL_ALL:
            for k in range(seats):
                copied["ranked"][j][k] = 0
    if full["open"] != 0:
        if full["item"] < full["num_items"]:
            for k in range(seats - full["still_in"]):
                copied["ranked"][full["item"]][k] = full["ranked"][full["item"]][k]
        if full["reveal"] != REVEAL_ALL:
            for j in range(full["item"]):
                keep_exits(full, copied, j)


@inlined
def check(state, b, seat, amount):
    """Return whether an acting seat's amount is legal.

    Returns:
        LEGAL, or the code of a refusal: PASSED (on an ascending clock, a price not above the clock's), OFF_TICK
        (a price between ticks) or BEYOND (a price beyond the clock's end).
    """
    g = state[b]
    if amount < 0 or (amount == STAY and g["falling"] == 0):
        return LEGAL
    sign = -1 if g["falling"] != 0 else 1
    ahead = (amount - g["price_now"]) * sign
    if ahead <= 0 and g["falling"] == 0:
        return PASSED
    if (g["end"] - amount) * sign < 0:
        return BEYOND
    return OFF_TICK if ahead % g["tick"] != 0 else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the legal amount nearest to `amount`; a price that the clock has passed leaves or takes the prize now."""
    g = state[b]
    if amount < 0:
        return WITHDRAW
    if amount == STAY and g["falling"] == 0:
        return STAY
    sign = -1 if g["falling"] != 0 else 1
    ahead = (amount - g["price_now"]) * sign
    ticks = min((ahead + g["tick"] // 2) // g["tick"], (g["end"] - g["price_now"]) * sign // g["tick"])
    if ticks <= 0:
        return WITHDRAW if g["falling"] == 0 else g["price_now"]
    return g["price_now"] + sign * ticks * g["tick"]
