"""Verify the decisions of models: their agents play again, with the recorded calls in place of the endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from aucenv.benchmarks.benchmark.plan import Entry, Plan
from aucenv.benchmarks.benchmark.submissions import PROMPTS
from aucenv.benchmarks.recorded_models import RecordedCalls, is_model, recorded_bidder, why_unproved

from aucenv.core.bidder_name import label_of, parse_bidder
from aucenv.core.checks import excerpt
from aucenv.core.differences import first_difference
from aucenv.core.policy import PolicyError
from aucenv.core.record import GameRecord
from aucenv.policy.guests import is_guest
from aucenv.runs.calls import Call, Message
from aucenv.runs.play import play


def model_problems(
    record: GameRecord, entry: Entry, calls: Sequence[tuple[Call, Sequence[Message]]], place: str, folder: Path
) -> Iterator[str]:
    """Yield how the decisions of a model in a game differ from those that follow from its calls.

    Args:
        record: The game.
        entry: The game in the plan.
        calls: The calls of the game, with all of their messages.
        place: The place of the game, for problems.
        folder: The folder of the submission.
    """
    seat = entry.deal.seat
    journal = RecordedCalls(calls)
    if len(journal.recorded) < len(calls):
        yield f"{place}: expected each call once, got {len(calls) - len(journal.recorded)} twice"
    forfeits = "forfeited" in record.seats[seat].get("notes", {})
    try:
        bidders: list[Any] = list(entry.deal.lineup(entry.bidder))
        bidders[seat] = recorded_bidder(record.game, entry.bidder, folder / PROMPTS)
        again = play(
            record.game, entry.deal.loaded, bidders, tuple(record.seed), index=record.index, journal=journal,
            forfeit=forfeits,
        )  # fmt: skip
    except PolicyError as error:
        yield f"{place}, {label_of(entry.bidder)}: {error.__cause__ or error}"
        return
    except ValueError as error:
        yield f"{place}: {error}"
        return
    left = [key for key in journal.recorded if key not in journal.used]
    if left:
        _, of_seat, decision, attempt, purpose = left[0]
        shown = f"{purpose}, decision {decision}, attempt {attempt}"
        yield f"{place}: expected the calls that its agents make, got another one of {of_seat}: {shown}"
    for name in ("decisions", "outcome", "seats"):
        different = first_difference(_compared(again, name, seat), _compared(record, name, seat), name)
        if different is not None:
            path, expected, got = different
            yield f"{place}: {path}: expected {expected}, as it follows from the calls, got {got}"
            return


def _compared(record: GameRecord, name: str, seat: int) -> Any:
    """Return what is compared: of seats the notes of the tested one, without the reason for which it forfeited."""
    if name != "seats":
        return getattr(record, name)
    notes = record.seats[seat].get("notes", {})
    return {key: value if key != "forfeited" else True for key, value in notes.items()}


def unproved(plan: Plan, calls: Sequence[Call]) -> Iterator[str]:
    """Yield what a verification does not prove about the decisions of the tested bidders.

    Args:
        plan: The plan of the run.
        calls: The calls of the run.
    """
    endpoints = ", ".join(dict.fromkeys(call.endpoint for call in calls)) or "no endpoint"
    for name in plan.bidders:
        label = label_of(name)
        reason = "its code is not part of the submission" if is_guest(name) else ""
        if is_model(name):
            reason = why_unproved(name, next(game for game in plan.games if plan.plays(name, game)))
        if reason:
            yield f"{label}: its decisions are not made again, because {reason}"
        elif is_model(name):
            model = excerpt(parse_bidder(name).arg)
            yield f"{label}: its decisions follow from its calls; it is not proved that {model} at {endpoints} answered"
