"""The arrays of a batch, and the random actions that it draws itself."""

from __future__ import annotations

import numpy as np
import pytest
from games import CASES, every_case

import aucenv


def test_arrays_are_read_only():
    env = aucenv.english_v0.batch_env(2)
    observed, rewards, terminated, truncated, infos = env.step(env.reset(0) and None)
    for array in (*observed.values(), rewards, terminated, truncated, *infos.values(), env.seats, env.illegal_bids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@every_case
def test_decisions_are_the_rows_and_seats_with_a_decision(case):
    env = case.family.batch_env(6)
    env.reset(0)
    for _ in range(20):
        rows, seats = env.decisions()
        assert np.array_equal(np.argwhere(env.acting), np.stack([rows, seats], axis=1))
        actions = np.zeros_like(env.actions)
        actions[rows, seats] = env.masks[rows, seats].argmax(-1)
        env.step(actions)


def play_drawn_actions(family, num_threads: int, **kwargs) -> tuple:
    env = family.batch_env(8, num_threads, **kwargs)
    env.reset(4)
    drawn_actions = []
    for _ in range(60):
        legal, acting = env.masks.copy(), env.acting.copy()
        env.step(None)
        rows, seats = np.nonzero(acting)
        assert legal[rows, seats, env.actions[rows, seats]].all()
        assert not env.illegal_bids.any()
        drawn_actions.append(np.where(acting, env.actions, -1).tolist())
    env.close()
    return env.observations.tolist(), drawn_actions


@pytest.mark.parametrize("case", [CASES["english"], CASES["water_allocation"]], ids=lambda case: case.name)
def test_drawn_actions_are_legal_and_determined_by_the_seed(case):
    first = play_drawn_actions(case.family, 1)
    assert first == play_drawn_actions(case.family, 2) == play_drawn_actions(case.family, 7)


def test_drawn_actions_with_rivals_do_not_depend_on_the_number_of_threads():
    assert play_drawn_actions(aucenv.english_v0, 1, rivals=["rule", "value"]) == play_drawn_actions(
        aucenv.english_v0, 2, rivals=["rule", "value"]
    )


def test_drawn_actions_are_uniform_among_the_legal_ones():
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


@pytest.mark.parametrize(
    ("case", "with_rivals"),
    [
        pytest.param(CASES["english"], False, id="english"),
        pytest.param(CASES["english"], True, id="english-rivals"),
        pytest.param(CASES["water_allocation"], False, id="water_allocation"),
        pytest.param(CASES["water_allocation"], True, id="water_allocation-rivals", marks=pytest.mark.slow),
    ],
)
def test_results_are_written_only_when_a_game_ends(case, with_rivals):
    rivals = {"rivals": ["random"] * 2} if with_rivals else {}
    env = case.family.batch_env(16, **case.three, **rivals)
    env.reset(0)
    ended = 0
    for _ in range(200):
        *_, infos = env.step(None)
        ended += infos["_results"].sum()
        assert not infos["results"][~infos["_results"]].any()
    assert ended > 16
