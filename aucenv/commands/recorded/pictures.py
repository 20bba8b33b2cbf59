"""The command `aucenv records picture`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.terminal import check_writable, print_safely
from aucenv.commands.options.options import MOST_GAMES
from aucenv.commands.options.parsers import flag, number_option, text_option, whole, whole_option
from aucenv.commands.recorded.runs import ResultsArgument
from aucenv.core.checks import one_of
from aucenv.core.files import write_atomically, write_bytes_atomically

if TYPE_CHECKING:
    from aucenv.core.boards.board import Board
    from aucenv.core.records.record import GameRecord

STILL, MOVING = (".svg", ".png"), (".svg", ".gif")
SECONDS, MOST_SECONDS = 0.7, 60.0
"""The time of a round in an animation: that of a .gif without --animate, and the longest."""


def picture(
    folder: ResultsArgument,
    game: Annotated[
        int,
        typer.Argument(
            parser=whole(0, MOST_GAMES), metavar="GAME", help="The game's number, as `aucenv records list` shows it."
        ),
    ] = 0,
    *,
    out: Annotated[Path, text_option("The picture: .svg or .png; animated: .svg or .gif.", "FILE", "--out")],
    round_number: Annotated[
        int | None,
        whole_option(
            "The round that is open.\n\nCounted from 1 over the whole game. Default: the end of the game.",
            1,
            MOST_GAMES,
            "--round",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        whole_option(
            "Show only what this seat knows.\n\nThe first seat is 0. Default: everything.", 0, MOST_GAMES, "--seat"
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        number_option(
            "Animate the game, a round for S seconds.\n\nThe file has all rounds of the game, instead of one.",
            0.05,
            MOST_SECONDS,
            "S",
            "--animate",
        ),
    ] = None,
    dark: Annotated[bool, flag("Light colors on a dark ground; only in SVG.", "--dark")] = False,
) -> None:
    """Draw the table of a recorded game at one round, or animate the whole game.

    PNG and GIF need the extra `render`.
    """
    if seconds is None and out.suffix.lower() == ".gif":
        seconds = SECONDS
    one_of(f"--out: the ending of {out}", out.suffix.lower(), STILL if seconds is None else MOVING)
    if seconds is not None and round_number is not None:
        raise ValueError("--round: expected none with --animate, which shows all rounds")
    check_writable(out)
    from aucenv.runs.recorded.boards import boards_of
    from aucenv.runs.records import record_of

    record = record_of(folder, game)
    if seat is not None and seat >= len(record.seats):
        raise ValueError(f"--seat: expected a seat of game {game}, from 0 to {len(record.seats) - 1}, got {seat}")
    boards = list(boards_of(record, seat))
    if seconds is None:
        _draw(_chosen(boards, round_number, record), out, dark)
    else:
        _animate(boards, out, seconds, dark)
    print_safely(f"{out}: {out.stat().st_size / 1000:,.0f} kB")


def _chosen(boards: list[Board], round_number: int | None, record: GameRecord) -> Board:
    if round_number is None:
        return boards[-1]
    if round_number >= len(boards):
        raise ValueError(
            f"--round: expected a round of game {record.index}, from 1 to {len(boards) - 1}, got {round_number}"
        )
    return boards[round_number - 1]


def _draw(board: Board, path: Path, dark: bool) -> None:
    from aucenv.core.boards.drawing import to_png, to_svg

    if path.suffix.lower() == ".svg":
        write_atomically(path, to_svg(board, dark))
    else:
        write_bytes_atomically(path, to_png(board))


def _animate(boards: list[Board], path: Path, seconds: float, dark: bool) -> None:
    from aucenv.core.boards.animation import to_animated_svg, to_gif

    if path.suffix.lower() == ".svg":
        write_atomically(path, to_animated_svg(boards, seconds, dark))
    else:
        file = io.BytesIO()
        to_gif(boards, file, seconds)
        write_bytes_atomically(path, file.getvalue())
