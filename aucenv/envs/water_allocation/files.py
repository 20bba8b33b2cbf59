"""Replay recorded water allocation challenges under our rules.

A recorded game is an object: id, supply_range [least, most] and days [{supply, bids {name: dollars, null = no bid}}] in
order. Optional are residents [{name, need, salary}] (by default the published residents that are named in the bids of
the first day), persona (whether published residents have their personas), length (in days; by default the number of
recorded days, or 20 if nobody survives) and survivors [name]. Optional in a day are winners [name, in order] and after
{name: {balance, health, no_water_days}}. Dead residents are absent from later days. If bids and needs tie, the tie is
broken as recorded. Bids are rounded to whole cents; one that was within the balance stays within it.
"""

from __future__ import annotations

from typing import Any

from aucenv.core.checks import build, excerpt, field, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, MapOf, fields_only
from aucenv.core.play.table import Table
from aucenv.core.records.replay_result import BidRounding, ReplayDifference, ReplayResult
from aucenv.core.words.money import MAX_DOLLARS, checked_dollars, to_dollars
from aucenv.core.words.names import MAX_ID, checked_name, scenario_name
from aucenv.envs.water_allocation.game import GAME, PUBLISHED, Resident, WaterScenario
from aucenv.envs.water_allocation.personas import PERSONAS

RECORDED = fields_only(
    *("id", "supply_range", "persona", "length", "survivors"),
    residents=ListOf(fields_only("name", "need", "salary", "persona")),
    days=ListOf(
        fields_only("day", "supply", "bids", "winners", after=MapOf(fields_only("balance", "health", "no_water_days")))
    ),
)
"""The fields of a recorded game."""
AFTER = ("balance", "health", "no_water_days")
DRAWS = 200
"""The number of random tie-breaks to try for the recorded winners."""
PUBLISHED_DAYS = 20


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded game under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        scenario = _read_scenario(data)
        names = [resident.name for resident in scenario.residents]
        rounding = BidRounding()
        days = [_read_day(played, f"days[{j}]", names, rounding) for j, played in enumerate(data["days"])]
        survivors = _read_names(data, "survivors", names, "")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * len(names), illegal="raise")
    table.reset(0)
    compared = survivors is not None or any("winners" in day or "after" in day for day in days)
    try:
        for number, day in enumerate(days, start=1):
            _feed(table, day, number, rounding)
            _compare(_our_day(table, number - 1), day, number, rounding)
        if not table.over:
            raise ReplayDifference(f"day {len(days) + 1}: the record ends, our rules continue")
        ours = _to_recorded_game(table)
        if survivors is not None and set(survivors) != set(ours["survivors"]):
            raise ReplayDifference(f"at the end: survivors recorded {survivors}, our rules give {ours['survivors']}")
    except ReplayDifference as error:
        return ReplayResult(data["id"], None, str(error), compared, table, tuple(rounding.notes))
    return ReplayResult(data["id"], ours, None, compared, table, tuple(rounding.notes))


def _read_scenario(data: JsonMapping) -> WaterScenario:
    if not isinstance(data.get("id"), (str, int)):
        raise ValueError(f"id: expected a name or a number, got {excerpt(data.get('id'))}")
    name = scenario_name(checked_name("id", str(data["id"]), MAX_ID))
    days = field(data, "days", list)
    supplies = [field(_object(day, f"days[{j}]"), "supply", int, f"days[{j}]") for j, day in enumerate(days)]
    if "residents" in data:
        entries = field(data, "residents", list)
        residents = tuple(build(Resident, resident, "", ("residents", j)) for j, resident in enumerate(entries))
    else:
        personas = PERSONAS if data.get("persona") else {}
        published = [Resident(*row, personas.get(row[0], "")) for row in PUBLISHED]
        first = field(days[0], "bids", dict, "days[0]") if days else {}
        for name in first:
            one_of("days[0]: bids, name", name, [resident.name for resident in published])
        residents = tuple(resident for resident in published if resident.name in first)
    ends = field(data, "supply_range", list)
    shortest = PUBLISHED_DAYS if data.get("survivors") == [] else 0
    length = whole_number("length", data.get("length", max(len(days), shortest)), len(days))
    supplies += ends[:1] * (length - len(days))  # days on which nobody is alive
    return WaterScenario(name, residents, length, tuple(ends), tuple(supplies))


