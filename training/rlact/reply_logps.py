"""The log-probabilities of the tokens of sampled replies, with gradients."""

from __future__ import annotations

from typing import Any

import torch
from aucenv.training.rlact.reply_trees import make_trees, tree_logps
from torch import Tensor


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
