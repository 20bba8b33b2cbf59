"""What bidders may note for figures to read: as of English auctions, the rule they follow, profiles of rivals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from aucenv.core.checks import check_list, number, one_of, some_text
from aucenv.core.files import JsonMapping
from aucenv.envs.english import notes as english
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.view import View


def check_notes(notes: JsonMapping, view: View) -> None:
    """Nothing, if notes under these names have the form that figures read.

    Args:
        notes: as of English auctions; rule, some text; profiles, an object with a list of ten weights in [-1, 1] by
            rival's seat. Whatever has another name is the bidder's own business.

    Raises:
        ValueError: one has another form; says which, and what was expected.
    """
    english.check_notes(notes, view)
    if "rule" in notes:
        some_text("notes, rule", notes["rule"])
    if "profiles" in notes:
        check_profiles(notes["profiles"], [seat for seat in view.scenario_text.seats if seat != view.seat])


def check_profiles(profiles: Any, rivals: Collection[str]) -> None:
    """Nothing, if it is an object with a profile by rival's seat."""
    if not isinstance(profiles, Mapping):
        raise ValueError(f"notes, profiles: expected an object, got {profiles!r:.80}")
    for rival, weights in profiles.items():
        one_of("notes, profiles, rival", rival, rivals)
        check_profile(weights, f"notes, profile of {rival}")


def check_profile(weights: Any, where: str = "profile") -> Sequence[float]:
    """The weights, if they are ten, in [-1, 1]."""
    check_list(where, weights, NUM_PERSONAS)
    if not all(type(weight) is float and -1 <= weight <= 1 for weight in weights):
        for k, weight in enumerate(weights):
            number(f"{where}, weight {k}", weight, -1, 1)
    return weights