def _object(value: Any, where: str) -> JsonObject:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object, got {value!r:.80}")
    return value


def _read_day(played: JsonObject, where: str, names: list[str], rounding: BidRounding) -> JsonObject:
    """Return a day's bids in dollars (-1 = no bid), and its winners and the residents' status after it if recorded."""
    bids = {}
    for name, bid in field(played, "bids", dict, where).items():
        one_of(f"{where}: bids, name", name, names)
        place = f"{where}: bid of {name}"
        bids[name] = -1 if bid is None else rounding.round(place, checked_dollars(bid, place, least=0), name)
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


def _read_after(state: Any, where: str) -> JsonObject:
    figures = _object(state, where)
    missing = [name for name in AFTER if name not in figures]
    if missing:
        raise ValueError(f"{where}: expected the field {missing[0]!r}")
    balance = checked_dollars(figures["balance"], f"{where}: balance", least=-MAX_DOLLARS)
    health = whole_number(f"{where}: health", figures["health"], -MAX_DOLLARS)
    return {
        "balance": balance,
        "health": health,
        "no_water_days": whole_number(f"{where}: no_water_days", figures["no_water_days"], 0),
    }


def _read_names(data: JsonMapping, key: str, names: list[str], where: str) -> list[str] | None:
    if key not in data:
        return None
    return [one_of(f"{where}: {key}".removeprefix(": "), name, names) for name in field(data, key, list, where)]


def _feed(table: Table, day: JsonMapping, number: int, rounding: BidRounding) -> None:
    """Submit the bids of one recorded day; if some tie, try keys until the winners are those of the record."""
    names = table.scenario_text.names
    asked = [names[seat] for seat in table.pending]
    if table.over:
        raise ReplayDifference(f"day {number}: our rules end the game, the record continues")
    if set(asked) != set(day["bids"]):
        raise ReplayDifference(
            f"day {number}: bids recorded of {', '.join(day['bids'])}, alive under our rules: {', '.join(asked)}"
        )
    bids = {}
    for name, bid in day["bids"].items():
        balance = to_dollars(int(table.state["balance"][0, names.index(name)]))
        bids[names.index(name)] = balance if bid > balance and rounding.agrees(bid, balance, name) else bid
    ranks = [(bid, int(table.state["need"][0, seat])) for seat, bid in bids.items() if bid >= 0]
    before = table.snapshot()
    table.submit_all(bids)
    for draw in range(DRAWS if "winners" in day and len(set(ranks)) < len(ranks) else 0):
        if _our_day(table, number - 1)["winners"] == day["winners"]:
            break
        table.restore(before)
        table.state["key"] = draw
        table.submit_all(bids)


def _our_day(table: Table, j: int) -> JsonObject:
    """Return our result of closed day `j` in the format of recorded games, with residents by name."""
    day = table.view(0, reveal=True).day_at(j)
    name = dict(zip(table.scenario_text.seats, table.scenario_text.names, strict=True))
    after = {name[seat]: {figure: getattr(status, figure) for figure in AFTER} for seat, status in day.after.items()}
    return {"winners": [name[seat] for seat in day.winners], "after": after}


def _to_recorded_game(table: Table) -> JsonObject:
    residents = table.view(0, reveal=True).residents
    return {
        "days": [_our_day(table, j) for j in range(table.item)],
        "survivors": [resident.name for resident in residents if resident.alive],
    }


def _compare(ours: JsonMapping, recorded: JsonMapping, number: int, rounding: BidRounding) -> None:
    """Raise unless our result of a day equals the recorded one, where there is one."""
    if recorded.get("winners", ours["winners"]) != ours["winners"]:
        raise ReplayDifference(
            f"day {number}: water recorded for {recorded['winners']}, our rules give {ours['winners']}"
        )
    if "after" not in recorded:
        return
    if set(recorded["after"]) != set(ours["after"]):
        recorded_names, our_names = ", ".join(recorded["after"]), ", ".join(ours["after"])
        raise ReplayDifference(
            f"day {number}: states after it recorded of {recorded_names}, our rules give {our_names}"
        )
    for name, figures in recorded["after"].items():
        for figure, value in figures.items():
            our_value = ours["after"][name][figure]
            equal = rounding.agrees(value, our_value, name) if figure == "balance" else value == our_value
            if not equal:
                raise ReplayDifference(f"day {number}: {figure} of {name} recorded {value}, our rules give {our_value}")
