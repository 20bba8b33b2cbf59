"""Online DPO on decisions alone: states drawn by what is at stake, tempered decision tokens, and a loss in dollars.

Besides what `trainer` overrides, it overrides the private method `_generate_single_turn` of TRL's GRPO trainer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from aucenv.training.rlact.config import SUPERVISED
from aucenv.training.rlact.learning.decision_tokens import DecisionTokens, TemperDecisions, decision_probabilities
from aucenv.training.rlact.learning.losses import decision_loss, kl_divergence
from aucenv.training.rlact.learning.pairs import Pairs
from aucenv.training.rlact.learning.trainer import RLActTrainer
from aucenv.training.rlact.states.state_buffer import StateBuffer
from aucenv.training.rlact.states.states import DecisionState
from torch import Tensor
from trl.models import unwrap_model_for_generation

from aucenv.core.files import JsonObject


class DecisionTrainer(RLActTrainer):
    """A trainer for `pair_loss=decision`: pairs whose decisions agree are dropped, and never replaced.

    Two replies are sampled to each state, with decision tokens at `decision_temperature`. The loss of a pair is
    -log sigmoid(beta * lead) * dollars, where the lead is the better decision's log-probability less the worse one's,
    and the dollars are those between both. With `pair_states=stakes`, states are drawn by p(1 - p) times the dollars at
    stake, and weights are relative to these: a dollar counts once, either in draws or in weights. With
    `pair_states=all`, weights are relative to the mean stake.

    Raises:
        ValueError: No state has a stake, or the tokenizer merges a decision token with its neighbour.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._decisions = DecisionTokens(self._tokenizer)
        self._buffer = StateBuffer(self._states, self.args.buffer_updates)
        for state in self._states[:1]:
            for task in sorted(set(self._judges)):
                self._decisions.asked(state, task)

    def save_pairs(self, folder: Path) -> None:
        super().save_pairs(folder)
        self._buffer.save(folder)

    def load_pairs(self, folder: Path) -> None:
        super().load_pairs(folder)
        self._buffer.load(folder)

    def _generate_and_score_completions(self, inputs: list[JsonObject]) -> JsonObject:
        step = self.state.global_step
        if self.args.stage_at(step) == SUPERVISED:
            return super()._generate_and_score_completions(inputs)
        tasks = self.args.tasks_at(step, len(inputs) // 2)
        is_drawn = self.args.pair_states == "stakes"
        if is_drawn:
            part = self._step % self.args.gradient_accumulation_steps
            if part == 0:
                self._buffer.refresh(step, tasks, self._probabilities)
            places = self._buffer.draw(tasks, [self.args.seed, step, part, self.args.process_index])
            rows = self.train_dataset.select(places)
            inputs = [row for row in rows for _ in range(2)]
        output = super()._generate_and_score_completions(inputs)
        units = [
            self._buffer.gap(row["place"], task) if is_drawn else self._buffer.mean_stake
            for row, task in zip(inputs[::2], tasks, strict=True)
        ]
        masks = torch.zeros_like(output["completion_ids"])
        asked = zip(self._batch_states, self._batch_tasks, strict=True)
        for i, (state, task) in enumerate(asked):
            mask = self._decisions.asked(state, task).branches.mask(output["completion_ids"][i].tolist())
            masks[i] = torch.tensor(mask, device=masks.device)
        unit = torch.tensor(units, device=masks.device).repeat_interleave(2)
        return {**output, "decision": masks * output["completion_mask"], "unit": unit}

    def _probabilities(self, states: Sequence[DecisionState], tasks: Sequence[str]) -> list[Any]:
        model = self.accelerator.unwrap_model(self.model_wrapped)
        return decision_probabilities(model, self._decisions, states, tasks)

    def _generate_single_turn(self, prompt_ids: list[list[int]], *others: Any, **options: Any) -> Any:
        """Generate replies as TRL does, with tempered decision tokens."""
        if self.args.decision_temperature == 1:
            return super()._generate_single_turn(prompt_ids, *others, **options)
        padded = self._tokenizer.pad({"input_ids": prompt_ids}, return_tensors="pt", padding_side="left")
        padded = padded.to(self.accelerator.device)
        start = padded["input_ids"].shape[1]
        asked = zip(self._batch_states, self._batch_tasks, strict=True)
        branches = [self._decisions.asked(state, task).branches for state, task in asked]
        with unwrap_model_for_generation(self.model_wrapped, self.accelerator) as model, torch.no_grad():
            generated = model.generate(
                **padded,
                generation_config=self.generation_config,
                logits_processor=[TemperDecisions(branches, start, self.args.decision_temperature)],
            )
        replies = generated[:, start:].tolist()
        ends = [next((i for i, token in enumerate(ids) if token in self.eos_token_ids), len(ids)) for ids in replies]
        return [ids[: end + 1] for ids, end in zip(replies, ends, strict=True)], None

    def _compare(
        self, states: Sequence[DecisionState], tasks: Sequence[str], firsts: Sequence[str], seconds: Sequence[str]
    ) -> list[tuple[float, float] | None]:
        """Return the expected profits of the replies of each pair less their mean, in dollars; 0 drops a pair."""
        compared: list[tuple[float, float] | None] = [(0.0, 0.0)] * len(states)
        for task in dict.fromkeys(tasks):
            pairs = [i for i, each in enumerate(tasks) if each == task]
            judge: Any = self._judges[task]
            leads = judge.leads(*([each[i] for i in pairs] for each in (states, firsts, seconds)))
            for i, lead in zip(pairs, leads, strict=True):
                compared[i] = (lead or 0.0) / 2, -(lead or 0.0) / 2
        return compared

    def _pair_losses(self, logps: Tensor, mask: Tensor, inputs: JsonObject, order: Tensor) -> dict[str, Tensor]:
        config, advantages = self.args, inputs["advantages"][order]
        lead, decision = advantages[::2] - advantages[1::2], inputs["decision"][order]
        pairs, unit = Pairs(lead < 0), inputs["unit"][order][::2]
        better, worse = pairs.split((logps * decision).sum(1))
        nats = better - worse
        ref_logps = inputs["ref_per_token_logps"][order] if "ref_per_token_logps" in inputs else None
        if config.pair_reference:
            assert ref_logps is not None
            better, worse = pairs.split((ref_logps * decision).sum(1))
            nats = nats - (better - worse)
        weight = lead.abs() / unit
        losses = {"pairs": decision_loss(nats, weight, config.pair_beta)}
        if config.likelihood_weight:  # without it, both decisions may lose probability to tokens that are none
            better, _ = pairs.split((logps * mask).sum(1) / mask.sum(1).clamp(min=1))
            losses["likelihood"] = -config.likelihood_weight * (better * weight).sum() / (weight > 0).sum().clamp(min=1)
        if config.kl_weight:
            assert ref_logps is not None
            words = mask * (1 - decision)  # the wording stays, and decisions may change
            losses["kl"] = config.kl_weight * kl_divergence(logps, ref_logps, words)
        return losses
