"""The run loop: games played, kept as they end, continued where they were cut off, and reported."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.calls import Call
from aucenv.runs.journal import CallJournal
from aucenv.runs.play import Match
from aucenv.runs.results import ResultsFolder
from aucenv.runs.run_options import RunOptions

OnGame = Callable[[int, int, str], None]
"""Called with the number of games done, of games in all, and what models were asked for them."""
THIS_PROCESS = RunOptions()


@dataclasses.dataclass(frozen=True)
class Report:
    """What a run came to.

    Attributes:
        rows: of its table; they follow from the games alone.
        markdown: the table for people.
        models: what bidders asked of models, by their label.
    """

    rows: list[JsonObject]
    markdown: str
    models: Mapping[str, JsonObject]


def ignore_progress(done: int, total: int, asked: str) -> None:
    """Nobody watches."""


def run_games(
    schedule: Sequence[Match],
    settings: JsonObject,
    report: Callable[[Sequence[GameRecord], Sequence[Call]], Report],
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    on_game: OnGame = ignore_progress,
) -> Report:
    """Play a run's games, or those that are missing, and report.

    Args:
        settings: what the games follow from; a folder of other settings is refused.
        report: makes the report of all records, by index, and all calls of models.
        out: a results folder to fill, or to continue.
        resume: refuse to start anew: `out` must hold a run.
        on_game: called after each game and each call.

    Raises:
        ValueError: as `RunOptions.check`; or `out` holds a run of other settings, or games that are not this run's.
        OSError: `out` cannot be written, or holds files that are no run's.
        PolicyError, RunStopped: as `play`; what was played and asked until then is in `out`.
    """
    run_options.check(schedule)
    if out is None:
        if resume:
            raise ValueError("resume: expected a results folder to continue, got none")
        played: dict[int, GameRecord] = {}
        journal = run_options.journal()
        _play_missing(
            schedule, run_options, journal, played, lambda record: played.update({record.index: record}), on_game
        )
        return report(_in_order(played), journal.calls)
    folder = ResultsFolder(out, settings, run_options, must_exist=resume)
    try:
        _play_missing(schedule, run_options, folder.journal, folder.records, folder.append, on_game)
        reported = report(_in_order(folder.records), folder.journal.calls)
        folder.finish(reported.rows, reported.markdown, reported.models)
    finally:
        folder.close()
    return reported


def _in_order(records: Mapping[int, GameRecord]) -> list[GameRecord]:
    return [records[index] for index in sorted(records)]


def _play_missing(
    schedule: Sequence[Match],
    run_options: RunOptions,
    journal: CallJournal,
    done: Mapping[int, GameRecord],
    keep: Callable[[GameRecord], None],
    on_game: OnGame,
) -> None:
    _check_belong(schedule, done)
    missing = [match for match in schedule if match.index not in done]

    def tell() -> None:
        on_game(len(done), len(schedule), str(journal))

    tell()
    journal.on_call = tell
    for record in run_options.executor(missing).play(missing, journal):
        keep(record)
        tell()


def _check_belong(schedule: Sequence[Match], done: Mapping[int, GameRecord]) -> None:
    """Check that records are games of this schedule.

    Raises:
        ValueError: one is not; names its index.
    """
    planned = {match.index: match for match in schedule}
    scenarios: dict[int, JsonObject] = {}  # schedules repeat the same object
    for index, record in done.items():
        match = planned.get(index)
        if match is not None:
            scenario = scenarios.get(id(match.scenario))
            if scenario is None:
                loaded = find_family(match.game).game.load_scenario(match.scenario)
                scenario = scenarios[id(match.scenario)] = json.loads(json.dumps(loaded.to_dict()))
            played = (record.game, record.seed, [who["bidder"] for who in record.seats], record.scenario)
            if played == (match.game, list(match.seed), list(match.bidders), scenario):
                continue
        raise ValueError(f"game {index} of the results folder is none of this run's: see its games.jsonl")
