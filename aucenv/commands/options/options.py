"""Options that several commands share."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aucenv.commands.lineup import use_lineup
from aucenv.commands.options.completion import bidders, fields, games, scenarios
from aucenv.commands.options.help_pages import ADVANCED, OUTPUT, RUN
from aucenv.commands.options.parsers import choice_option, dollars_option, flag, text_option, whole_option
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.calls import CONCURRENCY

if TYPE_CHECKING:
    from aucenv.runs.run_options import RunOptions

MOST_GAMES = 10_000_000
"""The largest number of games of a run, whose schedule is in memory."""

GameOption = Annotated[
    str,
    text_option("The game.\n\nOne of " + ", ".join(FAMILIES) + ".", "GAME", "--game", autocompletion=games),
]


class Format(enum.StrEnum):
    """The formats of a leaderboard."""

    round_robin = "round-robin"
    standard = "standard"


BidderOption = Annotated[
    list[str] | None,
    text_option(
        "A bidder; repeat the option for several.\n\nLABEL=KIND:ARG,key=value...; `aucenv bidders` lists the kinds. "
        "Default: all built-in bidders that do not cheat.",
        "BIDDER",
        autocompletion=bidders,
    ),
]
FormatOption = Annotated[
    Format,
    choice_option(
        "Who plays whom.\n\nround-robin: every set of bidders, one for each seat, plays. standard: AucArena's "
        "competition, in which the first two bidders are the baselines, and each other bidder plays against them in 6 "
        "settings x 10 runs.",
        Format,
        "--format",
    ),
]
ScenarioOption = Annotated[
    str | None,
    text_option(
        "A scenario: NAME, NAME,field=value or a file.\n\n`aucenv envs` lists the names, which fields may follow, such "
        "as low,days=10. english also takes a list of items (FILE.csv, FILE.json or FILE.jsonl) and AucArena's "
        "items.jsonl,bidders.jsonl; harbor also takes fresh-N, a list of houses and houses.jsonl,personas.jsonl.",
        "NAME",
        "--scenario",
        autocompletion=scenarios,
    ),
]
SetOption = Annotated[
    list[str] | None,
    text_option(
        "Change a field of the scenario; repeatable.\n\nSuch as num_bidders=4, num_items=5, budget=20000, bid_cap=null "
        "or value_range=[0,50]. num_items is the number of items, rounds or days. The games have different fields: "
        "docs/games.md lists them.",
        "NAME=VALUE",
        "--set",
        autocompletion=fields,
    ),
]


class Roles(enum.StrEnum):
    """To what the entries of a scenario's bidders belong."""

    seats = "seats"
    bidders = "bidders"


RolesOption = Annotated[
    Roles,
    choice_option(
        "To what a scenario's bidders belong.\n\nTheir names, budgets, objectives and estimates (english, harbor) "
        "belong to seats, through which bidders rotate; or to bidders, in the order of --bidder.",
        Roles,
        "--roles",
        group=ADVANCED,
    ),
]
ModelOption = Annotated[
    list[str] | None,
    text_option(
        "The bidder for a model of AucArena's file.\n\nIt plays where bidders.jsonl has this model_name, such as "
        "gpt-4-0613=llm:openai:gpt-4.1-mini; repeat the option for several models. `rule` needs none.",
        "MODEL=BIDDER",
        "--model",
        group=ADVANCED,
    ),
]
MemoriesOption = Annotated[
    Path | None,
    text_option(
        "Folder of lessons.\n\nThose of bidders in AucArena's bidders.jsonl that learn.",
        "DIR",
        "--memories",
        group=ADVANCED,
    ),
]
GamesOption = Annotated[
    int | None,
    whole_option(
        "Number of games.\n\nIt is rounded up to complete seat rotations. Default: 300; standard format: 60 per "
        "challenger. A finished or stopped run in --out is extended if this number is larger.",
        1,
        MOST_GAMES,
    ),
]
SeedOption = Annotated[int, whole_option("Seed of all random numbers.", 0, 2**63 - 1)]
WorkersOption = Annotated[
    int,
    whole_option(
        "Number of processes.\n\nThey play games of bidders that call no model. It affects only speed.",
        1,
        1024,
        group=RUN,
    ),
]
FolderOption = Annotated[
    Path | None,
    text_option(
        "Folder to keep the run in.\n\nIt gets games.jsonl, calls.jsonl, run.json, table.md and table.json. A stopped "
        "run in it is resumed.",
        "DIR",
        "--out",
        group=OUTPUT,
    ),
]
ResumeOption = Annotated[
    bool,
    flag(
        "Resume the run in --out, or fail.\n\nWithout this option, a run in --out is resumed, and a new one starts if "
        "there is none.",
        "--resume",
        group=RUN,
    ),
]
TrainResumeOption = Annotated[bool, flag("Resume the run in --out, or fail.", "--resume", group=RUN)]
YesOption = Annotated[
    bool,
    flag("Call models for the estimated price.\n\nWithout it, the command ends with this price.", "--yes", group=RUN),
]
JsonOption = Annotated[
    Path | None,
    text_option(
        "Write the table as JSON; - is stdout.\n\nWith -, standard output holds only the JSON.",
        "FILE",
        "--json",
        group=OUTPUT,
    ),
]

