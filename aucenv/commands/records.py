"""`aucenv watch`, `records` and `replay`: single games, told and checked."""

from __future__ import annotations

import enum
import json
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.options import BidderOption, BudgetOption, GameOption, ItemsOption, ScenarioOption, SeedOption
from aucenv.commands.terminal import check_writable, say, table_of
from aucenv.registration import find_family

ResultsArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder, or a games.jsonl.")]


def watch(
    game: GameOption = "english",
    bidder: BidderOption = None,
    scenario: ScenarioOption = None,
    items: ItemsOption = None,
    budget: BudgetOption = None,
    seed: SeedOption = 0,
) -> None:
    """Play one game and tell it bid by bid; a --bidder for each seat."""
    from aucenv.analysis.transcript import transcript
    from aucenv.benchmarks.leaderboard import honest_bidders
    from aucenv.runs.play import play

    family = find_family(game)
    load = family.game.load_scenario
    chosen = load(scenario or family.game.default_scenario).changed(num_items=items, budget=budget)
    seats = len(chosen.bidders)
    names = bidder or list(islice(cycle(honest_bidders(family.name, chosen)), seats))
    for line in transcript(play(family, chosen, names, seed)):
        say(line)


def list_records(folder: ResultsArgument) -> None:
    """List the games of a results folder: who sat where, and made what (or how many days it lived)."""
    from aucenv.analysis.metrics import figures_of
    from aucenv.core.bidder_name import label_of
    from aucenv.runs.records import read_records

    for record in read_records(folder):
        score = figures_of(record.game).SCORE
        seats = zip(record.seats, record.outcome["seats"], strict=True)
        made = ", ".join(f"{label_of(who['bidder'])} {result[score]:,.0f}" for who, result in seats)
        say(f"{record.index:>6}  {record.scenario['name']}  {record.outcome['status']}  {made}")


def show_record(
    folder: ResultsArgument, index: Annotated[int, typer.Argument(help="The game's number; see `list`.")] = 0
) -> None:
    """Tell a game of a results folder bid by bid, then every prompt and reply of its models."""
    from aucenv.analysis.transcript import told_calls, transcript
    from aucenv.runs.journal import read_calls
    from aucenv.runs.records import read_records

    for record in read_records(folder):
        if record.index == index:
            for line in (*transcript(record), *told_calls(record, read_calls(folder))):
                say(line)
            return
    raise ValueError(f"{folder}: expected a game's number, got {index}")


def figures(folder: ResultsArgument) -> None:
    """Tell how the bidders of a results folder think: wrong beliefs, plans, rules, profiles, mistakes, bids."""
    from rich.console import Console

    from aucenv.analysis.agent_tables import agent_tables
    from aucenv.runs.records import read_records

    for table in agent_tables(list(read_records(folder))):
        Console().print(table_of(table.title, table.headings, table.lines))


class Form(str, enum.Enum):
    """What records are exported to."""

    inspect = "inspect"
    parquet = "parquet"


def export(
    folder: ResultsArgument,
    to: Annotated[Form, typer.Option(help="inspect: a log for `inspect view`; parquet: tables in a new folder.")],
    out: Annotated[Path, typer.Option(help="A file that ends with .eval or .json; of parquet, the folder.")],
) -> None:
    """Write the games of a results folder, and the calls of models, for other tools (extra `export`)."""
    from aucenv.analysis.export import to_inspect, to_parquet
    from aucenv.runs.journal import read_calls
    from aucenv.runs.records import read_records

    if to is Form.inspect:
        check_writable(out)
    write = {Form.inspect: to_inspect, Form.parquet: to_parquet}[to]
    write(list(read_records(folder)), read_calls(folder), out)


def replay(
    file: Annotated[Path, typer.Argument(help="Recorded games, one JSON object per line.")],
    game: GameOption = "english",
    out: Annotated[Path | None, typer.Option(help="File for a line per game: what our rules made of it.")] = None,
) -> None:
    """Feed recorded bids to our rules, and compare what they make of them with what was recorded."""
    from aucenv.core.files import parse_object, read_lines, write_atomically

    family = find_family(game)
    replay_game = family.game.replay.replay_game
    if out is not None:
        check_writable(out)
    replayed = [replay_game(parse_object(line, where), where) for where, line in read_lines(file)]
    if not replayed:
        raise ValueError(f"{file}: expected a recorded game on each line, got an empty file")
    if out is not None:
        lines = [json.dumps({"id": one.id, **(one.made or {"outcome": None})}) + "\n" for one in replayed]
        write_atomically(out, "".join(lines))
    compared = [one for one in replayed if one.compared]
    differing = [one for one in replayed if one.difference is not None]
    agreeing = sum(one.difference is None for one in compared)
    typer.echo(f"{agreeing}/{len(compared)} games agree")
    if len(compared) < len(replayed):
        typer.echo(f"{len(replayed) - len(compared)} games without a recorded outcome")
    if differing:
        typer.echo(f"first difference: game {differing[0].id}, {differing[0].difference}", err=True)
        raise typer.Exit(1)
