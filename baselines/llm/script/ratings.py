"""Ratings of a script from 1 to 5, which count words and numbers in what residents say and write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from aucenv.baselines.llm.script.tasks import Task, amounts

REASON = "The script counts words."
PLANNING = re.compile(r"\b(?:keep|save|plan|later|tomorrow|left|days to come)\b", re.IGNORECASE)
GROUNDS = re.compile(r"\b(?:so|because|since|therefore|if)\b", re.IGNORECASE)
LONG = 12
"""The number of words from which a reason is long."""


def _share(texts: Sequence[str], holds: Callable[[str], object]) -> float:
    return sum(bool(holds(text)) for text in texts) / max(1, len(texts))


def _changes(texts: Sequence[str]) -> float:
    """Return the share of different bids."""
    bids = [tuple(amounts(text)[-1:]) for text in texts]
    return len(set(bids)) / max(1, len(bids))


MEASURES: Mapping[str, Callable[[Sequence[str]], float]] = {
    "information": lambda texts: _share(texts, lambda text: len(re.findall(r"\d+", text)) > 1),
    "logic": lambda texts: _share(texts, GROUNDS.search),
    "strategy": lambda texts: _share(texts, lambda text: len(text.split()) >= LONG),
    "adaptability": _changes,
    "planning": lambda texts: _share(texts, PLANNING.search),
    "identity": lambda texts: _share(texts, lambda text: re.search(r"\bI\b", text)),
}
"""Scale -> a share between 0 and 1, from the words of each day."""


def rating(task: Task) -> str:
    """Return the ratings of a resident, from its words in a record."""
    return _scores(task, re.findall(r"(?m)^Words: (.*)$", task.text))


def self_rating(task: Task) -> str:
    """Return ratings of the script's replies in its conversation."""
    asked = next(place for place, message in enumerate(task.messages) if message["content"] == task.text)
    return _scores(task, [each["content"] for each in task.messages[:asked] if each["role"] == "assistant"])


def _scores(task: Task, texts: Sequence[str]) -> str:
    """Return the score of each scale of the task: 1 for a share of 0, and 5 for a share of 1."""
    names = re.findall(r"(?m)^- (\w+) \(from 1 to 5\)", task.text)
    scores = {name: 1 + round(4 * MEASURES[name](texts)) if name in MEASURES else 3 for name in names}
    return json.dumps({name: {"score": score, "reason": REASON} for name, score in scores.items()})
