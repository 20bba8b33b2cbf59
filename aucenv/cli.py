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
    pictures,
    play,
    ppo,
    records,
    report,
    rlact,
    rlact_judge,
    runs,
    serve,
    study,
    submissions,
    terminal,
    train,
)
from aucenv.commands.compiling import announce_compiling
from aucenv.commands.errors import STOPPING, check_surroundings, explain
from aucenv.commands.masked_output import masked_output
from aucenv.commands.progress import showing_progress
from aucenv.commands.signals import ending_signals
from aucenv.commands.streams import lasting_streams
from aucenv.commands.terminal import one_line_notices, print_safely
from aucenv.core.checks import MissingExtra
from aucenv.core.extras import explain_missing_package
from aucenv.core.policy import ModelFailure, PolicyError

app = typer.Typer(
    name="aucenv",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # its tables cut long words
    context_settings={"help_option_names": ["-h", "--help"]},
)
records_app = typer.Typer(help="Show, rank, compare, merge and export recorded games.", no_args_is_help=True)
rlact_app = typer.Typer(help="Collect and judge decisions for the training of bidders.", no_args_is_help=True)
models_app = typer.Typer(help="Check models behind endpoints.", no_args_is_help=True)
train_app = typer.Typer(help="Train a bidder.", no_args_is_help=True)
new_app = typer.Typer(
    help="Write a package with a game or a bidder of your own, or let a model write houses.", no_args_is_help=True
)
app.command()(leaderboard.leaderboard)
benchmark_app = typer.Typer()
benchmark_app.callback(invoke_without_command=True)(benchmark.benchmark)
benchmark_app.command("verify")(submissions.verify)
benchmark_app.command("draw-deals")(submissions.draw_deals)
app.add_typer(benchmark_app, name="benchmark")
app.command()(records.watch)
app.command()(play.play)
app.command()(host.host)
app.add_typer(records_app, name="records")
records_app.command("list")(records.list_records)
records_app.command("show")(records.show_record)
records_app.command("picture")(pictures.picture)
records_app.command("reports")(records.reports)
records_app.command("table")(runs.table)
records_app.command("compare")(runs.compare)
records_app.command("merge")(runs.merge)
records_app.command("repair")(runs.repair)
records_app.command("reread")(runs.reread)
records_app.command("forget")(runs.forget)
records_app.command("figures")(records.figures)
records_app.command("export")(records.export)
records_app.command("schema")(records.schema)
app.add_typer(rlact_app, name="rlact")
for command in (rlact.states, rlact_judge.judge, rlact.audit, rlact.probe):
    rlact_app.command()(command)
app.add_typer(train_app, name="train")
train_app.command("rlact")(train.rlact)
train_app.command("league")(train.league)
train_app.command("ppo")(ppo.train_ppo)
app.command("exploit")(ppo.exploit)
app.add_typer(models_app, name="models")
app.add_typer(new_app, name="new")
new_app.command("game")(new.new_game)
new_app.command("bidder")(new.new_bidder)
new_app.command("houses")(new_houses.new_houses)
models_app.command("check")(models.check)
app.command()(records.replay)
app.command()(report.report)
app.command()(study.study)
app.command()(listings.studies)
app.command()(listings.envs)
app.command()(listings.bidders)
app.command()(serve.serve)


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
