"""The format of a record's deal, outcome and notes in English auctions, and what they must have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.fields import ITEM, SEAT, Field
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import NONEMPTY_TEXT, ListOf, Row
from aucenv.core.records.record import GameRecord, expect, expect_fields
from aucenv.core.records.record_parts import STATUS, RecordPart, computed, rows, where_set
from aucenv.core.words.money import DOLLARS, to_cents, to_dollars
from aucenv.envs.english.game import EnglishScenario
from aucenv.envs.english.notes import check_notes, check_record_notes
from aucenv.envs.english.rules import ID, State
from aucenv.envs.english.view import View

__all__ = ["DEAL", "OUTCOME", "check", "check_decisions", "check_notes"]

ITEM_COLUMNS: dict[str, Field[Any]] = {
    "id": State.lot,
    "name": State.lot.named("item_names", NONEMPTY_TEXT),
    "starting_price": State.start,
    "true_value": State.value,
}
SEAT_COLUMNS: dict[str, Field[Any]] = {
    "budget": State.endowment,
    "objective": State.objective,
    "target": State.target,
    "estimates": State.estimate,
}
DEAL = RecordPart(items=rows(ITEM, **ITEM_COLUMNS), seats=rows(SEAT, **SEAT_COLUMNS))


def _won(view: View) -> list[list[Any]]:
    """Return the items that each seat won, with their prices."""
    items = view.items
    return [
        [[item.id, item.hammer_price] for item in items if item.winner == seat] for seat in view.scenario_text.seats
    ]


OUTCOME = RecordPart(
    status=STATUS,
    rounds=State.rounds,
    items=rows(ITEM, id=State.lot, winner=State.winner, price=where_set(State.hammer, State.winner)),
    seats=rows(
        SEAT,
        profit=State.profit,
        budget_left=State.budget,
        won=computed(ListOf(Row(ID, DOLLARS)), _won),
    ),
)


def check(record: GameRecord, scenario: EnglishScenario, where: str) -> None:
    """Raise unless the deal and the outcome are those of an English auction of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    check_deal(record, scenario, where)
    for number, (dealt, bidder) in enumerate(zip(record.deal["seats"], scenario.bidders, strict=True)):
        wants = {"budget": to_dollars(to_cents(bidder.budget)), "objective": bidder.objective, "target": bidder.target}
        expect_fields(dealt, wants, where, f"deal.seats[{number}]", "as in the scenario")
    check_outcome(record, where)


def check_decisions(record: GameRecord, scenario: EnglishScenario, where: str) -> None:
    """Raise ValueError unless winners have bid their prices, and notes have their format."""
    check_prices(record, where)
    check_record_notes(record, where)


def check_deal(record: GameRecord, scenario: Any, where: str) -> None:
    """Raise unless the items are the scenario's, and every seat has an estimate of each.

    Args:
        scenario: A scenario whose `items` have an id, a name and amounts.
    """
    items = record.deal["items"]
    expect(len(items), scenario.num_items, where, "deal.items", "of them, as in the scenario")
    known = {item.id: item for item in scenario.items}
    for number, item in enumerate(items):
        path = f"deal.items[{number}]"
        dealt = known.pop(item["id"], None) or known[one_of(f"{where}: {path}.id", item["id"], known)]
        for name in ("name", "starting_price", "true_value"):
            value = getattr(dealt, name)
            if item[name] != value:
                value = value if name == "name" else to_dollars(to_cents(value))
                expect(item[name], value, where, f"{path}.{name}", "as in the scenario")
    for number, dealt in enumerate(record.deal["seats"]):
        expect(len(dealt["estimates"]), len(items), where, f"deal.seats[{number}].estimates", "of them")


def check_outcome(record: GameRecord, where: str) -> None:
    """Raise ValueError unless the seats' results are those of the items that they won."""
    items, sold = record.deal["items"], record.outcome["items"]
    expect(len(sold), len(items), where, "outcome.items", "of them")
    won: dict[str, list[tuple[JsonObject, float]]] = {player["seat"]: [] for player in record.seats}
    for number, (item, sale) in enumerate(zip(items, sold, strict=True)):
        path, winner = f"outcome.items[{number}]", sale["winner"]
        if sale["id"] != item["id"]:
            expect(sale["id"], item["id"], where, f"{path}.id", "as in deal.items")
        if (winner is None) != (sale["price"] is None):
            expected = "null without a winner" if winner is None else "a price, as there is a winner"
            raise ValueError(f"{where}: {path}.price: expected {expected}, got {sale['price']}")
        if winner is not None:
            won[one_of(f"{where}: {path}.winner", winner, won)].append((item, sale["price"]))
    for number, (seat, dealt, result) in enumerate(
        zip(won, record.deal["seats"], record.outcome["seats"], strict=True)
    ):
        expected_result = _result(dealt["budget"], won[seat])
        if result != expected_result:
            path = f"outcome.seats[{number}]"
            expect_fields(result, expected_result, where, path, "from deal.items and outcome.items")


def _result(budget: float, won: Sequence[tuple[JsonObject, float]]) -> JsonObject:
    spent = sum(round(100 * price) for _, price in won)
    value = sum(round(100 * item["true_value"]) for item, _ in won)
    return {
        "profit": to_dollars(value - spent),
        "budget_left": to_dollars(round(100 * budget) - spent),
        "won": [[item["id"], price] for item, price in won],
    }


def check_prices(record: GameRecord, where: str) -> None:
    """Raise ValueError unless the price of every item is the last bid of its winner."""
    bids = {(one["item"], one["seat"]): one["amount"] for one in record.decisions if one["amount"] is not None}
    for number, sale in enumerate(record.outcome["items"]):
        bid = bids.get((number, sale["winner"]))
        if sale["price"] != bid:
            expect(sale["price"], bid, where, f"outcome.items[{number}].price", f"as the last bid of {sale['winner']}")
