"""The infos of environments, and the forms of observations."""

from __future__ import annotations

import numpy as np
import pytest
from games import every_case

import aucenv


def random_play(env, seed: int = 0):
    """Play a game with random legal actions; yield the observations and infos of each step."""
    rng = np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    yield observations, infos
    while env.agents:
        actions = {agent: int(rng.choice(np.flatnonzero(env.action_mask(agent)))) for agent in env.agents}
        observations, _, _, _, infos = env.step(actions)
        yield observations, infos


@every_case
def test_infos_have_the_same_fields_and_are_finite_numbers_of_fixed_types(case):
    layouts = set()
    for _, infos in random_play(case.family.parallel_env()):
        for info in infos.values():
            assert all(type(value) in (int, float) and np.isfinite(value) for value in info.values()), info
            layouts.add(tuple((name, type(value)) for name, value in info.items()))
    assert len(layouts) == 1


@every_case
def test_full_infos_have_the_same_fields(case):
    games = [random_play(case.family.parallel_env(infos=infos)) for infos in ("numbers", "full", "none")]
    for (_, numbers), (_, full), (_, none) in zip(*games, strict=True):
        for agent, info in numbers.items():
            assert set(full[agent]) == set(info)
            assert none[agent] == {}
            for name, value in full[agent].items():
                if name not in ("item", "leader", "refused"):
                    assert value is None or value == info[name]


@every_case
def test_flat_observations_are_the_features_and_infos_have_the_mask(case):
    family = case.family
    for (observations, _), (flat, infos) in zip(
        random_play(family.parallel_env()), random_play(family.parallel_env(observation="flat")), strict=True
    ):
        for agent, observation in observations.items():
            assert np.array_equal(flat[agent], observation["observation"])
            assert np.array_equal(infos[agent]["action_mask"], observation["action_mask"])
    assert family.parallel_env(observation="flat").observation_space("bidder_0").shape == flat["bidder_0"].shape


@every_case
def test_infos_mark_refusals_by_number_and_full_infos_have_the_reason(case):
    env = case.family.raw_env(**case.strict, interface="text")
    env.reset(seed=0)
    env.step("What?")
    assert env.infos["bidder_0"]["refused"] == 1
    assert env.infos["bidder_1"]["refused"] == 0
    assert [bool(env.view(agent).refused) for agent in env.agents] == [True] + [False] * (len(env.agents) - 1)
    full = case.family.raw_env(**case.strict, interface="text", infos="full")
    full.reset(seed=0)
    full.step("What?")
    reason = full.infos["bidder_0"]["refused"]
    assert reason in env.observe("bidder_0")["text"]
    assert reason in env.text("bidder_0")
    assert reason not in env.text("bidder_1")
    env.step(case.family.game.words.reply_writer(env.scenario)(-1))
    assert env.infos["bidder_0"]["refused"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"infos": "words"}, "infos: expected one of numbers, full, none, got 'words'"),
        ({"observation": "box"}, "observation: expected one of dict, flat, got 'box'"),
        (
            {"observation": "flat", "interface": "text"},
            "observation: expected 'dict' with interface='text', got 'flat'",
        ),
        ({"amount_scale": "shares"}, r"amount_scale: expected one of dollars, share, got 'shares' \(did you mean"),
    ],
)
def test_unknown_forms_of_observations_and_infos_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        aucenv.english_v0(**arguments)


def test_only_vector_actions_have_a_mask():
    env = aucenv.english_v0.parallel_env(interface="amount")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action_mask: expected interface='vector' for bidder_0"):
        env.action_mask("bidder_0")
