"""Descriptions of recorded decisions in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aucenv.core.files import JsonObject
from aucenv.core.money import money
from aucenv.core.read_notes import mistakes_in

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
    short = _shorten_notes(decision["notes"], decision["item"])
    notes = f" ({short})" if short else ""
    return f"{names[decision['seat']]} {refused}{amount}{notes}"


def _shorten_notes(notes: JsonObject, item: int) -> JsonObject:
    """Return notes without beliefs and other items' priorities, and with long texts shortened."""
    short = {name: value for name, value in notes.items() if name != "beliefs"}
    priorities = notes.get("priorities")
    if isinstance(priorities, list) and item < len(priorities):
        short["priority"] = short.pop("priorities")[item]
    if mistakes := mistakes_in(notes):
        short["mistakes"] = "; ".join(f"{phase}: {description}" for phase, _, description in mistakes)
    return {name: _shorten(value) if isinstance(value, str) else value for name, value in short.items()}


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARS else f"{line[: MAX_CHARS - 3]}..."
