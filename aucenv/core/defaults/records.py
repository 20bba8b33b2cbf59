"""The deal and the outcome of records by default: what the deal draws, and what is public at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aucenv.core.defaults.drawn_fields import drawn_fields
from aucenv.core.defaults.features import shown_fields
from aucenv.core.fields import ITEM, OWNER, SEAT, Field
from aucenv.core.formats.schema import ListOf, Object, Schema, whole
from aucenv.core.game_modules import RulesModule
from aucenv.core.records.figures import is_amount
from aucenv.core.records.record_parts import STATUS, Entry, RecordPart, computed, rows, values_of
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import SIGNED_DOLLARS, to_dollars
from aucenv.core.words.phrases import plural


class DefaultRecordFormat:
    """The record format of a game without one.

    The deal has the drawn fields. The outcome has the status, the number of rounds, of closed items what is public at
    the end, and for each seat the score, and those results that are also fields per seat.

    Args:
        rules: The game's rules.
    """

    def __init__(self, rules: RulesModule) -> None:
        self._rules, state = rules, rules.State
        drawn = drawn_fields(state)
        listed: dict[str, Any] = {_name(field): field for field in drawn if SEAT not in field.per[:1]}
        self.DEAL = RecordPart(**listed, seats=_seats({_name(each): each for each in drawn if SEAT in each.per[:1]}))
        public = [each for each in shown_fields(state) if each.visible_to is not OWNER and each not in drawn]
        closed = {_name(field): _closed(field) for field in public if field.per == (ITEM,)}
        results: dict[str, Any] = {
            name: self._result(number, state.FIELDS.get(name))
            for number, name in enumerate(rules.RESULT)
            if number == 0 or (name in state.FIELDS and state.FIELDS[name].per == (SEAT,))
        }
        self.OUTCOME = RecordPart(status=STATUS, rounds=state.rounds, **closed, seats=_seats(results))

    def _result(self, number: int, field: Field[Any] | None) -> Entry:
        """Return the entry of a number of RESULT, in the unit of the field of this name if there is one."""
        schema, public = _unit_of(self._rules.RESULT[number], field)

        def read(view: GameView) -> list[Any]:
            out = np.zeros((len(view.scenario_text.seats), len(self._rules.RESULT)), np.int64)
            self._rules.result(view.row, 0, out)
            return [public(value, view.scenario_text) for value in out[:, number].tolist()]

        return computed(schema, read)


def _unit_of(name: str, field: Field[Any] | None) -> tuple[Schema, Callable[[int, Any], Any]]:
    if field is not None and field.per == (SEAT,):
        return field.unit.record_schema, field.unit.public
    if is_amount(name):
        return SIGNED_DOLLARS, lambda value, texts: to_dollars(value)
    return whole(-(10**15), 10**15), lambda value, texts: value


def _name(field: Field[Any]) -> str:
    return plural(field.name) if ITEM in field.per else field.name


def _seats(columns: dict[str, Any]) -> Entry:
    """Return the entry with an object for each seat."""
    if columns:
        return rows(SEAT, **columns)
    return computed(ListOf(Object({})), lambda view: [{} for _ in view.scenario_text.seats])


def _closed(field: Field[Any]) -> Entry:
    """Return the entry with the values of the closed items."""
    schema = ListOf(field.unit.record_schema)
    return computed(schema, lambda view: values_of(field, view)[: view.item_number])
