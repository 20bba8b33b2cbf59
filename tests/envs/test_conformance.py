"""PettingZoo's tests with all kinds of arguments; `check_game` runs them with each interface alone."""

from __future__ import annotations

import functools
import inspect
import pickle
import re
import types

import numpy as np
import pettingzoo
import pytest
from games import CASES, all_move, every_case
from gymnasium.utils.env_checker import data_equivalence
from paths import ROOT
from pettingzoo.test import max_cycles_test, parallel_api_test, performance_benchmark
from pettingzoo.utils.conversions import aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper
from tables import MIXED, WORDED

import aucenv
from aucenv.core.state import WITHDRAW
from aucenv.registration import FAMILIES
from aucenv.testing.games import check_interface

# PettingZoo accepts Dict observations without this warning only for a fixed list of its environments
DICT_OBSERVATION = [
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
]
MIXED_ONLY = ["Agents have different observation space sizes"]
# api_test warns about every action space that is neither a Box nor a Discrete
TEXT_ONLY = ["Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete"]
README = (ROOT / "README.md").read_text()
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
one_moves = pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in CASES.items() if case.one_moves]
)
every_setup = pytest.mark.parametrize(
    ("family", "kwargs"),
    [
        pytest.param(case.family, kwargs, id=f"{case.name}-{name}")
        for case in CASES.values()
        for name, kwargs in case.setups.items()
    ],
)


@pytest.fixture(autouse=True)
def only_listed_warnings(recwarn):
    yield
    unlisted = {str(w.message) for w in recwarn} - {*DICT_OBSERVATION, *MIXED_ONLY, *TEXT_ONLY}
    assert not unlisted


pytestmark = [
    pytest.mark.filterwarnings(f"default:{message}") for message in [*DICT_OBSERVATION, *MIXED_ONLY, *TEXT_ONLY]
]


@every_setup
def test_arguments(family, kwargs):
    check_interface(family, kwargs)


NOT_RUN = {
    "bombardment_test": "in PettingZoo 1.27, its own environments fail, too: it takes the result of `step` for an observation",
    "manual_control_test": "it needs a keyboard",
    "collect_render_results": "it is a part of render_test",
    "test_save_obs": "it prints why observations that are no pictures are not saved, and passes",
}
"""The functions of pettingzoo.test that the README does not list, and why."""


def test_the_readme_names_the_conformance_tests():
    functions = {name for name, value in vars(pettingzoo.test).items() if inspect.isfunction(value)}
    listed = set(re.findall(r"`(\w+)`", README)) & functions
    assert listed == functions - set(NOT_RUN)


@every_family
def test_max_cycles_with_the_arguments_of_the_readme(family):
    [arguments] = re.findall(r"`max_cycles_test` and [^.]* need `([^`]+)`", README)
    given = eval(f"dict({arguments})")
    forms = {name: functools.partial(getattr(family, name), **given) for name in ("env", "parallel_env")}
    max_cycles_test(types.SimpleNamespace(**forms))
    parallel_api_test(aec_to_parallel(family(**given)), num_cycles=100)


@every_family
def test_pettingzoo_can_convert_envs_that_raise_errors(family):
    parallel_api_test(aec_to_parallel(family(idle_turns=True, illegal="raise")), num_cycles=100)


@every_family
def test_a_family_can_be_pickled(family):
    assert pickle.loads(pickle.dumps(family)) is family


@every_case
@pytest.mark.parametrize("interface", ["vector", WORDED], ids=["vector", "all three"])
def test_performance_benchmark(case, interface, monkeypatch, capsys):
    clock = iter([0.0, *([1.0] * 100), 10.0, 10.0])
    monkeypatch.setattr("time.time", lambda: next(clock))
    performance_benchmark(case.family(**case.three, interface=interface))
    assert "turns per second" in capsys.readouterr().out


@every_case
def test_pettingzoo_make_creates_envs(case):
    family = case.family
    aec = pettingzoo.make("aec", family.env_name, **case.small)
    assert isinstance(aec, OrderEnforcingWrapper)
    parallel = pettingzoo.make("parallel", family.env_name, max_cycles=5)
    assert parallel.max_cycles == 5


def test_envs_have_the_wrappers_of_pettingzoo():
    assert isinstance(aucenv.english_v0().env, AssertOutOfBoundsWrapper)
    for interface in ("amount", MIXED):
        assert not isinstance(aucenv.english_v0(interface=interface).env, AssertOutOfBoundsWrapper)


