"""Sealed-bid auctions in RLAct: bids as shares of the value, judged exactly."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from aucenv.training.rlact.evaluation import judge_decision
from aucenv.training.rlact.judges.judges import SimulatorJudge
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.learning.pairs import replacements
from aucenv.training.rlact.models.tiny_llama import tiny_tokenizer
from aucenv.training.rlact.probes.probe import probe
from aucenv.training.rlact.sealed.belief import Belief
from aucenv.training.rlact.sealed.shares import (
    SHARES,
    TOLERANCE,
    amount_of,
    highest_value,
    is_sealed,
    nearest_share_reply,
    share_ladder,
    share_profits,
    share_tokens,
)
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import BID, RECOMMENDATION, read_legal, reply_for
from aucenv.training.rlact.states.states import DecisionState
from tiny_training import small_run

import aucenv
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy
from aucenv.theory import bid_grid


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(60, ("sealed_bid",), 1, detail="terse-3"), "train"))


@pytest.fixture(scope="module")
def judged(states):
    values = Simulator().action_values(states)
    return [dataclasses.replace(state, action_values=each) for state, each in zip(states, values, strict=True)]


def test_states_are_read_as_they_were_written(judged):
    for state in judged[:10]:
        again = DecisionState.from_json(state.to_json())
        assert again.to_json() == state.to_json()
        assert is_sealed(again)
        assert is_sealed(again.view())
    assert len({state.stratum for state in judged}) > 10


def test_messages_have_the_same_question_for_both_tasks_and_only_what_the_seat_knows(states):
    state = next(state for state in states if state.view().item_number > 2)
    view = state.view()
    assert state.messages[RECOMMENDATION] == state.messages[BID]
    text = state.messages[BID][0]["content"]
    assert text.startswith(f"sealed {view.pricing} {view.values} value/top ")
    assert text.endswith(f"Bid a share of ${view.value:g}?")
    assert f"others {len(state.names) - 1} " in text
    first = next(state for state in states if state.view().item_number == 0)
    assert "mean/top unknown best/top unknown won 0" in first.messages[BID][0]["content"]


def test_replies_are_shares_of_the_value(states):
    for state in states[:20]:
        value, step = state.view().value, state.legal["raise"]
        for share in SHARES:
            amount = amount_of(share, state)
            assert amount == 100 * step * round(value * share / 100 / step)
            reply = reply_for(amount, BID, state)
            assert reply.startswith("I bid ")
            assert reply.endswith("%!")
            cap = 100 * state.legal["most"]
            assert read_legal(reply, BID, state) == (amount if amount <= cap else None)
        assert read_legal("I'm out!", BID, state) == WITHDRAW
        assert read_legal(reply_for(WITHDRAW, BID, state), RECOMMENDATION, state) == WITHDRAW
        for unreadable in (
            "",
            "I bid!",
            "I bid 50% or I bid 60%.",
            "I bid 50%, no, I'm out!",
            "80%",
            None,
            7,
            "I bid -5%!",
        ):
            assert read_legal(unreadable, BID, state) is None
        truthful = make_policy("sealed_bid", "truthful")
        truthful.reset("bidder_0", 0)
        bid = round(100 * truthful.act(state.view(), {}))
        written = read_legal(nearest_share_reply(bid, state), BID, state)
        assert written == min(share_ladder(state.full_row, state.seat)[1:], key=lambda each: abs(each - bid))


def test_values_are_the_exact_expected_profits_of_the_inferring_judge(judged):
    for state in judged[:8]:
        view, values = state.view(), state.action_values
        belief = Belief(view.scenario_text.scenario)
        belief.observe(view.row[0], state.seat)
        grid, profits = bid_grid(view.scenario_text.scenario), belief.profits(round(100 * view.value))
        assert values.actions[0] is None
        assert values.means[0] == 0
        for action, mean in zip(values.actions[1:], values.means[1:], strict=True):
            assert mean == pytest.approx(profits[np.searchsorted(grid, round(100 * action))] / 100, abs=0.006)
        assert set(values.errors) == {0}
        best = share_ladder(state.full_row, state.seat)[values.best]
        assert judge_decision(state, best) == (pytest.approx(0, abs=0.006), True)
        regret, right = judge_decision(state, None)
        assert regret == pytest.approx(max(values.means), abs=0.01)
        assert not right
        assert judge_decision(state, WITHDRAW)[1] == (regret <= TOLERANCE * highest_value(state) / 100)


def test_better_bids_have_better_scores(judged):
    judge = SimulatorJudge(Simulator(), BID)
    for state in judged[:8]:
        ladder = share_ladder(state.full_row, state.seat)
        profits = share_profits(state, ladder)
        best, worst = ladder[int(profits.argmax())], ladder[int(profits.argmin())]
        [(first, second)] = judge.compare([state], [reply_for(best, BID, state)], [reply_for(worst, BID, state)])
        assert first == 5
        assert first > second
        assert judge.score([state], ["unreadable"]) == [1]


def test_counterfactual_pairs_are_different_bids(judged):
    for state in judged[:10]:
        ladder = share_ladder(state.full_row, state.seat)
        assert replacements(ladder[1], ladder[2], state) == ()
        for first, second in ((ladder[1], ladder[1]), (None, WITHDRAW), (None, None), (ladder[-1], None)):
            kept, other = replacements(first, second, state)
            assert kept != other
            assert other in ladder
            assert kept == (first if first is not None else second if second is not None else kept)


def test_a_model_is_trained_and_plays_only_its_games(tmp_path):
    run = small_run(tmp_path / "run", None, games="sealed_bid", num_states=60, recommendation_steps=1, bid_steps=2)
    result = run.run()
    assert set(result["games"]) == {"sealed_bid"}
    assert result["games"]["sealed_bid"]["probe"] is None
    assert "recommendation" not in result["games"]["sealed_bid"]
    model = tmp_path / "run" / "model"
    assert json.loads((model / "rlact.json").read_text())["games"] == ["sealed_bid"]
    assert "| sealed_bid | 3 | - |" in (model / "README.md").read_text()
    record = aucenv.play("sealed_bid", "first-ipv-once", [f"rlact:{model}", "truthful", "truthful"], 0)
    assert record.outcome["status"] == "terminated"
    with pytest.raises(ValueError, match="a model for sealed_bid: game: expected one of sealed_bid, got 'english'"):
        make_policy("english", f"rlact:{model}")
    with pytest.raises(ValueError, match="got 'sealed_bid'"):
        make_policy("sealed_bid", "rlact")


def test_the_tokens_of_other_games_are_not_changed(states):
    texts = [*(state.messages[BID][0]["content"] for state in states), "I bid 50%!"]
    tokenizer = tiny_tokenizer(texts, "terse-3", shares=True)
    amounts = [WITHDRAW, *(amount_of(share, states[0]) for share in SHARES[:10])]
    for text in [*texts, *(reply_for(amount, BID, states[0]) for amount in amounts)]:
        assert tokenizer.unk_token_id not in tokenizer(text)["input_ids"]
    others = {token for tokens in share_tokens() for token in tokens}
    assert not others & set(tiny_tokenizer(["harbor Bid at $1?"], "terse-3").get_vocab())


def test_a_probe_is_of_games_with_two_decisions(judged):
    with pytest.raises(ValueError, match="probe: expected states of english or harbor"):
        probe(judged[:20], judged[20:])
