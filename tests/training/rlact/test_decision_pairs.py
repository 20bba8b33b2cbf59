"""`pair_loss=decision`: decision tokens, the buffer of states, the loss, bad input, and equal bytes when resumed."""

from __future__ import annotations

import dataclasses
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.judges.judges import AgreeingJudge, MixedJudge, SimulatorJudge
from aucenv.training.rlact.judges.named_judges import judge_named
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.learning.decision_tokens import (
    Branches,
    DecisionTokens,
    TemperDecisions,
    decision_probabilities,
    decisions_of,
)
from aucenv.training.rlact.learning.decision_trainer import DecisionTrainer
from aucenv.training.rlact.learning.log_lines import line_of
from aucenv.training.rlact.learning.losses import decision_loss
from aucenv.training.rlact.learning.pairs import PairCounts
from aucenv.training.rlact.models.checkpoints import load_causal, load_tokenizer
from aucenv.training.rlact.models.tiny_llama import tiny_model, tiny_tokenizer
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import BID, RECOMMENDATION, plain_reply
from aucenv.training.rlact.states.state_buffer import StateBuffer, disagreement
from aucenv.training.rlact.states.states import ActionValues, read_states, write_states
from tiny_training import equal_weights, small_run

from aucenv.core.state import WITHDRAW

DECISION = {
    "pair_loss": "decision",
    "pair_states": "stakes",
    "decision_temperature": 4,
    "pair_beta": 1,
    "counterfactual": False,
    "likelihood_weight": 0,
    "kl_weight": 0.1,
    "buffer_updates": 2,
    "guard": "off",
}


@pytest.fixture(scope="module")
def train(states):
    return read_states(states / "train.jsonl")


@pytest.fixture(scope="module")
def tokenizer(train):
    texts = [each["content"] for state in train for messages in state.messages.values() for each in messages]
    return tiny_tokenizer([*texts, "Recommendation: withdraw", "I'm out!", "I bid $!"], "terse-3")


@pytest.fixture(scope="module")
def finished(states, base, tmp_path_factory):
    """A complete run of 6 updates with checkpoints after 3 and 6."""
    run = small_run(tmp_path_factory.mktemp("runs") / "whole", states, model_name_or_path=base, **DECISION)
    return run, run.run()


@pytest.mark.parametrize(
    ("starts", "anywhere", "tokens", "mask"),
    [
        ({()}, False, [5, 6, 7], [1, 0, 0]),
        ({(), (5,)}, False, [5, 6, 7], [1, 1, 0]),
        ({(5,)}, False, [4, 5, 6], [0, 0, 0]),
        ({(5,)}, True, [5, 6, 4, 5, 7], [0, 0, 0, 0, 1]),
        ({(5,)}, True, [4, 4], [0, 0]),
        ({()}, True, [5, 6], [1, 0]),
        ({()}, False, [4, 6], [0, 0]),
    ],
)
def test_decision_tokens_follow_the_common_start_of_plain_replies(starts, anywhere, tokens, mask):
    assert Branches(dict.fromkeys(starts, (5, 6, 7)), anywhere).mask(tokens) == [bool(each) for each in mask]


def test_the_decision_token_is_the_first_one_in_which_plain_replies_differ(train, tokenizer):
    tokens, state = DecisionTokens(tokenizer), train[0]
    for task, places in ((RECOMMENDATION, (2, 2)), (BID, (0, 0))):
        branches = tokens.branches(state, task)
        assert tuple(branches.mask(reply).index(True) for reply in tokens.plain(state, task)) == places
        assert all(sum(branches.mask(reply)) == 1 for reply in tokens.plain(state, task))


