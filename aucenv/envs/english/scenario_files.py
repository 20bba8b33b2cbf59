"""Scenarios by name and from files, those that AucArena's users have among them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TypeVar

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, parse_object, read_lines
from aucenv.core.scenarios import find_scenario
from aucenv.envs.english.scenario import DEFAULT_SCENARIO, SCENARIOS, Bidder, Item, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "load_scenario", "read_aucarena"]

T = TypeVar("T")

DESIRES = {"maximize_profit": "profit", "maximize_items": "items"}


def load_scenario(scenario: str | os.PathLike[str] | JsonMapping | Scenario) -> Scenario:
    """A scenario by name, from files, from a dict as `Scenario.to_dict` makes it, or as it is.

    Args:
        scenario: a file is either `x.json` with what `Scenario.to_dict` makes, or two: `items.jsonl,bidders.jsonl`; see
            `read_aucarena`.

    Raises:
        ValueError: no such name; or a file does not describe a scenario: names file, line and field.
        OSError: a file cannot be read.
    """
    if isinstance(scenario, str) and scenario.endswith(".jsonl"):
        items, comma, bidders = scenario.partition(",")
        if not comma:
            raise ValueError(f"scenario: expected two files, items.jsonl,bidders.jsonl, got {scenario!r}")
        return read_aucarena(items, bidders)
    return find_scenario(scenario, Scenario, SCENARIOS)


def read_aucarena(items: str, bidders: str) -> Scenario:
    """The scenario of two files in AucArena's form, an object on each line; items are sold in the file's order.

    Args:
        items: name, price (the starting price), true_value; id (else the line's place) and desc if you like.
        bidders: name, budget; desire (maximize_profit, the default, or maximize_items) and overestimate_percent (10) if
            you like.

    Other keys are named in a warning and ignored.

    Raises:
        ValueError: a line does not describe one, or there are none: names file, line and field.
        OSError: a file cannot be read.
    """
    sold = _read_each(items, ("name", "price", "true_value"), ("id", "desc"), _item)
    invited = _read_each(bidders, ("name", "budget"), ("desire", "overestimate_percent"), _bidder)
    try:
        return Scenario(f"{items},{bidders}", sold, invited, "given")
    except ValueError as error:
        raise ValueError(f"{items},{bidders}: {error}") from None


def _item(data: JsonMapping, place: int) -> Item:
    return Item(data.get("id", place), data["name"], data["price"], data["true_value"], data.get("desc", ""))


def _bidder(data: JsonMapping, place: int) -> Bidder:
    objective = DESIRES[one_of("desire", data.get("desire", "maximize_profit"), DESIRES)]
    return Bidder(data["name"], data["budget"], objective, None, data.get("overestimate_percent", 10))


def _read_each(
    path: str, required: tuple[str, ...], optional: tuple[str, ...], make: Callable[[JsonMapping, int], T]
) -> tuple[T, ...]:
    made: list[T] = []
    ignored: dict[str, None] = {}
    for where, line in read_lines(path):
        data = parse_object(line, where)
        missing = [name for name in required if name not in data]
        if missing:
            raise ValueError(f"{where}: expected the field {missing[0]!r}")
        ignored.update(dict.fromkeys(name for name in data if name not in required + optional))
        try:
            made.append(make(data, len(made) + 1))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    if not made:
        raise ValueError(f"{path}: expected a JSON object on each line, got an empty file")
    if ignored:
        warnings.warn(f"{path}: ignored {', '.join(ignored)}", stacklevel=4)
    return tuple(made)
