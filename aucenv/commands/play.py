"""The command `aucenv play`, and what it shares with `aucenv host`."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import running
from aucenv.commands.options.completion import bidders
from aucenv.commands.options.costs import RunCosts
from aucenv.commands.options.options import (
    FailureOption,
    FolderOption,
    GameOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    ScenarioOption,
    SetOption,
    make_run_options,
)
from aucenv.commands.options.parsers import text_option, whole_option
from aucenv.core.policy import Policy, check_fits
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import parse_bidder, public_name

if TYPE_CHECKING:
    from aucenv.benchmarks.people import PeopleGames
    from aucenv.core.records.record import GameRecord

SeatedOption = Annotated[
    list[str] | None,
    text_option(
        "The bidder of a seat; repeatable.\n\n`human` or human:NAME is a person; human:NAME,seconds=60 has this time "
        "for each decision, and with asks=0 is not asked a second time. Default: a person, and rule bidders in the "
        "seats that are left.",
        "BIDDER",
        "--bidder",
        autocompletion=bidders,
    ),
]
DrawnSeedOption = Annotated[
    int | None,
    whole_option(
        "Seed of all random numbers.\n\nDefault: that of the run in --out, or a new one.", 0, 2**63 - 1, "--seed"
    ),
]


def play(
    game: GameOption = "english",
    bidder: SeatedOption = None,
    scenario: ScenarioOption = None,
    changes: SetOption = None,
    games: Annotated[int, whole_option("Number of games.\n\nThey follow each other, and seats rotate.", 1, 10_000)] = 1,
    seed: DrawnSeedOption = None,
    on_model_failure: FailureOption = OnModelFailure.forfeit,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: FolderOption = None,
) -> None:
    """Play in this terminal, against any bidders.

    Type an amount, or words; `?` shows the rules and everything that has happened. Ctrl-C asks what to do.
    """
    people = games_of(game, bidder, scenario, changes, games, seed, out)
    from aucenv.commands.console.seat_terminal import play_in_terminal

    costs = RunCosts()
    options = costs.followed(make_run_options(1, None, on_model_failure, prices, max_cost))
    with running(out, also_kept=costs.kept) as advance:
        records = play_in_terminal(people, options, out, sys.stdin, advance)
    print_results(people, records, out)
    costs.print()


def games_of(
    game: str,
    bidders: list[str] | None,
    scenario: str | None,
    changes: list[str] | None,
    games: int,
    seed: int | None,
    out: Path | None,
    tables: int = 1,
) -> PeopleGames:
    """Return the games that the options of `aucenv play` and `aucenv host` choose.

    Without a seed, that of the run in `out` is taken, or else one that nobody can guess: it determines what is hidden.

    Raises:
        ValueError: a bidder cannot play the scenario; or as in `PeopleGames.matches`.
    """
    from aucenv.benchmarks.people import PeopleGames, with_rule_bidders
    from aucenv.benchmarks.rankings.settings import Settings
    from aucenv.policy.registry import HUMAN_KIND
    from aucenv.runs.results import read_run

    named = tuple(bidders or (HUMAN_KIND,))
    policies = [_policy(game, name) for name in named]
    if seed is None:
        is_resumed = out is not None and (out / "run.json").exists()
        seed = read_run(out)["settings"].get("seed", 0) if is_resumed and out is not None else secrets.randbelow(2**53)
    settings = Settings(game, named, scenario=scenario, changes=tuple(changes or ()), games=games, seed=seed)
    if len(named) == 1:
        settings = with_rule_bidders(settings)
    people = PeopleGames(settings, tables)
    chosen = people.matches()[0].scenario
    for name, policy in zip(named, policies, strict=True):
        if parse_bidder(name).kind != HUMAN_KIND:  # people play everything
            check_fits(policy, public_name(name), chosen)
    return people


def _policy(game: str, name: str) -> Policy:
    """Create the policy of a seat; the error about an unknown kind says how to name a person."""
    from aucenv.policy.registry import HUMAN_KIND, bidder_kinds, make_policy

    try:
        return make_policy(game, name)
    except ValueError as error:
        kind = parse_bidder(name).kind
        if kind in bidder_kinds(game):
            raise
        raise ValueError(f"{error}; a person of this name is {HUMAN_KIND}:{kind}") from None


def print_results(people: PeopleGames, records: Sequence[GameRecord], out: Path | None) -> None:
    """Print who has earned what in each game, and the commands that show more."""
    from aucenv.analysis.statistics.metrics import figures_of
    from aucenv.core.words.bidder_name import seat_label

    for record in records:
        score = figures_of(record.game).SCORE
        pairs = zip(record.seats, record.outcome["seats"], strict=True)
        rows = [[player["name"], seat_label(player), f"{result[score]:,}"] for player, result in pairs]
        print_tables([TextTable(_title(people, record.index), ("seat", "bidder", score.replace("_", " ")), rows)])
    if out is not None:
        folder = shlex.quote(str(out))
        if records:
            typer.echo(f"every bid of a game: aucenv records show {folder} {records[-1].index}")
        typer.echo(f"ranking: aucenv records table {folder}")


def _title(people: PeopleGames, index: int) -> str:
    """Return a game's place as people at the tables see it."""
    table, number = divmod(index, people.games_per_table)
    place = f"game {number + 1} of {people.games_per_table}"
    return place if people.tables == 1 else f"table {table + 1}, {place}"
