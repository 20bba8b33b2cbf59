"""The command line interface, `aucenv`."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Annotated

import typer

import aucenv
from aucenv.commands import (
    benchmark,
    host,
    leaderboard,
    listings,
    models,
    new,
    new_houses,
    play,
    serve,
    study,
)
from aucenv.commands.console import terminal
from aucenv.commands.console.masked_output import masked_output
from aucenv.commands.console.progress import showing_progress
from aucenv.commands.console.signals import ending_signals
from aucenv.commands.console.streams import lasting_streams
from aucenv.commands.console.terminal import one_line_notices, print_safely
from aucenv.commands.options.compiling import announce_compiling
from aucenv.commands.options.errors import STOPPING, check_surroundings, explain
from aucenv.commands.options.help_pages import HELP, HELP_ALL, Command, Group
from aucenv.commands.recorded import pictures, records, report, runs
from aucenv.commands.training import ppo, rlact, rlact_judge, train
from aucenv.core.checks import MissingExtra
from aucenv.core.extras import explain_missing_package
from aucenv.core.policy import ModelFailure, PolicyError

app = typer.Typer(
    name="aucenv",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its tables cut long words
    context_settings={"help_option_names": [*HELP, HELP_ALL]},
)


def _group(name: str, about: str, **commands: Callable[..., object]) -> None:
    """Add a group of commands, in whose names _ stands for a hyphen."""
    group = typer.Typer(cls=Group, help=about, no_args_is_help=True)
    for command, function in commands.items():
        group.command(command.replace("_", "-"), cls=Command)(function)
    app.add_typer(group, name=name)


def _add(*commands: Callable[..., object]) -> None:
    """Add commands that are in no group."""
    for command in commands:
        app.command(cls=Command)(command)


_add(leaderboard.leaderboard)
benchmark_app = typer.Typer(cls=Group)
benchmark_app.callback(invoke_without_command=True)(benchmark.benchmark)
benchmark_app.command("verify", cls=Command)(benchmark.verify)
benchmark_app.command("draw-deals", cls=Command)(benchmark.draw_deals)
app.add_typer(benchmark_app, name="benchmark")
_add(study.study, listings.studies, records.watch, play.play, host.host)
_group(
    "records",
    "Show, rank, compare, merge and export recorded games.",
    list=records.list_records,
    show=records.show_record,
    picture=pictures.picture,
    reports=records.reports,
    table=runs.table,
    compare=runs.compare,
    merge=runs.merge,
    repair=runs.repair,
    reread=runs.reread,
    forget=runs.forget,
    figures=records.figures,
    export=records.export,
    schema=records.schema,
)
_add(report.report, records.replay, listings.envs, listings.bidders)
_group("train", "Train a bidder.", rlact=train.rlact, league=train.league, ppo=ppo.train_ppo)
_group(
    "rlact",
    "Collect and judge decisions for the training of bidders.",
    states=rlact.states,
    judge=rlact_judge.judge,
    audit=rlact.audit,
    probe=rlact.probe,
)
_add(ppo.exploit)
_group("models", "Check models behind endpoints.", check=models.check)
_add(serve.serve)
_group(
    "new",
    "Write a package with a game or a bidder, or let a model write houses.",
    game=new.new_game,
    bidder=new.new_bidder,
    houses=new_houses.new_houses,
)


WAITING = ("play", "host", "serve", "watch")
"""Commands that wait for people or requests."""


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"aucenv {aucenv.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Auction environments for reinforcement learning and language models."""


def main(arguments: list[str] | None = None) -> object:
    """Run the command.

    A user error prints one line to stderr, and the notes of the error below it, and exits with status 2; a failing
    bidder, model or judge, or a run that had to stop, exits with 1.
    """
    typed = sys.argv[1:] if arguments is None else arguments
    with lasting_streams(), ending_signals(), masked_output(typed):
        return _run(arguments, typed)


@lru_cache
def _command() -> Callable[..., object]:
    """Return the command, which takes a fifth of a second to build."""
    return typer.main.get_command(app)


def _command_words(typed: Sequence[str]) -> str:
    """Return the typed words before the first option, such as "exploit shade"."""
    return " ".join(takewhile(lambda word: not word.startswith("-"), typed))


def _run(arguments: list[str] | None, typed: Sequence[str]) -> object:
    try:
        check_surroundings(typed)
        shown = showing_progress(terminal.LOG_SECONDS, waits=not typed or typed[0] in WAITING)
        with announce_compiling(), one_line_notices(), explain_missing_package(_command_words(typed)), shown:
            return _command()(args=arguments, prog_name="aucenv")
    except (ValueError, OSError, MissingExtra, Warning) as error:  # a warning, if all are errors
        notes = [line for note in getattr(error, "__notes__", ()) for line in note.split("\n")]
        for line in (f"aucenv: {explain(error, typed)}", *notes):
            print_safely(line, err=True)
        sys.exit(2)
    except STOPPING as error:
        print_safely(f"aucenv: {explain(error, typed)}", err=True)
        sys.exit(1)
    except PolicyError as error:
        if not isinstance(error.__cause__, ModelFailure):
            traceback.print_exception(error.__cause__)
        print_safely(f"aucenv: {explain(error, typed)}", err=True)
        sys.exit(1)
