"""Small phrases of boards and transcripts: numbers of things, lists of names, and the bidders with the best result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def count(number: int, noun: str) -> str:
    """Return a number of things: `1 item`, `2 items`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def singular(noun: str) -> str:
    """Return the singular of a regular plural: `price` for `prices`, `entry` for `entries`; other words unchanged."""
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    return noun if noun.endswith(("ss", "us")) else noun.removesuffix("s")


def plural(noun: str) -> str:
    """Return the plural of a regular noun: `prices` for `price`; a plural, or another word with an s, unchanged."""
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return noun if noun.endswith("s") else f"{noun}s"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: `Alex`, `Alex and Blair`, `Alex, Blair and Casey`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def ended(status: str) -> str:
    """Return how a game with this status ended, as a predicate: `terminated`, `was truncated`."""
    return "was truncated" if status == "truncated" else status


def best_seats(status: str, scores: Mapping[str, float]) -> list[str]:
    """Return the seats with the highest score once the game is over; none while it runs, or if all scores are equal."""
    highest = max(scores.values())
    best = [seat for seat, score in scores.items() if score == highest]
    return best if status != "running" and len(best) < len(scores) else []
