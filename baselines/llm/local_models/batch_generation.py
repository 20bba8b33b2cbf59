"""Generate replies with transformers; the requests of all running games share batches."""

from __future__ import annotations

import dataclasses
import os
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import torch
from aucenv.baselines.llm.local_models.constrained_generation import AllowedTokens, ConstrainedRow, Grammars
from aucenv.baselines.llm.local_models.torch_threads import torch_threads
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessor, LogitsProcessorList, TopPLogitsWarper
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Completion, Message, Request

BATCH_WAIT = 0.01
"""Seconds for which a batch waits for more requests after its first one."""


class DrawTokens(LogitsProcessor):
    """Logits processor that samples tokens by the Gumbel-max trick, with one generator per row.

    A row's reply therefore depends on its request only, up to rounding, and not on the other rows of its batch.

    Args:
        requests: the requests, one per row, with temperature, top_p and seed; temperature 0 is greedy decoding.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._temperatures = [request.temperature or 0.0 for request in requests]
        self._warpers = [None if request.top_p is None else TopPLogitsWarper(request.top_p) for request in requests]
        self._generators = [torch.Generator().manual_seed(request.seed or 0) for request in requests]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return the next token's scores, (rows, vocabulary), scaled by temperature and with Gumbel noise added."""
        for row, (temperature, generator) in enumerate(zip(self._temperatures, self._generators, strict=True)):
            if temperature > 0:
                noise = torch.empty(scores.shape[1]).exponential_(generator=generator).log().neg()
                row_scores = scores[row : row + 1] / temperature
                warper = self._warpers[row]
                row_scores = row_scores if warper is None else warper(input_ids, row_scores)
                scores[row] = row_scores[0] + noise.to(scores.device)
        return scores


