"""The command `aucenv study PAPER`: one run, from which all tables and figures of a paper are drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import print_safely, running
from aucenv.commands.options.costs import RunCosts, print_cost
from aucenv.commands.options.prices import check_prices
from aucenv.core.extras import check_packages
from aucenv.core.formats.folders import check_folder, check_unused
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import public_name

if TYPE_CHECKING:
    from aucenv.benchmarks.studies.all_studies import Section
    from aucenv.benchmarks.studies.paper import Paper
    from aucenv.benchmarks.studies.raters import Raters
    from aucenv.runs.run_options import RunOptions


@dataclasses.dataclass(frozen=True)
class PaperArguments:
    """The arguments of `aucenv study PAPER`, as of `Paper.run_of`."""

    bidders: tuple[str, ...]
    games: int | None
    seed: int
    ask_broke: bool


def run_paper(
    paper: Paper,
    arguments: PaperArguments,
    run_options: RunOptions,
    out: Path | None,
    from_records: Path | None,
    logs: Path | None,
    raters: Raters,
    prices: Path | None,
    yes: bool,
    wide: bool,
) -> None:
    """Play the games of a paper, or read them; print its tables, and say where they are.

    Args:
        logs: Logs of Synthetic Labs' program, whose games stand beside those of the run.
        raters: Who rates, if there are ratings.
        prices: The file of prices; None: the built-in ones.
        yes: Whether to call models for the estimated price.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: As in `paper_run.play`, or an argument has no meaning here.
    """
    from aucenv.benchmarks.studies.paper_run import PAGES, draw_saved, play, saved_settings

    if out is None:
        raise ValueError(f"study {paper.name}: expected --out DIR for its tables and figures, got none")
    if logs is not None:
        next(iter(paper.studies)).with_logs(logs)  # refuses them before a game is played
    check_packages(f"study {paper.name}", "plot", "matplotlib", "wordcloud")
    if from_records is not None:
        if arguments.bidders or arguments.games is not None:
            raise ValueError(
                f"study {paper.name}: expected --from-records without --bidder and --games, as no game is played"
            )
        if out.resolve() != from_records.resolve():
            check_folder(out)
            check_unused(out, PAGES[:2], PAGES)
        run = dataclasses.replace(paper.run_of(**saved_settings(paper, from_records)), logs=logs)
        sections, calls = draw_saved(paper, run, from_records, out, run_options, raters)
        _show(sections, run.notes, out, wide)
        print_cost(calls)
        return
    run = dataclasses.replace(paper.run_of(*dataclasses.astuple(arguments)), logs=logs)
    settings = {**dataclasses.asdict(arguments), "bidders": [public_name(name) for name in arguments.bidders]}
    if not yes:
        check_prices(run.matches, prices)
    costs = RunCosts()
    with costs.printed_if_stopped(), running(out, also_kept=costs.kept) as advance:
        sections = play(paper, run, settings, costs.followed(run_options), out=out, raters=raters, on_game=advance)
    _show(sections, run.notes, out, wide)
    costs.print()


def _show(sections: Sequence[Section], notes: Sequence[str], out: Path, wide: bool) -> None:
    """Print the tables of a paper, and where they are."""
    tables = [
        TextTable(f"{section.result.name}: {title}", tuple(headings), lines)
        for section in sections
        for title, headings, lines in section.tables
    ]
    print_tables(tables, wide=wide)
    for note in [*notes, *(f"{s.result.name} is left out: {s.result.error}" for s in sections if s.result.error)]:
        print_safely(note)
    typer.echo(f"{out / 'index.html'} has all tables and pictures")
