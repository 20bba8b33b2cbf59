"""Recorded droughts, fed to our rules.

A recorded game is an object: id, supply_range [least, most], days [{supply, bids {name: dollars, null = none}}] in
order, and optionally residents [{name, need, salary}] (else the published ones, by name; with `persona`, those
with personas), length (in days; else as many as days, or 20 where nobody survives), in a day winners [name, in
order] and after {name: {balance, health, no_water_days}}, and survivors [name]. The dead are absent from later days.
Where bids and needs are equal, the recorded order is taken as the draw.
"""

from __future__ import annotations

from typing import Any

from aucenv.core.checks import build, field, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import MAX_DOLLARS, to_cents, to_dollars, whole_cents
from aucenv.core.replay_result import ReplayDifference, ReplayResult
from aucenv.core.table import Table
from aucenv.envs.water_allocation.env import GAME
from aucenv.envs.water_allocation.scenario import PERSONAS, PUBLISHED, Resident, Scenario

AFTER = ("balance", "health", "no_water_days")
DRAWS = 200
PUBLISHED_DAYS = 20


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Feed one recorded game to our rules.

    Raises:
        ValueError: the record is malformed; names `where` and the field.
    """
    try:
        scenario = _read_scenario(data)
        names = [resident.name for resident in scenario.residents]
        days = [_read_day(played, f"days[{j}]", names) for j, played in enumerate(data["days"])]
        survivors = _read_names(data, "survivors", names, "")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * len(names), illegal="raise")
    table.reset(0)
    compared = survivors is not None or any("winners" in day or "after" in day for day in days)
    try:
        for number, day in enumerate(days, start=1):
            _feed(table, day, number)
            _compare(_day(table, number - 1), day, number)
        if not table.over:
            raise ReplayDifference(f"day {len(days) + 1}: the record ends, our rules go on")
        ours = _named(table)
        if survivors is not None and set(survivors) != set(ours["survivors"]):
            raise ReplayDifference(f"at the end: survivors recorded {survivors}, our rules say {ours['survivors']}")
    except ReplayDifference as differs:
        return ReplayResult(data["id"], None, str(differs), compared, table)
    return ReplayResult(data["id"], ours, None, compared, table)


def _read_scenario(data: JsonMapping) -> Scenario:
    if not isinstance(data.get("id"), (str, int)):
        raise ValueError(f"id: expected a name or a number, got {data.get('id')!r:.80}")
    days = field(data, "days", list)
    supplies = [field(_object(day, f"days[{j}]"), "supply", int, f"days[{j}]") for j, day in enumerate(days)]
    if "residents" in data:
        told = field(data, "residents", list)
        residents = tuple(build(Resident, resident, f"residents[{j}]") for j, resident in enumerate(told))
    else:
        told = PERSONAS if data.get("persona") else {}
        known = [Resident(*who, told.get(who[0], "")) for who in PUBLISHED]
        first = field(days[0], "bids", dict, "days[0]") if days else {}
        for name in first:
            one_of("days[0]: bids, name", name, [resident.name for resident in known])
        residents = tuple(resident for resident in known if resident.name in first)
    ends = field(data, "supply_range", list)
    shortest = PUBLISHED_DAYS if data.get("survivors") == [] else 0
    length = whole_number("length", data.get("length", max(len(days), shortest)), len(days))
    supplies += ends[:1] * (length - len(days))  # of days that nobody lives to see
    return Scenario(str(data["id"]), residents, length, tuple(ends), tuple(supplies))


def _object(value: Any, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object, got {value!r:.80}")
    return value


def _read_day(played: JsonObject, where: str, names: list[str]) -> JsonObject:
    """A day's bids in dollars, -1 = none, and as far as they are told its winners, and how all stood after it."""
    bids = {}
    for name, bid in field(played, "bids", dict, where).items():
        one_of(f"{where}: bids, name", name, names)
        bids[name] = -1 if bid is None else to_dollars(whole_cents(f"{where}: bid of {name}", bid, 0))
    day: JsonObject = {"bids": bids}
    winners = _read_names(played, "winners", names, where)
    if winners is not None:
        day["winners"] = winners
    if "after" in played:
        day["after"] = {
            one_of(f"{where}: after, name", name, names): _read_after(state, f"{where}: after {name}")
            for name, state in field(played, "after", dict, where).items()
        }
    return day


