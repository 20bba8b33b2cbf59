"""A training run of PPO in a folder: its settings, its log, and evaluations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import torch
from aucenv.training.ppo.config import PPOConfig
from aucenv.training.ppo.evaluation import SeatGames, compare
from aucenv.training.ppo.log import CURVES, PPO, TABLE, Log
from aucenv.training.ppo.ppo import EVALUATIONS, MODEL, SELVES, STATE, Learner

from aucenv.core.files import JsonObject
from aucenv.core.formats.folders import TRAINING, check_training, only_writer, write_or_compare
from aucenv.core.policy import check_fits
from aucenv.policy.registry import make_policy, playable_bidders

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
