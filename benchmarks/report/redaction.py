"""Records without words and names, for pages that may be shown to everybody."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from aucenv.core.boards.board import EMPTY, Board
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.runs.model_calls.calls import Call

SETTINGS = ("game", "study", "format", "games", "seed", "suite")
"""The settings of a run that are kept."""


def renamed(records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return records in which bidders and scenarios have new names, the same ones in all games: bidder-1, setting 1."""
    labels: dict[str, str] = {}
    settings: dict[str, str] = {}
    for record in records:
        settings.setdefault(record.scenario["name"], f"setting {len(settings) + 1}")
        for player in record.seats:
            labels.setdefault(seat_label(player), f"bidder-{len(labels) + 1}")
    return [
        dataclasses.replace(
            record,
            scenario={**record.scenario, "name": settings[record.scenario["name"]]},
            seats=[{**player, "bidder": labels[seat_label(player)]} for player in record.seats],
        )
        for record in records
    ]


def renamed_models(journals: Sequence[Sequence[Call]]) -> list[list[Call]]:
    """Return the calls of runs, in which models have new names, the same ones in all runs: model 1; no endpoints."""
    names = {"": ""}
    for journal in journals:
        for call in journal:
            for name in (call.model, call.answered_by):
                names.setdefault(name, f"model {len(names)}")
    return [
        [
            dataclasses.replace(call, model=names[call.model], answered_by=names[call.answered_by], endpoint="")
            for call in journal
        ]
        for journal in journals
    ]


def redacted(record: GameRecord) -> GameRecord:
    """Return a record in which words and names are replaced: those of seats, of the scenario, items and personas.

    Amounts, other numbers, the kinds of refusals, and the number of mistakes remain.
    """
    seats = [
        {**player, "name": f"Seat {number}"} | ({"notes": _notes(player["notes"])} if "notes" in player else {})
        for number, player in enumerate(record.seats, 1)
    ]
    items = {str(item["id"]): f"Item {j + 1}" for j, item in enumerate(record.deal.get("items", []))}
    deal = {**record.deal, "seats": [_without_target(seat) for seat in record.deal["seats"]]}
    outcome = dict(record.outcome)
    if items:
        deal["items"] = [
            {"starting_price": item["starting_price"], "true_value": item["true_value"], "id": name, "name": name}
            for item in deal["items"]
            for name in [items[str(item["id"])]]
        ]
        outcome["items"] = [{**item, "id": items[str(item["id"])]} for item in outcome["items"]]
        outcome["seats"] = [
            {**seat, "won": [[items[str(item)], price] for item, price in seat["won"]]} for seat in outcome["seats"]
        ]
    return dataclasses.replace(
        record,
        scenario=_scenario(record.scenario),
        seats=seats,
        deal=deal,
        decisions=[_decision(decision) for decision in record.decisions],
        outcome=outcome,
    )


def redacted_texts(scenario_text: Any, record: GameRecord) -> Any:
    """Return the texts of a scenario in which words and names are replaced as in `redacted`, for boards."""
    lots = {str(item["id"]): f"Item {j}" for j, item in enumerate(record.deal.get("items", ()), 1)}
    items = tuple(lots.get(str(item), "") for item in getattr(scenario_text, "item_ids", ()))
    personas = getattr(scenario_text, "personas", ())
    changes: JsonObject = {
        "names": tuple(f"Seat {number}" for number, _ in enumerate(scenario_text.names, 1)),
        "item_ids": items,
        "item_names": items,
        "descriptions": ("",) * len(getattr(scenario_text, "descriptions", ())),
        "personas": tuple(
            "" if isinstance(one, str) else dataclasses.replace(one, id=f"persona_{k}")
            for k, one in enumerate(personas, 1)
        ),
        "by_seat": tuple(redacted_texts(text, record) for text in getattr(scenario_text, "by_seat", ())),
    }
    names = {field.name for field in dataclasses.fields(scenario_text)}
    return dataclasses.replace(scenario_text, **{name: value for name, value in changes.items() if name in names})


def without_notes(board: Board) -> Board:
    """Return a board without the words of the game's author."""
    rows = tuple(dataclasses.replace(row, note=EMPTY) for row in board.rows)
    return dataclasses.replace(board, note=EMPTY, rows=rows)


def _without_target(seat: JsonMapping) -> JsonObject:
    return {
        **seat,
        **({"target": None} if "target" in seat else {}),
        **({"personas": []} if "personas" in seat else {}),
    }


def _scenario(scenario: JsonMapping) -> JsonObject:
    """Return the numbers and options of a scenario; texts in lists, which describe bidders and items, are left out."""
    kept: JsonObject = {name: value for name, value in scenario.items() if not isinstance(value, (list, dict))}
    ranges = {name: value for name, value in scenario.items() if _is_numeric(value)}
    residents = [{**one, "name": "", "persona": ""} for one in scenario.get("residents", [])]
    return {**kept, **ranges, **({"residents": residents} if residents else {})}


def _is_numeric(value: Any) -> bool:
    return isinstance(value, list) and all(each is None or isinstance(each, (int, float)) for each in value)


def _decision(decision: JsonMapping) -> JsonObject:
    return {
        **decision,
        "action": decision["amount"] if decision["action"] is not None else None,
        "attempts": [{**attempt, "action": None, "refused": ""} for attempt in decision["attempts"]],
        "notes": _notes(decision["notes"]),
    }


def _notes(notes: JsonMapping) -> JsonObject:
    """Return the notes that are numbers, by item or by seat and persona, and the number of mistakes."""
    kept: JsonObject = {}
    if _is_numeric(notes.get("priorities")):
        kept["priorities"] = notes["priorities"]
    profiles = notes.get("profiles")
    if isinstance(profiles, dict):
        kept["profiles"] = {
            seat: values
            for seat, values in profiles.items()
            if re.fullmatch(r"bidder_\d+", seat) and _is_numeric(values)
        }
    mistakes = [{"phase": "", "kind": "mistake", "what": ""} for _ in notes.get("mistakes", [])]
    forfeited = {"forfeited": "redacted"} if "forfeited" in notes else {}
    return {**kept, **({"mistakes": mistakes} if mistakes else {}), **forfeited}
