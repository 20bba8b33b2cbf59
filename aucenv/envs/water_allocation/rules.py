"""Rules of the water allocation challenge: residents submit sealed bids for each day's water, and die without water.

Source: Alympics, arXiv 2311.03220, section 4. Amounts are cents, water and health are whole units. `item` counts the
days; each has a single bidding round. `game.py` lists the differences from the paper's program.
"""

from __future__ import annotations

from typing import ClassVar

from aucenv.core.fields import (
    ALL,
    ITEM,
    NONE,
    OWNER,
    SEAT,
    GameState,
    flag,
    integer,
    money,
    random_key,
    room_for,
    room_for_seats,
    when,
)
from aucenv.core.formats.schema import whole
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.state import (
    IDLE,
    NOBODY,
    RUNNING,
    SUPPLY,
    TERMINATED,
    WITHDRAW,
    break_tie,
    count_round,
    rekey,
    seats_of,
)
from aucenv.core.words.money import MAX_DOLLARS, Dollars

MIN_BIDDERS, MAX_BIDDERS = 2, 16
MAX_DAYS, MAX_WATER, MAX_HEALTH = 1000, 1_000_000, 1000
HEALTH_GAIN = 2
"""The health that a day with water adds."""

LEGAL, OVER_BALANCE = 0, 1
REFUSALS = ("legal", "over_balance")  # their names in records


@inlined
def announced(g, seat, j):
    """Return whether the supply of day `j`, from 0, is known: it is announced before the bids."""
    return j <= g["item"]


WATER, DAYS, HEALTH = whole(0, MAX_WATER), whole(0, MAX_DAYS), whole(-MAX_DAYS, MAX_HEALTH)
BALANCE = Dollars(0, MAX_DAYS * MAX_DOLLARS)


class State(GameState):
    """The state of a water allocation challenge. Amounts are cents, water and health are units; items are days."""

    ROOMS: ClassVar = {SEAT: room_for_seats(MAX_BIDDERS, small=(8,)), ITEM: room_for(ITEM, 32)}

    supply = integer(ALL, "the current day's supply, announced before the bids", within=WATER)
    low = integer(ALL, "the least supply", within=WATER)
    high = integer(ALL, "the highest supply", within=WATER)
    scheduled = flag(NONE, "whether `supplies` are the scenario's schedule instead of random")
    refuses = flag(ALL, "whether a bid over the balance is refused; otherwise it is void")
    health_cap = integer(ALL, "the maximum health", within=HEALTH)

    acting = flag(ALL, "whether the seat has a decision today, because its resident is alive", per=SEAT)
    gone = flag(ALL, "whether the resident has died", per=SEAT)
    health = integer(ALL, per=SEAT, within=HEALTH)
    thirst = integer(ALL, "days without water in a row", per=SEAT, within=DAYS)
    balance = money(ALL, per=SEAT, within=BALANCE)
    need = integer(ALL, "units of water per day", per=SEAT, within=WATER)
    salary = money(ALL, per=SEAT)
    lived = integer(ALL, "days survived", per=SEAT, within=DAYS)
    won = integer(ALL, "days with water", per=SEAT, within=DAYS)
    spent = money(ALL, per=SEAT, within=BALANCE)
    void = integer(ALL, "number of bids over the balance", per=SEAT, within=DAYS)
    seat_key = random_key(OWNER, "the key of the seat's random numbers", per=SEAT)

    supplies = integer(when(announced), per=ITEM, within=WATER)

    bid = money(ALL, "WITHDRAW: no bid; IDLE: was dead", per=(SEAT, ITEM), within=BALANCE)
    place = integer(ALL, "rank among the residents that got water, from 1; 0: it got none", per=(SEAT, ITEM))
    balance_after = money(ALL, per=(SEAT, ITEM), within=BALANCE)
    health_after = integer(ALL, per=(SEAT, ITEM), within=HEALTH)
    thirst_after = integer(ALL, per=(SEAT, ITEM), within=DAYS)


@kernel
def deal(state, b, template, key):
    """Start a game in row `b`: draw the supply of all days unless it is scheduled, and open the first day.

    Args:
        template: one row with the scenario's constants.
        key: the game's key, which determines all its random numbers.
    """
    state[b] = template[0]
    g = state[b]
    rekey(g, key)
    if g["scheduled"] == 0:
        supply_key = subkey(key, SUPPLY, 0)  # a subkey, as seats could infer `key` from supplies
        for j in range(g["num_items"]):
            g["supplies"][j] = g["low"] + draw_below(g["high"] - g["low"] + 1, supply_key, SUPPLY, j, 0, 0)
    open_day(g)


@inlined
def open_day(g):
    """Open a day: pay the living residents, announce the supply and ask for bids."""
    g["supply"] = g["supplies"][g["item"]]
    for seat in range(seats_of(g)):
        g["acting"][seat] = 1 - g["gone"][seat]
        if g["acting"][seat] != 0:
            g["balance"][seat] += g["salary"][seat]


