"""Choose among plain replies by their log-probabilities, with a cache of the prompts that were scored last."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from aucenv.training.rlact.learning.reply_trees import make_trees, tree_logps
from torch import Tensor
from transformers import DynamicCache

SCORED_TOGETHER = 16
"""Maximum number of prompts in one forward pass."""
CACHED_PROMPTS = 128
"""Number of prompts whose keys and values are kept; those of SmolLM2-135M take about 5 MB each."""
SHORTEST_START = 8
"""Fewer common tokens than this are computed again."""
DIGITS = 3
"""Scores are rounded to this many digits, so that a choice depends neither on the other prompts of a forward pass nor
on what is cached: both change a log-probability only by rounding errors."""


class ReplyScorer:
    """Scores replies by a causal language model, whose weights must not change.

    Args:
        model: the model, in evaluation mode, with a maskable attention, such as "sdpa".
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._cached: deque[tuple[np.ndarray, Tensor]] = deque(maxlen=CACHED_PROMPTS)

    def forget(self) -> None:
        """Empty the cache."""
        self._cached.clear()

    def best(self, prompts: Sequence[Sequence[int]], replies: Sequence[Sequence[Sequence[int]]]) -> list[int]:
        """Return the index of the most likely reply to each prompt, and the first of equally likely ones.

        Args:
            prompts: the tokens of each prompt.
            replies: the tokens of each reply to each prompt, with the end token.
        """
        chosen = [0] * len(prompts)
        starts = [self._longest_start(prompt) for prompt in prompts]
        order = sorted(
            (i for i in range(len(prompts)) if len(replies[i]) > 1), key=lambda i: len(prompts[i]) - starts[i][0]
        )
        for first in range(0, len(order), SCORED_TOGETHER):
            batch = order[first : first + SCORED_TOGETHER]
            scores = self._scores([prompts[i] for i in batch], [replies[i] for i in batch], [starts[i] for i in batch])
            for i, of_prompt in zip(batch, scores, strict=True):
                chosen[i] = int(np.argmax(of_prompt[: len(replies[i])]))
        return chosen

    def _longest_start(self, prompt: Sequence[int]) -> tuple[int, Tensor | None]:
        """Return the number of first tokens that a cached prompt shares, not all, and that prompt's keys and values."""
        best, closest = 0, None
        tokens = np.array(prompt)
        for ids, values in self._cached:
            n = min(len(ids), len(tokens) - 1)
            differing = np.flatnonzero(ids[:n] != tokens[:n])
            common = int(differing[0]) if len(differing) else n
            if common > best:
                best, closest = common, values
        return (best, closest) if best >= SHORTEST_START else (0, None)

    def _scores(
        self,
        prompts: Sequence[Sequence[int]],
        replies: Sequence[Sequence[Sequence[int]]],
        starts: Sequence[tuple[int, Tensor | None]],
    ) -> np.ndarray:
        """Return the log-probability of each reply, rounded; (prompts, replies)."""
        branches = max(map(len, replies))
        filled = [[*each, *([each[0]] * (branches - len(each)))] for each in replies]
        sizes = [size for size, _ in starts]
        cache, most = DynamicCache(), max(sizes)
        if most:
            shape = next(values for _, values in starts if values is not None).shape
            past = torch.zeros(*shape[:2], len(prompts), shape[2], most, shape[4], dtype=self._model.dtype)
            for row, (size, values) in enumerate(starts):
                if values is not None:
                    past[:, :, row, :, most - size :] = values[:, :, :, :size]
            past = past.to(self._model.device)
            for layer, (keys, values) in enumerate(past):
                cache.update(keys, values, layer)
        trees = make_trees(prompts, filled, sizes, self._model.device)
        logps = tree_logps(self._model, trees, cache)
        self._remember(prompts, sizes, cache, most, trees.ids.shape[1] - branches * trees.replies.shape[2])
        scores: np.ndarray = logps.sum(2).double().cpu().numpy().round(DIGITS)
        return scores

    def _remember(
        self, prompts: Sequence[Sequence[int]], sizes: Sequence[int], cache: DynamicCache, most: int, trunk: int
    ) -> None:
        """Keep the keys and values of prompts, (layers, 2, heads, tokens, size) each, on the CPU."""
        layers = [(layer.keys, layer.values) for layer in cache.layers]
        for row, (prompt, size) in enumerate(zip(prompts, sizes, strict=True)):
            columns = [*range(most - size, most), *range(most + trunk - len(prompt) + size, most + trunk)]
            kept = torch.stack([torch.stack([part[row][:, columns] for part in pair]) for pair in layers]).cpu()
            self._cached.append((np.array(prompt), kept))
