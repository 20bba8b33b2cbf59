"""An answer in a record, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from aucenv.core.files import JsonObject
from aucenv.core.money import money
from aucenv.core.read_notes import mistakes_in

LONGEST = 100


def _amount(amount: float | None) -> str:
    return "leaves" if amount is None else money(amount)


def answer(decision: JsonObject, names: Mapping[str, str], say: Callable[[float | None], str] = _amount) -> str:
    """What a seat answered: first what was refused, then what counted, and what it noted.

    Args:
        say: how an amount is told, or None for none.
    """
    refused = "".join(f"[{attempt['action']!r:.60}: {attempt['refused']}] " for attempt in decision["attempts"])
    none = "is out of tries" if decision["attempts"] else "gives no answer"
    said = none if decision["action"] is None else say(decision["amount"])
    short = _in_short(decision["notes"], decision["item"])
    notes = f" ({short})" if short else ""
    return f"{names[decision['seat']]} {refused}{said}{notes}"


def _in_short(notes: JsonObject, item: int) -> JsonObject:
    """Without beliefs; of priorities that of the item; of mistakes and texts the beginning."""
    short = {name: value for name, value in notes.items() if name != "beliefs"}
    priorities = notes.get("priorities")
    if isinstance(priorities, list) and item < len(priorities):
        short["priority"] = short.pop("priorities")[item]
    if mistakes := mistakes_in(notes):
        short["mistakes"] = "; ".join(f"{phase}: {what}" for phase, _, what in mistakes)
    return {name: _cut(value) if isinstance(value, str) else value for name, value in short.items()}


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 3]}..."
