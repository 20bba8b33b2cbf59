"""The six scales from 1 to 5 on which Alympics' judges rate residents, and the published ratings.

Source: Alympics, arXiv 2311.03220, section 4, for the scales and the ratings. The wording is aucenv's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from aucenv.baselines.llm.json_replies import Malformed, as_object, last_object

LOWEST, HIGHEST = 1, 5
IDENTITY = "identity"
"""The scale on which only residents with a persona are rated."""


@dataclasses.dataclass(frozen=True)
class Published:
    """The published ratings on one scale: their mean, standard deviation and quartiles."""

    mean: float
    sd: float
    quartile_1: float
    median: float
    quartile_3: float


@dataclasses.dataclass(frozen=True)
class Scale:
    """One scale.

    Attributes:
        heading: its name in tables.
        levels: the meanings of its scores, from the lowest to the highest.
        agents: the published ratings of agents by others.
        people: the published ratings of ten people by themselves; None: there are none.
    """

    heading: str
    levels: tuple[str, str, str, str, str]
    agents: Published
    people: Published | None


SCALES: Mapping[str, Scale] = {
    "information": Scale(
        "information",
        (
            "pays no attention to what is announced, or acts on it days too late",
            "acts on some of what is known, and overlooks the rest",
            "acts on the facts that matter most, but not on all of them",
            "weighs nearly all that is known, and draws sensible conclusions from it",
            "takes account of everything that is known, on the day on which it matters",
        ),
        Published(3.33, 1.04, 3, 3, 4),
        Published(3.60, 0.52, 3, 4, 4),
    ),
    "logic": Scale(
        "logic",
        (
            "the bids follow from nothing and could have been drawn at random",
            "the bids have reasons, with obvious mistakes in them",
            "most bids follow from the facts that are given as their reasons",
            "the reasons hold, and the bids follow from them",
            "each bid is the best one in its situation, for reasons that hold",
        ),
        Published(3.47, 1.00, 3, 4, 4),
        Published(3.50, 0.71, 3, 4, 4),
    ),
    "strategy": Scale(
        "strategy",
        (
            "follows one plain rule, which brings no water when it is needed",
            "has a way of bidding that helps a little, and minds only one side of the game",
            "has a way of bidding that works in some situations, and not in others",
            "has a way of bidding that works, and minds the things that matter most",
            "weighs many things against each other, and is ahead of the other residents because of it",
        ),
        Published(3.46, 1.10, 3, 4, 4),
        Published(3.30, 0.82, 3, 3, 4),
    ),
    "adaptability": Scale(
        "adaptability",
        (
            "bids in the same way to the end, or changes long after it should have",
            "changes its bids rarely and by little when the situation changes",
            "changes its bids after some events, and after others not",
            "changes its bids readily whenever the situation changes",
            "changes its bids before the supply, the others or its health force it to",
        ),
        Published(3.42, 1.12, 3, 4, 4),
        Published(3.70, 1.06, 3, 3.5, 4.75),
    ),
    "planning": Scale(
        "planning",
        (
            "thinks of today only",
            "thinks of later days now and then, but mostly reacts",
            "plans for later days, but sometimes forgets them for the sake of today",
            "plans for later days, and keeps to the plan",
            "follows a plan for all days, from the first to the last",
        ),
        Published(3.88, 0.88, 3, 4, 4),
        Published(3.40, 1.26, 3, 3.5, 4),
    ),
    IDENTITY: Scale(
        "identity",
        (
            "words and bids contradict the persona",
            "words and bids could be anybody's, with few traces of the persona",
            "words and bids are those of this person at times, and at times not",
            "words and bids are mostly those of this person, with small lapses",
            "words and bids are those of this person throughout",
        ),
        Published(3.51, 1.24, 3, 4, 5),
        None,
    ),
}
"""Name of a scale, as in replies and forms -> the scale."""


def scales_of(persona: str) -> tuple[str, ...]:
    """Return the names of the scales for a resident with this persona; "": it has none."""
    return tuple(name for name in SCALES if persona or name != IDENTITY)


def describe_scales(names: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of each scale: its name, and the meaning of each score."""
    for name in names:
        yield f"- {name} (from {LOWEST} to {HIGHEST}):"
        for score, level in enumerate(SCALES[name].levels, LOWEST):
            yield f"  - {score}: {level}"


def read_scores(reply: str, names: tuple[str, ...]) -> tuple[dict[str, int], str]:
    """Read the scores in a reply, a JSON object such as {"logic": {"score": 4, "reason": "..."}, ...}.

    Returns:
        The score of each scale that has a readable one; and what is wrong with the others, "" if nothing is.
    """
    try:
        data = last_object(reply, lambda candidate: any(name in candidate for name in names))
    except Malformed as error:
        return {}, str(error)
    scores, wrong = {}, []
    for name in names:
        try:
            scores[name] = _score(name, data)
        except Malformed as error:
            wrong.append(str(error))
    return scores, "; ".join(wrong)


def _score(name: str, data: Mapping[str, Any]) -> int:
    if name not in data:
        raise Malformed(f"{name}: missing")
    score = as_object(name, data[name]).get("score") if isinstance(data[name], dict) else data[name]
    if isinstance(score, bool) or not isinstance(score, (int, float)) or score not in range(LOWEST, HIGHEST + 1):
        raise Malformed(f"{name}: expected a whole number from {LOWEST} to {HIGHEST}, got {score!r:.40}")
    return int(score)
