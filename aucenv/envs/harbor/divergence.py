"""How near a bidder's profiles of its rivals come to their personas. Source: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.harbor.notes import check_profile, check_profiles
from aucenv.envs.harbor.personas import PERSONAS

NUM_PERSONAS = len(PERSONAS)
SMOOTHING = 1e-12
MISREAD = 20.0
"""A divergence above this is that of a profile that gives a persona of the rival no weight at all: it costs 27."""


def divergence(profile: Sequence[float], personas: Sequence[int]) -> float:
    """KL(G || P): G the true personas, each alike; P the profile, shifted by |its least|, normalised and smoothed.

    Args:
        profile: ten weights in [-1, 1]; all equal, they are the uniform distribution: 2.30, or 1.61 of two personas.
        personas: the numbers of one or two.

    Raises:
        ValueError: not ten weights in [-1, 1].
    """
    weights = check_profile(profile)
    shifted = [weight + abs(min(weights)) for weight in weights]
    total = sum(shifted)
    chances = [1 / NUM_PERSONAS] * NUM_PERSONAS if max(weights) == min(weights) else [w / total for w in shifted]
    share = 1 / len(personas)
    return max(0.0, sum(share * math.log(share / (chances[k] + SMOOTHING)) for k in personas))


def persona_ids(record: GameRecord) -> list[str]:
    """The ids of the ten, in the order of every profile."""
    return [persona["id"] for persona in record.scenario["kinds"]] or list(PERSONAS)


def persona_numbers(record: GameRecord) -> dict[str, list[int]]:
    """Each seat's personas by number."""
    ids = persona_ids(record)
    seats = [who["seat"] for who in record.seats]
    return {
        seat: [ids.index(persona) for persona in dealt["personas"]]
        for seat, dealt in zip(seats, record.deal["seats"], strict=True)
    }


def noted_profiles(record: GameRecord, seat: str) -> Iterator[tuple[int, JsonObject]]:
    """(items that were through, profiles by rival) whenever `seat` has noted profiles, in order; the end comes last."""
    for decision in record.decisions:
        if decision["seat"] == seat and "profiles" in decision["notes"]:
            yield decision["item"], decision["notes"]["profiles"]
    for who in record.seats:
        if who["seat"] == seat and "profiles" in who.get("notes", {}):
            yield len(record.deal["items"]), who["notes"]["profiles"]


def divergences(record: GameRecord, seat: str, last: bool = False) -> dict[int, list[float]]:
    """The divergence of each profile that `seat` noted of a rival with personas, by the number of items through.

    Of several notes at one item the last counts.

    Args:
        last: only those noted last.

    Raises:
        ValueError: a note that is no profile; names game and seat.
    """
    personas = persona_numbers(record)
    noted = dict(noted_profiles(record, seat))
    found: dict[int, list[float]] = {}
    for through, profiles in list(noted.items())[-1 if last else 0 :]:
        try:
            check_profiles(profiles, [rival for rival in personas if rival != seat])
        except ValueError as error:
            raise ValueError(f"game {record.index}, {seat}, item {through}: {error}") from None
        found[through] = [
            divergence(profile, personas[rival]) for rival, profile in profiles.items() if personas[rival]
        ]
    return found
