"""Plain data about an English auction: the infos of every round, and a record's deal and outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.english.notes import check_notes
from aucenv.envs.english.view import ScenarioText, View

__all__ = ["check_notes", "deal_data", "full_info", "num_info_values", "numeric_info", "outcome", "write_info_values"]


@kernel
def write_info_values(state, b, out):
    """Write the numbers from which infos are computed; amounts in cents.

    Args:
        out: (num_info_values,) int64, written: lot, or NOBODY at the end; round; standing bid; leader; least legal bid;
            then each seat's budget, profit and items won.
    """
    g = state[b]
    running = g["status"] == RUNNING
    out[0] = g["lot"][g["item"]] if running else NOBODY
    out[1] = g["round"]
    out[2] = g["standing"]
    out[3] = g["leader"]
    out[4] = g["least"] if running else 0
    for seat in range(g["num_seats"]):
        out[5 + 3 * seat] = g["budget"][seat]
        out[6 + 3 * seat] = g["profit"][seat]
        out[7 + 3 * seat] = g["won"][seat]


def num_info_values(num_seats: int) -> int:
    """Return the number of values that `write_info_values` writes."""
    return 5 + 3 * num_seats


def numeric_info(info_values: list[int], seat: int) -> dict[str, float]:
    """Return a seat's info as numbers; amounts in dollars."""
    lot, number, standing, leader, least = info_values[:5]
    budget, profit, won = info_values[5 + 3 * seat : 8 + 3 * seat]
    return {
        "item": lot,
        "round": number,
        "standing_bid": standing / 100,
        "leader": leader,
        "least_bid": least / 100,
        "budget": budget / 100,
        "profit": profit / 100,
        "items_won": won,
    }


def full_info(info_values: list[int], seat: int, scenario_text: ScenarioText) -> JsonObject:
    """Return the same info with the item's id and the leader's seat name, and None for missing values."""
    lot, leader = info_values[0], info_values[3]
    full_info: JsonObject = {**numeric_info(info_values, seat)}
    full_info["item"] = scenario_text.item_ids[lot] if lot != NOBODY else None
    full_info["leader"] = scenario_text.seats[leader] if leader != NOBODY else None
    if leader == NOBODY:
        full_info["standing_bid"] = None
    if lot == NOBODY:
        full_info["least_bid"] = None
    return full_info


def deal_data(view: View) -> JsonObject:
    """Return a record's `deal` (items, budgets, objectives, estimates), from a view that reveals everything."""
    num_items = view._get("num_items")
    objectives, targets = view.objectives, view.targets
    return {
        "items": [
            {"id": item.id, "name": item.name, "starting_price": item.starting_price, "true_value": item.true_value}
            for item in view.items
        ],
        "seats": [
            {
                "budget": to_dollars(int(view.row["endowment"][0, s])),
                "objective": objectives[seat],
                "target": targets[seat],
                "estimates": [to_dollars(cents) for cents in view.row["estimate"][0, s, :num_items].tolist()],
            }
            for s, seat in enumerate(view.scenario_text.seats)
        ],
    }


def outcome(view: View) -> JsonObject:
    """Return a record's `outcome`, from a view that reveals everything."""
    items, budgets, profits = view.items, view.budgets, view.profits
    return {
        "status": view.status,
        "rounds": view._get("rounds"),
        "items": [{"id": item.id, "winner": item.winner, "price": item.hammer_price} for item in items],
        "seats": [
            {
                "profit": profits[seat],
                "budget_left": budgets[seat],
                "won": [[item.id, item.hammer_price] for item in items if item.winner == seat],
            }
            for seat in view.scenario_text.seats
        ],
    }
