"""Plain data about a clock auction: the infos of every tick, and a record's deal and outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.single_item import report as single_item
from aucenv.envs.single_item.report import deal_data, outcome, write_prize_values
from aucenv.envs.single_item.view import ScenarioText

__all__ = ["deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]

PER_GAME, PER_SEAT = 3, 2


@kernel
def write_info_values(state, b, out):
    """Write the numbers from which infos are computed; amounts in cents.

    Args:
        out: (num_info_values,) int64, written: the clock's price, or NOBODY at the end; the number of seats still in,
            or NOBODY if it is hidden; the tick; then for each seat whether it is in and the price that it has named, or
            NOBODY; then the values of `single_item.report.write_prize_values`.
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
    """Return the number of values that `write_info_values` writes."""
    return PER_GAME + PER_SEAT * num_seats + single_item.num_info_values(num_seats)


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers: the clock's, and those of `single_item.report.numeric_prize_info`."""
    price, still_in, tick = info_values[:PER_GAME]
    in_, named = info_values[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    return {
        "price": price / 100 if price != NOBODY else 0.0,
        "tick": tick,
        "still_in": still_in,
        "in": in_,
        "named": named / 100 if named != NOBODY else -1.0,
        **single_item.numeric_prize_info(_prize_values(info_values), seat),
    }


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """Return the same info with None for missing values, and `in` as True or False."""
    price, still_in, _ = info_values[:PER_GAME]
    in_, named = info_values[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    full_info: JsonObject = numeric_info(info_values, seat) | single_item.full_prize_info(
        _prize_values(info_values), seat
    )
    full_info["in"] = in_ == 1
    if price == NOBODY:
        full_info["price"] = None
    if still_in == NOBODY:
        full_info["still_in"] = None
    if named == NOBODY:
        full_info["named"] = None
    return full_info


def _prize_values(info_values: list[int]) -> list[int]:
    """Return the part that `single_item.report.write_prize_values` wrote, which comes last."""
    seats = (len(info_values) - num_info_values(0)) // (PER_SEAT + single_item.PER_SEAT)
    return info_values[PER_GAME + PER_SEAT * seats :]
