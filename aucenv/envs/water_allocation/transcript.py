"""Transcripts of the water allocation challenge, day by day."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import money
from aucenv.core.words.phrases import count, ended
from aucenv.core.words.transcript import describe_decision
from aucenv.envs.water_allocation.wording import wording_of


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: each day's supply, bids, refused replies, winners and residents."""
    names = {player["seat"]: player["name"] for player in record.seats}
    resource = wording_of(record.scenario["reframe"]).resource
    for player, dealt in zip(record.seats, record.deal["seats"], strict=True):
        needs = f"needs {count(dealt['need'], 'unit')} a day, earns {money(dealt['salary'])}"
        yield f"{player['seat']}: {player['name']} ({player['bidder']}), {needs}."
    for j, decisions in groupby(record.decisions, key=lambda decision: decision["item"]):
        day = record.outcome["days"][j]
        yield ""
        yield f"Day {day['number']}, {count(day['supply'], 'unit')} of {resource}."
        yield "  bids: " + "; ".join(_describe_bid(decision, names, day) for decision in decisions)
        yield f"  {resource}: {', '.join(names[seat] for seat in day['winners']) or 'nobody'}"
        evening = [_standing(names[seat], after, resource) for seat, after in day["after"].items()]
        yield f"  in the evening: {'; '.join(evening)}"
    yield ""
    days = count(len(record.outcome["days"]), "day")
    yield f"The game {ended(record.outcome['status'])} after {days}."
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        fate = "survived" if result["survived"] else f"lived {count(result['days_lived'], 'day')}"
        supplied = f"{resource} on {count(result['wins'], 'day')} for {money(result['spent'])}"
        yield f"{player['name']} ({player['bidder']}): {fate}, {supplied}, balance {money(result['balance'])}."


def _describe_bid(decision: JsonObject, names: dict[str, str], day: JsonObject) -> str:
    """Describe a decision with its refused replies; a bid over the balance is marked as void."""
    void = " (void)" if decision["seat"] in day["void"] else ""
    return describe_decision(decision, names, lambda bid: "makes no bid" if bid is None else money(bid) + void)


def _standing(name: str, after: JsonObject, resource: str) -> str:
    """Describe a resident at the end of a day."""
    if after["health"] <= 0:
        return f"{name} dies"
    without = f", {count(after['no_water_days'], 'day')} without {resource}" if after["no_water_days"] else ""
    return f"{name} health {after['health']}{without}, {money(after['balance'])}"
