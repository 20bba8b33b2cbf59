"""The simulator judge against exhaustive search; scores; a language model as the judge; the bidder judge-greedy."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest
from aucenv.baselines.llm.json_replies import Malformed
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.benchmarks.timings.loopback import Loopback
from aucenv.training.rlact.judges.agreement import judge_agreement
from aucenv.training.rlact.judges.judges import (
    JudgeFailure,
    MixedJudge,
    Profits,
    RandomJudge,
    SimulatorJudge,
    regret_scores,
)
from aucenv.training.rlact.judges.model_judge import ModelJudge, judge_messages, model_client, read_scores, truth
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import plain_reply
from aucenv.training.rlact.states.states import bounds
from exhaustive import decision_tables, expected_profit, possible_rows, state_of

import aucenv
from aucenv.core.state import WITHDRAW


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(40, ("harbor", "english"), seed=3), "train"))


@pytest.mark.parametrize("num_states", [40, pytest.param(120, marks=pytest.mark.slow)])
def test_the_simulator_finds_the_best_action_of_exhaustive_search(num_states):
    simulator = Simulator(samples=256, own="rule;k=3", rivals="rule;k=1+rule;k=5+value;margin=0.1", noise=0, ladder=2)
    tables, _ = decision_tables(num_states, 2)
    states = [state_of(table, number) for number, table in enumerate(tables)]
    lineups = simulator.lineups("english", 0, ["", ""])
    kinds, params = read_lineups("english", lineups, tables[0].scenario)
    same = clear = 0
    for state, profits in zip(states, simulator.profits(states, [simulator.legal(s) for s in states]), strict=True):
        believed = state.full_row.copy()
        believed["value"][0, :3] = np.round(state.full_row["estimate"][0, 0, :3] / 1.1)
        expected = [
            np.mean(
                [
                    np.mean([expected_profit(row, {0: action}, k, p) for row in possible_rows(believed)])
                    for k, p in zip(kinds, params, strict=True)
                ]
            )
            for action in simulator.legal(state)
        ]
        assert profits.mean(1) == pytest.approx(expected, abs=4 * profits.std() / 16 + 5)
        first, second = sorted(expected)[:-3:-1]
        if first - second > 1:
            clear += 1
            same += int(profits.mean(1).argmax()) == int(np.argmax(expected))
    assert clear > 2 / 3 * num_states
    assert same >= 0.98 * clear


def test_random_numbers_do_not_depend_on_the_action_and_the_other_states(states):
    simulator = Simulator(samples=32)
    actions = [simulator.legal(state) for state in states]
    together = simulator.profits(states, actions)
    alone = simulator.profits([states[3]], [[*actions[3][:1], *actions[3][:1]]])[0]
    assert (alone[0] == alone[1]).all()  # the same action twice
    assert (alone[0] == together[3][0]).all()
    threads = dataclasses.replace(simulator, threads=2)
    for a, b in zip(together, threads.profits(states, actions), strict=True):
        assert (a == b).all()
    paired = np.mean([np.var(x[1] - x[0]) for x in together])
    independent = np.mean([np.var(x[1]) + np.var(x[0]) for x in together])
    assert independent > 1.3 * paired


def test_action_values_do_not_depend_on_hidden_values(states):
    rng = np.random.default_rng(1)
    simulator = Simulator(samples=16)
    changed = []
    for state in states:
        row = state.full_row.copy()
        for s in range(len(state.bidders)):
            if s != state.seat:
                row["estimate"][0, s] = rng.integers(1, 10**6, row["estimate"].shape[2])
                row["seat_key"][0, s] = rng.integers(2**60)
                if state.game == "harbor":
                    row["persona"][0, s] = rng.integers(10)
        unsold = np.flatnonzero(row["winner"][0] < 0)
        row["value"][0, unsold] = rng.integers(1, 10**6, len(unsold))
        row["key"] = rng.integers(2**60)
        row["bias"], row["noise"] = 7, 9
        changed.append(dataclasses.replace(state, full_row=row))
    assert simulator.action_values(states) == simulator.action_values(changed)


def test_rivals_can_be_chosen(states):
    state = next(s for s in states if s.game == "harbor" and len(s.bidders) == 3)
    with pytest.raises(ValueError, match="bidder 'nobody', rule bidder: expected one of"):
        Simulator(rivals="nobody").action_values([state])
    assert len(Simulator(rivals="expact+persona+pace").lineups("harbor", 1, ["a", "b", "c"])) == 9
    assert Simulator(rivals="recorded").lineups("harbor", 1, ["a", "b", "c"]) == [("a", "expact", "c")]
    random_lineups = Simulator(rivals="expact+persona+pace").lineups("harbor", 0, [""] * 16)
    assert len(random_lineups) == 36
    assert {len(lineup) for lineup in random_lineups} == {16}
    human = dataclasses.replace(state, bidders=tuple("human" for _ in state.bidders))
    with pytest.raises(ValueError, match="bidder 'human', rule bidder"):
        Simulator(rivals="recorded").action_values([human])
    with pytest.raises(ValueError, match="bidder 'expact_true': expected a bidder that does not cheat"):
        Simulator(own="expact_true").check("harbor")


def test_noise_makes_rivals_do_the_opposite(states):
    """With noise 1, a rival that always bids leaves at once, like a rival that never bids without noise."""
    state = next(s for s in states if s.game == "english" and len(s.bidders) == 2)
    actions = [[bounds(state.full_row, 0)[0]]]
    without_noise, with_noise = (
        Simulator(samples=8, own="rule;k=1", rivals=f"rule;k={k}", noise=noise).profits([state], actions)[0]
        for k, noise in ((0, 0), (1000, 1))
    )
    assert (without_noise == with_noise).all()


def test_scores_equal_those_computed_by_hand():
    level = np.ones((1, 4))
    profits = np.concatenate([0.0 * level, 1.0 * level, 0.5 * level, -3.0 * level])  # a regret of 1 scores 2
    assert regret_scores([0, 1], Profits.of(profits)) == [2.0, 5.0]
    assert regret_scores([2, 3], Profits.of(profits)) == [3.5, 2.0]
    assert regret_scores([None, 1], Profits.of(profits)) == [1.0, 5.0]
    assert regret_scores([2], Profits.of(profits)) == [3.5]
    noisy = np.array([[0.0, 0.1, 0.0, 0.1], [0.1, 0.0, 0.1, 0.01]])
    assert regret_scores([0, 1], Profits.of(noisy)) == [5.0, 5.0]  # within two standard errors of the best
    assert regret_scores([0, 0], Profits.of(profits)) == [2.0, 2.0]
    assert regret_scores([0, 3], Profits.of(profits)) == [
        3.0,
        2.0,
    ]  # both at the bottom of the scale, but one is much worse
    clear = np.concatenate([0.9 * level, 1.0 * level, np.array([[0.0, 2.5, 0.0, 2.0]])])
    assert regret_scores([0, 1], Profits.of(clear)) == [
        pytest.approx(4.7),
        5.0,
    ]  # both within the noise of the best, not of each other


@pytest.mark.parametrize("phase", ["recommendation", "bid"])
def test_replies_are_read_and_scored(states, phase):
    judge = SimulatorJudge(Simulator(samples=32), phase)
    action_values = judge.simulator.action_values(states)
    best = [judge.simulator.legal(s)[v.best] for s, v in zip(states, action_values, strict=True)]
    scores = judge.score(states, [plain_reply(amount, phase) for amount in best])
    if phase == "bid":
        assert scores == [5.0] * len(states)
    for unreadable in ("", "well, hm", "x" * 1_000_000, "Recommendation: maybe", 7, None):
        assert judge.score(states[:2], [unreadable] * 2) == [1.0, 1.0]
    both = judge.compare(
        states,
        [plain_reply(WITHDRAW, phase)] * len(states),
        [plain_reply(bounds(s.full_row, s.seat)[0], phase) for s in states],
    )
    for pair, values in zip(both, action_values, strict=True):
        assert np.sign(pair[1] - pair[0]) == values.bid_or_withdraw


def test_illegal_bids_score_one(states):
    judge = SimulatorJudge(Simulator(samples=8))
    state = states[0]
    least, most, _ = bounds(state.full_row, state.seat)
    replies = [f"I bid ${(least - 100) / 100:.2f}!", f"I bid ${(most + 100) / 100:.2f}!", f"I bid ${least / 100:.2f}!"]
    scores = judge.score([state] * 3, replies)
    assert scores[:2] == [1.0, 1.0]
    assert scores[2] >= 2.0


def test_a_random_judge_is_deterministic_and_a_mixed_judge_weights_scores(states):
    judge = RandomJudge(4)
    assert (
        judge.score(states[:3], ["a"] * 3) == judge.score(states[:3], ["a"] * 3) != judge.score(states[:3], ["b"] * 3)
    )
    mixed = MixedJudge(judge, SimulatorJudge(Simulator(samples=8)), 0.25)
    one, two = judge.score(states[:1], ["hm"])[0], 1.0
    assert mixed.score(states[:1], ["hm"]) == [pytest.approx(0.75 * one + 0.25 * two)]
    assert mixed.compare(states[:1], ["hm"], ["hm"])[0] == (pytest.approx(0.75 * one + 0.25 * two),) * 2
    with pytest.raises(ValueError, match="share: expected"):
        MixedJudge(judge, judge, 1.5)


PAIR_SCORES = json.dumps({"first": {"score": 2, "reason": "vague"}, "second": {"score": 4.5, "reason": "good"}})


def test_a_model_judges_pairs_in_one_call_and_sees_the_hidden_values(states, tmp_path):
    state = next(s for s in states if s.game == "harbor")
    with Loopback(
        lambda body: PAIR_SCORES if "second reply" in str(body["messages"]) else '{"score": 3, "reason": "ok"}'
    ) as server:
        name = f"llm:openai:m,base_url={server.url},cache={tmp_path}"
        judge = ModelJudge(model_client(name), "recommendation")
        assert judge.compare([state], ["Recommendation: bid"], ["no"]) == [(2.0, 4.5)]
        assert judge.reasons == [[(2.0, "vague"), (4.5, "good")]]
        assert judge.score([state] * 2, ["one", "two"]) == [3.0, 3.0]
        assert judge.compare([state], ["Recommendation: bid"], ["no"]) == [(2.0, 4.5)]
        assert len(server.requests) == 3  # the last came from the cache
        brief = {"bid": [{"role": "user", "content": "All in one message."}]}
        ModelJudge(model_client(name), "bid").compare([dataclasses.replace(state, messages=brief)], ["I bid."], ["no"])
        assert "All in one message." in server.requests[3]["messages"][1]["content"]
        request = server.requests[0]["messages"][1]["content"]
    view = state.view(reveal=True)
    for number in range(len(state.bidders)):
        for persona in view.personas_of(number):
            assert persona.name in truth(state)
    assert truth(state) in request
    assert "Recommendation: bid" in request
    assert len(judge_messages(state, ["x" * 1_000_000], "bid")[1]["content"]) < 20_000


def test_scores_are_read_strictly():
    assert read_scores('so: {"score": 4, "reason": "r"}', ["score"]) == [(4.0, "r")]
    for wrong in (
        '{"score": 6}',
        '{"score": true}',
        '{"score": "4"}',
        '{"score": null}',
        "nothing",
        '{"first": {"score": 2}}',
    ):
        with pytest.raises(Malformed):
            read_scores(wrong, ["first", "second"] if "first" in wrong else ["score"])


def test_a_judge_without_scores_gives_up_and_reports_their_number(states):
    with Loopback(lambda body: "I like both.") as server:
        judge = ModelJudge(model_client(f"llm:openai:m,base_url={server.url}"), patience=5)
        judge.client.concurrency = 2
        assert judge.score(states[:2], ["a"] * 2) == [None, None]
        with pytest.raises(
            JudgeFailure, match="judge m: no score for 6 states: a reply without scores: there is no JSON"
        ):
            judge.compare(states, ["a"] * len(states), ["b"] * len(states))
        assert MixedJudge(RandomJudge(), ModelJudge(judge.client)).score(states[:1], ["a"]) == [None]
    dead = ModelJudge(model_client("llm:openai:m,base_url=http://127.0.0.1:9/v1,attempts=1,backoff=0"), patience=2)
    with pytest.raises(JudgeFailure, match=r"no score for 8 states: http://127.0.0.1:9/v1: no answer"):
        dead.score(states, ["a"] * len(states))


def test_the_agreement_of_a_judge_is_the_share_of_pairs_in_which_it_prefers_the_same_reply(states):
    values = Simulator(samples=16, ladder=1).action_values(states)
    judged = [dataclasses.replace(state, action_values=each) for state, each in zip(states, values, strict=True)]
    clear = [each.bid_or_withdraw for each in values if each.bid_or_withdraw][:20]
    bids_first = '{"first": {"score": 5, "reason": "a bid"}, "second": {"score": 1, "reason": "out"}}'
    with Loopback(lambda body: bids_first) as server:
        agreement = judge_agreement(f"llm:openai:m,base_url={server.url}", judged, 20)
    same = round(sum(better > 0 for better in clear) / len(clear), 4)
    assert 0 < same < 1
    assert agreement["pairs"] == len(clear)
    assert (agreement["same"], agreement["other"], agreement["tie"], agreement["failed"]) == (same, 1 - same, 0, 0)
    with Loopback(lambda body: "I like both.") as server:
        agreement = judge_agreement(f"llm:openai:m,base_url={server.url}", judged, 20)
    assert "a reply without scores" in agreement["error"]


def test_judge_greedy_earns_more_than_expact():
    """On the same deals and against the same rivals, as in a small part of `study harbor/rlact`."""
    from aucenv.benchmarks.studies.harbor import rlact

    matches = [
        m for m in rlact.matches(("expact", "judge-greedy,samples=32"), 18, 5) if "expact, persona" in m.scenario.name
    ]
    rows = rlact.rows([m.play() for m in matches])
    assert [row["bidder"] for row in rows] == ["expact", "judge-greedy,samples=32"]
    assert rows[1]["more_low"] > 0
    assert rows[1]["more"] == pytest.approx(rows[1]["profit"] - rows[0]["profit"], abs=1e-4)


def test_judge_greedy_notes_its_action_values_and_is_seeded():
    game = "harbor", "evaluation-single", ["judge-greedy,samples=4,ladder=2", "persona", "expact"], 2
    record = aucenv.play(*game)
    assert record.to_json() == aucenv.play(*game).to_json()
    decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    for decision in decisions:
        values = decision["notes"]["worth"]
        chosen = "withdraw" if decision["amount"] is None else f"{decision['amount']:g}"
        assert values[chosen] == max(values.values())
        assert decision["notes"]["rule"] in "ABC" if decision["amount"] is not None else "DEF"
    english = aucenv.play("english", "standard-20k-random", ["judge-greedy,samples=4,own=pace", "rule", "value"], 2)
    assert any("worth" in decision["notes"] for decision in english.decisions)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("judge-greedy,samples=1", "samples: expected a whole number from 2"),
        ("judge-greedy,samples=many", "samples: expected a whole number, got 'many'"),
        ("judge-greedy,rivals=recorded", "rivals: expected rule bidders"),
        ("judge-greedy,rivals=nobody", "bidder 'nobody', rule bidder"),
        ("judge-greedy,own=expact;lift=99", "lift: expected a number from 0 to 10, got '99'"),
        ("judge-greedy,noise=x", "noise: expected a number"),
        ("judge-greedy,noise=1_0", "noise: expected a number"),
        ("judge-greedy,samples=" + "9" * 5000, "samples: expected a whole number"),
        ("judge-greedy,own=expact_true", "expected a bidder that does not cheat"),
        ("judge-greedy:x", "takes no :ARG"),
        ("judge-greedy,depth=3", "parameter"),
    ],
)
def test_bad_names_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        aucenv.make_policy("harbor", name)


def test_judge_greedy_plays_harbor_and_english_only():
    with pytest.raises(ValueError, match="game: expected one of english, harbor"):
        aucenv.make_policy("clock", "judge-greedy")


def test_judge_greedy_needs_no_extra():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('jinja2', 'openai', 'torch', 'sklearn', 'datasets')))\n"
        "import aucenv; from aucenv.cli import main; aucenv.make_policy('harbor', 'judge-greedy')\n"
        "import aucenv.benchmarks.studies.harbor.rlact; main(['bidders', '--game', 'harbor'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "judge-greedy" in done.stdout
