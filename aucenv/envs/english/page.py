"""Views as the data that `page.js` draws, in reports and at live tables."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

from aucenv.core.choices import amount, choice, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.money import money, to_dollars
from aucenv.core.record import GameRecord
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.english.stated_beliefs import belief_history
from aucenv.envs.english.transcript import tie_winners, tied_seats
from aucenv.envs.english.view import View

WITHDRAW_CHOICE = no_bid("Withdraw")


def view_data(view: View) -> JsonObject:
    """Return a view as JSON data. Seats are numbers, amounts are dollars, and None is hidden, or that there is none."""
    running = view._get("status") == RUNNING
    leader = view._get("leader")
    return {
        "seat": None if view.reveals else view.seat_number,
        "status": view.status,
        "item": view.item_number,
        "round": view.round,
        "price": view.starting_price if running else None,
        "raise": view.least_raise if running else None,
        "standing": view.standing_bid,
        "leader": leader if leader != NOBODY else None,
        "least": view.least_bid,
        "items": [_item(view, j) for j in range(view._get("num_items"))],
        "seats": [_seat(view, number) for number in range(len(view.scenario_text.seats))],
        "bids": [
            [number, seat, to_dollars(amount) if amount >= 0 else None]
            for item, number, seat, amount in view._history
            if running and item == view.item_number
        ],
        "refused": view.refused,
    }


def _item(view: View, j: int) -> JsonObject:
    item, row = view._item(j), view.row[0]
    estimates = [
        to_dollars(int(cents)) if view.reveals or seat == view.seat_number else None
        for seat, cents in enumerate(row["estimate"][: len(view.scenario_text.seats), j])
    ]
    return {
        "name": item.name,
        "description": item.description,
        "start": item.starting_price,
        "winner": int(row["winner"][j]) if item.sold else None,
        "price": item.hammer_price,
        "value": item.true_value,
        "estimates": estimates,
    }


def _seat(view: View, number: int) -> JsonObject:
    seat, row = view.scenario_text.seats[number], view.row[0]
    return {
        "name": view.scenario_text.names[number],
        "budget": to_dollars(int(row["budget"][number])),
        "endowment": to_dollars(int(row["endowment"][number])),
        "profit": to_dollars(int(row["profit"][number])),
        "active": bool(row["active"][number]),
        "decides": bool(row["acting"][number]),
        "objective": view.objectives[seat],
        "target": view.targets[seat],
    }


def is_incomplete(record: GameRecord) -> bool:
    """Return whether views cannot be rebuilt from a record alone.

    That is so if the game was truncated, or if two bids tied and later rounds do not show who got the standing bid.
    """
    if record.outcome["status"] == "truncated":
        return True
    by_item = defaultdict(list)
    for (item, _), decisions in groupby(record.decisions, key=lambda one: (one["item"], one["round"])):
        by_item[item].append(list(decisions))
    return any(_has_unknown_leader(rounds, record.outcome["items"][item]["winner"]) for item, rounds in by_item.items())


def _has_unknown_leader(rounds: list[list[JsonObject]], winner: str | None) -> bool:
    ties = tie_winners(rounds, winner)
    return any(len(tied_seats(bids)) > 1 and leads is None for bids, leads in zip(rounds, ties, strict=True))


def beliefs(record: GameRecord) -> JsonObject:
    """Return what each seat states about all bidders, compared with the truth, by seat; seats without statements miss.

    Returns:
        For each seat a list of {item, revision, true, wrong}: `wrong` are descriptions of errors.
    """
    stated = {player["seat"]: belief_history(record, player["seat"]) for player in record.seats}
    return {
        seat: [
            {
                "item": one.item,
                "revision": one.revision,
                "true": one.true,
                "wrong": [check.wrong for check in one.checks if check.wrong],
            }
            for one in history
        ]
        for seat, history in stated.items()
        if history
    }


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.choices.choices_of`."""
    least, budget = view.least_bid or 0.0, view.budget
    if least > budget:
        return choices_of([WITHDRAW_CHOICE], None)
    return choices_of([choice(f"Bid {money(least)}", least), WITHDRAW_CHOICE], amount("Bid", least, budget, 0.01))


def public_data(view: View) -> JsonObject:
    """Return what all seats know, as JSON data in the form of `view_data`; `public` marks it."""
    data = view_data(view)
    for item in data["items"]:
        item["estimates"] = [None] * len(data["seats"])
    return {**data, "seat": None, "refused": None, "public": True}
