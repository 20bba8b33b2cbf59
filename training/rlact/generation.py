"""A model that answers states in words: its replies, in batches or one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from aucenv.training.rlact.messages import BID, reply_of, state_messages
from aucenv.training.rlact.states import DecisionState

from aucenv.core.state import WITHDRAW
from aucenv.envs.english.view import View
from aucenv.runs.calls import Message

AT_ONCE = 128
"""Replies written together."""


class ReplyGenerator:
    """A model, its tokenizer, and how it is told of states.

    Args:
        model: of causal language, in evaluation mode or not.
        tokenizer: with a chat template; it pads on the left.
        detail, profiles: see `messages`.
        longest: tokens of a reply.
    """

    def __init__(self, model: Any, tokenizer: Any, detail: str, profiles: str, longest: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._told = {"detail": detail, "profiles": profiles}
        self._longest = longest
        ends = model.generation_config.eos_token_id
        self._ends = {tokenizer.eos_token_id, *(ends if isinstance(ends, list) else [ends])} - {None}

    def messages(self, view: View, phase: str) -> list[Message]:
        """What the model is told."""
        return state_messages(view, phase, **self._told)

    def replies(self, states: Sequence[DecisionState], phase: str, seed: int | None = None) -> list[str]:
        """A reply to each state: the likeliest, or drawn by a seed."""
        prompts = [self._prompt(state.messages[phase]) for state in states]
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        found = [""] * len(prompts)
        with self._speaking(seed or 0):
            for start in range(0, len(order), AT_ONCE):
                places = order[start : start + AT_ONCE]
                for i, ids in zip(places, self._write([prompts[i] for i in places], seed is not None), strict=True):
                    found[i] = self._words(ids)
        return found

    def likeliest(self, view: View, phase: str) -> str:
        """The likeliest reply. Those that it most often is are tried first: to confirm one takes a single pass."""
        prompt = self._prompt(self.messages(view, phase))
        with self._speaking(0):
            for amount in (int(view.row["least"][0]), WITHDRAW) if phase == BID else ():
                draft = reply_of(amount, phase)
                if self._confirms(prompt, draft):
                    return draft
            return self._words(self._write([prompt], False)[0])

    def drawn(self, view: View, phase: str, seed: int) -> str:
        """A reply by chance."""
        with self._speaking(seed):
            return self._words(self._write([self._prompt(self.messages(view, phase))], True)[0])

    @contextmanager
    def _speaking(self, seed: int) -> Iterator[None]:
        """The model as it is when it plays, and chance of its own: training goes on as if nothing had been said."""
        device, was_training = self._model.device, self._model.training
        self._model.eval()
        with torch.random.fork_rng([device] if device.type == "cuda" else []), torch.inference_mode():
            torch.manual_seed(seed)
            yield
        self._model.train(was_training)

    def _confirms(self, prompt: list[int], draft: str) -> bool:
        """Whether the likeliest reply is this one: each of its tokens the likeliest after those before, then an end."""
        said = self._tokenizer(draft, add_special_tokens=False)["input_ids"]
        ids = torch.tensor([prompt + said], device=self._model.device)
        logits = self._model(input_ids=ids, logits_to_keep=len(said) + 1).logits[0]
        likeliest = logits.argmax(-1).tolist()
        return likeliest[:-1] == said and likeliest[-1] in self._ends

    def _prompt(self, messages: Sequence[Message]) -> list[int]:
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _write(self, prompts: list[list[int]], draw: bool) -> list[list[int]]:
        padded = self._tokenizer.pad({"input_ids": prompts}, return_tensors="pt", padding_side="left")
        padded = padded.to(self._model.device)
        chance = {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0} if draw else {"do_sample": False}
        written = self._model.generate(
            **padded, **chance, max_new_tokens=self._longest, pad_token_id=self._tokenizer.pad_token_id
        )
        return written[:, padded["input_ids"].shape[1] :].tolist()

    def _words(self, ids: list[int]) -> str:
        end = next((place for place, token in enumerate(ids) if token in self._ends), len(ids))
        return self._tokenizer.decode(ids[:end], skip_special_tokens=True).strip()
