"""Notes that figures of housing auctions read: those of English auctions, the rule followed and profiles of rivals.

Source: HARBOR, arXiv 2502.12149: rules A to F, one of which ExpAct and agents choose before each bid, and the
divergence of a bidder's profiles from the personas of its rivals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aucenv.core.checks import at, check_list, one_of
from aucenv.core.checks import number as checked_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, MapOf, number
from aucenv.core.records.record import GameRecord
from aucenv.envs.english import notes as english
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.harbor.view import View

LETTERS = "ABCDEF"

ASKS_TO_BID: Mapping[str, bool] = {"A": True, "B": True, "C": True, "D": False, "E": False, "F": False, "decoy": True}
"""Whether each rule asks to bid; the others ask to leave.

A: the house has a high priority. B: a rival should spend its budget on it. C: the budget allows it. D: the budget is
saved for houses of higher priority. E: the margin is too thin. F: a rival will not give in. The decoy, which
second-order reasoning adds, is a bid that hides the bidder's persona.
"""

SMOOTHING = 1e-12
MISREAD = 20.0
"""A divergence above this means that the profile gives the rival's persona zero probability; it is then about 28."""
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


def divergence(profile: Sequence[float], personas: Sequence[int]) -> float:
    """Return the Kullback-Leibler divergence KL(G || P) of a profile from the true personas.

    G is uniform over the true personas. P is the profile, shifted by the absolute value of its minimum, normalized and
    smoothed. Equal weights mean the uniform distribution, whose divergence is 2.30 for one persona and 1.61 for two.

    Args:
        profile: ten weights in [-1, 1].
        personas: the numbers of one or two personas.

    Raises:
        ValueError: the profile does not consist of ten weights in [-1, 1].
    """
    weights = check_profile(profile)
    shifted = [weight + abs(min(weights)) for weight in weights]
    total = sum(shifted)
    probabilities = [1 / NUM_PERSONAS] * NUM_PERSONAS if max(weights) == min(weights) else [w / total for w in shifted]
    share = 1 / len(personas)
    return max(0.0, sum(share * math.log(share / (probabilities[k] + SMOOTHING)) for k in personas))


def persona_ids(record: GameRecord) -> list[str]:
    """Return the ids of the ten personas, in the order of every profile."""
    return [persona["id"] for persona in record.scenario["kinds"]] or list(PERSONAS)


def persona_numbers(record: GameRecord) -> dict[str, list[int]]:
    """Return the numbers of each seat's personas."""
    ids = persona_ids(record)
    seats = [player["seat"] for player in record.seats]
    return {
        seat: [ids.index(persona) for persona in dealt["personas"]]
        for seat, dealt in zip(seats, record.deal["seats"], strict=True)
    }


def noted_profiles(record: GameRecord, seat: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield (number of closed items, profiles by rival) for each time `seat` has noted profiles, in order."""
    for decision in record.decisions:
        if decision["seat"] == seat and "profiles" in decision["notes"]:
            yield decision["item"], decision["notes"]["profiles"]
    for player in record.seats:
        if player["seat"] == seat and "profiles" in player.get("notes", {}):
            yield len(record.deal["items"]), player["notes"]["profiles"]


def last_profiles(record: GameRecord, seat: str) -> JsonObject:
    """Return the last profiles that `seat` noted, by rival; an empty dict if it noted none."""
    noted = [profiles for _, profiles in noted_profiles(record, seat)]
    return noted[-1] if noted else {}


def divergences(record: GameRecord, seat: str) -> dict[int, list[float]]:
    """Return the divergences of the profiles that `seat` noted of rivals with personas, by number of closed items.

    If a seat noted profiles several times during an item, the last ones count.
    """
    personas = persona_numbers(record)
    return {
        num_closed: [divergence(profile, personas[rival]) for rival, profile in profiles.items() if personas[rival]]
        for num_closed, profiles in dict(noted_profiles(record, seat)).items()
    }
