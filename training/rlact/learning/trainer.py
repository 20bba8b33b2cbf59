"""Online DPO on top of TRL's GRPO trainer: sample two replies to each state, and let a judge compare them.

The trainer overrides four private methods of TRL: `_get_train_sampler`, `_generate_and_score_completions`, `_generate`
and `_compute_loss`. constraints.txt pins TRL's version, and tests/training/rlact/test_rlact_trainer.py tests them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from aucenv.training.rlact.config import SUPERVISED, RLActConfig
from aucenv.training.rlact.judges.judges import Judge, JudgeFailure
from aucenv.training.rlact.learning.losses import dpo_loss, kl_divergence, pair_loss, pair_scale
from aucenv.training.rlact.learning.pairs import PairCounts, Pairs, PairSampler, replacements
from aucenv.training.rlact.learning.reply_trees import make_trees, tree_logps
from aucenv.training.rlact.sealed.shares import is_sealed
from aucenv.training.rlact.states.messages import BID, PHASES, RECOMMENDATION, best_reply, read_legal, reply_for
from aucenv.training.rlact.states.states import DecisionState
from datasets import Dataset
from torch import Tensor
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import Sampler
from transformers import get_scheduler
from trl import GRPOTrainer
from trl.trainer.utils import pad

from aucenv.core.files import JsonObject
from aucenv.core.state import WITHDRAW
from aucenv.runs.model_calls.calls import Message


class RLActTrainer(GRPOTrainer):
    """A trainer that samples two replies to each state, lets a judge compare them, and minimizes the loss of the pairs.

    Args:
        model: a model for GRPOTrainer, with `peft_config` for LoRA.
        config: settings of the run.
        states: states for training; a step uses `per_device_train_batch_size / 2` of them on each device.
        make_judge: returns the judge of a phase's replies.

    Attributes:
        last_metrics: metrics of the last step; see `callbacks.CollapseGuard`.
        pair_counts: the numbers of sampled, agreeing and synthetic pairs so far.
        base: name or folder of the base model.
        is_adapter: whether an adapter is trained, and not a whole model.
        failed: why the judge failed, or None.
        end_reason: returns why the run ended early, or None.
    """

    def __init__(
        self,
        model: Any,
        config: RLActConfig,
        states: Sequence[DecisionState],
        make_judge: Callable[[str], Judge],
        **options: Any,
    ) -> None:
        self._states = states
        self._judges = {phase: make_judge(phase) for phase in PHASES}
        self._batch_states: list[DecisionState] = []
        self._batch_tasks: list[str] = []
        self._is_sampled: list[bool] = []
        self.pair_counts, self._agreeing = PairCounts(), 0
        self.last_metrics: dict[str, float | None] = {"readable": None, "bid": None, "used": None}
        self.base, self.is_adapter = "", False
        self.failed: str | None = None
        self.end_reason: Callable[[], str | None] = lambda: None
        rows = [{"prompt": state.messages[RECOMMENDATION], "place": index} for index, state in enumerate(states)]
        super().__init__(
            model=model, reward_funcs=self._score, args=config, train_dataset=Dataset.from_list(rows), **options
        )

    @property
    def last_stage(self) -> str:
        """The stage of the last update; see `RLActConfig.stage_at`."""
        return self.args.stage_at(max(0, self.state.global_step - 1))

    @property
    def trained_phase(self) -> str:
        """The kind of the model's replies when it plays: recommendations after the first phase, and otherwise bids."""
        return RECOMMENDATION if self.last_stage == RECOMMENDATION else BID

    def save_pairs(self, folder: Path) -> None:
        """Write what is known about pairs into the folder of a checkpoint, for a resumed run."""
        self.pair_counts.save(folder)

    def load_pairs(self, folder: Path) -> None:
        """Read what `save_pairs` wrote."""
        self.pair_counts.load(folder)

    def train(self, resume_from_checkpoint: Any = None, **options: Any) -> Any:
        """Train, from the state of a checkpoint and of its pairs if there is one."""
        if resume_from_checkpoint:
            self.load_pairs(Path(resume_from_checkpoint))
        return super().train(resume_from_checkpoint=resume_from_checkpoint, **options)

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing; `Run` writes its own model card."""

    def _generate_and_score_completions(self, inputs: list[JsonObject]) -> JsonObject:
        self._batch_states = [self._states[row["place"]] for row in inputs]
        tasks = self.args.tasks_at(self.state.global_step, len(inputs) // 2)
        self._batch_tasks = [
            BID if is_sealed(state) else task
            for task, state in zip((task for task in tasks for _ in range(2)), self._batch_states, strict=True)
        ]
        if self.args.stage_at(self.state.global_step) == SUPERVISED:
            return self._judged_replies()
        prompts = [
            {**row, "prompt": state.messages[task]}
            for row, state, task in zip(inputs, self._batch_states, self._batch_tasks, strict=True)
        ]
        output = super()._generate_and_score_completions(prompts)
        device = self.accelerator.device
        sampled = torch.tensor(self._is_sampled, device=device)
        return {**output, "place": torch.arange(len(prompts), device=device), "own": sampled}

    def _judged_replies(self) -> JsonObject:
        """Return the prompts of the batch's states, each once, with the replies that the judge values most."""
        asked = list(zip(self._batch_states[::2], self._batch_tasks[::2], strict=True))
        prompts = [self._prompt_text(state.messages[task]) for state, task in asked]
        ids = {
            "prompt": self._tokenizer(prompts, add_special_tokens=False)["input_ids"],
            "completion": [self._reply_ids(state.messages[task], best_reply(state, task)) for state, task in asked],
        }
        padded: JsonObject = {"place": torch.arange(len(asked), device=self.accelerator.device)}
        for name, side in (("prompt", "left"), ("completion", "right")):
            rows = [torch.tensor(each, device=self.accelerator.device) for each in ids[name]]
            padded[f"{name}_ids"] = pad(rows, self._tokenizer.pad_token_id, side)
            padded[f"{name}_mask"] = pad([torch.ones_like(row) for row in rows], 0, side)
        return padded

    def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
        """Create the schedule of learning rates: that of the settings, after a cosine of the supervised updates."""
        first = self.args.supervised_steps
        scheduler = super().create_scheduler(num_training_steps - first, optimizer)
        if first:
            rate = self.args.supervised_rate / self.args.learning_rate
            later = scheduler.lr_lambdas[0]  # those of all groups of weights are equal
            scheduler = get_scheduler("cosine", scheduler.optimizer, self.args.get_warmup_steps(first), first)
            earlier = scheduler.lr_lambdas[0]
            self.lr_scheduler = LambdaLR(
                scheduler.optimizer, lambda step: rate * earlier(step) if step < first else later(step - first)
            )
        return self.lr_scheduler

    def _get_train_sampler(self, dataset: Dataset | None = None) -> Sampler[int]:
        """Return a sampler of all states of the run in one pass, so that a resumed run continues at its position."""
        states = self.args.generation_batch_size // 2 * self.args.gradient_accumulation_steps * self.args.max_steps
        return PairSampler(len(self._states), states, self.args.seed)

    def _generate(self, prompts: list[Any]) -> Any:
        """Generate replies as TRL does, with the `replacements` of counterfactual pairs if they are enabled."""
        prompt_ids, completion_ids, tool_mask, completions, *others = super()._generate(prompts)
        replies = [reply[0]["content"] for reply in completions]
        asked = zip(replies, self._batch_tasks, self._batch_states, strict=True)
        amounts = [read_legal(reply, task, state) for reply, task, state in asked]
        self._log_replies(amounts)
        pairs = zip(amounts[::2], amounts[1::2], strict=True)
        self._agreeing = sum(first is not None and first == second for first, second in pairs)
        self._is_sampled = [True] * len(amounts)
        complete = [
            amount if ids[-1] in self.eos_token_ids else None
            for amount, ids in zip(amounts, completion_ids, strict=True)
        ]
        for first in range(0, len(amounts), 2) if self.args.counterfactual else ():
            state, task = self._batch_states[first], self._batch_tasks[first]
            for i, amount in enumerate(replacements(complete[first], complete[first + 1], state), first):
                reply = reply_for(amount, task, state)
                if reply != replies[i] or complete[i] is None:
                    completions[i] = [{"role": "assistant", "content": reply}]
                    completion_ids[i] = self._reply_ids(state.messages[task], reply)
                    self._is_sampled[i] = False
        return (prompt_ids, completion_ids, tool_mask, completions, *others)

    def _reply_ids(self, messages: list[Message], reply: str) -> list[int]:
        """Return the tokens of a reply as the model would generate them, including the end token."""
        prompt = self._prompt_text(messages)
        dialogue = [*messages, {"role": "assistant", "content": reply}]
        text: str = self._tokenizer.apply_chat_template(dialogue, tokenize=False)
        if not text.startswith(prompt):
            raise ValueError(
                "counterfactual: expected a chat template that appends the reply to the prompt, got one that changes "
                "the prompt"
            )
        ids: list[int] = self._tokenizer(text[len(prompt) :], add_special_tokens=False)["input_ids"]
        ends = [i for i, token in enumerate(ids) if token in self.eos_token_ids]
        return ids[: ends[0] + 1] if ends else ids

    def _prompt_text(self, messages: list[Message]) -> str:
        text: str = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return text

    def _log_replies(self, amounts: Sequence[int | None]) -> None:
        """Log the share of legal replies among those that were sampled, and the share of bids among these."""
        legal_amounts = [amount for amount in amounts if amount is not None]
        legal, bids, replies = self._sum_over_processes(
            len(legal_amounts), sum(amount != WITHDRAW for amount in legal_amounts), len(amounts)
        )
        self.last_metrics |= {"readable": legal / replies, "bid": bids / legal if legal else None}
        for name in ("readable", "bid"):
            value = self.last_metrics[name]
            self._log_metric(f"replies/{name}", math.nan if value is None else value)

    def _sum_over_processes(self, *counts: int) -> list[int]:
        """Sum counts over all processes, so that the collapse guard ends the run in all of them."""
        device = self.accelerator.device
        sums: list[int] = self.accelerator.reduce(torch.tensor(counts, device=device)).tolist()
        return sums

    def _score(self, completions: Sequence[Any], **_: Any) -> list[float | None]:
        """Return the scores of the replies, of which two consecutive ones are to one state.

        Both are None if the judge has no scores; such a pair is dropped.
        """
        replies = [reply[0]["content"] for reply in completions]
        try:
            compared = self._compare(self._batch_states[::2], self._batch_tasks[::2], replies[::2], replies[1::2])
        except JudgeFailure as failure:
            self.failed, compared = str(failure), [None] * (len(replies) // 2)
        unequal = sum(pair is not None and pair[0] != pair[1] for pair in compared)
        synthetic = len(compared) - sum(map(all, zip(self._is_sampled[::2], self._is_sampled[1::2], strict=True)))
        counts = unequal, compared.count(None), self._is_sampled.count(False), self._agreeing, synthetic
        pairs, used, dropped, replaced, agreeing, synthetic = self._sum_over_processes(len(compared), *counts)
        self.pair_counts.add({"pairs": pairs, "used": used, "agreeing": agreeing, "synthetic": synthetic})
        self.last_metrics["used"] = used / pairs
        self._log_metric("pairs/used", used / pairs)
        self._log_metric("pairs/agreeing", agreeing / pairs)
        self._log_metric("pairs/synthetic", synthetic / pairs)
        self._log_metric("pairs/dropped", dropped / pairs)
        self._log_metric("replies/replaced", replaced / (2 * pairs))
        return [score for pair in compared for score in (pair or (None, None))]

    def _compare(
        self, states: Sequence[DecisionState], tasks: Sequence[str], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the scores of two replies to each state, of which each has its task."""
        compared: list[tuple[float, float] | None] = [None] * len(states)
        for task in dict.fromkeys(tasks):
            pairs = [i for i, each in enumerate(tasks) if each == task]
            parts = ([texts[i] for i in pairs] for texts in (firsts, seconds))
            scores = self._judges[task].compare([states[i] for i in pairs], *parts)
            for i, score in zip(pairs, scores, strict=True):
                compared[i] = score
        return compared

    def _compute_loss(self, model: Any, inputs: JsonObject) -> Tensor:
        order = inputs["place"].argsort()  # TRL has shuffled the replies
        prompt, prompt_mask = inputs["prompt_ids"][order], inputs["prompt_mask"][order]
        completion, mask = inputs["completion_ids"][order], inputs["completion_mask"][order]
        is_supervised = "advantages" not in inputs
        if self.args.share_prompts and not is_supervised:
            logps = pair_logps(model, prompt, prompt_mask, completion, mask)
        else:
            ids, all_mask = torch.cat([prompt, completion], 1), torch.cat([prompt_mask, mask], 1)
            logps = reply_logps(model, ids, all_mask, completion.shape[1])
        if is_supervised:
            losses = {"supervised": -(logps * mask).sum() / mask.sum()}
        else:
            losses = self._pair_losses(logps, mask, inputs, order)
        for name, value in losses.items():
            self._log_metric_now(f"loss/{name}", value)
        return torch.stack([*losses.values()]).sum() / self.current_gradient_accumulation_steps

    def _pair_losses(self, logps: Tensor, mask: Tensor, inputs: JsonObject, order: Tensor) -> dict[str, Tensor]:
        advantages = inputs["advantages"][order]  # scores minus their pair's mean; 0 for a dropped pair
        ref_logps = inputs["ref_per_token_logps"][order] if "ref_per_token_logps" in inputs else None
        sampled_mask = mask * inputs["own"][order, None]
        return self.losses(logps, mask, advantages[::2] - advantages[1::2], ref_logps, sampled_mask)

    def losses(
        self,
        logps: Tensor,
        mask: Tensor,
        lead: Tensor,
        ref_logps: Tensor | None = None,
        sampled_mask: Tensor | None = None,
    ) -> dict[str, Tensor]:
        """Return the terms of the loss of a batch, each a mean over its pairs or tokens.

        Args:
            logps: (2 * pairs, tokens) log-probabilities of the replies; two consecutive rows are of one state.
            mask: (2 * pairs, tokens), 1 for tokens of the reply.
            lead: (pairs,) the first reply's score minus the second's.
            ref_logps: (2 * pairs, tokens) log-probabilities under the reference model, if the loss needs it.
            sampled_mask: `mask` with 0 for replies that the model did not sample; None if it sampled all.
        """
        config = self.args
        pairs = Pairs(lead < 0)
        better, worse = pairs.split((logps * mask).sum(1))
        tokens, others = pairs.split(mask.sum(1))
        length, scale = (tokens + others) / 2, pair_scale(lead)
        if config.pair_loss == "dpo":
            assert ref_logps is not None
            pair_losses = dpo_loss(better, worse, *pairs.split((ref_logps * mask).sum(1)), scale, config.pair_beta)
        else:
            pair_losses = pair_loss(better, worse, length, scale, config.pair_beta)
        losses = {"pairs": pair_losses.mean()}
        if config.kl_weight:
            assert ref_logps is not None
            losses["kl"] = config.kl_weight * kl_divergence(
                logps, ref_logps, mask if sampled_mask is None else sampled_mask
            )
        if config.likelihood_weight:
            losses["likelihood"] = -config.likelihood_weight * (better / length * scale).mean()
        return losses

    def _log_metric_now(self, name: str, value: Tensor) -> None:
        mode = "train" if self.model.training else "eval"
        self._metrics[mode][name].append(self.accelerator.gather(value.detach()).mean().item())


def reply_logps(model: Any, ids: Tensor, mask: Tensor, tokens: int) -> Tensor:
    """Return the log-probabilities of the last `tokens` tokens of each row; (rows, tokens)."""
    logits = model(input_ids=ids, attention_mask=mask, logits_to_keep=tokens + 1).logits[:, :-1].float()
    logps: Tensor = logits.gather(2, ids[:, -tokens:, None])[:, :, 0] - logits.logsumexp(2)
    return logps


def pair_logps(model: Any, prompt_ids: Tensor, prompt_mask: Tensor, completion_ids: Tensor, mask: Tensor) -> Tensor:
    """Return the log-probabilities of the tokens of replies, as `reply_logps`; each prompt is computed once.

    Args:
        model: a model with a maskable attention.
        prompt_ids, prompt_mask: (2 * pairs, any) prompts, of which two consecutive ones are equal.
        completion_ids, mask: (2 * pairs, tokens) their replies.
    """
    prompts = [ids[kept].tolist() for ids, kept in zip(prompt_ids[::2], prompt_mask[::2].bool(), strict=True)]
    replies = [ids[kept].tolist() for ids, kept in zip(completion_ids, mask.bool(), strict=True)]
    pairs = list(zip(replies[::2], replies[1::2], strict=True))
    logps = tree_logps(model, make_trees(prompts, pairs, device=prompt_ids.device)).flatten(0, 1)
    return torch.nn.functional.pad(logps, (0, completion_ids.shape[1] - logps.shape[1]))
