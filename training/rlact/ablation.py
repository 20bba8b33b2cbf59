"""Train the arms of an ablation: from one base model, on the same judged states, for the same number of updates."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from aucenv.training.rlact.base_model import BASE, make_tiny
from aucenv.training.rlact.checkpoints import load_causal, load_tokenizer, write_metadata
from aucenv.training.rlact.config import RLActConfig, read_config
from aucenv.training.rlact.evaluation import by_game, evaluate
from aucenv.training.rlact.generation import ReplyGenerator
from aucenv.training.rlact.judges import SimulatorJudge
from aucenv.training.rlact.messages import BID, PHASES, RECOMMENDATION, plain_reply
from aucenv.training.rlact.probe import probe, save_probe
from aucenv.training.rlact.run import MODEL_FOLDER, Run
from aucenv.training.rlact.run_states import has_clear_decision
from aucenv.training.rlact.states import DecisionState
from aucenv.training.rlact.tiny_llama import warm_up
from datasets import Dataset
from transformers import set_seed
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig

from aucenv.core.files import JsonObject
from aucenv.core.state import WITHDRAW

SHARED = "shared"
"""The folder of the judged states and of the base model."""
UPDATES = 500
RECOMMENDATION_SHARE = 0.2
"""As in the preset `tiny`."""
GROUP = 8
"""The replies to each state of GRPO, TRL's default."""
STANDARD_BETA = 0.1
"""Beta of the standard DPO loss, TRL's default."""
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


@dataclasses.dataclass(frozen=True)
class Ablation:
    """The folder of an ablation.

    Attributes:
        out: the folder.
        updates: the number of updates of each arm.
        changes: settings that replace those of the preset `tiny` in all arms.
    """

    out: Path
    updates: int = UPDATES
    changes: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def shared(self) -> Path:
        """The folder of the judged states and of the base model."""
        return self.out / SHARED

    def run(self, folder: Path, changes: Mapping[str, str] = MappingProxyType({})) -> Run:
        """Return a run in a folder, which resumes if the folder has one."""
        config, model = read_config("tiny", None, folder, {**self.changes, **changes})
        resumes = (folder / "settings.json").is_file()
        return Run(config, model, resumes, changes=changes, command="aucenv study rlact/ablation")

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

    def train(self, arm: str, seed: int) -> Path:
        """Train an arm with a seed, and return the folder of its model."""
        chosen, folder = ARMS[arm], self.folder(arm, seed)
        if chosen.changes is not None:
            return self._train_run(folder, chosen.changes, seed)
        if chosen.train is None:
            return self.shared / BASE
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
            "states": str(self.shared / "states"),
            "model_name_or_path": str(self.shared / BASE),
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
        """Return the base model and its tokenizer."""
        model = load_causal(self.shared / BASE, dtype="float32")
        model.get_input_embeddings().weight.requires_grad_(False)
        return model, load_tokenizer(self.shared / BASE)

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


def tasks(states: Sequence[DecisionState]) -> list[str]:
    """Return a task for each state, of which RECOMMENDATION_SHARE are recommendations."""
    period = round(1 / RECOMMENDATION_SHARE)
    return [RECOMMENDATION if i % period == 0 else BID for i in range(len(states))]


def judged_pair(state: DecisionState, task: str) -> tuple[str, str]:
    """Return the plainest replies that mean the better and the worse decision of a state that is not a tie."""
    amounts = int(state.full_row["least"][0]), WITHDRAW
    bids_first = state.action_values is not None and state.action_values.bid_or_withdraw > 0
    better, worse = amounts if bids_first else amounts[::-1]
    return plain_reply(better, task), plain_reply(worse, task)


def _sft(ablation: Ablation, seed: int) -> tuple[Any, Any]:
    """Train on the better replies alone."""
    model, tokenizer = ablation.base()
    states = ablation.clear_states
    dialogues = [
        (state.messages[task], judged_pair(state, task)[0]) for state, task in zip(states, tasks(states), strict=True)
    ]
    batch = ablation.config.per_device_train_batch_size // 2
    warm_up(model, tokenizer, dialogues, SFTConfig(**ablation.trainer_options(seed, batch), max_length=None))
    return model, tokenizer


def _offline_dpo(ablation: Ablation, seed: int) -> tuple[Any, Any]:
    """Train on pairs of the better and the worse reply, with TRL's DPO trainer."""
    model, tokenizer = ablation.base()
    states = ablation.clear_states
    rows = [
        {
            "prompt": state.messages[task],
            **{
                name: [{"role": "assistant", "content": reply}]
                for name, reply in zip(("chosen", "rejected"), judged_pair(state, task), strict=True)
            },
        }
        for state, task in zip(states, tasks(states), strict=True)
    ]
    batch = ablation.config.per_device_train_batch_size // 2
    arguments = DPOConfig(**ablation.trainer_options(seed, batch), beta=STANDARD_BETA, max_length=None)
    reference, _ = ablation.base()
    DPOTrainer(model, reference, arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer).train()
    return model, tokenizer


def _grpo(ablation: Ablation, seed: int) -> tuple[Any, Any]:
    """Train with TRL's GRPO trainer on the judge's scores of each reply."""
    model, tokenizer = ablation.base()
    states, simulator = ablation.states[0], ablation.run(ablation.shared).simulator
    judges = {phase: SimulatorJudge(simulator, phase) for phase in PHASES}

    def score(completions: Sequence[Any], place: Sequence[int], task: Sequence[str], **_: object) -> list[float]:
        scores = [0.0] * len(completions)
        for phase, judge in judges.items():
            chosen = [i for i, each in enumerate(task) if each == phase]
            replies = [completions[i][-1]["content"] for i in chosen]
            for i, value in zip(chosen, judge.score([states[place[i]] for i in chosen], replies), strict=True):
                scores[i] = value or 0.0
        return scores

    rows = [
        {"prompt": state.messages[task], "place": i, "task": task}
        for i, (state, task) in enumerate(zip(states, tasks(states), strict=True))
    ]
    config = ablation.config
    arguments = GRPOConfig(
        **ablation.trainer_options(seed, config.per_device_train_batch_size),
        num_generations=GROUP,
        max_completion_length=config.max_completion_length,
        vllm_importance_sampling_correction=False,
    )
    GRPOTrainer(
        model=model,
        reward_funcs=score,
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    ).train()
    return model, tokenizer


ARMS: dict[str, Arm] = {
    "zero-shot": Arm("the base model, without training"),
    "sft": Arm("supervised finetuning on the judge's better replies", train=_sft),
    "offline-dpo": Arm("TRL's DPO on pairs of the better and the worse reply", train=_offline_dpo),
    "online-dpo": Arm(
        "online DPO with a reference model", {**LITERAL, "pair_loss": "dpo", "pair_beta": str(STANDARD_BETA)}
    ),
    "harbor-loss": Arm("HARBOR's loss, as printed", {**LITERAL, "pair_beta": "0.2"}),
    "ours": Arm("the preset: HARBOR's loss with counterfactual pairs and a likelihood term", {}),
    "grpo": Arm("TRL's GRPO on the same scores", train=_grpo),
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
