"""The command `aucenv study`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.cluster_option import ClusterOption
from aucenv.commands.completion import studies
from aucenv.commands.costs import RunCosts
from aucenv.commands.options import (
    MOST_GAMES,
    ConcurrencyOption,
    CsvOption,
    FailureOption,
    FolderOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    SeedOption,
    ShardOption,
    WideOption,
    WorkersOption,
    YesOption,
    make_run_options,
)
from aucenv.commands.outputs import Outputs
from aucenv.commands.papers import PaperArguments, run_paper
from aucenv.commands.parsers import flag, text_option, whole_option
from aucenv.commands.prices import check_prices, print_prices, refuse_paid
from aucenv.commands.study_settings import StudySetOption, StudySettings
from aucenv.commands.tables import print_tables
from aucenv.commands.terminal import running
from aucenv.core.bidder_name import check_path
from aucenv.core.checks import MissingExtra
from aucenv.core.extras import check_packages, missing_extra
from aucenv.core.figures import TextTable
from aucenv.core.files import JsonObject
from aucenv.runs.shard import Shard

if TYPE_CHECKING:
    from aucenv.benchmarks.reproduce.cells import Row
    from aucenv.benchmarks.reproduce.raters import Raters
    from aucenv.benchmarks.studies import Study


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A study, a paper, or all; `aucenv studies` lists them.", autocompletion=studies
        ),
    ],
    bidder: Annotated[
        list[str] | None,
        text_option(
            "A bidder to compare; repeatable.\n\nIt usually plays in all seats.",
            "BIDDER",
            "--bidder",
        ),
    ] = None,
    games: Annotated[
        int | None,
        whole_option(
            "Number of games.\n\nThose of each bidder in each setting. Default: that of the study.", 1, MOST_GAMES
        ),
    ] = None,
    changes: StudySetOption = None,
    seed: SeedOption = 0,
    from_records: Annotated[
        Path | None,
        text_option(
            "Read the games, instead of playing them.\n\nFrom a results folder or games.jsonl. Studies of Alympics "
            "also read a file in the format of `aucenv replay`, and those of Synthetic Labs the folder of its logs.",
            "PATH",
            "--from-records",
        ),
    ] = None,
    offline: Annotated[
        bool,
        flag(
            "For `study all`: call no models.\n\nRule bidders and the script llm:scripted play, for 40 minutes.",
            "--offline",
        ),
    ] = False,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    shard: ShardOption = None,
    yes: YesOption = False,
    out: FolderOption = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    wide: WideOption = False,
) -> None:
    """Play the games of a study, or read them from records; print its tables, and with --out draw its figure.

    aucarena, harbor, labs and alympics are papers: one run, from which all tables and figures of the paper are drawn.
    all: every study.
    """
    from aucenv.benchmarks.papers import PAPERS
    from aucenv.benchmarks.studies import Study, run

    rival, logs, ask_broke, folder, judge, form, ratings, full = StudySettings.read(changes or ()).values()
    of_single: JsonObject = {"--set rivals": rival, "--shard": shard}
    of_raters: JsonObject = {"--set judge": judge, "--set form": form, "--set ratings": ratings}
    of_all: JsonObject = {"--offline": offline, "--set full": full}
    if name == ALL:
        refused: JsonObject = {"--bidder": bidder, "--games": games, "--seed": seed, "--from-records": from_records}
        refused |= {"--set logs": logs, **of_single, **of_raters}
        _run_all(offline, full, out, workers, cluster, [option for option, value in refused.items() if value])
        return
    raters = _raters(judge, form, ratings, yes)
    if name in PAPERS:
        files: JsonObject = {"--json": json_file, "--csv": csv_file}
        _refuse(name, "single studies", {"--set templates": folder, **of_single, **of_all, **files})
        options = make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster)
        arguments = PaperArguments(tuple(bidder or ()), games, seed, ask_broke)
        run_paper(name, arguments, options, out, from_records, logs, raters, prices, yes, wide)
        return
    _refuse(name, "`aucenv study all`", of_all)
    _refuse(name, "`aucenv study PAPER`", {"--set ask_broke=false": not ask_broke})
    chosen, bidder = Study(name).with_logs(logs), _variants(name, bidder, folder)
    outputs, draws = Outputs(json_file, csv_file), _can_draw(out)
    if chosen.trains:
        refused = {"--from-records": from_records, "--cluster": cluster, **of_single, **of_raters}
        trained = _train(chosen, tuple(bidder or ()), games, seed, workers, out, refused)
        _show(chosen, trained, out if draws else None, outputs, wide)
        return
    if from_records is None and not yes:
        check_prices(chosen.matches(tuple(bidder or ()), games, seed, rival), prices)
    costs = RunCosts()
    run_options = costs.followed(make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster))
    with costs.printed_if_stopped(), running(out, also_kept=costs.kept) as advance:
        rows = run(
            chosen,
            tuple(bidder or ()),
            games,
            seed,
            run_options,
            out=out,
            from_records=from_records,
            shard=None if shard is None else Shard.parse(shard),
            raters=raters,
            rivals=rival,
            on_game=advance,
        )
    _show(chosen, rows, out if draws else None, outputs, wide)
    costs.print()


def _variants(name: str, bidders: list[str] | None, folders: Sequence[Path]) -> list[str] | None:
    """Return the bidders of a study, those of `prompts` with a folder of templates each if there are folders."""
    if not folders:
        return bidders
    from aucenv.benchmarks.reproduce.prompts import NAME, variants

    if name != NAME or len(bidders or ()) != 1:
        raise ValueError(f"--set templates: expected the study {NAME} with one --bidder, got the study {name}")
    return list(variants(bidders[0], folders)) if bidders else None


def _refuse(name: str, of: str, options: JsonObject) -> None:
    """Raise ValueError if options have a value that have no meaning for a study.

    Args:
        of: The studies that have these options.
    """
    if given := [option for option, value in options.items() if value]:
        raise ValueError(f"study {name}: expected no options of {of}, got {', '.join(given)}")


def _train(
    study: Study,
    bidders: tuple[str, ...],
    games: int | None,
    seed: int,
    workers: int,
    out: Path | None,
    refused: JsonObject,
) -> list[Row]:
    """Train the models of a study, and return its rows.

    Args:
        refused: The options that have no meaning for it, with their values.

    Raises:
        ValueError: One of these has a value, or there is no results folder.
    """
    from aucenv.benchmarks.studies import train

    given = [option for option, value in refused.items() if value]
    if out is None or given:
        got = ", ".join(given) or "no --out"
        raise ValueError(
            f"study {study.name}: expected --out and no {', '.join(refused)}, as it trains models; got {got}"
        )
    check_path(out)
    with running(out, "arms") as advance:
        return train(study, bidders, games, seed, workers, out=out, on_arm=advance)


def _raters(judges: tuple[str, ...], form: Path | None, ratings: tuple[Path, ...], yes: bool) -> Raters:
    from aucenv.benchmarks.reproduce.raters import Raters

    return Raters(judges, ratings, form, approve=print_prices if yes else refuse_paid)


ALL = "all"
"""The name with which the command runs every study."""


def _run_all(offline: bool, full: bool, out: Path | None, workers: int, cluster: str | None, given: list[str]) -> None:
    """Run every study, print its time, and where the page is.

    Args:
        given: The names of the given options that have no meaning here.

    Raises:
        ValueError: An option is missing, or has no meaning here.
    """
    from aucenv.benchmarks.all_studies import run_all

    if given or not offline or out is None:
        got = f", and no options of single studies, got {', '.join(given)}" if given else ""
        raise ValueError(f"study all: expected --offline and --out DIR{got}")
    options = make_run_options(workers, None, OnModelFailure.stop, None, None, cluster)
    results = run_all(out, options, workers, full, lambda line: typer.echo(line, err=True))
    lines = [
        [
            result.name,
            "-" if result.games is None else f"{result.games:,}",
            f"{result.minutes:.1f}",
            result.error or "-",
        ]
        for result in results
    ]
    print_tables([TextTable("", ("study", "games", "minutes", "error"), lines)])
    typer.echo(f"{out / 'index.html'} has all tables and pictures")
    if any(result.error for result in results):
        raise typer.Exit(1)


def _can_draw(out: Path | None) -> bool:
    """Return whether the figure can be drawn; if not, say so before the study starts."""
    try:
        check_packages("the figure", "plot", "matplotlib")
    except MissingExtra as error:
        if out is not None:
            typer.echo(str(error), err=True)
        return False
    return True


def _show(study: Study, rows: list[Row], out: Path | None, outputs: Outputs, wide: bool) -> None:
    """Draw the figure of a study, write its rows, and print its tables."""
    tables = [TextTable(title, tuple(headings), lines) for title, headings, lines in study.tables(rows)]
    tables[-1] = dataclasses.replace(tables[-1], note=study.meaning)
    if out is not None:
        try:
            study.plot(rows, out / "figure.png", out / "figure.svg")
        except ImportError:
            typer.echo(str(missing_extra("the figure", "plot")), err=True)
    outputs.show(tables, rows, wide=wide)
