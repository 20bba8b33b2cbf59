"""The first difference between two JSON values."""

from __future__ import annotations

from typing import Any

from aucenv.core.checks import excerpt, inside


def first_difference(expected: Any, got: Any, path: str) -> tuple[str, str, str] | None:
    """Return (path, expected, got) of the first value that differs in two JSON values; None if they are equal."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in (*expected, *(name for name in got if name not in expected)):
            if name not in got or name not in expected:
                sides = [excerpt(side[name]) if name in side else "no such field" for side in (expected, got)]
                return inside(path, name), sides[0], sides[1]
            difference = first_difference(expected[name], got[name], inside(path, name))
            if difference is not None:
                return difference
        return None
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        parts = (first_difference(e, g, inside(path, j)) for j, (e, g) in enumerate(zip(expected, got, strict=True)))
        return next((difference for difference in parts if difference is not None), None)
    same = expected == got and isinstance(expected, bool) == isinstance(got, bool)
    return None if same else (path, excerpt(expected), excerpt(got))
