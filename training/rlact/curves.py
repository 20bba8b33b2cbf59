"""Plot the learning curves of a run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from aucenv.training.rlact.messages import PHASES

from aucenv.core.files import JsonObject


def draw_curves(evaluations: Sequence[JsonObject], path: Path) -> None:
    """Plot accuracy, share of readable replies and profit ratio by step, as PNG.

    Do nothing if matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    axes, profits = figure.subplots(1, 2)
    steps = [each["step"] for each in evaluations]
    for phase in PHASES:
        axes.plot(steps, [each[phase]["greedy"] for each in evaluations], marker="o", label=f"{phase}, right")
        axes.plot(steps, [each[phase]["readable"] for each in evaluations], linestyle=":", label=f"{phase}, readable")
    for name in ("chance", "probe"):
        values = [each[name] for each in evaluations if name in each]
        if values:
            axes.axhline(values[-1], color="grey", linewidth=0.8)
            axes.annotate(name, (0, values[-1]))
    axes.set(xlabel="updates", ylabel="share of held-out states", ylim=(0, 1.02))
    axes.legend(frameon=False)
    ratios = [(each["step"], each["profit_ratio"]) for each in evaluations if each.get("profit_ratio") is not None]
    profits.plot([step for step, _ in ratios], [value for _, value in ratios], marker="o", label="rlact")
    expact = [each["expact"] for each in evaluations if each.get("expact") is not None]
    if expact:
        profits.axhline(expact[-1], color="grey", linewidth=0.8)
        profits.annotate("expact", (0, expact[-1]))
    profits.set(xlabel="updates", ylabel="profit ratio, percent")
    figure.savefig(path)
