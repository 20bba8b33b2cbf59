"""What differs between the settings of a run and those of a command that would resume it, in words."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from aucenv.core.checks import inside
from aucenv.core.files import JsonMapping
from aucenv.core.phrases import listed

FILES = "bidder_files"
"""The setting that has digests of the files of bidders, by bidder."""
MOST = 5
"""The largest number of changes that a message names."""
LENGTH, BEFORE = 60, 20
"""The length of a value in a message, and how much of it precedes the first difference."""

_ABSENT = object()


def changed_names(recorded: JsonMapping, given: JsonMapping) -> list[str]:
    """Return the names of the settings that differ."""
    return [name for name in {**recorded, **given} if not _same(recorded.get(name, _ABSENT), given.get(name, _ABSENT))]


def describe_changes(recorded: JsonMapping, given: JsonMapping) -> str:
    """Return what differs, with both values: `got a run with seed 0, not 1`.

    Args:
        recorded: The settings of the run.
        given: The settings of the command.
    """
    names = changed_names(recorded, given)
    files = [name for name in recorded.get(FILES, {}) if name in given.get(FILES, {})]
    files = [name for name in files if recorded[FILES][name] != given[FILES][name]]
    if "bidders" in names or files:  # files of bidders that are in one of the runs alone are no further change
        names = [name for name in names if name != FILES]
    changes = [each for name in names for each in _changes(name, recorded.get(name, _ABSENT), given.get(name, _ABSENT))]
    if len(changes) > MOST:
        changes[MOST:] = [f"{len(changes) - MOST} more"]
    parts = [f"got a run with {'; '.join(changes)}"] if changes else []
    if files:
        parts.append(f"files of {listed([repr(name) for name in files])} have changed since that run started")
    return "; ".join(parts)


def _same(recorded: Any, given: Any) -> bool:
    if recorded is _ABSENT or given is _ABSENT:
        return recorded is given
    return json.dumps(recorded) == json.dumps(given)  # in Python, true equals 1


def _changes(path: str, recorded: Any, given: Any) -> Iterator[str]:
    """Yield the differences of a setting: the innermost values that differ, each with its path."""
    if _same(recorded, given):
        return
    if isinstance(recorded, dict) and isinstance(given, dict):
        for name in {**recorded, **given}:
            yield from _changes(inside(path, name), recorded.get(name, _ABSENT), given.get(name, _ABSENT))
    elif isinstance(recorded, list) and isinstance(given, list) and len(recorded) == len(given):
        for number, (before, now) in enumerate(zip(recorded, given, strict=True)):
            yield from _changes(inside(path, number), before, now)
    elif recorded is _ABSENT:
        yield f"no {path}, not {_excerpts(given)[0]}"
    elif given is _ABSENT:
        yield f"{path} {_excerpts(recorded)[0]}, not without it"
    else:
        yield f"{path} {', not '.join(_excerpts(recorded, given))}"


def _excerpts(*values: Any) -> list[str]:
    """Return values as texts of a limited length, which begin shortly before the first difference."""
    texts = [repr(value) for value in values]
    same = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    common = len(list(same)) if len(texts) > 1 else 0
    start = max(0, common - BEFORE) if max(map(len, texts)) > LENGTH else 0
    return [
        f"{'...' * (start > 0)}{text[start : start + LENGTH]}{'...' * (len(text) > start + LENGTH)}" for text in texts
    ]
