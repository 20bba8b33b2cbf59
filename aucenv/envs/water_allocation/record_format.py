"""The format of a record's deal and outcome in the water allocation challenge, and what they must have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from aucenv.core.checks import one_of
from aucenv.core.fields import SEAT
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import TEXT, ListOf, MapOf, Object, Optional, whole
from aucenv.core.records.record import GameRecord, expect, expect_fields
from aucenv.core.records.record_parts import STATUS, RecordPart, computed, inverted, rows
from aucenv.core.words.money import to_dollars
from aucenv.envs.water_allocation.game import WaterScenario
from aucenv.envs.water_allocation.rules import BALANCE, DAYS, HEALTH, WATER, State

AFTER = Object({"balance": BALANCE, "health": HEALTH, "no_water_days": DAYS})
DAY = Object(
    {
        "number": DAYS,
        "supply": WATER,
        "bids": MapOf(Optional(BALANCE)),
        "void": ListOf(TEXT),
        "winners": ListOf(TEXT),
        "after": MapOf(AFTER),
    }
)
DEAL = RecordPart(supplies=State.supplies, seats=rows(SEAT, need=State.need, salary=State.salary))
OUTCOME = RecordPart(
    status=STATUS,
    rounds=State.rounds,
    days=computed(ListOf(DAY), lambda view: [dataclasses.asdict(day) for day in view.history]),
    survivors=computed(ListOf(TEXT), lambda view: [one.seat for one in view.residents if one.alive]),
    seats=rows(
        SEAT,
        days_lived=State.lived,
        survived=inverted(State.gone),
        health=State.health,
        balance=State.balance,
        wins=State.won,
        spent=State.spent,
        void_bids=State.void,
    ),
)


def check(record: GameRecord, scenario: WaterScenario, where: str) -> None:
    """Raise unless the deal and the outcome are those of a challenge of this scenario.

    Raises:
        ValueError: A value has another format, or contradicts others; the message names `where` and the field.
    """
    for number, (dealt, resident) in enumerate(zip(record.deal["seats"], scenario.residents, strict=True)):
        wants = {"need": resident.need, "salary": resident.salary}
        expect_fields(dealt, wants, where, f"deal.seats[{number}]", "as in the scenario")
    supplies, days = record.deal["supplies"], record.outcome["days"]
    expect(len(supplies), scenario.days, where, "deal.supplies", "of them, one for each day")
    low, high = scenario.possible_supply
    for j, supply in enumerate(supplies):
        whole(low, high).check(supply, where, f"deal.supplies[{j}]")
    expect(len(days), record.outcome["rounds"], where, "outcome.days", "of them, as in outcome.rounds")
    alive = [player["seat"] for player in record.seats]
    for j, day in enumerate(days):
        _check_day(record, day, alive, where, j)
        alive = [seat for seat in alive if day["after"][seat]["health"] > 0]
    expect(record.outcome["survivors"], alive, where, "outcome.survivors", "from outcome.days")
    for number, player in enumerate(record.seats):
        result = record.outcome["seats"][number]
        expected = _result(player["seat"], scenario.start_health, days)
        expect_fields(result, expected, where, f"outcome.seats[{number}]", "from outcome.days")


def check_decisions(record: GameRecord, scenario: WaterScenario, where: str) -> None:
    """Raise ValueError unless the decisions are the bids of the days."""
    for j, day in enumerate(record.outcome["days"]):
        amounts = {one["seat"]: one["amount"] for one in record.decisions if one["item"] == j}
        expect(day["bids"], amounts, where, f"outcome.days[{j}].bids", "as in decisions")


def _check_day(record: GameRecord, day: JsonObject, alive: Sequence[str], where: str, j: int) -> None:
    path = f"outcome.days[{j}]"
    expect(day["number"], j + 1, where, f"{path}.number")
    if j >= len(record.deal["supplies"]):
        raise ValueError(f"{where}: {path}: expected at most {j} days, got more")
    expect(day["supply"], record.deal["supplies"][j], where, f"{path}.supply", "as in deal.supplies")
    for name in ("bids", "after"):
        expect(list(day[name]), list(alive), where, f"{path}.{name}", "who were alive")
    for name in ("void", "winners"):
        for number, seat in enumerate(day[name]):
            one_of(f"{where}: {path}.{name}[{number}]", seat, [seat for seat in alive if day["bids"][seat] is not None])


def _result(seat: str, start_health: int, days: Sequence[JsonObject]) -> JsonObject:
    """Return what a seat's result must be, but for the balance of the dead."""
    after = [day["after"][seat] for day in days if seat in day["after"]]
    health = after[-1]["health"] if after else start_health
    won = [day["bids"][seat] for day in days if seat in day["winners"]]
    return {
        "days_lived": sum(state["health"] > 0 for state in after),
        "survived": health > 0,
        "health": health,
        "wins": len(won),
        "spent": to_dollars(sum(round(100 * bid) for bid in won)),
        "void_bids": sum(seat in day["void"] for day in days),
        **({"balance": after[-1]["balance"]} if after and health > 0 else {}),
    }
