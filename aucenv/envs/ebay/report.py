"""Plain data about a proxy auction: the infos of every move, and a record's deal and outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.ebay.view import ScenarioText, View
from aucenv.envs.single_item import report as single_item
from aucenv.envs.single_item.report import deal_data, write_prize_values

__all__ = ["deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]

PER_GAME, PER_SEAT = 4, 1


@kernel
def write_info_values(state, b, out):
    """Write the numbers from which infos are computed; amounts in cents.

    Args:
        out: (num_info_values,) int64, written: the price, or NOBODY at the end; the leader, or NOBODY; the day; the
            number of days after it; then each seat's maximum, or NOBODY; then the values of
            `single_item.report.write_prize_values`.
    """
    g = state[b]
    running = g["status"] == RUNNING
    out[0] = g["price_now"] if running else NOBODY
    out[1] = g["leader"] if running else NOBODY
    out[2] = g["day"]
    out[3] = g["days_now"] - g["day"] - 1 if running else 0
    seats = g["num_seats"]
    for seat in range(seats):
        out[PER_GAME + seat] = g["maximum"][seat] if running else NOBODY
    write_prize_values(g, out[PER_GAME + PER_SEAT * seats :])


def num_info_values(num_seats: int) -> int:
    """Return the number of values that `write_info_values` writes."""
    return PER_GAME + PER_SEAT * num_seats + single_item.num_info_values(num_seats)


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers: the auction's, and those of `single_item.report.numeric_prize_info`."""
    price, leader, day, days_left = info_values[:PER_GAME]
    maximum = info_values[PER_GAME + seat]
    return {
        "price": price / 100 if price != NOBODY else 0.0,
        "leads": int(leader == seat),
        "leader": leader,
        "day": day,
        "days_left": days_left,
        "maximum": maximum / 100 if maximum != NOBODY else -1.0,
        **single_item.numeric_prize_info(_prize_values(info_values), seat),
    }


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """Return the same info with None for missing values, `leads` as True or False, and the name of the leader."""
    price, leader, *_ = info_values[:PER_GAME]
    full_info: JsonObject = numeric_info(info_values, seat) | single_item.full_prize_info(
        _prize_values(info_values), seat
    )
    full_info["leads"] = leader == seat
    full_info["leader"] = None if leader == NOBODY else scenario_text.seats[leader]
    if price == NOBODY:
        full_info["price"] = None
    if info_values[PER_GAME + seat] == NOBODY:
        full_info["maximum"] = None
    return full_info


def _prize_values(info_values: list[int]) -> list[int]:
    """Return the part that `single_item.report.write_prize_values` wrote, which comes last."""
    seats = (len(info_values) - num_info_values(0)) // (PER_SEAT + single_item.PER_SEAT)
    return info_values[PER_GAME + PER_SEAT * seats :]


def outcome(view: View) -> JsonObject:
    """Return a record's `outcome`, from a view that reveals everything; `bids` are the final maxima.

    Each prize also has the seat that led at the end, whether or not the prize was sold, and the number of days. `order`
    is that of the day on which the game was truncated, whose moves do not show it.
    """
    shared = single_item.outcome(view)
    prizes = []
    for j, prize in enumerate(shared["prizes"]):
        played = view.round_at(j)
        prizes.append({**prize, "leader": played.leader, "days": played.days})
    order = view.row["order"][0, : len(view.scenario_text.seats)].tolist() if view.status == "truncated" else None
    return {
        **shared,
        "prizes": prizes,
        "order": None if order is None else [view.scenario_text.seats[seat] for seat in order],
    }
