"""A water allocation challenge's record, told day by day."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.money import money
from aucenv.core.record import GameRecord
from aucenv.core.transcript import answer


def transcript(record: GameRecord) -> Iterator[str]:
    """A game, answer by answer: the supply, bids, who got water, and how all stand."""
    names = {who["seat"]: who["name"] for who in record.seats}
    for who, dealt in zip(record.seats, record.deal["seats"], strict=True):
        needs = f"needs {dealt['need']} a day, earns {money(dealt['salary'])}"
        yield f"{who['seat']}: {who['name']} ({who['bidder']}), {needs}."
    for j, decisions in groupby(record.decisions, key=lambda decision: decision["item"]):
        day = record.outcome["days"][j]
        yield ""
        yield f"Day {day['number']}, {day['supply']} units of water."
        yield "  " + "; ".join(_answer(decision, names, day) for decision in decisions)
        yield f"  water: {', '.join(names[seat] for seat in day['winners']) or 'nobody'}"
        yield "  " + "; ".join(_standing(names[seat], after) for seat, after in day["after"].items())
    yield ""
    yield f"The game {record.outcome['status']} after {len(record.outcome['days'])} days."
    for who, result in zip(record.seats, record.outcome["seats"], strict=True):
        fate = "survived" if result["survived"] else f"lived {result['days_lived']} days"
        water = f"water on {result['wins']} days for {money(result['spent'])}"
        yield f"{who['name']} ({who['bidder']}): {fate}, {water}, balance {money(result['balance'])}."


def _answer(decision: JsonObject, names: dict[str, str], day: JsonObject) -> str:
    void = " (void)" if decision["seat"] in day["void"] else ""
    return answer(decision, names, lambda bid: "no bid" if bid is None else money(bid) + void)


def _standing(name: str, after: JsonObject) -> str:
    if after["health"] <= 0:
        return f"{name} dies"
    dry = f", {after['no_water_days']} dry" if after["no_water_days"] else ""
    return f"{name} health {after['health']}{dry}, {money(after['balance'])}"
