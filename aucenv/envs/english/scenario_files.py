"""Load scenarios of English auctions by name or from files, including files in AucArena's format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TypeVar

from aucenv.core.checks import FieldError, one_of
from aucenv.core.files import JsonMapping, parse_object, read_lines
from aucenv.core.names import scenario_name
from aucenv.core.outside_text import shorten
from aucenv.core.scenarios import find_scenario
from aucenv.envs.english.scenario import DEFAULT_SCENARIO, SCENARIOS, Bidder, Item, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "read_aucarena"]

T = TypeVar("T")

FIELDS = {"starting_price": "price", "description": "desc", "objective": "desire"}
"""AucArena's names of fields of an `Item` and a `Bidder` that differ from ours."""
DESIRES = {"maximize_profit": "profit", "maximize_items": "items"}


def load_scenario(scenario: str | os.PathLike[str] | JsonMapping | Scenario) -> Scenario:
    """Return a scenario by name, from files, or from a dict; a `Scenario` is returned unchanged.

    Args:
        scenario: a name; the path of a JSON file with the output of `Scenario.to_dict`; two paths
            `items.jsonl,bidders.jsonl`, see `read_aucarena`; a dict as `Scenario.to_dict` returns it; or a `Scenario`.

    Raises:
        ValueError: the name is unknown, or a file does not describe a scenario; the message names file, line and field.
        OSError: a file cannot be read.
    """
    if isinstance(scenario, str) and scenario.endswith(".jsonl"):
        items, comma, bidders = scenario.partition(",")
        if not comma:
            raise ValueError(f"scenario: expected two files, items.jsonl,bidders.jsonl, got {scenario!r}")
        return read_aucarena(items, bidders)
    return find_scenario(scenario, Scenario, SCENARIOS)


def read_aucarena(items: str, bidders: str) -> Scenario:
    """Return the scenario in two files in AucArena's format, one JSON object per line; items keep the file's order.

    Args:
        items: path of the items: name, price (the starting price), true_value; optionally id (by default 1, 2,
            ...) and desc.
        bidders: path of the bidders: name, budget; optionally desire (maximize_profit, the default, or maximize_items)
            and overestimate_percent (by default 10).

    Other keys are ignored with a warning.

    Raises:
        ValueError: a line does not describe an item or bidder, or a file is empty; the message names file, line and
            field.
        OSError: a file cannot be read.
    """
    scenario_items = _read_objects(items, ("name", "price", "true_value"), ("id", "desc"), _item)
    scenario_bidders = _read_objects(bidders, ("name", "budget"), ("desire", "overestimate_percent"), _bidder)
    lines = {"items": [*scenario_items], "bidders": [*scenario_bidders]}
    objects = (tuple(scenario_items.values()), tuple(scenario_bidders.values()))
    try:
        return Scenario(scenario_name(items, bidders), *objects, "given")
    except FieldError as error:
        match error.below("", (), lines).path:
            case (str(kind), int(number), *rest):
                raise FieldError(lines[kind][number], error.problem, tuple(rest)) from None
        raise ValueError(f"{items},{bidders}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{items},{bidders}: {error}") from None


def _item(data: JsonMapping, number: int) -> Item:
    return Item(data.get("id", number), data["name"], data["price"], data["true_value"], data.get("desc", ""))


def _bidder(data: JsonMapping, number: int) -> Bidder:
    objective = DESIRES[one_of("desire", data.get("desire", "maximize_profit"), DESIRES)]
    return Bidder(data["name"], data["budget"], objective, None, data.get("overestimate_percent", 10))


def _read_objects(
    path: str, required: tuple[str, ...], optional: tuple[str, ...], make: Callable[[JsonMapping, int], T]
) -> dict[str, T]:
    """Return the objects in a file by the places of their lines."""
    objects: dict[str, T] = {}
    ignored: dict[str, None] = {}
    for where, line in read_lines(path):
        data = parse_object(line, where)
        missing = [name for name in required if name not in data]
        if missing:
            raise ValueError(f"{where}: expected the field {missing[0]!r}")
        ignored.update(dict.fromkeys(name for name in data if name not in required + optional))
        try:
            objects[where] = make(data, len(objects) + 1)
        except FieldError as error:
            refused = error.below(where, (), dict.fromkeys((*required, *optional, *FIELDS)))
            raise FieldError(where, refused.problem, tuple(FIELDS.get(str(key), key) for key in refused.path)) from None
    if not objects:
        raise ValueError(f"{path}: expected a JSON object on each line, got an empty file")
    if ignored:
        warnings.warn(f"{path}: ignored {shorten(', '.join(ignored), 200)}", stacklevel=4)
    return objects
