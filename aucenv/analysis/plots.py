"""The style of all figures, and drawing that they share: bars and points with intervals, and legends.

Figures are 8 to 10 inches wide, so that their text is legible at 800 pixels. Colour-blind people can distinguish the
colours, which are those of Okabe and Ito. Legends are outside the axes, where they cover no data, and mention intervals
only where they are drawn.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aucenv.core.files import JsonMapping, write_bytes_atomically

Drawing = Any
"""A matplotlib figure, or axes in it. The type is Any because matplotlib is only imported to draw."""
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#F0E442")
SIZE = (8.0, 4.4)
"""The default size of a figure in inches."""
DPI = 150
STYLE = {
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 8.0,
    "figure.titlesize": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "aucenv",
}
"""Settings of matplotlib; colours are added where it is imported."""
INTERVAL = "95% interval"


def write_figure(paths: Iterable[Path], draw: Callable[[Drawing], object], size: tuple[float, float] = SIZE) -> None:
    """Draw a figure in the style of all figures, and write it to files, whose names end with those of image formats.

    The same figure has the same bytes.

    Args:
        paths: the files.
        draw: draws on the empty figure.
        size: width and height in inches.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from cycler import cycler
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    style: Any = {**STYLE, "axes.prop_cycle": cycler(color=COLOURS)}
    with rc_context(style):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        for path in paths:
            kind, image = path.suffix.lower().removeprefix("."), io.BytesIO()
            figure.savefig(image, format=kind, dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
            write_bytes_atomically(path, image.getvalue())


def errors(rows: Sequence[JsonMapping], name: str) -> list[list[float]] | None:
    """Return the lengths of a figure's error bars, downwards and upwards; None if no row has an interval.

    Args:
        name: a figure of the rows, whose interval is NAME_low and NAME_high. Rows without an interval have length 0.
    """
    ends = [[row.get(f"{name}_low"), row.get(f"{name}_high")] for row in rows]
    if all(None in pair for pair in ends):
        return None
    lengths = [
        (0.0, 0.0) if low is None or high is None else (max(0.0, row[name] - low), max(0.0, high - row[name]))
        for row, (low, high) in zip(rows, ends, strict=True)
    ]
    return [[low for low, _ in lengths], [high for _, high in lengths]]


def draw_points(
    axes: Drawing, places: Sequence[float], rows: Sequence[JsonMapping], name: str, style: str, label: str
) -> None:
    """Draw a figure of each row as a point, with error bars where there are intervals; the legend says which."""
    bars = errors(rows, name)
    values = [row[name] for row in rows]
    if bars is None:
        axes.plot(places, values, style, label=label)
    else:
        axes.errorbar(places, values, bars, fmt=style, capsize=4, label=f"{label}, {INTERVAL}")


def draw_bars(
    axes: Drawing, places: Sequence[float], rows: Sequence[JsonMapping], name: str, width: float, label: str
) -> None:
    """Draw a figure of each row as a bar, with error bars where there are intervals; the legend says which."""
    bars = errors(rows, name)
    shown = label if bars is None else f"{label}, {INTERVAL}"
    axes.bar(places, [row[name] for row in rows], width, yerr=bars, capsize=3, label=shown, error_kw={"linewidth": 1})


def legend_above(figure: Drawing, columns: int = 3) -> None:
    """Write one legend above all axes, with each label once."""
    labelled = [axes.get_legend_handles_labels() for axes in figure.axes]
    handles = {label: handle for both in labelled for handle, label in zip(*both, strict=True)}
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=columns, frameon=False)
