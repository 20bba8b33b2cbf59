"""Divergence of a bidder's profiles of its rivals from their personas. Source: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.notes import check_profile
from aucenv.envs.harbor.personas import PERSONAS

NUM_PERSONAS = len(PERSONAS)
SMOOTHING = 1e-12
MISREAD = 20.0
"""A divergence above this means that the profile gives the rival's persona zero probability; it is then about 28."""


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
