"""Fields that the deal draws independently and uniformly: the deal, and what a seat can believe of hidden ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from aucenv.core.defaults.written_kernels import (
    bound,
    conditions,
    is_visible,
    loops,
    read,
    unreadable_fields,
    write_kernel,
)
from aucenv.core.fields import ALL, BY_HIDE, Field, FieldsError, GameState
from aucenv.core.kernel import draw_below, subkey
from aucenv.core.state import NOBODY, RESAMPLE, VALUE, rekey, seats_of

_NAMES = {
    "draw_below": draw_below,
    "rekey": rekey,
    "seats_of": seats_of,
    "subkey": subkey,
    "NOBODY": NOBODY,
    "RESAMPLE": RESAMPLE,
    "VALUE": VALUE,
}


def drawn_fields(state: type[GameState]) -> list[Field[Any]]:
    """Return the fields that the deal draws."""
    return [field for field in state.FIELDS.values() if field.drawn is not None]


def deal_of(state: type[GameState]) -> Callable[..., None]:
    """Return the kernel `deal` of a game that draws only the fields declared as `drawn`.

    All seats have a decision in the first round, and no seat stands in fields with the name of one.

    Raises:
        FieldsError: No field is drawn.
    """
    if not drawn_fields(state):
        raise FieldsError(f"{state.__module__}: deal_of: expected fields that are drawn, got none")
    lines = [
        "def deal(state, b, template, key):",
        "    state[b] = template[0]",
        "    g = state[b]",
        "    rekey(g, key)",
    ]
    for field in state.FIELDS.values():
        if field.hidden_as and field.per and field.drawn is None:
            inside, indent = loops(field, "    ")
            lines += [*inside, f"{indent}{read(field)} = {field.hidden_as}"]
    for number, field in enumerate(drawn_fields(state)):
        # a subkey, because seats could infer `key` itself from their values
        lines.append(f"    k{number} = subkey(key, VALUE, {number})")
        inside, indent = loops(field, "    ")
        lines += [*inside, f"{indent}{read(field)} = {_draw(field, f'k{number}, VALUE', 0)}"]
    lines += ["    for i in range(seats_of(g)):", '        g["acting"][i] = 1']
    return write_kernel(state, lines, _NAMES)


def _draw(field: Field[Any], key: str, number: int) -> str:
    step = bound(field, field.drawn)
    j, i = ("j" if "item" in field.per else "0"), ("i" if "seat" in field.per else "0")
    return f"draw_below({bound(field, field.most)} // {step} + 1, {key}, {j}, {number}, {i}) * {step}"


class DrawnBelief:
    """The belief module of a game without one whose hidden values are drawn independently.

    Hidden values that the deal draws are resampled; others follow from actions, and become what stands for hidden ones.

    Args:
        state: The game's State.
    """

    def __init__(self, state: type[GameState]) -> None:
        lines = [*_resampling(state)]
        self.resample = write_kernel(state, lines, {**_NAMES, **conditions(state)})


def draws_hidden_fields(state: type[GameState]) -> bool:
    """Return whether DrawnBelief can be the belief of a State: `check_game` finds out whether it fits the deal."""
    hidden = hidden_fields(state)
    readable = not unreadable_fields(state) and not any(each.visible_to is BY_HIDE for each in hidden)
    return readable and (not hidden or any(each.drawn is not None for each in hidden))


def hidden_fields(state: type[GameState]) -> list[Field[Any]]:
    """Return the fields that are hidden from some seats, except keys of random numbers and `forced_tie`."""
    fields = state.FIELDS.values()
    return [
        field for field in fields if field.visible_to is not ALL and not field.is_key and field.name != "forced_tie"
    ]


def _resampling(state: type[GameState]) -> Iterator[str]:
    """Yield the source of `resample`; fields with a condition come first, because conditions may read other fields."""
    yield "def resample(state, b, seat, key):"
    yield "    g = state[b]"
    drawn = drawn_fields(state)
    for field in sorted(hidden_fields(state), key=lambda field: field.visible_to.condition is None):
        inside, indent = loops(field, "    ")
        yield from inside
        yield f"{indent}if not ({is_visible(field, 'seat')}):"
        value = _draw(field, "key, RESAMPLE", drawn.index(field)) if field in drawn else str(field.hidden_as)
        yield f"{indent}    {read(field)} = {value}"
    yield '    seat_key = g["seat_key"][seat]'
    yield "    rekey(g, key)"
    yield '    g["seat_key"][seat] = seat_key'
    yield '    g["forced_tie"] = NOBODY'
