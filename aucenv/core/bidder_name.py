"""The names of bidders, `[LABEL=]KIND[:ARG][,key=value...]`, taken apart."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class BidderSpec:
    """A bidder's name, `[LABEL=]KIND[:ARG][,key=value...]`, taken apart.

    Attributes:
        label: what tables call it; the name without its label where none is given.
    """

    label: str
    kind: str
    arg: str | None
    params: Mapping[str, str]


_SPEC = re.compile(
    r"(?:(?P<label>[A-Za-z0-9_-]+)=)?(?P<kind>[A-Za-z0-9_-]+)(?::(?P<arg>[^,]+))?(?P<params>(?:,[A-Za-z0-9_]+=[^,]*)*)"
)


def parse_bidder(name: str) -> BidderSpec:
    """Take a bidder's name apart.

    Raises:
        ValueError: it does not have the form.
    """
    match = _SPEC.fullmatch(name)
    if match is None:
        raise ValueError(f"bidder: expected [LABEL=]KIND[:ARG][,key=value...], LABEL of A-Za-z0-9_-, got {name!r}")
    label = match["label"]
    pairs = [pair.split("=", 1) for pair in match["params"].split(",") if pair]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise ValueError(f"bidder {name!r}: expected each parameter once")
    return BidderSpec(label or name, match["kind"], match["arg"], params)


def label_of(name: str) -> str:
    """What tables call a bidder: the label in its name; the name itself where it is a class's, not a spec."""
    match = _SPEC.fullmatch(name)
    return (match and match["label"]) or name


def inner_name(name: str) -> str:
    """The name of a bidder that stands inside another's: there, `;` stands for its commas."""
    return name.replace(";", ",")
