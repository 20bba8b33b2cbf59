"""Figures of studies: labels do not overlap, legends mention intervals only where they are drawn, dollars start at 0."""

from __future__ import annotations

from itertools import pairwise

import pytest
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.training.rlact.learning.callbacks import draw_curves
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from aucenv.analysis.plots import STYLE


def drawn(name, rows):
    study = STUDIES[name]
    with rc_context(STYLE):
        return drawn_in_style(study, rows)


def drawn_in_style(study, rows):
    figure = Figure(figsize=study.size(rows) if callable(study.size) else study.size, layout="constrained")
    FigureCanvasAgg(figure)
    study.draw(rows, figure)
    figure.canvas.draw()
    return figure


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def rlact_rows(intervals):
    ends = {"profit_low": 28.0, "profit_high": 33.5} if intervals else {"profit_low": None, "profit_high": None}
    rivals = ("expact, persona", "persona, persona", "expact, expact", "value, pace")
    bidders = ("expact", "judge-greedy", "a_long_label_of_a_bidder")
    return [{"rivals": pair, "bidder": name, "profit": 30.0, **ends} for pair in rivals for name in bidders]


def test_no_labels_of_an_axis_overlap():
    figure = drawn("harbor/rlact", rlact_rows(True))
    [axes] = figure.axes
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    legend = figure.legends[0].get_window_extent()
    assert legend.y0 > axes.get_window_extent().y1
    assert legend.x1 < figure.bbox.x1


@pytest.mark.parametrize("intervals", [True, False])
def test_legends_mention_intervals_where_they_are_drawn(intervals):
    figure = drawn("harbor/rlact", rlact_rows(intervals))
    ends = {"revenue_low": 48.0, "revenue_high": 51.0} if intervals else {"revenue_low": None, "revenue_high": None}
    formats = [{"format": name, "bidder": "equilibrium", "revenue": 49.7, "theory": 49.5, **ends} for name in "abc"]
    revenue = drawn("labs/revenue", formats)
    for shown, label in ((figure, "expact"), (revenue, "equilibrium")):
        assert (f"{label}, 95% interval" in legend_of(shown)) == intervals
        assert (label in legend_of(shown)) != intervals
        assert any(bool(axes.collections) for axes in shown.axes) == intervals  # the error bars
    low, high = revenue.axes[0].get_ylim()
    assert low == 0
    assert high < 75
    assert revenue.axes[0].get_ylabel().endswith(", $")


def test_learning_curves_have_a_panel_of_profits_if_these_were_measured(tmp_path):
    from matplotlib.image import imread

    shares = {"greedy": 0.5, "readable": 0.9}
    results = {"recommendation": shares, "bid": shares, "chance": 0.66, "probe": 0.88}
    for name, profits in (("without", {"profit": None}), ("with", {"profit": 20_000.0, "expert": 27_000.0})):
        draw_curves([{"step": 100, "games": {"harbor": {**results, **profits}}}], tmp_path / f"{name}.png")
    columns = [
        (imread(tmp_path / f"{name}.png")[:, :, :3].max(axis=2) < 0.2).sum(axis=0) for name in ("without", "with")
    ]
    long_lines = [(dark > 300).sum() for dark in columns]  # the vertical edges of panels
    assert long_lines[1] > long_lines[0]
