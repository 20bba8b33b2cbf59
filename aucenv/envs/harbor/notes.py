"""Notes that figures of housing auctions read: those of English auctions, the rule followed and profiles of rivals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.checks import at, check_list, one_of
from aucenv.core.checks import number as checked_number
from aucenv.core.files import JsonMapping
from aucenv.core.formats.schema import ListOf, MapOf, number
from aucenv.core.records.record import GameRecord
from aucenv.envs.english import notes as english
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.view import View

WEIGHTS = ListOf(number(-1, 1), NUM_PERSONAS, NUM_PERSONAS)
PROFILES = MapOf(WEIGHTS)


def check_notes(notes: JsonMapping, view: View) -> None:
    """Raise unless the notes that figures read have the expected format.

    Args:
        notes: the notes of English auctions; `rule`, a text; `profiles`, an object with a list of ten weights in
            [-1, 1] for each rival's seat. Notes under other names are not checked.

    Raises:
        ValueError: a note has another format; the message names it and what was expected.
    """
    english.check_with(notes, view, check_seat_notes)


def check_record_notes(record: GameRecord, where: str) -> None:
    """Check all notes of a record.

    Raises:
        ValueError: a note has another format; the message names `where` and the note.
    """
    english.check_record_notes(record, where, check_seat_notes)


def check_seat_notes(
    notes: JsonMapping, names: dict[str, str], seat: str, num_closed: int, num_items: int, where: str, path: str
) -> None:
    """Check the notes of a seat; see `english.notes.check_seat_notes`."""
    english.check_seat_notes(notes, names, seat, num_closed, num_items, where, path)
    if "profiles" in notes:
        for rival in PROFILES.check(notes["profiles"], where, f"{path}.profiles"):
            one_of(f"{at(where, path)}.profiles, rival", rival, [other for other in names if other != seat])


def check_profile(weights: Any, where: str = "profile") -> Sequence[float]:
    """Return the weights; raise ValueError unless there are ten, each in [-1, 1]."""
    check_list(where, weights, NUM_PERSONAS)
    for k, weight in enumerate(weights):
        checked_number(f"{where}, weight {k}", weight, -1, 1)
    return weights
