"""Rivals: the games are the same in all environments and in `play`."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import get_args

import numpy as np
import pytest
from games import CASES, every_case_slow_except, playable_bidders
from tables import Player

import aucenv
from aucenv import play
from aucenv.envs import forms
from aucenv.policy import Policy, PolicyError
from aucenv.registration import FAMILIES
from aucenv.runs.records import make_record


class Learner(Player):
    """A policy that takes random legal vector actions, and records them."""

    interface = "vector"

    def __init__(self):
        self.actions = []

    def reset(self, seat, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, view, observation):
        self.actions.append(int(self.rng.choice(np.flatnonzero(observation["action_mask"]))))
        return self.actions[-1]


def lineups(family):
    """Return lineups of each rule bidder in all seats except the learner's, and of a mixture of all rule bidders."""
    seats = len(family.parallel_env().possible_agents)
    names = [*playable_bidders(family.name)]
    return [[name] * (seats - 1) for name in names] + [["|".join(names)] * (seats - 1)]


def without_notes(record):
    return [{**decision, "notes": {}} for decision in record.decisions], record.deal, record.outcome


@every_case_slow_except("english", "water_allocation")
def test_rows_with_rivals_are_the_games_of_parallel_envs(case):
    """Compare observations, masks, rewards and ends of every lineup, with automatic resets."""
    for rivals in lineups(case.family):
        check_batch_equals_envs(case.family, rivals, 4, 2)
    mapping = {"bidder_1": "|".join(playable_bidders(case.name))}
    check_batch_equals_envs(case.family, mapping, 4, 1)


