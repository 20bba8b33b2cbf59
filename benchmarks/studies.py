"""Studies: each plays games, or reads records, to answer one question with a table and a figure."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from aucenv.benchmarks.reproduce.cells import Row, Table, cells

from aucenv.analysis.markdown import table
from aucenv.analysis.model_figures import COLUMNS, model_figures
from aucenv.analysis.model_figures import cells as cells_of_models
from aucenv.analysis.plots import SIZE, write_figure
from aucenv.core.bidder_name import label_of, public_name
from aucenv.core.checks import no_duplicates, one_of, whole_number
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, parse_object, read_lines, to_pretty_json, write_atomically
from aucenv.core.notices import Notice
from aucenv.core.record import GameRecord
from aucenv.policy.user_code import file_digest
from aucenv.registration import find_family
from aucenv.runs.calls import Call
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.play import Match
from aucenv.runs.records import RecordReader, make_record, read_records
from aucenv.runs.run_options import RunOptions
from aucenv.runs.shard import Shard

STUDIES = {
    "alympics/settings": "aucenv.benchmarks.reproduce.alympics.settings",
    "alympics/prices": "aucenv.benchmarks.reproduce.alympics.prices",
    "alympics/curves": "aucenv.benchmarks.reproduce.alympics.curves",
    "alympics/curse": "aucenv.benchmarks.reproduce.alympics.curse",
    "harbor/1": "aucenv.benchmarks.reproduce.harbor.engagement",
    "harbor/2": "aucenv.benchmarks.reproduce.harbor.competition",
    "harbor/3": "aucenv.benchmarks.reproduce.harbor.matching_houses",
    "harbor/4": "aucenv.benchmarks.reproduce.harbor.rivals",
    "harbor/5": "aucenv.benchmarks.reproduce.harbor.strategies",
    "harbor/rlact": "aucenv.benchmarks.reproduce.harbor.rlact",
    "labs/revenue": "aucenv.benchmarks.reproduce.labs.revenue",
    "labs/winners-curse": "aucenv.benchmarks.reproduce.labs.winners_curse",
}
"""Study name -> module, of the studies that play games.

A module has `matches(bidders, games, seed)`, `rows(records)`, `draw(rows, figure)`, ABOUT, the defaults BIDDERS and
GAMES, and COLUMNS: names of a row's figures -> heading and format. It may also have SIZE, the size of the figure in
inches; `more_tables(rows)`; MEANING, a sentence on the meaning of the comparison with published values, and its limits;
OFFLINE, an `Offline`; and RECORDED, the game whose published records it can read.
"""


TRAINED_STUDIES = {
    "rl/closed-forms": "aucenv.benchmarks.reproduce.rl.closed_forms",
    "rl/small-games": "aucenv.benchmarks.reproduce.rl.small_games",
    "rlact/ablation": "aucenv.benchmarks.reproduce.rlact.ablation",
}
"""Study name -> module, of the studies that train models.