class BatchGenerator:
    """A loaded model, and the thread that runs its batches.

    Args:
        folder: the folder of a chat model saved by transformers.
        adapter: the folder of a LoRA adapter; "" = none.
        batch: the maximum number of replies generated at the same time.
        device: a torch device; "auto": CUDA if available, else the CPU.

    Raises:
        ValueError: if the model cannot be loaded, or is not a chat model.
    """

    def __init__(self, folder: str, adapter: str, batch: int, device: str) -> None:
        set_verbosity_error()
        disable_progress_bar()
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        if device == "cpu" and "OMP_NUM_THREADS" not in os.environ:
            torch.set_num_threads(torch_threads())
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, padding_side="left", local_files_only=True)
            model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype="auto", local_files_only=True)
            if adapter:
                from peft import PeftModel

                model = PeftModel.from_pretrained(model, adapter, local_files_only=True)
            self._model = model.to(device).eval()
        except Exception as error:  # transformers and peft raise errors of many types for bad files
            lines = str(error).strip().splitlines() or [""]
            raise ValueError(f"{adapter or folder}: cannot be loaded: {type(error).__name__}: {lines[0]}") from None
        if not self._tokenizer.chat_template:
            raise ValueError(f"{folder}: expected a chat model, but its tokenizer has no chat template")
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._context_length = getattr(self._model.config, "max_position_embeddings", 1 << 30)
        vocabulary_size = self._model.config.get_text_config().vocab_size
        self._grammars = Grammars(self._tokenizer, sorted(self._end_tokens()), vocabulary_size, self._model.device)
        self._batch = batch
        self._queue: queue.Queue[tuple[Request, Future[Completion]]] = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def ask(self, request: Request) -> Future[Completion]:
        """Queue a request for the next batch.

        Raises:
            ModelFailure: if no reply of the request's form fits `max_tokens`, or the model cannot be limited to a form.
        """
        least = self._least_tokens(request)
        if request.max_tokens < least:
            raise ModelFailure(
                f"local: max_tokens: expected at least {least} for this model with reply=json, got {request.max_tokens}"
            )
        answer: Future[Completion] = Future()
        self._queue.put((request, answer))
        return answer

    def _run(self) -> None:
        while True:
            pending = [self._queue.get()]
            deadline = time.monotonic() + BATCH_WAIT
            while len(pending) < self._batch:
                try:
                    pending.append(self._queue.get(timeout=max(0.0, deadline - time.monotonic())))
                except queue.Empty:
                    break
            try:
                completions = self.complete_batch([request for request, _ in pending])
            except Exception as error:  # out of memory, most likely
                for _, answer in pending:
                    answer.set_exception(ModelFailure(f"local: {type(error).__name__}: {error}"))
                continue
            for (_, answer), completion in zip(pending, completions, strict=True):
                answer.set_result(completion)

    def complete_batch(self, requests: Sequence[Request]) -> list[Completion]:
        """Return the completions of the requests, generated in one batch if all of them fit the model's context."""
        prompts = [self._prompt(request) for request in requests]
        room = [
            min(request.max_tokens, self._context_length - len(p)) for request, p in zip(requests, prompts, strict=True)
        ]
        completions = [Completion("", "context", len(prompt), 0) for prompt in prompts]
        fitting = [number for number, tokens in enumerate(room) if tokens >= self._least_tokens(requests[number])]
        one_batch = fitting and max(len(prompts[i]) for i in fitting) + max(room) <= self._context_length
        for batch in [fitting] if one_batch else [[number] for number in fitting]:
            rows, seconds = self._generate(
                [prompts[i] for i in batch], [requests[i] for i in batch], [room[i] for i in batch]
            )
            for i, row in zip(batch, rows, strict=True):
                completion = self._completion(row, len(prompts[i]), room[i], seconds)
                completions[i] = dataclasses.replace(completion, structured=requests[i].reply_form is not None)
        return completions

    def _least_tokens(self, request: Request) -> int:
        """Return the number of tokens for which a reply needs room.

        Raises:
            ModelFailure: if the model cannot be limited to the form of the reply.
        """
        if request.reply_form is None:
            return 1
        try:
            return self._grammars.of(request.reply_form)[0].least_tokens
        except ValueError as error:
            raise ModelFailure(f"local: reply=json: {error}") from None

    def _generate(
        self, prompts: Sequence[list[int]], requests: Sequence[Request], room: Sequence[int]
    ) -> tuple[list[list[int]], float]:
        """Return the tokens generated after each prompt, and the seconds that this took.

        Args:
            room: the maximum number of new tokens of each row; a row without a form may be longer.
        """
        started = time.monotonic()
        padded = self._tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self._model.device)
        limits = [ConstrainedRow(request.reply_form, tokens) for request, tokens in zip(requests, room, strict=True)]
        constrained = any(limit.form is not None for limit in limits)
        allowed = AllowedTokens(self._grammars, limits, padded["input_ids"].shape[1]) if constrained else None
        with torch.inference_mode():
            output = self._model.generate(
                **padded,
                max_new_tokens=max(room),
                do_sample=False,
                prefix_allowed_tokens_fn=allowed,
                logits_processor=LogitsProcessorList([DrawTokens(requests)]),
                pad_token_id=self._tokenizer.pad_token_id,
            )
        return output[:, padded["input_ids"].shape[1] :].tolist(), time.monotonic() - started

    def _completion(self, row: list[int], prompt: int, room: int, seconds: float) -> Completion:
        end_tokens = self._end_tokens()
        length = next((place for place, token in enumerate(row) if token in end_tokens), len(row))
        tokens = min(length, room)
        text = self._tokenizer.decode(row[:tokens], skip_special_tokens=True).strip()
        return Completion(text, "stop" if length < room else "length", prompt, tokens, seconds)

    def _prompt(self, request: Request) -> list[int]:
        try:
            text = self._chat_text(request.messages)
        except TemplateError:  # some chat templates do not support a system message
            first, second, *others = request.messages
            folded = {"role": "user", "content": f"{first['content']}\n\n{second['content']}"}
            text = self._chat_text([folded, *others])
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _chat_text(self, messages: Sequence[Message]) -> str:
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        return text

    def _end_tokens(self) -> set[int]:
        end_tokens = self._model.generation_config.eos_token_id
        return set(end_tokens) if isinstance(end_tokens, (list, tuple)) else {end_tokens} - {None}
