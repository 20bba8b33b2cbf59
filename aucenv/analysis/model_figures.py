"""Compute how bidders used models: tokens, cost, time and the share of readable replies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.bidder_name import seat_label
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.calls import Call
from aucenv.runs.token_prices import dollars

TITLE = "models, in finished games"
COLUMNS = ("bidder", "tokens", "cost", "seconds per decision", "readable", "retries", "forfeits")


def model_figures(records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, JsonObject]:
    """Return each bidder's use of models in finished games, by label.

    Bidders that neither called a model nor forfeited are left out, and so are people; see `people_figures`.

    Returns:
        A dict for each bidder: calls (their number), tokens_in, tokens_out, cost (dollars), seconds (spent in calls,
        per decision), readable_rate (share of replies that were readable), retries (failed attempts at calls) and
        forfeits (games that it forfeited). A value is None if it is unknown.
    """
    calls_by_seat: dict[tuple[int, str], list[Call]] = defaultdict(list)
    for call in calls:
        if not call.is_answer:
            calls_by_seat[call.game, call.seat].append(call)
    by_bidder: dict[str, list[tuple[GameRecord, JsonObject, list[Call]]]] = defaultdict(list)
    for record in records:
        for player in record.seats:
            seat_calls = calls_by_seat.get((record.index, player["seat"]), [])
            if seat_calls or "forfeited" in player.get("notes", {}):
                by_bidder[seat_label(player)].append((record, player, seat_calls))
    return {bidder: _figures(seats) for bidder, seats in by_bidder.items()}


def _figures(seats: Sequence[tuple[GameRecord, JsonObject, list[Call]]]) -> JsonObject:
    calls = [call for _, _, seat_calls in seats for call in seat_calls]
    rates = [count_bid_errors(record)[player["seat"]].unreadable_rate for record, player, _ in seats]
    unreadable, replies = (sum(part) for part in zip(*rates, strict=True))
    decisions = len({(call.game, call.seat, call.decision) for call in calls})
    costs = _sum(call.cost for call in calls)
    return {
        "calls": len(calls),
        "tokens_in": _sum(call.tokens_in for call in calls),
        "tokens_out": _sum(call.tokens_out for call in calls),
        "cost": None if costs is None else round(costs, 6),
        "seconds": round(sum(call.seconds for call in calls) / decisions, 3) if decisions else None,
        "readable_rate": round(1 - unreadable / replies, 6) if replies else None,
        "retries": sum(len(call.retries) for call in calls),
        "forfeits": sum("forfeited" in player.get("notes", {}) for _, player, _ in seats),
    }


def _sum(numbers: Iterable[float | None]) -> float | None:
    values = list(numbers)
    return None if any(value is None for value in values) else sum(value or 0 for value in values)


def cells(figures: Mapping[str, JsonMapping]) -> Iterator[list[str]]:
    """Format the figures as rows of a table, in the order of COLUMNS."""
    formats: Mapping[str, Callable[[Any], str]] = {
        "cost": dollars,
        "seconds": "{:.2f}".format,
        "readable_rate": "{:.1%}".format,
        "retries": "{:,}".format,
        "forfeits": "{:,}".format,
    }
    for bidder, row in figures.items():
        tokens = _sum((row["tokens_in"], row["tokens_out"]))
        shown = [form(row[name]) if row[name] is not None else "unknown" for name, form in formats.items()]
        yield [bidder, "unknown" if tokens is None else f"{tokens:,}", *shown]
