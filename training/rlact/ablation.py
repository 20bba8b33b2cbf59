"""Train the arms of an ablation: from one base model, on the same judged states, for the same number of updates."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aucenv.training.rlact.arm_trainers import (
    RECOMMENDATION_SHARE,
    STANDARD_BETA,
    train_grpo,
    train_offline_dpo,
    train_sft,
)
from aucenv.training.rlact.config import RLActConfig, read_config
from aucenv.training.rlact.evaluation import by_game, evaluate
from aucenv.training.rlact.learning.callbacks import StopWhenDiverged
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.learning.trainer import RLActTrainer
from aucenv.training.rlact.models.base_model import BASE, make_tiny
from aucenv.training.rlact.models.checkpoints import load_causal, load_tokenizer, write_metadata
from aucenv.training.rlact.probes.probe import probe, save_probe
from aucenv.training.rlact.run import MODEL_FOLDER, Run
from aucenv.training.rlact.states.messages import BID, PHASES
from aucenv.training.rlact.states.run_states import has_clear_decision
from aucenv.training.rlact.states.states import DecisionState
from transformers import set_seed

from aucenv.core.files import JsonObject

PRESET = "tiny-dpo"
SHARED = "shared"
"""The folder of the judged states and of the base model."""
UPDATES = 500
LITERAL = {"counterfactual": "false", "likelihood_weight": "0", "skip_ties": "false"}
"""Settings that turn off what RLAct's loss in the paper does not have."""


@dataclasses.dataclass(frozen=True)
class Arm:
    """One way to train a bidder, or a bidder to compare with.

    Attributes:
        about: what it is.
        changes: settings of a run that differ from those of the preset; None if a run does not train it.
        train: trains the model in another way; None for a run and for an arm that is not trained.
    """

    about: str
    changes: Mapping[str, str] | None = None
    train: Callable[[Ablation, int], tuple[Any, Any]] | None = None


