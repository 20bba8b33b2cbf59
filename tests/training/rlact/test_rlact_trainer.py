"""Online DPO on TRL: the loss against an independent training loop, phases, dropped pairs, and replacements."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.judges.judges import RandomJudge
from aucenv.training.rlact.learning.pairs import PairSampler, replacements
from aucenv.training.rlact.learning.trainer import RLActTrainer
from aucenv.training.rlact.models.checkpoints import load_causal, load_model
from aucenv.training.rlact.models.tiny_llama import tiny_tokenizer
from aucenv.training.rlact.run import Run
from aucenv.training.rlact.states.messages import BID, PHASES, RECOMMENDATION, read_legal
from aucenv.training.rlact.states.states import read_states
from tiny_training import equal_weights, small_run, write_small_states
from transformers import LlamaConfig, LlamaForCausalLM

from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy


def trainer_of(run, make_judge=None):
    """Return the trainer of a run, which may have a judge of the test."""
    run.open()
    train, held_out = run.states()
    if make_judge is not None:
        run._judge_factory = lambda: make_judge
    return run.trainer(train, held_out)


def prompt_of(trainer, state, phase):
    """Return the prompt of a state as text."""
    return trainer._tokenizer.apply_chat_template(state.messages[phase], tokenize=False, add_generation_prompt=True)


class Recorder:
    """Records the pairs, losses and prompts of each update."""

    def __init__(self, trainer):
        self.batches, self.losses, self.prompts = [], [], []
        generate, compute = trainer._generate_and_score_completions, trainer._compute_loss

        def record_pairs(inputs):
            output = generate(inputs)
            rows = [
                (prompt[prompt_mask.bool()].tolist(), reply[reply_mask.bool()].tolist())
                for prompt, prompt_mask, reply, reply_mask in zip(
                    *(output[f"{part}_{kind}"] for part in ("prompt", "completion") for kind in ("ids", "mask")),
                    strict=True,
                )
            ]
            self.batches.append((rows, [float(a) for a in output["advantages"]]))
            self.prompts.append((trainer._batch_tasks, [state.messages for state in trainer._batch_states]))
            return output

        def record_loss(model, inputs):
            loss = compute(model, inputs)
            self.losses.append(float(loss.detach()))
            return loss

        trainer._generate_and_score_completions, trainer._compute_loss = record_pairs, record_loss


class NoTies:
    """A judge that never ties, not even on two equal replies."""

    def score(self, states, replies):
        raise AssertionError("pairs are compared")

    def compare(self, states, firsts, seconds):
        scores = RandomJudge(2).score(states, firsts)
        return [(score, 6 - score) for score in scores]


def independent_loop(model, config, batches):
    """Run the same updates one reply at a time, and return their losses."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    decayed = [weight for weight in weights if weight.ndim > 1]
    others = [weight for weight in weights if weight.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": config.weight_decay}, {"params": others, "weight_decay": 0.0}],
        lr=config.learning_rate,
        betas=(config.adam_beta1, config.adam_beta2),
        eps=config.adam_epsilon,
    )
    losses = []
    for rows, advantages in batches:
        total = 0.0
        for first in range(0, len(rows), 2):
            logps = []
            for prompt, reply in rows[first : first + 2]:
                logits = model(input_ids=torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1]
                logps.append(torch.log_softmax(logits, -1)[range(len(reply)), reply].sum())
            lead = advantages[first] - advantages[first + 1]
            better, worse = logps if lead >= 0 else logps[::-1]
            length = (len(rows[first][1]) + len(rows[first + 1][1])) / 2
            probability = 1 / (1 + torch.exp(-config.pair_beta * (better - worse) / length))
            total = total - torch.log(probability) * abs(lead) / 4 / (len(rows) / 2)
        optimizer.zero_grad()
        total.backward()
        torch.nn.utils.clip_grad_norm_(weights, config.max_grad_norm)
        optimizer.step()
        losses.append(float(total.detach()))
    return losses


