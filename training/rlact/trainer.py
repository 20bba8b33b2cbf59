"""Online DPO of pairs that a judge compares, over TRL's GRPO trainer: two replies are sampled to one state.

Of TRL it extends four methods that are private: `_get_train_sampler`, `_generate_and_score_completions`, `_generate`
and `_compute_loss`; constraints.txt pins the version, and tests/training/rlact/test_rlact_trainer.py watches them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.judges import Judge, JudgeFailure
from aucenv.training.rlact.losses import dpo_loss, kl_divergence, pair_loss, scale_of
from aucenv.training.rlact.messages import PHASES, RECOMMENDATION, read_legal, reply_of
from aucenv.training.rlact.states import DecisionState
from datasets import Dataset
from torch import Tensor
from torch.utils.data import Sampler
from trl import GRPOTrainer

from aucenv.core.files import JsonObject
from aucenv.core.state import WITHDRAW


class RLActTrainer(GRPOTrainer):
    """Samples two replies to each state, has them compared, and takes a step on the loss of the pairs.

    Args:
        model: as GRPOTrainer takes it, with `peft_config` for LoRA.
        config: what to do.
        states: to learn from; a step takes `per_device_train_batch_size / 2` on each device.
        judge_of: gives the judge of a phase's replies.
    """

    def __init__(
        self,
        model: Any,
        config: RLActConfig,
        states: Sequence[DecisionState],
        judge_of: Callable[[str], Judge],
        **options: Any,
    ) -> None:
        self._states = states
        self._judges = {phase: judge_of(phase) for phase in PHASES}
        self._seen: list[DecisionState] = []
        self._sampled: list[bool] = []
        self.last: dict[str, float | None] = {"readable": None, "bid": None, "used": None}
        self.base_name: str | None = None
        self.failed: str | None = None
        self.why_ended: Callable[[], str | None] = lambda: None
        rows = [{"prompt": state.messages[RECOMMENDATION], "place": place} for place, state in enumerate(states)]
        super().__init__(
            model=model, reward_funcs=self._score, args=config, train_dataset=Dataset.from_list(rows), **options
        )

    @property
    def phase(self) -> str:
        """What replies are at this step: recommendations first, bids then."""
        return self.args.phase_at(self.state.global_step)

    @property
    def answers(self) -> str:
        """What replies to its last update were: those that its model has learnt to give."""
        return self.args.phase_at(max(0, self.state.global_step - 1))

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: a run writes its own."""

    def _generate_and_score_completions(self, inputs: list[JsonObject]) -> JsonObject:
        self._seen = [self._states[row["place"]] for row in inputs]
        asked = [{**row, "prompt": s.messages[self.phase]} for row, s in zip(inputs, self._seen, strict=True)]
        output = super()._generate_and_score_completions(asked)
        device = self.accelerator.device
        own = torch.tensor(self._sampled, device=device)
        return {**output, "place": torch.arange(len(asked), device=device), "own": own}

    def _get_train_sampler(self, dataset: Dataset | None = None) -> Sampler[int]:
        """The whole run's states in one pass, so that a run that goes on finds its place in it."""
        states = self.args.generation_batch_size // 2 * self.args.gradient_accumulation_steps * self.args.max_steps
        return Rounds(len(self._states), states, self.args.seed)

    def _generate(self, prompts: list[Any]) -> Any:
        """As TRL's; if so configured, with `replacements`."""
        prompt_ids, completion_ids, tool_mask, completions, *others = super()._generate(prompts)
        replies = [reply[0]["content"] for reply in completions]
        meant = [read_legal(reply, self.phase, s) for reply, s in zip(replies, self._seen, strict=True)]
        self._log_replies(meant)
        self._sampled = [True] * len(meant)
        whole = [
            amount if ids[-1] in self.eos_token_ids else None for amount, ids in zip(meant, completion_ids, strict=True)
        ]
        for first in range(0, len(meant), 2) if self.args.counterfactual else ():
            state = self._seen[first]
            for place, amount in enumerate(replacements(whole[first], whole[first + 1], state), first):
                reply = reply_of(amount, self.phase)
                if reply != replies[place] or whole[place] is None:
                    completions[place] = [{"role": "assistant", "content": reply}]
                    completion_ids[place] = self._reply_ids(state, reply)
                    self._sampled[place] = False
        return (prompt_ids, completion_ids, tool_mask, completions, *others)

    def _reply_ids(self, state: DecisionState, reply: str) -> list[int]:
        """A reply's tokens as the model would have written them, its end too."""
        messages = state.messages[self.phase]
        before: str = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        answered = [*messages, {"role": "assistant", "content": reply}]
        whole: str = self._tokenizer.apply_chat_template(answered, tokenize=False)
        if not whole.startswith(before):
            raise ValueError(
                "counterfactual: expected a chat template that ends in the reply, got one that rewrites it"
            )
        ids: list[int] = self._tokenizer(whole[len(before) :], add_special_tokens=False)["input_ids"]
        ends = [place for place, token in enumerate(ids) if token in self.eos_token_ids]
        return ids[: ends[0] + 1] if ends else ids

    def _log_replies(self, meant: Sequence[int | None]) -> None:
        """How many of the replies that were sampled are legal, and how many of those bid."""
        read = [amount for amount in meant if amount is not None]
        legal, bids, replies = self._of_all(len(read), sum(amount != WITHDRAW for amount in read), len(meant))
        self.last |= {"readable": legal / replies, "bid": bids / legal if legal else None}
        for name in ("readable", "bid"):
            value = self.last[name]
            self._log_metric(f"replies/{name}", math.nan if value is None else value)

    def _of_all(self, *counts: int) -> list[int]:
        """Counts summed over processes, which must end a run together."""
        device = self.accelerator.device
        summed: list[int] = self.accelerator.reduce(torch.tensor(counts, device=device)).tolist()
        return summed

    def _score(self, completions: Sequence[Any], **_: Any) -> list[float | None]:
        """Scores, both to a state one after the other; None where the judge has none: the pair is dropped."""
        replies = [reply[0]["content"] for reply in completions]
        try:
            compared = self._judges[self.phase].compare(self._seen[::2], replies[::2], replies[1::2])
        except JudgeFailure as failure:
            self.failed, compared = str(failure), [None] * (len(replies) // 2)
        told_apart = sum(pair is not None and pair[0] != pair[1] for pair in compared)
        pairs, used, dropped, replaced = self._of_all(
            len(compared), told_apart, compared.count(None), self._sampled.count(False)
        )
        self.last["used"] = used / pairs
        self._log_metric("pairs/used", used / pairs)
        self._log_metric("pairs/dropped", dropped / pairs)
        self._log_metric("replies/replaced", replaced / (2 * pairs))
        return [score for pair in compared for score in (pair or (None, None))]

    def _compute_loss(self, model: Any, inputs: JsonObject) -> Tensor:
        order = inputs["place"].argsort()  # TRL has shuffled the replies
        completion, mask = inputs["completion_ids"][order], inputs["completion_mask"][order]
        logps = reply_logps(
            model,
            torch.cat([inputs["prompt_ids"][order], completion], 1),
            torch.cat([inputs["prompt_mask"][order], mask], 1),
            completion.shape[1],
        )
        advantages = inputs["advantages"][order]  # scores less their pair's mean; 0 of a dropped pair
        before = inputs["ref_per_token_logps"][order] if "ref_per_token_logps" in inputs else None
        own = mask * inputs["own"][order, None]
        losses = self.losses(logps, mask, advantages[::2] - advantages[1::2], before, own)
        for name, value in losses.items():
            self._log_metric_now(f"loss/{name}", value)
        return torch.stack([*losses.values()]).sum() / self.current_gradient_accumulation_steps

    def losses(
        self, logps: Tensor, mask: Tensor, lead: Tensor, before: Tensor | None = None, own: Tensor | None = None
    ) -> dict[str, Tensor]:
        """The parts of the loss of a batch, each a mean over its pairs or tokens.

        Args:
            logps, mask: (2 * pairs, tokens), the replies to a state one after the other.
            lead: (pairs,), the first reply's score less the second's.
            before: as `logps`, by the reference model.
            own: as `mask`, without replies that the model has not sampled; None: it has sampled all.
        """
        config = self.args
        pairs = _Pairs(lead < 0)
        better, worse = pairs.split((logps * mask).sum(1))
        tokens, others = pairs.split(mask.sum(1))
        length, scale = (tokens + others) / 2, scale_of(lead)
        if config.pair_loss == "dpo":
            assert before is not None
            found = dpo_loss(better, worse, *pairs.split((before * mask).sum(1)), scale, config.pair_beta)
        else:
            found = pair_loss(better, worse, length, scale, config.pair_beta)
        losses = {"pairs": found.mean()}
        if config.kl_weight:
            assert before is not None
            losses["kl"] = config.kl_weight * kl_divergence(logps, before, mask if own is None else own)
        if config.likelihood_weight:
            losses["likelihood"] = -config.likelihood_weight * (better / length * scale).mean()
        return losses

    def _log_metric_now(self, name: str, value: Tensor) -> None:
        mode = "train" if self.model.training else "eval"
        self._metrics[mode][name].append(self.accelerator.gather(value.detach()).mean().item())


def replacements(first: int | None, second: int | None, state: DecisionState) -> tuple[int, ...]:
    """The decisions that take the place of two replies, so that a pair is of two; none: both stay.

    What cannot be read would lose to any decision, right or wrong, and what has no end would win and never learn to
    end. Both replies are replaced: were the model's own words set against plain ones of the opposite decision, it
    would learn that its words win, as it is mostly right.

    Args:
        first, second: what they mean: cents, WITHDRAW; None: nothing, or they were cut off.
    """
    if first is not None and second is not None and first != second:
        return ()
    least = int(state.row["least"][0])
    kept = first if first is not None else least if second is None else second
    return kept, least if kept == WITHDRAW else WITHDRAW


def reply_logps(model: Any, ids: Tensor, mask: Tensor, tokens: int) -> Tensor:
    """The log-probabilities of the last so many tokens of each row; (rows, tokens)."""
    logits = model(input_ids=ids, attention_mask=mask, logits_to_keep=tokens + 1).logits[:, :-1].float()
    found: Tensor = logits.gather(2, ids[:, -tokens:, None])[:, :, 0] - logits.logsumexp(2)
    return found


class Rounds(Sampler[int]):
    """States in rounds, each in an order of its own and with no state twice; both replies to one after another.

    Args:
        states: how many there are.
        wanted: of all rounds together, of which the last may end early.
    """

    def __init__(self, states: int, wanted: int, seed: int) -> None:
        self._states, self._wanted, self._seed = states, wanted, seed

    def __len__(self) -> int:
        return 2 * self._wanted

    def __iter__(self) -> Iterator[int]:
        chance = torch.Generator().manual_seed(self._seed)
        for first in range(0, self._wanted, self._states):
            order = torch.randperm(self._states, generator=chance)[: self._wanted - first]
            yield from order.repeat_interleave(2).tolist()


class _Pairs:
    """Which reply of each pair is the better."""

    def __init__(self, swapped: Tensor) -> None:
        self._swapped = swapped

    def split(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """The better's and the worse's, of values by reply."""
        first, second = values[::2], values[1::2]
        return torch.where(self._swapped, second, first), torch.where(self._swapped, first, second)
