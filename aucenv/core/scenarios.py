"""Scenarios by name, from a JSON file, from plain data, or as they are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from aucenv.core.checks import one_of

T = TypeVar("T")


def find_scenario(scenario: object, kind: type[T], named: Mapping[str, T]) -> T:
    """The scenario of this kind that a name, the path of a file `x.json`, or what its `to_dict` made stands for.

    Raises:
        ValueError: no such name, or a scenario of another game; or a file does not describe one: names file and field.
        OSError: the file cannot be read.
    """
    if isinstance(scenario, kind):
        return scenario
    if isinstance(scenario, Mapping):
        return kind.from_dict(scenario)  # type: ignore[attr-defined]  # every game's Scenario has it
    if isinstance(scenario, os.PathLike):
        scenario = os.fspath(scenario)
    if not isinstance(scenario, str):
        raise ValueError(f"scenario: expected a name, a path or a Scenario, got {scenario!r:.200}")
    if not scenario.endswith(".json"):
        return named[one_of("scenario", scenario, named)]
    try:
        data = json.loads(Path(scenario).read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{scenario}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"{scenario}: expected a JSON object, got {type(data).__name__}")
    return kind.from_dict(data, where=scenario)  # type: ignore[attr-defined]  # as above


def is_file(scenario: object) -> bool:
    """Whether `find_scenario`, or a game's own reader, would read files."""
    return isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.endswith((".json", ".jsonl")))
