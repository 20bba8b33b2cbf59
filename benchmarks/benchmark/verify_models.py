"""Verify the decisions of models: their agents play again, with the recorded calls in place of the endpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.bidder import SCRIPTED, make_recorded
from aucenv.benchmarks.benchmark.plan import Entry, Plan
from aucenv.benchmarks.benchmark.submissions import PROMPTS

from aucenv.core.bidder_name import BidderSpec, label_of, parse_bidder
from aucenv.core.checks import excerpt
from aucenv.core.differences import first_difference
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.core.record import GameRecord
from aucenv.policy.registry import make_policy
from aucenv.runs.calls import Call, Message, Model, Request
from aucenv.runs.guests import is_guest
from aucenv.runs.journal import CallJournal, SeatCalls, conversations
from aucenv.runs.play import play

MODEL = "llm"
"""The kind of bidders that call a model."""
CODE = ("memory", "reasoner", "strategy")
"""Options whose values may name code, or another bidder."""


class _Missing(ModelFailure):
    """A call that is not recorded."""


class _Differs(ValueError):
    """A call that differs from the one that the agent makes."""


class RecordedCalls(CallJournal):
    """The recorded calls of a game, which agents make again.

    Args:
        calls: The calls, with all of their messages.

    Attributes:
        used: The keys of the calls that the agents have made again.
    """

    def __init__(self, calls: Sequence[tuple[Call, Sequence[Message]]]) -> None:
        super().__init__()
        self.recorded = {call.key: (call, messages) for call, messages in calls}
        self.used: set[tuple] = set()

    def at(self, game: int, seat: str) -> SeatCalls:
        """Return the recorded calls of one seat in one game."""
        return _RecordedSeat(self, game, seat)


@dataclasses.dataclass(frozen=True)
class _RecordedSeat(SeatCalls):
    """The recorded calls of one seat in one game."""

    journal: RecordedCalls

    def ask(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call:
        """Return the recorded call.

        Raises:
            _Missing: There is none.
            _Differs: It has other messages or settings, or is that of another model.
        """
        key = (self.game, self.seat, decision, attempt, self.prefix + purpose)
        place = f"call {self.prefix}{purpose}, decision {decision}, attempt {attempt}"
        if key not in self.journal.recorded:
            raise _Missing(f"{place}: expected this call in calls.jsonl, got none")
        call, messages = self.journal.recorded[key]
        self.journal.used.add(key)
        given = {name: call.settings.get(name, value) for name, value in request.settings.items()}
        pairs = {
            "model": (model.name, call.model),
            "messages": (list(request.messages), list(messages)),
            "settings": (request.settings, given),
            "request": (request.digest(model.name), call.request),
        }
        for name, (expected, got) in pairs.items():
            different = first_difference(expected, got, name)
            if different is not None:
                path, wanted, recorded = different
                raise _Differs(f"{place}: {path}: expected {wanted}, as its agent sends it, got {recorded}")
        return call


def is_model(name: str) -> bool:
    """Return whether a bidder calls a model."""
    return parse_bidder(name).kind == MODEL


def why_unproved(name: str, game: str) -> str:
    """Return why the decisions of a model's bidder cannot be made again; "" if they can."""
    spec = parse_bidder(name)
    for option in CODE:
        value = spec.params.get(option, "")
        if value.startswith(("py:", "adviser:")):
            return f"its {option} is code or another bidder"
    learns = spec.arg != SCRIPTED and getattr(make_recorded(game, _recorded_spec(spec, None)), "in_order", False)
    return "it learns from game to game" if learns else ""


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
        bidders[seat] = _bidder(record.game, entry.bidder, folder)
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


def _bidder(game: str, name: str, folder: Path) -> Any:
    spec = parse_bidder(name)
    return make_policy(game, name) if spec.arg == SCRIPTED else make_recorded(game, _recorded_spec(spec, folder))


def _recorded_spec(spec: BidderSpec, folder: Path | None) -> BidderSpec:
    """Return a bidder's specification without secrets; its templates are those in the folder, if it has its own."""
    params = {key: value for key, value in spec.params.items() if not key.startswith("header.")}
    if params.pop(PROMPTS, None) is not None and folder is not None:
        params[PROMPTS] = str(folder / PROMPTS / spec.label)
    return BidderSpec(spec.label, spec.kind, spec.arg, params)


def calls_by_game(calls: Sequence[Call]) -> Mapping[int, list[tuple[Call, Sequence[Message]]]]:
    """Return the calls of each game, with all of their messages."""
    games: dict[int, list[tuple[Call, Sequence[Message]]]] = {}
    for call, messages in conversations(calls):
        games.setdefault(call.game, []).append((call, messages))
    return games


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
