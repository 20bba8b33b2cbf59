"""The losses of pairs against plain arithmetic, with gradients and ties."""

from __future__ import annotations

import math

import pytest
import torch
from aucenv.training.rlact.learning.losses import dpo_loss, kl_divergence, pair_loss, pair_scale


def tensors(*values):
    return [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in values]


CASES = [
    (-3.0, -7.0, 5.0, 0.75, 0.2),
    (-7.0, -3.0, 5.0, 1.0, 0.2),
    (-12.5, -12.5, 8.5, 0.25, 0.2),
    (-1.0, -90.0, 3.0, 0.5, 2.0),
]


@pytest.mark.parametrize(("better", "worse", "length", "scale", "beta"), CASES)
def test_the_pair_loss_equals_its_formula(better, worse, length, scale, beta):
    b, w, n, s = tensors([better], [worse], [length], [scale])
    ratio = (better - worse) / length
    expected = -math.log(1 / (1 + math.exp(-beta * ratio))) * scale
    assert pair_loss(b, w, n, s, beta).item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("better", "worse", "length", "scale", "beta"), CASES)
def test_the_gradient_of_the_pair_loss_equals_its_formula(better, worse, length, scale, beta):
    b, w, n, s = tensors([better], [worse], [length], [scale])
    pair_loss(b, w, n, s, beta).sum().backward()
    expected = -scale * beta / length / (1 + math.exp(beta * (better - worse) / length))
    assert b.grad.item() == pytest.approx(expected, rel=1e-12)
    assert w.grad.item() == pytest.approx(-expected, rel=1e-12)


def test_a_tie_has_no_loss_and_no_gradient():
    b, w, n = tensors([-3.0, -3.0], [-9.0, -1.0], [4.0, 4.0])
    for loss in (
        pair_loss(b, w, n, torch.zeros(2, dtype=torch.float64), 0.2),
        dpo_loss(b, w, b.detach(), w.detach(), torch.zeros(2, dtype=torch.float64), 0.2),
    ):
        assert loss.tolist() == [0.0, 0.0]
        gradients = torch.autograd.grad(loss.sum(), [b, w])
        assert all(not gradient.any() for gradient in gradients)


def test_the_scale_is_one_for_the_greatest_difference_of_scores():
    assert pair_scale(torch.tensor([4.0, -4.0, 1.0, 0.0])).tolist() == [1.0, 1.0, 0.25, 0.0]


def test_the_dpo_loss_equals_its_formula():
    b, w, b0, w0, s = tensors([-3.0], [-5.0], [-4.0], [-4.5], [0.3])
    assert dpo_loss(b, w, b0, w0, s, 0.5).item() == pytest.approx(math.log(1 + math.exp(-0.5 * 1.5)), rel=1e-12)


def test_the_divergence_counts_tokens_of_replies_only():
    logps, ref_logps = torch.tensor([[-1.0, -2.0, -9.0]]), torch.tensor([[-1.0, -1.0, -1.0]])
    mask = torch.tensor([[1, 1, 0]])
    assert kl_divergence(ref_logps, ref_logps, mask).item() == 0.0
    assert kl_divergence(logps, ref_logps, mask).item() == pytest.approx((math.e - 2) / 2, rel=1e-6)
