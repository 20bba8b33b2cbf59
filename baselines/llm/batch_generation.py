"""Chat models in this process, by transformers: the replies of all games in flight are written in batches."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import torch
from aucenv.baselines.llm.torch_threads import torch_threads
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessor, LogitsProcessorList
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import Completion, Message, Request

GATHERING = 0.01
"""Seconds that a batch waits for more requests once it has one."""


class DrawTokens(LogitsProcessor):
    """Makes the likeliest token a draw, by a generator of each row's own (Gumbel's trick).

    A row's reply so follows from its request, up to rounding, whatever else is in its batch.

    Args:
        requests: a row's temperature and seed each; temperature 0 draws nothing.
    """

    def __init__(self, requests: Sequence[Request]) -> None:
        self._temperatures = [request.temperature or 0.0 for request in requests]
        self._generators = [torch.Generator().manual_seed(request.seed or 0) for request in requests]

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """The scores of the next token, (rows, vocabulary), with noise."""
        for row, (temperature, generator) in enumerate(zip(self._temperatures, self._generators, strict=True)):
            if temperature > 0:
                noise = torch.empty(scores.shape[1]).exponential_(generator=generator).log().neg()
                scores[row] = scores[row] / temperature + noise.to(scores.device)
        return scores


class Writer:
    """A model in memory, and the thread that lets it write.

    Args:
        folder: of a chat model, as transformers saves it.
        adapter: of a LoRA adapter; "" = none.
        batch: replies written at the same time, at most.
        device: "auto": CUDA where there is one.

    Raises:
        ValueError: it cannot be loaded, or is no chat model.
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
        except Exception as error:  # whatever transformers and peft find wrong with files
            lines = str(error).strip().splitlines() or [""]
            raise ValueError(f"{adapter or folder}: cannot be loaded: {type(error).__name__}: {lines[0]}") from None
        if not self._tokenizer.chat_template:
            raise ValueError(f"{folder}: expected a chat model, but its tokenizer has no chat template")
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._longest = getattr(self._model.config, "max_position_embeddings", 1 << 30)
        self._batch = batch
        self._asked: queue.Queue[tuple[Request, Future[Completion]]] = queue.Queue()
        threading.Thread(target=self._write_on, daemon=True).start()

    def ask(self, request: Request) -> Future[Completion]:
        """Take a request; it is answered with the next batch."""
        answer: Future[Completion] = Future()
        self._asked.put((request, answer))
        return answer

    def _write_on(self) -> None:
        while True:
            asked = [self._asked.get()]
            until = time.monotonic() + GATHERING
            while len(asked) < self._batch:
                try:
                    asked.append(self._asked.get(timeout=max(0.0, until - time.monotonic())))
                except queue.Empty:
                    break
            try:
                completions = self.write([request for request, _ in asked])
            except Exception as error:  # out of memory, most likely
                for _, answer in asked:
                    answer.set_exception(ModelFailure(f"local: {type(error).__name__}: {error}"))
                continue
            for (_, answer), completion in zip(asked, completions, strict=True):
                answer.set_result(completion)

    def write(self, requests: Sequence[Request]) -> list[Completion]:
        """Replies, in one batch where the model's context has room for it."""
        prompts = [self._prompt(request) for request in requests]
        room = [min(request.max_tokens, self._longest - len(p)) for request, p in zip(requests, prompts, strict=True)]
        completions = [Completion("", "context", len(prompt), 0) for prompt in prompts]
        fitting = [number for number, tokens in enumerate(room) if tokens > 0]
        together = fitting and max(len(prompts[i]) for i in fitting) + max(room) <= self._longest
        for batch in [fitting] if together else [[number] for number in fitting]:
            rows, seconds = self._generate(
                [prompts[i] for i in batch], [requests[i] for i in batch], max(room[i] for i in batch)
            )
            for i, row in zip(batch, rows, strict=True):
                completions[i] = self._completion(row, len(prompts[i]), room[i], seconds)
        return completions

    def _generate(
        self, prompts: Sequence[list[int]], requests: Sequence[Request], most: int
    ) -> tuple[list[list[int]], float]:
        """The tokens after each prompt, and the seconds that all took."""
        started = time.monotonic()
        padded = self._tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            written = self._model.generate(
                **padded,
                max_new_tokens=most,
                do_sample=False,
                logits_processor=LogitsProcessorList([DrawTokens(requests)]),
                pad_token_id=self._tokenizer.pad_token_id,
            )
        return written[:, padded["input_ids"].shape[1] :].tolist(), time.monotonic() - started

    def _completion(self, row: list[int], prompt: int, room: int, seconds: float) -> Completion:
        ends = self._ends()
        length = next((place for place, token in enumerate(row) if token in ends), len(row))
        tokens = min(length, room)
        text = self._tokenizer.decode(row[:tokens], skip_special_tokens=True).strip()
        return Completion(text, "stop" if length < room else "length", prompt, tokens, seconds)

    def _prompt(self, request: Request) -> list[int]:
        try:
            text = self._template(request.messages)
        except TemplateError:  # some know no system
            first, second, *others = request.messages
            folded = {"role": "user", "content": f"{first['content']}\n\n{second['content']}"}
            text = self._template([folded, *others])
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _template(self, messages: Sequence[Message]) -> str:
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        return text

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        return set(ends) if isinstance(ends, (list, tuple)) else {ends}
