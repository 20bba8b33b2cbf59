"""Losses of pairs of replies to one state: HARBOR's loss, DPO's, one of decisions alone, and the KL divergence.

Tensors are (pairs,) unless stated otherwise. The functions do not use a model.
"""

from __future__ import annotations

import torch
from aucenv.training.rlact.judges.judges import BEST, WORST
from torch import Tensor
from torch.nn.functional import logsigmoid


def pair_loss(better: Tensor, worse: Tensor, length: Tensor, scale: Tensor, beta: float) -> Tensor:
    """Return -log sigmoid(beta * ratio) * scale, where ratio = (better - worse) / length.

    It needs no reference model. A tie has scale 0, and so loss 0. Source: HARBOR, arXiv 2502.12149, section on RLAct.

    Args:
        better, worse: log-probabilities of the reply with the higher score, and of the other one.
        length: mean number of tokens of both replies.
        scale: weight of the pair from 0 to 1; see `pair_scale`.
    """
    return -logsigmoid(beta * (better - worse) / length) * scale


def dpo_loss(
    better: Tensor, worse: Tensor, ref_better: Tensor, ref_worse: Tensor, scale: Tensor, beta: float
) -> Tensor:
    """Return the DPO loss, -log sigmoid(beta * ((better - ref_better) - (worse - ref_worse))); 0 for a tie.

    Source: arXiv 2305.18290, equation 7; online as in arXiv 2402.04792.

    Args:
        better, worse: log-probabilities of the reply with the higher score, and of the other one.
        ref_better, ref_worse: log-probabilities of the same replies under the reference model.
        scale: weight of the pair; a pair with weight 0 has no loss, and other weights have no effect.
    """
    return -logsigmoid(beta * ((better - ref_better) - (worse - ref_worse))) * (scale > 0)


def decision_loss(lead: Tensor, weight: Tensor, beta: float) -> Tensor:
    """Return the mean of -log sigmoid(beta * lead) * weight over the pairs with a weight; 0 if there is none.

    Args:
        lead: the log-probability of the better decision less that of the worse one, in nats, on the decision tokens
            alone; with a reference model, less the same under that model.
        weight: the dollars between the decisions as a multiple of a unit, without a limit; 0 for a dropped pair.
        beta: how many units of the logistic function a nat is.
    """
    return (-logsigmoid(beta * lead) * weight).sum() / (weight > 0).sum().clamp(min=1)


def pair_scale(lead: Tensor) -> Tensor:
    """Return the weight of pairs: the absolute difference of their scores, as a share of the greatest possible one."""
    return lead.abs() / (BEST - WORST)


def kl_divergence(logps: Tensor, ref_logps: Tensor, mask: Tensor) -> Tensor:
    """Return a non-negative estimate of the mean KL divergence per token from the reference model.

    Source: the estimator k3 of Schulman, "Approximating KL divergence", 2020.

    Args:
        logps, ref_logps: (replies, tokens) log-probabilities under the model and the reference model.
        mask: (replies, tokens), 1 for tokens of the reply.
    """
    ratio = ref_logps - logps
    return ((torch.exp(ratio) - ratio - 1) * mask).sum() / mask.sum().clamp(min=1)
