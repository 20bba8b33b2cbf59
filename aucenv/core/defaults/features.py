"""Features by default: every field that a seat sees, in the order of declaration, divided by the most that it can be.

A field has one feature for the whole game; one for each seat, the observing seat first, if all seats see those of all,
and otherwise one of the seat itself; and for values of items, one of the current item, which is 0 once the game is
over, and one of the item before. What a seat does not see is 0, and what is none is -1. Fields that are only the bounds
of other ones, and those that all games have, except the item, have no features.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from aucenv.core.adapters.features import part_of, seat_ahead
from aucenv.core.defaults.bid_forms import BidForm
from aucenv.core.defaults.drawn_fields import drawn_fields
from aucenv.core.defaults.written_kernels import bound, conditions, is_visible, read, unreadable_fields, write_kernel
from aucenv.core.fields import ALL, BY_HIDE, ITEM, NONE, SEAT, Field, FieldsError, GameState
from aucenv.core.game_modules import RulesModule
from aucenv.core.kernel import bind, inlined, template, unbound
from aucenv.core.state import RUNNING, seats_of

features = check = amount = unbound

AT = {"now": "", "before": "last_"}
"""The items of features, each with how the names of features begin."""


@template
def update_all(state, b, item, out):
    """Write all features again, because a round can change each of them."""
    features(state, b, out)


@template
def mask_by_check(state, b, out):
    """Write which actions are legal: those whose amounts `check` accepts; only 0 for a seat without a decision."""
    g = state[b]
    for seat in range(seats_of(g)):
        out[seat, 0] = 1
        for action in range(1, out.shape[1]):
            out[seat, action] = 0
            if g["acting"][seat] != 0 and check(state, b, seat, amount(state, b, seat, action)) == 0:
                out[seat, action] = 1


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature, or one for each seat.

    Attributes:
        name: Its name.
        source: The source of its value for `seat`; for each seat, that of the seat `i`.
        of_all: Whether there is one for each seat.
    """

    name: str
    source: str
    of_all: bool = False


class DefaultFeatures:
    """The module `features` of a game without one.

    Args:
        rules: The game's rules.
        form: The form of replies, from which vector actions follow.
        prefix: The prefix of the game's kernels.

    Raises:
        FieldsError: A field has no `most`, is visible BY_HIDE, or has other dimensions than seats and items.
    """

    def __init__(self, rules: RulesModule, form: BidForm, prefix: str) -> None:
        state = rules.State
        self._features = [*_features(state)]
        self._hidden = [*_hidden(state)]
        names = {
            "part_of": part_of,
            "seat_ahead": seat_ahead,
            "seats_of": seats_of,
            "RUNNING": RUNNING,
            **conditions(state),
        }
        self.features = write_kernel(state, self._source(), names)
        self.hidden_features = write_kernel(state, self._hidden_source(), names, inlined)
        self.update_features = bind(update_all, prefix, inlined, features=self.features)
        self.amount, self.amount_of_share = form.kernels(state, rules.clip)
        self.mask = bind(mask_by_check, prefix, inlined, check=rules.check, amount=self.amount)

    def feature_names(self, num_bidders: int, num_items: int = 1) -> list[str]:
        """Return the name of each feature of a seat; those of seats have their distance to the observing seat."""
        names = []
        for feature in self._features:
            of_seats = [f"{feature.name}_{distance}" for distance in range(num_bidders)]
            names += of_seats if feature.of_all else [feature.name]
        return names

    def num_features(self, num_bidders: int, num_items: int) -> int:
        """Return the number of features of a seat."""
        return sum(num_bidders if feature.of_all else 1 for feature in self._features)

    def num_hidden_features(self, num_items: int) -> int:
        """Return the number of hidden features."""
        return len(self._hidden)

    def _source(self) -> Iterator[str]:
        """Yield the source of `features`; the place of a feature is its number, and the seats times those before it."""
        yield "def features(state, b, out):"
        yield from _places("    ")
        yield "    for seat in range(n):"
        single = tables = 0
        for feature in self._features:
            if feature.of_all:
                yield "        for k in range(n):\n            i = (seat + k) % n"
                yield f"            out[seat, {single} + {tables} * n + k] = {feature.source}"
                tables += 1
            else:
                yield f"        out[seat, {single} + {tables} * n] = {feature.source}"
                single += 1

    def _hidden_source(self) -> Iterator[str]:
        yield "def hidden_features(state, b, out):"
        yield from _places("    ")
        for place, source in enumerate(self._hidden):
            yield f"    out[{place}] = {source}"


