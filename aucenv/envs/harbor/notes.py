"""Notes that figures of housing auctions read: those of English auctions, the rule followed and profiles of rivals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from aucenv.core.checks import check_list, nonempty_text, number, one_of
from aucenv.core.files import JsonMapping
from aucenv.envs.english import notes as english
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.view import View


def check_notes(notes: JsonMapping, view: View) -> None:
    """Raise unless the notes that figures read have the expected format.

    Args:
        notes: the notes of English auctions; `rule`, a text; `profiles`, an object with a list of ten weights in
            [-1, 1] for each rival's seat. Notes under other names are not checked.

    Raises:
        ValueError: a note has another format; the message names it and what was expected.
    """
    english.check_notes(notes, view)
    if "rule" in notes:
        nonempty_text("notes, rule", notes["rule"])
    if "profiles" in notes:
        check_profiles(notes["profiles"], [seat for seat in view.scenario_text.seats if seat != view.seat])


def check_profiles(profiles: Any, rivals: Collection[str]) -> None:
    """Raise ValueError unless it is an object with a profile for each rival's seat."""
    if not isinstance(profiles, Mapping):
        raise ValueError(f"notes, profiles: expected an object, got {profiles!r:.80}")
    for rival, weights in profiles.items():
        one_of("notes, profiles, rival", rival, rivals)
        check_profile(weights, f"notes, profile of {rival}")


def check_profile(weights: Any, where: str = "profile") -> Sequence[float]:
    """Return the weights; raise ValueError unless there are ten, each in [-1, 1]."""
    check_list(where, weights, NUM_PERSONAS)
    if not all(type(weight) is float and -1 <= weight <= 1 for weight in weights):
        for k, weight in enumerate(weights):
            number(f"{where}, weight {k}", weight, -1, 1)
    return weights
