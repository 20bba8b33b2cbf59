"""The `aucenv` command."""

from __future__ import annotations

import enum
import json
import sys
import traceback
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from aucenv.policy import PolicyError
from aucenv.registration import FAMILIES, find_family
from aucenv.terminal import check_writable, progress_bar, stop, table_of

app = typer.Typer(
    name="aucenv",
    help="Auctions behind the PettingZoo API.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

GameOption = Annotated[str, typer.Option("--game", help="The game: " + ", ".join(FAMILIES) + ".")]


class Format(str, enum.Enum):
    """How bidders meet."""

    round_robin = "round-robin"
    standard = "standard"


BidderOption = Annotated[
    list[str] | None,
    typer.Option(help="LABEL=KIND:ARG,key=value...; repeat it. Default: all built-in honest ones: `aucenv bidders`."),
]
FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        help="round-robin: every set of bidders that fits the seats. standard: AucArena's competition: the first two "
        "bidders are the constant baselines, each further one challenges them in 6 settings x 10 runs.",
    ),
]
ScenarioOption = Annotated[
    str | None,
    typer.Option(
        help="A name (`aucenv envs` lists them) or x.json; english: AucArena's items.jsonl,bidders.jsonl; harbor: "
        "fresh-N, houses.jsonl or houses.jsonl,personas.jsonl."
    ),
]
ItemsOption = Annotated[
    int | None, typer.Option(help="Only so many items (harbor draws them, others take the first), rounds or days.")
]
BudgetOption = Annotated[float | None, typer.Option(help="Everybody's budget, dollars; english, harbor.")]
SeatsOption = Annotated[int | None, typer.Option(help="Bidders at the table. Default: the scenario's (standard: 3).")]
GamesOption = Annotated[
    int | None,
    typer.Option(help="Games in all, rounded up to complete seat rotations. Default: 300; standard: 60 a challenger."),
]
SeedOption = Annotated[int, typer.Option(help="All chance follows from it.")]
WorkersOption = Annotated[int, typer.Option(help="Processes; they change nothing but the time it takes.")]
FolderOption = Annotated[
    Path | None,
    typer.Option(help="Folder for games.jsonl, run.json, table.md, table.json; a run that was cut off there goes on."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Insist that --out holds a run to continue.")]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", help="Also write the table as JSON to this file; -: nothing but JSON on standard output."),
]


@app.command()
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
    out: FolderOption = None,
    resume: ResumeOption = False,
    json_file: JsonOption = None,
) -> None:
    """Rank bidders by playing them against each other; seats rotate."""
    from aucenv.analysis import standings
    from aucenv.benchmarks.leaderboard import Settings, chosen_bidders, run
    from aucenv.policy import label_of
    from aucenv.records import to_pretty_json, write_atomically

    settings = Settings(game, tuple(bidder or ()), format_.value, scenario, items, budget, seats, games, seed)
    json_alone = json_file == Path("-")
    if json_file is not None and not json_alone:
        check_writable(json_file)
    console = Console(stderr=json_alone)
    with progress_bar() as advance:
        try:
            rows = run(settings, workers=workers, out=out, resume=resume, on_game=advance)
        except KeyboardInterrupt:
            stop(out)
    title = f"{settings.game}, {settings.format}, seed {settings.seed}; ± 95% interval"
    console.print(table_of(title, standings.columns(game), standings.cells(rows, game)))
    also, headings, lines = standings.also_shown(rows, game)
    if also:
        console.print(table_of(also, headings, lines))
    console.print(table_of(standings.DUELS, ["bidder", *(row["bidder"] for row in rows)], standings.duel_cells(rows)))
    absent = {label_of(name) for name in chosen_bidders(settings)} - {row["bidder"] for row in rows}
    if absent:
        typer.echo(f"too few games for {', '.join(sorted(absent))} to play: raise --games", err=True)
    if json_alone:
        typer.echo(to_pretty_json(rows), nl=False)
    elif json_file is not None:
        write_atomically(json_file, to_pretty_json(rows))


@app.command()
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
    from aucenv.play import play

    family = find_family(game)
    load = family.game.load_scenario
    chosen = load(scenario or family.game.default_scenario).changed(num_items=items, budget=budget)
    seats = len(chosen.bidders)
    names = bidder or list(islice(cycle(honest_bidders(family.name, chosen)), seats))
    for line in transcript(play(family, chosen, names, seed)):
        typer.echo(line)


records_app = typer.Typer(help="Look into a results folder.", no_args_is_help=True)
app.add_typer(records_app, name="records")

