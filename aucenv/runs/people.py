"""People among bidders: `human:NAME`."""

from __future__ import annotations

from collections.abc import Iterable

from aucenv.core.bidder_name import BidderSpec, parse_bidder
from aucenv.policy.registry import HUMAN_KIND

ENDPOINT = "person"
"""The endpoint of people's answers in the journal of calls."""


def is_person(bidder: str) -> bool:
    """Return whether a bidder is a person."""
    try:
        return parse_bidder(bidder).kind == HUMAN_KIND
    except ValueError:  # the name of a class
        return False


def person_of(bidder: BidderSpec) -> str:
    """Return the name of a person: `Ann`, or `Ann at table 2`."""
    name, table = bidder.arg or HUMAN_KIND, bidder.params.get("table", "1")
    return name if table == "1" else f"{name} at table {table}"


def people_in(bidders: Iterable[object]) -> list[str]:
    """Return the names of the people among bidders, in order; policies, which have no name, are left out."""
    return [person_of(parse_bidder(name)) for name in bidders if isinstance(name, str) and is_person(name)]
