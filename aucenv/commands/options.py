"""Options that several commands share."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.lineup import use_lineup
from aucenv.commands.parsers import choice_option, dollars_option, number_option, whole_option
from aucenv.core.files import JsonObject
from aucenv.registration import FAMILIES
from aucenv.runs.calls import CONCURRENCY

if TYPE_CHECKING:
    from aucenv.runs.run_options import RunOptions

MOST_GAMES = 10_000_000
"""The largest number of games of a run, whose schedule is in memory."""

GameOption = Annotated[
    str,
    typer.Option(
        "--game",
        metavar="GAME",
        help="Name of the game: " + ", ".join(FAMILIES) + ".",
        autocompletion=lambda: list(FAMILIES),
    ),
]


class Format(enum.StrEnum):
    """The formats of a leaderboard."""

    round_robin = "round-robin"
    standard = "standard"


BidderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="BIDDER",
        help="LABEL=KIND:ARG,key=value...; repeat the option for several bidders. Default: all built-in bidders that "
        "do not cheat. `aucenv bidders` lists them.",
    ),
]
FormatOption = Annotated[
    Format,
    choice_option(
        "round-robin: every set of bidders, one for each seat, plays. standard: AucArena's competition, in which "
        "the first two bidders are the baselines, and each other bidder plays against them in 6 settings x 10 runs.",
        Format,
        "--format",
    ),
]
ScenarioOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Name of a scenario (`aucenv envs` lists them), also with values of its fields, such as low,days=10; or "
        "FILE.json. english also takes a list of items (FILE.csv, FILE.json or FILE.jsonl) and AucArena's "
        "items.jsonl,bidders.jsonl; harbor also takes fresh-N, a list of houses and houses.jsonl,personas.jsonl.",
    ),
]
ItemsOption = Annotated[
    int | None,
    whole_option(
        "Limit the number of items, rounds or days. harbor samples its items; other games take the first ones.",
        1,
        100_000,
    ),
]
BudgetOption = Annotated[
    float | None,
    dollars_option("Budget of every bidder in dollars (english, harbor).", 0.01),
]


SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set an argument of the game's environments, such as num_bidders=4, bid_cap=null or value_range=[0,50]; "
        "repeat the option for several. The game's page lists them.",
    ),
]


class Order(enum.StrEnum):
    """The orders of an auction's items."""

    random = "random"
    ascending = "ascending"
    descending = "descending"
    given = "given"


class Roles(enum.StrEnum):
    """To what the entries of a scenario's bidders belong."""

    seats = "seats"
    bidders = "bidders"


OrderOption = Annotated[
    Order | None,
    choice_option(
        "Order of the items (english, harbor): random in each deal, by starting price, or as given. Default: that of "
        "the scenario.",
        Order,
        "--order",
    ),
]
ShuffleOption = Annotated[bool, typer.Option("--shuffle", help="Like --order random, as AucArena's program names it.")]
OverestimateOption = Annotated[
    float | None,
    number_option(
        "How much every bidder's estimates exceed the true values, in percent (english). Default: that of the "
        "scenario, 10 in AucArena's.",
        -100,
        500,
        "PERCENT",
    ),
]
IncrementOption = Annotated[
    float | None,
    number_option(
        "Least raise over the standing bid, as a share of the starting price (english). Default: that of the scenario, "
        "0.1 in AucArena's.",
        0,
        10,
        "SHARE",
    ),
]
DiscountOption = Annotated[
    bool | None,
    typer.Option(
        "--discount/--no-discount",
        help="Whether a starting price that receives no bid is halved, up to three times (english). Default: that of "
        "the scenario.",
    ),
]
AskBrokeOption = Annotated[
    bool | None,
    typer.Option(
        "--ask-broke/--no-ask-broke",
        help="Whether a bidder that cannot pay the least legal bid is asked, too, as in AucArena's program (english). "
        "The paper's rates of failed bids need it. Default: that of the scenario.",
    ),
]
RolesOption = Annotated[
    Roles,
    choice_option(
        "To what the names, budgets, objectives and estimates of a scenario's bidders belong (english, harbor): seats, "
        "through which bidders rotate; or bidders, in the order of --bidder.",
        Roles,
        "--roles",
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL=BIDDER",
        help="The bidder that plays a model_name of AucArena's bidders.jsonl, such as "
        "gpt-4-0613=llm:openai:gpt-4.1-mini; repeat the option for several models. `rule` needs none.",
    ),
]
MemoriesOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Folder of the lessons of bidders in AucArena's bidders.jsonl that learn."),
]
SeatsOption = Annotated[
    int | None,
    whole_option("Number of bidders in a game. Default: that of the scenario; 3 for the standard format.", 1, 10_000),
]
GamesOption = Annotated[
    int | None,
    whole_option(
        "Total number of games, rounded up to complete seat rotations. Default: 300; standard format: 60 per "
        "challenger. A finished or stopped run in --out is extended if this number is larger.",
        1,
        MOST_GAMES,
    ),
]
SeedOption = Annotated[int, whole_option("Seed of all random numbers.", 0, 2**63 - 1)]
WorkersOption = Annotated[
    int,
    whole_option("Number of worker processes, for bidders that call no model; affects only speed.", 1, 1024),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        help="Results folder for games.jsonl, calls.jsonl, run.json, table.md, table.json. A stopped run is resumed."
    ),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Fail if --out has no run to resume.")]
JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json", help="Also write the table as JSON to this file. With -, standard output holds only the JSON."
    ),
]

CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", help="Also write the table as CSV to this file. With -, standard output holds only the CSV."),
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", help="Draw ratings and mean scores with their intervals to this file (.png, .svg, .pdf)."),
]
ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Play only part I of N parts of the games; `aucenv records merge` joins the folders of all parts.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        is_eager=True,
        callback=use_lineup,
        help="JSON or YAML file of settings, as --save-config writes it; options on the command line override it.",
    ),
]
SaveConfigOption = Annotated[
    Path | None, typer.Option("--save-config", help="Also write the settings of this command to this file.")
]
QuickOption = Annotated[
    bool,
    typer.Option("--quick", help="A first result in seconds: play the games of two deals, without compiling."),
]
WideOption = Annotated[
    bool, typer.Option("--wide", help="Print all columns, even on a terminal that is too narrow for them.")
]

ConcurrencyOption = Annotated[
    int | None,
    whole_option(
        f"Number of simultaneous games, for bidders that call models; affects only speed. Default: {CONCURRENCY}.",
        1,
        10_000,
    ),
]
MaxCostOption = Annotated[
    float | None,
    dollars_option(
        "Stop before calls of models cost more dollars than this; run again with a higher limit to resume.", 0
    ),
]
PricesOption = Annotated[
    Path | None,
    typer.Option(
        help='JSON file of token prices, in dollars per million: {"MODEL": {"input": 0.4, "output": 1.6}}; each model '
        'may also have "cached_input", "written_input" and "reasoning".'
    ),
]


class OnModelFailure(enum.StrEnum):
    """What happens when a model cannot be called."""

    stop = "stop"
    forfeit = "forfeit"


FailureOption = Annotated[
    OnModelFailure,
    choice_option(
        "What happens when a model cannot be called (unknown model, rejected key, no connection). stop: the run "
        "stops, and can be resumed. forfeit: the bidder withdraws for the rest of the game.",
        OnModelFailure,
        "--on-model-failure",
    ),
]


def auction_settings(
    order: Order | None,
    shuffle: bool,
    overestimate: float | None,
    increment: float | None,
    discount: bool | None,
    ask_broke: bool | None,
    models: Sequence[str] | None,
    memories: Path | None,
    changes: Sequence[str] | None,
) -> JsonObject:
    """Return the settings of a leaderboard for the options of scenarios; None keeps what the scenario has.

    Raises:
        ValueError: --order and --shuffle contradict each other.
    """
    if shuffle and order not in (None, Order.random):
        raise ValueError(f"--shuffle: expected no other --order than random, got {order.value!r}")
    return {
        "order": "random" if shuffle else None if order is None else order.value,
        "overestimate": overestimate,
        "increment": increment,
        "discount": discount,
        "ask_broke": ask_broke,
        "models": tuple(models or ()),
        "memories": None if memories is None else str(memories),
        "changes": tuple(changes or ()),
    }


def make_run_options(
    workers: int,
    concurrency: int | None,
    on_failure: OnModelFailure,
    prices: Path | None,
    max_cost: float | None,
    cluster: str | None = None,
) -> RunOptions:
    """Create the run options from the command line.

    Raises:
        OSError, ValueError: as in `TokenPrices.read`.
    """
    from aucenv.runs.run_options import RunOptions
    from aucenv.runs.token_prices import TokenPrices

    table = None if prices is None else TokenPrices.read(prices)
    return RunOptions(workers, concurrency, on_failure is OnModelFailure.forfeit, table, max_cost, cluster)
