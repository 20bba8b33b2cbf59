"""Options of agents whose memory and reasoner can be replaced, and the parsers of their values."""

from __future__ import annotations

from collections.abc import Mapping

from aucenv.baselines.llm.option_values import Option, whole_value

from aucenv.core.bidder_name import public_name

MOST_LEVELS = 3
"""The largest `k` of k-level reasoning."""
MOST_DAYS = 1000


def level_value(where: str, text: str) -> int:
    try:
        level: int = whole_value(1, MOST_LEVELS)(where, text)
    except ValueError as error:
        raise ValueError(f"{error}; each level of predictions is one more call before every bid") from None
    return level


def read_choice(where: str, text: str, words: tuple[str, ...], counted: Mapping[str, int] | None = None) -> str:
    """Return the value of an option that is one of `words`, `WORD:N`, or a class of the user's.

    Args:
        counted: word -> the largest N.

    Raises:
        ValueError: if it is none of these.
    """
    kind, colon, rest = text.partition(":")
    counted = counted or {}
    if kind in counted and colon:
        whole_value(1, counted[kind])(where, rest)
        return text
    if text in words or (kind == "py" and ":" in rest.strip(":")):
        return text
    forms = [*words, *(f"{word}:N" for word in counted), "py:MODULE:CLASS", "py:FILE.py:CLASS"]
    raise ValueError(f"{where}: expected {', '.join(forms[:-1])} or {forms[-1]}, got {public_name(text)!r}")


def reasoner_value(where: str, text: str) -> str:
    return read_choice(where, text, ("direct", "k-level"))


def memory_value(where: str, text: str) -> str:
    return read_choice(where, text, ("all",), counted={"last_days": MOST_DAYS})


REASONING = (
    Option(
        "reasoner",
        "direct",
        "direct: the model is asked for its bid at once; k-level: it predicts its rivals' bids first, and responds to "
        "them; py:FILE.py:CLASS: a class of your own",
        reasoner_value,
    ),
    Option(
        "k",
        None,
        f"with reasoner=k-level: the number of levels of predictions, 1 to {MOST_LEVELS}; by default 1",
        level_value,
    ),
)
CONVERSATION_MEMORY = Option(
    "memory",
    "all",
    "all: requests show all earlier days; last_days:N: the last N days in full, and a line on each earlier one; "
    "py:FILE.py:CLASS: a class of your own",
    memory_value,
)
