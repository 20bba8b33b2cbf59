"""The format of a record's deal, outcome and notes in English auctions, and what they must have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject
from aucenv.core.money import DOLLARS, MAX_DOLLARS, SIGNED_DOLLARS, Dollars, to_cents, to_dollars
from aucenv.core.record import GameRecord, expect, expect_fields
from aucenv.core.schema import NONEMPTY_TEXT, TEXT, ListOf, Object, Optional, Row, Schema, Value, choice, whole
from aucenv.envs.english.notes import check_record_notes
from aucenv.envs.english.scenario import OBJECTIVES, Scenario

ID = Value("a number or a text", int, str)
ESTIMATE = Dollars(0, 20 * MAX_DOLLARS)
ITEM: dict[str, Schema] = {"id": ID, "name": NONEMPTY_TEXT, "starting_price": DOLLARS, "true_value": DOLLARS}
SEAT: dict[str, Schema] = {
    "budget": DOLLARS,
    "objective": choice(*OBJECTIVES),
    "target": Optional(TEXT),
    "estimates": ListOf(ESTIMATE),
}
DEAL = Object({"items": ListOf(Object(ITEM)), "seats": ListOf(Object(SEAT))})
OUTCOME = Object(
    {
        "status": TEXT,
        "rounds": whole(),
        "items": ListOf(Object({"id": ID, "winner": Optional(TEXT), "price": Optional(DOLLARS)})),
        "seats": ListOf(Object({"profit": SIGNED_DOLLARS, "budget_left": DOLLARS, "won": ListOf(Row(ID, DOLLARS))})),
    }
)


def check(record: GameRecord, scenario: Scenario, where: str) -> None:
    """Raise unless the deal, the outcome and the notes are those of an English auction of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    DEAL.check(record.deal, where, "deal")
    OUTCOME.check(record.outcome, where, "outcome")
    check_deal(record, scenario, where)
    for number, (dealt, bidder) in enumerate(zip(record.deal["seats"], scenario.bidders, strict=True)):
        wants = {"budget": bidder.budget, "objective": bidder.objective, "target": bidder.target}
        expect_fields(dealt, wants, where, f"deal.seats[{number}]", "as in the scenario")
    check_outcome(record, where)
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
        dealt = known.pop(one_of(f"{where}: {path}.id", item["id"], known), None)
        for name in ("starting_price", "true_value"):
            if item[name] != (dollars := getattr(dealt, name)):
                expect(item[name], to_dollars(to_cents(dollars)), where, f"{path}.{name}", "as in the scenario")
        expect(item["name"], dealt.name, where, f"{path}.name", "as in the scenario")
    for number, dealt in enumerate(record.deal["seats"]):
        expect(len(dealt["estimates"]), len(items), where, f"deal.seats[{number}].estimates", "of them")


def check_outcome(record: GameRecord, where: str) -> None:
    """Raise unless winners have bid their prices, and the seats' results are those of the items that they won."""
    bids = {(one["item"], one["seat"]): one["amount"] for one in record.decisions if one["amount"] is not None}
    items, outcome = record.deal["items"], record.outcome
    expect(len(outcome["items"]), len(items), where, "outcome.items", "of them")
    names = [player["seat"] for player in record.seats]
    for number, (item, sold) in enumerate(zip(items, outcome["items"], strict=True)):
        path, winner = f"outcome.items[{number}]", sold["winner"]
        expect(sold["id"], item["id"], where, f"{path}.id", "as in deal.items")
        if winner is None:
            expect(sold["price"], None, where, f"{path}.price", "without a winner")
            continue
        one_of(f"{where}: {path}.winner", winner, names)
        expect(sold["price"], bids.get((number, winner)), where, f"{path}.price", f"as the last bid of {winner}")
    for number, (name, dealt, result) in enumerate(zip(names, record.deal["seats"], outcome["seats"], strict=True)):
        expected = _result(name, dealt["budget"], items, outcome["items"])
        if result != expected:
            path = f"outcome.seats[{number}]"
            expect_fields(result, expected, where, path, "from deal.items and outcome.items")


def _result(seat: str, budget: float, items: Sequence[JsonObject], sold: Sequence[JsonObject]) -> JsonObject:
    won = [(item, sale["price"]) for item, sale in zip(items, sold, strict=True) if sale["winner"] == seat]
    spent = sum(round(100 * price) for _, price in won)
    value = sum(round(100 * item["true_value"]) for item, _ in won)
    return {
        "profit": to_dollars(value - spent),
        "budget_left": to_dollars(round(100 * budget) - spent),
        "won": [[item["id"], price] for item, price in won],
    }
