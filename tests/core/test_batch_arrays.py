"""A batch's arrays, and the actions that it draws itself."""

from __future__ import annotations

import numpy as np
import pytest
from games import CASES

import aucenv

every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@every_case
def test_arrays_are_read_only(case):
    env = case.family.batch_env(2)
    observed, rewards, terminated, truncated, infos = env.step(env.reset(0) and None)
    for array in (*observed.values(), rewards, terminated, truncated, *infos.values(), env.seats, env.illegal_bids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@every_case
def test_decisions_are_the_rows_and_seats_that_decide(case):
    env = case.family.batch_env(6)
    env.reset(0)
    for _ in range(20):
        rows, seats = env.decisions()
        assert np.array_equal(np.argwhere(env.acting), np.stack([rows, seats], axis=1))
        actions = np.zeros_like(env.actions)
        actions[rows, seats] = env.masks[rows, seats].argmax(-1)
        env.step(actions)


def drawn(family, num_threads: int, **kwargs) -> tuple:
    env = family.batch_env(8, num_threads, **kwargs)
    env.reset(4)
    seen = []
    for _ in range(60):
        legal, acting = env.masks.copy(), env.acting.copy()
        env.step(None)
        rows, seats = np.nonzero(acting)
        assert legal[rows, seats, env.actions[rows, seats]].all()
        assert not env.illegal_bids.any()
        seen.append(np.where(acting, env.actions, -1).tolist())
    env.close()
    return env.observations.tolist(), seen


@every_case
def test_drawn_actions_are_legal_and_follow_from_the_seed(case):
    first = drawn(case.family, 1)
    assert first == drawn(case.family, 2) == drawn(case.family, 7)


def test_drawn_actions_beside_rivals():
    assert drawn(aucenv.english_v0, 1, rivals=["rule", "value"]) == drawn(
        aucenv.english_v0, 2, rivals=["rule", "value"]
    )


def test_drawn_actions_are_uniform_among_the_legal():
    env = aucenv.english_v0.batch_env(20_000)
    env.reset(0)
    env.step(None)
    shares = np.bincount(env.actions.ravel(), minlength=11) / env.actions.size
    assert abs(shares - 1 / 11).max() < 0.005


def test_amounts_are_not_drawn():
    env = aucenv.english_v0.batch_env(1, interface="amount")
    env.reset(0)
    with pytest.raises(ValueError, match=r"actions: expected shape \(1, 3\), got \(\)"):
        env.step(None)


@every_case
@pytest.mark.parametrize("beside", [False, True])
def test_results_are_of_games_that_have_just_ended(case, beside):
    rivals = {"rivals": ["random"] * 2} if beside else {}
    env = case.family.batch_env(16, **case.three, **rivals)
    env.reset(0)
    ended = 0
    for _ in range(200):
        *_, infos = env.step(None)
        ended += infos["_results"].sum()
        assert not infos["results"][~infos["_results"]].any()
    assert ended > 16
