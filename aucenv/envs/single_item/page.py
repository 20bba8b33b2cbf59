"""Views of sealed-bid and clock auctions as the data that `page.js` draws, in reports and at live tables."""

from __future__ import annotations

import dataclasses

from aucenv.core.files import JsonObject
from aucenv.core.money import to_dollars
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.single_item.view import SingleItemView


def view_data(view: SingleItemView) -> JsonObject:
    """Return a view as JSON data. Seats are numbers, amounts are dollars, and None is hidden, or that there is none.

    A view that reveals everything has the values, bids and profits of all seats; other views have those of their seat.
    """
    common = {
        "status": view.status,
        "round": view.item_number,
        "rounds": view.num_rounds,
        "values": view.values,
        "reveal": view.reveal,
        "sign": view.scenario_text.sign,
        "names": list(view.scenario_text.names),
        "refused": view.refused,
    }
    return {**common, **(_everything(view) if view.reveals else _of_seat(view))}


def _of_seat(view: SingleItemView) -> JsonObject:
    return {
        "seat": view.seat_number,
        "decides": view.must_decide,
        "value": view.value,
        "profit": view.profit,
        "won": view.prizes_won,
        "history": [_listed(dataclasses.asdict(played)) for played in view.history],
    }


def _listed(played: JsonObject) -> JsonObject:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in played.items()}


def _everything(view: SingleItemView) -> JsonObject:
    row, seats = view.row[0], range(len(view.scenario_text.seats))
    running = view._get("status") == RUNNING
    return {
        "seat": None,
        "decides": [bool(row["acting"][seat]) for seat in seats],
        "value": [to_dollars(int(row["value"][seat, view.item_number])) for seat in seats] if running else None,
        "profit": [to_dollars(int(row["profit"][seat])) for seat in seats],
        "won": [int(row["won"][seat]) for seat in seats],
        "history": [_round(view, j) for j in range(view.item_number)],
    }


def _round(view: SingleItemView, j: int) -> JsonObject:
    """Return a closed round with the values and bids of all seats."""
    row, seats = view.row[0], range(len(view.scenario_text.seats))
    winner, played = int(row["winner"][j]), view.round_at(j)
    bids = [int(row["bid"][seat, j]) for seat in seats]
    return {
        "number": j,
        "winner": winner if winner != NOBODY else None,
        "price": played.price,
        "values": [to_dollars(int(row["value"][seat, j])) for seat in seats],
        "bids": [to_dollars(bid) if bid >= 0 else None for bid in bids],
        "prize_value": played.prize_value,
    }


def public_data(view: SingleItemView) -> JsonObject:
    """Return what all seats know, as JSON data in the form of `view_data`; `public` marks it.

    Values, profits and the bids of named seats are private; `reveal` decides what all learn about a closed round.
    """
    data = view_data(view)
    private: JsonObject = dict.fromkeys(("seat", "decides", "value", "profit", "won", "refused"))
    return {**data, **private, "history": [_public_round(view, played) for played in data["history"]], "public": True}


def _public_round(view: SingleItemView, played: JsonObject) -> JsonObject:
    known = {"none": (), "price": ("price",), "all": ("price", "bids", "winner_profit", "prize_value")}[view.reveal]
    return {name: played[name] if name in ("number", "exits", *known) else None for name in played}
