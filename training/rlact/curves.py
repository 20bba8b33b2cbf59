"""Plot the learning curves of a run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from aucenv.training.rlact.messages import PHASES

from aucenv.core.files import JsonObject


def draw_curves(evaluations: Sequence[JsonObject], path: Path) -> None:
    """Plot accuracy, share of readable replies and, where it was measured, profit ratio by step, as PNG.

    Do nothing if matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure

    ratios = [(each["step"], each["profit_ratio"]) for each in evaluations if each.get("profit_ratio") is not None]
    expact = [each["expact"] for each in evaluations if each.get("expact") is not None]
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes, *with_profits = figure.subplots(1, 2 if ratios or expact else 1, squeeze=False)[0]
    steps = [each["step"] for each in evaluations]
    for phase in PHASES:
        line = axes.plot(steps, [each[phase]["greedy"] for each in evaluations], marker="o", label=f"{phase}, right")
        readable = [each[phase]["readable"] for each in evaluations]
        axes.plot(steps, readable, linestyle=":", color=line[0].get_color(), label=f"{phase}, readable")
    for name, label, style in (("chance", "constant answer", "--"), ("probe", "probe", "-.")):
        values = [each[name] for each in evaluations if name in each]
        if values:
            axes.axhline(values[-1], color="grey", linewidth=0.8, linestyle=style, label=label)
    axes.set(xlabel="updates", ylabel="share of held-out states", ylim=(0, 1.02))
    for profits in with_profits:
        if ratios:
            profits.plot(*zip(*ratios, strict=True), "C2", marker="o", label="rlact, profit")
        if expact:
            profits.axhline(expact[-1], color="C3", linewidth=0.8, linestyle="--", label="expact, profit")
        profits.axhline(0, color="0.7", linewidth=0.8)
        profits.set(xlabel="updates", ylabel="profit ratio, %", xlim=axes.get_xlim())
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    figure.savefig(path, dpi=150)
