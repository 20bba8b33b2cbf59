"""The schemas that files are checked against, as JSON Schema (draft 2020-12).

They state types, fields and ranges. Only `aucenv.records.read_records` checks that fields do not contradict each other.
JSON Schema also takes 2.0 for a whole number, and amounts in fractions of a cent.
"""

from __future__ import annotations

import math
from functools import singledispatch

from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import AnyJson, ListOf, MapOf, Object, Optional, Row, Schema, Value

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
