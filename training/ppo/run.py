"""A training run of PPO in a folder: its settings, figures for TensorBoard, and evaluations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import torch
from aucenv.training.ppo.config import PPOConfig
from aucenv.training.ppo.evaluation import SeatGames, compare
from aucenv.training.ppo.ppo import MODEL, Learner
from torch.utils.tensorboard import SummaryWriter

from aucenv.core.files import JsonObject, check_folder, write_or_compare
from aucenv.core.policy import check_fits
from aucenv.policy.registry import make_policy, playable_bidders

SETTINGS = "settings.json"
DEALS_SEED = 4_000_000_000
"""Added to the seed of a run for the games of its evaluations, which it is not trained on."""


DRAW_OF_EVALUATIONS = 1_000_000_000
"""Seeds the bidders of the population in evaluations."""


class Run:
    """A training run.

    Args:
        config: The configuration.
        resume: Whether to continue a run that exists.

    Raises:
        FileExistsError: The folder belongs to another command.
        ValueError: The folder holds another run, or none to resume; or a bidder cannot play the scenario.
    """

    def __init__(self, config: PPOConfig, resume: bool) -> None:
        self.config, self.out = config, Path(config.out)
        check_folder(self.out, SETTINGS)
        path = self.out / SETTINGS
        if resume and not path.is_file():
            raise ValueError(f"{self.out}: expected a run to resume, with its {SETTINGS}")
        if not resume and path.exists():
            raise ValueError(f"{self.out}: holds a run; resume it with --resume, or choose another folder")
        for name in (*(name for names in config.named_rivals(0) for name in names), *config.bidders):
            check_fits(make_policy(config.game, name), name, config.loaded_scenario)
        torch.set_num_threads(1)
        self.learner = Learner(config, self.evaluate)
        self.out.mkdir(parents=True, exist_ok=True)
        write_or_compare(path, config.to_dict(), "other settings")

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
        with contextlib.closing(SummaryWriter(str(self.out), purge_step=learner.update + 1)) as writer:

            def write(figures: JsonObject) -> None:
                for name, value in figures.items():
                    if name != "update":
                        writer.add_scalar(f"train/{name}", value, figures["update"])
                report(figures)

            learner.train(write)
            for row in learner.evaluations():
                writer.add_scalar(f"score/{row['bidder']}", row["score"], row["update"])
        return [row for row in learner.evaluations() if row["update"] == learner.update]

    def evaluate(self, path: Path) -> list[JsonObject]:
        """Return what a network earns in new games, and how much more than other bidders in the same seats."""
        config = self.config
        if config.eval_games == 0:
            return []
        others = config.bidders or tuple(playable_bidders(config.game, config.loaded_scenario))
        rivals = tuple("|".join(names or others) for names in config.named_rivals(DRAW_OF_EVALUATIONS))
        seat_games = SeatGames(config.game, config.loaded_scenario, rivals, config.eval_games, DEALS_SEED + config.seed)
        rows = compare(seat_games, f"ppo:{path}", others, config.num_threads)
        return [{**row, "bidder": "ppo"} if number == 0 else row for number, row in enumerate(rows)]
