"""Records -> what goes wrong with agents' answers and thoughts, and which rules they follow.

Sources: AucArena, arXiv 2310.05746, section 4 (failure rates); HARBOR, arXiv 2502.12149 (rules).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.figures import Rate, labelled_seats
from aucenv.core.read_notes import mistakes_in, seat_notes
from aucenv.core.record import GameRecord


def bid_failures(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Bids against the rules, of all that could be read, by bidder: withdrawals are correct."""
    rates: dict[str, Rate] = {}
    for record in records:
        bid_errors = count_bid_errors(record)
        for bidder, _, seat in labelled_seats([record]):
            failed, all_ = bid_errors[seat].failed_bid_rate
            before = rates.get(bidder, (0, 0))
            rates[bidder] = before[0] + failed, before[1] + all_
    return rates


def mistakes(records: Iterable[GameRecord]) -> dict[str, Counter[tuple[str, str]]]:
    """What else went wrong in thinking, by bidder and (phase, kind): "malformed", "past item", "too long"."""
    found: dict[str, Counter[tuple[str, str]]] = {}
    for bidder, record, seat in labelled_seats(records):
        for notes in seat_notes(record, seat):
            for phase, kind, _ in mistakes_in(notes):
                found.setdefault(bidder, Counter())[phase, kind] += 1
    return found


def rule_usage(records: Iterable[GameRecord]) -> dict[str, Counter[str]]:
    """How often each rule was followed, by bidder."""
    used: dict[str, Counter[str]] = {}
    for bidder, record, seat in labelled_seats(records):
        for notes in seat_notes(record, seat):
            if isinstance(notes.get("rule"), str):
                used.setdefault(bidder, Counter())[notes["rule"]] += 1
    return used
