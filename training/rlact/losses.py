"""What a pair of replies to one state costs: HARBOR's loss, the usual loss of online DPO, and anchors.

All take and give tensors of (pairs,), and know nothing of models.
"""

from __future__ import annotations

import torch
from aucenv.training.rlact.judges import BEST, WORST
from torch import Tensor
from torch.nn.functional import logsigmoid


def pair_loss(better: Tensor, worse: Tensor, length: Tensor, scale: Tensor, beta: float) -> Tensor:
    """-log sigmoid(beta * ratio) * scale, where ratio = (better - worse) / length; no reference model.

    Source: HARBOR, arXiv 2502.12149, section on RLAct. Scale 0, a tie, costs nothing.

    Args:
        better, worse: the log-probability of the reply with the higher score, and of the other.
        length: the mean of their numbers of tokens.
        scale: from 0 to 1, see `scale_of`.
    """
    return -logsigmoid(beta * (better - worse) / length) * scale


def dpo_loss(better: Tensor, worse: Tensor, before: Tensor, before_worse: Tensor, scale: Tensor, beta: float) -> Tensor:
    """Of DPO: -log sigmoid(beta * how much more the model than the reference prefers the better); 0 on a tie.

    Source: arXiv 2305.18290, equation 7; online as in arXiv 2402.04792.

    Args:
        before, before_worse: the log-probabilities of both replies by the reference model.
    """
    return -logsigmoid(beta * ((better - before) - (worse - before_worse))) * (scale > 0)


def scale_of(lead: Tensor) -> Tensor:
    """The weight of a pair by the difference of its scores: 1 for the largest that there is."""
    return lead.abs() / (BEST - WORST)


def kl_divergence(logps: Tensor, before: Tensor, mask: Tensor) -> Tensor:
    """An estimate, never negative, of the divergence from the reference per token of a sample.

    Source: Schulman, "Approximating KL divergence", 2020, k3.

    Args:
        logps, before: (replies, tokens), by the model and by the reference; mask: the same, 1 = a token of the reply.
    """
    ratio = before - logps
    return ((torch.exp(ratio) - ratio - 1) * mask).sum() / mask.sum().clamp(min=1)
