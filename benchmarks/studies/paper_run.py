"""Play the games of a paper, or read them, and draw its tables and figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from aucenv.benchmarks.studies.all_studies import Result, Section, to_html, to_markdown
from aucenv.benchmarks.studies.paper import Paper, PaperRun
from aucenv.benchmarks.studies.raters import NOBODY, Raters
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.study_run import FIGURES, write_tables

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject, write_atomically
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import public_name
from aucenv.policy.user_code import file_digest
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records
from aucenv.runs.results import read_run
from aucenv.runs.run_options import RunOptions

LISTING = "listing.md"
PAGES = ("index.html", "index.md", LISTING)
"""The files with a paper's tables and figures."""


def play(
    paper: Paper,
    run: PaperRun,
    settings: JsonObject,
    run_options: RunOptions,
    *,
    out: Path,
    raters: Raters = NOBODY,
    on_game: OnGame = ignore_progress,
) -> list[Section]:
    """Play the games of a paper, and draw its tables and figures; an interrupted run in the folder is resumed.

    Args:
        settings: The arguments of `Paper.run_of`, which a results folder keeps.
        out: The results folder, which also gets a folder for each table or figure, `index.html` and `index.md`.
        raters: Who rates, if there are ratings; the rest of it follows from the other arguments.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: As in `run_games`; or there are raters, but nothing to rate.
    """
    raters = _raters_of(paper, run, raters, run_options, out)
    files = {public_name(name): digest for name in run.bidders if (digest := file_digest(name))}
    saved = {"paper": paper.name, **settings, "bidder_files": files}
    drawn: list[Section] = []

    def report(records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
        drawn[:] = draw(paper, run, records, out, dataclasses.replace(raters, played=tuple(calls)))
        first, parts = next(iter(paper.studies.items()))
        return first.report(run.records_of(parts, records), calls)

    run_games(run.matches, saved, report, run_options, out=out, on_game=on_game, writes=PAGES)
    return drawn


def saved_settings(paper: Paper, folder: Path) -> JsonObject:
    """Return the arguments of `Paper.run_of` with which the run in a results folder was started.

    Raises:
        OSError: There is no run.
        ValueError: It is not one of this paper.
    """
    settings = read_run(folder)["settings"]
    if settings.get("paper") != paper.name:
        got = next((settings[name] for name in ("paper", "study", "suite", "game") if name in settings), "another run")
        raise ValueError(f"{folder}: expected a run of `aucenv study {paper.name}`, got {excerpt(got)}")
    return {name: settings[name] for name in ("bidders", "games", "seed", "ask_broke")}


def draw_saved(
    paper: Paper,
    run: PaperRun,
    folder: Path,
    out: Path,
    run_options: RunOptions = THIS_PROCESS,
    raters: Raters = NOBODY,
) -> tuple[list[Section], list[Call]]:
    """Draw the tables and figures of a run in a results folder; return them, and the calls of models."""
    calls = read_calls(folder)
    raters = dataclasses.replace(_raters_of(paper, run, raters, run_options, folder), played=tuple(calls))
    return draw(paper, run, list(read_records(folder)), out, raters), calls


def _raters_of(paper: Paper, run: PaperRun, raters: Raters, run_options: RunOptions, folder: Path) -> Raters:
    for study in paper.studies:
        study.check_raters(raters)
    is_rated = any(study.is_rated for study in paper.studies)
    return raters.of_run(f"study {paper.name}", is_rated, run.bidders, run_options, folder)


def draw(
    paper: Paper, run: PaperRun, records: Sequence[GameRecord], out: Path, raters: Raters = NOBODY
) -> list[Section]:
    """Draw the tables and figures of a paper from its games.

    Args:
        out: The folder, which gets a folder for each study, the page `index.html`, `index.md`, and the listing.
        raters: Who rates; without judges and forms, studies of ratings are left out.
    """
    command = f"aucenv study {paper.name} --from-records {out.name}"
    sections = [_draw_study(study, run, parts, records, out, raters, command) for study, parts in paper.studies.items()]
    introduction = " ".join(run.notes)
    write_atomically(out / "index.md", to_markdown(sections, paper.name, introduction))
    write_atomically(out / "index.html", to_html(sections, paper.name, introduction))
    if records:
        write_atomically(out / LISTING, paper.listing(records))
    return sections


def _draw_study(
    study: Study,
    run: PaperRun,
    parts: Sequence[str],
    records: Sequence[GameRecord],
    out: Path,
    raters: Raters,
    command: str,
) -> Section:
    chosen, folder = run.records_of(parts, records), out / study.name.partition("/")[2]
    try:
        if study.is_rated and not raters.given:
            raise ValueError("expected --set judge=MODEL, which rates the games")
        study = study.with_logs(run.logs)
        rows = study.rows_of(chosen, raters)
    except ValueError as error:
        if study.is_rated and raters.given:
            raise
        return Section(Result(study.name, None, len(chosen), str(error)), study.about, command, "", [], None)
    write_tables(study, rows, folder)
    study.plot(rows, *(folder / name for name in FIGURES))
    result, picture = Result(study.name, None, len(chosen)), f"{folder.name}/{FIGURES[0]}" if study.draw else None
    return Section(result, study.about, command, study.meaning, study.tables(rows), picture)