def _places(indent: str) -> Iterator[str]:
    """Yield the lines that define the number of seats, and the current item and the one before."""
    yield f"{indent}g = state[b]"
    yield f"{indent}n = seats_of(g)"
    yield f'{indent}runs = g["status"] == RUNNING'
    yield f'{indent}is_later = g["item"] > 0'
    yield f'{indent}now = min(g["item"], g["num_items"] - 1)'
    yield f'{indent}before = max(0, g["item"] - 1)'


def _features(state: type[GameState]) -> Iterator[Feature]:
    if unreadable := unreadable_fields(state):
        raise _no_default(unreadable[0], f"one with dimensions of seats and items, got {unreadable[0].per}")
    yield Feature("round", 'part_of(min(g["item"] + 1, g["num_items"]), g["num_items"])')
    for field in shown_fields(state):
        if field.visible_to is BY_HIDE:
            raise _no_default(field, "a field that says who sees it, got BY_HIDE")
        _check_scale(field)
        yield from _of_field(field)


def shown_fields(state: type[GameState]) -> list[Field[Any]]:
    """Return the fields of a game that seats see, those excepted that all games have, keys, and bounds of others."""
    bounds = {each for field in state.FIELDS.values() for each in (field.most, field.drawn)}
    return [
        field
        for name, field in state.FIELDS.items()
        if name not in GameState.FIELDS
        and field.visible_to is not NONE
        and not field.is_key
        and not (field.most is None and name in bounds)
    ]


def _no_default(field: Field[Any], expected: str) -> FieldsError:
    return FieldsError(f"State.{field.name}: features by default: expected {expected}")


def _check_scale(field: Field[Any]) -> None:
    if field.most is None and not field.is_seat:
        raise _no_default(field, "`most`, a number or the name of a public field that bounds it, got none")


def _of_field(field: Field[Any]) -> Iterator[Feature]:
    """Yield the features of a field."""
    of_all = SEAT in field.per and field.visible_to is ALL
    seat = "i" if of_all else "seat"
    for at in items_of(field):
        sees = is_visible(field, "seat", seat, at)
        exists = {"now": "runs", "before": "is_later", "": ""}[at]
        conditions = [each for each in (exists, sees) if each and each != "seat == seat"]
        source = _scaled(field, read(field, seat, at))
        source = f"{source} if {' and '.join(conditions)} else 0.0" if conditions else source
        yield Feature(f"{AT.get(at, '')}{field.name}", source, of_all)


def items_of(field: Field[Any]) -> tuple[str, ...]:
    """Return the items of which a seat knows values of a field: "now", "before", or "" for a field without items."""
    if ITEM not in field.per:
        return ("",)
    return ("before",) if field.at_close else ("now", "before")


def _scaled(field: Field[Any], value: str) -> str:
    if field.is_seat:
        return f"seat_ahead({value}, seat, n)"
    part = f"part_of({value}, {bound(field, field.most)})"
    return f"({part} if {value} >= 0 else -1.0)" if field.unit.may_be_none else part


def _hidden(state: type[GameState]) -> Iterator[str]:
    """Yield the sources of the hidden features: drawn values that no seat sees, of the current item."""
    for field in drawn_fields(state):
        if field.visible_to is NONE and SEAT not in field.per:
            yield f"part_of({read(field, item='now')}, {bound(field, field.most)})"