def _read_after(state: Any, where: str) -> dict[str, int]:
    figures = _object(state, where)
    missing = [name for name in AFTER if name not in figures]
    if missing:
        raise ValueError(f"{where}: expected the field {missing[0]!r}")
    balance = whole_cents(f"{where}: balance", figures["balance"], -MAX_DOLLARS)
    health = whole_number(f"{where}: health", figures["health"], -MAX_DOLLARS)
    return {
        "balance": balance,
        "health": health,
        "no_water_days": whole_number(f"{where}: no_water_days", figures["no_water_days"], 0),
    }


def _read_names(data: JsonMapping, what: str, names: list[str], where: str) -> list[str] | None:
    if what not in data:
        return None
    return [one_of(f"{where}: {what}".removeprefix(": "), name, names) for name in field(data, what, list, where)]


def _feed(table: Table, day: JsonMapping, number: int) -> None:
    """Submit the bids of one recorded day; where some are equal, with a draw that gives what is recorded."""
    names = table.scenario_text.names
    asked = [names[seat] for seat in table.pending]
    if table.over:
        raise ReplayDifference(f"day {number}: our rules end, the record goes on")
    if set(asked) != set(day["bids"]):
        raise ReplayDifference(
            f"day {number}: bids recorded of {', '.join(day['bids'])}, alive by our rules: {', '.join(asked)}"
        )
    bids = {names.index(name): bid for name, bid in day["bids"].items()}
    equal = [(bid, int(table.state["need"][0, seat])) for seat, bid in bids.items() if bid >= 0]
    before = table.snapshot()
    table.submit_all(bids)
    for draw in range(DRAWS if "winners" in day and len(set(equal)) < len(equal) else 0):
        if _day(table, number - 1)["winners"] == day["winners"]:
            break
        table.restore(before)
        table.state["key"] = draw
        table.submit_all(bids)


def _day(table: Table, j: int) -> JsonObject:
    """What our rules made of closed day `j`, as records have it: residents by name."""
    day = table.view(0, reveal=True).day_at(j)
    name = dict(zip(table.scenario_text.seats, table.scenario_text.names, strict=True))
    after = {name[seat]: {figure: getattr(made, figure) for figure in AFTER} for seat, made in day.after.items()}
    return {"winners": [name[seat] for seat in day.winners], "after": after}


def _named(table: Table) -> JsonObject:
    residents = table.view(0, reveal=True).residents
    return {
        "days": [_day(table, j) for j in range(table.item)],
        "survivors": [resident.name for resident in residents if resident.alive],
    }


def _compare(made: JsonMapping, told: JsonMapping, number: int) -> None:
    """Whether what our rules made of a day is what was recorded, as far as it was."""
    if told.get("winners", made["winners"]) != made["winners"]:
        raise ReplayDifference(f"day {number}: water recorded for {told['winners']}, our rules say {made['winners']}")
    if "after" not in told:
        return
    if set(told["after"]) != set(made["after"]):
        theirs, ours = ", ".join(told["after"]), ", ".join(made["after"])
        raise ReplayDifference(f"day {number}: after it recorded are {theirs}, by our rules {ours}")
    for name, figures in told["after"].items():
        for figure, said in figures.items():
            we_say = made["after"][name][figure]
            if said != (to_cents(we_say) if figure == "balance" else we_say):
                said = to_dollars(said) if figure == "balance" else said
                raise ReplayDifference(f"day {number}: {figure} of {name} recorded {said}, our rules say {we_say}")
