"""The commands `aucenv records table`, `compare`, `merge`, `forget` and `reread`, which read whole results folders."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.benchmark import print_saved
from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import print_first, print_safely
from aucenv.commands.options.costs import print_cost
from aucenv.commands.options.options import CsvOption, JsonOption, PlotOption, WideOption
from aucenv.commands.options.outputs import Outputs
from aucenv.commands.options.parsers import text_option
from aucenv.core.records.figures import TextTable

ResultsArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder or a games.jsonl.")]


def table(
    folder: ResultsArgument,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    plot: PlotOption = None,
    wide: WideOption = False,
) -> None:
    """Print the table of the games in a results folder, of a finished run or of one that was stopped."""
    from aucenv.analysis.ranking.figure import draw_ranking
    from aucenv.analysis.ranking.tables import ranking_tables
    from aucenv.analysis.statistics.metrics import game_of
    from aucenv.benchmarks.rankings.leaderboard import rows_with_models
    from aucenv.benchmarks.rankings.saved_runs import SavedRun

    outputs = Outputs(json_file, csv_file, plot)
    run = SavedRun.read(folder)
    if run.is_benchmark:
        if plot is not None:
            raise ValueError("--plot: expected the games of a leaderboard, got those of the benchmark")
        print_saved(folder, outputs, wide)
        return
    records, calls = run.records(), run.calls()
    report = run.report(records, calls)
    finished = {record.index for record in records}
    if run.study is None:
        rows, game = rows_with_models(report), game_of(records)
        title = f"{game}, {len(records):,} games"
        ranking = ranking_tables(rows, game, title)
        outputs.show(ranking, rows, wide=wide, draw=lambda path: draw_ranking(rows, game, title, path))
        print_cost(calls, finished)
        return
    if plot is not None:
        raise ValueError(f"--plot: expected the games of a leaderboard, got the study {run.study.name}: see figure.png")
    tables = [TextTable(name, tuple(headings), lines) for name, headings, lines in run.study.tables(report.rows)]
    outputs.show(tables, report.rows, wide=wide)
    print_cost(calls, finished)


def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A results folder or a games.jsonl.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one, with some of the same bidders.")],
    wide: WideOption = False,
) -> None:
    """Print how the figures of the bidders that play in both A and B differ: B minus A.

    Games of the same deal, that is scenario and seed, are compared with each other, and other games are left out. If a
    bidder's games in A and B share no deal, all of them are compared.
    """
    from aucenv.analysis.statistics.comparison import compare as differences_of
    from aucenv.analysis.statistics.comparison import comparison_table
    from aucenv.analysis.statistics.metrics import game_of
    from aucenv.benchmarks.rankings.saved_runs import SavedRun

    records, others = (SavedRun.read(path).records() for path in (first, second))
    try:
        differences = differences_of(records, others)
    except ValueError as error:
        raise ValueError(f"{first}, {second}: {error}") from None
    paths = (str(first), str(second))
    print_tables([comparison_table(differences, game_of(records), paths)], wide=wide)


def forget(
    folder: ResultsArgument,
    seat: Annotated[
        str,
        typer.Argument(
            metavar="PERSON",
            help="A person: its name or label, at other tables than the first as in 'Ann at table 2'; or a "
            "seat such as bidder_0, for all people who have played in it.",
        ),
    ],
) -> None:
    """Remove a person's words and name from a results folder; the decisions, and so the games, stay as they are.

    A run that is not finished can be resumed with the name that the person has then, which the command prints.
    """
    from aucenv.benchmarks.rankings.saved_runs import SavedRun
    from aucenv.core.words.phrases import count
    from aucenv.runs.recorded.forget import forget as remove

    removed = remove(folder, seat, SavedRun.read(folder).report)
    typer.echo(f"words removed from {count(removed.seats, 'seat')} of finished games in {folder}")
    for old, new in removed.names.items():
        print_safely(f"{old} is now {new}")
        if not removed.is_finished:
            print_safely(f"to resume the run, which is not finished, name {new} in place of {old}")
    for name in removed.namesakes:
        way_out = f"aucenv records forget {shlex.quote(str(folder))} {shlex.quote(name)}"
        print_safely(f"{name}, who had the same name, keeps the words; to remove them, run: {way_out}")


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="The results folders that --shard 1/N, 2/N, ... wrote.")
    ],
    out: Annotated[Path, text_option("The results folder to create.", "DIR", "--out")],
) -> None:
    """Merge the shards of a run into one results folder, with the table of all games.

    If a shard is missing or not finished, the command of the run without --shard plays the remaining games into the
    merged folder.
    """
    from aucenv.benchmarks.rankings.saved_runs import merge as merge_runs

    games, complete = merge_runs(folders, out)
    typer.echo(f"{games:,} games in {out}")
    if not complete:
        way_out = f"its command without --shard and with --out {out} plays the rest and writes the tables"
        typer.echo(f"the merged run is not finished: {way_out}", err=True)


def reread(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The results folder of a run with calls of models.")],
    out: Annotated[Path, text_option("The results folder to create.", "DIR", "--out")],
) -> None:
    """Read the replies of models in a run again with today's reader, into a new results folder.

    It prints each reply that is read otherwise. A game in which that changes a decision cannot go on: it is named and
    left out, and the command of the run with the new folder plays it again.
    """
    from aucenv.benchmarks.rankings.reread import reread as reread_run
    from aucenv.benchmarks.rankings.saved_runs import SavedRun
    from aucenv.core.words.phrases import count

    run = SavedRun.read(folder)
    games = reread_run(run, out)
    for record, game in zip(run.records(), games, strict=True):
        for change in game.changes:
            print_safely(f"game {record.index}: {change}")
        if game.record is None:
            print_safely(f"game {record.index} cannot go on: {game.why}", err=True)
    left_out = sum(game.record is None for game in games)
    changes = sum(len(game.changes) for game in games)
    kept = count(len(games) - left_out, "game")
    print_safely(f"{kept} in {out}, with {count(changes, 'decision')} whose replies are read otherwise")
    if left_out:
        print_safely(f"left out {count(left_out, 'game')}: run the command of the run with --out {out}", err=True)


def repair(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The results folder of a run, with damaged files.")],
    out: Annotated[Path, text_option("The results folder to create.", "DIR", "--out")],
) -> None:
    """Copy a run with damaged files into a new results folder, with all games and model calls that are whole.

    It prints each line that is left out. The command of the run with the new folder plays the games that are missing.
    """
    from aucenv.core.words.phrases import count
    from aucenv.runs.recorded.repair import repair as repair_run

    repaired = repair_run(folder, out)
    print_first([f"left out: {sentence}" for sentence in repaired.left_out], err=True)
    print_safely(f"{count(repaired.games, 'game')} and {count(repaired.calls, 'model call')} in {out}")
    if not repaired.finished:
        print_safely(f"the run is not finished: run its command with --out {out}", err=True)
