"""Generate a language model's replies to decision states, in batches or one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from aucenv.training.rlact.messages import plain_reply, state_messages, terse_messages
from aucenv.training.rlact.shares import is_sealed
from aucenv.training.rlact.states import DecisionState

from aucenv.core.state import WITHDRAW
from aucenv.envs.english.view import View
from aucenv.runs.calls import Message

BATCH_SIZE = 128
"""Maximum number of replies that are generated together."""


class ReplyGenerator:
    """A language model with its tokenizer and the style of its messages.

    Args:
        model: a causal language model, in training or evaluation mode.
        tokenizer: its tokenizer, with a chat template; pads on the left.
        detail, profiles: style of the messages; see `messages.state_messages`.
        max_new_tokens: maximum length of a reply.
    """

    def __init__(self, model: Any, tokenizer: Any, detail: str, profiles: str, max_new_tokens: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self.detail = detail
        self._style = {"detail": detail, "profiles": profiles}
        self._max_new_tokens = max_new_tokens
        eos_ids = model.generation_config.eos_token_id
        self._eos_ids = {tokenizer.eos_token_id, *(eos_ids if isinstance(eos_ids, list) else [eos_ids])} - {None}

    def messages(self, view: View, phase: str) -> list[Message]:
        """Return the messages that the model gets."""
        return state_messages(view, phase, **self._style)

    def replies(self, states: Sequence[DecisionState], phase: str, seed: int | None = None) -> list[str]:
        """Return a reply to each state: greedy, or sampled if there is a seed."""
        return self._batched(self._prompts([state.messages[phase] for state in states]), seed)

    def greedy_replies(self, views: Sequence[View], phase: str) -> list[str]:
        """Return the greedy reply to each view; they are generated together."""
        return self._batched(self._prompts([self.messages(view, phase) for view in views]), None)

    def _batched(self, prompts: list[list[int]], seed: int | None) -> list[str]:
        order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        replies = [""] * len(prompts)
        with self._inference(seed or 0):
            for start in range(0, len(order), BATCH_SIZE):
                batch = order[start : start + BATCH_SIZE]
                for i, ids in zip(batch, self._generate([prompts[i] for i in batch], seed is not None), strict=True):
                    replies[i] = self._decode(ids)
        return replies

    def greedy_reply(self, view: View, phase: str) -> str:
        """Return the greedy reply."""
        prompts = self._prompts([self.messages(view, phase)])
        if is_sealed(view):
            return self._batched(prompts, None)[0]
        return self._drafted(prompts, [int(view.row["least"][0])], phase)[0]

    def greedy_row_replies(
        self, game: str, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray, phase: str
    ) -> list[str]:
        """Return the greedy replies to many decisions; the detail of the messages is "terse" or "terse-3".

        Args:
            game, rows, numbers, seats: see `messages.terse_messages`.
        """
        texts = terse_messages(game, rows, numbers, seats, phase, self.detail)
        prompts = self._prompts([[{"role": "user", "content": text}] for text in texts])
        return self._drafted(prompts, rows["least"][numbers].tolist(), phase)

    def _drafted(self, prompts: Sequence[list[int]], leasts: Sequence[int], phase: str) -> list[str]:
        """Return the greedy reply to each prompt.

        The two most frequent replies are tried first, because confirming a reply takes a single forward pass.
        """
        replies = [""] * len(prompts)
        left = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
        with self._inference(0):
            for withdraws in (False, True):
                drafts = {i: plain_reply(WITHDRAW if withdraws else leasts[i], phase) for i in left}
                confirmed = set()
                for start in range(0, len(left), BATCH_SIZE):
                    batch = left[start : start + BATCH_SIZE]
                    are_greedy = self._are_greedy([prompts[i] for i in batch], [drafts[i] for i in batch])
                    confirmed |= {i for i, is_greedy in zip(batch, are_greedy, strict=True) if is_greedy}
                for i in confirmed:
                    replies[i] = drafts[i]
                left = [i for i in left if i not in confirmed]
        generated = self._batched([prompts[i] for i in left], None)
        for i, reply in zip(left, generated, strict=True):
            replies[i] = reply
        return replies

    def sampled_reply(self, view: View, phase: str, seed: int) -> str:
        """Return a sampled reply."""
        with self._inference(seed):
            return self._decode(self._generate(self._prompts([self.messages(view, phase)]), True)[0])

    @contextmanager
    def _inference(self, seed: int) -> Iterator[None]:
        """Switch the model to evaluation mode and seed torch; restore both when the context ends."""
        device, was_training = self._model.device, self._model.training
        self._model.eval()
        with torch.random.fork_rng([device] if device.type == "cuda" else []), torch.inference_mode():
            torch.manual_seed(seed)
            yield
        self._model.train(was_training)

    def _are_greedy(self, prompts: Sequence[list[int]], drafts: Sequence[str]) -> list[bool]:
        """Return whether greedy decoding would generate exactly these replies, each followed by an end token."""
        draft_ids = [self._tokenizer(draft, add_special_tokens=False)["input_ids"] for draft in drafts]
        padded = self._pad([prompt + ids for prompt, ids in zip(prompts, draft_ids, strict=True)])
        logits = self._model(**padded, logits_to_keep=max(map(len, draft_ids)) + 1).logits
        greedy = logits.argmax(-1).tolist()
        return [
            tokens[-len(ids) - 1 : -1] == ids and tokens[-1] in self._eos_ids
            for tokens, ids in zip(greedy, draft_ids, strict=True)
        ]

    def _pad(self, prompts: Sequence[list[int]]) -> Any:
        """Return the arguments of the model for several prompts, padded on the left."""
        padded = self._tokenizer.pad({"input_ids": list(prompts)}, return_tensors="pt", padding_side="left")
        return padded.to(self._model.device)

    def _prompts(self, dialogues: Sequence[Sequence[Message]]) -> list[list[int]]:
        """Return the tokens of each dialogue, up to the start of the reply."""
        texts = self._tokenizer.apply_chat_template(list(dialogues), tokenize=False, add_generation_prompt=True)
        ids: list[list[int]] = self._tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []
        return ids

    def _generate(self, prompts: list[list[int]], sample: bool) -> list[list[int]]:
        padded = self._pad(prompts)
        sampling = {"do_sample": True, "temperature": 1.0, "top_k": 0, "top_p": 1.0} if sample else {"do_sample": False}
        generated = self._model.generate(
            **padded, **sampling, max_new_tokens=self._max_new_tokens, pad_token_id=self._tokenizer.pad_token_id
        )
        return generated[:, padded["input_ids"].shape[1] :].tolist()

    def _decode(self, ids: list[int]) -> str:
        end = next((i for i, token in enumerate(ids) if token in self._eos_ids), len(ids))
        return self._tokenizer.decode(ids[:end], skip_special_tokens=True).strip()
