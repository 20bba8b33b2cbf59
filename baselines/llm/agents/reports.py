"""Personal reports of the bidders of an English auction, for prompts. Source: AucArena's program."""

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.files import JsonObject
from aucenv.core.money import money
from aucenv.core.seat_view import GameView


def personal_reports(view: GameView, labels: Sequence[str]) -> list[JsonObject]:
    """Return the name, profit and won items of each bidder, with prices, starting prices and true values.

    Args:
        labels: the names of the items in prompts.
    """
    items = list(zip(labels, view.items, strict=True))
    return [
        {
            "name": name,
            "profit": money(view.profits[seat]),
            "won": [
                {
                    "item": label,
                    "price": money(item.hammer_price),
                    "starting_price": money(item.starting_price),
                    "true_value": money(item.true_value),
                }
                for label, item in items
                if item.winner == seat
            ],
        }
        for seat, name in zip(view.scenario_text.seats, view.scenario_text.names, strict=True)
    ]
