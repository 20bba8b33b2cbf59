"""Verify decisions by making them again: those of networks by their names, those of models by their calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from aucenv.benchmarks.benchmark.plan import Entry, Plan
from aucenv.benchmarks.benchmark.submissions import PROMPTS
from aucenv.benchmarks.rankings.recorded_models import (
    RecordedCalls,
    calls_by_game,
    is_model,
    recorded_bidder,
    why_unproved,
)

from aucenv.core.checks import excerpt
from aucenv.core.formats.differences import first_difference
from aucenv.core.policy import PolicyError
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.policy.guests import is_guest
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest
from aucenv.runs.model_calls.calls import Call, Message
from aucenv.runs.play import play

NETWORKS = ("judge-greedy", "probe", "ppo", "rlact", "rlact-smollm2")
"""The kinds of bidders, besides rule bidders, whose decisions follow from the name, and the file that it names."""


class PlayedAgain:
    """The decisions of tested bidders that are made again.

    Args:
        plan: The plan of the run.
        calls: The calls of the run.
        digests: The digests of the files of bidders when the run was started, by the name of the bidder.
        folder: The folder of the submission.

    Attributes:
        calls: The calls of each game, with all of their messages.
    """

    def __init__(self, plan: Plan, calls: Sequence[Call], digests: Mapping[str, str], folder: Path) -> None:
        self.calls = calls_by_game(calls)
        self._endpoints = ", ".join(dict.fromkeys(call.endpoint for call in calls)) or "no endpoint"
        self._folder = folder
        self._reasons = {
            (name, game): _why_not(name, game, digests)
            for name in plan.bidders
            for game in plan.games
            if plan.plays(name, game)
        }

    def problems(self, record: GameRecord, entry: Entry, place: str) -> Iterator[str]:
        """Yield how the decisions of the tested bidder in a game differ from those that it makes again.

        Args:
            record: The game.
            entry: The game in the plan.
            place: The place of the game, for problems.
        """
        calls = self.calls.get(record.index, [])
        if calls and not is_model(entry.bidder):
            yield f"{place}: expected no calls of models, got {len(calls)}"
        kind = parse_bidder(entry.bidder).kind
        if self._reasons[entry.bidder, record.game]:
            return
        if is_model(entry.bidder):
            yield from _model_problems(record, entry, calls, place, self._folder)
        elif kind in NETWORKS:
            yield from _network_problems(record, entry, place)

    def unproved(self) -> Iterator[str]:
        """Yield what a verification does not prove about the decisions of the tested bidders."""
        shown = set()
        for (name, _), reason in self._reasons.items():
            label = label_of(name)
            if reason:
                sentence = f"{label}: its decisions are not made again, because {reason}"
            elif is_model(name):
                answered = f"{excerpt(parse_bidder(name).arg)} at {self._endpoints} answered"
                sentence = f"{label}: its decisions follow from its calls; it is not proved that {answered}"
            else:
                continue
            if sentence not in shown:
                shown.add(sentence)
                yield sentence


def _why_not(name: str, game: str, digests: Mapping[str, str]) -> str:
    """Return why the decisions of a bidder in a game are not made again; "" if they are."""
    if is_guest(name):
        return "its code is not part of the submission"
    if is_model(name):
        return why_unproved(name, game)
    if parse_bidder(name).kind not in NETWORKS:
        return ""
    try:
        if file_digest(name) != digests.get(name):
            return "its files are not here, or have changed since the run"
        make_policy(game, name)
    except (OSError, ValueError) as error:
        return f"it cannot be created here: {error}"
    return ""


def _network_problems(record: GameRecord, entry: Entry, place: str) -> Iterator[str]:
    """Yield how the decisions of a bidder of NETWORKS in a game differ from those that it makes now."""
    lineup = entry.deal.lineup(entry.bidder)
    try:
        again = play(record.game, entry.deal.loaded, lineup, tuple(record.seed), index=record.index)
    except ValueError as error:
        yield f"{place}: {error}"
        return
    yield from _differences(again, record, entry.deal.seat, place, "as its name gives it")


def _model_problems(
    record: GameRecord, entry: Entry, calls: Sequence[tuple[Call, Sequence[Message]]], place: str, folder: Path
) -> Iterator[str]:
    """Yield how the decisions of a model in a game differ from those that follow from its calls."""
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
    yield from _differences(again, record, seat, place, "as it follows from the calls")


def _differences(again: GameRecord, record: GameRecord, seat: int, place: str, source: str) -> Iterator[str]:
    """Yield the first difference of a game from the one that was played again."""
    for name in ("decisions", "outcome", "seats"):
        different = first_difference(_compared(again, name, seat), _compared(record, name, seat), name)
        if different is not None:
            path, expected, got = different
            yield f"{place}: {path}: expected {expected}, {source}, got {got}"
            return


def _compared(record: GameRecord, name: str, seat: int) -> Any:
    """Return what is compared: of seats the notes of the tested one, without the reason for which it forfeited."""
    if name != "seats":
        return getattr(record, name)
    notes = record.seats[seat].get("notes", {})
    return {key: value if key != "forfeited" else True for key, value in notes.items()}
