"""Papers: one run of games, from which all tables and figures of a paper are drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType

from aucenv.benchmarks.all_studies import Result, Section, to_html, to_markdown
from aucenv.benchmarks.reproduce.cells import Row
from aucenv.benchmarks.reproduce.paper_run import PaperRun, listed_game
from aucenv.benchmarks.reproduce.raters import NOBODY, Raters
from aucenv.benchmarks.studies import Study

from aucenv.core.bidder_name import public_name
from aucenv.core.checks import excerpt, one_of
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.record import GameRecord
from aucenv.policy.user_code import file_digest
from aucenv.runs.calls import Call
from aucenv.runs.journal import read_calls
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.records import read_records
from aucenv.runs.results import read_run
from aucenv.runs.run_options import RunOptions

PAPERS = {
    "aucarena": "aucenv.benchmarks.reproduce.aucarena.paper",
    "harbor": "aucenv.benchmarks.reproduce.harbor.paper",
    "labs": "aucenv.benchmarks.reproduce.labs.paper",
    "alympics": "aucenv.benchmarks.reproduce.alympics.paper",
}
"""Paper -> module, with `plan(bidders, games, seed)`, which returns a `PaperRun`. `plan` may also have the parameter
`ask_broke`, for `--set ask_broke`, and the module `listing(records)`, a text about one game in place of its log."""
LISTING = "listing.md"
PAGES = ("index.html", "index.md", LISTING)
"""The files with a paper's tables and figures."""


def module_of(paper: str) -> ModuleType:
    """Return the module of a paper."""
    return import_module(PAPERS[one_of("paper", paper, PAPERS)])


def plan(paper: str, bidders: Sequence[str], games: int | None, seed: int, ask_broke: bool) -> PaperRun:
    """Return the games of a paper with these bidders; see the paper's module.

    Args:
        ask_broke: Whether a bidder that cannot pay the least legal bid is asked; only AucArena has a choice.

    Raises:
        ValueError: As in the paper's module, or the paper has no such choice.
    """
    planned: Callable[..., PaperRun] = module_of(paper).plan
    if "ask_broke" in signature(planned).parameters:
        return planned(bidders, games, seed, ask_broke)
    if not ask_broke:
        raise ValueError(f"study {paper}: expected no --set ask_broke=false, which only aucarena has")
    return planned(bidders, games, seed)


def play(
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
        settings: The arguments of `plan`, which a results folder keeps.
        out: The results folder, which also gets a folder for each table or figure, `index.html` and `index.md`.
        raters: Who rates, if there are ratings; the rest of it follows from the other arguments.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: As in `run_games`; or there are raters, but nothing to rate.
    """
    raters = _raters_of(run, raters, run_options, out)
    files = {public_name(name): digest for name in run.bidders if (digest := file_digest(name))}
    saved = {"paper": run.paper, **settings, "bidder_files": files}
    drawn: list[Section] = []

    def report(records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
        drawn[:] = draw(run, records, out, dataclasses.replace(raters, played=tuple(calls)))
        first = Study(next(iter(run.studies)))
        return first.report(run.records_of(first.name, records), calls)

    run_games(run.matches, saved, report, run_options, out=out, on_game=on_game, writes=PAGES)
    return drawn


def saved_settings(paper: str, folder: Path) -> JsonObject:
    """Return the arguments of `plan` with which the run in a results folder was started.

    Raises:
        OSError: There is no run.
        ValueError: It is not one of this paper.
    """
    settings = read_run(folder)["settings"]
    if settings.get("paper") != paper:
        got = next((settings[name] for name in ("paper", "study", "suite", "game") if name in settings), "another run")
        raise ValueError(f"{folder}: expected a run of `aucenv study {paper}`, got {excerpt(got)}")
    return {name: settings[name] for name in ("bidders", "games", "seed", "ask_broke")}


def draw_saved(
    run: PaperRun, folder: Path, out: Path, run_options: RunOptions = THIS_PROCESS, raters: Raters = NOBODY
) -> tuple[list[Section], list[Call]]:
    """Draw the tables and figures of a run in a results folder; return them, and the calls of models."""
    calls = read_calls(folder)
    raters = dataclasses.replace(_raters_of(run, raters, run_options, folder), played=tuple(calls))
    return draw(run, list(read_records(folder)), out, raters), calls


def _raters_of(run: PaperRun, raters: Raters, run_options: RunOptions, folder: Path) -> Raters:
    studies = [Study(name) for name in run.studies]
    for study in studies:
        study.check_raters(raters)
    is_rated = any(study.is_rated for study in studies)
    return raters.of_run(run.paper, is_rated, run.bidders, run_options, folder)


def draw(run: PaperRun, records: Sequence[GameRecord], out: Path, raters: Raters = NOBODY) -> list[Section]:
    """Draw the tables and figures of a paper from its games.

    Args:
        out: The folder, which gets a folder for each study, the page `index.html`, `index.md`, and the listing.
        raters: Who rates; without judges and forms, studies of ratings are left out.
    """
    sections = [_draw_study(run, name, records, out, raters) for name in run.studies]
    introduction = " ".join(run.notes)
    write_atomically(out / "index.md", to_markdown(sections, run.paper, introduction))
    write_atomically(out / "index.html", to_html(sections, run.paper, introduction))
    if records:
        listing = getattr(module_of(run.paper), "listing", lambda records: listed_game(records[0]))
        write_atomically(out / LISTING, listing(records))
    return sections


def _draw_study(run: PaperRun, name: str, records: Sequence[GameRecord], out: Path, raters: Raters) -> Section:
    study, chosen = Study(name), run.records_of(name, records)
    folder = out / name.partition("/")[2]
    command = f"aucenv study {run.paper} --from-records {out.name}"
    try:
        if study.is_rated and not raters.given:
            raise ValueError("expected --set judge=MODEL, which rates the games")
        study = study.with_logs(run.logs)
        rows: list[Row] = study.rows(chosen, raters)
    except ValueError as error:
        if study.is_rated and raters.given:
            raise
        return Section(Result(name, None, len(chosen), str(error)), study.about, command, "", [], None)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "table.json", to_pretty_json(rows))
    write_atomically(folder / "table.md", study.to_markdown(rows))
    study.plot(rows, folder / "figure.png", folder / "figure.svg")
    picture = f"{folder.name}/figure.png"
    return Section(Result(name, None, len(chosen)), study.about, command, study.meaning, study.tables(rows), picture)