CsvOption = Annotated[
    Path | None,
    text_option(
        "Write the table as CSV; - is stdout.\n\nWith -, standard output holds only the CSV.",
        "FILE",
        "--csv",
        group=OUTPUT,
    ),
]
PlotOption = Annotated[
    Path | None,
    text_option(
        "Draw the ranking (.png, .svg, .pdf).\n\nIt has ratings and mean scores with their intervals.",
        "FILE",
        "--plot",
        group=OUTPUT,
    ),
]
ShardOption = Annotated[
    str | None,
    text_option(
        "Play part I of N parts of the games.\n\n`aucenv records merge` joins the folders of all parts.",
        "I/N",
        "--shard",
        group=RUN,
    ),
]
ConfigOption = Annotated[
    Path | None,
    text_option(
        "Read settings from a JSON or YAML file.\n\nAs --save-config writes it; options on the command line override "
        "it.",
        "FILE",
        "--config",
        group=ADVANCED,
        is_eager=True,
        callback=use_lineup,
    ),
]
SaveConfigOption = Annotated[
    Path | None, text_option("Write the settings to a file.", "FILE", "--save-config", group=ADVANCED)
]
QuickOption = Annotated[
    bool,
    flag("A first result in seconds.\n\nPlay the games of two deals, without compiling.", "--quick"),
]
WideOption = Annotated[bool, flag("Print all columns, also on a narrow terminal.", "--wide", group=OUTPUT)]

ConcurrencyOption = Annotated[
    int | None,
    whole_option(
        f"Games at once with models. [default: {CONCURRENCY}]\n\nIt affects only speed.",
        1,
        10_000,
        group=RUN,
    ),
]
MaxCostOption = Annotated[
    float | None,
    dollars_option("Stop before models cost more.\n\nRun again with a higher limit to resume.", 0, group=RUN),
]
PricesOption = Annotated[
    Path | None,
    text_option(
        'JSON file of token prices.\n\nIn dollars per million tokens: {"MODEL": {"input": 0.4, "output": '
        '1.6}}; each model may also have "cached_input", "written_input" and "reasoning".',
        "FILE",
        "--prices",
        group=RUN,
    ),
]


class OnModelFailure(enum.StrEnum):
    """What happens when a model cannot be called."""

    stop = "stop"
    forfeit = "forfeit"


FailureOption = Annotated[
    OnModelFailure,
    choice_option(
        "If a model fails.\n\nFor example an unknown model, a rejected key, or no connection. stop: the run "
        "stops, and can be resumed. forfeit: the bidder withdraws for the rest of the game.",
        OnModelFailure,
        "--on-model-failure",
        group=RUN,
    ),
]


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
    from aucenv.runs.model_calls.token_prices import TokenPrices
    from aucenv.runs.run_options import RunOptions

    table = None if prices is None else TokenPrices.read(prices)
    return RunOptions(workers, concurrency, on_failure is OnModelFailure.forfeit, table, max_cost, cluster)