def check_batch_equals_envs(family, rivals, rows, threads, games=2):
    batch = family.batch_env(rows, threads, rivals=rivals)
    envs = [family.parallel_env(rivals=rivals) for _ in range(rows)]
    batch.reset(seed=3)
    observations = [env.reset(seed=3 + row)[0] for row, env in enumerate(envs)]
    agents = envs[0].possible_agents
    assert batch.possible_agents == agents
    rng = np.random.default_rng(0)
    games_left = np.full(rows, games)
    while games_left.any():
        actions = np.zeros((rows, len(agents)), int)
        for row, env in enumerate(envs):
            for column, agent in enumerate(agents):
                if env.agents and games_left[row]:
                    np.testing.assert_array_equal(
                        batch.observations[row, column], observations[row][agent]["observation"]
                    )
                    np.testing.assert_array_equal(batch.masks[row, column], observations[row][agent]["action_mask"])
                actions[row, column] = rng.choice(np.flatnonzero(batch.masks[row, column]))
        batch.step(actions)
        for row, env in enumerate(envs):
            if not games_left[row]:
                continue
            if not env.agents:
                observations[row], _ = env.reset()
                continue
            actions_by_agent = {agent: int(actions[row, column]) for column, agent in enumerate(agents)}
            new_observations, rewards, terminated, truncated, _ = env.step(actions_by_agent)
            observations[row] = new_observations or observations[row]
            assert batch.rewards[row].tolist() == [rewards[agent] for agent in agents]
            assert (batch.terminated[row], batch.truncated[row]) == (any(terminated.values()), any(truncated.values()))
            games_left[row] -= bool(batch.terminated[row] or batch.truncated[row])


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_a_learner_among_rivals_plays_the_same_game_as_in_play(family):
    for seed, rivals in enumerate(lineups(family)):
        env = family.parallel_env(rivals=rivals)
        env.reset(seed=seed)
        learner, names = Learner(), [env.rivals[f"bidder_{seat}"] for seat in range(1, len(rivals) + 1)]
        record = play(family.name, env.scenario, [learner, *names], seed)
        for action in learner.actions:
            assert env.table.is_pending(0)
            env.step({"bidder_0": action})
        assert not env.agents
        env_record = make_record(env.table, [seed], 0, ["Learner", *names])
        assert without_notes(env_record) == without_notes(record)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_ten_thousand_rows_are_the_same_games_as_in_play(family):
    """Compare the scores of all seats and the number of the learner's decisions, with one and two threads."""
    games = -(-10_000 // len(lineups(family)))
    for number, rivals in enumerate(lineups(family)):
        env, first = family.parallel_env(rivals=rivals), 100_000 * number
        learners, scores = [], []
        for seed in range(first, first + games):
            env.reset(seed=seed)
            learners.append(Learner())
            names = [env.rivals[f"bidder_{seat}"] for seat in range(1, len(rivals) + 1)]
            record = play(family.name, env.scenario, [learners[-1], *names], seed)
            scores.append([seat[CASES[family.name].score] for seat in record.outcome["seats"]])
        actions = np.zeros((games, max(len(learner.actions) for learner in learners) + 1), int)
        for row, learner in enumerate(learners):
            actions[row, : len(learner.actions)] = learner.actions
        for threads in (1, 2):
            batch = family.batch_env(games, threads, rivals=rivals)
            batch.reset(seed=first)
            num_decisions, over = np.zeros(games, int), batch.terminated.copy()
            final_scores = np.zeros((games, len(rivals) + 1))
            for step in range(actions.shape[1]):
                num_decisions += batch.acting[:, 0] & ~over
                batch.step(actions[:, step, None])
                assert not batch.illegal_bids[~over].any()
                ended = (batch.terminated | batch.truncated) & ~over
                final_scores[ended] = batch._buffers[-2][ended, :, 0]
                over |= ended
            assert over.all()
            assert num_decisions.tolist() == [len(learner.actions) for learner in learners]
            cents = 1 if family.name == "water_allocation" else 100
            assert np.array_equal(final_scores, np.rint(np.array(scores) * cents))
            batch.close()


def test_every_bidder_of_a_mixture_and_every_seat_is_drawn():
    batch = aucenv.english_v0.batch_env(600, rivals=["rule|value|pace", "drain"], seat="random")
    batch.reset(seed=0)
    assert batch.possible_agents == ["learner"]
    assert sorted(np.unique(batch.seats[:, 0])) == [0, 1, 2]
    assert np.bincount(batch.seats[:, 0]).min() > 150
    env = aucenv.english_v0.parallel_env(rivals=["rule|value|pace", "drain"])
    names = {env.reset(seed=seed) and env.rivals["bidder_1"] for seed in range(40)}
    assert names == {"rule", "value", "pace"}


def test_steps_skip_rounds_without_a_learners_decision():
    batch = aucenv.english_v0.batch_env(200, rivals=["rule", "value"])
    batch.reset(seed=0)
    for _ in range(60):
        over = batch.terminated | batch.truncated
        assert (batch.acting[:, 0] | over).all()
        batch.step((batch.masks[:, :, 1] & 1).astype(int))


@pytest.mark.parametrize("form", ["env", "parallel_env"])
def test_copies_and_pickles_draw_the_same_rivals(form):
    env = getattr(aucenv.english_v0, form)(rivals=["rule", "value"])
    env.reset(seed=5)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for e in (env, other):
            e.reset(seed=6)
        assert env.unwrapped.rivals == other.unwrapped.rivals


@pytest.mark.parametrize(
    ("rivals", "message"),
    [
        (["rule"], r"expected a list of 2 bidders.* got \['rule'\]"),
        ("rule", "expected a list of 2 bidders"),
        ({"bidder_9": "rule"}, "rivals, seat: expected one of bidder_0, bidder_1, bidder_2, got 'bidder_9'"),
        ({f"bidder_{seat}": "rule" for seat in range(3)}, "expected at least one seat without a rival"),
        (["rle", "rule"], "did you mean 'rule'"),
        (["rule|vale", "rule"], "did you mean 'value'"),
        (["value,margin=7", "rule"], "margin"),
        ([Learner(), Learner()][:1] * 2, "a separate policy for each seat"),
    ],
)
@pytest.mark.parametrize("form", ["parallel_env", "batch_env"])
def test_invalid_rivals_are_refused(form, rivals, message):
    with pytest.raises(ValueError, match=message):
        getattr(aucenv.english_v0, form)(*([2] if form == "batch_env" else []), rivals=rivals)


@pytest.mark.parametrize("form", ["parallel_env", "batch_env", "seat_env", "vector_env"])
def test_core_takes_no_names(form):
    """Only the classes that `env_forms` creates resolve names; their base classes, in core, expect policies."""
    env_class = getattr(aucenv.english_v0, form)
    env = env_class.__new__(env_class)
    arguments = [2] if form in ("batch_env", "vector_env") else []
    scenario = aucenv.english_v0.game.load_scenario("standard-20k-random")
    with pytest.raises(
        ValueError, match="rivals, position 1: expected a Policy, got the name 'rule'; the environments"
    ):
        env_class.__base__.__init__(env, scenario, *arguments, rivals=["rule", "value"])


def test_policies_need_no_registry_of_bidders(monkeypatch):
    monkeypatch.setattr(forms, "REGISTRY", "aucenv.no_module")
    env = aucenv.english_v0.seat_env(rivals=[Learner(), Learner()])
    env.reset(seed=0)
    assert set(env.rivals.values()) == {"Learner"}
    with pytest.raises(ModuleNotFoundError, match=r"aucenv\.no_module"):
        aucenv.english_v0.seat_env(rivals=[Learner(), "rule"])


def test_signatures_say_which_environments_take_policies():
    for form, bidder in (("env", str | Policy), ("seat_env", str | Policy), ("batch_env", str), ("vector_env", str)):
        types = inspect.signature(getattr(aucenv.english_v0, form)).parameters["rivals"].annotation
        assert {get_args(kind)[-1] for kind in get_args(types) if kind is not type(None)} == {bidder}


def test_only_learners_have_an_interface():
    with pytest.raises(ValueError, match="expected one for each of bidder_0, got"):
        aucenv.english_v0.parallel_env(rivals=["rule", "rule"], interface={"bidder_0": "vector", "bidder_1": "amount"})


def test_policies_can_be_rivals_at_tables_and_not_in_batches():
    env = aucenv.english_v0.parallel_env(rivals=[Learner(), "rule"])
    env.reset(seed=1)
    while env.agents:
        env.step({"bidder_0": 0})
    with pytest.raises(ValueError, match="expected names of rule bidders in a batch; parallel_env takes any policy"):
        aucenv.english_v0.batch_env(2, rivals=[Learner(), "rule"])
    with pytest.raises(ValueError, match="rule bidder"):
        aucenv.english_v0.batch_env(2, rivals=["llm:openai:x", "rule"])


class FailingPolicy(Learner):
    def act(self, view, observation):
        raise KeyError("lost")


def test_the_error_of_a_rival_names_it_with_game_seat_item_and_round():
    env = aucenv.english_v0.parallel_env(rivals=[FailingPolicy(), "rule"])
    with pytest.raises(PolicyError, match="rival 'FailingPolicy' at bidder_1, english_v0, item 0, round 0: 'lost'"):
        env.reset(seed=0)


def test_the_learners_seat_can_be_chosen_with_a_list_of_rivals():
    for arguments, message in (
        ({"seat": "random"}, "expected None, got 'random' without rivals"),
        ({"seat": 3, "rivals": ["rule", "rule"]}, "seat: expected one of"),
        ({"seat": "random", "rivals": {"bidder_1": "rule"}}, "with seat='random', expected a list"),
    ):
        with pytest.raises(ValueError, match=message):
            aucenv.english_v0.batch_env(2, **arguments)
    batch = aucenv.english_v0.batch_env(2, rivals=["rule", "value"], seat=2)
    assert batch.possible_agents == ["bidder_2"]
