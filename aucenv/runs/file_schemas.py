"""The schemas of the files of a results folder, as JSON Schema (draft 2020-12).

They state types, fields and ranges. Only `aucenv.records.read_records` checks that fields do not contradict each other.
JSON Schema also takes 2.0 for a whole number, and amounts in fractions of a cent.
"""

from __future__ import annotations

import math
from functools import singledispatch

from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import AnyJson, ListOf, MapOf, Object, Optional, Row, Schema, Value
from aucenv.core.records.record import RECORD, VERSION
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import CALL
from aucenv.runs.results import RUN

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}


@singledispatch
def to_json_schema(schema: Schema) -> JsonObject:
    """Return a schema as JSON Schema.

    Raises:
        TypeError: there is no JSON Schema for schemas of this class.
    """
    raise TypeError(f"schema: expected one of aucenv.core.formats.schema, got a {type(schema).__name__}")


@to_json_schema.register
def _(schema: Value) -> JsonObject:
    names = {TYPES[each] for each in schema.types}
    if "number" in names:
        names.discard("integer")
    result: JsonObject = {"description": schema.expected, "type": min(names) if len(names) == 1 else sorted(names)}
    if schema.least > -math.inf:
        result["minimum"] = schema.least
    if schema.most < math.inf:
        result["maximum"] = schema.most
    if schema.options is not None:
        result["enum"] = sorted(schema.options, key=str)
    if not schema.blank:
        result["pattern"] = r"\S"
    return result


@to_json_schema.register
def _(schema: Optional) -> JsonObject:
    return {"anyOf": [to_json_schema(schema.inner), {"type": "null"}]}


@to_json_schema.register
def _(schema: ListOf) -> JsonObject:
    result: JsonObject = {"type": "array", "items": to_json_schema(schema.inner)}
    if schema.least > 0:
        result["minItems"] = schema.least
    if schema.most < math.inf:
        result["maxItems"] = schema.most
    return result


@to_json_schema.register
def _(schema: Row) -> JsonObject:
    columns = [to_json_schema(column) for column in schema.columns]
    return {"type": "array", "prefixItems": columns, "items": False, "minItems": len(columns)}


@to_json_schema.register
def _(schema: Object) -> JsonObject:
    known = {**schema.fields, **schema.optional}
    return {
        "type": "object",
        "properties": {name: to_json_schema(each) for name, each in known.items()},
        "required": list(schema.fields),
        "additionalProperties": False if schema.rest is None else to_json_schema(schema.rest),
    }


@to_json_schema.register
def _(schema: MapOf) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": to_json_schema(schema.inner),
        "minProperties": schema.least,
    }


@to_json_schema.register
def _(schema: AnyJson) -> JsonObject:
    return {}


GAMES, CALLS, RUN_FILE = "games", "calls", "run"
SCHEMA_FILES = (GAMES, CALLS, RUN_FILE)
"""The files that have a schema: games.jsonl and calls.jsonl, of which it describes a line, and run.json."""


def file_schema(file: str = GAMES, game: str | None = None) -> JsonObject:
    """Return the JSON Schema of a file of a results folder.

    Args:
        file: One of SCHEMA_FILES.
        game: A game, whose deals and outcomes the schema of a record describes; None: what all games have in common.

    Raises:
        ValueError: There is no such file or game.

    Example:
        >>> from aucenv.records import file_schema
        >>> sorted(file_schema("games", "english")["properties"])[:3]
        ['deal', 'decisions', 'env_version']
    """
    if file not in SCHEMA_FILES:
        raise ValueError(f"file: expected one of {', '.join(SCHEMA_FILES)}, got {file!r}")
    title, described = {
        GAMES: ("A line of games.jsonl", RECORD),
        CALLS: ("A line of calls.jsonl", CALL),
        RUN_FILE: ("run.json", RUN),
    }[file]
    title += f", record format {VERSION}"
    schema = to_json_schema(described)
    if file == GAMES and game is not None:
        family = find_family(game)
        title += f", {family.name}"
        parts, record_format = schema["properties"], family.game.record_format
        parts["game"], parts["env_version"] = {"const": family.name}, {"const": family.game.version}
        for part, form in (("deal", record_format.DEAL), ("outcome", record_format.OUTCOME)):
            parts[part] = {"allOf": [parts[part], to_json_schema(form)]}
    return {"$schema": DIALECT, "title": title, **schema}
