"""The commands `aucenv watch`, `records` and `replay`, which show and check single games."""

from __future__ import annotations

import enum
import json
import shlex
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.streams import output_is_lost
from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import check_writable, computes, print_first, print_safely, run_uncompiled
from aucenv.commands.options.completion import games
from aucenv.commands.options.errors import repair_of
from aucenv.commands.options.options import (
    MOST_GAMES,
    BidderOption,
    CsvOption,
    GameOption,
    JsonOption,
    MemoriesOption,
    ModelOption,
    ScenarioOption,
    SeedOption,
    SetOption,
    WideOption,
)
from aucenv.commands.options.outputs import Outputs
from aucenv.commands.options.parsers import choice, choice_option, text_option, whole
from aucenv.commands.recorded.runs import ResultsArgument
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, write_atomically
from aucenv.core.words.phrases import count
from aucenv.registration import find_family

if TYPE_CHECKING:
    from aucenv.core.records.record import GameRecord
    from aucenv.runs.model_calls.calls import Call


def watch(
    game: GameOption = "english",
    bidder: BidderOption = None,
    scenario: ScenarioOption = None,
    changes: SetOption = None,
    model: ModelOption = None,
    memories: MemoriesOption = None,
    seed: SeedOption = 0,
) -> None:
    """Play one game and print every bid. Give one --bidder for each seat."""
    if not computes(bidder or []):
        run_uncompiled()
    from aucenv.analysis.agents.transcript import transcript
    from aucenv.benchmarks.rankings.aucarena import with_bidders_of_file
    from aucenv.benchmarks.rankings.leaderboard import honest_bidders
    from aucenv.benchmarks.rankings.settings import Settings, chosen_scenario
    from aucenv.core.compiled.cold_start import compile_kernels
    from aucenv.runs.kernel_calls import game_kernels
    from aucenv.runs.play import play

    family = find_family(game)
    settings = with_bidders_of_file(
        Settings(
            game=game,
            bidders=tuple(bidder or ()),
            scenario=scenario,
            changes=tuple(changes or ()),
            models=tuple(model or ()),
            memories=None if memories is None else str(memories),
        )
    )
    chosen = chosen_scenario(settings)
    seats = len(chosen.bidders)
    names = settings.bidders or tuple(islice(cycle(honest_bidders(family.name, chosen)), seats))
    compile_kernels(game_kernels(family, chosen, names))
    for line in transcript(play(family, chosen, names, seed)):
        print_safely(line)


def list_records(folder: ResultsArgument) -> None:
    """List the games of a results folder, with each bidder's profit (in water allocation, its days lived)."""
    from aucenv.analysis.statistics.metrics import figures_of
    from aucenv.core.words.bidder_name import seat_label
    from aucenv.runs.records import read_records

    record = None
    for record in read_records(folder, decisions=False):
        score = figures_of(record.game).SCORE
        seats = zip(record.seats, record.outcome["seats"], strict=True)
        scores = ", ".join(f"{seat_label(player)} {result[score]:,.0f}" for player, result in seats)
        print_safely(f"{record.index:>6}  {record.scenario['name']}  {record.outcome['status']}  {scores}")
        if output_is_lost():  # of millions of games, whose reader has left
            break
    if record is None:
        print_safely(f"{folder}: no game is finished", err=True)


def show_record(
    folder: ResultsArgument,
    index: Annotated[
        int,
        typer.Argument(
            parser=whole(0, MOST_GAMES), metavar="GAME", help="The game's number, as `aucenv records list` shows it."
        ),
    ] = 0,
) -> None:
    """Print every bid of a game of a results folder, then every prompt and reply of its models."""
    from aucenv.analysis.agents.transcript import call_transcript, transcript
    from aucenv.runs.model_calls.journal import read_calls
    from aucenv.runs.records import record_of

    record = record_of(folder, index)
    for line in (*transcript(record), *call_transcript(record, read_calls(folder))):
        print_safely(line)


class SchemaFile(enum.StrEnum):
    """The files that have a schema."""

    games = "games"
    calls = "calls"
    run = "run"


