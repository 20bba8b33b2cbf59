"""Views and infos by default: what a seat sees of the declared fields of a game's State."""

from __future__ import annotations

import copyreg
import dataclasses
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from aucenv.core.adapters.infos import Infos
from aucenv.core.defaults.features import shown_fields
from aucenv.core.defaults.written_kernels import unreadable_fields
from aucenv.core.fields import (
    ALL,
    ALL_BY_ITEM,
    CURRENT,
    ITEM,
    OWNER,
    OWNER_BY_ITEM,
    PREVIOUS,
    SEAT,
    Field,
    FieldsError,
    GameState,
    running,
)
from aucenv.core.game_modules import RulesModule
from aucenv.core.state import NOBODY
from aucenv.core.views.projections import Projection, Public
from aucenv.core.views.seat_view import ScenarioText, SeatView, ViewMaker

is_later = GameState.item.now().at_least(1)


class DefaultView:
    """The view module of a game without one.

    A View has the value of each field that a seat sees under the name of the field: that of the seat itself and of the
    current item, which is None once the game is over. NAME_by_seat has those of all seats, if all see them, and
    `history` has the closed items.

    Args:
        rules: The game's rules; a kernel `hide` decides about fields that are visible BY_HIDE.
        game: The module that declares the game.

    Raises:
        FieldsError: Two names of the view are the same, or a field has other dimensions than seats and items.
    """

    ScenarioText = ScenarioText

    def __init__(self, rules: RulesModule, game: str) -> None:
        state = rules.State
        if unreadable := unreadable_fields(state):
            raise FieldsError(f"State.{unreadable[0].name}: a View by default: expected dimensions of seats and items")
        names = {"__module__": state.__module__, "__doc__": "The view of a seat; amounts in dollars.", "__slots__": ()}
        publics = {**dict(_publics(state)), "history": _history(state), "scenario": _scenario}
        for name in publics:
            if hasattr(SeatView, name):
                raise FieldsError(
                    f"State.{name}: a View by default: expected another name, because a View has its own {name}"
                )
        self.View = _ViewType("View", (SeatView,), {**names, **publics, "GAME": game})
        self.make_view: ViewMaker[Any] = ViewMaker(self.View, state, getattr(rules, "hide", None))
        self.INFOS = Infos(**dict(_infos(state)))


class _ViewType(type):
    """The type of a View's class that is no name of a module: it is pickled as the View of its game."""

    GAME: str
    """The module that declares the game."""


def _view_of(game: str) -> type[SeatView]:
    view: type[SeatView] = import_module(game).GAME.view.View
    return view


copyreg.pickle(_ViewType, lambda view: (_view_of, (view.GAME,)))  # type: ignore[arg-type, return-value]


_scenario = Public(lambda view: view.scenario_text.scenario, "The scenario.")


def _publics(state: type[GameState]) -> Iterator[tuple[str, Public[Any]]]:
    for field in fields_of_view(state):
        words = field.doc or words_of(field)
        doc = f"{words[:1].upper()}{words[1:]}."
        if not field.at_close:
            yield (
                field.name,
                _at(field, CURRENT, f"{doc[:-1]}; None once the game is over." if ITEM in field.per else doc),
            )
        if field.per == (SEAT,) and field.visible_to is ALL:
            yield f"{field.name}_by_seat", field.by_seat(doc)


def fields_of_view(state: type[GameState]) -> Iterator[Field[Any]]:
    """Yield the fields that Views show, bounds of others included."""
    shown = shown_fields(state)
    for name, field in state.FIELDS.items():
        if (field in shown or field.visible_to is ALL) and name not in (*GameState.FIELDS, "acting"):
            yield field


def words_of(field: Field[Any]) -> str:
    """Return the name of a field in words."""
    return field.name.replace("_", " ")


def _at(field: Field[Any], at: str, doc: str = "") -> Projection[Any]:
    """Return the value of the seat and the current or the previous item, as far as the field has such dimensions."""
    value = field.projected(tuple(at if each == ITEM else each for each in field.per), doc)
    if field.unit.may_be_none and field.unit.names is None:
        value = value.where(value.at_least(0), number=NOBODY)
    if ITEM not in field.per:
        return value
    number = NOBODY if field.is_seat or field.unit.may_be_none else 0
    return value.where(running if at == CURRENT else is_later, number=number)


def _infos(state: type[GameState]) -> Iterator[tuple[str, Projection[Any]]]:
    """Yield the infos; they are read from the full state, so fields whose visibility a game decides have none."""
    yield "round", GameState.item.now().plus(1).where(running)
    known = (ALL, OWNER, ALL_BY_ITEM, OWNER_BY_ITEM)
    for field in (each for each in fields_of_view(state) if each.visible_to in known):
        if not field.at_close:
            yield field.name, _at(field, CURRENT)
        if ITEM in field.per:
            yield f"last_{field.name}", _at(field, PREVIOUS)


def _history(state: type[GameState]) -> Public[Any]:
    """Return the public name of the closed items: of each, what the seat knows, by the names of fields."""
    fields = [field for field in fields_of_view(state) if ITEM in field.per]
    Closed = dataclasses.make_dataclass("Closed", [field.name for field in fields], frozen=True)  # noqa: N806  (a class)

    def closed(view: Any) -> list[Any]:
        return [Closed(*(_value(field, view, j) for field in fields)) for j in range(view.item_number)]

    return Public(closed, "The closed items, in order: what the seat knows of each, by the names of the fields.")


def _value(field: Field[Any], view: Any, item: int) -> Any:
    index = tuple(item if each == ITEM else view.seat_number for each in field.per)
    return field.unit.public(int(view.row[field.name][0][index]), view.scenario_text)