def test_a_share_of_the_value_is_the_decision_of_a_sealed_bid():
    states = list(collect(Collection(10, ("sealed_bid",), detail="terse-3"), "train"))[:4]
    texts = [each["content"] for state in states for messages in state.messages.values() for each in messages]
    tokenizer = tiny_tokenizer([*texts, "I'm out!", "I bid !"], "terse-3", shares=True)
    tokens = DecisionTokens(tokenizer)
    for state in states:
        asked = tokens.asked(state, BID)
        assert asked.masks[0] == [True]  # I'm out!
        assert {tuple(mask) for mask in asked.masks[1:]} == {(True, True)}  # I bid N%!
        assert len(asked.stems) == len(set(asked.stems)) == len(decisions_of(state))
    model = tiny_model(tokenizer, 0).eval()
    results = decision_probabilities(model, tokens, states, [BID] * len(states))
    assert [len(each) for each in results] == [len(decisions_of(state)) for state in states]
    assert [each.sum() for each in results] == pytest.approx([1] * len(states))


class MergingTokenizer:
    """A tokenizer with one token for each reply up to its last character."""

    eos_token_id = 0

    def __init__(self, equal):
        self.texts, self.equal = ["", "!"], equal

    def __call__(self, text, **_):
        start = "reply" if self.equal else text[:-1]
        if start not in self.texts:
            self.texts.append(start)
        return {"input_ids": [self.texts.index(start), 1]}

    def decode(self, ids):
        return "".join(self.texts[each] for each in ids)

    def convert_ids_to_tokens(self, token):
        return self.texts[token]


@pytest.mark.parametrize(
    ("equal", "error"),
    [
        (False, r"the decision token 'I bid \$[\d,]+' is merged with the amount after it"),
        (True, "expected different tokens for each decision"),
    ],
)
def test_a_merged_decision_token_is_refused(train, equal, error):
    with pytest.raises(ValueError, match=error):
        DecisionTokens(MergingTokenizer(equal)).branches(train[0], BID)


def test_only_decision_tokens_are_tempered():
    branches = [Branches({(): (0, 2)}), Branches({(7,): (1, 2)})]
    scores = torch.tensor([[1.0, 9.0, 3.0], [3.0, 4.0, 8.0]])
    first = TemperDecisions(branches, 2, 2.0)(torch.tensor([[1, 2], [1, 2]]), scores)
    second = TemperDecisions(branches, 2, 2.0)(torch.tensor([[1, 2, 7], [1, 2, 7]]), scores)
    assert first[1].tolist() == scores[1].tolist()
    assert second[0].tolist() == scores[0].tolist()
    for before, after, tokens, other in ((scores[0], first[0], [0, 2], 1), (scores[1], second[1], [1, 2], 0)):
        assert (after[tokens[1]] - after[tokens[0]]).item() == pytest.approx(
            (before[tokens[1]] - before[tokens[0]]).item() / 2, rel=1e-4
        )
        assert torch.softmax(after, 0)[other] == pytest.approx(torch.softmax(before, 0)[other].item(), rel=1e-4)


def test_probabilities_are_those_of_one_forward_pass_per_decision(base, train):
    model, tokenizer = load_causal(base, dtype="float32").eval(), load_tokenizer(base)
    tokens, asked = DecisionTokens(tokenizer), train[:5]
    results = decision_probabilities(model, tokens, asked, [RECOMMENDATION, BID, BID, RECOMMENDATION, BID])
    for state, task, each in zip(asked, (RECOMMENDATION, BID, BID, RECOMMENDATION, BID), results, strict=True):
        replies, branches = tokens.plain(state, task), tokens.branches(state, task)
        place = branches.mask(replies[0]).index(True)
        prompt = [*tokens.asked(state, task).prompt, *replies[0][:place]]
        logits = model(input_ids=torch.tensor([prompt])).logits[0, -1]
        expected = torch.softmax(logits[[reply[place] for reply in replies]], 0)
        np.testing.assert_allclose(each, expected.detach(), atol=1e-5)


@pytest.mark.parametrize(
    ("probabilities", "values", "expected"),
    [
        ([0.25, 0.75], [0, 100], (2 * 0.25 * 0.75 * 100, 100)),
        ([0.0, 1.0], [0, 100], (0, 100)),
        ([0.5, 0.5], [7, 7], (0, 0)),
        ([0.5, 0.25, 0.25], [0, 10, 30], (2 * (0.125 * 10 + 0.125 * 30 + 0.0625 * 20), 10.0)),
    ],
)
def test_a_disagreement_is_worth_the_mean_dollars_between_two_samples(probabilities, values, expected):
    worth, gap = disagreement(np.array(probabilities), np.array(values, float))
    assert worth == pytest.approx(expected[0])
    if len(values) == 2:
        assert gap == pytest.approx(expected[1])
    else:
        assert gap == pytest.approx(worth / (1 - sum(p * p for p in probabilities)))


