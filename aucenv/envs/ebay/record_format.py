"""The format of a record's deal and outcome: see `single_item.record_format`; each prize has a leader and days."""

from __future__ import annotations

from aucenv.core.checks import excerpt, one_of
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import TEXT, ListOf, Object, Optional, whole
from aucenv.core.records.record import GameRecord, expect
from aucenv.core.records.record_parts import STATUS, RecordPart, computed, values_of
from aucenv.core.state import STATUS_NAMES, TRUNCATED
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.ebay.rules import MAX_DAYS, State
from aucenv.envs.ebay.view import View
from aucenv.envs.single_item import record_format as single_item
from aucenv.envs.single_item.record_format import DEAL

__all__ = ["DEAL", "OUTCOME", "check"]


def _prizes(view: View) -> list[JsonObject]:
    """Return the closed auctions, each with the seat that led at the end, whether or not the prize was sold."""
    played = [view.round_at(j) for j in range(view.item_number)]
    return [
        {**prize, "leader": auction.leader, "days": auction.days}
        for prize, auction in zip(single_item.prizes_of(view), played, strict=True)
    ]


def _order(view: View) -> list[str] | None:
    """Return the order of the day on which the game was truncated, whose moves do not show it."""
    return values_of(State.order, view) if view.status == STATUS_NAMES[TRUNCATED] else None


PRIZE = Object({**single_item.PRIZE, "leader": Optional(TEXT), "days": whole()})
OUTCOME = RecordPart(
    status=STATUS,
    rounds=State.rounds,
    prizes=computed(ListOf(PRIZE), _prizes),
    seats=single_item.SEATS,
    order=computed(Optional(ListOf(TEXT)), _order),
)


def check(record: GameRecord, scenario: EbayScenario, where: str) -> None:
    """Raise unless the deal and the outcome are those of a proxy auction of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    single_item.check(record, scenario, where)
    seats = [player["seat"] for player in record.seats]
    order = record.outcome["order"]
    truncated = record.outcome["status"] == STATUS_NAMES[TRUNCATED]
    if (order is not None) != truncated or (truncated and sorted(order) != sorted(seats)):
        expected = "all seats, as the game was truncated" if truncated else "null, as the game was not truncated"
        raise ValueError(f"{where}: outcome.order: expected {expected}, got {excerpt(order)}")
    for j, prize in enumerate(record.outcome["prizes"]):
        path = f"outcome.prizes[{j}]"
        bid = any(maximum is not None for maximum in prize["bids"])
        if bid:
            one_of(f"{where}: {path}.leader", prize["leader"], seats)
        else:
            expect(prize["leader"], None, where, f"{path}.leader", "without a maximum")
        if prize["winner"] is not None:
            expect(prize["winner"], prize["leader"], where, f"{path}.winner", "from the leader")
        most = MAX_DAYS if scenario.closing == "soft" else scenario.days
        if not scenario.days <= prize["days"] <= most:
            raise ValueError(f"{where}: {path}.days: expected {scenario.days} to {most}, got {prize['days']}")
