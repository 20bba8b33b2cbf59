"""The format of a line of a file of decision states."""

from __future__ import annotations

from aucenv.core.formats.schema import (
    NONEMPTY_TEXT,
    TEXT,
    ListOf,
    MapOf,
    Object,
    Optional,
    Row,
    Value,
    choice,
    number,
    whole,
)
from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import DOLLARS
from aucenv.envs.harbor.notes import WEIGHTS
from aucenv.runs.model_calls.calls import ROLES

VERSION = 3
"""The version of the format."""
SPLITS = ("train", "validation", "evaluation")
"""Splits of the states.

"train" and "validation" are from different games with the same descriptions of personas; "evaluation" has other
descriptions and other items.
"""

MESSAGES = ListOf(Object({"role": choice(*ROLES), "content": TEXT}))
NUMBERS = ListOf(number(-1e12, 1e12), 2)
STATE = Object(
    {
        "version": whole(VERSION, VERSION),
        "id": NONEMPTY_TEXT,
        "split": choice(*SPLITS),
        "game": NONEMPTY_TEXT,
        "env_version": whole(),
        "scenario": NONEMPTY_TEXT,
        "seed": ListOf(Value("a whole number of at least 0", int, least=0)),
        "bidders": ListOf(NONEMPTY_TEXT),
        "seat": whole(),
        "history": ListOf(Row(whole(), whole(), whole(), whole(WITHDRAW, 2**62))),
        "descriptions": ListOf(NONEMPTY_TEXT),
        "profiles": ListOf(WEIGHTS),
        "legal": Object(dict.fromkeys(("least", "most", "raise"), DOLLARS)),
        "stratum": TEXT,
        "messages": MapOf(MESSAGES),
        "row": NONEMPTY_TEXT,
        "worth": Optional(
            Object({"actions": ListOf(Optional(DOLLARS), 2), "means": NUMBERS, "errors": NUMBERS, "judge": TEXT})
        ),
    },
    {"population": Optional(whole(1))},
)
"""A line of a file of states."""
