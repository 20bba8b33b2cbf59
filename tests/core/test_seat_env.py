"""Gymnasium environments of one seat: single games and vectors of games."""

from __future__ import annotations

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from games import every_case_slow_except, playable_bidders
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics

import aucenv
from aucenv.registration import FAMILIES


def rivals_of(family):
    return ["|".join(playable_bidders(family.name))] * (len(family.parallel_env().possible_agents) - 1)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_the_check_of_gymnasium_passes_for_amounts(family):  # and in `check_game`, for vector actions
    env = gymnasium.make(family.gym_name, rivals=rivals_of(family), interface="amount", illegal="clip")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)


def legal(rng, masks):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
@every_case_slow_except("english", "sealed_bid")
def test_rows_are_the_games_of_seat_envs(case, autoreset):
    """Compare observations, masks, rewards and ends in three games of each row, with random seats."""
    family, rows, rivals = case.family, 5, rivals_of(case.family)
    vector_env = gymnasium.make_vec(family.gym_name, rows, rivals=rivals, seat="random", autoreset=autoreset)
    envs = [family.seat_env(rivals=rivals, seat="random") for _ in range(rows)]
    observed, _ = vector_env.reset(seed=9)
    observations = [env.reset(seed=9 + row)[0] for row, env in enumerate(envs)]
    games, waiting, rng = np.zeros(rows), np.zeros(rows, bool), np.random.default_rng(0)
    while games.min() < 3:
        for row in range(rows):
            assert (observed["observation"][row] == observations[row]["observation"]).all()
            assert (observed["action_mask"][row] == observations[row]["action_mask"]).all()
        actions = legal(rng, observed["action_mask"])
        observed, rewards, terminated, truncated, infos = vector_env.step(actions)
        if autoreset == "disabled" and (terminated | truncated).any():
            observed, _ = vector_env.reset(options={"reset_mask": terminated | truncated})
        for row, env in enumerate(envs):
            if waiting[row]:
                observations[row], _ = env.reset()
                waiting[row] = False
                assert rewards[row] == 0
                continue
            observations[row], reward, ended, cut, _ = env.step(actions[row])
            assert (reward, ended, cut) == (rewards[row], terminated[row], truncated[row])
            if ended or cut:
                games[row] += 1
                if autoreset == "same_step":
                    assert infos["_final_obs"][row]
                    assert (infos["final_obs"][row]["observation"] == observations[row]["observation"]).all()
                if autoreset == "next_step":
                    waiting[row] = True
                else:
                    observations[row], _ = env.reset()


def test_every_step_ends_at_a_decision():
    vector_env = aucenv.english_v0.vector_env(64, rivals=["rule", "value"], autoreset="same_step")
    vector_env.reset(seed=0)
    for _ in range(50):
        assert vector_env.batch.acting.all()
        vector_env.step(vector_env.action_masks()[:, 1].astype(int))


def test_vector_wrappers_of_gymnasium_run():
    vector_env = NormalizeReward(RecordEpisodeStatistics(aucenv.english_v0.vector_env(8, rivals=["rule", "value"])))
    observed, _ = vector_env.reset(seed=0)
    rng, lengths = np.random.default_rng(0), []
    for _ in range(200):
        observed, _, _, _, infos = vector_env.step(legal(rng, observed["action_mask"]))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert min(lengths) > 0
    assert vector_env.unwrapped.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP


def test_modes_of_autoreset_are_those_of_gymnasiums_vector_environments():
    for mode in gymnasium.vector.AutoresetMode:
        for given in (mode, mode.name.lower()):
            env = aucenv.english_v0.vector_env(2, rivals=["rule", "value"], autoreset=given)
            assert env.autoreset_mode is env.metadata["autoreset_mode"] is mode  # TorchRL reads the attribute


def test_seeds_may_have_any_integer_type():
    for make in (aucenv.english_v0.seat_env, aucenv.english_v0.vector_env):
        env = make(rivals=["rule", "value"])
        first, *others = (env.reset(seed=kind(7))[0]["observation"] for kind in (int, np.int64, np.uint8))
        assert all((first == other).all() for other in others)
        assert env.np_random_seed == 7
        for seed in (-1, 1.5, "x"):
            with pytest.raises(ValueError, match="seed: expected a whole number of at least 0, got "):
                env.reset(seed=seed)


def test_libraries_recognize_the_error_of_an_unknown_argument():
    """TorchRL's GymEnv passes `frameskip`, and leaves it out if this text is in the error."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make("aucenv/English-v0", rivals=["rule", "value"], frameskip=1)


def test_pickled_copies_play_the_same_games():
    for env in (
        aucenv.english_v0.seat_env(rivals=["rule", "value"]),
        aucenv.english_v0.vector_env(2, rivals=["rule", "value"]),
    ):
        copy = pickle.loads(pickle.dumps(env))
        first, second = env.reset(seed=4)[0], copy.reset(seed=4)[0]
        assert (first["observation"] == second["observation"]).all()


def test_the_package_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(aucenv)) is aucenv


def test_masks_rivals_and_text_of_a_seat():
    env = aucenv.english_v0.seat_env(rivals=["rule", "value"], seat="bidder_2")
    observed, _ = env.reset(seed=1)
    assert (env.action_masks() == observed["action_mask"]).all()
    assert env.action_masks().dtype == bool
    assert set(env.rivals) == {"bidder_0", "bidder_1"}
    assert "$" in env.text()
    amounts = aucenv.english_v0.seat_env(rivals=["rule", "value"], interface="amount")
    amounts.reset(seed=1)
    with pytest.raises(ValueError, match="expected interface='vector'"):
        amounts.action_masks()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rivals": ["rule"]}, "expected a list of 2 bidders"),
        ({"rivals": ["rule", "rule"], "seat": "bidder_7"}, "seat: expected one of bidder_0"),
        (
            {"rivals": {"bidder_0": "rule", "bidder_1": "rule"}, "seat": 0},
            "expected bidders for all seats but bidder_0",
        ),
    ],
)
def test_invalid_seats_and_rivals_are_refused(arguments, message):
    for make in (aucenv.english_v0.seat_env, aucenv.english_v0.vector_env):
        with pytest.raises(ValueError, match=message):
            make(**arguments)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(3, int), r"expected shape \(2,\), got \(3,\)"),
        (np.zeros(2), "expected whole numbers"),
        (np.array([0, 99]), r"actions\[1, 0\]: expected a whole number from 0 to 10, got"),
    ],
)
def test_invalid_actions_are_refused(actions, message):
    vector_env = aucenv.english_v0.vector_env(2, rivals=["rule", "value"])
    vector_env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        vector_env.step(actions)


def test_nan_is_not_an_amount():
    vector_env = aucenv.english_v0.vector_env(2, rivals=["rule", "value"], interface="amount")
    vector_env.reset(seed=0)
    with pytest.raises(ValueError, match="expected a number of dollars"):
        vector_env.step(np.array([[1.0], [np.nan]]))
    env = aucenv.english_v0.seat_env(rivals=["rule", "value"], interface="amount", infos="full")
    env.reset(seed=0)
    _, reward, terminated, _, infos = env.step(np.array([np.nan]))
    assert (reward, terminated) == (0, False)
    assert "nan" in infos["refused"]
