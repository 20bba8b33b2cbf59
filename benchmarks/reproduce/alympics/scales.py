"""The six scales from 1 to 5 on which Alympics' judges rate residents, and the published means.

Source: Alympics, arXiv 2311.03220, section 4, for the scales and the means. The wording is aucenv's.
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
class Scale:
    """One scale.

    Attributes:
        heading: its name in tables.
        low, high: the meanings of its ends.
        agents: the published mean of agents, as others rate them.
        people: the published mean of ten people, who rate their own play; None: there is none.
    """

    heading: str
    low: str
    high: str
    agents: float
    people: float | None


SCALES: Mapping[str, Scale] = {
    "information": Scale(
        "information",
        "pays no attention to what is announced",
        "takes account of everything that is known, on the day on which it matters",
        3.33,
        3.60,
    ),
    "logic": Scale(
        "logic",
        "the bids follow from nothing and could have been drawn at random",
        "each bid is the best one in its situation, for reasons that hold",
        3.47,
        3.50,
    ),
    "strategy": Scale(
        "strategy",
        "follows one plain rule, which brings no water when it is needed",
        "weighs many things against each other, and is ahead of the other residents because of it",
        3.46,
        3.30,
    ),
    "adaptability": Scale(
        "adaptability",
        "bids in the same way to the end, whether it works or not",
        "changes its bids before the supply, the others or its health force it to",
        3.42,
        3.70,
    ),
    "planning": Scale(
        "planning",
        "thinks of today only",
        "follows a plan for all days, from the first to the last",
        3.88,
        3.40,
    ),
    IDENTITY: Scale(
        "identity",
        "words and bids contradict the persona, or could be anybody's",
        "words and bids are those of this person throughout",
        3.51,
        None,
    ),
}
"""Name of a scale, as in replies and forms -> the scale."""


def scales_of(persona: str) -> tuple[str, ...]:
    """Return the names of the scales for a resident with this persona; "": it has none."""
    return tuple(name for name in SCALES if persona or name != IDENTITY)


def describe_scales(names: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each scale, with the meanings of its ends."""
    for name in names:
        scale = SCALES[name]
        yield f"- {name} (from {LOWEST} to {HIGHEST}): {LOWEST} = {scale.low}; {HIGHEST} = {scale.high}"


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
