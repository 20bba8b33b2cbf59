"""Reports of the bidders of a game: each item that they won, with its price, starting price and true value.

Source: the personal reports of AucArena, arXiv 2310.05746 (appendix). The games that sell items one after another have
them: English and housing auctions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import TextTable
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.money import money, to_cents, to_dollars
from aucenv.core.words.phrases import count

GAMES = ("english", "harbor")
"""The games whose records have items with prices and true values."""

AMOUNTS = ("price", "starting_price", "true_value", "profit")
"""The amounts of an item in a report, in order."""


def won_items(record: GameRecord) -> list[JsonObject]:
    """Return a row for each item that is sold, in the order of seats and sales; amounts in dollars.

    Returns:
        Rows of game (the record's index), seat, name, bidder (label), item, price, starting_price, true_value and
        profit, the true value less the price.

    Raises:
        ValueError: the record is of a game without such items.
    """
    one_of("game of the records", record.game, GAMES)
    sales = list(zip(record.deal["items"], record.outcome["items"], strict=True))
    return [
        {
            "game": record.index,
            "seat": player["seat"],
            "name": player["name"],
            "bidder": seat_label(player),
            "item": item["name"],
            "price": sold["price"],
            "starting_price": item["starting_price"],
            "true_value": item["true_value"],
            "profit": to_dollars(to_cents(item["true_value"]) - to_cents(sold["price"])),
        }
        for player in record.seats
        for item, sold in sales
        if sold["winner"] == player["seat"]
    ]


def report_table(record: GameRecord) -> TextTable:
    """Return the reports of all bidders of a game as a table: the items of each, and then its total.

    Raises:
        ValueError: as in `won_items`.
    """
    by_seat: dict[str, list[JsonObject]] = {player["seat"]: [] for player in record.seats}
    for row in won_items(record):
        by_seat[row["seat"]].append(row)
    lines: list[list[str]] = []
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        rows = by_seat[player["seat"]]
        who = f"{player['name']} ({seat_label(player)})"
        lines += [[who, row["item"], *(money(row[name]) for name in AMOUNTS)] for row in rows]
        totals = [_total(rows, name) for name in AMOUNTS[:-1]]
        lines.append([who, f"all: {count(len(rows), 'item')}", *totals, money(result["profit"])])
    title = f"Game {record.index} of {record.game}, scenario {record.scenario['name']}"
    return TextTable(title, ("bidder", "item", "price", "starting price", "true value", "profit"), lines)


def _total(rows: Sequence[JsonObject], name: str) -> str:
    return money(to_dollars(sum(to_cents(row[name]) for row in rows)))


def chosen_games(records: Iterable[GameRecord], index: int | None) -> list[GameRecord]:
    """Return the game with this index, or all games if it is None.

    Raises:
        ValueError: there is no such game, or no game at all.
    """
    games = [record for record in records if index in (None, record.index)]
    if not games:
        expected = "at least one game, got none" if index is None else f"the number of one of the games, got {index}"
        raise ValueError(f"records: expected {expected}")
    return games
