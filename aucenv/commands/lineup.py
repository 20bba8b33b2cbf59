"""Files of leaderboard settings, for --config and --save-config."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from aucenv.core.checks import MissingExtra, number, one_of, whole_number
from aucenv.core.files import JsonObject, parse_object, to_pretty_json, write_atomically


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name}: expected some text, got {value!r}")
    return value


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{name}: expected a list of one or more bidders, got {value!r}")
    return [_text(f"{name}[{place}]", element) for place, element in enumerate(value)]


def _count(least: int) -> Callable[[str, Any], int]:
    return lambda name, value: whole_number(name, value, least)


def _dollars(name: str, value: Any) -> float:
    return number(name, value, 0, 1e9)


FIELDS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    "game": ("game", _text),
    "bidders": ("bidder", _texts),
    "format": ("format_", _text),
    "scenario": ("scenario", _text),
    "items": ("items", _count(1)),
    "budget": ("budget", _dollars),
    "seats": ("seats", _count(1)),
    "games": ("games", _count(1)),
    "seed": ("seed", _count(0)),
    "workers": ("workers", _count(1)),
    "concurrency": ("concurrency", _count(1)),
    "on_model_failure": ("on_model_failure", _text),
    "max_cost": ("max_cost", _dollars),
    "prices": ("prices", _text),
}
"""The fields of a file, each with the parameter of the command that it sets, and the check of its value."""


def read_lineup(path: Path) -> JsonObject:
    """Return the parameters of the command that a file sets.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON or YAML, or a field is unknown or has a wrong value; the message names it.
        MissingExtra: it is YAML, but pyyaml is not installed.
    """
    text = path.read_text(encoding="utf-8-sig")
    data = _read_yaml(path, text) if _is_yaml(path) else parse_object(text, str(path))
    parameters = {}
    for name, value in data.items():
        one_of(f"{path}: field", name, FIELDS)
        parameter, check = FIELDS[name]
        if value is not None:
            parameters[parameter] = check(f"{path}: {name}", value)
    return parameters


def write_lineup(path: Path, parameters: JsonObject) -> None:
    """Write the parameters of the command to a file that `read_lineup` reads."""
    values = {name: parameters.get(parameter) for name, (parameter, _) in FIELDS.items()}
    data = {name: value for name, value in values.items() if value not in (None, [])}
    if _is_yaml(path):
        text = _yaml(path).safe_dump(json.loads(json.dumps(data)), sort_keys=False, allow_unicode=True)
    else:
        text = to_pretty_json(data)
    write_atomically(path, text)


def use_lineup(context: typer.Context, path: Path | None) -> Path | None:
    """Make a file's values the defaults of the command's options."""
    if path is not None:
        context.default_map = read_lineup(path)
    return path


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yaml", ".yml")


def _yaml(path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtra(f"{path}: YAML needs pyyaml (pip install pyyaml); or write the file as .json") from None
    return yaml


def _read_yaml(path: Path, text: str) -> JsonObject:
    yaml = _yaml(path)
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise ValueError(f"{path}: expected fields and values, got {data!r:.80}")
    return data
