"""Write messages that need only a game's state: terse ones, and short ones in sentences. Many are written at once."""

from __future__ import annotations

import numpy as np
from aucenv.training.rlact.message_numbers import TERSE_FEATURES, message_numbers, terse_words

from aucenv.core.money import money, to_dollars
from aucenv.runs.calls import Message

TERSE, TERSE_2, TERSE_3 = TERSE_DETAILS = ("terse", "terse-2", "terse-3")
SHORT = "short"
ROW_DETAILS = (TERSE, TERSE_3, SHORT)
"""Levels of detail whose messages need only a game's state; see `row_messages`."""
TERSE_TASKS = {"recommendation": "Recommend", "bid": "Bid"}
SHORT_TASKS = {"recommendation": "What do you recommend?", "bid": "Your bid?"}
SYSTEM = "You bid for profit."
"""The system message of short messages."""
NOUNS = {"harbor": "house", "english": "item"}


def row_messages(
    game: str, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray, phase: str, detail: str
) -> list[list[Message]]:
    """Return the messages of many decisions, of a detail in ROW_DETAILS.

    Args:
        game: name of the game.
        rows, numbers, seats: the decisions; see `message_numbers`.
        phase: "recommendation" or "bid".
    """
    values, leasts = message_numbers(rows, numbers, seats), rows["least"][numbers].tolist()
    if detail == SHORT:
        system: Message = {"role": "system", "content": SYSTEM}
        texts = [_short(NOUNS[game], *pair, phase) for pair in zip(values, leasts, strict=True)]
        return [[system, {"role": "user", "content": text}] for text in texts]
    first = [game] if detail == TERSE_3 else []
    words = [first + terse_words(each) for each in values]
    return [
        [{"role": "user", "content": terse_question(each, phase, least)}]
        for each, least in zip(words, leasts, strict=True)
    ]


def terse_question(words: list[str], phase: str, least: int) -> str:
    """Return a terse message that ends with the least bid, which a small model copies most easily from the end."""
    return f"{' '.join(words)} {TERSE_TASKS[phase]} at {money(to_dollars(least))}?"


def _short(noun: str, values: np.ndarray, least: int, phase: str) -> str:
    """Return a short message.

    Its first part does not change over the rounds of an item, so that a model's cache of it can be used again.
    """
    n = dict(zip(TERSE_FEATURES, map(int, values.tolist()), strict=True))
    worth = f"worth {n['worth/start']}% of its starting price"
    if n["later"]:
        others = "1 later one" if n["later"] == 1 else f"{n['later']} later ones"
        item, prices = f"This {noun} is {worth}, {others} {n['mean/later']}%", "their prices"
    else:
        item, prices = f"This is the last {noun}, {worth}", "this price"
    budget = f"Your budget is {n['budget/ahead']}% of {prices}"
    rivals = f"that of {n['rivals']} rivals" if n["rivals"] > 1 else "your rival's"
    active = f"{n['rivals/in']} {'rival is' if n['rivals/in'] == 1 else 'rivals are'} left"
    bids = f"you bid {n['bids']} {'time' if n['bids'] == 1 else 'times'}"
    offer = f"A bid of {money(to_dollars(least))} is {n['least/worth']}% of the worth"
    left = f"leaves {n['after/start']}% of the starting price"
    return (
        f"{item}. {budget}, {rivals} {n['rivals/ahead']}%. {active}; {bids}. {offer} and {left}. {SHORT_TASKS[phase]}"
    )
