"""The log-probabilities of several replies to each prompt, in one forward pass over the prompt and all replies.

The tokens of a row are a tree: the prompt is its trunk, and each reply a branch, which attends to the prompt and to
itself. So a prompt is not computed again for each reply, and its beginning can come from a cache.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache


@dataclasses.dataclass(frozen=True)
class Trees:
    """Prompts with their replies, as tensors.

    The columns are those of the cached starts of prompts, then of the rest of the prompts, which end in the same
    column, and then of each reply.

    Attributes:
        ids: (rows, columns - cached) tokens.
        positions: (rows, columns - cached) the position of each token in its prompt and reply.
        mask: (rows, columns - cached, columns) bool, which tokens a token attends to.
        replies: (rows, replies, longest) tokens of the replies, 0 after their end.
        is_token: (rows, replies, longest) bool, whether a reply has a token there.
    """

    ids: Tensor
    positions: Tensor
    mask: Tensor
    replies: Tensor
    is_token: Tensor


def make_trees(
    prompts: Sequence[Sequence[int]],
    replies: Sequence[Sequence[Sequence[int]]],
    cached: Sequence[int] | None = None,
    device: torch.device | str = "cpu",
) -> Trees:
    """Return the trees of prompts and of as many replies to each.

    Args:
        prompts: the tokens of each prompt.
        replies: the tokens of each reply to each prompt, with the end token.
        cached: how many of the first tokens of each prompt are cached; fewer than all.
        device: the device of the tensors.
    """
    known = list(cached or [0] * len(prompts))
    rows, branches = len(prompts), len(replies[0])
    start = max(known)
    trunk = max(len(prompt) - n for prompt, n in zip(prompts, known, strict=True))
    longest = max(len(reply) for each in replies for reply in each)
    width = trunk + branches * longest
    ids, positions = torch.zeros(rows, width, dtype=torch.long), torch.zeros(rows, width, dtype=torch.long)
    real = torch.zeros(rows, start + width, dtype=torch.bool)
    tokens = torch.zeros(rows, branches, longest, dtype=torch.long)
    is_token = torch.zeros(rows, branches, longest, dtype=torch.bool)
    for row, (prompt, n, each) in enumerate(zip(prompts, known, replies, strict=True)):
        rest = len(prompt) - n
        ids[row, trunk - rest : trunk] = torch.tensor(prompt[n:])
        positions[row, trunk - rest : trunk] = torch.arange(n, len(prompt))
        real[row, start - n : start] = real[row, start + trunk - rest : start + trunk] = True
        for branch, reply in enumerate(each):
            tokens[row, branch, : len(reply)] = torch.tensor(reply)
            is_token[row, branch, : len(reply)] = True
        positions[row, trunk:] = torch.arange(len(prompt), len(prompt) + longest).repeat(branches)
    ids[:, trunk:], real[:, start + trunk :] = tokens.flatten(1), is_token.flatten(1)
    column = torch.arange(start + width)
    owner = torch.full(
        (start + width,), -1
    ).index_put_(  # -1: the prompt
        (column[start + trunk :],), torch.arange(branches).repeat_interleave(longest)
    )
    query, attended = column[start:, None], column[None]
    is_visible = (attended <= query) & ((owner[None] == -1) | (owner[None] == owner[start:, None]))
    mask = is_visible[None] & real[:, None]
    mask |= attended == query  # a padding token attends to itself, so that no row of attention weights is empty
    return Trees(*(each.to(device) for each in (ids, positions, mask, tokens, is_token)))


def tree_logps(model: Any, trees: Trees, cache: DynamicCache | None = None) -> Tensor:
    """Return the log-probability of each token of the replies, 0 after their end; (rows, replies, longest).

    Args:
        model: a causal language model with a maskable attention, such as "sdpa".
        trees: the prompts and replies.
        cache: keys and values of the cached starts of the prompts, padded on the left; extended by those of the trees.
    """
    _, branches, longest = trees.replies.shape
    blocked = torch.finfo(model.dtype).min
    mask = torch.zeros(trees.mask.shape, dtype=model.dtype, device=trees.mask.device)
    logits = model(
        input_ids=trees.ids,
        attention_mask=mask.masked_fill_(~trees.mask, blocked)[:, None],
        position_ids=trees.positions,
        past_key_values=cache,
        use_cache=cache is not None,
        logits_to_keep=1 + branches * longest,
    ).logits.float()
    normalizers = logits.logsumexp(-1)
    first, later = logits[:, 0], logits[:, 1:].unflatten(1, (branches, longest))[:, :, :-1]
    first_logps = first.gather(1, trees.replies[:, :, 0]) - normalizers[:, :1]
    later_logps = later.gather(3, trees.replies[:, :, 1:, None])[..., 0]
    later_logps = later_logps - normalizers[:, 1:].unflatten(1, (branches, longest))[:, :, :-1]
    return torch.cat([first_logps[:, :, None], later_logps], 2).masked_fill(~trees.is_token, 0.0)
