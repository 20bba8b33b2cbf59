"""Rank, merge and read the runs in results folders."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.rankings.leaderboard import report as ranking
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.agents.model_figures import model_figures
from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject, read_text
from aucenv.core.formats.folders import check_new_folder
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.notices import Notice
from aucenv.core.records.record import GameRecord
from aucenv.runs.loop import Report
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records
from aucenv.runs.results import ResultsFolder, read_run, versions
from aucenv.runs.shard import Shard


@dataclasses.dataclass(frozen=True)
class SavedRun:
    """The games of a results folder or of a games.jsonl.

    Attributes:
        path: the folder or file.
        settings: the settings that determine the games; empty for a file.
        finished: whether the run is complete.
        version: the version of aucenv; None for a file.
    """

    path: Path
    settings: JsonObject
    finished: bool
    version: str | None = None

    @classmethod
    def read(cls, path: Path) -> SavedRun:
        """Read a run's settings.

        Raises:
            OSError: the path cannot be read.
            ValueError: its run.json is not that of a run.
        """
        if not (path / "run.json").exists():
            return cls(path, {}, False)
        data = read_run(path)
        settings = data["settings"]
        try:
            if "study" in settings and not settings["study"].endswith(".py"):
                one_of("study", settings["study"], _studies())
            if "shard" in settings:
                Shard.parse(settings["shard"])
        except ValueError as error:
            raise ValueError(f"{path / 'run.json'}: settings.{error}") from None
        return cls(path, settings, data["finished"] is not None, data["versions"]["aucenv"])

    @property
    def study(self) -> Study | None:
        """The study that the games belong to; None for those of a leaderboard.

        Raises:
            ValueError: It is that of a user's file, which a folder must not choose to run.
        """
        name = self.settings.get("study")
        if name is None:
            return None
        if name in _studies():
            return _studies()[name]
        raise ValueError(
            f"{self.path}: expected a run of a built-in study, got one of {name}: "
            f"aucenv study {name} --from-records {self.path} shows it"
        )

    @property
    def is_benchmark(self) -> bool:
        """Whether the games belong to a run of the benchmark."""
        return "suite" in self.settings

    def records(self) -> list[GameRecord]:
        """Return the games, by index.

        Raises:
            ValueError: there are none, or as in `read_records`.
        """
        records = sorted(read_records(self.path), key=lambda record: record.index)
        if not records:
            raise ValueError(f"{self.path}: expected at least one finished game, got none")
        return records

    def calls(self) -> list[Call]:
        return read_calls(self.path)

    def report(self, records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
        """Return the results of these games, as the run reports them; ratings are those that the run has saved.

        Raises:
            OSError: the results are ratings, and the run has saved none.
        """
        study = self.study
        if study is not None and study.is_rated:  # raters are asked by the run alone
            file = self.path / "table.json"
            rows = parse_json(read_text(file, str(file)), str(file))
            return Report(rows, study.to_markdown(rows), model_figures(records, calls))
        return ranking(records, calls) if study is None else study.report(records, calls)


def _studies() -> Mapping[str, Study]:
    from aucenv.benchmarks.studies.registry import STUDIES  # imports all studies, of which most runs are not

    return STUDIES


def merge(paths: Sequence[Path], out: Path) -> tuple[int, bool]:
    """Merge the shards of a run into a new results folder.

    If shards are missing or not finished, the command of the run, without a shard, plays their games later. A warning
    names a shard that is given more than once; its folders may hold different games of it.

    Returns:
        The number of games, and whether the run is complete.

    Raises:
        ValueError: a folder is not a shard, or the shards belong to several runs, or two hold different results of a
            game.
        OSError: `out` exists, or a folder cannot be read or written.
    """
    check_new_folder(out)
    runs = [SavedRun.read(path) for path in paths]
    settings, count = _settings_of_whole(runs)
    records: dict[int, GameRecord] = {}
    calls: list[Call] = []
    for run in runs:
        own = list(read_records(run.path))
        for record in own:
            if records.setdefault(record.index, record) != record:
                raise ValueError(f"{run.path}: game {record.index} differs from the same game of another folder")
        finished = {record.index for record in own}
        of_others = {call.game for call in calls} - finished
        calls = [call for call in calls if call.game not in finished]
        calls += [call for call in run.calls() if call.game not in of_others]
    if not records:
        raise ValueError(f"{', '.join(map(str, paths))}: expected at least one finished game, got none")
    for shard in dict.fromkeys(run.settings["shard"] for run in runs):
        same = [str(run.path) for run in runs if run.settings["shard"] == shard]
        if len(same) > 1:
            warnings.warn(f"shard {shard} is given more than once: {', '.join(same)}", Notice, stacklevel=2)
    of_user = settings.get("study", "").endswith(".py")  # whose file is not loaded here
    complete = not of_user and len({run.settings["shard"] for run in runs if run.finished}) == count
    folder = ResultsFolder(out, settings)
    try:
        for index in sorted(records):
            folder.append(records[index])
        for call in calls:
            folder.journal.append(call)
        if complete:
            report = runs[0].report(list(folder.records.values()), folder.journal.calls)
            folder.finish(report.rows, report.markdown, report.models, report.people)
    finally:
        folder.close()
    return len(records), complete


def _settings_of_whole(shards: Sequence[SavedRun]) -> tuple[JsonObject, int]:
    """Return the settings of the run that these are shards of, and its number of shards."""
    for shard in shards:
        if shard.version != versions()["aucenv"]:
            raise ValueError(
                f"{shard.path}: expected a run of aucenv {versions()['aucenv']}, got one of aucenv {shard.version}"
            )
        if "shard" not in shard.settings:
            raise ValueError(f"{shard.path}: expected a results folder of a shard, as --shard I/N --out DIR writes it")
    wholes = [{**shard.settings, "shard": Shard.parse(shard.settings["shard"]).count} for shard in shards]
    for shard, other in zip(shards, wholes, strict=True):
        names = [name for name in {**wholes[0], **other} if wholes[0].get(name) != other.get(name)]
        if names:
            raise ValueError(
                f"{shard.path}: expected a shard of the same run as {shards[0].path}, got another {names[0]}"
            )
    count = wholes[0].pop("shard")
    return wholes[0], count
