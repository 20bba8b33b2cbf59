"""The batch environment: every row is the game of a Parallel environment."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from games import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import scenario_of

import aucenv
from aucenv.core.words.money import round_to_cents, to_cents
from aucenv.testing.contract import Case
from aucenv.testing.forms import compare_batch


def random_actions(rng, env):
    """Return random actions for all rows, most of them legal."""
    legal = np.where(env.masks > 0, rng.random(env.masks.shape), -1).argmax(axis=2)
    uniform = rng.integers(env.num_actions, size=legal.shape)
    return np.where(rng.random(legal.shape) < 0.95, legal, uniform)


def copy_arrays(env):
    """Return copies of the observations, masks, acting flags and rewards of a batch."""
    return (env.observations.copy(), env.masks.copy(), env.acting.copy(), env.rewards.copy())


@every_case
@given(st.data(), st.integers(0, 10**6), st.sampled_from([1, 2]), st.sampled_from([None, 7]))
@settings(max_examples=15)
def test_every_row_is_the_game_of_a_parallel_env(case, data, seed, threads, max_cycles):
    checked = Case(case.family, data.draw(case.quick_scenarios), None, seed)
    compare_batch(checked, 3, threads, 25, max_cycles=max_cycles)


@pytest.mark.slow
@every_case
def test_10_000_games_over_random_scenarios_are_those_of_parallel_envs(case):
    games = 0

    @given(case.scenarios, st.integers(0, 10**6), st.sampled_from([1, 2]), st.sampled_from([None, 7]))
    @settings(max_examples=350, database=None)
    def play(scenario, seed, threads, max_cycles):
        nonlocal games
        games += compare_batch(Case(case.family, scenario, None, seed), 16, threads, 40, max_cycles=max_cycles)

    play()
    assert games >= 10_000


def play_random_actions(family, num_threads, steps=60, **kwargs):
    env = family.batch_env(50, num_threads, **kwargs)
    env.reset(3)
    rng = np.random.default_rng(0)
    arrays = []
    for _ in range(steps):
        env.step(random_actions(rng, env))
        arrays.append(b"".join(array.tobytes() for array in (*copy_arrays(env), env.terminated, env.results)))
    env.close()
    return arrays


@every_case
def test_the_number_of_threads_changes_nothing(case):
    assert (
        play_random_actions(case.family, 1)
        == play_random_actions(case.family, 2)
        == play_random_actions(case.family, 7)
    )


@every_case
def test_buffers_are_the_same_arrays_on_every_step(case):
    env = case.family.batch_env(4, **case.three)
    observed, infos = env.reset(0)
    for _ in range(40):
        stepped, rewards, terminated, truncated, step_infos = env.step(np.zeros((4, 3), np.int64))
        assert stepped["observation"] is observed["observation"] is env.observations
        assert stepped["action_mask"] is env.masks
        assert rewards is env.rewards
        assert (terminated is env.terminated, truncated is env.truncated) == (True, True)
        assert step_infos is infos
        assert env.single_observation_space.contains(
            {"observation": env.observations[0, 0], "action_mask": env.masks[0, 0]}
        )


@every_case
def test_buffers_equal_those_computed_from_scratch_after_every_round(case):
    """Steps update only what may have changed: payoffs after an item, and features of the current item."""
    env = case.family.batch_env(8, max_cycles=11, **case.three)
    env.reset(0)
    rng = np.random.default_rng(0)
    game = case.family.game
    payoff, features = np.zeros(env.num_seats), np.zeros_like(env.observations[0])
    for _ in range(60):
        env.step(random_actions(rng, env))
        for row in range(env.num_envs):
            game.rules.payoff(env._state, row, payoff)
            np.testing.assert_array_equal(env._scores[row], payoff)
            game.features.features(env._state, row, features)
            np.testing.assert_array_equal(env.observations[row], features)
            for seat in np.flatnonzero(env.acting[row]):
                amounts = [game.features.amount(env._state, row, seat, action) for action in range(env.num_actions)]
                legal = [game.rules.check(env._state, row, seat, amount) == 0 for amount in amounts]
                assert env.masks[row, seat].tolist() == legal


@every_case
def test_actions_of_seats_without_a_decision_are_ignored(case):
    envs = [case.family.batch_env(20, **case.three) for _ in range(2)]
    for env in envs:
        env.reset(0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = random_actions(rng, envs[0])
        envs[0].step(actions)
        envs[1].step(np.where(envs[1].acting, actions, rng.integers(-(2**62), 2**62, actions.shape)))
        for one, other in zip(*map(copy_arrays, envs), strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(*(env.illegal_bids for env in envs))


def test_a_row_whose_game_is_over_starts_its_next_game_in_the_next_step():
    env = aucenv.english_v0.batch_env(1, scenario=scenario_of([1000]))
    env.reset(0)
    _, rewards, terminated, truncated, infos = env.step(np.array([[1, 0, 0]]))
    assert (terminated[0], truncated[0]) == (True, False)
    assert rewards[0].tolist() == [1.0, 0.0, 0.0]  # the true value is twice the starting price
    assert infos["_results"].tolist() == [True]
    assert infos["results"][0, :, 0].tolist() == [100_000, 0, 0]
    assert not infos["acting"].any()
    _, rewards, terminated, truncated, infos = env.step(np.array([[5, 5, 5]]))  # ignored
    assert [terminated[0], truncated[0], infos["_results"][0]] == [False] * 3
    assert not rewards.any()
    assert infos["acting"].all()


def test_the_seed_of_a_batch_determines_the_seed_of_each_row():
    env = aucenv.english_v0.batch_env(3)
    first = env.reset(5)[0]["observation"].copy()
    assert not np.array_equal(first[0], first[1])
    shifted = env.reset(6)[0]["observation"].copy()
    assert np.array_equal(first[1:], shifted[:2])
    listed = env.reset([7, 5, 5])[0]["observation"].copy()
    assert np.array_equal(listed, first[[2, 0, 0]])
    next_games = env.reset()[0]["observation"].copy()
    assert not np.array_equal(next_games[0], listed[0])
    assert np.array_equal(next_games[1], next_games[2])
    unseeded = [aucenv.english_v0.batch_env(3).reset()[0]["observation"] for _ in range(2)]
    assert not np.array_equal(*unseeded)


def test_amounts_are_rounded_to_cents_and_checked():
    env = aucenv.english_v0.batch_env(2, interface="amount", scenario=scenario_of([1000]))
    env.reset(0)
    env.step(np.array([[1000.005, 1000, -1], [999.99, float("inf"), -1]]))
    assert env.illegal_bids.tolist() == [[False, False, False], [True, True, False]]
    assert env.snapshot(0).state["standing"][0] == 100_001
    assert env.terminated.tolist() == [False, True]


def test_illegal_bids_withdraw_or_are_clipped_or_raise():
    scenario = scenario_of([1000], budget=1500)
    bids = np.array([[1, 9, 0]])
    withdrawing = aucenv.english_v0.batch_env(1, scenario=scenario)
    withdrawing.reset(0)
    withdrawing.step(bids)
    assert withdrawing.illegal_bids.tolist() == [[False, True, False]]
    assert withdrawing.terminated[0]
    clipping = aucenv.english_v0.batch_env(1, scenario=scenario, illegal="clip")
    clipping.reset(0)
    clipping.step(bids)
    assert clipping.illegal_bids.tolist() == [[False, True, False]]
    assert clipping.results[0, :, 2].tolist() == [150_000, 0, 150_000]  # nobody could raise
    strict = aucenv.english_v0.batch_env(1, scenario=scenario, illegal="raise")
    strict.reset(0)
    with pytest.raises(ValueError, match=r"actions\[0, 1\]: \$1,800 is above the remaining budget of \$1,500"):
        strict.step(bids)
    strict.step(np.array([[1, 2, 0]]))


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros((2, 3), int), r"actions: expected shape \(4, 3\), got \(2, 3\)"),
        (np.zeros((4, 3)), "actions: expected whole numbers, got an array of float64"),
        (np.zeros((4, 3), bool), "actions: expected whole numbers, got an array of bool"),
        (np.full((4, 3), 11), r"actions\[0, 0\]: expected a whole number from 0 to 10, got .*11"),
        (np.array([[0, 0, 0]] * 3 + [[0, 0, -1]]), r"actions\[3, 2\]: expected a whole number from 0 to 10, got .*-1"),
    ],
)
def test_invalid_actions_are_refused_and_change_nothing(actions, message):
    env = aucenv.english_v0.batch_env(4)
    env.reset(0)
    before = pickle.dumps([copy_arrays(env), env.snapshot(0).state])
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    assert pickle.dumps([copy_arrays(env), env.snapshot(0).state]) == before


def test_invalid_arguments_of_batches_are_refused():
    make = aucenv.english_v0.batch_env
    for kwargs, message in (
        ({"num_envs": 0}, "num_envs: expected a whole number of at least 1, got 0"),
        ({"num_envs": 1, "num_threads": 0}, "num_threads: expected a whole number from 1 to 1024, got 0"),
        ({"num_envs": 1, "interface": "text"}, "interface: expected one of vector, amount, got 'text'"),
        ({"num_envs": 1, "illegal": "refuse"}, "illegal: expected one of withdraw, clip, raise, got 'refuse'"),
    ):
        with pytest.raises(ValueError, match=message):
            make(**kwargs)
    env = make(2)
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.zeros((2, 3), int))
    with pytest.raises(ValueError, match="seed: expected one for each of 2 rows, got 3"):
        env.reset([1, 2, 3])
    dollars = make(1, interface="amount")
    dollars.reset(0)
    with pytest.raises(ValueError, match=r"actions\[0, 1\]: expected a number of dollars, got .*nan"):
        dollars.step(np.array([[-1, float("nan"), -1]]))


@given(st.one_of(st.floats(0, 1e9), st.integers(0, 10**11).map(lambda n: n / 1000), st.integers(0, 10**9).map(float)))
def test_cents_are_rounded_by_the_decimal_digits(dollars):
    from decimal import ROUND_HALF_UP, Decimal

    exact = int((Decimal(repr(dollars)) * 100).quantize(Decimal(1), ROUND_HALF_UP))
    assert round_to_cents(dollars) == exact == to_cents(dollars)


@every_case
def test_whole_states_equal_those_of_parallel_envs(case):
    env = case.family.batch_env(3)
    env.reset(4)
    for row, state in enumerate(env.state()):
        single = case.family.parallel_env()
        single.reset(4 + row)
        assert np.array_equal(state, single.state())


def test_a_batch_can_be_copied_and_continues_after_close():
    env = aucenv.english_v0.batch_env(4, 2)
    env.reset(0)
    other = pickle.loads(pickle.dumps(env))
    env.close()
    for _ in range(10):
        actions = env.masks[..., 1].copy()
        env.step(actions)
        other.step(actions)
        assert np.array_equal(env.observations, other.observations)
    env.close()
    other.close()


def test_a_game_that_is_over_after_the_deal_has_results():
    env = aucenv.english_v0.batch_env(2, scenario=scenario_of([1000], budget=10))
    _, infos = env.reset(0)
    assert env.terminated.all()
    assert infos["_results"].all()
    assert (infos["results"][..., 2] == 1000).all()


def test_a_pickled_env_does_not_contain_its_kernels():
    env = aucenv.english_v0.parallel_env()
    env.reset(0)
    assert len(pickle.dumps(env)) < 40_000
