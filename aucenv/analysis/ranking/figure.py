"""Draw a ranking: each bidder's rating and mean score with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from aucenv.analysis.plots import Drawing, write_figure
from aucenv.analysis.ranking.standings import Row
from aucenv.analysis.ranking.tables import RATING, cells, interval_note
from aucenv.analysis.statistics.metrics import figures_of


def check_figure_file(path: Path) -> None:
    """Raise unless a figure can be written to a file of this name.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: the name does not end with that of an image format.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    formats = sorted(FigureCanvasBase.get_supported_filetypes())
    if path.suffix.removeprefix(".").lower() not in formats:
        raise ValueError(f"{path}: expected a name that ends with one of {', '.join(formats)}")


def draw_ranking(rows: Sequence[Row], game: str, title: str, path: Path) -> None:
    """Write a figure with two panels, the bidders from the best to the worst.

    Args:
        rows: as `standings` returns them.
        game: the name of the game.
        title: the title of the figure.
        path: the file; its name ends with that of an image format.
    """
    write_figure([path], partial(draw_panels, rows, game, title), (9, 1.6 + 0.34 * len(rows)))


def draw_panels(rows: Sequence[Row], game: str, title: str, figure: Drawing) -> None:
    """Draw the two panels of `draw_ranking` on a figure."""
    figures = figures_of(game)
    score = f"{figures.SCORE}_mean"
    heading = figures.SHOWN[score][0]
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, label in zip(panels, ("rating", score), (RATING[0], heading), strict=True):
        _draw_panel(axes, rows, name)
        axes.set_xlabel(label)
    panels[0].set_yticks(range(len(rows)), [row["bidder"] for row in rows], parse_math=False)
    panels[0].invert_yaxis()
    note = interval_note(cells(rows, game)).replace("±", "lines:")
    figure.suptitle(f"{title}; {note}", parse_math=False)


def _draw_panel(axes: Drawing, rows: Sequence[Row], name: str) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    places = [place for place, row in enumerate(rows) if row[name] is not None]
    values = [rows[place][name] for place in places]
    axes.plot(values, places, "o", color="C0")
    with_interval = [place for place in places if rows[place][f"{name}_low"] is not None]
    if with_interval:  # their meaning is in the title, because a legend would hide bidders
        lows = [rows[place][f"{name}_low"] for place in with_interval]
        highs = [rows[place][f"{name}_high"] for place in with_interval]
        axes.hlines(with_interval, lows, highs, color="C0")
    axes.grid(axis="x")
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axes.set_ylim(-0.6, len(rows) - 0.4)
