"""Find out which bidders reply in words, and count their failed bids and other mistakes, and the rules they follow.

Sources: AucArena, arXiv 2310.05746, section 4 (failure rates); HARBOR, arXiv 2502.12149 (rules).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from aucenv.analysis.ranking.shown_figures import FAILED
from aucenv.analysis.statistics.metrics import figures_of, required_counts
from aucenv.core.adapters.actions import LONG_INT, NOT_FINITE
from aucenv.core.files import JsonMapping
from aucenv.core.play.bid_errors import BidErrors, count_bid_errors
from aucenv.core.records.figures import Rate, labeled_seats
from aucenv.core.records.read_notes import count_rules, mistakes_in, seat_notes
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.phrases import count


def bid_failures(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Return each bidder's rate of failed bids: bids that break the rules, out of all readable replies.

    Withdrawals count as correct. In games whose figures require a bid, the rate of a bidder without any is (0, 0).
    """
    records = list(records)
    tried = {bidder for bidder, record, seat in labeled_seats(records) if _tries_to_bid(record, seat)}
    rates = _rates(records, lambda bid_errors: bid_errors.failed_bid_rate)
    return {bidder: rate if bidder in tried else (0, 0) for bidder, rate in rates.items()}


def _tries_to_bid(record: GameRecord, seat: str) -> bool:
    """Return whether a seat makes a bid, be it refused or not; true in games whose figures do not require it."""
    return FAILED not in required_counts(figures_of(record.game)) or any(
        decision["amount"] is not None or any(attempt["kind"] != "unreadable" for attempt in decision["attempts"])
        for decision in record.decisions
        if decision["seat"] == seat
    )


def legal_decisions(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Return each bidder's number of legal decisions, and of all its decisions.

    A decision is legal if an action was accepted, be it a bid, a withdrawal or no bid. It is not if all attempts were
    refused or unreadable, or if the bidder had forfeited.
    """
    counts: dict[str, Rate] = {}
    for record in records:
        labels = {player["seat"]: seat_label(player) for player in record.seats}
        for decision in record.decisions:
            label = labels[decision["seat"]]
            legal, total = counts.get(label, (0, 0))
            counts[label] = legal + (decision["action"] is not None), total + 1
    return counts


def bidders_that_cheat(records: Iterable[GameRecord]) -> set[str]:
    """Return the labels of the bidders whose views hid nothing in at least one game."""
    return {seat_label(player) for record in records for player in record.seats if seat_cheats(player)}


def seat_cheats(player: JsonMapping) -> bool:
    """Return whether the views of a seat of a record hid nothing."""
    return bool(player.get("notes", {}).get("cheats", False))


def note_on_bidder(legal: int, total: int, cheats: bool) -> str:
    """Return a note on a bidder: that it cheats, and that it has no legal decision, or how many if less than half."""
    notes = ["cheats: it knows what is hidden"] if cheats else []
    if total and not legal:
        notes.append(f"no legal decision in {total:,}")
    elif 2 * legal < total:
        notes.append(f"{legal:,} of {count(total, 'decision')} are legal")
    return ", ".join(notes)


def unreadable_replies(records: Iterable[GameRecord]) -> dict[str, Rate]:
    """Return each bidder's rate of unreadable replies, out of all replies."""
    return _rates(records, lambda bid_errors: bid_errors.unreadable_rate)


def _rates(records: Iterable[GameRecord], rate: Callable[[BidErrors], Rate]) -> dict[str, Rate]:
    rates: dict[str, Rate] = {}
    for record in records:
        bid_errors = count_bid_errors(record)
        for bidder, _, seat in labeled_seats([record]):
            failed, total = rate(bid_errors[seat])
            before = rates.get(bidder, (0, 0))
            rates[bidder] = before[0] + failed, before[1] + total
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
    """Count each bidder's decisions by the rule that they follow, and those against their rule; see `count_rules`."""
    usage: dict[str, Counter[str]] = {}
    for bidder, record, seat in labeled_seats(records):
        counts = count_rules(record, seat, rules_of(record.game))
        if counts:
            usage.setdefault(bidder, Counter()).update(counts)
    return usage


def rules_of(game: str) -> Mapping[str, bool]:
    """Return whether each rule of a game asks to bid; empty if the game has no rules that bidders follow."""
    return getattr(figures_of(game), "ASKS_TO_BID", {})


def bidders_in_words(records: Iterable[GameRecord]) -> set[str]:
    """Return the labels of the bidders that reply in words, such as models.

    See `replies_in_words`.
    """
    in_words: set[str] = set()
    for bidder, record, seat in labeled_seats(records):
        if bidder not in in_words and replies_in_words(record, seat):
            in_words.add(bidder)
    return in_words


def replies_in_words(record: GameRecord, seat: str) -> bool:
    """Return whether a seat sent a reply in words, or forfeited because its model failed."""
    if any(player["seat"] == seat and "forfeited" in player.get("notes", {}) for player in record.seats):
        return True
    # The first action is enough, because a seat has one interface in a game.
    return isinstance(next(_actions(record, seat), None), str)


def _actions(record: GameRecord, seat: str) -> Iterator[Any]:
    """Yield the refused and the accepted actions of a seat, without texts that may stand for numbers."""
    for decision in record.decisions:
        if decision["seat"] == seat:
            for action in (*(attempt["action"] for attempt in decision["attempts"]), decision["action"]):
                if action is not None and action not in (LONG_INT, *NOT_FINITE):
                    yield action