A module has `run(out, bidders, games, seed, workers, advance)`, which returns the rows, `draw(rows, figure)`, ABOUT,
EXTRA, the extra that it needs, and COLUMNS. It may also have SIZE, and `more_tables(rows)`.
"""


@dataclasses.dataclass(frozen=True)
class Offline:
    """The games of a study for `aucenv study all --offline`.

    Attributes:
        games: As `--games`.
        bidders: The bidders, if not the defaults of the study; none of them needs a network.
    """

    games: int
    bidders: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Study:
    """One study, by name."""

    name: str

    @property
    def module(self) -> ModuleType:
        """The module of the study."""
        known = STUDIES | TRAINED_STUDIES
        return import_module(known[one_of("study", self.name, known)])

    @property
    def trains(self) -> bool:
        """Whether the study trains models."""
        return self.name in TRAINED_STUDIES

    @property
    def about(self) -> str:
        return self.module.ABOUT

    @property
    def meaning(self) -> str:
        """The meaning of the comparison with published values, and its limits; "": there is none."""
        return getattr(self.module, "MEANING", "")

    def matches(self, bidders: Sequence[str], games: int | None, seed: int) -> list[Match]:
        """Return the games that the study plays.

        Raises:
            ValueError: a bidder is unknown or cannot play the games, or a number is out of range.
        """
        no_duplicates("bidders", [label_of(name) for name in bidders])
        number = self.module.GAMES if games is None else whole_number("games", games, 1)
        return self.module.matches(bidders or self.module.BIDDERS, number, whole_number("seed", seed, 0))

    def rows(self, records: Sequence[GameRecord]) -> list[Row]:
        """Return the rows of the study's table.

        Raises:
            ValueError: the records hold no games of the study.
        """
        rows = self.module.rows(records)
        if not rows:
            raise ValueError(f"study {self.name}: expected records of its games, got {len(records)} others")
        return rows

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Return the title, headings and formatted cells of each table."""
        columns = self.module.COLUMNS
        first = (self.about, [heading for heading, _ in columns.values()], cells(rows, columns))
        more = getattr(self.module, "more_tables", None)
        return [first, *(more(rows) if more else [])]

    def to_markdown(self, rows: Sequence[Row]) -> str:
        text = "\n".join(table(headings, lines) for _, headings, lines in self.tables(rows))
        return f"{text}\n{self.meaning}\n" if self.meaning else text

    def report(self, records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
        """Return the results of these games.

        Raises:
            ValueError: as in `rows`.
        """
        rows, models = self.rows(records), model_figures(records, calls)
        model_table = f"\n{table(COLUMNS, cells_of_models(models))}" if models else ""
        return Report(rows, self.to_markdown(rows) + model_table, models)

    def plot(self, rows: Sequence[Row], *paths: Path) -> None:
        """Write the figure to files, whose names end with those of image formats.

        Raises:
            ImportError: matplotlib is not installed.
        """
        write_figure(paths, partial(self.module.draw, rows), getattr(self.module, "SIZE", SIZE))


def read_games(path: Path, game: str | None) -> list[GameRecord]:
    """Return the records of a results folder or of a games.jsonl.

    Args:
        game: if given, the file may also hold published games of this game, as `aucenv replay` reads them. A warning
            names each of their bids that is rounded to whole cents.

    Raises:
        OSError: the path cannot be read.
        ValueError: a line is neither a record nor a published game, or the replay of a published game differs from it.
            The message names file and line.
    """
    if game is None or path.is_dir():
        return list(read_records(path))
    records: list[GameRecord] = []
    reader = RecordReader()
    for where, line in read_lines(path):
        data = parse_object(line, where)
        if "version" in data:
            records.append(reader.parse(line, where))
            continue
        replayed = find_family(game).game.replay.replay_game(data, where)
        if replayed.difference is not None:
            raise ValueError(f"{where}: {replayed.difference}")
        for note in replayed.rounded:
            warnings.warn(f"{where}: {note}", Notice, stacklevel=2)
        names = ["recorded"] * replayed.table.num_seats
        records.append(make_record(replayed.table, [], len(records), names))
    return records


def run(
    study: Study,
    bidders: Sequence[str] = (),
    games: int | None = None,
    seed: int = 0,
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: Path | None = None,
    from_records: Path | None = None,
    shard: Shard | None = None,
    on_game: OnGame = ignore_progress,
) -> list[Row]:
    """Play a study's games, or read them, and return its table.

    Args:
        out: results folder; an interrupted run in it resumes. With `from_records`, only the tables are written to it.
        from_records: read the games from here and play none; see `read_games`.
        shard: the part of the games to play; None plays all.

    Raises:
        ValueError, OSError: see `Study.matches`, `Study.rows`, `run_games` and `read_games`.
    """
    if from_records is not None:
        if bidders or games is not None or shard is not None:
            raise ValueError(
                "study: expected --from-records alone, without --bidder, --games and --shard, since no game is played"
            )
        if out is not None and (out / "run.json").exists():
            raise ValueError(f"{out}: expected a folder that holds no run")
        rows = study.rows(read_games(from_records, getattr(study.module, "RECORDED", None)))
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            write_atomically(out / "table.json", to_pretty_json(rows))
            write_atomically(out / "table.md", study.to_markdown(rows))
        return rows
    files = {public_name(name): digest for name in bidders if (digest := file_digest(name))}
    settings: JsonObject = {
        "study": study.name,
        "bidders": [public_name(name) for name in bidders],
        "bidder_files": files,
        "games": games,
        "seed": seed,
    }

    schedule = study.matches(bidders, games, seed)
    return run_games(schedule, settings, study.report, run_options, out=out, shard=shard, on_game=on_game).rows


def train(
    study: Study,
    bidders: Sequence[str],
    games: int | None,
    seed: int,
    workers: int,
    *,
    out: Path,
    on_arm: OnGame = ignore_progress,
) -> list[Row]:
    """Train and play the arms of a study that trains models, and write its table; an interrupted run resumes.

    Args:
        bidders, games: see the study.
        out: results folder.
        on_arm: called with the numbers of finished and of all arms.

    Raises:
        ValueError, OSError: an argument is invalid, or the folder has results with other settings.
        MissingExtra: the extra that the study needs is not installed.
    """
    try:
        rows: list[Row] = study.module.run(out, bidders, games, seed, workers, lambda done, of: on_arm(done, of, ""))
    except ImportError as error:
        raise missing_extra(f"study {study.name} ({error.name})", study.module.EXTRA) from None
    write_atomically(out / "table.json", to_pretty_json(rows))
    write_atomically(out / "table.md", study.to_markdown(rows))
    return rows
