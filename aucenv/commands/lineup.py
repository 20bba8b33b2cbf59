"""Files of leaderboard settings, for --config and --save-config."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import typer

from aucenv.core.checks import MissingExtra
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.core.formats.schema import BOOLEAN, NONEMPTY_TEXT, ListOf, Object, number, whole
from aucenv.core.words.bidder_name import public_name

PARAMETERS = {"bidders": "bidder", "format": "format_", "models": "model", "set": "changes"}
"""Fields whose parameter of the command has another name."""
LINEUP = Object(
    {},
    {
        "game": NONEMPTY_TEXT,
        "bidders": ListOf(NONEMPTY_TEXT, 1),
        "format": NONEMPTY_TEXT,
        "scenario": NONEMPTY_TEXT,
        "games": whole(1),
        "seed": whole(0, 2**63 - 1),
        "roles": NONEMPTY_TEXT,
        "set": ListOf(NONEMPTY_TEXT, 1),
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
SAVED = re.compile(rb'(\{\n  )?"?(%s)"?: ' % "|".join(LINEUP.names).encode())
"""The beginning of a file that `write_lineup` has written."""


def read_lineup(path: Path) -> JsonObject:
    """Return the parameters of the command that a file sets.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON or YAML, or a field is unknown or has a wrong value; the message names it.
        MissingExtra: it is YAML, but pyyaml is not installed.
    """
    if not _is_yaml(path):
        data = LINEUP.check(read_object(path), str(path))
    else:
        data, lines = _yaml(path).read_yaml(path)
        for name, value in data.items():
            LINEUP.check({name: value}, f"{path}:{lines[name]}")
    return {PARAMETERS.get(name, name): value for name, value in data.items()}


def write_lineup(path: Path, parameters: JsonObject) -> None:
    """Write the parameters of the command to a file that `read_lineup` reads; it holds no value of a header."""
    values = {name: parameters.get(PARAMETERS.get(name, name)) for name in LINEUP.names}
    values["set"] = values["set"] or None
    names = values["bidders"] or []
    values["bidders"] = [public_name(name) for name in names] or None
    if values["bidders"] != (list(names) or None):
        advice = "write header.NAME=env:VARIABLE to save where they are from"
        typer.echo(f"{path}: values of headers are left out; {advice}", err=True)
    text = to_pretty_json(
        {name: str(value) if isinstance(value, Path) else value for name, value in values.items() if value is not None}
    )
    if _is_yaml(path):
        text = _yaml(path).to_yaml(json.loads(text))
    write_atomically(path, text)


def use_lineup(context: typer.Context, path: Path | None) -> Path | None:
    """Make a file's values the defaults of the command's options."""
    if path is not None:
        context.default_map = read_lineup(path)
    return path


def _is_yaml(path: Path) -> bool:
    return path.suffix.lower() in (".yaml", ".yml")


def _yaml(path: Path) -> ModuleType:
    try:
        return import_module("aucenv.core.formats.yaml_parser")
    except ImportError:
        raise MissingExtra(f"{path}: YAML needs pyyaml (pip install pyyaml); or write the file as .json") from None
