"""Write messages that need only a game's state: terse ones, and short ones in sentences. Many are written at once."""

from __future__ import annotations

import numpy as np
from aucenv.training.rlact.states.message_numbers import TERSE_FEATURES, exact_numbers, message_numbers, terse_words

from aucenv.core.words.money import money, to_dollars
from aucenv.runs.model_calls.calls import Message

TERSE, TERSE_2, TERSE_3 = TERSE_DETAILS = ("terse", "terse-2", "terse-3")
SHORT = "short"
ROW_DETAILS = (TERSE, TERSE_3, SHORT)
"""Levels of detail whose messages need only a game's state; see `row_messages`."""
TERSE_TASKS = {"recommendation": "Recommend", "bid": "Bid"}
SHORT_TASKS = {"recommendation": "What do you recommend?", "bid": "Your bid?"}
SYSTEM = "You bid for profit. Ratings are from 0, low, to 9, high."
"""The system message of short messages."""
STEPS = {
    "least/worth": (0.43, 0.48, 0.53, 0.58, 0.67, 0.77, 0.83, 0.89, 0.96),
    "worth/start": (1.3, 1.6, 1.9, 2.1, 2.25, 2.35, 2.45, 2.55, 2.7),
    "mean/later": (1.3, 1.6, 1.9, 2.1, 2.25, 2.35, 2.45, 2.55, 2.7),
    "after/start": (0.27, 0.63, 1.07, 1.57, 2.23, 2.93, 3.77, 4.83, 7.03),
    "budget/ahead": (0.33, 0.42, 0.52, 0.63, 0.77, 0.93, 1.17, 1.63, 2.77),
    "rivals/ahead": (0.32, 0.52, 0.72, 0.92, 1.17, 1.43, 1.93, 2.57, 4.33),
}
"""The steps between the ratings 0 to 9 of ratios in short messages."""
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
    leasts = rows["least"][numbers].tolist()
    if detail == SHORT:
        rated = ratings(exact_numbers(rows, numbers, seats))
        system: Message = {"role": "system", "content": SYSTEM}
        texts = [_short(NOUNS[game], *pair, phase) for pair in zip(rated, leasts, strict=True)]
        return [[system, {"role": "user", "content": text}] for text in texts]
    values = message_numbers(rows, numbers, seats)
    first = [game] if detail == TERSE_3 else []
    words = [first + terse_words(each) for each in values]
    return [
        [{"role": "user", "content": terse_question(each, phase, least)}]
        for each, least in zip(words, leasts, strict=True)
    ]


def terse_question(words: list[str], phase: str, least: int) -> str:
    """Return a terse message that ends with the least bid, which a small model copies most easily from the end."""
    return f"{' '.join(words)} {TERSE_TASKS[phase]} at {money(to_dollars(least))}?"


def ratings(values: np.ndarray) -> np.ndarray:
    """Return the ratio numbers of decisions on scales from 0 to 9, and their counts as they are; int64.

    A scale's steps are near the deciles of collected decisions. A digit is one token, so that a small model learns with
    it from far fewer decisions than with the digits of a percentage.

    Args:
        values: (decisions, TERSE_FEATURES) exact numbers.
    """
    rated = np.round(values).astype(np.int64)
    for name, steps in STEPS.items():
        column = TERSE_FEATURES.index(name)
        rated[:, column] = np.searchsorted(steps, values[:, column])
    return rated


def _short(noun: str, rated: np.ndarray, least: int, phase: str) -> str:
    """Return a short message.

    Its first part does not change over the rounds of an item, so that a model's cache of it can be used again.
    """
    n = dict(zip(TERSE_FEATURES, rated.tolist(), strict=True))
    if n["later"]:
        later = f"{n['later']} later {'one' if n['later'] == 1 else 'ones'}"
        item, prices = f"This {noun} has a worth of {n['worth/start']}, {later} {n['mean/later']}", "all"
    else:
        item, prices = f"This last {noun} has a worth of {n['worth/start']}", "it"
    rivals = f"that of {n['rivals']} rivals" if n["rivals"] > 1 else "your rival's"
    budgets = f"Your budget for {prices} is {n['budget/ahead']}, {rivals} {n['rivals/ahead']}"
    active = f"{n['rivals/in']} {'rival is' if n['rivals/in'] == 1 else 'rivals are'} left"
    bids = f"you bid {n['bids']} {'time' if n['bids'] == 1 else 'times'}"
    offer = f"A bid of {money(to_dollars(least))} is a price of {n['least/worth']} and leaves a budget of"
    return f"{item}. {budgets}. {active}; {bids}. {offer} {n['after/start']}. {SHORT_TASKS[phase]}"
