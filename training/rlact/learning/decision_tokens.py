"""The tokens of a reply that state its decision, their temperature in sampling, and their probabilities.

Plain replies of different decisions are equal up to a token, such as `Recommendation: bid` and `Recommendation:
withdraw`. The tokens that follow such a common start are the decision tokens. In sealed bids, there is a plain reply
for each share of the value, and a reply may have several decision tokens.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from aucenv.training.rlact.learning.reply_trees import make_trees, tree_logps
from aucenv.training.rlact.sealed.shares import is_sealed, share_ladder
from aucenv.training.rlact.states.messages import RECOMMENDATION, reply_for
from aucenv.training.rlact.states.states import DecisionState
from torch import Tensor
from transformers import LogitsProcessor

from aucenv.core.state import WITHDRAW

Tokens = tuple[int, ...]
TOGETHER = 256
"""Maximum number of prompts in one forward pass."""


def decisions_of(state: DecisionState) -> list[int]:
    """Return the decisions of a state: WITHDRAW and the least bid, or in sealed bids all shares; amounts in cents."""
    if is_sealed(state):
        return share_ladder(state.full_row, state.seat)
    return [WITHDRAW, int(state.full_row["least"][0])]


@dataclasses.dataclass(frozen=True)
class Branches:
    """Where replies to a state can have a decision token.

    Attributes:
        following: the tokens before a decision token -> the decision tokens of plain replies there.
        anywhere: whether they can be in the middle of a reply, such as a recommendation after an analysis.
    """

    following: Mapping[Tokens, Tokens]
    anywhere: bool = False

    def next(self, tokens: Sequence[int]) -> Tokens:
        """Return the decision tokens that may follow the first tokens of a reply; none if another token follows."""
        for start, following in self.following.items():
            is_middle = 0 < len(start) < len(tokens) and self.anywhere
            if (len(start) == len(tokens) or is_middle) and tuple(tokens[len(tokens) - len(start) :]) == start:
                return following
        return ()

    def mask(self, tokens: Sequence[int]) -> list[bool]:
        """Return which tokens of a reply are decision tokens; of recommendations, only the last one counts.

        A token in their place that states no decision is none.
        """
        places = [token in self.next(tokens[:place]) for place, token in enumerate(tokens)]
        last = max((place for place, is_decision in enumerate(places) if is_decision), default=-1)
        return [is_decision and not (self.anywhere and place < last) for place, is_decision in enumerate(places)]


@dataclasses.dataclass(frozen=True)
class Asked:
    """The prompt and the decisions of a state, as tokens.

    Attributes:
        prompt: the prompt.
        branches: where replies can have a decision token.
        stems: the plain reply of each decision up to its last decision token.
        masks: which tokens of each stem are decision tokens.
    """

    prompt: list[int]
    branches: Branches
    stems: list[Tokens]
    masks: list[list[bool]]


class DecisionTokens:
    """The decision tokens of a tokenizer.

    Args:
        tokenizer: the tokenizer of a chat model.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._ids: dict[str, Tokens] = {}
        self._checked: set[Tokens] = set()
        self._asked: dict[tuple[str, str], Asked] = {}

    def plain(self, state: DecisionState, task: str) -> list[Tokens]:
        """Return the tokens of the plain reply of each decision of a state, with an end token."""
        return [self._tokens(reply_for(amount, task, state)) for amount in decisions_of(state)]

    def branches(self, state: DecisionState, task: str) -> Branches:
        """Return where replies to a state can have a decision token.

        Raises:
            ValueError: The tokenizer merges a decision token with the amount after it, or decisions have no tokens of
                their own.
        """
        replies = self.plain(state, task)
        following: dict[Tokens, set[int]] = defaultdict(set)
        for reply in replies:
            for place, token in enumerate(reply):
                following[reply[:place]].add(token)
        several = {start: tuple(sorted(tokens)) for start, tokens in following.items() if len(tokens) > 1}
        branches = Branches(several, task == RECOMMENDATION)
        if len(set(replies)) < len(replies):
            raise ValueError(
                f"tokenizer: expected different tokens for each decision, but {reply_for(WITHDRAW, task, state)!r} and "
                f"{reply_for(decisions_of(state)[1], task, state)!r} have the same or are not all different"
            )
        if not is_sealed(state):
            self._check_merges(replies[1], branches)
        return branches

    def _check_merges(self, bid: Tokens, branches: Branches) -> None:
        """Raise if the decision token of a bid in an ascending auction has a part of its amount."""
        place = branches.mask(bid).index(True)
        if bid[: place + 1] in self._checked:
            return
        text = self._tokenizer.decode(list(bid[: place + 1]))
        if any(each.isdigit() for each in text):
            token = self._tokenizer.convert_ids_to_tokens(bid[place])
            raise ValueError(
                f"tokenizer: the decision token {token!r} is merged with the amount after it, in {text!r}; use a model "
                "whose tokenizer separates words and digits, or another pair_loss and decision_temperature 1"
            )
        self._checked.add(bid[: place + 1])

    def _tokens(self, reply: str) -> Tokens:
        if reply not in self._ids:
            ids = self._tokenizer(reply, add_special_tokens=False)["input_ids"]
            self._ids[reply] = (*ids, self._tokenizer.eos_token_id)
        return self._ids[reply]

    def asked(self, state: DecisionState, task: str) -> Asked:
        """Return the tokens of a state's prompt and of its decisions, which are kept: a buffer asks for them often."""
        key = state.id, task
        if key not in self._asked:
            text = self._tokenizer.apply_chat_template(state.messages[task], tokenize=False, add_generation_prompt=True)
            prompt = self._tokenizer(text, add_special_tokens=False)["input_ids"]
            branches, replies = self.branches(state, task), self.plain(state, task)
            masks = [branches.mask(reply) for reply in replies]
            lengths = [len(mask) - mask[::-1].index(True) for mask in masks]
            stems = [reply[:length] for reply, length in zip(replies, lengths, strict=True)]
            kept = [mask[:length] for mask, length in zip(masks, lengths, strict=True)]
            self._asked[key] = Asked(prompt, branches, stems, kept)
        return self._asked[key]