def with_lead(state, lead, error=0.0):
    values = ActionValues((None, 100.0), (0.0, lead), (0.0, error), "judge")
    return dataclasses.replace(state, action_values=values)


def test_states_are_drawn_by_what_is_at_stake(train):
    leads = [100.0, -300.0, 0.0, 50.0]
    buffer = StateBuffer([with_lead(s, lead) for s, lead in zip(train, leads, strict=False)], 2)
    asked = []

    def probabilities(states, tasks):
        asked.append(len(states))
        return [np.array([0.5, 0.5])] * len(states)

    for step in range(3):
        buffer.refresh(step, [BID], probabilities)
    assert asked == [4, 2, 2]  # all for a new task, then the half whose turn it is
    places = buffer.draw([BID] * 4000, [0, 1])
    assert places == buffer.draw([BID] * 4000, [0, 1])
    shares = np.bincount(places, minlength=4) / 4000
    np.testing.assert_allclose(shares, np.abs(leads) / 450, atol=0.03)
    assert shares[2] == 0
    assert buffer.gap(1, BID) == 300


def test_states_without_a_stake_are_refused(train, states, tmp_path):
    ties = [with_lead(state, 10.0, 20.0) for state in train]
    with pytest.raises(
        ValueError, match=f"expected at least one whose decisions differ.* those of all {len(ties)} tie"
    ):
        StateBuffer(ties, 2)
    folder = tmp_path / "states"
    shutil.copytree(states, folder)
    write_states(folder / "train.jsonl", ties)
    with pytest.raises(ValueError, match="expected some that are not ties, got none of"):
        small_run(tmp_path / "run", folder, **DECISION, skip_ties=False).run()


def test_the_loss_is_in_nats_and_dollars_without_a_limit():
    lead, weight = torch.tensor([1.0, -2.0, 5.0]), torch.tensor([1.0, 40.0, 0.0])
    expected = (np.log1p(np.exp(-2.0)) + 40 * np.log1p(np.exp(4.0))) / 2
    assert decision_loss(lead, weight, 2.0).item() == pytest.approx(expected)
    assert decision_loss(lead, torch.zeros(3), 2.0).item() == 0


@pytest.mark.parametrize("reference", [False, True])
def test_only_decision_tokens_have_the_loss_and_other_tokens_the_divergence(reference):
    config = SimpleNamespace(pair_beta=1.0, kl_weight=1.0, pair_reference=reference, likelihood_weight=2.0)
    logps = torch.tensor([[-1.0, -0.5], [-3.0, -0.1]], requires_grad=True)
    ref_logps = torch.tensor([[-2.0, -0.5], [-2.5, -0.2]])
    inputs = {
        "advantages": torch.tensor([-60.0, 60.0]),
        "decision": torch.tensor([[1, 0], [1, 0]]),
        "unit": torch.tensor([40.0, 40.0]),
        "ref_per_token_logps": ref_logps,
    }
    losses = DecisionTrainer._pair_losses(
        SimpleNamespace(args=config), logps, torch.ones(2, 2), inputs, torch.arange(2)
    )
    nats = -2.0 + (0.5 if reference else 0.0)  # the second reply is better
    assert losses["pairs"].item() == pytest.approx(3.0 * np.log1p(np.exp(-nats)), rel=1e-5)
    assert losses["kl"].item() == pytest.approx((np.exp(-0.1) + 0.1 - 1) / 2, rel=1e-4)
    assert losses["likelihood"].item() == pytest.approx(2 * 3.0 * (3.0 + 0.1) / 2)
    (gradient,) = torch.autograd.grad(losses["pairs"], logps)
    assert gradient[:, 1].tolist() == [0, 0]