@inlined
def step(state, b, amounts):
    """Close the day: allocate the water, collect the payments and update health.

    Args:
        amounts: (seats,) int64: the legal bid of every acting seat in cents, or WITHDRAW; other entries are ignored.
    """
    g = state[b]
    j = g["item"]
    for seat in range(seats_of(g)):
        g["bid"][seat][j] = max(amounts[seat], WITHDRAW) if g["acting"][seat] != 0 else IDLE
        if g["bid"][seat][j] > g["balance"][seat]:
            g["void"][seat] += 1
    allocate(g, g["supply"])
    alive = end_day(g)
    g["item"] += 1
    if alive == 0 or g["item"] == g["num_items"]:
        g["status"] = TERMINATED
    count_round(g)
    if g["status"] == RUNNING:
        open_day(g)
    else:
        g["supply"] = 0
        for seat in range(seats_of(g)):
            g["acting"][seat] = 0


@kernel
def allocate(g, supply):
    """Allocate `supply` to today's bids, and write each seat's `place`.

    The highest bid whose need still fits is served first. If bids tie, the lower need is served first; if needs tie,
    too, the tie is broken at random.

    Returns:
        The seats that got water: bit s for seat s.
    """
    j = g["item"]
    left = supply
    served = 0
    place = 0
    for seat in range(g["num_seats"]):
        g["place"][seat][j] = 0
    while True:
        winner = next_served(g, left, served)
        if winner == NOBODY:
            return served
        place += 1
        g["place"][winner][j] = place
        served |= 1 << winner
        left -= g["need"][winner]


@kernel
def next_served(g, left, served):
    """Return the seat that is served next, or NOBODY if no need fits.

    Args:
        left: units of water that are left.
        served: the seats that have been served: bit s for seat s.
    """
    j = g["item"]
    winner = NOBODY
    tied = False
    for seat in range(g["num_seats"]):
        bid = g["bid"][seat][j]
        fits = g["need"][seat] <= left and served >> seat & 1 == 0
        if fits and 0 <= bid <= g["balance"][seat]:
            best = WITHDRAW if winner == NOBODY else g["bid"][winner][j]
            if bid > best or (bid == best and g["need"][seat] < g["need"][winner]):
                winner = seat
                tied = False
            elif bid == best and g["need"][seat] == g["need"][winner]:
                tied = True
    if not tied:
        return winner
    for seat in range(g["num_seats"]):
        equal = g["bid"][seat][j] == g["bid"][winner][j] and g["need"][seat] == g["need"][winner]
        valid = g["bid"][seat][j] <= g["balance"][seat] and served >> seat & 1 == 0
        g["acting"][seat] = 1 if equal and valid else 0
    return break_tie(g, g["acting"])


@kernel
def end_day(g):
    """Collect the winners' bids and update health, which rises with water and falls by the days without water.

    Returns:
        The number of residents that are alive.
    """
    j = g["item"]
    alive = 0
    for seat in range(g["num_seats"]):
        if g["gone"][seat] != 0:
            continue
        if g["place"][seat][j] > 0:
            g["balance"][seat] -= g["bid"][seat][j]
            g["spent"][seat] += g["bid"][seat][j]
            g["won"][seat] += 1
            g["thirst"][seat] = 0
            g["health"][seat] = min(g["health"][seat] + HEALTH_GAIN, g["health_cap"])
        else:
            g["thirst"][seat] += 1
            g["health"][seat] -= g["thirst"][seat]
        g["balance_after"][seat][j] = g["balance"][seat]
        g["health_after"][seat][j] = g["health"][seat]
        g["thirst_after"][seat][j] = g["thirst"][seat]
        if g["health"][seat] > 0:
            g["lived"][seat] += 1
            alive += 1
        else:
            g["gone"][seat] = 1
            g["balance"][seat] = 0
    return alive


@inlined
def check(state, b, seat, amount):
    """Return LEGAL or OVER_BALANCE for a seat's amount.

    Making no bid is always legal. Bids over the balance are legal if the scenario makes them void.
    """
    g = state[b]
    return OVER_BALANCE if g["refuses"] != 0 and amount > g["balance"][seat] else LEGAL


@inlined
def clip(state, b, seat, amount):
    """Return the legal amount nearest to `amount`, at most the balance."""
    return WITHDRAW if amount < 0 else min(amount, state[b]["balance"][seat])


@inlined
def payoff(state, b, out):
    """Write each seat's score so far into `out`, (seats,) float64; rewards are its changes.

    The score is days lived / number of days.
    """
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat] = g["lived"][seat] / g["num_items"]


RESULT = ("days_lived", "health", "balance", "wins", "spent", "void_bids")


@inlined
def result(state, b, out):
    """Write the results of a game that is over into `out`, (seats, RESULT) int64; amounts in cents."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = g["lived"][seat]
        out[seat, 1] = g["health"][seat]
        out[seat, 2] = g["balance"][seat]
        out[seat, 3] = g["won"][seat]
        out[seat, 4] = g["spent"][seat]
        out[seat, 5] = g["void"][seat]
