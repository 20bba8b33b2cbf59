"""Plot the learning curves of a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from aucenv.training.rlact.messages import PHASES

from aucenv.analysis.plots import Drawing, write_figure
from aucenv.core.files import JsonObject


def draw_curves(evaluations: Sequence[JsonObject], path: Path) -> None:
    """Plot accuracy, share of readable replies and, where it was measured, profit by step, as PNG, one row per game.

    Do nothing if matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    size = 10.0, 0.6 + 3.4 * len(evaluations[-1]["games"])
    write_figure([path], partial(_draw, evaluations), size)


def _draw(evaluations: Sequence[JsonObject], figure: Drawing) -> None:
    games = list(evaluations[-1]["games"])
    with_profits = all(each["games"][game]["profit"] is not None for each in evaluations for game in games)
    rows = figure.subplots(len(games), 2 if with_profits else 1, squeeze=False)
    for game, (axes, *others) in zip(games, rows, strict=True):
        steps, results = [each["step"] for each in evaluations], [each["games"][game] for each in evaluations]
        for phase in [phase for phase in PHASES if phase in results[-1]]:
            line = axes.plot(steps, [each[phase]["greedy"] for each in results], marker="o", label=f"{phase}, right")
            readable = [each[phase]["readable"] for each in results]
            axes.plot(steps, readable, linestyle=":", color=line[0].get_color(), label=f"{phase}, readable")
        for name, label, style in (("chance", "constant answer", "--"), ("probe", "probe", "-.")):
            if results[-1].get(name) is not None:
                axes.axhline(results[-1][name], color="grey", linewidth=0.8, linestyle=style, label=label)
        axes.set(title=game, xlabel="updates", ylabel="share of held-out states", ylim=(0, 1.02))
        for profits in others:
            measured = [(step, each["profit"]) for step, each in zip(steps, results, strict=True)]
            profits.plot(*zip(*measured, strict=True), "C2", marker="o", label="rlact, profit")
            if "expert" in results[-1]:
                expert = results[-1]["expert"]
                profits.axhline(expert, color="C3", linewidth=0.8, linestyle="--", label="expert, profit")
            profits.axhline(0, color="0.7", linewidth=0.8)
            profits.set(title=game, xlabel="updates", ylabel="profit per game, $", xlim=axes.get_xlim())
    lines = [line for axes in rows[0] for line in axes.get_lines() if not line.get_label().startswith("_")]
    figure.legend(handles=lines, loc="outside upper center", ncols=4, frameon=False)