def test_temperature_one_samples_as_trl_does(states, base, tmp_path):
    trainers = []
    for name, temperature in (("one", 1.0), ("nearly", 1.0 + 1e-9)):
        changes = {**DECISION, "decision_temperature": temperature, "model_name_or_path": base}
        run = small_run(tmp_path / name, states, **changes)
        run.open()
        trainers.append(run.trainer(*run.states()))
    generated = []
    for trainer in trainers:
        trainer._batch_states, trainer._batch_tasks = list(trainer._states[:8]), [BID] * 8
        torch.manual_seed(0)
        prompts = [trainer._decisions.asked(state, BID).prompt for state in trainer._batch_states]
        generated.append(trainer._generate_single_turn(prompts, None, {}, 2)[0])
    assert generated[0] == generated[1]


def test_agreeing_pairs_are_dropped_and_never_replaced(finished):
    run, summary = finished
    pairs = summary["pairs"]
    assert pairs["pairs"] == 6 * 8
    assert pairs["synthetic"] == 0
    assert 0 < pairs["agreeing"] < 1
    assert pairs["used"] <= 1 - pairs["agreeing"]
    card = (run.out / "model" / "README.md").read_text()
    assert f"Of 48 sampled pairs, the decisions of {pairs['agreeing']:.1%} agreed, 0.0% were replaced" in card
    assert "loss decision, beta 1," in card
    state = json.loads((run.out / "checkpoint-6" / "trainer_state.json").read_text())
    logged = [line for line in state["log_history"] if "pairs/agreeing" in line]
    assert np.mean([line["pairs/agreeing"] for line in logged]) == pytest.approx(pairs["agreeing"], abs=1e-6)
    assert "agreeing pairs" in line_of(logged[0], "update 1")
    assert "synthetic pairs 0.0%" in line_of(logged[0], "update 1")
    assert not {"pairs.json", "buffer.npz"} & {path.name for path in (run.out / "model").iterdir()}


def test_the_same_run_and_a_resumed_one_have_the_same_bytes(states, base, finished, tmp_path):
    run, summary = finished
    changes = {**DECISION, "model_name_or_path": base}
    again = small_run(tmp_path / "again", states, **changes)
    assert again.run() == summary
    out = tmp_path / "resumed"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("checkpoint-6", "model", "best"))
    assert small_run(out, states, resume=True, **changes).run() == summary
    weights = [(folder / "model" / "model.safetensors").read_bytes() for folder in (run.out, again.out, out)]
    assert weights[0] == weights[1] == weights[2]


@pytest.mark.slow
@pytest.mark.parametrize("changes", [DECISION, {}], ids=["decision", "shipped"])
def test_a_hundred_updates_twice_and_killed_and_resumed_have_the_same_bytes(states, base, tmp_path, changes):
    long = {
        **changes,
        "model_name_or_path": base,
        "recommendation_steps": 20,
        "bid_steps": 80,
        "save_steps": 50,
        "guard": "off",
    }
    for name in ("first", "second"):
        small_run(tmp_path / name, states, **long).run()
    killed = tmp_path / "killed"
    shutil.copytree(tmp_path / "second", killed, ignore=shutil.ignore_patterns("checkpoint-100", "model", "best"))
    (killed / "checkpoint-70").mkdir()  # as a process that is killed while it saves leaves it
    small_run(killed, states, resume=True, **long).run()
    folders = [tmp_path / name / "model" / "model.safetensors" for name in ("first", "second", "killed")]
    assert len({path.read_bytes() for path in folders}) == 1


class Tied:
    """A buffer's worst case: a policy that decides the same in all states."""

    def leads(self, states, firsts, seconds):
        return [None] * len(states)


