"""Descriptions of recorded decisions in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.records.read_notes import mistakes_in
from aucenv.core.words.money import money

MAX_CHARS = 100


def _amount(amount: float | None) -> str:
    return "leaves" if amount is None else money(amount)


def describe_decision(
    decision: JsonObject, names: Mapping[str, str], format_amount: Callable[[float | None], str] = _amount
) -> str:
    """Return the refused attempts, the decision and the notes of a seat in words.

    Args:
        decision: An entry of a record's decisions.
        names: The names of the bidders, by seat.
        format_amount: A function that returns an amount in words; None is a withdrawal.
    """
    refused = "".join(f"[{attempt['action']!r:.60}: {attempt['refused']}] " for attempt in decision["attempts"])
    no_action = "is out of tries" if decision["attempts"] else "gives no answer"
    amount = no_action if decision["action"] is None else format_amount(decision["amount"])
    notes = ", ".join(describe_notes(decision["notes"], decision["item"]))
    return f"{names[decision['seat']]} {refused}{amount}{f' ({notes})' if notes else ''}"


def describe_notes(notes: JsonObject, item: int) -> list[str]:
    """Return a bidder's notes before a decision in words; without beliefs and other items' priorities.

    Args:
        item: The number of the current item, from 0.
    """
    shown = {name: value for name, value in notes.items() if name not in ("beliefs", "mistakes")}
    priorities = notes.get("priorities")
    if isinstance(priorities, list) and item < len(priorities):
        shown["priority"] = shown.pop("priorities")[item]
    mistakes = [f"mistake in {phase}: {_shorten(description)}" for phase, _, description in mistakes_in(notes)]
    empty: tuple[Any, ...] = (None, "", [], {})
    return [_phrase(name, value) for name, value in shown.items() if value not in empty] + mistakes


def _phrase(name: str, value: Any) -> str:
    """Return a note in words: `rule A`, `plan "Wait for the first house."`."""
    words = name.replace("_", " ") if name.isidentifier() else name
    if isinstance(value, str) and len(value.split()) > 1:
        return f'{words} "{_shorten(value)}"'
    return f"{words}{':' if isinstance(value, (list, dict)) else ''} {_shorten(plain_value(value))}"


def plain_value(value: Any) -> str:
    """Return a value of JSON without brackets and quotation marks."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain_value(part)}" for name, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(plain_value, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "-" if value is None else str(value)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARS else f"{line[: MAX_CHARS - 3]}..."
