"""Files of leaderboard settings, for --config and --save-config."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from aucenv.core.bidder_name import public_name
from aucenv.core.checks import MissingExtra
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.core.schema import BOOLEAN, NONEMPTY_TEXT, ListOf, Object, number, whole

PARAMETERS = {"bidders": "bidder", "format": "format_", "models": "model"}
"""Fields whose parameter of the command has another name."""
LINEUP = Object(
    {},
    {
        "game": NONEMPTY_TEXT,
        "bidders": ListOf(NONEMPTY_TEXT, 1),
        "format": NONEMPTY_TEXT,
        "scenario": NONEMPTY_TEXT,
        "items": whole(1),
        "budget": number(0.01, 1e9),
        "seats": whole(1),
        "games": whole(1),
        "seed": whole(0, 2**63 - 1),
        "roles": NONEMPTY_TEXT,
        "order": NONEMPTY_TEXT,
        "overestimate": number(-100, 500),
        "increment": number(0, 10),
        "discount": BOOLEAN,
        "ask_broke": BOOLEAN,
        "models": ListOf(NONEMPTY_TEXT, 1),
        "memories": NONEMPTY_TEXT,
        "isolate": BOOLEAN,
        "workers": whole(1),
        "concurrency": whole(1),
        "on_model_failure": NONEMPTY_TEXT,
        "max_cost": number(0, 1e9),
        "prices": NONEMPTY_TEXT,
    },
)
"""The contents of a file; the fields have the names of the options."""


def read_lineup(path: Path) -> JsonObject:
    """Return the parameters of the command that a file sets.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON or YAML, or a field is unknown or has a wrong value; the message names it.
        MissingExtra: it is YAML, but pyyaml is not installed.
    """
    data = LINEUP.check(_read_yaml(path) if _is_yaml(path) else read_object(path), str(path))
    return {PARAMETERS.get(name, name): value for name, value in data.items()}


def write_lineup(path: Path, parameters: JsonObject) -> None:
    """Write the parameters of the command to a file that `read_lineup` reads; it holds no value of a header."""
    values = {name: parameters.get(PARAMETERS.get(name, name)) for name in LINEUP.names}
    names = values["bidders"] or []
    values["bidders"] = [public_name(name) for name in names] or None
    if values["bidders"] != (list(names) or None):
        advice = "write header.NAME=env:VARIABLE to save where they are from"
        typer.echo(f"{path}: values of headers are left out; {advice}", err=True)
    text = to_pretty_json(
        {name: str(value) if isinstance(value, Path) else value for name, value in values.items() if value is not None}
    )
    if _is_yaml(path):
        text = _yaml(path).safe_dump(json.loads(text), sort_keys=False, allow_unicode=True)
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


def _read_yaml(path: Path) -> JsonObject:
    yaml = _yaml(path)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise ValueError(f"{path}: expected fields and values, got {data!r:.80}")
    return data
