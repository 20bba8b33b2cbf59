"""Train arms of an ablation with TRL's trainers: supervised finetuning, offline DPO and GRPO.

The functions take the `ablation.Ablation` of the arm and a seed, and return the model and its tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aucenv.training.rlact.judges.judges import SimulatorJudge
from aucenv.training.rlact.learning.callbacks import StopWhenDiverged
from aucenv.training.rlact.models.tiny_llama import warm_up
from aucenv.training.rlact.sealed.shares import is_sealed
from aucenv.training.rlact.states.messages import BID, PHASES, RECOMMENDATION, best_reply, plain_reply
from aucenv.training.rlact.states.states import DecisionState
from datasets import Dataset
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig

from aucenv.core.state import WITHDRAW

RECOMMENDATION_SHARE = 0.2
"""As in the preset `tiny-dpo`."""
GROUP = 8
"""The replies to each state of GRPO, TRL's default."""
STANDARD_BETA = 0.1
"""Beta of the standard DPO loss, TRL's default."""


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


def train_sft(ablation: Any, seed: int, states: Sequence[DecisionState] | None = None) -> tuple[Any, Any]:
    """Train on the better replies to states alone; without states, to all those for training that are no ties."""
    model, tokenizer = ablation.base()
    states = ablation.clear_states if states is None else states
    asked = [(s, BID if is_sealed(s) else task) for s, task in zip(states, tasks(states), strict=True)]
    dialogues = [(state.messages[task], best_reply(state, task)) for state, task in asked]
    batch = ablation.config.per_device_train_batch_size // 2
    arguments = SFTConfig(**ablation.trainer_options(seed, batch), max_length=None)
    warm_up(model, tokenizer, dialogues, arguments, [StopWhenDiverged()])
    return model, tokenizer


def train_offline_dpo(ablation: Any, seed: int) -> tuple[Any, Any]:
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
    data = Dataset.from_list(rows)
    DPOTrainer(model, reference, arguments, train_dataset=data, processing_class=tokenizer).train()
    return model, tokenizer


def train_grpo(ablation: Any, seed: int) -> tuple[Any, Any]:
    """Train with TRL's GRPO trainer on the judge's scores of each reply."""
    model, tokenizer = ablation.base()
    config = ablation.config
    arguments = GRPOConfig(
        **ablation.trainer_options(seed, config.per_device_train_batch_size),
        num_generations=GROUP,
        max_completion_length=config.max_completion_length,
        vllm_importance_sampling_correction=False,
    )
    GRPOTrainer(
        model=model,
        reward_funcs=judge_scores(ablation),
        args=arguments,
        train_dataset=task_rows(ablation.states[0]),
        processing_class=tokenizer,
        callbacks=[StopWhenDiverged()],
    ).train()
    return model, tokenizer


def task_rows(states: Sequence[DecisionState]) -> Dataset:
    """Return a dataset of prompts for `judge_scores`, with the place of each state and its task."""
    asked = enumerate(zip(states, tasks(states), strict=True))
    return Dataset.from_list([
        {"prompt": state.messages[task], "place": i, "task": task} for i, (state, task) in asked
    ])  # fmt: skip


def judge_scores(ablation: Any) -> Callable[..., list[float]]:
    """Return a reward function for TRL, the simulator judge's scores of replies to the states for training."""
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

    return score
