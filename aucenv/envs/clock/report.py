"""A game as plain data: what infos carry at every tick, what records keep of the deal and of the outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.single_item import report as prizes
from aucenv.envs.single_item.report import deal_data, outcome, write_prize_values
from aucenv.envs.single_item.view import ScenarioText

__all__ = ["deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]

PER_GAME, PER_SEAT = 3, 2


@kernel
def write_info_values(state, b, out):
    """Write the numbers of a tick's facts.

    Args:
        out: (num_quoted,) int64, written: the clock's price, or NOBODY; how many are in as far as it is told, or
            NOBODY; the tick; then of each seat whether it is in and the price that it has named, or NOBODY; then
            `prizes.report.write_prize_values`.
    """
    g = state[b]
    running = g["status"] == RUNNING
    out[0] = g["price_now"] if running else NOBODY
    out[1] = g["still_in"] if running and g["open"] != 0 else NOBODY
    out[2] = g["round"]
    seats = g["num_seats"]
    for seat in range(seats):
        out[PER_GAME + PER_SEAT * seat] = running and g["active"][seat] != 0
        out[PER_GAME + PER_SEAT * seat + 1] = g["limit"][seat] if running else NOBODY
    write_prize_values(g, out[PER_GAME + PER_SEAT * seats :])


def num_info_values(num_seats: int) -> int:
    return PER_GAME + PER_SEAT * num_seats + prizes.num_info_values(num_seats)


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """A seat's info in numbers: the clock, in dollars, and see `prizes.report.numeric_prize_info`."""
    price, still_in, tick = info_values[:PER_GAME]
    in_, named = info_values[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    return {
        "price": price / 100 if price != NOBODY else 0.0,
        "tick": tick,
        "still_in": still_in,
        "in": in_,
        "named": named / 100 if named != NOBODY else -1.0,
        **prizes.numeric_prize_info(_of_prizes(info_values), seat),
    }


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """The same; None where there is none, True or False for whether the seat is in."""
    price, still_in, _ = info_values[:PER_GAME]
    in_, named = info_values[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    full_info: JsonObject = numeric_info(info_values, seat) | prizes.full_prize_info(_of_prizes(info_values), seat)
    full_info["in"] = in_ == 1
    if price == NOBODY:
        full_info["price"] = None
    if still_in == NOBODY:
        full_info["still_in"] = None
    if named == NOBODY:
        full_info["named"] = None
    return full_info


def _of_prizes(info_values: list[int]) -> list[int]:
    """The prizes' numbers, which come last."""
    seats = (len(info_values) - num_info_values(0)) // (PER_SEAT + prizes.PER_SEAT)
    return info_values[PER_GAME + PER_SEAT * seats :]
