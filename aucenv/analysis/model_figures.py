"""Records and calls -> what bidders asked of models: tokens, cost, time, and how much of the answers could be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.calls import Call

TITLE = "models"
COLUMNS = ("bidder", "tokens", "cost", "seconds per decision", "readable", "retries", "forfeits")


def model_figures(records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, JsonObject]:
    """What each bidder asked of models in games that have ended, by label; only bidders that did, or forfeited.

    Returns:
        calls, how many; tokens_in, tokens_out; cost, dollars; seconds, of the calls, a decision; readable_rate, the
        share of answers that could be read; retries, failed attempts at calls; forfeits, games that it forfeited.
        None: unknown.
    """
    asked: dict[tuple[int, str], list[Call]] = defaultdict(list)
    for call in calls:
        asked[call.game, call.seat].append(call)
    by_bidder: dict[str, list[tuple[GameRecord, JsonObject, list[Call]]]] = defaultdict(list)
    for record in records:
        for who in record.seats:
            of_seat = asked.get((record.index, who["seat"]), [])
            if of_seat or "forfeited" in who.get("notes", {}):
                by_bidder[label_of(who["bidder"])].append((record, who, of_seat))
    return {bidder: _figures(seats) for bidder, seats in by_bidder.items()}


def _figures(seats: Sequence[tuple[GameRecord, JsonObject, list[Call]]]) -> JsonObject:
    calls = [call for _, _, of_seat in seats for call in of_seat]
    answers = [count_bid_errors(record)[who["seat"]].unreadable_rate for record, who, _ in seats]
    unreadable, answered = (sum(part) for part in zip(*answers, strict=True))
    decisions = len({(call.game, call.seat, call.decision) for call in calls})
    costs = _sum(call.cost for call in calls)
    return {
        "calls": len(calls),
        "tokens_in": _sum(call.tokens_in for call in calls),
        "tokens_out": _sum(call.tokens_out for call in calls),
        "cost": None if costs is None else round(costs, 6),
        "seconds": round(sum(call.seconds for call in calls) / decisions, 3) if decisions else None,
        "readable_rate": round(1 - unreadable / answered, 6) if answered else None,
        "retries": sum(len(call.retries) for call in calls),
        "forfeits": sum("forfeited" in who.get("notes", {}) for _, who, _ in seats),
    }


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = list(numbers)
    return None if any(number is None for number in known) else sum(number or 0 for number in known)


def cells(figures: Mapping[str, JsonMapping]) -> Iterator[list[str]]:
    """The figures as people read them, in the order of COLUMNS."""
    forms = {"cost": "${:,.4f}", "seconds": "{:.2f}", "readable_rate": "{:.1%}", "retries": "{:,}", "forfeits": "{:,}"}
    for bidder, row in figures.items():
        tokens = _sum((row["tokens_in"], row["tokens_out"]))
        shown = [form.format(row[name]) if row[name] is not None else "unknown" for name, form in forms.items()]
        yield [bidder, "unknown" if tokens is None else f"{tokens:,}", *shown]
