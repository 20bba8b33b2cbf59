"""Reading of the notes that bidders left in a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord

AGAINST = "against the rule"
"""The name under which `count_rules` counts the decisions that contradict the rule noted with them."""
Mistake = tuple[str, str, str]
"""(phase, kind, description), such as ("plan", "malformed", "there is no JSON object in it")."""


def seat_notes(record: GameRecord, seat: str) -> Iterator[JsonObject]:
    """Yield the notes of a seat: those of each decision, and those at the end of the game."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            yield decision["notes"]
    yield from (player["notes"] for player in record.seats if player["seat"] == seat and "notes" in player)


def mistakes_in(notes: JsonMapping) -> list[Mistake]:
    """Return the mistakes in an agent's notes."""
    return [(mistake["phase"], mistake["kind"], mistake["what"]) for mistake in notes.get("mistakes", [])]


def count_rules(record: GameRecord, seat: str, asks_to_bid: Mapping[str, bool]) -> Counter[str]:
    """Count the decisions of a seat by the rule that they follow.

    A decision that contradicts its rule, a bid under a rule that asks to leave or the reverse, counts as AGAINST. A
    decision that the seat did not make, because it exhausted its retries or forfeited, does not count.

    Args:
        asks_to_bid: whether each rule asks to bid; other rules cannot be contradicted.
    """
    counts: Counter[str] = Counter()
    for decision in record.decisions:
        rule = decision["notes"].get("rule")
        if decision["seat"] == seat and isinstance(rule, str) and decision["action"] is not None:
            bids = decision["amount"] is not None
            counts[rule if asks_to_bid.get(rule, bids) == bids else AGAINST] += 1
    return counts
