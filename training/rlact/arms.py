"""The arms that compare online DPO with supervised finetuning: all continue one supervised model.

Each arm is a method on states of one source: those of the population's games, or those that the supervised model itself
reaches in them (`rlact states --learner`).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.training.rlact.ablation import LITERAL, Ablation, Arm
from aucenv.training.rlact.arm_trainers import (
    STANDARD_BETA,
    judge_scores,
    task_rows,
    train_grpo,
    train_sft,
)
from aucenv.training.rlact.learning.callbacks import StopWhenDiverged, read_evaluations
from aucenv.training.rlact.learning.pairs import PairCounts
from aucenv.training.rlact.models.base_model import BASE, save_atomically
from aucenv.training.rlact.models.checkpoints import write_metadata
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import read_legal
from aucenv.training.rlact.states.run_states import SPLITS
from aucenv.training.rlact.states.states import DecisionState, read_states, write_states
from transformers import set_seed
from trl.experimental.online_dpo import OnlineDPOConfig, OnlineDPOTrainer

from aucenv.core.files import JsonObject
from aucenv.core.progress import track

SUPERVISED = "supervised"
"""The folder of the supervised model, with which arms start."""
POPULATION, LEARNER = SOURCES = ("population", "learner")
"""The sources of states: games of the population's families, or games in which the supervised model has a seat."""
LEARNER_SEED = 1
"""Added to the seed of the population's states for those that the supervised model reaches."""
DECISION = {
    "counterfactual": "false",
    "likelihood_weight": "1",
    "pair_loss": "decision",
    "pair_states": "stakes",
    "decision_temperature": "3",
    "pair_beta": "1",
    "kl_weight": "1",
}
"""Settings of online DPO on decisions alone; see `decision_trainer`."""


@dataclasses.dataclass(frozen=True)
class Arms(Ablation):
    """Arms that start with one supervised model, in a folder that they share.

    Attributes:
        source: the source of the states, one of SOURCES.
        rate: the learning rate.
        supervised_updates: the updates of the supervised model before all arms.
        pricing: if the game is sealed_bid, the pricing of the auctions whose states are kept.
    """

    source: str = POPULATION
    rate: float | None = None
    supervised_updates: int = 500
    pricing: str | None = None
    command = "python -m aucenv.benchmarks.rlact_arms"

    @property
    def arms(self) -> Mapping[str, Arm]:
        """The methods by name."""
        return METHODS

    @property
    def start(self) -> Path:
        """The folder of the supervised model."""
        return self.shared / SUPERVISED

    @property
    def states_folder(self) -> Path:
        """The folder of the states on which arms are trained."""
        return self.shared / ("states" if self.source == POPULATION else "learner-states")

    @functools.cached_property
    def states(self) -> tuple[list[DecisionState], list[DecisionState]]:
        """The states for training, and those for validation."""
        train, validation = (read_states(self.states_folder / f"{split}.jsonl") for split in SPLITS)
        return train, validation

    def _run_changes(self, seed: int) -> dict[str, str]:
        return {**super()._run_changes(seed), "learning_rate": str(self.rate)}

    def trainer_options(self, seed: int, batch: int) -> JsonObject:
        """Return the options that TRL's trainers have in common."""
        options = super().trainer_options(seed, batch)
        return options if self.rate is None else {**options, "learning_rate": self.rate}

    def preparations(self) -> list[tuple[str, Path, Callable[[], None]]]:
        """Return what has to be done before the first arm: what it is, the file that says it is done, and how."""
        train = f"{SPLITS[0]}.jsonl"
        steps = [
            ("collect and judge states", self.shared / "states" / train, self._collect),
            ("create the base model", self.shared / BASE / "rlact.json", self._before.prepare),
            ("train the supervised model", self.start / "rlact.json", self._supervise),
        ]
        reached = self.shared / "learner-states" / train
        if SEALED_BID not in self.config.games:
            steps.append(("collect and judge states that the supervised model reaches", reached, self._collect_reached))
        return steps

    @property
    def _before(self) -> BaseArms:
        """The same data, with the base model as the start."""
        return BaseArms(self.out, self.supervised_updates, self.changes)

    def folder(self, arm: str, seed: int) -> Path:
        """Return the folder of an arm."""
        return self.out / "arms" / f"{arm}-{self.source}-{self.rate:g}-{seed}"

    def _collect(self) -> None:
        """Write the judged states of the population, if they are only those of one pricing."""
        if self.pricing is None:
            self.run(self.shared).open()
            self.run(self.shared).states()
            return
        run, ids = self.run(self.shared), set[str]()
        run.open()
        (self.shared / "states").mkdir(exist_ok=True)
        for split in reversed(SPLITS):  # the last file says that it is done
            config = run.config
            collection = Collection(10 * config.num_states, (SEALED_BID,), config.seed, detail=config.detail)
            number = Collection(config.num_states).split_size(split)
            drawn = (state for state in collect(collection, split, ids) if self._is_kept(state))
            states = list(track(itertools.islice(drawn, number), f"{split} states", number))
            ids |= {state.id for state in states}
            write_states(self.shared / "states" / f"{split}.jsonl", run.judge(states, split))

    def _is_kept(self, state: DecisionState) -> bool:
        scenario = state.scenario_text.scenario
        return bool(scenario.pricing == self.pricing and scenario.values == "ipv")

    def _supervise(self) -> None:
        """Train the supervised model from the base model, at the preset's learning rate."""
        seed = self.config.seed
        set_seed(seed)
        model, tokenizer = train_sft(self._before, seed)
        save_atomically(self.start, model, tokenizer)
        write_metadata(self.start, self.style, None, model)

    def _collect_reached(self) -> None:
        """Write judged states that the supervised model reaches; those for validation are the population's."""
        config, run = self.config, self.run(self.shared)
        folder = self.shared / "learner-states"
        folder.mkdir(exist_ok=True)
        validation = self.shared / "states" / f"{SPLITS[1]}.jsonl"
        shutil.copyfile(validation, folder / validation.name)
        collection = Collection(
            config.num_states,
            tuple(config.games),
            config.seed + LEARNER_SEED,
            config.profiles,
            config.detail,
            f"rlact:{self.start}",
        )
        ids = {state.id for state in read_states(validation)}
        states = collect(collection, SPLITS[0], ids)
        number = collection.split_size(SPLITS[0])
        judged = run.judge(track(states, "states that the supervised model reaches", number), SPLITS[0])
        write_states(folder / f"{SPLITS[0]}.jsonl", judged)

    def pairs(self, folder: Path) -> JsonObject:
        """Return the shares of sampled pairs in the folder of an arm; empty if the method has no pairs."""
        evaluations = read_evaluations(folder)
        if evaluations:
            return evaluations[-1].get("pairs", {})
        counts = PairCounts()
        counts.load(folder)
        return counts.shares()


