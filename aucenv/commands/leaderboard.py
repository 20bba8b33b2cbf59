"""The command `aucenv leaderboard`."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from aucenv.commands.options import (
    BidderOption,
    BudgetOption,
    ConcurrencyOption,
    FailureOption,
    FolderOption,
    Format,
    FormatOption,
    GameOption,
    GamesOption,
    ItemsOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    ResumeOption,
    ScenarioOption,
    SeatsOption,
    SeedOption,
    WorkersOption,
    make_run_options,
)
from aucenv.commands.terminal import check_writable, progress_bar, resume_hint, table_of


def leaderboard(
    game: GameOption = "english",
    bidder: BidderOption = None,
    format_: FormatOption = Format.round_robin,
    scenario: ScenarioOption = None,
    items: ItemsOption = None,
    budget: BudgetOption = None,
    seats: SeatsOption = None,
    games: GamesOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: FolderOption = None,
    resume: ResumeOption = False,
    json_file: JsonOption = None,
) -> None:
    """Rank bidders by playing them against each other, with rotating seats."""
    from aucenv.analysis import model_figures, ranking_tables
    from aucenv.benchmarks.leaderboard import Settings, chosen_bidders, missing_trained_bidders, run
    from aucenv.core.bidder_name import label_of
    from aucenv.core.files import to_pretty_json, write_atomically

    settings = Settings(game, tuple(bidder or ()), format_.value, scenario, items, budget, seats, games, seed)
    json_to_stdout = json_file == Path("-")
    if json_file is not None and not json_to_stdout:
        check_writable(json_file)
    console = Console(stderr=json_to_stdout)
    run_options = make_run_options(workers, concurrency, on_model_failure, prices, max_cost)
    with progress_bar() as advance, resume_hint(out):
        rows = run(settings, run_options, out=out, resume=resume, on_game=advance)
    title = f"{settings.game}, {settings.format}, seed {settings.seed}; ± 95% interval"
    console.print(table_of(title, ranking_tables.columns(game), ranking_tables.cells(rows, game)))
    second_title, headings, lines = ranking_tables.second_table(rows, game)
    if second_title:
        console.print(table_of(second_title, headings, lines))
    console.print(
        table_of(ranking_tables.DUELS, ["bidder", *(row["bidder"] for row in rows)], ranking_tables.duel_cells(rows))
    )
    models = {row["bidder"]: row["model"] for row in rows if "model" in row}
    if models:
        console.print(table_of(model_figures.TITLE, model_figures.COLUMNS, model_figures.cells(models)))
    absent = {label_of(name) for name in chosen_bidders(settings)} - {row["bidder"] for row in rows}
    if absent:
        typer.echo(f"too few games to include {', '.join(sorted(absent))}: raise --games", err=True)
    for name in missing_trained_bidders(settings):
        typer.echo(f"left out {name}: it needs pip install 'aucenv[rlact]'", err=True)
    if json_to_stdout:
        typer.echo(to_pretty_json(rows), nl=False)
    elif json_file is not None:
        write_atomically(json_file, to_pretty_json(rows))
