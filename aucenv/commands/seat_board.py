"""The bidders of a view as a table on a terminal."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from aucenv.core.files import JsonObject
from aucenv.core.money import money
from aucenv.core.outside_text import escape_controls


def board_of(data: JsonObject) -> Table | None:
    """Return the bidders of a view as a table; None if the view has no list of bidders."""
    if "residents" in data:
        columns: dict[str, Callable[[JsonObject], str]] = {
            "resident": lambda one: one["name"],
            "health": lambda one: str(one["health"]) if one["alive"] else "dead",
            "balance": lambda one: money(one["balance"]),
            "need": lambda one: str(one["need"]),
            "days without water": lambda one: str(one["no_water_days"]),
        }
        lines = data["residents"]
    elif "seats" in data:
        won = [item["winner"] for item in data["items"]]
        lines = [
            {**seat, "won": won.count(number), "leads": data["leader"] == number}
            for number, seat in enumerate(data["seats"])
        ]
        columns = {
            "bidder": lambda one: one["name"],
            "now": lambda one: "leads" if one["leads"] else "in" if one["active"] else "out",
            "budget left": lambda one: money(one["budget"]),
            "profit": lambda one: money(one["profit"]),
            "items": lambda one: str(one["won"]),
        }
    else:
        return None
    table = Table()
    for name in columns:
        table.add_column(name, justify="left" if name in ("bidder", "resident", "now") else "right")
    for line in lines:
        table.add_row(*(Text(escape_controls(read(line))) for read in columns.values()))
    return table
