"""Options that several commands take."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.registration import FAMILIES
from aucenv.runs.calls import CONCURRENCY

if TYPE_CHECKING:
    from aucenv.runs.run_options import RunOptions

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
WorkersOption = Annotated[
    int, typer.Option(help="Processes, where no bidder asks models; only the time depends on it.")
]
FolderOption = Annotated[
    Path | None,
    typer.Option(help="Folder for games.jsonl, calls.jsonl, run.json, table.md, table.json; goes on if cut off."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Insist that --out holds a run to continue.")]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", help="Also write the table as JSON to this file; -: nothing but JSON on standard output."),
]

ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        help=f"Games in flight, where bidders ask models. Default: {CONCURRENCY}; it changes nothing but the time."
    ),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(help="Dollars after which no model is asked any more; with more, the run goes on."),
]
PricesOption = Annotated[
    Path | None, typer.Option(help='Tokens\' prices, dollars per million: {"MODEL": {"input": 0.4, "output": 1.6}}.')
]


class OnModelFailure(str, enum.Enum):
    """What happens when a model cannot be asked."""

    stop = "stop"
    forfeit = "forfeit"


FailureOption = Annotated[
    OnModelFailure,
    typer.Option(
        "--on-model-failure",
        help="When a model cannot be asked (unknown, key refused, out of reach): stop, to go on later; or forfeit: its "
        "bidder withdraws from there on.",
    ),
]


def run_options_of(
    workers: int, concurrency: int | None, on_failure: OnModelFailure, prices: Path | None, max_cost: float | None
) -> RunOptions:
    """How games are played, as the options say.

    Raises:
        OSError, ValueError: as `TokenPrices.read`.
    """
    from aucenv.runs.run_options import RunOptions
    from aucenv.runs.token_prices import TokenPrices

    table = None if prices is None else TokenPrices.read(prices)
    return RunOptions(workers, concurrency, on_failure is OnModelFailure.forfeit, table, max_cost)