@every_case
def test_spaces_are_one_object_per_interface(case):
    env = case.family(**case.three, interface=MIXED)
    for space in (env.observation_space, env.action_space):
        assert space("bidder_0") is space("bidder_2")
        assert space("bidder_0") is not space("bidder_1")
        assert space("bidder_0") is space("bidder_0")


@all_move
def test_a_refused_seat_leaves_the_round_open_in_parallel(case):
    env = case.family.parallel_env(**case.strict, interface="amount", infos="full")
    before, _ = env.reset(seed=0)
    legal = case.legal(env)
    after, rewards, _, _, infos = env.step({"bidder_0": legal, "bidder_1": case.illegal, "bidder_2": legal})
    assert f"${case.illegal:,.2f}" in infos["bidder_1"]["refused"]
    assert infos["bidder_0"]["refused"] is None
    assert data_equivalence(before, after)
    assert set(rewards.values()) == {0.0}
    assert env.table.rounds == 0
    _, _, _, _, infos = env.step({"bidder_0": -1, "bidder_1": legal, "bidder_2": -1})
    assert infos["bidder_1"]["refused"] is None
    assert env.table.rounds == 1
    assert [decision.amount for decision in env.table.decisions] == [legal * 100] * 3


@one_moves
def test_in_parallel_one_seat_moves_in_a_step_and_the_others_have_one_action(case):
    env = case.family.parallel_env(**case.strict, infos="full")
    observations, _ = env.reset(seed=0)
    for moves in range(10):
        masks = {agent: observation["action_mask"] for agent, observation in observations.items()}
        [mover] = [agent for agent in env.agents if masks[agent].sum() > 1]
        assert all(mask.tolist() == [1] + [0] * (len(mask) - 1) for agent, mask in masks.items() if agent != mover)
        assert env.table.rounds == moves
        observations, rewards, *_ = env.step(dict.fromkeys(env.agents, 0))
        assert [decision.seat for decision in env.table.decisions][-1] == int(mover.removeprefix("bidder_"))
        assert set(rewards.values()) == {0.0}


@one_moves
def test_in_parallel_a_refused_seat_moves_again(case):
    env = case.family.parallel_env(**case.strict, interface="amount", infos="full")
    before, _ = env.reset(seed=0)
    [mover] = [agent for agent in env.agents if env.view(agent).must_decide]
    after, _, _, _, infos = env.step(dict.fromkeys(env.agents, case.illegal))
    assert [agent for agent in env.agents if infos[agent]["refused"]] == [mover]
    assert data_equivalence(before, after)
    env.step(dict.fromkeys(env.agents, case.legal(env)))
    assert [(decision.seat, decision.amount) for decision in env.table.decisions] == [
        (env.possible_agents.index(mover), case.legal(env) * 100)
    ]


@all_move
def test_in_parallel_a_seat_that_has_replied_has_one_action(case):
    env = case.family.parallel_env(**case.strict, interface=MIXED)
    env.reset(seed=0)
    observations, *_ = env.step({"bidder_0": 1, "bidder_1": case.illegal, "bidder_2": 1})
    mask = observations["bidder_0"]["action_mask"]
    assert mask.tolist() == [1] + [0] * (len(mask) - 1)
    assert "action_mask" not in observations["bidder_1"]


@every_case
def test_aec_immediately_gives_a_refused_seat_another_turn_until_its_last_retry(case):
    env = case.family(**case.strict, interface="amount", max_retries=2, infos="full")
    env.reset(seed=0)
    for _ in range(2):
        env.step(np.array([case.illegal]))
        assert env.agent_selection == "bidder_0"
        assert env.infos["bidder_0"]["refused"]
    env.step(np.array([case.illegal]))
    assert env.agent_selection == "bidder_1"
    assert env.infos["bidder_0"]["refused"] is None
    while not env.unwrapped.table.rounds:
        env.step(np.array([case.legal(env.unwrapped)]))
    decision = env.unwrapped.table.decisions[0]
    assert (decision.amount, decision.action, len(decision.attempts)) == (WITHDRAW, None, 3)


@every_family
def test_masks_in_infos_equal_those_in_observations(family):
    env = family(mask_in_info=True)
    env.reset(seed=0)
    for _ in env.agent_iter(15):
        observation, _, _, _, info = env.last()
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        env.step(int(np.flatnonzero(info["action_mask"])[-1]))
