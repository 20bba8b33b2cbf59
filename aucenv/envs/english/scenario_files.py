"""Load scenarios of English auctions by name or from files, including files in AucArena's format."""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Callable
from typing import TypeVar

from aucenv.core.checks import FieldError, one_of
from aucenv.core.files import JsonMapping, parse_object, read_lines
from aucenv.core.names import scenario_name
from aucenv.core.outside_text import shorten
from aucenv.core.scenarios import find_scenario
from aucenv.core.schema import BOOLEAN, NONEMPTY_TEXT, Object, choice, number
from aucenv.envs.english.scenario import DEFAULT_SCENARIO, SCENARIOS, Bidder, Item, Scenario

__all__ = ["DEFAULT_SCENARIO", "SCENARIOS", "Agent", "aucarena_files", "load_scenario", "read_agents", "read_aucarena"]

T = TypeVar("T")

FIELDS = {"starting_price": "price", "description": "desc", "objective": "desire"}
"""AucArena's names of fields of an `Item` and a `Bidder` that differ from ours."""
AGENT = Object(
    {"model_name": NONEMPTY_TEXT},
    {
        "plan_strategy": choice("adaptive", "static", "none"),
        "temperature": number(0, 2),
        "correct_belief": BOOLEAN,
        "enable_learning": BOOLEAN,
    },
)
"""The fields of a line of bidders that name an agent."""
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
    files = aucarena_files(scenario)
    return find_scenario(scenario, Scenario, SCENARIOS) if files is None else read_aucarena(*files)


def aucarena_files(scenario: object) -> tuple[str, str] | None:
    """Return the two paths of a scenario `items.jsonl,bidders.jsonl`; None if the scenario has another form.

    Raises:
        ValueError: there is one path.
    """
    if not (isinstance(scenario, str) and scenario.endswith(".jsonl")):
        return None
    items, comma, bidders = scenario.partition(",")
    if not comma:
        raise ValueError(f"scenario: expected two files, items.jsonl,bidders.jsonl, got {scenario!r}")
    return items, bidders


def read_aucarena(items: str, bidders: str, runs_agents: bool = False) -> Scenario:
    """Return the scenario in two files in AucArena's format, one JSON object per line; items keep the file's order.

    Args:
        items: path of the items: name, price (the starting price), true_value; optionally id (by default 1, 2,
            ...) and desc.
        bidders: path of the bidders: name, budget; optionally desire (maximize_profit, the default, or maximize_items)
            and overestimate_percent (by default 10).
        runs_agents: whether the caller also reads the fields of AGENT.

    Other keys are ignored with a warning.

    Raises:
        ValueError: a line does not describe an item or bidder, or a file is empty; the message names file, line and
            field.
        OSError: a file cannot be read.
    """
    scenario_items = _read_objects(items, ("name", "price", "true_value"), ("id", "desc"), _item)
    optional = ("desire", "overestimate_percent", *(AGENT.names if runs_agents else ()))
    scenario_bidders = _read_objects(bidders, ("name", "budget"), optional, _bidder)
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


@dataclasses.dataclass(frozen=True)
class Agent:
    """The agent that a line of AucArena's bidders names.

    Attributes:
        where: the file and the line.
        name: the bidder's name.
        model: the name of its model in the paper's program, "rule" or "human".
        plan: "adaptive", "static" or "none".
        corrects_beliefs: whether the model sees its wrong beliefs.
        learns: whether it keeps lessons for later auctions.
    """

    where: str
    name: str
    model: str
    plan: str
    temperature: float
    corrects_beliefs: bool
    learns: bool


def read_agents(bidders: str) -> list[Agent]:
    """Return the agents of a file of bidders; none if no line has a model_name.

    Fields that are missing have the values of the paper's program: adaptive plans, a temperature of 0.7, corrected
    beliefs, and no lessons.

    Raises:
        ValueError: a value is wrong, or only some lines have a model_name; the message names file, line and field.
        OSError: the file cannot be read.
    """
    lines = [(where, parse_object(line, where)) for where, line in read_lines(bidders)]
    if not any("model_name" in data for _, data in lines):
        return []
    agents = []
    for where, data in lines:
        AGENT.check({name: data[name] for name in AGENT.names if name in data}, where)
        values = {"plan_strategy": "adaptive", "temperature": 0.7, "correct_belief": True, "enable_learning": False}
        agents.append(Agent(where, str(data.get("name")), *({**values, **data}[name] for name in AGENT.names)))
    return agents


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
