"""Scores of several replies to a prompt, with shared prompts and a cache, against separate forward passes."""

from __future__ import annotations

import random

import pytest
import torch
from aucenv.training.rlact.learning import reply_scores
from aucenv.training.rlact.learning.reply_scores import ReplyScorer
from aucenv.training.rlact.learning.reply_trees import make_trees, tree_logps
from aucenv.training.rlact.learning.trainer import pair_logps, reply_logps
from transformers import LlamaConfig, LlamaForCausalLM

WORDS = 300
PROMPTS = ([5, 6, 7, *range(30, 47)], [5, 6, 7, *range(30, 40), 90], [5, 6, 8, 9, 10, 11, 12, 13, 14])
REPLIES = (((1, 2, 3), (4, 5)), ((9,), (7, 8, 2, 2)), ((3, 3), (3, 4)))


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=8,
        num_key_value_heads=2,
        initializer_range=0.2,
    )
    return LlamaForCausalLM(shape).eval()


def separate_logps(model, prompt, reply):
    """Return the log-probability of each token of a reply, from a forward pass of its own."""
    logps = model(torch.tensor([[*prompt, *reply]])).logits[0].log_softmax(-1)
    return [logps[len(prompt) - 1 + i, token].item() for i, token in enumerate(reply)]


def test_trees_have_the_log_probabilities_of_separate_passes(model):
    with torch.inference_mode():
        logps = tree_logps(model, make_trees(PROMPTS, REPLIES))
        for row, prompt in enumerate(PROMPTS):
            for branch, reply in enumerate(REPLIES[row]):
                expected = separate_logps(model, prompt, reply)
                assert logps[row, branch, : len(reply)].tolist() == pytest.approx(expected, abs=1e-5)
                assert not logps[row, branch, len(reply) :].any()


def test_a_pair_has_the_same_loss_and_gradients_with_a_shared_prompt(model):
    prompts = [PROMPTS[i] for i in (0, 0, 2, 2)]
    replies = [*REPLIES[0], *REPLIES[2]]
    longest = [max(map(len, each)) for each in (prompts, replies)]
    prompt_ids, prompt_mask = (torch.zeros(4, longest[0], dtype=torch.long) for _ in range(2))
    ids, mask = (torch.zeros(4, longest[1], dtype=torch.long) for _ in range(2))
    for row, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
        prompt_ids[row, -len(prompt) :], prompt_mask[row, -len(prompt) :] = torch.tensor(prompt), 1
        ids[row, : len(reply)], mask[row, : len(reply)] = torch.tensor(reply), 1
    gradients = []
    shared = pair_logps(model, prompt_ids, prompt_mask, ids, mask)
    both_ids, both_masks = torch.cat([prompt_ids, ids], 1), torch.cat([prompt_mask, mask], 1)
    for logps in (shared, reply_logps(model, both_ids, both_masks, ids.shape[1]) * mask):
        model.zero_grad()
        (logps[::2].sum() - 2 * logps[1::2].sum()).backward()
        gradients.append([weights.grad.clone() for weights in model.parameters()])
    assert (shared - logps).abs().max() < 1e-5
    for first, second in zip(*gradients, strict=True):
        assert torch.allclose(first, second, atol=1e-4)


@torch.inference_mode()
def test_choices_do_not_depend_on_the_batch_or_the_cache(model, monkeypatch):
    generator = random.Random(1)
    starts = [[generator.randrange(WORDS) for _ in range(12)] for _ in range(5)]
    prompts = [
        [*generator.choice(starts), *(generator.randrange(WORDS) for _ in range(generator.randrange(1, 9)))]
        for _ in range(60)
    ]
    replies = [
        [
            [generator.randrange(WORDS) for _ in range(generator.randrange(1, 6))]
            for _ in range(generator.randrange(1, 5))
        ]
        for _ in prompts
    ]
    expected = []
    for prompt, each in zip(prompts, replies, strict=True):
        scores = [round(sum(separate_logps(model, prompt, reply)), reply_scores.DIGITS) for reply in each]
        expected.append(scores.index(max(scores)))
    assert len(set(expected)) > 2
    together = ReplyScorer(model)
    assert together.best(prompts, replies) == expected
    assert together.best(prompts, replies) == expected  # all prompts are cached now
    one_by_one = ReplyScorer(model)
    monkeypatch.setattr(reply_scores, "CACHED_PROMPTS", 3)
    computed = []
    monkeypatch.setattr(
        reply_scores,
        "tree_logps",
        lambda model, trees, cache: computed.append(trees) or tree_logps(model, trees, cache),
    )
    chosen = [one_by_one.best([prompt], [each])[0] for prompt, each in zip(prompts, replies, strict=True)]
    assert chosen == expected
    tokens = sum(trees.ids.shape[1] - trees.is_token[0].numel() for trees in computed)
    asked = [len(prompt) for prompt, each in zip(prompts, replies, strict=True) if len(each) > 1]
    assert tokens < 0.8 * sum(asked)  # the cached starts are not computed again


@torch.inference_mode()
def test_the_first_of_equally_likely_replies_is_chosen(model):
    reply = [1, 2]
    assert ReplyScorer(model).best([PROMPTS[0]], [[reply, reply, reply]]) == [0]
    assert ReplyScorer(model).best([], []) == []


@torch.inference_mode()
def test_a_single_reply_needs_no_forward_pass():
    assert ReplyScorer(None).best([PROMPTS[0]], [[[1]]]) == [0]
