"""The log of a training run of PPO: figures for TensorBoard, progress.csv and curves.png."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from aucenv.analysis.plots import Drawing, legend_above, write_figure
from aucenv.core.files import JsonObject, write_atomically

TABLE, CURVES = "progress.csv", "curves.png"
PPO = "ppo"
"""The name of the network in evaluations."""
SCORES = ("score", "gain")
"""The figures of evaluations that TensorBoard gets."""


class Log:
    """The log of a run, which a resumed run continues.

    Args:
        out: The folder of the run, which exists.
        update: The last update of which the run has a state; what is logged of later ones is dropped.

    Raises:
        OSError: A file cannot be read or written.
        ValueError: The table is damaged.
    """

    def __init__(self, out: Path, update: int) -> None:
        self._table, self._curves = out / TABLE, out / CURVES
        self._rewards: list[tuple[int, float]] = []
        if self._table.exists():
            self._drop_rows(update)
        self._writer = SummaryWriter(str(out), purge_step=update + 1)

    def _drop_rows(self, update: int) -> None:
        """Drop the rows of later updates, and a last row that was cut off."""
        text = self._table.read_text(encoding="utf-8")
        file = io.StringIO()
        try:
            reader = csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))
            kept = [row for row in reader if int(row["update"]) <= update]
            self._rewards = [(int(row["update"]), float(row["reward"] or math.nan)) for row in kept]
            writer = csv.DictWriter(file, reader.fieldnames or (), lineterminator="\n")
            if reader.fieldnames:
                writer.writeheader()
            writer.writerows(kept)
        except (ValueError, KeyError, TypeError, csv.Error):
            raise ValueError(
                f"{self._table}: expected the table of this run; move the file away, and the run writes a new one"
            ) from None
        write_atomically(self._table, file.getvalue())

    def add_update(self, figures: JsonObject) -> None:
        """Log the figures of an update; those that are not finite are left out."""
        finite = {name: value for name, value in figures.items() if math.isfinite(value)}
        for name, value in finite.items():
            if name != "update":
                self._writer.add_scalar(f"train/{name}", value, figures["update"])
        with self._table.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*figures], lineterminator="\n")
            if not file.tell():
                writer.writeheader()
            writer.writerow({n: f"{value:.6g}" if isinstance(value, float) else value for n, value in finite.items()})
        self._rewards.append((figures["update"], figures["reward"]))

    def add_evaluation(self, update: int, rows: Sequence[JsonObject]) -> None:
        """Log the rows of an evaluation."""
        for row in rows:
            for name in (name for name in SCORES if name in row):
                self._writer.add_scalar(f"eval/{name}/{row['bidder']}", row[name], update)

    def draw(self, evaluations: Sequence[JsonObject]) -> None:
        """Draw the curves of training and of evaluations, if matplotlib is installed."""
        axes = bool(self._rewards) + bool(evaluations)
        if axes and find_spec("matplotlib") is not None:
            write_figure([self._curves], partial(draw_curves, self._rewards, evaluations), (5.0 * axes, 4.4))

    def close(self) -> None:
        """Close the files."""
        self._writer.close()


def draw_curves(rewards: Sequence[tuple[int, float]], evaluations: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw the reward per game in training and the scores in evaluations, each if there are any."""
    all_axes = iter(figure.subplots(1, bool(rewards) + bool(evaluations), squeeze=False)[0])
    if rewards:
        axes = next(all_axes)
        axes.plot(*zip(*rewards, strict=True))
        axes.set(xlabel="updates", ylabel="reward per game in training")
    if evaluations:
        axes = next(all_axes)
        for bidder in dict.fromkeys(row["bidder"] for row in evaluations):
            points = [(row["update"], row["score"]) for row in evaluations if row["bidder"] == bidder]
            axes.plot(*zip(*points, strict=True), "o-" if bidder == PPO else "--", label=bidder)
        axes.set(xlabel="updates", ylabel="score in evaluations")
    legend_above(figure, 4)
