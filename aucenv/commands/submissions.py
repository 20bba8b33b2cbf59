"""The commands `aucenv benchmark verify` and `aucenv benchmark draw-deals`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.console.terminal import check_writable, print_first, print_safely
from aucenv.commands.options.completion import games
from aucenv.commands.options.parsers import choice_option, text_option, whole_option
from aucenv.core.files import write_atomically
from aucenv.core.words.phrases import count


class ReferencesToCompute(enum.StrEnum):
    """The references that `verify` computes again."""

    sample = "sample"
    all = "all"


ReferencesOption = Annotated[
    ReferencesToCompute,
    choice_option(
        "References to compute again.\n\nThose of private deals, or of a suite of one's own: of two deals of each "
        "table, or of all.",
        ReferencesToCompute,
        "--references",
    ),
]
DrawnGameOption = Annotated[
    list[str], text_option("The game of the deals; repeatable.", "GAME", "--game", autocompletion=games)
]
DealsFileOption = Annotated[Path, text_option("The file to write, which must be new.", "FILE", "--out")]
NumberOption = Annotated[int, whole_option("Number of deals of each game.", 1, 100_000, "--games")]


def draw_deals(game: DrawnGameOption, out: DealsFileOption, number: NumberOption = 50) -> None:
    """Draw private deals, whose seeds of 63 bits cannot be guessed, and write them for `aucenv benchmark --deals`."""
    from aucenv.benchmarks.benchmark.private_deals import draw_private_deals
    from aucenv.benchmarks.benchmark.suite import load_suite

    check_writable(out)
    write_atomically(out, draw_private_deals(game, load_suite(), number))
    print_safely(f"{out}: {count(number * len(set(game)), 'deal')}; run aucenv benchmark --deals {out}")


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The results folder of a finished run.")],
    references: ReferencesOption = ReferencesToCompute.sample,
) -> None:
    """Verify a submission: its suite, deals and references, each decision of rule bidders, its tables and digests."""
    from aucenv.benchmarks.benchmark.tables import title_of
    from aucenv.benchmarks.benchmark.verify import verify as verify_submission

    verification = verify_submission(folder, references is ReferencesToCompute.all)
    print_first(verification.problems, err=True)
    for sentence in verification.unproved:
        print_safely(sentence, err=True)
    if verification.problems:
        raise typer.Exit(1)
    assert verification.plan is not None  # a plan that cannot be read is a problem
    print_safely(f"{folder}: {title_of(verification.plan)}: {count(verification.games, 'game')}, no problem")
