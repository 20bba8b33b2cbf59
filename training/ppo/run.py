"""A training run of PPO in a folder: its settings, its log, and evaluations."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch
from aucenv.training.ppo.config import PPOConfig
from aucenv.training.ppo.evaluation import SeatGames, compare
from aucenv.training.ppo.ppo import EVALUATIONS, MODEL, SELVES, STATE, Learner
from torch.utils.tensorboard import SummaryWriter

from aucenv.analysis.plots import Drawing, legend_above, write_figure
from aucenv.core.files import JsonObject, write_atomically
from aucenv.core.formats.folders import TRAINING, check_training, only_writer, write_or_compare
from aucenv.core.policy import check_fits
from aucenv.policy.registry import make_policy, playable_bidders

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


DEALS_SEED = 4_000_000_000
"""Added to the seed of a run for the games of its evaluations, which it is not trained on."""


DRAW_OF_EVALUATIONS = 1_000_000_000
"""Seeds the bidders of the population in evaluations."""


class Run:
    """A training run.

    Args:
        config: The configuration.
        resume: Whether to continue a run that exists.
        command: The command that trains.

    Raises:
        FileExistsError: The folder belongs to another command.
        ValueError: The folder holds another run, or none to resume; or a bidder cannot play the scenario.
    """

    def __init__(self, config: PPOConfig, resume: bool, command: str = "train ppo") -> None:
        self.config, self.out = config, Path(config.out)
        settings = {"command": command, **config.to_dict()}
        check_training(self.out, settings, resume, (MODEL, STATE, SELVES, EVALUATIONS, TABLE, CURVES))
        for name in (*(name for names in config.named_rivals(0) for name in names), *config.bidders):
            check_fits(make_policy(config.game, name), name, config.loaded_scenario)
        torch.set_num_threads(1)
        self.learner = Learner(config, self.evaluate)
        self.out.mkdir(parents=True, exist_ok=True)
        write_or_compare(self.out / TRAINING, settings, "other settings")

    @property
    def model(self) -> Path:
        """The file of the last network."""
        return self.out / MODEL

    def train(self, report: Callable[[JsonObject], None]) -> list[JsonObject]:
        """Train to the last update, and return the results of the last evaluation.

        Args:
            report: called with the figures of each update.

        Raises:
            Diverged: A loss is not a number.
            OSError: A file cannot be written.
        """
        learner = self.learner
        with only_writer(self.out), contextlib.closing(Log(self.out, learner.update)) as log:

            def write(figures: JsonObject) -> None:
                log.add_update(figures)
                report(figures)

            self._log = log
            try:
                learner.train(write)
            finally:
                log.draw(learner.evaluations())
        return [row for row in learner.evaluations() if row["update"] == learner.update]

    def evaluate(self, path: Path) -> list[JsonObject]:
        """Return what a network earns in new games, and how much more than other bidders in the same seats."""
        config, learner = self.config, self.learner
        if config.eval_games == 0:
            return []
        others = config.bidders or tuple(playable_bidders(config.game, config.loaded_scenario))
        rivals = tuple("|".join(names or others) for names in config.named_rivals(DRAW_OF_EVALUATIONS))
        seat_games = SeatGames(config.game, config.loaded_scenario, rivals, config.eval_games, DEALS_SEED + config.seed)
        network, *compared = compare(seat_games, f"ppo:{path}", others, config.num_threads)
        rows = [{**network, "bidder": PPO}, *compared]
        self._log.add_evaluation(learner.update, rows)
        earlier = [each for each in learner.evaluations() if each["update"] < learner.update]
        self._log.draw([*earlier, *({"update": learner.update, **row} for row in rows)])
        return rows
