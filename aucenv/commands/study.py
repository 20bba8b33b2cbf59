"""The command `aucenv study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from aucenv.commands.options import (
    ConcurrencyOption,
    FailureOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    SeedOption,
    WorkersOption,
    make_run_options,
)
from aucenv.commands.terminal import check_writable, progress_bar, resume_hint, table_of


def study(
    name: Annotated[str, typer.Argument(help="Name of the study; `aucenv studies` lists them.")],
    bidder: Annotated[
        list[str] | None,
        typer.Option(
            help="A bidder that plays in the study, usually in all seats; repeat the option to compare several."
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Number of games of each bidder in each setting. Default: that of the study.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Results folder as for `aucenv leaderboard`, with figure.png."),
    ] = None,
    from_records: Annotated[
        Path | None,
        typer.Option(
            help="Read the games from this results folder or games.jsonl, instead of playing them. Studies of Alympics "
            "also read a file in the format of `aucenv replay`."
        ),
    ] = None,
    json_file: JsonOption = None,
) -> None:
    """Play the games of a study, or read them from records; print its tables, and with --out draw its figure."""
    from aucenv.benchmarks.studies import Study, run
    from aucenv.core.files import to_pretty_json, write_atomically

    chosen = Study(name)
    json_to_stdout = json_file == Path("-")
    if json_file is not None and not json_to_stdout:
        check_writable(json_file)
    run_options = make_run_options(workers, concurrency, on_model_failure, prices, max_cost)
    with progress_bar() as advance, resume_hint(out):
        rows = run(
            chosen, tuple(bidder or ()), games, seed, run_options, out=out, from_records=from_records, on_game=advance
        )
    console = Console(stderr=json_to_stdout)
    for table in chosen.tables(rows):
        console.print(table_of(*table))
    if out is not None:
        try:
            chosen.plot(rows, out / "figure.png")
        except ImportError:
            typer.echo("figure.png is not written: it needs pip install 'aucenv[plot]'", err=True)
    if json_to_stdout:
        typer.echo(to_pretty_json(rows), nl=False)
    elif json_file is not None:
        write_atomically(json_file, to_pretty_json(rows))