def test_the_loss_equals_that_of_an_independent_loop_on_the_same_pairs(states, tmp_path):
    run = small_run(tmp_path / "run", states, counterfactual=False, likelihood_weight=0, lr_scheduler_type="constant")
    trainer = trainer_of(run, lambda phase: NoTies())
    model = load_causal(run.out / "base")
    model.get_input_embeddings().weight.requires_grad_(False)
    recorder = Recorder(trainer)
    trainer.train()
    assert all(
        first != second for _, lead in recorder.batches for first, second in zip(lead[::2], lead[1::2], strict=True)
    )
    assert independent_loop(model, run.config, recorder.batches) == pytest.approx(recorder.losses, rel=1e-4)
    for (name, weight), (_, expected) in zip(trainer.model.named_parameters(), model.named_parameters(), strict=True):
        np.testing.assert_allclose(weight.detach(), expected.detach(), rtol=0, atol=2e-4, err_msg=name)


def test_recommendations_come_first_and_bids_second(states, base, tmp_path):
    trainer = trainer_of(small_run(tmp_path / "run", states, model_name_or_path=base, judge="random"))
    recorder = Recorder(trainer)
    trainer.train()
    assert [set(tasks) for tasks, _ in recorder.prompts] == [{RECOMMENDATION}] * 4 + [{BID}] * 2
    prompts = [trainer._tokenizer.decode(rows[0][0]) for rows, _ in recorder.batches]
    assert [("Recommend at" in text, "Bid at" in text) for text in prompts] == [(True, False)] * 4 + [(False, True)] * 2


def test_a_share_of_the_second_phase_asks_for_recommendations(states, base, tmp_path):
    changes = {"judge": "random", "counterfactual": True, "recommendation_share": 0.25}
    run = small_run(tmp_path / "run", states, model_name_or_path=base, **changes)
    trainer = trainer_of(run)
    recorder = Recorder(trainer)
    trainer.train()
    mixed = [RECOMMENDATION] * 4 + [BID] * 12
    assert [tasks for tasks, _ in recorder.prompts] == [[RECOMMENDATION] * 16] * 4 + [mixed] * 2
    for (tasks, messages), (rows, _) in zip(recorder.prompts, recorder.batches, strict=True):
        asked = [prompt_of(trainer, SimpleNamespace(messages=m), t) for t, m in zip(tasks, messages, strict=True)]
        assert sorted(trainer._tokenizer.decode(prompt) for prompt, _ in rows) == sorted(asked)
    run._finish(tmp_path / "run" / "model", trainer, save=True)
    assert load_model(tmp_path / "run" / "model")[2]["tasks"] == [RECOMMENDATION, BID]


def test_training_says_which_files_it_reads(states, tmp_path):
    run, said = small_run(tmp_path / "run", states), []
    run.say = said.append
    (tmp_path / "run").mkdir()
    run.states()
    read = {
        split: Path(states) / f"{split}{'-judged' * (Path(states) / f'{split}-judged.jsonl').exists()}.jsonl"
        for split in ("train", "validation")
    }
    assert said == [f"{split} states: {file}" for split, file in read.items()]


def test_an_epoch_has_each_state_once_with_both_replies_in_a_row():
    sampler = PairSampler(7, 17, 3)
    indices = list(sampler)
    assert len(indices) == len(sampler) == 34
    assert indices[::2] == indices[1::2]
    epochs = [indices[first : first + 14 : 2] for first in (0, 14, 28)]
    assert [sorted(each) for each in epochs[:2]] == [list(range(7))] * 2
    assert len(set(epochs[2])) == 3
    assert epochs[0] != epochs[1]
    assert list(PairSampler(7, 17, 3)) == indices != list(PairSampler(7, 17, 4))


class HalfSilent:
    """A judge that gives no scores for about half of the states, and random scores for the others."""

    def score(self, states, replies):
        raise AssertionError("pairs are compared")

    def compare(self, states, firsts, seconds):
        pairs = RandomJudge(1).compare(states, firsts, seconds)
        return [pair if int(state.id, 16) % 2 else None for state, pair in zip(states, pairs, strict=True)]


