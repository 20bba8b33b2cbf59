"""The simulator judge against exhaustive play-out; scores; a model as the judge; judge-greedy."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest
from aucenv.baselines.llm.json_replies import Malformed
from aucenv.baselines.scripted.english import decide
from aucenv.baselines.scripted.rollout import read_lineups
from aucenv.benchmarks.loopback import Loopback
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.judges import (
    JudgeFailure,
    MixedJudge,
    RandomJudge,
    SimulatorJudge,
    score_of,
)
from aucenv.training.rlact.messages import reply_of
from aucenv.training.rlact.model_judge import ModelJudge, asked_by, judge_messages, read_scores, truth
from aucenv.training.rlact.simulator import Simulator, legal_ladder
from aucenv.training.rlact.states import bounds
from tables import scenario_of

import aucenv
from aucenv.core.state import RUNNING, WITHDRAW
from aucenv.core.table import Table
from aucenv.envs.english import rules
from aucenv.envs.english.env import GAME


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(40, ("harbor", "english"), seed=3), "train"))


def small_state(rng):
    """The second of three items between two bidders with small budgets, whose values the first item told."""
    prices, values, budgets = (
        (rng.integers(low, high, 3) * 100).tolist() for low, high in ((5, 15), (8, 40), (10, 40))
    )
    scenario = scenario_of(prices, 2, values=values)
    bidders = tuple(dataclasses.replace(b, budget=x) for b, x in zip(scenario.bidders, budgets, strict=False))
    return dataclasses.replace(scenario, bidders=bidders)


def play_to(scenario, rng):
    """A state in which seat 0 decides on the second or third item; None where there is none."""
    table = Table(GAME, scenario, ["amount"] * 2)
    table.reset(int(rng.integers(10**6)))
    wait = int(rng.integers(0, 3))
    while not table.over:
        if table.item > 0 and table.is_pending(0) and table.state["winner"][0, 0] >= 0:
            if wait == 0:
                return table
            wait -= 1
        seat = table.pending[0]
        least = table.view(seat).least_bid
        table.submit(seat, least if rng.random() < 0.6 else -1)
    return None


def exact(state, answers, kinds, params):
    """The expected final profit of seat 0, over all ways in which ties may fall."""
    state = state.copy()
    acting = [seat for seat in range(2) if state["acting"][0, seat]]
    for seat in acting:
        if seat not in answers:
            answers[seat] = int(decide(kinds[seat], params[seat], state, 0, seat))
    bids = {seat: answers[seat] for seat in acting if answers[seat] >= 0}
    tied = [seat for seat in bids if bids[seat] == max(bids.values())]
    ends = []
    for winner in tied or [-1]:
        after = state.copy()
        after["forced_tie"] = winner
        rules.step(after, 0, np.array([answers.get(0, WITHDRAW), answers.get(1, WITHDRAW)]))
        over = after["status"][0] != RUNNING
        ends.append(float(after["profit"][0, 0]) if over else exact(after, {}, kinds, params))
    return sum(ends) / len(ends)


def believed(seen):
    """What the rival may think: its over-estimate may be anything up to 20%."""
    for over in np.linspace(0, 0.2, 21):
        row = seen.copy()
        row["estimate"][0, 1, :3] = np.round(row["value"][0, :3] * (1 + over))
        yield row


def test_the_simulator_finds_the_action_that_exhaustive_play_out_finds():
    rng = np.random.default_rng(0)
    simulator = Simulator(samples=256, own="rule;k=3", rivals="rule;k=1+rule;k=5+value;margin=0.1", noise=0, ladder=2)
    states, tables = [], []
    while len(tables) < 120:
        table = play_to(small_state(rng), rng)
        if table is not None and legal_ladder(table.state, 0, 2) != [WITHDRAW]:
            tables.append(table)
            states.append(as_state(table, len(states)))
    lineups = simulator.lineups("english", 0, ["", ""])
    kinds, params = read_lineups("english", lineups, tables[0].scenario)
    same = clear = 0
    for state, earned in zip(states, simulator.profits(states, [simulator.legal(s) for s in states]), strict=True):
        seen = state.row.copy()
        seen["value"][0, :3] = np.round(state.row["estimate"][0, 0, :3] / 1.1)
        expected = [
            np.mean(
                [
                    np.mean([exact(row, {0: action}, k, p) for row in believed(seen)])
                    for k, p in zip(kinds, params, strict=True)
                ]
            )
            for action in simulator.legal(state)
        ]
        assert earned.mean(1) == pytest.approx(expected, abs=4 * earned.std() / 16 + 5)
        first, second = sorted(expected)[:-3:-1]
        if first - second > 1:
            clear += 1
            same += int(earned.mean(1).argmax()) == int(np.argmax(expected))
    assert clear > 80
    assert same >= 0.98 * clear


def as_state(table, number):
    from aucenv.training.rlact.states import DecisionState

    return DecisionState(
        id=f"{number:016x}", split="train", game="english", env_version=0, scenario=table.scenario.to_dict(),
        seed=(0,), bidders=("rule", "rule"), seat=0, row=table.state.copy(), history=(), descriptions=(), profiles=(),
        legal={}, stratum="", messages={},
    )  # fmt: skip


def test_the_same_draws_for_all_actions_and_whatever_stands_beside(states):
    simulator = Simulator(samples=32)
    actions = [simulator.legal(state) for state in states]
    together = simulator.profits(states, actions)
    alone = simulator.profits([states[3]], [[*actions[3][:1], *actions[3][:1]]])[0]
    assert (alone[0] == alone[1]).all()  # the same action twice: the same draws
    assert (alone[0] == together[3][0]).all()
    threads = dataclasses.replace(simulator, threads=2)
    for a, b in zip(together, threads.profits(states, actions), strict=True):
        assert (a == b).all()
    paired = np.mean([np.var(x[1] - x[0]) for x in together])
    apart = np.mean([np.var(x[1]) + np.var(x[0]) for x in together])
    assert apart > 1.3 * paired


def test_nothing_hidden_counts(states):
    """Judged by what the seat sees alone: other hidden values and personas change nothing."""
    rng = np.random.default_rng(1)
    simulator = Simulator(samples=16)
    changed = []
    for state in states:
        row = state.row.copy()
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
        changed.append(dataclasses.replace(state, row=row))
    assert simulator.worths(states) == simulator.worths(changed)


def test_rivals_are_who_they_are_said_to_be(states):
    state = next(s for s in states if s.game == "harbor" and len(s.bidders) == 3)
    with pytest.raises(ValueError, match="bidder 'nobody', rule bidder: expected one of"):
        Simulator(rivals="nobody").worths([state])
    assert len(Simulator(rivals="expact+persona+pace").lineups("harbor", 1, ["a", "b", "c"])) == 9
    assert Simulator(rivals="recorded").lineups("harbor", 1, ["a", "b", "c"]) == [("a", "expact", "c")]
    drawn = Simulator(rivals="expact+persona+pace").lineups("harbor", 0, [""] * 16)
    assert len(drawn) == 36
    assert {len(lineup) for lineup in drawn} == {16}
    human = dataclasses.replace(state, bidders=tuple("human" for _ in state.bidders))
    with pytest.raises(ValueError, match="bidder 'human', rule bidder"):
        Simulator(rivals="recorded").worths([human])
    with pytest.raises(ValueError, match="bidder 'expact_true': expected one that does not cheat"):
        Simulator(own="expact_true").check("harbor")


def test_noise_makes_rivals_do_the_opposite(states):
    """Always: a rival that bids as long as it can leaves at once, and one that never bids does."""
    state = next(s for s in states if s.game == "english" and len(s.bidders) == 2)
    actions = [[bounds(state.row, 0)[0]]]
    calm, upset = (
        Simulator(samples=8, own="rule;k=1", rivals=f"rule;k={k}", noise=noise).profits([state], actions)[0]
        for k, noise in ((0, 0), (1000, 1))
    )
    assert (calm == upset).all()


def test_scores_by_hand():
    level = np.ones((1, 4))
    earned = np.concatenate([0.0 * level, 1.0 * level, 0.5 * level, -3.0 * level])  # in units that cost all points
    assert score_of([0, 1], earned) == [2.0, 5.0]
    assert score_of([2, 3], earned) == [3.5, 2.0]
    assert score_of([None, 1], earned) == [1.0, 5.0]
    assert score_of([2], earned) == [3.5]
    noisy = np.array([[0.0, 0.1, 0.0, 0.1], [0.1, 0.0, 0.1, 0.01]])
    assert score_of([0, 1], noisy) == [5.0, 5.0]  # within two standard errors of the best
    assert score_of([0, 0], earned) == [2.0, 2.0]
    assert score_of([0, 3], earned) == [3.0, 2.0]  # as bad as can be, both, but one much worse
    sure = np.concatenate([0.9 * level, 1.0 * level, np.array([[0.0, 2.5, 0.0, 2.0]])])
    assert score_of([0, 1], sure) == [pytest.approx(4.7), 5.0]  # both within the noise of the best, not of each other


@pytest.mark.parametrize("phase", ["recommendation", "bid"])
def test_replies_are_read_and_scored(states, phase):
    judge = SimulatorJudge(Simulator(samples=32), phase)
    worths = judge.simulator.worths(states)
    best = [judge.simulator.legal(s)[w.best] for s, w in zip(states, worths, strict=True)]
    scores = judge.score(states, [reply_of(amount, phase) for amount in best])
    if phase == "bid":
        assert scores == [5.0] * len(states)
    for unreadable in ("", "well, hm", "x" * 1_000_000, "Recommendation: maybe", 7, None):
        assert judge.score(states[:2], [unreadable] * 2) == [1.0, 1.0]
    both = judge.compare(
        states, [reply_of(WITHDRAW, phase)] * len(states), [reply_of(bounds(s.row, s.seat)[0], phase) for s in states]
    )
    for pair, worth in zip(both, worths, strict=True):
        assert np.sign(pair[1] - pair[0]) == worth.bid_or_withdraw


def test_illegal_bids_get_one(states):
    judge = SimulatorJudge(Simulator(samples=8))
    state = states[0]
    least, most, _ = bounds(state.row, state.seat)
    said = [f"I bid ${(least - 100) / 100:.2f}!", f"I bid ${(most + 100) / 100:.2f}!", f"I bid ${least / 100:.2f}!"]
    scores = judge.score([state] * 3, said)
    assert scores[:2] == [1.0, 1.0]
    assert scores[2] >= 2.0


def test_a_random_judge_is_the_same_for_the_same_and_a_mix_weighs(states):
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


SAID = json.dumps({"first": {"score": 2, "reason": "vague"}, "second": {"score": 4.5, "reason": "good"}})


def test_a_model_judges_pairs_in_one_call_and_is_told_the_truth(states, tmp_path):
    state = next(s for s in states if s.game == "harbor")
    with Loopback(
        lambda body: SAID if "second reply" in str(body["messages"]) else '{"score": 3, "reason": "ok"}'
    ) as server:
        name = f"llm:openai:m,base_url={server.url},cache={tmp_path}"
        judge = ModelJudge(asked_by(name), "recommendation")
        assert judge.compare([state], ["Recommendation: bid"], ["no"]) == [(2.0, 4.5)]
        assert judge.reasons == [[(2.0, "vague"), (4.5, "good")]]
        assert judge.score([state] * 2, ["one", "two"]) == [3.0, 3.0]
        assert judge.compare([state], ["Recommendation: bid"], ["no"]) == [(2.0, 4.5)]
        assert len(server.requests) == 3  # the last came from the cache
        brief = {"bid": [{"role": "user", "content": "All in one message."}]}
        ModelJudge(asked_by(name), "bid").compare([dataclasses.replace(state, messages=brief)], ["I bid."], ["no"])
        assert "All in one message." in server.requests[3]["messages"][1]["content"]
        asked = server.requests[0]["messages"][1]["content"]
    view = state.view(reveal=True)
    for number in range(len(state.bidders)):
        for persona in view.personas_of(number):
            assert persona.name in truth(state)
    assert truth(state) in asked
    assert "Recommendation: bid" in asked
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


def test_a_judge_that_never_scores_stops_with_the_count(states):
    with Loopback(lambda body: "I like both.") as server:
        judge = ModelJudge(asked_by(f"llm:openai:m,base_url={server.url}"), patience=5)
        judge.asked.concurrency = 2
        assert judge.score(states[:2], ["a"] * 2) == [None, None]
        with pytest.raises(
            JudgeFailure, match="judge m: no score for 6 states: a reply without scores: there is no JSON"
        ):
            judge.compare(states, ["a"] * len(states), ["b"] * len(states))
        assert MixedJudge(RandomJudge(), ModelJudge(judge.asked)).score(states[:1], ["a"]) == [None]
    dead = ModelJudge(asked_by("llm:openai:m,base_url=http://127.0.0.1:9/v1,attempts=1,backoff=0"), patience=2)
    with pytest.raises(JudgeFailure, match=r"no score for 8 states: http://127.0.0.1:9/v1: no answer"):
        dead.score(states, ["a"] * len(states))


def test_judge_greedy_plays_what_earns_more():
    """On the same deals, against the same rivals, it earns more than ExpAct: a small share of `study harbor/rlact`."""
    from aucenv.benchmarks.reproduce.harbor import rlact

    matches = [
        m for m in rlact.matches(("expact", "judge-greedy,samples=32"), 36, 5) if "expact, persona" in m.scenario.name
    ]
    rows = rlact.rows([m.play() for m in matches])
    assert [row["bidder"] for row in rows] == ["expact", "judge-greedy,samples=32"]
    assert rows[1]["more_low"] > 0
    assert rows[1]["more"] == pytest.approx(rows[1]["profit"] - rows[0]["profit"], abs=1e-4)


def test_judge_greedy_notes_what_it_weighed_and_is_seeded():
    game = "harbor", "evaluation-single", ["judge-greedy,samples=4,ladder=2", "persona", "expact"], 2
    record = aucenv.play(*game)
    assert record.to_json() == aucenv.play(*game).to_json()
    own = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    for decision in own:
        worth = decision["notes"]["worth"]
        chosen = "withdraw" if decision["amount"] is None else f"{decision['amount']:g}"
        assert worth[chosen] == max(worth.values())
        assert decision["notes"]["rule"] in "ABC" if decision["amount"] is not None else "DEF"
    english = aucenv.play("english", "standard-20k-random", ["judge-greedy,samples=4,own=pace", "rule", "value"], 2)
    assert any("worth" in decision["notes"] for decision in english.decisions)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("judge-greedy,samples=1", "samples: expected a whole number from 2"),
        ("judge-greedy,samples=many", "samples: expected a whole number, got 'many'"),
        ("judge-greedy,rivals=recorded", "rivals: expected rule bidders"),
        ("judge-greedy,rivals=nobody", "bidder 'nobody', rule bidder"),
        ("judge-greedy,own=expact;lift=99", "lift = '99'"),
        ("judge-greedy,noise=x", "noise: expected a number"),
        ("judge-greedy,noise=1_0", "noise: expected a number"),
        ("judge-greedy,samples=" + "9" * 5000, "samples: expected a whole number"),
        ("judge-greedy,own=expact_true", "expected one that does not cheat"),
        ("judge-greedy:x", "takes no :ARG"),
        ("judge-greedy,depth=3", "parameter"),
    ],
)
def test_bad_names(name, said):
    with pytest.raises(ValueError, match=said):
        aucenv.make_policy("harbor", name)


def test_judge_greedy_plays_harbor_and_english():
    with pytest.raises(ValueError, match="game: expected one of english, harbor"):
        aucenv.make_policy("clock", "judge-greedy")


def test_judge_greedy_needs_no_extra():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('jinja2', 'openai', 'torch', 'sklearn', 'datasets')))\n"
        "import aucenv; from aucenv.cli import main; aucenv.make_policy('harbor', 'judge-greedy')\n"
        "import aucenv.benchmarks.reproduce.harbor.rlact; main(['bidders', '--game', 'harbor'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "judge-greedy" in done.stdout