ResultsArgument = Annotated[Path, typer.Argument(metavar="DIR", help="A results folder, or a games.jsonl.")]


@records_app.command("list")
def list_records(folder: ResultsArgument) -> None:
    """List the games of a results folder: who sat where, and made what (or how many days it lived)."""
    from aucenv.analysis.metrics import OF_GAME
    from aucenv.policy import label_of
    from aucenv.records import read_records

    for record in read_records(folder):
        score = OF_GAME[record.game].SCORE
        seats = zip(record.seats, record.outcome["seats"], strict=True)
        made = ", ".join(f"{label_of(who['bidder'])} {result[score]:,.0f}" for who, result in seats)
        typer.echo(f"{record.index:>6}  {record.scenario['name']}  {record.outcome['status']}  {made}")


@records_app.command("show")
def show_record(
    folder: ResultsArgument, index: Annotated[int, typer.Argument(help="The game's number; see `list`.")] = 0
) -> None:
    """Tell a game of a results folder bid by bid."""
    from aucenv.analysis.transcript import transcript
    from aucenv.records import read_records

    for record in read_records(folder):
        if record.index == index:
            for line in transcript(record):
                typer.echo(line)
            return
    raise ValueError(f"{folder}: expected a game's number, got {index}")


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Recorded games, one JSON object per line.")],
    game: GameOption = "english",
    out: Annotated[Path | None, typer.Option(help="File for a line per game: what our rules made of it.")] = None,
) -> None:
    """Feed recorded bids to our rules, and compare what they make of them with what was recorded."""
    from importlib import import_module

    from aucenv.core.jsonl import parse_object, read_lines
    from aucenv.records import write_atomically

    family = find_family(game)
    replay_game = import_module(f"aucenv.envs.{family.name}.replay").replay_game
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


@app.command()
def study(
    name: Annotated[str, typer.Argument(help="Which; see `aucenv studies`.")],
    bidder: Annotated[list[str] | None, typer.Option(help="In all seats; repeat it to compare several.")] = None,
    games: Annotated[int | None, typer.Option(help="Of each cell. Default: the study's.")] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for games.jsonl, run.json, table.md, table.json, figure.png; goes on if cut off."),
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
    from aucenv.records import to_pretty_json, write_atomically

    chosen = Study(name)
    json_alone = json_file == Path("-")
    if json_file is not None and not json_alone:
        check_writable(json_file)
    with progress_bar() as advance:
        try:
            rows = run(
                chosen,
                tuple(bidder or ()),
                games,
                seed,
                workers=workers,
                out=out,
                from_records=from_records,
                on_game=advance,
            )
        except KeyboardInterrupt:
            stop(out)
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


@app.command()
def studies() -> None:
    """List the studies."""
    from aucenv.benchmarks.studies import STUDIES, Study

    table = RichTable("study", "what it shows")
    for name in STUDIES:
        table.add_row(name, Study(name).about)
    Console().print(table)


@app.command()
def envs() -> None:
    """List the environments and their scenarios."""
    table = RichTable("environment", "pettingzoo.make", "scenarios")
    for family in FAMILIES.values():
        scenarios = "\n".join(family.game.scenarios)
        table.add_row(f"aucenv.{family.name}_v{family.version}", family.env_name, scenarios)
    Console().print(table)


@app.command()
def bidders(game: GameOption = "english") -> None:
    """List a game's built-in bidders and their parameters with defaults."""
    from aucenv.policy import scripted_bidders

    table = RichTable("bidder", "parameters", "how it bids")
    for name, bidder in scripted_bidders(find_family(game).name).items():
        parameters = "\n".join(f"{p.name}={p.default:g}  ({p.least:g} to {p.most:g})" for p in bidder.parameters)
        note = " [Cheats: it sees what a bidder may not know.]" if bidder.cheats else ""
        table.add_row(name, parameters, escape(bidder.about + "." + note))
    table.add_row("py", "", r"your own: py:package.module:Class or py:path/to/file.py:Class,key=value...")
    Console().print(table)


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; an error of the user's is one line on stderr and exit status 2; a failing bidder, 1."""
    try:
        return app(args=arguments, prog_name="aucenv")
    except (ValueError, OSError) as error:
        typer.echo(f"aucenv: {error}", err=True)
        sys.exit(2)
    except PolicyError as error:
        traceback.print_exception(error.__cause__)
        typer.echo(f"aucenv: {error}", err=True)
        sys.exit(1)