def test_a_pair_without_scores_does_not_count(states, base, tmp_path):
    trainer = trainer_of(small_run(tmp_path / "run", states, model_name_or_path=base), lambda phase: HalfSilent())
    recorder = Recorder(trainer)
    trainer.train()
    is_scored = {
        prompt_of(trainer, state, phase): int(state.id, 16) % 2 for state in trainer._states for phase in PHASES
    }
    silent = 0
    for rows, lead in recorder.batches:
        for (prompt, _), first, second in zip(rows[::2], lead[::2], lead[1::2], strict=True):
            if not is_scored[trainer._tokenizer.decode(prompt)]:
                silent += 1
                assert first == second == 0
    dropped = [line["pairs/dropped"] for line in trainer.state.log_history if "pairs/dropped" in line]
    assert np.mean(dropped) == pytest.approx(silent / sum(len(rows) / 2 for rows, _ in recorder.batches))
    assert 0 < np.mean(dropped) < 1


def test_an_update_without_any_scores_changes_no_weight(states, base, tmp_path):
    judge = SimpleNamespace(compare=lambda states, firsts, seconds: [None] * len(states))
    run = small_run(tmp_path / "run", states, model_name_or_path=base, weight_decay=0, guard="off")
    trainer = trainer_of(run, lambda phase: judge)
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    trainer.train()
    assert equal_weights(before, trainer.model.state_dict())


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (WITHDRAW, "least", ()),
        (WITHDRAW, WITHDRAW, (WITHDRAW, "least")),
        ("least", "least", ("least", WITHDRAW)),
        (None, WITHDRAW, (WITHDRAW, "least")),
        (None, "least", ("least", WITHDRAW)),
        (WITHDRAW, None, (WITHDRAW, "least")),
        (None, None, ("least", WITHDRAW)),
    ],
)
def test_replacements_are_two_opposite_decisions(states, first, second, expected):
    state = read_states(states / "train.jsonl")[0]

    def amount(name):
        return int(state.full_row["least"][0]) if name == "least" else name

    assert replacements(amount(first), amount(second), state) == tuple(amount(each) for each in expected)


def test_counterfactual_pairs_always_have_two_decisions(states, base, tmp_path):
    trainer = trainer_of(small_run(tmp_path / "run", states, model_name_or_path=base))
    recorder = Recorder(trainer)
    trainer.train()
    replaced = [line["replies/replaced"] for line in trainer.state.log_history if "replies/replaced" in line]
    assert 0 < max(replaced) <= 1
    by_prompt = {prompt_of(trainer, state, phase): (state, phase) for state in trainer._states for phase in PHASES}
    for rows, _ in recorder.batches:
        for (prompt, first), (_, second) in zip(rows[::2], rows[1::2], strict=True):
            state, phase = by_prompt[trainer._tokenizer.decode(prompt)]
            replies = [trainer._tokenizer.decode(reply, skip_special_tokens=True) for reply in (first, second)]
            amounts = [read_legal(reply, phase, state.view()) for reply in replies]
            assert amounts[0] != amounts[1]


def test_a_reply_that_was_cut_off_is_replaced(states, base, tmp_path):
    """Otherwise a model would learn never to end its replies."""
    trainer = trainer_of(small_run(tmp_path / "run", states, model_name_or_path=base, max_completion_length=3))
    recorder = Recorder(trainer)
    trainer.train()
    shortest = trainer._tokenizer("I bid.")["input_ids"]
    assert len(shortest) >= 3
    for rows, _ in recorder.batches:
        assert all(reply[-1] in trainer.eos_token_ids for _, reply in rows)