class BaseArms(Arms):
    """The arms' data with the base model as the start, from which the supervised model is trained."""

    @property
    def start(self) -> Path:
        """The folder of the base model."""
        return self.shared / BASE


def _train_sft_by_dollars(arms: Any, seed: int) -> tuple[Any, Any]:
    """Train on the better replies, to states that are drawn in proportion to the dollars at stake.

    So the loss of a state has, in expectation, a weight in dollars.
    """
    states = arms.clear_states
    stakes = np.array([abs(state.action_values.lead) for state in states])
    number = arms.updates * (arms.config.per_device_train_batch_size // 2)
    drawn = np.random.default_rng([seed, 1]).choice(len(states), number, p=stakes / stakes.sum())
    return train_sft(arms, seed, [states[i] for i in drawn.tolist()])


def _train_trl_online_dpo(arms: Any, seed: int) -> tuple[Any, Any]:
    """Train with TRL's own online DPO trainer, whose rewards are the simulator judge's scores of each reply."""
    model, tokenizer = arms.base()
    config, counts, score = arms.config, PairCounts(), judge_scores(arms)

    def scores(completions: Sequence[Any], place: Sequence[int], task: Sequence[str], **_: object) -> list[float]:
        """Return the score of each reply; the second half has the second reply of each pair."""
        rewards, half = score(completions, place, task), len(completions) // 2
        asked = zip(completions, task, place, strict=True)
        amounts = [read_legal(reply[-1]["content"], t, arms.states[0][p]) for reply, t, p in asked]
        pairs = list(zip(amounts[:half], amounts[half:], strict=True))
        used = sum(first != second for first, second in zip(rewards[:half], rewards[half:], strict=True))
        agreeing = sum(first is not None and first == second for first, second in pairs)
        counts.add({"pairs": half, "agreeing": agreeing, "used": used, "synthetic": 0})
        return rewards

    arguments = OnlineDPOConfig(
        **arms.trainer_options(seed, config.per_device_train_batch_size // 2),
        beta=STANDARD_BETA,
        max_new_tokens=config.max_completion_length,
        temperature=1.0,
        remove_unused_columns=False,
    )
    reference, _ = arms.base()
    OnlineDPOTrainer(
        model=model,
        ref_model=reference,
        reward_funcs=scores,
        args=arguments,
        train_dataset=task_rows(arms.states[0]),
        processing_class=tokenizer,
        callbacks=[StopWhenDiverged()],
    ).train()
    folder = arms.folder("trl-online-dpo", seed)
    folder.mkdir(parents=True, exist_ok=True)
    counts.save(folder)
    return model, tokenizer


METHODS: dict[str, Arm] = {
    "sft": Arm("further supervised finetuning on the judge's better replies", train=train_sft),
    "sft-dollars": Arm("the same, on states drawn by the dollars at stake", train=_train_sft_by_dollars),
    "dpo-shipped": Arm("online DPO with the settings of the preset `tiny-dpo`", {}),
    "dpo-decision": Arm("online DPO on decisions that are drawn by what is at stake, in dollars", DECISION),
    "trl-online-dpo": Arm(
        "TRL's OnlineDPOTrainer, with the simulator's scores as rewards", train=_train_trl_online_dpo
    ),
    "harbor-loss": Arm("HARBOR's loss, as printed", {**LITERAL, "pair_beta": "0.2"}),
    "grpo": Arm("TRL's GRPO on the same scores", train=train_grpo),
}
"""The methods by name."""
