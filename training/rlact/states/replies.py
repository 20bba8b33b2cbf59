"""Files of replies to decision states, one JSON object per line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.checks import excerpt
from aucenv.core.files import parse_object, read_lines
from aucenv.core.formats.schema import NONEMPTY_TEXT, TEXT, Object

REPLY = Object({"id": NONEMPTY_TEXT, "reply": TEXT})
PAIR = Object({"id": NONEMPTY_TEXT, "first": TEXT, "second": TEXT})
"""The formats of a line: one reply, or two to compare."""


def read_replies(path: Path, by_id: Mapping[str, DecisionState]) -> list[tuple[DecisionState, list[str]]]:
    """Read the state and the reply, or both replies, of each line.

    Args:
        path: The file.
        by_id: The states by id.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not a reply to one of the states, some lines have one reply and others two, or there is no
            reply; the message names file, line and field.
    """
    rows: list[tuple[DecisionState, list[str]]] = []
    for where, line in read_lines(path):
        data = parse_object(line, where)
        names = ["first", "second"] if {"first", "second"} & set(data) else ["reply"]
        (PAIR if len(names) == 2 else REPLY).check(data, where)
        if rows and len(names) != len(rows[0][1]):
            raise ValueError(f"{where}: expected one reply on every line, or two on every line, got {len(names)}")
        if data["id"] not in by_id:
            raise ValueError(f"{where}: id: expected the id of one of {len(by_id)} states, got {excerpt(data['id'])}")
        rows.append((by_id[data["id"]], [data[name] for name in names]))
    if not rows:
        raise ValueError(f"{path}: expected at least one reply, got none")
    return rows
