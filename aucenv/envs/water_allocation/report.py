"""Plain data about a water allocation challenge: the infos of every day, and a record's deal and outcome."""

from __future__ import annotations

import dataclasses

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import RUNNING
from aucenv.envs.water_allocation.view import ScenarioText, View

PER_GAME, PER_SEAT = 3, 8


@kernel
def write_info_values(state, b, out):
    """Write the numbers from which infos are computed; amounts in cents.

    Args:
        out: (num_info_values,) int64, written: day; whether the game is running; the day's supply; then each seat's
            balance, health, days without water in a row, whether it is dead, days lived, days with water, and its bid
            and place on the last day.
    """
    g = state[b]
    j = g["item"]
    last = max(0, j - 1)
    out[0] = j
    out[1] = g["status"] == RUNNING
    out[2] = g["supply"]
    for seat in range(g["num_seats"]):
        at = PER_GAME + PER_SEAT * seat
        out[at] = g["balance"][seat]
        out[at + 1] = g["health"][seat]
        out[at + 2] = g["thirst"][seat]
        out[at + 3] = g["gone"][seat]
        out[at + 4] = g["lived"][seat]
        out[at + 5] = g["won"][seat]
        out[at + 6] = g["bid"][seat][last]
        out[at + 7] = g["place"][seat][last]


def num_info_values(num_seats: int) -> int:
    """Return the number of values that `write_info_values` writes."""
    return PER_GAME + PER_SEAT * num_seats


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers: the day, its supply, the seat's status and its last bid; money in dollars."""
    day, running, supply = info_values[:PER_GAME]
    at = PER_GAME + PER_SEAT * seat
    balance, health, thirst, gone, lived, wins, bid, place = info_values[at : at + PER_SEAT]
    return {
        "day": day + 1 if running else 0,
        "supply": supply if running else 0,
        "balance": balance / 100,
        "health": health,
        "no_water_days": thirst,
        "alive": 1 - gone,
        "days_lived": lived,
        "days_with_water": wins,
        "last_bid": bid / 100 if day and bid >= 0 else 0.0,
        "last_won": int(day > 0 and place > 0),
    }


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """Return the same info with None for missing values, and `alive` and `last_won` as True or False."""
    day, running, _ = info_values[:PER_GAME]
    bid, place = info_values[PER_GAME + PER_SEAT * seat :][6:PER_SEAT]
    full_info: JsonObject = {**numeric_info(info_values, seat)}
    full_info["alive"] = full_info["alive"] == 1
    if not running:
        full_info["day"] = full_info["supply"] = None
    if not day or bid < 0:
        full_info["last_bid"] = None
    full_info["last_won"] = place > 0 if day else None
    return full_info


def deal_data(view: View) -> JsonObject:
    """Return a record's `deal` (supplies, needs and salaries), from a view that reveals everything."""
    return {
        "supplies": [int(supply) for supply in view.row["supplies"][0, : view.days]],
        "seats": [{"need": resident.need, "salary": resident.salary} for resident in view.residents],
    }


def outcome(view: View) -> JsonObject:
    """Return a record's `outcome`, from a view that reveals everything."""
    row = view.row[0]
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "days": [dataclasses.asdict(day) for day in view.history],
        "survivors": [resident.seat for resident in view.residents if resident.alive],
        "seats": [
            {
                "days_lived": int(row["lived"][seat]),
                "survived": resident.alive,
                "health": resident.health,
                "balance": resident.balance,
                "wins": int(row["won"][seat]),
                "spent": to_dollars(int(row["spent"][seat])),
                "void_bids": int(row["void"][seat]),
            }
            for seat, resident in enumerate(view.residents)
        ],
    }
