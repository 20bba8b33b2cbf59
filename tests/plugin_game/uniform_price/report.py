"""Infos of every round, and a record's deal and outcome."""

from __future__ import annotations

from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import RUNNING
from uniform_price.view import View

PER_GAME, PER_SEAT = 3, 5


@kernel
def write_info_values(state, b, out):
    """Write: round, whether the game is running, the last price; for each seat value, profit, units, last bid, won."""
    g = state[b]
    j, last = g["item"], max(0, g["item"] - 1)
    out[0], out[1], out[2] = j, g["status"] == RUNNING, g["price"][last]
    for seat in range(g["num_seats"]):
        at = PER_GAME + PER_SEAT * seat
        out[at] = g["value"][seat][min(j, g["num_items"] - 1)]
        out[at + 1], out[at + 2] = g["profit"][seat], g["won"][seat]
        out[at + 3], out[at + 4] = g["bid"][seat][last], g["gets"][seat][last]


def num_info_values(num_seats: int) -> int:
    return PER_GAME + PER_SEAT * num_seats


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers; amounts in dollars."""
    j, running, price = info_values[:PER_GAME]
    value, profit, units, _, won = info_values[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    return {
        "round": j + 1 if running else 0,
        "value": value / 100 if running else 0.0,
        "last_price": price / 100 if j else 0.0,
        "last_won": won if j else 0,
        "profit": profit / 100,
        "units_won": units,
    }


def full_info(info_values: list[int], seat: int, scenario_text: Any) -> JsonObject:
    """Return the same; no value of this game needs a word."""
    return {**numeric_info(info_values, seat)}


def deal_data(view: View) -> JsonObject:
    """Return a record's deal: the values of every seat, in dollars."""
    rounds = view.scenario_text.scenario.num_rounds
    values = view.row["value"][0, : len(view.scenario_text.seats), :rounds]
    return {"seats": [{"values": [to_dollars(int(value)) for value in row]} for row in values]}


def outcome(view: View) -> JsonObject:
    """Return a record's outcome."""
    row = view.row[0]
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "prices": [to_dollars(int(price)) for price in row["price"][: view.item_number]],
        "seats": [
            {"profit": to_dollars(int(row["profit"][seat])), "units": int(row["won"][seat])}
            for seat in range(len(view.scenario_text.seats))
        ],
    }
