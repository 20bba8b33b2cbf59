"""Resets of some rows of a batch or a vector of games, as Gymnasium's option `reset_mask` states them."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from games import every_case_slow_except
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics

import aucenv

seeds = pytest.mark.parametrize("seed", [None, 11, [11, None, 13, 14]], ids=["no seed", "a seed", "a seed a row"])
ROWS = 4
MASK = np.array([True, False, True, True])
ARRAYS = ("observations", "masks", "acting", "rewards", "results", "illegal_bids", "terminated", "truncated", "seats")


def played(env, steps=3):
    """Play random legal actions, with one illegal bid in each step if there is any."""
    env.reset(5)
    for _ in range(steps):
        env.step(None)
    env.step(np.where(env.masks.min(axis=2) == 0, env.masks.argmin(axis=2), 0))
    return env


def arrays_of(env, rows):
    return [getattr(env, name)[rows].tobytes() for name in ARRAYS]


def compare_resets(env, seed):
    """Compare a masked reset with a full one, and with none, in the next steps."""
    played(env)
    dealt, kept = pickle.loads(pickle.dumps(env)), pickle.loads(pickle.dumps(env))
    dealt.reset(seed if isinstance(seed, int | None) else [each or 0 for each in seed])
    env.reset(seed, options={"reset_mask": MASK})
    for _ in range(3):
        assert arrays_of(env, MASK) == arrays_of(dealt, MASK)
        assert arrays_of(env, ~MASK) == arrays_of(kept, ~MASK)
        for each in (env, dealt, kept):
            each.step(None)


@every_case_slow_except("english", "water_allocation")
@seeds
def test_a_reset_deals_in_the_masked_rows_only(case, seed):
    compare_resets(case.family.batch_env(ROWS, **case.three), seed)


@every_case_slow_except("english")
@seeds
def test_a_reset_among_rivals_deals_in_the_masked_rows_only(case, seed):
    others = len(case.family.parallel_env().possible_agents) - 1
    compare_resets(case.family.batch_env(ROWS, rivals=(list(case.rivals) * others)[:others], seat="random"), seed)


def test_a_live_view_of_the_batch_is_a_mask_like_any_other():
    env = aucenv.english_v0.batch_env(8, num_items=1)
    env.reset(0)
    while not env.terminated.any() or env.terminated.all():
        env.step(None)
    over = env.terminated.copy()
    env.reset(options={"reset_mask": env.terminated})
    assert over.any()
    assert not env.terminated.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"reset_mask": np.ones(3, bool)},
            r"reset_mask: expected a NumPy array of bools of shape \(4,\), got bool of sh",
        ),
        ({"reset_mask": np.ones((4, 1), bool)}, r"got bool of shape \(4, 1\)"),
        ({"reset_mask": np.bool_(True)}, "reset_mask: expected a NumPy array of bools"),
        ({"reset_mask": np.array(True)}, r"got bool of shape \(\)"),
        ({"reset_mask": np.ones(4, np.int8)}, r"got int8 of shape \(4,\)"),
        ({"reset_mask": np.ones(4)}, r"got float64 of shape \(4,\)"),
        ({"reset_mask": np.array([True] * 4, object)}, r"got object of shape \(4,\)"),
        ({"reset_mask": [True] * 4}, r"got \[True, True, True, True\]"),
        ({"reset_mask": None}, "got None"),
        ({"reset_mask": "all"}, "got 'all'"),
        ({"reset_mask": np.zeros(4, bool)}, "reset_mask: expected at least one True, got False for all rows"),
        ({"mask": MASK}, r"options: expected \{'reset_mask': an array of bools\} or None, got \{'mask': "),
        ({"reset_mask": MASK, "fast": True}, "options: expected"),
        ([MASK], "options: expected"),
        (5, "options: expected .* got 5"),
    ],
)
@pytest.mark.parametrize("form", ["batch_env", "vector_env"])
def test_other_options_and_masks_are_refused_and_change_nothing(form, options, message):
    env = getattr(aucenv.english_v0, form)(ROWS, rivals=["rule", "value"])
    env.reset(seed=0)
    batch = getattr(env, "batch", env)
    before = arrays_of(batch, slice(None))
    with pytest.raises(ValueError, match=message):
        env.reset(seed=3, options=options)
    assert arrays_of(batch, slice(None)) == before


@pytest.mark.parametrize("seed", [[1, 2, 3, "x"], [1, 2, 3, None], [1, 2, 3], -1])
def test_bad_seeds_of_masked_rows_change_nothing(seed):
    env = played(aucenv.english_v0.batch_env(ROWS))
    before = arrays_of(env, slice(None))
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed, options={"reset_mask": MASK})
    assert arrays_of(env, slice(None)) == before


def test_the_first_reset_deals_in_all_rows():
    env = aucenv.english_v0.vector_env(ROWS, rivals=["rule", "value"])
    with pytest.raises(ValueError, match="reset_mask: expected all rows in the first reset"):
        env.reset(seed=0, options={"reset_mask": MASK})
    env.reset(seed=0, options={"reset_mask": np.ones(ROWS, bool)})
    other = aucenv.english_v0.vector_env(ROWS, rivals=["rule", "value"])
    other.reset(seed=0, options={})
    assert arrays_of(env.batch, slice(None)) == arrays_of(other.batch, slice(None))


def test_without_autoreset_a_step_after_the_end_names_the_way_out():
    env = gymnasium.make_vec(
        "aucenv/English-v0", ROWS, rivals=["rule", "value"], num_items=1, autoreset=AutoresetMode.DISABLED
    )
    assert env.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(np.zeros(ROWS, int))
    env.reset(seed=0)
    _, _, terminated, truncated, infos = env.step(np.zeros(ROWS, int))
    assert terminated.all()
    assert infos["_results"].all()
    before = arrays_of(env.batch, slice(None))
    with pytest.raises(RuntimeError, match=r"games of 4 rows, the first of which is 0, .*options=\{'reset_mask': term"):
        env.step(np.zeros(ROWS, int))
    assert arrays_of(env.batch, slice(None)) == before
    env.reset(options={"reset_mask": terminated | truncated})
    assert not env.step(env.action_masks()[:, 1].astype(int))[2].all()


@pytest.mark.parametrize("mode", ["off", "Disabled", None, True, ["disabled"]])
def test_unknown_modes_are_refused(mode):
    with pytest.raises(ValueError, match="autoreset: expected one of next_step, same_step, disabled, got "):
        aucenv.english_v0.vector_env(2, rivals=["rule", "value"], autoreset=mode)


def test_wrappers_of_gymnasium_count_the_games_of_rows_that_are_reset():
    env = NormalizeReward(
        RecordEpisodeStatistics(aucenv.english_v0.vector_env(8, rivals=["rule", "value"], autoreset="disabled"))
    )
    env.reset(seed=0)
    steps, lengths = np.zeros(8, int), []
    for _ in range(100):
        _, _, terminated, truncated, infos = env.step(env.unwrapped.action_masks()[:, 1].astype(int))
        steps += 1
        over = terminated | truncated
        if over.any():
            assert infos["episode"]["l"][over].tolist() == steps[over].tolist()
            lengths += steps[over].tolist()
            steps[over] = 0
            env.reset(options={"reset_mask": over})
    assert len(lengths) > 8
