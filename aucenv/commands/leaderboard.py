"""The command `aucenv leaderboard`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence, Set
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.console.terminal import check_writable, computes, print_safely, run_uncompiled, running
from aucenv.commands.lineup import SAVED, write_lineup
from aucenv.commands.options.cluster_option import ClusterOption
from aucenv.commands.options.costs import RunCosts
from aucenv.commands.options.guest_options import IsolateOption, SaltOption, chosen_guests
from aucenv.commands.options.help_pages import ADVANCED
from aucenv.commands.options.options import (
    BidderOption,
    ConcurrencyOption,
    ConfigOption,
    CsvOption,
    FailureOption,
    FolderOption,
    Format,
    FormatOption,
    GameOption,
    GamesOption,
    JsonOption,
    MaxCostOption,
    MemoriesOption,
    ModelOption,
    OnModelFailure,
    PlotOption,
    PricesOption,
    QuickOption,
    ResumeOption,
    Roles,
    RolesOption,
    SaveConfigOption,
    ScenarioOption,
    SeedOption,
    SetOption,
    ShardOption,
    WideOption,
    WorkersOption,
    make_run_options,
)
from aucenv.commands.options.outputs import Outputs
from aucenv.commands.options.parsers import flag, text_option
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, read_object
from aucenv.runs.shard import Shard

MetaOption = Annotated[
    bool,
    flag(
        "Evaluate the choice of a bidder as a game.\n\nAll lineups play, also those in which a bidder has several "
        "seats; tables have alpha-rank and the Nash average (needs the extra `stats`).",
        "--meta",
        group=ADVANCED,
    ),
]
ExploitOption = Annotated[
    list[Path] | None,
    text_option(
        "Result of `aucenv exploit --json` for --meta.\n\nThat of one of the bidders; repeat the option for several.",
        "FILE",
        "--exploit",
        group=ADVANCED,
    ),
]

QUICK_DEALS = 2
"""Number of deals of --quick."""

Progress = Callable[[int, int, str], None]


def leaderboard(
    context: typer.Context,
    game: GameOption = "english",
    bidder: BidderOption = None,
    format_: FormatOption = Format.round_robin,
    scenario: ScenarioOption = None,
    changes: SetOption = None,
    roles: RolesOption = Roles.seats,
    model: ModelOption = None,
    memories: MemoriesOption = None,
    games: GamesOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: FolderOption = None,
    resume: ResumeOption = False,
    shard: ShardOption = None,
    isolate: IsolateOption = False,
    salt: SaltOption = None,
    config: ConfigOption = None,
    save_config: SaveConfigOption = None,
    quick: QuickOption = False,
    meta: MetaOption = False,
    exploit: ExploitOption = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    plot: PlotOption = None,
    wide: WideOption = False,
) -> None:
    """Rank bidders by playing them against each other, with rotating seats."""
    if quick and not computes(bidder or []):
        run_uncompiled()
    from aucenv.analysis.ranking.figure import draw_ranking
    from aucenv.analysis.ranking.meta_game import exploits_by_label
    from aucenv.analysis.ranking.tables import ranking_tables
    from aucenv.benchmarks.rankings.aucarena import with_bidders_of_file
    from aucenv.benchmarks.rankings.leaderboard import chosen_bidders, matches, missing_trained_bidders, run
    from aucenv.benchmarks.rankings.settings import Settings, chosen_scenario
    from aucenv.core.words.bidder_name import label_of

    outputs = Outputs(json_file, csv_file, plot)
    part = None if shard is None else Shard.parse(shard)
    settings = with_bidders_of_file(
        Settings(
            *(game, tuple(bidder or ()), format_.value, scenario, tuple(changes or ()), games, seed, part, roles.value),
            models=tuple(model or ()),
            memories=None if memories is None else str(memories),
            meta=meta,
            guests=chosen_guests(isolate, salt, out, shard),
        )
    )
    if meta and format_ is not Format.round_robin:
        raise ValueError(f"--meta: expected --format round-robin, got {format_.value}")
    if exploit and not meta:
        raise ValueError("--exploit: expected --meta, whose table has its results")
    labels = [label_of(name) for name in chosen_bidders(settings)]
    exploits = exploits_by_label([read_object(path) for path in exploit or []], labels, game)
    if quick and getattr(context.get_parameter_source("games"), "name", "") != "COMMANDLINE":
        settings = dataclasses.replace(settings, games=QUICK_DEALS * len(chosen_scenario(settings).bidders))
    costs = RunCosts()
    run_options = costs.followed(make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster))
    save: list[Callable[[], None]] = []
    if save_config is not None:
        check_writable(save_config, "--save-config", SAVED)
        chosen = {"bidder": list(chosen_bidders(settings)), "games": len(matches(settings))}
        changed = {"roles": settings.roles, "model": None, "memories": None, "isolate": isolate or None}
        save.append(partial(write_lineup, save_config, {**context.params, **chosen, **changed}))
    with costs.printed_if_stopped(), running(out, also_kept=costs.kept) as advance:
        rows = run(settings, run_options, out=out, resume=resume, on_game=_saving(save, advance))
    rows = [row | ({"exploit": exploits[row["bidder"]]} if row["bidder"] in exploits else {}) for row in rows]
    title = f"{settings.game}, {settings.format}, seed {settings.seed}" + (f", part {part}" if part else "")
    tables = ranking_tables(rows, game, title)
    outputs.show(tables, rows, wide=wide, draw=lambda path: draw_ranking(rows, game, title, path))
    _print_notes(rows, set(labels), part)
    for name in missing_trained_bidders(settings):
        typer.echo(f"left out {name}: {missing_extra('it', 'rlact')}", err=True)
    costs.print()


def _saving(save: list[Callable[[], None]], advance: Progress) -> Progress:
    """Return a function that calls those of `save` once, and then `advance`: nothing is saved of a refused run."""

    def call(done: int, total: int, calls: str) -> None:
        while save:
            save.pop()()
        advance(done, total, calls)

    return call


def _print_notes(rows: Sequence[JsonObject], labels: Set[str], part: Shard | None) -> None:
    """Print which bidders have not played, and which have forfeited."""
    absent = labels - {row["bidder"] for row in rows}
    if absent:
        why = "too few games to include" if part is None else f"not in part {part}:"
        advice = ": raise --games" if part is None else ""
        typer.echo(f"{why} {', '.join(sorted(absent))}{advice}", err=True)
    for row in rows:
        if forfeits := row.get("model", {}).get("forfeits"):
            print_safely(f"{row['bidder']} forfeited in {forfeits} of {row['games']} games", err=True)
