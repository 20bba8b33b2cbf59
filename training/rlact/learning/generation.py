"""Generate a language model's replies to decision states, in batches or one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from aucenv.training.rlact.judges.simulator import legal_ladder
from aucenv.training.rlact.learning.reply_scores import ReplyScorer
from aucenv.training.rlact.sealed.shares import is_sealed, share_ladder, share_reply
from aucenv.training.rlact.states.messages import BID, plain_reply, state_messages
from aucenv.training.rlact.states.row_messages import row_messages
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.state import WITHDRAW
from aucenv.envs.english.view import View
from aucenv.runs.model_calls.calls import Message

BATCH_SIZE = 128
"""Maximum number of replies that are generated together."""


class ReplyGenerator:
    """A language model with its tokenizer and the style of its messages.

    Args:
        model: a causal language model, in training or evaluation mode.
        tokenizer: its tokenizer, with a chat template; pads on the left.
        detail, profiles: style of the messages; see `messages.state_messages`.
        max_new_tokens: maximum length of a reply.
        speaks: whether greedy replies are written; otherwise, they are the most likely ones of the plain replies that
            mean an action of `legal_ladder`.
        ladder: the number of bids in the ladder.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        detail: str,
        profiles: str,
        max_new_tokens: int,
        speaks: bool = True,
        ladder: int = 1,
    ) -> None:
        self._model, self._tokenizer = model, tokenizer
        self.detail = detail
        self._style = {"detail": detail, "profiles": profiles}
        self._max_new_tokens = max_new_tokens
        self._speaks, self._ladder = speaks, ladder
        self._scorer = ReplyScorer(model)
        eos_ids = model.generation_config.eos_token_id
        self._eos_ids = {tokenizer.eos_token_id, *(eos_ids if isinstance(eos_ids, list) else [eos_ids])} - {None}

    def forget(self) -> None:
        """Empty the cache of prompts, which affects only speed."""
        self._scorer.forget()

    def messages(self, view: View, phase: str) -> list[Message]:
        """Return the messages that the model gets."""
        return state_messages(view, phase, **self._style)

    def replies(self, states: Sequence[DecisionState], phase: str, seed: int | None = None) -> list[str]:
        """Return a reply to each state: greedy, or sampled if there is a seed."""
        prompts = self._prompts([state.messages[phase] for state in states])
        if seed is None and not self._speaks:
            return self._likeliest(prompts, [self._plain(state, phase) for state in states])
        return self._batched(prompts, seed)

    def greedy_replies(self, views: Sequence[View], phase: str) -> list[str]:
        """Return the greedy reply to each view; they are generated together."""
        prompts = self._prompts([self.messages(view, phase) for view in views])
        if not self._speaks:
            return self._likeliest(prompts, [self._plain(view, phase) for view in views])
        return self._batched(prompts, None)

    def _plain(self, source: DecisionState | View, phase: str) -> list[str]:
        """Return the plain replies that the model chooses from, of which the first one withdraws."""
        row = source.full_row if isinstance(source, DecisionState) else source.row
        if is_sealed(source):
            return [share_reply(amount, source) for amount in share_ladder(row, source.seat_number)]
        return self._plain_row(row, source.seat_number, phase)

    def _plain_row(self, row: np.ndarray, seat: int, phase: str) -> list[str]:
        actions = legal_ladder(row, seat, self._ladder if phase == BID else 1)
        return [plain_reply(amount, phase) for amount in actions]

    def _likeliest(self, prompts: Sequence[list[int]], plain: Sequence[list[str]]) -> list[str]:
        """Return the most likely one of the plain replies to each prompt."""
        ids = {reply: self._tokenizer(reply, add_special_tokens=False)["input_ids"] for each in plain for reply in each}
        end = [self._tokenizer.eos_token_id]
        with self._inference(0):
            chosen = self._scorer.best(prompts, [[ids[reply] + end for reply in each] for each in plain])
        return [each[index] for each, index in zip(plain, chosen, strict=True)]

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
        if is_sealed(view) or not self._speaks:
            return self.greedy_replies([view], phase)[0]
        return self._drafted(self._prompts([self.messages(view, phase)]), [int(view.row["least"][0])], phase)[0]

    def greedy_row_replies(
        self, game: str, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray, phase: str
    ) -> list[str]:
        """Return the greedy replies to many decisions; the detail of the messages is in `row_messages.ROW_DETAILS`.

        Args:
            game, rows, numbers, seats: see `row_messages.row_messages`.
        """
        prompts = self._prompts(row_messages(game, rows, numbers, seats, phase, self.detail))
        if not self._speaks:
            asked = zip(numbers.tolist(), seats.tolist(), strict=True)
            return self._likeliest(prompts, [self._plain_row(rows[n : n + 1], seat, phase) for n, seat in asked])
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
        return self.sampled_replies([view], phase, seed)[0]

    def sampled_replies(self, views: Sequence[View], phase: str, seed: int) -> list[str]:
        """Return a sampled reply to each view; they are generated together."""
        return self._batched(self._prompts([self.messages(view, phase) for view in views]), seed)

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
