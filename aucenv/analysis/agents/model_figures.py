"""Compute how bidders used models: tokens, cost, time and the share of readable replies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.figures import TextTable
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.outside_text import one_line, shorten
from aucenv.core.words.phrases import listed
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.token_prices import dollars

TITLE = "models, in finished games"
COLUMNS = ("bidder", "tokens", "cost", "seconds per decision", "readable", "retries", "forfeits")
LONGEST_NAME = 80
"""The most characters of the name of a model in a note."""


def model_figures(records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, JsonObject]:
    """Return each bidder's use of models in finished games, by label.

    Bidders that neither called a model nor forfeited are left out, and so are people; see `people_figures`.

    Returns:
        A dict for each bidder: calls (their number), tokens_in, tokens_out, cost (dollars), seconds (spent in calls,
        per decision), readable_rate (share of replies that were readable), retries (failed attempts at calls),
        forfeits (games that it forfeited) and answered_by (as `answered_by` returns it). A value is None if it is
        unknown.
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
        "answered_by": answered_by(calls),
    }


def _sum(numbers: Iterable[float | None]) -> float | None:
    values = list(numbers)
    return None if any(value is None for value in values) else sum(value or 0 for value in values)


def answered_by(calls: Iterable[Call]) -> dict[str, dict[str, int]]:
    """Return the number of calls of each model by the model that has answered, as the endpoint names it, most first."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for call in calls:
        if call.answered_by and not call.is_answer:
            counts[call.model, call.endpoint][call.answered_by] += 1
    models = Counter(model for model, _ in counts)
    return {
        model if models[model] == 1 else f"{model} at {endpoint}": dict(
            sorted(names.items(), key=lambda n: (-n[1], n[0]))
        )
        for (model, endpoint), names in counts.items()
    }


def notes_on_answers(answers: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yield a sentence for each model in whose place several models have answered.

    Args:
        answers: as `answered_by` returns them.
    """
    for model, names in answers.items():
        if len(names) > 1:
            shares = listed([f"{number:,} by {shorten(name, LONGEST_NAME)}" for name, number in names.items()])
            yield f"{sum(names.values()):,} calls of {one_line(model)} were answered by {len(names)} models: {shares}."


def add_changed_models(rows: Iterable[JsonObject], figures: Mapping[str, JsonMapping]) -> None:
    """Add `answered_by` to the rows of bidders whose calls of a model were answered by several.

    Args:
        rows: rows with `bidder`.
        figures: as `model_figures` returns them.
    """
    for row in rows:
        answers = figures.get(row["bidder"], {}).get("answered_by", {})
        if any(notes_on_answers(answers)):
            row["answered_by"] = answers


def text_table(figures: Mapping[str, JsonMapping]) -> TextTable:
    """Return the table of these figures; its note names the bidders whose models have changed."""
    notes = [f"{bidder}: {note}" for bidder, row in figures.items() for note in notes_on_answers(row["answered_by"])]
    return TextTable(TITLE, COLUMNS, list(cells(figures)), " ".join(notes))


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
