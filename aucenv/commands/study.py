"""`aucenv study`."""

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
    run_options_of,
)
from aucenv.commands.terminal import check_writable, going_on_later, progress_bar, table_of


def study(
    name: Annotated[str, typer.Argument(help="Which; see `aucenv studies`.")],
    bidder: Annotated[list[str] | None, typer.Option(help="In all seats; repeat it to compare several.")] = None,
    games: Annotated[int | None, typer.Option(help="Of each cell. Default: the study's.")] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="As for leaderboard, and figure.png."),
    ] = None,
    from_records: Annotated[
        Path | None,
        typer.Option(
            help="Play nothing: take the games of this folder or games.jsonl; alympics: or of a file for `replay`."
        ),
    ] = None,
    json_file: JsonOption = None,
) -> None:
    """Play a study's games, or read them from records: its tables, and with --out its figure."""
    from aucenv.benchmarks.studies import Study, run
    from aucenv.core.files import to_pretty_json, write_atomically

    chosen = Study(name)
    json_alone = json_file == Path("-")
    if json_file is not None and not json_alone:
        check_writable(json_file)
    run_options = run_options_of(workers, concurrency, on_model_failure, prices, max_cost)
    with progress_bar() as advance, going_on_later(out):
        rows = run(
            chosen, tuple(bidder or ()), games, seed, run_options, out=out, from_records=from_records, on_game=advance
        )
    console = Console(stderr=json_alone)
    for table in chosen.tables(rows):
        console.print(table_of(*table))
    if out is not None:
        try:
            chosen.plot(rows, out / "figure.png")
        except ImportError:
            typer.echo("no figure: it needs matplotlib: pip install 'aucenv[plot]'", err=True)
    if json_alone:
        typer.echo(to_pretty_json(rows), nl=False)
    elif json_file is not None:
        write_atomically(json_file, to_pretty_json(rows))
