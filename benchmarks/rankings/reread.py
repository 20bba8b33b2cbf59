"""Read the replies of a run again with today's reader: its games, with what their models' replies mean today."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aucenv.benchmarks.rankings.recorded_models import (
    RecordedCalls,
    calls_by_game,
    is_model,
    recorded_bidder,
    why_unproved,
)
from aucenv.benchmarks.rankings.saved_runs import SavedRun

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject
from aucenv.core.formats.folders import check_new_folder
from aucenv.core.play.table import Table
from aucenv.core.policy import PolicyError
from aucenv.core.progress import track
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of
from aucenv.core.words.money import to_dollars
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Call, Message
from aucenv.runs.play import play
from aucenv.runs.results import ResultsFolder


@dataclasses.dataclass(frozen=True)
class Reread:
    """A game whose replies have been read again.

    Attributes:
        record: The game with today's readings; None: it cannot go on.
        changes: A sentence for each reply that is read otherwise.
        why: Why the game cannot go on; "": it can.
    """

    record: GameRecord | None
    changes: tuple[str, ...]
    why: str = ""


class _OtherDecision(Exception):
    """A decision that differs from the recorded one."""


@dataclasses.dataclass
class _Recorded:
    """A bidder that makes recorded decisions again."""

    amounts: list[float | None]
    interface: str = "amount"
    observes: bool = False

    def reset(self, seat: str, seed: int) -> None:
        self._rest = iter(self.amounts)

    def act(self, view: Any, observation: Any) -> float:
        amount = next(self._rest)
        return -1 if amount is None else amount

    def close_game(self, view: Any) -> None:
        return None


def reread(run: SavedRun, out: Path) -> list[Reread]:
    """Read the replies of a run again, and write its games with today's readings into a new results folder.

    Games that cannot go on are left out, so that the command of the run, with the new folder, plays them again.

    Args:
        run: The run.
        out: The new folder.

    Raises:
        OSError: `out` exists, or a folder cannot be read or written.
        ValueError: The run has no settings or no calls of models.
    """
    check_new_folder(out)
    if not run.settings:
        raise ValueError(f"{run.path}: expected the results folder of a run, got a file of games")
    records, calls = run.records(), run.calls()
    by_game = calls_by_game(calls)
    if not calls:
        raise ValueError(f"{run.path}: expected a run with calls of models, got one without calls.jsonl")
    games = [reread_game(record, by_game.get(record.index, [])) for record in track(records, "games read again")]
    folder = ResultsFolder(out, run.settings)
    try:
        for game in games:
            if game.record is not None:
                folder.append(game.record)
        kept = set(folder.records)
        for call in calls:
            if call.game in kept:
                folder.journal.append(call)
        if run.finished and len(kept) == len(records):
            report = run.report(list(folder.records.values()), folder.journal.calls)
            folder.finish(report.rows, report.markdown, report.models, report.people)
    finally:
        folder.close()
    return games


def reread_game(record: GameRecord, calls: Sequence[tuple[Call, Sequence[Message]]]) -> Reread:
    """Read the replies of a game again.

    Args:
        record: The game.
        calls: Its calls, with all of their messages.
    """
    names = [player["bidder"] for player in record.seats]
    models = {seat for seat, name in enumerate(names) if is_model(name)}
    for seat in models:
        if reason := why_unproved(names[seat], record.game):
            return Reread(None, (), f"{label_of(names[seat])} cannot play again, because {reason}")
    if any("forfeited" in record.seats[seat].get("notes", {}) for seat in models):
        return Reread(None, (), "a bidder has forfeited, because its model failed")
    seats = [player["seat"] for player in record.seats]
    played = 0

    def check(table: Table) -> None:
        nonlocal played
        closed = table.decisions
        for recorded, again in zip(record.decisions[played : len(closed)], closed[played:], strict=True):
            amount = None if again.amount < 0 else to_dollars(again.amount)
            if (again.action is None, amount) != (recorded["action"] is None, recorded["amount"]):
                raise _OtherDecision(_sentence(recorded, names[seats.index(recorded["seat"])]))
        played = len(closed)

    game = find_family(record.game).game
    last = record.outcome["rounds"] if record.outcome["status"] == "truncated" else 0
    scenario = game.load_scenario(record.scenario)
    journal = RecordedCalls(calls)
    try:
        bidders: list[Any] = [
            recorded_bidder(record.game, name)
            if seat in models
            else _Recorded([one["amount"] for one in record.decisions if one["seat"] == seats[seat]])
            for seat, name in enumerate(names)
        ]
        again = play(
            record.game, scenario, bidders, tuple(record.seed), index=record.index, max_rounds=last, journal=journal,
            on_round=check,
        )  # fmt: skip
    except _OtherDecision as difference:
        return Reread(None, (), str(difference))
    except (PolicyError, ValueError) as error:
        return Reread(None, (), str(error.__cause__ or error))
    decisions, changes = [], []
    for recorded, new in zip(record.decisions, again.decisions, strict=True):
        seat = seats.index(recorded["seat"])
        decisions.append(new if seat in models else recorded)
        if seat in models and (recorded["attempts"], recorded["action"]) != (new["attempts"], new["action"]):
            changes.append(_sentence(recorded, names[seat]))
    of_seats = [
        {**player, **({"notes": other["notes"]} if seat in models and "notes" in other else {})}
        for seat, (player, other) in enumerate(zip(record.seats, again.seats, strict=True))
    ]
    return Reread(dataclasses.replace(record, seats=of_seats, decisions=decisions), tuple(changes))


def _sentence(decision: JsonObject, bidder: str) -> str:
    """Return which decision is read otherwise, with the first reply."""
    first = decision["attempts"][0]["action"] if decision["attempts"] else decision["action"]
    place = f"item {decision['item']}, round {decision['round']}, {decision['seat']} ({label_of(bidder)})"
    return f"{place}: {excerpt(first)} is read otherwise"
