"""Plain data about sealed-bid and clock auctions: infos, and a record's deal and outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.single_item.values import CV, NONE
from aucenv.envs.single_item.view import ScenarioText, SingleItemView

PER_GAME, PER_SEAT = 4, 6


@kernel
def write_prize_values(g, out):
    """Write the numbers from which infos are computed; amounts in cents.

    Args:
        out: (num_info_values,) int64, written: round; whether the game is running; whether a round has closed; the last
            round's price if it is revealed, else NOBODY; then each seat's value, last profit, whether it won the last
            round, its last payment, its profit and its number of prizes.
    """
    j = g["item"]
    last = max(0, j - 1)
    running = g["status"] == RUNNING
    out[0] = j
    out[1] = running
    out[2] = j > 0
    out[3] = g["price"][last] if j > 0 and g["reveal"] != NONE else NOBODY
    for seat in range(g["num_seats"]):
        at = PER_GAME + PER_SEAT * seat
        won = j > 0 and g["winner"][last] == seat
        out[at] = g["value"][seat][j] if running else 0
        out[at + 1] = g["gain"][seat]
        out[at + 2] = won
        out[at + 3] = g["price"][last] if won else -g["gain"][seat]
        out[at + 4] = g["profit"][seat]
        out[at + 5] = g["won"][seat]


def num_info_values(num_seats: int) -> int:
    """Return the number of values that `write_prize_values` writes."""
    return PER_GAME + PER_SEAT * num_seats


def numeric_prize_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers: its value, the last round's result, profit and prizes; amounts in dollars."""
    number, _, _, price = info_values[:PER_GAME]
    at = PER_GAME + PER_SEAT * seat
    value, last_profit, won, paid, profit, prizes = info_values[at : at + PER_SEAT]
    return {
        "round": number,
        "value": value / 100,
        "last_won": won,
        "last_paid": paid / 100,
        "last_price": price / 100 if price != NOBODY else (paid / 100 if won else 0.0),
        "last_profit": last_profit / 100,
        "profit": profit / 100,
        "prizes_won": prizes,
    }


def full_prize_info(info_values: list[int], seat: int) -> JsonObject:
    """Return the same info with None for missing values, and `last_won` as True or False."""
    _, running, played, price = info_values[:PER_GAME]
    full_info: JsonObject = {**numeric_prize_info(info_values, seat)}
    won = full_info["last_won"] == 1
    if not running:
        full_info["value"] = None
    if price == NOBODY and not won:
        full_info["last_price"] = None
    full_info["last_won"] = won if played else None
    if not played:
        full_info["last_paid"] = full_info["last_profit"] = None
    return full_info


def deal_data(view: SingleItemView) -> JsonObject:
    """Return a record's `deal` (common parts or values, and values by seat), from a view that reveals everything.

    A seat's `values` are listed by round; with common values they are its signals.
    """
    row, rounds = view.row[0], view.num_rounds
    common = [to_dollars(cents) for cents in row["common"][:rounds].tolist()]
    return {
        "common": common if view.values != "ipv" else None,
        "seats": [
            {"values": [to_dollars(cents) for cents in row["value"][seat, :rounds].tolist()]}
            for seat in range(len(view.scenario_text.seats))
        ],
    }


def outcome(view: SingleItemView) -> JsonObject:
    """Return a record's `outcome`, from a view that reveals everything."""
    row, seats = view.row[0], view.scenario_text.seats
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "prizes": [_prize(view, j) for j in range(view.item_number)],
        "seats": [
            {"profit": to_dollars(int(row["profit"][s])), "prizes_won": int(row["won"][s])} for s in range(len(seats))
        ],
    }


def _prize(view: SingleItemView, j: int) -> JsonObject:
    row, seats = view.row[0], view.scenario_text.seats
    winner, price = int(row["winner"][j]), int(row["price"][j])
    sold = winner != NOBODY
    bids = [int(cents) for cents in row["bid"][: len(seats), j]]
    profits = [-max(0, bid) if view.all_pay else 0 for bid in bids]
    if sold:
        profits[winner] = int(row["common"][j] if row["model"] == CV else row["value"][winner, j]) - price
    revenue = sum(max(0, bid) for bid in bids) if view.all_pay else price * sold
    return {
        "winner": seats[winner] if sold else None,
        "price": to_dollars(price) if sold else None,
        "profits": [to_dollars(cents) for cents in profits],
        "bids": [to_dollars(bid) if bid >= 0 else None for bid in bids],
        "revenue": to_dollars(revenue),
    }


__all__ = [
    "ScenarioText",
    "deal_data",
    "full_prize_info",
    "num_info_values",
    "numeric_prize_info",
    "outcome",
    "write_prize_values",
]