class TemperDecisions(LogitsProcessor):
    """Sample decision tokens at a temperature, and all other tokens at temperature 1.

    The probability that any of the decision tokens follows stays as it is: a high temperature of the whole vocabulary
    would mostly sample tokens that are no decision.

    Args:
        branches: the branches of each row.
        prompt_tokens: the number of tokens before the replies.
        temperature: the temperature of decision tokens.
    """

    def __init__(self, branches: Sequence[Branches], prompt_tokens: int, temperature: float) -> None:
        self._branches, self._prompt_tokens, self._temperature = branches, prompt_tokens, temperature

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return the logits of the next tokens."""
        replies = input_ids[:, self._prompt_tokens :].tolist()
        tempered = scores.clone()
        for row, (each, reply) in enumerate(zip(self._branches, replies, strict=True)):
            if decisions := list(each.next(reply)):
                logits = scores[row, decisions]
                tempered[row, decisions] = torch.log_softmax(logits / self._temperature, 0) + logits.logsumexp(0)
        return tempered  # type: ignore[return-value]


def decision_probabilities(
    model: Any, tokens: DecisionTokens, states: Sequence[DecisionState], tasks: Sequence[str]
) -> list[np.ndarray]:
    """Return the probability of each decision of each state, relative to those of all its decisions.

    Args:
        model: a causal language model with a maskable attention, such as "sdpa".
        tokens: the decision tokens of its tokenizer.
        states, tasks: the states, and the task of each.
    """
    asked = [tokens.asked(state, task) for state, task in zip(states, tasks, strict=True)]
    stems = [each.stems for each in asked]
    order = sorted(range(len(states)), key=lambda i: (len(stems[i]), len(asked[i].prompt)))
    results: list[np.ndarray] = [np.empty(0)] * len(states)
    was_training = model.training
    model.eval()
    with torch.no_grad():
        for first in range(0, len(order), TOGETHER):
            batch = order[first : first + TOGETHER]
            most = max(len(stems[i]) for i in batch)
            replies = [[*stems[i], *[stems[i][0]] * (most - len(stems[i]))] for i in batch]
            logps = tree_logps(model, make_trees([asked[i].prompt for i in batch], replies, device=model.device))
            for i, of_state in zip(batch, logps, strict=True):
                results[i] = _relative(of_state, asked[i].masks)
    model.train(was_training)
    return results


def _relative(logps: Tensor, masks: Sequence[Sequence[bool]]) -> np.ndarray:
    """Return the probabilities of decisions, of which the rows of `logps` have the tokens."""
    values = logps.double().cpu().numpy()
    sums = np.array([values[i, : len(mask)][list(mask)].sum() for i, mask in enumerate(masks)])
    weights = np.exp(sums - sums.max())
    relative: np.ndarray = weights / weights.sum()
    return relative
