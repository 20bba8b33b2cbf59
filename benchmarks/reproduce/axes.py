"""Drawing shared by the figures of studies: intervals, which legends mention only where they are drawn, and legends.

Legends stand outside the axes, where they cover no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.core.files import JsonMapping

INTERVAL = "95% interval"


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
    axes: Any, places: Sequence[float], rows: Sequence[JsonMapping], name: str, style: str, label: str
) -> None:
    """Draw a figure of each row as a point, with error bars where there are intervals; the legend says which."""
    bars = errors(rows, name)
    values = [row[name] for row in rows]
    if bars is None:
        axes.plot(places, values, style, label=label)
    else:
        axes.errorbar(places, values, bars, fmt=style, capsize=4, label=f"{label}, {INTERVAL}")


def draw_bars(
    axes: Any, places: Sequence[float], rows: Sequence[JsonMapping], name: str, width: float, label: str
) -> None:
    """Draw a figure of each row as a bar, with error bars where there are intervals; the legend says which."""
    bars = errors(rows, name)
    shown = label if bars is None else f"{label}, {INTERVAL}"
    axes.bar(places, [row[name] for row in rows], width, yerr=bars, capsize=3, label=shown, error_kw={"linewidth": 1})


def legend_above(figure: Any, columns: int = 3, size: float = 8) -> None:
    """Write one legend above all axes, with each label once."""
    labelled = [axes.get_legend_handles_labels() for axes in figure.axes]
    handles = {label: handle for both in labelled for handle, label in zip(*both, strict=True)}
    if handles:
        figure.legend(
            handles.values(), handles.keys(), loc="outside upper center", ncols=columns, frameon=False, fontsize=size
        )