class ArmRun(Run):
    """A run of an arm, which ends with an error if it diverges."""

    def trainer(self, train: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> RLActTrainer:
        """Return the trainer."""
        trainer = super().trainer(train, held_out)
        trainer.add_callback(StopWhenDiverged())
        return trainer


@dataclasses.dataclass(frozen=True)
class Ablation:
    """The folder of an ablation.

    Attributes:
        out: the folder.
        updates: the number of updates of each arm.
        changes: settings that replace those of PRESET in all arms.
    """

    out: Path
    updates: int = UPDATES
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    command = "aucenv study rlact/ablation"

    @property
    def shared(self) -> Path:
        """The folder of the judged states and of the base model."""
        return self.out / SHARED

    @property
    def start(self) -> Path:
        """The folder of the model with which arms start."""
        return self.shared / BASE

    @property
    def states_folder(self) -> Path:
        """The folder of the states on which arms are trained."""
        return self.shared / "states"

    def run(self, folder: Path, changes: Mapping[str, str] = MappingProxyType({})) -> Run:
        """Return a run in a folder, which resumes if the folder has one."""
        config, model = read_config(PRESET, None, folder, {**self.changes, **changes})
        resumes = (folder / "settings.json").is_file()
        return ArmRun(config, model, resumes, changes=changes, command=self.command)

    def prepare(self) -> None:
        """Collect and judge the shared states, and create the shared base model, unless the folder has them."""
        run = self.run(self.shared)
        run.open()
        train, _ = run.states()
        make_tiny(self.shared / BASE, run.config, train)
        write_metadata(self.shared / BASE, self.style, None, self.base()[0])

    @functools.cached_property
    def states(self) -> tuple[list[DecisionState], list[DecisionState]]:
        """The shared states for training, and those for validation."""
        return self.run(self.shared).states()

    @functools.cached_property
    def clear_states(self) -> list[DecisionState]:
        """The shared states for training whose decision is not a tie."""
        return [state for state in self.states[0] if has_clear_decision(state)]

    def folder(self, arm: str, seed: int) -> Path:
        """Return the folder of an arm."""
        return self.out / f"{arm}-{seed}"

    @property
    def arms(self) -> Mapping[str, Arm]:
        """The arms by name."""
        return ARMS

    def train(self, arm: str, seed: int) -> Path:
        """Train an arm with a seed, and return the folder of its model."""
        chosen, folder = self.arms[arm], self.folder(arm, seed)
        if chosen.changes is not None:
            return self._train_run(folder, chosen.changes, seed)
        if chosen.train is None:
            return self.start
        path = folder / MODEL_FOLDER
        if not (path / "rlact.json").is_file():
            set_seed(seed)
            model, tokenizer = chosen.train(self, seed)
            model.save_pretrained(path)
            tokenizer.save_pretrained(path)
            write_metadata(path, self.style, None, model)
        return path

    def _train_run(self, folder: Path, changes: Mapping[str, str], seed: int) -> Path:
        run = self.run(folder, {**self._run_changes(seed), **changes})
        if not (folder / MODEL_FOLDER / "rlact.json").is_file():
            result = run.run()
            if result["ended"] is not None:
                raise KeyboardInterrupt(result["ended"])
        return folder / MODEL_FOLDER

    def _run_changes(self, seed: int) -> dict[str, str]:
        return {
            "states": str(self.states_folder),
            "model_name_or_path": str(self.start),
            "seed": str(seed),
            "warm_up_steps": "0",
            "recommendation_steps": "0",
            "bid_steps": str(self.updates),
            "recommendation_share": str(RECOMMENDATION_SHARE),
            "eval_deals": "0",
            "eval_states": "500",
            "save_steps": str(max(1, self.updates // 2)),
            "guard": "off",
        }

    def rates(self, folder: Path) -> JsonObject:
        """Return the decision rates of a model on the states for validation; see `evaluation.evaluate`."""
        config = self.config
        model, tokenizer = load_causal(folder, dtype="float32").eval(), load_tokenizer(folder)
        style = config.detail, config.profiles, config.max_completion_length
        return evaluate(ReplyGenerator(model, tokenizer, *style), self.states[1], BID, 0)

    @functools.cached_property
    def config(self) -> RLActConfig:
        """The settings of the preset, for the arms that no run trains."""
        return self.run(self.shared).config

    @property
    def style(self) -> JsonObject:
        """The metadata of a trained model."""
        config = self.config
        style = {"phase": BID, "tasks": list(PHASES), "detail": config.detail, "profiles": config.profiles}
        return {**style, "games": config.games, "longest": config.max_completion_length}

    def base(self) -> tuple[Any, Any]:
        """Return the model with which arms start, and its tokenizer."""
        model = load_causal(self.start, dtype="float32")
        model.get_input_embeddings().weight.requires_grad_(False)
        return model, load_tokenizer(self.start)

    def trainer_options(self, seed: int, batch: int) -> JsonObject:
        """Return the options that TRL's trainers have in common."""
        config = self.config
        return {
            "output_dir": str(self.out / "unused"),
            "max_steps": self.updates,
            "per_device_train_batch_size": batch,
            "seed": seed,
            "learning_rate": config.learning_rate,
            "lr_scheduler_type": "cosine",
            "warmup_steps": config.warmup_steps,
            "adam_beta2": config.adam_beta2,
            "weight_decay": config.weight_decay,
            "max_grad_norm": config.max_grad_norm,
            "save_strategy": "no",
            "logging_steps": 100,
            "activation_checkpointing": False,
            "bf16": False,
            "use_cpu": True,
            "report_to": "none",
            "disable_tqdm": True,
        }


ARMS: dict[str, Arm] = {
    "zero-shot": Arm("the base model, without training"),
    "sft": Arm("supervised finetuning on the judge's better replies", train=train_sft),
    "offline-dpo": Arm("TRL's DPO on pairs of the better and the worse reply", train=train_offline_dpo),
    "online-dpo": Arm(
        "online DPO with a reference model", {**LITERAL, "pair_loss": "dpo", "pair_beta": str(STANDARD_BETA)}
    ),
    "harbor-loss": Arm("HARBOR's loss, as printed", {**LITERAL, "pair_beta": "0.2"}),
    "ours": Arm("the preset: HARBOR's loss with counterfactual pairs and a likelihood term", {}),
    "grpo": Arm("TRL's GRPO on the same scores", train=train_grpo),
    "random-judge": Arm("the preset with random scores", {"judge": "random"}),
}
"""The arms with a model, by name."""


def fit_probes(ablation: Ablation, seed: int) -> dict[str, tuple[str, float]]:
    """Fit a probe of the messages to the shared states of each game.

    Returns:
        The name of the bidder and its accuracy on the states for validation, by game.
    """
    train, held_out = map(by_game, ablation.states)
    probes = {}
    for game, states in held_out.items():
        path = ablation.out / f"probe-{game}-{seed}.json"
        result = probe(train[game], states, seed, "messages")
        save_probe(path, result, train[game], seed)
        probes[game] = f"probe:{path}", result.accuracy
    return probes
