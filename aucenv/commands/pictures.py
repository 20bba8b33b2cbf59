"""The command `aucenv records picture`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.options import MOST_GAMES
from aucenv.commands.parsers import whole
from aucenv.commands.runs import ResultsArgument
from aucenv.commands.terminal import check_writable, print_safely
from aucenv.core.checks import number, one_of
from aucenv.core.files import write_atomically, write_bytes_atomically

if TYPE_CHECKING:
    from aucenv.core.board import Board
    from aucenv.core.record import GameRecord

STILL, MOVING = (".svg", ".png"), (".svg", ".gif")
MOST_SECONDS = 60.0


def picture(
    folder: ResultsArgument,
    game: Annotated[
        int,
        typer.Option(
            parser=whole(0, MOST_GAMES), metavar="N", help="The game's number, as `aucenv records list` shows it."
        ),
    ] = 0,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            parser=whole(1, MOST_GAMES),
            metavar="N",
            help="The round that is open, counted from 1 over the whole game. Default: the end of the game.",
            show_default=False,
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, MOST_GAMES),
            metavar="N",
            help="Show only what this seat knows; the first is 0. Default: everything.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The picture to write; its name ends with .svg or .png.")
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The animation of the whole game; its name ends with .svg or .gif."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="The time of each round in the animation, in seconds.")
    ] = 0.7,
    dark: Annotated[bool, typer.Option("--dark", help="Light colors on a dark ground; only in SVG.")] = False,
) -> None:
    """Draw the table of a recorded game at one round, or animate the whole game.

    PNG and GIF need the extra `render`.
    """
    if out is None and animate is None:
        raise ValueError("records picture: expected --out FILE, --animate FILE or both, got neither")
    for option, path, endings in (("--out", out, STILL), ("--animate", animate, MOVING)):
        if path is not None:
            one_of(f"{option}: the ending of {path}", path.suffix.lower(), endings)
            check_writable(path, option)
    number("--seconds", seconds, 0.05, MOST_SECONDS)
    from aucenv.runs.boards import boards_of
    from aucenv.runs.records import record_of

    record = record_of(folder, game)
    if seat is not None and seat >= len(record.seats):
        raise ValueError(f"--seat: expected a seat of game {game}, from 0 to {len(record.seats) - 1}, got {seat}")
    boards = list(boards_of(record, seat))
    if out is not None:
        _draw(_chosen(boards, round_number, record), out, dark)
    if animate is not None:
        _animate(boards, animate, seconds, dark)
    for path in (out, animate):
        if path is not None:
            print_safely(f"{path}: {path.stat().st_size / 1000:,.0f} kB")


def _chosen(boards: list[Board], round_number: int | None, record: GameRecord) -> Board:
    if round_number is None:
        return boards[-1]
    if round_number >= len(boards):
        raise ValueError(
            f"--round: expected a round of game {record.index}, from 1 to {len(boards) - 1}, got {round_number}"
        )
    return boards[round_number - 1]


def _draw(board: Board, path: Path, dark: bool) -> None:
    from aucenv.core.drawing import to_png, to_svg

    if path.suffix.lower() == ".svg":
        write_atomically(path, to_svg(board, dark))
    else:
        write_bytes_atomically(path, to_png(board))


def _animate(boards: list[Board], path: Path, seconds: float, dark: bool) -> None:
    from aucenv.core.animation import to_animated_svg, to_gif

    if path.suffix.lower() == ".svg":
        write_atomically(path, to_animated_svg(boards, seconds, dark))
    else:
        file = io.BytesIO()
        to_gif(boards, file, seconds)
        write_bytes_atomically(path, file.getvalue())
