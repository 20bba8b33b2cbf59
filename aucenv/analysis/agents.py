"""Count agents' failed bids and other mistakes in records, and the rules that they follow.

Sources: AucArena, arXiv 2310.05746, section 4 (failure rates); HARBOR, arXiv 2502.12149 (rules).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.figures import Rate, labeled_seats
from aucenv.core.read_notes import mistakes_in, seat_notes
from aucenv.core.record import GameRecord


def bid_failures(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Return each bidder's rate of failed bids: bids that break the rules, out of all readable replies.

    Withdrawals count as correct.
    """
    rates: dict[str, Rate] = {}
    for record in records:
        bid_errors = count_bid_errors(record)
        for bidder, _, seat in labeled_seats([record]):
            failed, readable = bid_errors[seat].failed_bid_rate
            total = rates.get(bidder, (0, 0))
            rates[bidder] = total[0] + failed, total[1] + readable
    return rates


def mistakes(records: Iterable[GameRecord]) -> dict[str, Counter[tuple[str, str]]]:
    """Count the mistakes that agents noted, by bidder and (phase, kind).

    Kinds are "malformed", "past item", "too long" and the like.
    """
    counts: dict[str, Counter[tuple[str, str]]] = {}
    for bidder, record, seat in labeled_seats(records):
        for notes in seat_notes(record, seat):
            for phase, kind, _ in mistakes_in(notes):
                counts.setdefault(bidder, Counter())[phase, kind] += 1
    return counts


def rule_usage(records: Iterable[GameRecord]) -> dict[str, Counter[str]]:
    """Count how often each bidder followed each rule."""
    usage: dict[str, Counter[str]] = {}
    for bidder, record, seat in labeled_seats(records):
        for notes in seat_notes(record, seat):
            if isinstance(notes.get("rule"), str):
                usage.setdefault(bidder, Counter())[notes["rule"]] += 1
    return usage
