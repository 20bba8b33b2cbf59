"""`aucenv leaderboard`."""

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
    run_options_of,
)
from aucenv.commands.terminal import check_writable, going_on_later, progress_bar, table_of


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
    """Rank bidders by playing them against each other; seats rotate."""
    from aucenv.analysis import model_figures, ranking_tables
    from aucenv.benchmarks.leaderboard import Settings, chosen_bidders, learnt_absent, run
    from aucenv.core.bidder_name import label_of
    from aucenv.core.files import to_pretty_json, write_atomically

    settings = Settings(game, tuple(bidder or ()), format_.value, scenario, items, budget, seats, games, seed)
    json_alone = json_file == Path("-")
    if json_file is not None and not json_alone:
        check_writable(json_file)
    console = Console(stderr=json_alone)
    run_options = run_options_of(workers, concurrency, on_model_failure, prices, max_cost)
    with progress_bar() as advance, going_on_later(out):
        rows = run(settings, run_options, out=out, resume=resume, on_game=advance)
    title = f"{settings.game}, {settings.format}, seed {settings.seed}; ± 95% interval"
    console.print(table_of(title, ranking_tables.columns(game), ranking_tables.cells(rows, game)))
    also, headings, lines = ranking_tables.also_shown(rows, game)
    if also:
        console.print(table_of(also, headings, lines))
    console.print(
        table_of(ranking_tables.DUELS, ["bidder", *(row["bidder"] for row in rows)], ranking_tables.duel_cells(rows))
    )
    models = {row["bidder"]: row["model"] for row in rows if "model" in row}
    if models:
        console.print(table_of(model_figures.TITLE, model_figures.COLUMNS, model_figures.cells(models)))
    absent = {label_of(name) for name in chosen_bidders(settings)} - {row["bidder"] for row in rows}
    if absent:
        typer.echo(f"too few games for {', '.join(sorted(absent))} to play: raise --games", err=True)
    for name in learnt_absent(settings):
        typer.echo(f"without {name}: it needs pip install 'aucenv[rlact]'", err=True)
    if json_alone:
        typer.echo(to_pretty_json(rows), nl=False)
    elif json_file is not None:
        write_atomically(json_file, to_pretty_json(rows))