def schema(
    file: Annotated[
        SchemaFile, typer.Argument(parser=choice(SchemaFile), metavar="|".join(SchemaFile), help="The file.")
    ] = SchemaFile.games,
    game: Annotated[
        str | None,
        text_option(
            "The game of the records.\n\nDefault: what all games have in common.",
            "GAME",
            "--game",
            autocompletion=games,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of a file of results folders: a line of games.jsonl or calls.jsonl, or run.json."""
    from aucenv.runs.file_schemas import file_schema

    typer.echo(json.dumps(file_schema(file.value, game), indent=2))


def figures(folder: ResultsArgument, wide: WideOption = False) -> None:
    """Print tables about the bidders of a results folder: failed bids, mistakes, beliefs, plans, rules, profiles."""
    from aucenv.analysis.agents.tables import agent_tables
    from aucenv.runs.records import read_records

    print_tables(agent_tables(list(read_records(folder))), wide=wide)


def reports(
    folder: ResultsArgument,
    index: Annotated[
        int | None,
        typer.Argument(
            parser=whole(0, MOST_GAMES),
            metavar="GAME",
            help="The game's number, as `aucenv records list` shows it. Default: all games.",
            show_default=False,
        ),
    ] = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    wide: WideOption = False,
) -> None:
    """Print a report of each bidder: the items that it won, with price, starting price, true value and profit.

    English and housing auctions have such reports. `aucenv records show` prints the log of a game.
    """
    from aucenv.analysis.agents.won_items import chosen_games, report_table, won_items
    from aucenv.runs.records import read_records

    outputs = Outputs(json_file, csv_file)
    games = chosen_games(read_records(folder), index)
    rows = [row for record in games for row in won_items(record)]
    outputs.show([report_table(record) for record in games], rows, wide=wide)


class ExportFormat(enum.StrEnum):
    """The formats to which records are exported."""

    inspect = "inspect"
    parquet = "parquet"
    sft = "sft"
    dpo = "dpo"


def export(
    folder: ResultsArgument,
    to: Annotated[
        ExportFormat,
        choice_option(
            "The format.\n\ninspect: a log for `inspect view`. parquet: a new folder of tables. sft: dialogues of "
            "winners' moves, for supervised finetuning. dpo: pairs of a better and a worse reply: refused ones, and "
            "those that the simulator judges.",
            ExportFormat,
            "--to",
        ),
    ],
    out: Annotated[
        Path,
        text_option(
            "The file or folder to write.\n\ninspect: a file whose name ends with .eval or .json. parquet: the "
            "folder to create. sft, dpo: a JSON Lines file.",
            "PATH",
            "--out",
        ),
    ],
    include: Annotated[
        list[str] | None,
        text_option(
            "Also export this model; repeatable.\n\nFor sft and dpo: replies of this model, which does not run on this "
            "machine or in its network. Some providers' terms forbid training on their models' replies.",
            "MODEL",
            "--include",
        ),
    ] = None,
) -> None:
    """Export the games and model calls of a results folder for other tools.

    inspect and parquet need the extra `export`, and dpo needs the extra `rlact`. By default, sft and dpo export only
    replies of models that run on this machine or in its network, because some providers' terms forbid training on
    their models' replies.
    """
    from aucenv.analysis.export.export import to_inspect, to_parquet
    from aucenv.runs.model_calls.journal import read_calls
    from aucenv.runs.records import read_records

    if to in (ExportFormat.sft, ExportFormat.dpo):
        export_dialogues(list(read_records(folder)), list(read_calls(folder)), to.value, include or [], out)
        return
    if include:
        raise ValueError(f"--include: expected only with --to sft and --to dpo, got it with --to {to.value}")
    if to is ExportFormat.inspect:
        check_writable(out)
    write = {ExportFormat.inspect: to_inspect, ExportFormat.parquet: to_parquet}[to]
    records, calls = list(read_records(folder)), list(read_calls(folder))
    write(records, calls, out)
    number = f"{count(len(records), 'game')}, {count(len(calls), 'model call')}"
    if to is ExportFormat.inspect:
        how = f"to open it, run: inspect view --log-dir {shlex.quote(str(out.resolve().parent))}"
        if out.suffix == ".json":  # the viewer lists only those that begin with a date
            how = f"to open it in Python: inspect_ai.log.read_eval_log({str(out)!r}); `inspect view` lists .eval files"
        typer.echo(f"{out}: {number}; {how}")
    else:
        tables = ", ".join(sorted(path.name for path in out.iterdir()))
        typer.echo(f"{out}: {number}, in {tables}")
        typer.echo(f"to open one in Python: pyarrow.parquet.read_table({str(out / 'decisions.parquet')!r})")


def replay(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|DIR",
            help="Games recorded elsewhere, one JSON object per line; a results folder of aucenv; or, with --game "
            "sealed_bid, clock or ebay, the logs of Synthetic Labs' program.",
        ),
    ],
    game: GameOption = "english",
    out: Annotated[
        Path | None,
        text_option("Write the replayed outcomes as JSON Lines.", "FILE", "--out"),
    ] = None,
) -> None:
    """Replay recorded bids under the rules of aucenv, and compare the outcomes with the recorded ones."""
    from aucenv.core.files import write_atomically
    from aucenv.runs.recorded.replays import output_line, replay_file

    if out is not None:
        check_writable(out)
    results = list(replay_file(path, game))
    if all(result.error is not None for result in results):
        raise ValueError(results[0].error)
    if out is not None:
        write_atomically(out, "".join(f"{json.dumps(output_line(result))}\n" for result in results))
    replayed = [result for result in results if result.error is None]
    compared = [result for result in replayed if result.compared]
    differing = [result for result in replayed if result.difference is not None]
    agreeing = sum(result.difference is None for result in compared)
    typer.echo(f"{agreeing:,}/{len(compared):,} games agree")
    if len(compared) < len(replayed):
        typer.echo(f"{len(replayed) - len(compared):,} games without a recorded outcome")
    print_first([f"game {result.id}, {note}" for result in replayed for note in result.rounded], err=False)
    if differing:
        print_safely(f"first difference: game {differing[0].id}, {differing[0].difference}", err=True)
    malformed = [result for result in results if result.error is not None]
    names = ["" if result.id is None else f"game {result.id!s:.60}: " for result in malformed]
    print_first(
        [f"not replayed: {name}{result.error}" for name, result in zip(names, malformed, strict=True)], err=True
    )
    if malformed and (way_out := repair_of(malformed[0].error or "")):
        print_safely(way_out, err=True)
    if differing or malformed:
        raise typer.Exit(1)


JUDGED_GAMES = ("english", "harbor")


def export_dialogues(
    records: Sequence[GameRecord], calls: Sequence[Call], to: str, models: Sequence[str], out: Path
) -> None:
    """Write a JSON Lines file, and print how many rows it has and which models are left out.

    Args:
        to: "sft" or "dpo".
        models: the names of models whose replies are exported although they do not run here.

    Raises:
        ValueError: There is nothing to export, or a name is not that of a model in the records.
        MissingExtra: The judge needs an extra that is not installed.
    """
    from aucenv.analysis.export.finetuning import left_out, runs_here, winners_moves

    check_writable(out)
    known = sorted({call.model for call in calls})
    for name in models:
        if name not in known:
            raise ValueError(f"--include: expected a model of these games ({', '.join(known) or 'none'}), got {name!r}")
    missing = left_out(calls, models)
    rows = list(winners_moves(records, calls, models)) if to == "sft" else _pairs(records, calls, models)
    if not rows:
        why = f"; replies of {', '.join(missing)} are left out, --include NAME includes them" if missing else ""
        raise ValueError(f"records: expected replies of models that can be exported, got none{why}")
    write_atomically(out, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    if missing:
        print_safely(
            f"left out: {', '.join(missing)}, because some providers forbid training on replies; --include NAME "
            "includes a model",
            err=True,
        )
    others = sorted({call.model for call in calls if call.model in models and not runs_here(call)})
    if others:
        print_safely(
            f"warning: some providers' terms forbid training on replies; read those of {', '.join(others)}", err=True
        )
    print_safely(f"{out}: {count(len(rows), 'dialogue' if to == 'sft' else 'pair')}")
    typer.echo(f"to open it in Python: datasets.load_dataset('json', data_files={str(out)!r})")


def _pairs(records: Sequence[GameRecord], calls: Sequence[Call], models: Sequence[str]) -> list[JsonObject]:
    """Return the pairs of refused and accepted replies, and those that the simulator judges."""
    from aucenv.analysis.export.finetuning import refused_pairs

    try:
        from aucenv.training.rlact.judges.simulator import Simulator
        from aucenv.training.rlact.record_pairs import judged_pairs
    except ImportError as error:
        raise missing_extra(f"records export --to dpo ({error.name})", "rlact") from None
    judged = [record for record in records if record.game in JUDGED_GAMES]
    return [*refused_pairs(records, calls, models), *judged_pairs(judged, calls, Simulator(rivals="inferred"), models)]
