"""The run loop: play the games of a run, save each one when it is over, resume interrupted runs and report results."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aucenv.core import hooks
from aucenv.core.compiled.cold_start import Work, compile_kernels, missing_kernels
from aucenv.core.files import JsonObject
from aucenv.core.kernel import warn_if_slow
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import public_name
from aucenv.registration import find_family
from aucenv.runs.kernel_calls import match_kernels
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import Match
from aucenv.runs.results import ResultsFolder
from aucenv.runs.run_options import RunOptions
from aucenv.runs.shard import Shard

OnGame = Callable[[int, int, str], None]
"""Called with the number of finished games, the number of all games and the status of model calls as text."""
THIS_PROCESS = RunOptions()


@dataclasses.dataclass(frozen=True)
class Report:
    """The results of a run.

    Attributes:
        rows: rows of the run's table; they depend on the games alone.
        markdown: the table in Markdown.
        models: each bidder's use of models, by its label.
        people: how each person decided, by its label.
    """

    rows: list[JsonObject]
    markdown: str
    models: Mapping[str, JsonObject]
    people: Mapping[str, JsonObject] = dataclasses.field(default_factory=dict)

    def _repr_html_(self) -> str:
        html: str = hooks.call("tables_html", self.markdown)
        return html


def ignore_progress(done: int, total: int, calls: str) -> None:
    """Show no progress."""


def run_games(
    schedule: Sequence[Match],
    settings: JsonObject,
    report: Callable[[Sequence[GameRecord], Sequence[Call]], Report],
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    shard: Shard | None = None,
    grows: bool = False,
    on_game: OnGame = ignore_progress,
    kernels: Sequence[Work] = (),
    writes: Sequence[str] = (),
) -> Report:
    """Play the missing games of a run, and report.

    Args:
        schedule: all games of the run.
        settings: the settings that determine the games; a folder with other settings is refused.
        report: computes the report from all records, sorted by index, and all model calls.
        run_options: how the games are played.
        out: the results folder to write, or to resume from; None keeps the results in memory.
        resume: whether `out` must hold a run to resume.
        shard: the part of the games to play; None plays all.
        grows: whether a schedule starts with that of fewer `games`, a setting; a run in `out` is then extended.
        on_game: called after each game and each call.
        kernels: what the report compiles.
        writes: as in `ResultsFolder`.

    Raises:
        ValueError: as in `RunOptions.check`, `RunOptions.check_shards` and `Shard.of`; or
            `out` holds a run with other settings, or games of another run.
        OSError: `out` cannot be written, or holds files that belong to no run.
        PolicyError, RunStopped: as in `play`; `out` keeps all finished games and calls.
    """
    run_options.check(schedule)
    if shard is not None:
        run_options.check_shards(schedule)
        schedule, settings = shard.of(schedule), {**settings, "shard": str(shard)}
    if out is None:
        if resume:
            raise ValueError("resume: expected a results folder to resume, got none")
        played: dict[int, GameRecord] = {}
        journal = run_options.journal()
        _play_missing(
            schedule,
            run_options,
            journal,
            played,
            lambda record: played.update({record.index: record}),
            on_game,
            kernels,
        )
        return report(_in_order(played), journal.calls)
    folder = ResultsFolder(out, settings, run_options, must_exist=resume, grows=grows, writes=writes)
    try:
        _play_missing(schedule, run_options, folder.journal, folder.records, folder.append, on_game, kernels)
        reported = report(_in_order(folder.records), folder.journal.calls)
        folder.finish(reported.rows, reported.markdown, reported.models, reported.people)
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
    kernels: Sequence[Work],
) -> None:
    _check_schedule(schedule, done)
    missing = [match for match in schedule if match.index not in done]
    if missing:
        warn_if_slow()
    executor = run_options.executor(missing)

    def report_progress() -> None:
        on_game(len(done), len(schedule), ", ".join(filter(None, (executor.status, str(journal)))))

    work = missing_kernels([*(match_kernels(missing) if executor.compiles_here else ()), *kernels])
    if work:
        on_game(len(done), len(schedule), "compiling kernels")
        compile_kernels(work)
    report_progress()
    journal.on_call = report_progress
    for record in executor.play(missing, journal):
        keep(record)
        report_progress()


def _check_schedule(schedule: Sequence[Match], done: Mapping[int, GameRecord]) -> None:
    """Raise unless all records are games of this schedule.

    Raises:
        ValueError: a record is not; the message names its index.
    """
    planned = {match.index: match for match in schedule}
    scenarios: dict[int, JsonObject] = {}  # matches share scenario objects
    for index, record in done.items():
        match = planned.get(index)
        if match is not None:
            scenario = scenarios.get(id(match.scenario))
            if scenario is None:
                loaded = find_family(match.game).game.load_scenario(match.scenario)
                scenario = scenarios[id(match.scenario)] = json.loads(json.dumps(loaded.to_dict()))
            played = (record.game, record.seed, [player["bidder"] for player in record.seats], record.scenario)
            bidders = [public_name(bidder) if isinstance(bidder, str) else bidder for bidder in match.bidders]
            if played == (match.game, list(match.seed), bidders, scenario):
                continue
        raise ValueError(f"game {index} of the results folder does not belong to this run: see its games.jsonl")
