"""Results that are fields per seat: the kernels `payoff` and `result` of rules, written from the declared fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aucenv.core.checks import suggestion
from aucenv.core.defaults.written_kernels import bound, write_kernel
from aucenv.core.fields import SEAT, FieldsError, GameState
from aucenv.core.kernel import inlined
from aucenv.core.state import seats_of


def payoff_of(state: type[GameState], name: str) -> Callable[..., None]:
    """Return the kernel `payoff` of a game whose score is a field per seat, divided by the most that it can be.

    Raises:
        FieldsError: The name is not that of a field per seat with `most`.
    """
    _check(state, "payoff_of", name)
    field = state.FIELDS[name]
    if field.most is None:
        raise FieldsError(f"{state.__module__}: payoff_of: expected a field with `most`, got {field!r}")
    scale = f'g["{name}"][seat] / {bound(field, field.most)}'
    return _write(state, "def payoff(state, b, out):", [f"out[seat] = {scale}"])


def result_of(state: type[GameState], names: Sequence[str]) -> Callable[..., None]:
    """Return the kernel `result` of a game whose results are fields per seat.

    Raises:
        FieldsError: A name is not that of a field per seat.
    """
    for name in names:
        _check(state, "result_of", name)
    lines = [f'out[seat, {number}] = g["{name}"][seat]' for number, name in enumerate(names)]
    return _write(state, "def result(state, b, out):", lines)


def _check(state: type[GameState], function: str, name: str) -> None:
    field = state.FIELDS.get(name)
    if field is None or field.per != (SEAT,):
        hint = suggestion(name, [each for each, field in state.FIELDS.items() if field.per == (SEAT,)])
        raise FieldsError(f"{state.__module__}: {function}: expected the name of a field per seat, got {name!r}{hint}")


def _write(state: type[GameState], head: str, lines: Sequence[str]) -> Callable[..., None]:
    inside = [f"        {line}" for line in lines]
    source = [head, "    g = state[b]", "    for seat in range(seats_of(g)):", *inside]
    return write_kernel(state, source, {"seats_of": seats_of}, inlined)
