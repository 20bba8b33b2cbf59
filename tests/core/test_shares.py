"""Amounts as shares of the most that a seat would bid."""

from __future__ import annotations

import numpy as np
import pytest
from games import every_case

import aucenv

SHARES = {"interface": "amount", "amount_scale": "share"}


@every_case
def test_all_shares_are_legal_and_rows_are_the_games_of_parallel_envs(case):
    rng = np.random.default_rng(0)
    batch = case.family.batch_env(4, **SHARES, **case.three, illegal="raise")
    envs = [case.family.parallel_env(**SHARES, **case.three, illegal="raise") for _ in range(4)]
    batch.reset(3)
    for row, env in enumerate(envs):
        env.reset(seed=3 + row)
    for _ in range(60):
        shares = np.clip(rng.normal(0.7, 0.4, (4, 3)), 0, 1.2)
        over = batch.terminated | batch.truncated
        batch.step(shares)
        assert not batch.illegal_bids.any()
        for row, env in enumerate(envs):
            if over[row]:
                env.reset()
                continue
            observations, rewards, *_ = env.step({f"bidder_{i}": shares[row, i : i + 1] for i in range(3)})
            assert [rewards[f"bidder_{i}"] for i in range(3)] == batch.rewards[row].tolist()
            features = np.array([observations[f"bidder_{i}"]["observation"] for i in range(3)])
            assert np.array_equal(features, batch.observations[row])


def first_bid(env, share: float, seat: int = 0) -> float | None:
    """Return the first bid of a seat with this share, in dollars; None if it withdraws."""
    env.reset(seed=5)
    env.step({agent: np.array([share if agent == f"bidder_{seat}" else 0.0]) for agent in env.agents})
    cents = env.table.decisions[seat].amount
    return None if cents < 0 else cents / 100


def test_english_shares_are_of_the_estimate_up_to_the_budget():
    env = aucenv.english_v0.parallel_env(**SHARES)
    env.reset(seed=5)
    view = env.view("bidder_0")
    assert first_bid(env, 0.9) == round(view.estimate * 0.9, 2)
    assert first_bid(env, 1.0) == view.estimate
    assert first_bid(env, 0.3) is None  # the least legal bid is about half of the estimate
    poor = aucenv.english_v0.parallel_env(**SHARES, budget=view.starting_price + 10)
    assert first_bid(poor, 1.0) == view.starting_price + 10


def test_without_a_profit_objective_shares_are_of_the_budget():
    env = aucenv.english_v0.parallel_env(**SHARES, scenario="niche-20k")
    [seat, *_] = [seat for seat, bidder in enumerate(env.scenario.bidders) if bidder.objective != "profit"]
    assert first_bid(env, 0.5, seat) == env.scenario.bidders[seat].budget / 2


def test_shares_are_of_the_value_in_sealed_bids_and_of_the_balance_in_water_allocation():
    sealed = aucenv.sealed_bid_v0.parallel_env(**SHARES, bid_step=3)
    sealed.reset(seed=5)
    value = sealed.view("bidder_0").value
    assert first_bid(sealed, 0.6) == 3 * np.floor(value * 0.6 / 3 + 0.5)
    water = aucenv.water_allocation_v0.parallel_env(**SHARES)
    water.reset(seed=5)
    balance = water.view("bidder_0").balance
    assert first_bid(water, 0.25) == balance / 4


def test_nan_and_infinity_are_not_shares():
    env = aucenv.english_v0.parallel_env(**SHARES, infos="full")
    for bad in (np.nan, np.inf, -np.inf):
        env.reset(seed=0)
        infos = env.step({"bidder_0": np.array([bad]), "bidder_1": 0.5, "bidder_2": 0.5})[-1]
        assert infos["bidder_0"]["refused"] == f"{bad!r} is not a share"
    batch = aucenv.english_v0.batch_env(1, **SHARES)
    batch.reset(0)
    for bad in (np.nan, np.inf, -np.inf):
        with pytest.raises(ValueError, match=r"actions\[0, 1\]: expected a number from 0 to 1, got .*(nan|inf)"):
            batch.step(np.array([[0.5, bad, 0.5]]))
    with pytest.raises(ValueError, match="bidder_0: expected one number from 0 to 1 as action, got 'half'"):
        env.step(dict.fromkeys(env.agents, "half"))
