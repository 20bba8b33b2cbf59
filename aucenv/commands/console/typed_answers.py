"""What people type at a terminal for a decision: letters of buttons, amounts, or words."""

from __future__ import annotations

import re
from typing import Any

from aucenv.baselines.human.inbox import Answer
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.words.money import MAX_DOLLARS, money, to_cents

_AMOUNT = re.compile(r"[$€₽₹¥]?\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*[$€₽₹¥]?")
"""An amount; commas separate thousands."""


def is_other_decision(answer: Answer, line: str, choices: JsonObject, game: Game, view: Any) -> bool:
    """Return whether a typed amount is none that the seat may name, and the rules would take it for another decision.

    Amounts that the rules refuse are answers: the person reads why, as all bidders do.

    Args:
        answer: what the line says.
        line: what is typed.
        choices: what is legal.
        game: the game.
        view: the view of the seat.
    """
    if answer.amount is None or line.lower() in letters(choices):
        return False
    field = choices["amount"] or {"least": MAX_DOLLARS, "most": 0}
    most = MAX_DOLLARS if field["most"] is None else field["most"]
    if field["least"] <= answer.amount <= most:
        return False
    if answer.amount > MAX_DOLLARS:
        return True
    return not game.rules.check(view.row, 0, view.seat_number, to_cents(answer.amount))


def legal(choices: JsonObject, sign: str = "$") -> str:
    """Return what a person may type, in one line."""
    parts = [f"{letter}: {button['text']}" for letter, button in letters(choices).items()]
    field = choices["amount"]
    if field is not None:
        most = "" if field["most"] is None else f" to {money(field['most'], sign)}"
        parts.append(f"an amount to {field['label'].lower()}, from {money(field['least'], sign)}{most}")
    return ", ".join([*parts, "or words"])


def letters(choices: JsonObject) -> JsonObject:
    """Return the buttons by the letter that stands for them."""
    return {"w" if button.get("withdraw") else "b": button for button in choices["buttons"]}


def answer_of(line: str, request: str, choices: JsonObject) -> Answer | None:
    """Return the answer in a line: a letter, an amount or words; None if it is empty."""
    button = letters(choices).get(line.lower())
    if button is not None:
        return Answer(request, button.get("amount"), bool(button.get("withdraw")))
    if match := _AMOUNT.fullmatch(line):
        return Answer(request, float(match[1].replace(",", "")))
    return Answer(request, words=line) if line else None