def test_the_reference_of_dpo_and_of_the_divergence_is_the_base_model(states, base, tmp_path):
    run = small_run(
        tmp_path / "run",
        states,
        model_name_or_path=base,
        pair_loss="dpo",
        kl_weight=0.5,
        judge="random",
        counterfactual=False,
    )
    trainer = trainer_of(run)
    trainer.train()
    first = next(line for line in trainer.state.log_history if "loss/pairs" in line)
    assert first["loss/pairs"] == pytest.approx(np.log(2) * first["pairs/used"], rel=1e-5)
    assert first["loss/kl"] == pytest.approx(0, abs=1e-6)
    last = [line for line in trainer.state.log_history if "loss/kl" in line][-1]
    assert last["loss/kl"] > 1e-6


def test_the_divergence_counts_sampled_replies_only():
    config = SimpleNamespace(pair_loss="harbor", pair_beta=1.0, kl_weight=1.0, likelihood_weight=0.0)
    logps, ref_logps = torch.tensor([[-1.0], [-18.0]]), torch.tensor([[-1.5], [-1.0]])
    mask, lead = torch.ones(2, 1), torch.tensor([2.0])
    arguments = SimpleNamespace(args=config), logps, mask, lead, ref_logps
    kl = RLActTrainer.losses(*arguments, torch.tensor([[1.0], [0.0]]))["kl"]
    assert kl.item() == pytest.approx(np.exp(-0.5) - 0.5, rel=1e-5)
    assert RLActTrainer.losses(*arguments)["kl"] > 1e6


def test_the_anchor_is_the_better_reply_s_log_probability_over_the_mean_length():
    config = SimpleNamespace(pair_loss="harbor", pair_beta=1.0, kl_weight=0.0, likelihood_weight=2.0)
    logps, mask = torch.tensor([[-1.0, -2.0], [-4.0, 0.0]]), torch.tensor([[1, 1], [1, 0]])
    losses = [
        RLActTrainer.losses(SimpleNamespace(args=config), logps, mask, torch.tensor([lead])) for lead in (3.0, -3.0)
    ]
    assert [each["likelihood"].item() for each in losses] == pytest.approx([2 * 3 / 1.5 * 0.75, 2 * 4 / 1.5 * 0.75])


def test_the_preset_of_the_paper_trains_a_small_llama(tmp_path):
    folder = tmp_path / "states"
    folder.mkdir()
    write_small_states(folder, 80, "full")
    train = read_states(folder / "train.jsonl")
    base = tmp_path / "base"
    messages = [message["content"] for state in train for each in state.messages.values() for message in each]
    tokenizer = tiny_tokenizer([*messages, "Recommendation: withdraw", "I'm out!"])
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(base)
    tokenizer.save_pretrained(base)
    changes = {
        "bf16": "false",
        "dtype": "float32",
        "least_gpu_gib": "0",
        "eval_deals": "0",
        "use_cpu": "true",
        "states": str(folder),
    }
    changes |= {
        "model_name_or_path": str(base),
        "recommendation_steps": "1",
        "bid_steps": "1",
        "max_completion_length": "6",
    }
    settings, model = read_config("paper-llama3-8b", None, tmp_path / "run", changes | {"judge_samples": "16"})
    run = Run(settings, model)
    run.run()
    adapter = json.loads((tmp_path / "run" / "model" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"], sorted(adapter["target_modules"])) == (4, 16, ["q_proj", "v_proj"])
    assert json.loads((tmp_path / "run" / "model" / "rlact.json").read_text())["base"] == str(base)
    bidder = make_policy("harbor", f"rlact:{tmp_path / 'run' / 'model'}")
    view = train[0].view()
    bidder.reset(view.seat, 0)
    assert isinstance(bidder.act(view, {}), str)
    other = tmp_path / "other"
    config.hidden_size, config.intermediate_size = 64, 128
    LlamaForCausalLM(config).save_pretrained(other)
    with pytest.raises(ValueError, match=f"another base model, {base}, than {other}: expected hidden_size 32, got 64"):
        load_model(tmp_path / "run" / "model", str(other))