def test_updates_without_a_disagreement_change_no_weight_and_end_the_run(states, tmp_path):
    run = small_run(
        tmp_path / "run", states, **{**DECISION, "guard": "stop", "guard_window": 2}, weight_decay=0, warm_up_steps=1
    )
    run._judge_factory = lambda: lambda phase: Tied()
    run.open()
    trainer = run.trainer(*run.states())
    trainer.args.kl_weight = 0.0
    before = {name: weight.clone() for name, weight in trainer.model.state_dict().items()}
    trainer.train()
    assert equal_weights(before, trainer.model.state_dict())
    assert "only 0.0% of pairs have a better reply" in trainer.end_reason()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"pair_loss": "decision", "judge": "random"}, "judge: expected simulator with pair_loss=decision"),
        ({"pair_loss": "decision", "counterfactual": "true"}, "counterfactual: expected False"),
        ({"pair_states": "stakes"}, "pair_states: expected 'all' unless pair_loss is decision"),
        ({"pair_reference": "true"}, "pair_reference: expected False unless"),
        ({"decision_temperature": "2"}, r"decision_temperature: expected 1\.0 unless"),
        ({"decision_temperature": "0"}, "decision_temperature: expected a number above 0"),
        ({"buffer_updates": "0"}, "buffer_updates"),
        ({"pair_loss": "other"}, "pair_loss"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(tmp_path, changes, error):
    with pytest.raises(ValueError, match=error):
        read_config("tiny-dpo", None, tmp_path, changes)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (WITHDRAW, "least", -80.0),
        ("least", WITHDRAW, 80.0),
        ("least", "least", None),
        ("more", "least", None),
        (WITHDRAW, WITHDRAW, None),
        (None, WITHDRAW, None),
    ],
)
def test_leads_are_in_dollars_and_none_if_decisions_agree(train, first, second, expected):
    simulator = Simulator(samples=16, ladder=1)
    state = next(state for state in train if state.full_row["budget"][0, state.seat] > state.full_row["least"][0] + 100)
    least = int(state.full_row["least"][0])
    values = ActionValues((None, least / 100), (0.0, 80.0), (0.0, 5.0), simulator.describe(state.game))
    amounts = {"least": least, "more": least + 100}
    replies = ["..." if each is None else plain_reply(amounts.get(each, each), BID) for each in (first, second)]
    judged = dataclasses.replace(state, action_values=values)
    leads = SimulatorJudge(simulator, BID).leads([judged], *([reply] for reply in replies))
    assert leads == [expected]
    noisy = dataclasses.replace(judged, action_values=dataclasses.replace(values, errors=(0.0, 50.0)))
    leads = SimulatorJudge(simulator, BID).leads([noisy], *([reply] for reply in replies))
    assert leads == [None if expected is None else 0.0]


def test_a_named_model_alone_judges_replies_whose_decisions_agree(train):
    state = train[0]
    simulator = SimpleNamespace(compare=lambda states, firsts, seconds: [(4.0, 2.0)] * len(states))
    model = SimpleNamespace(compare=lambda states, firsts, seconds: [(1.0, 3.0), None])
    judge = AgreeingJudge(simulator, model, phase=RECOMMENDATION)
    bid, out = (plain_reply(amount, RECOMMENDATION) for amount in (int(state.full_row["least"][0]), WITHDRAW))
    assert judge.compare([state] * 2, [f"It is cheap. {bid}", bid], [bid, bid]) == [(1.0, 3.0), None]
    assert judge.compare([state] * 2, [bid, bid], [out, out]) == [(2.5, 2.5), None]
    named = judge_named(["llm:scripted", "simulator"], Simulator(), BID)
    assert isinstance(named, AgreeingJudge)
    assert isinstance(named, MixedJudge)
    assert isinstance(named.first, SimulatorJudge)


def test_counts_of_pairs_are_kept_with_checkpoints(tmp_path):
    counts, again = PairCounts(), PairCounts()
    assert counts.shares() == {}
    for _ in range(2):
        counts.add({"pairs": 8, "agreeing": 4, "synthetic": 2, "used": 1})
    counts.save(tmp_path)
    again.load(tmp_path)
    assert again.shares() == {"pairs": 16, "agreeing": 0.5, "synthetic": 0.25, "used": 0.125}
    again.load(tmp_path / "none")
    assert again.shares() == {}
