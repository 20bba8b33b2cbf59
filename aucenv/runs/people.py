"""People among bidders: `human:NAME`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aucenv.core.words.bidder_name import BidderSpec, parse_bidder
from aucenv.policy.registry import HUMAN_KIND

TIMED_OUT = "timed_out"
"""The note of a decision that no answer came for in time, and the finish reason of its entry in the journal."""


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


def at_table(bidder: str, table: int | None = None) -> str:
    """Return the name of the bidder of a person at a table; None: without a table."""
    return re.sub(r",table=\d+(?=,|$)", "", bidder) + ("" if table is None else f",table={table}")


def people_in(bidders: Iterable[object]) -> list[str]:
    """Return the names of the people among bidders, in order; policies, which have no name, are left out."""
    return [person_of(parse_bidder(name)) for name in bidders if isinstance(name, str) and is_person(name)]
