"""Play the games of a study, read them from records, or train its models; and write its table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from aucenv.benchmarks.studies.cells import Row
from aucenv.benchmarks.studies.raters import NOBODY, Raters
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.study_records import read_games

from aucenv.core.extras import check_packages, missing_extra
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.formats.folders import check_folder, check_unused
from aucenv.core.words.bidder_name import public_name
from aucenv.policy.user_code import digest_of, file_digest
from aucenv.runs.loop import THIS_PROCESS, OnGame, ignore_progress, run_games
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.run_options import RunOptions
from aucenv.runs.shard import Shard

TABLES, FIGURES = ("table.json", "table.md"), ("figure.png", "figure.svg")
"""The files of a study in a folder, besides those of its games."""


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
    raters: Raters = NOBODY,
    rivals: str | None = None,
    on_game: OnGame = ignore_progress,
) -> list[Row]:
    """Play a study's games, or read them, and return its table.

    Args:
        out: results folder; an interrupted run in it resumes. With `from_records`, only the tables are written to it.
        from_records: read the games from here and play none; see `read_games`.
        shard: the part of the games to play; None plays all.
        raters: who rates, if the results are ratings; the rest of it follows from the other arguments.
        rivals: see `Study.schedule`.

    Raises:
        ValueError, OSError: see `Study.schedule`, `Study.rows_of`, `run_games`, `read_games` and `Raters.of_run`.
    """
    raters = raters.of_run(study.where, study.is_rated, bidders or study.bidders, run_options, out)
    study.check_raters(raters)
    if shard is not None and study.is_rated:
        raise ValueError(f"{study.where}: expected no --shard, because raters need all games")
    if from_records is not None:
        if bidders or games is not None or shard is not None or rivals is not None:
            raise ValueError(
                "study: expected --from-records alone, without --bidder, --set rivals, --games and --shard, since no "
                "game is played"
            )
        if out is not None:
            check_folder(out)
            check_unused(out, TABLES, (*TABLES, *FIGURES))
        raters = dataclasses.replace(raters, played=tuple(read_calls(from_records)) if study.is_rated else ())
        rows = study.rows_of(read_games(from_records, study.recorded), raters)
        if out is not None:
            write_tables(study, rows, out)
        return rows
    files = {public_name(name): digest for name in bidders if (digest := file_digest(name))}
    if study.file is not None:
        files[study.file.name] = digest_of([study.file])
    settings: JsonObject = {
        "study": study.name if study.file is None else study.file.name,
        "bidders": [public_name(name) for name in bidders],
        "bidder_files": files,
        "games": games,
        "seed": seed,
        **({} if rivals is None else {"rivals": public_name(rivals)}),
    }

    schedule, report = study.schedule(bidders, games, seed, rivals), partial(study.report, raters=raters)
    return run_games(
        schedule, settings, report, run_options, out=out, shard=shard, on_game=on_game, writes=FIGURES
    ).rows


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
    check_folder(out, "ablation.json")
    check_unused(out, TABLES, (*TABLES, *FIGURES))
    assert study.train is not None
    check_packages(study.where, study.extra, "torch")
    try:
        rows = study.train(out, bidders, games, seed, workers, lambda done, of: on_arm(done, of, ""))
    except ImportError as error:
        raise missing_extra(f"{study.where} ({error.name})", study.extra) from None
    write_tables(study, rows, out)
    return rows


def write_tables(study: Study, rows: Sequence[Row], out: Path) -> None:
    """Write the rows of a study as TABLES into a folder."""
    text = study.to_markdown(rows)
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "table.json", to_pretty_json([*rows]))
    write_atomically(out / "table.md", text)
