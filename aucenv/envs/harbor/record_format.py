"""The format of a record's deal, outcome and notes in housing auctions: that of English auctions, with personas."""

from __future__ import annotations

from aucenv.core.checks import one_of
from aucenv.core.fields import ITEM, SEAT
from aucenv.core.formats.schema import NONEMPTY_TEXT, ListOf
from aucenv.core.records.record import GameRecord, expect, expect_fields
from aucenv.core.records.record_parts import RecordPart, computed, rows
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.envs.english import record_format as english
from aucenv.envs.harbor.game import HarborScenario
from aucenv.envs.harbor.notes import check_notes, check_record_notes

__all__ = ["DEAL", "OUTCOME", "check", "check_decisions", "check_notes"]

OUTCOME = english.OUTCOME
DEAL = RecordPart(
    items=rows(
        ITEM,
        **english.ITEM_COLUMNS,
        persona=computed(NONEMPTY_TEXT, lambda view: [house.suits for house in view.items]),
    ),
    seats=rows(
        SEAT,
        **english.SEAT_COLUMNS,
        personas=computed(
            ListOf(NONEMPTY_TEXT, 0, 2),
            lambda view: [
                [persona.id for persona in view.personas_of(seat)] for seat in range(len(view.scenario_text.seats))
            ],
        ),
    ),
)


def check(record: GameRecord, scenario: HarborScenario, where: str) -> None:
    """Raise unless the deal and the outcome are those of a housing auction of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    english.check_deal(record, scenario, where)
    suits = {house.id: house.persona for house in scenario.items}
    for number, item in enumerate(record.deal["items"]):
        expect(item["persona"], suits[item["id"]], where, f"deal.items[{number}].persona", "as in the scenario")
    for number, (dealt, bidder) in enumerate(zip(record.deal["seats"], scenario.bidders, strict=True)):
        path = f"deal.seats[{number}]"
        wants = {"budget": to_dollars(to_cents(bidder.budget)), "objective": "profit", "target": None}
        expect_fields(dealt, wants, where, path, "as in the scenario")
        expect(len(dealt["personas"]), len(bidder.personas), where, f"{path}.personas", "of them, as in the scenario")
        for k, (persona, name) in enumerate(zip(dealt["personas"], bidder.personas, strict=True)):
            known = scenario.persona_ids if name == "drawn" else (name,)
            one_of(f"{where}: {path}.personas[{k}]", persona, known)
    english.check_outcome(record, where)


def check_decisions(record: GameRecord, scenario: HarborScenario, where: str) -> None:
    """Raise ValueError unless winners have bid their prices, and notes have their format."""
    english.check_prices(record, where)
    check_record_notes(record, where)
