"""Sentences about replies in the languages of auctions: acts, hints and reasons; they are in `data/refusals.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any


@functools.lru_cache
def sentences() -> Mapping[str, Mapping[str, Any]]:
    """Return the sentences by language and key."""
    text = (resources.files("aucenv.core.reader") / "data" / "refusals.json").read_text(encoding="utf-8")
    by_language: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return by_language


def sentence(language: str, key: str) -> str:
    """Return a sentence of a language that has no fields."""
    return str(sentences()[language][key])


def acts_in_words(language: str, price: str = "") -> dict[str, str]:
    """Return the simplest words for each act: "out", "abstain", "stay", "leave", "wait", "take".

    Args:
        price: the price in "leave_at" and "take_at", which are acts at a price that is named in advance.
    """
    return {act: words.format(price=price) for act, words in sentences()[language]["acts"].items()}


def translated(reason: str, language: str) -> str:
    """Return the reason why a model's reply cannot be used, in a language."""
    english = sentences()["english"]
    key = next((key for key, words in english.items() if words == reason), None)
    return reason if key is None else str(sentences()[language][key])
