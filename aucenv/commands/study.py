"""The command `aucenv study`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.costs import RunCosts
from aucenv.commands.options import (
    MOST_GAMES,
    ConcurrencyOption,
    CsvOption,
    FailureOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    SeedOption,
    ShardOption,
    WideOption,
    WorkersOption,
    make_run_options,
)
from aucenv.commands.outputs import Outputs
from aucenv.commands.parsers import whole_option
from aucenv.commands.tables import print_tables
from aucenv.commands.terminal import running
from aucenv.core.extras import missing_extra
from aucenv.core.figures import TextTable
from aucenv.runs.shard import Shard

if TYPE_CHECKING:
    from aucenv.benchmarks.reproduce.cells import Row
    from aucenv.benchmarks.studies import Study


def study(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the study; `aucenv studies` lists them.")],
    bidder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BIDDER",
            help="A bidder that plays in the study, usually in all seats; repeat the option to compare several.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        whole_option("Number of games of each bidder in each setting. Default: that of the study.", 1, MOST_GAMES),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Results folder as for `aucenv leaderboard`, with figure.png and figure.svg."),
    ] = None,
    from_records: Annotated[
        Path | None,
        typer.Option(
            help="Read the games from this results folder or games.jsonl, instead of playing them. Studies of Alympics "
            "also read a file in the format of `aucenv replay`."
        ),
    ] = None,
    shard: ShardOption = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    wide: WideOption = False,
) -> None:
    """Play the games of a study, or read them from records; print its tables, and with --out draw its figure."""
    from aucenv.benchmarks.studies import Study, run, train

    chosen = Study(name)
    outputs = Outputs(json_file, csv_file)
    part = None if shard is None else Shard.parse(shard)
    if chosen.trains:
        if out is None or from_records is not None or part is not None:
            raise ValueError(
                f"study {name}: expected --out and neither --from-records nor --shard, because it trains models"
            )
        with running(out, "arms") as advance:
            rows = train(chosen, tuple(bidder or ()), games, seed, workers, out=out, on_arm=advance)
        _show(chosen, rows, out, outputs, wide)
        return
    costs = RunCosts()
    run_options = costs.followed(make_run_options(workers, concurrency, on_model_failure, prices, max_cost))
    with costs.printed_if_stopped(), running(out) as advance:
        rows = run(
            chosen,
            tuple(bidder or ()),
            games,
            seed,
            run_options,
            out=out,
            from_records=from_records,
            shard=part,
            on_game=advance,
        )
    _show(chosen, rows, out, outputs, wide)
    costs.print()


def _show(study: Study, rows: list[Row], out: Path | None, outputs: Outputs, wide: bool) -> None:
    """Print the tables of a study, draw its figure, and write its rows."""
    tables = [TextTable(title, tuple(headings), lines) for title, headings, lines in study.tables(rows)]
    tables[-1] = dataclasses.replace(tables[-1], note=study.meaning)
    print_tables(tables, wide=wide, stderr=outputs.tables_to_stderr)
    if out is not None:
        try:
            study.plot(rows, out / "figure.png", out / "figure.svg")
        except ImportError:
            typer.echo(str(missing_extra("the figure", "plot")), err=True)
    outputs.write(rows)
