"""Parsing of bidder names, `[LABEL=]KIND[:ARG][,key=value...]`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class BidderSpec:
    """The parts of a bidder's name, `[LABEL=]KIND[:ARG][,key=value...]`.

    Attributes:
        label: The bidder's name in tables; the whole name if it has no label.
        kind: The kind of bidder, such as "rule" or "llm".
        arg: The kind's argument, such as a model, or None.
        params: The parameters by name.
    """

    label: str
    kind: str
    arg: str | None
    params: Mapping[str, str]


_SPEC = re.compile(
    r"(?:(?P<label>[A-Za-z0-9_-]+)=)?(?P<kind>[A-Za-z0-9_-]+)(?::(?P<arg>[^,]+))?(?P<params>(?:,[A-Za-z0-9_][A-Za-z0-9_.-]*=[^,]*)*)"
)


def parse_bidder(name: str) -> BidderSpec:
    """Parse a bidder's name.

    Raises:
        ValueError: The name does not have the form, or has a parameter twice.
    """
    match = _SPEC.fullmatch(name)
    if match is None:
        raise ValueError(
            f"bidder: expected [LABEL=]KIND[:ARG][,key=value...], LABEL of A-Za-z0-9_-, got {name!r}; "
            "examples of single bidders: value,margin=0.1 and gpt=llm:openai:gpt-4.1-mini and py:FILE.py:CLASS"
        )
    label = match["label"]
    pairs = [pair.split("=", 1) for pair in match["params"].split(",") if pair]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise ValueError(f"bidder {name!r}: expected each parameter once")
    return BidderSpec(label or name, match["kind"], match["arg"], params)


def label_of(name: str) -> str:
    """Return the name of a bidder in tables: its label, or the whole name if it has none or is the name of a class."""
    match = _SPEC.fullmatch(name)
    return (match and match["label"]) or name


def inner_name(name: str) -> str:
    """Return the name of a bidder that is an argument of another bidder's name, where `;` replaces its commas."""
    return name.replace(";", ",")
