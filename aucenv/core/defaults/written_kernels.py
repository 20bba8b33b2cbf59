"""Kernels whose source follows from the declared fields of a game's State.

Kernels read fields by literal names, so that a kernel for the fields of any State has to be written for each of them.
The disk cache knows the written kernel by the file of the State and by a digest of its source.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from aucenv.core.fields import ALL, ITEM, OWNER, SEAT, Field, GameState
from aucenv.core.kernel import Compiler, kernel

Names = Mapping[str, Any]


def write_kernel(state: type[GameState], source: Iterable[str], names: Names, compiler: Compiler = kernel) -> Callable:
    """Compile a kernel that is given as source.

    Args:
        state: The State whose fields it reads.
        source: The lines, which begin with `def NAME(`.
        names: What it calls, by name.
        compiler: `kernel` or `inlined`.
    """
    text = "\n".join(source)
    file = getattr(sys.modules.get(state.__module__), "__file__", None)  # a State of a notebook has none
    called = "".join(sorted(f"{name}={_origin(value)}" for name, value in names.items()))
    name = text.removeprefix("def ").partition("(")[0]
    namespace = {**names, "__name__": state.__module__}
    exec(compile(text, file or "<written>", "exec"), namespace)  # noqa: S102  (written here)
    function = namespace[name]
    assert isinstance(function, FunctionType)
    function.__name__ = f"{name}_{hashlib.sha256(f'{text}{called}'.encode()).hexdigest()[:12]}"
    function.__qualname__ = function.__name__  # names the files of the cache
    return compiler(function)


def _origin(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', value)}"


def bound(field: Field[Any], value: float | str | None) -> str:
    """Return the source of `most` or `drawn` of a field, as an integer of the state."""
    return f'g["{value}"]' if isinstance(value, str) else str(field.in_state(value or 0))


def read(field: Field[Any], seat: str = "i", item: str = "j") -> str:
    """Return the source of a value of a field, at these sources of the seat and the item."""
    index = {SEAT: seat, ITEM: item}
    return f'g["{field.name}"]' + "".join(f"[{index[each]}]" for each in field.per)


def is_visible(field: Field[Any], viewer: str, seat: str = "i", item: str = "j") -> str:
    """Return the source of whether a seat sees a value of a field; "" if all do.

    A condition is called under the name that `conditions` gives it.
    """
    if field.visible_to is ALL:
        return ""
    if field.visible_to is OWNER:
        return f"{viewer} == {seat}"
    if field.visible_to.condition is None:
        return "False"
    index = {SEAT: seat, ITEM: item}
    return f"see_{field.name}({', '.join(['g', viewer, *(index[each] for each in field.per)])})"


def conditions(state: type[GameState]) -> dict[str, Callable[..., Any]]:
    """Return the conditions of a State's fields by the names under which written kernels call them."""
    fields = state.FIELDS.values()
    return {f"see_{field.name}": field.visible_to.condition for field in fields if field.visible_to.condition}


def loops(field: Field[Any], indent: str) -> tuple[list[str], str]:
    """Return the lines of loops over the values of a field, as `i` and `j`, and the indentation inside them."""
    lines = []
    for each in field.per:
        lines.append(f"{indent}for {'i' if each == SEAT else 'j'} in range({LENGTHS[each]}):")
        indent += "    "
    return lines, indent


LENGTHS = {SEAT: "seats_of(g)", ITEM: 'g["num_items"]'}


def unreadable_fields(state: type[GameState]) -> list[Field[Any]]:
    """Return the fields with dimensions other than seats and items, which no default can read."""
    shapes = ((), (SEAT,), (ITEM,), (SEAT, ITEM), (ITEM, SEAT))
    return [field for field in state.FIELDS.values() if field.per not in shapes]
