"""Train with `cleanrl_ppo.py` and measure the result: `python examples/cleanrl_evaluate.py`, or with `sealed` after it.

english: the profit against a `rule` and a `value` bidder, compared with `rule` in the same seat on the same deals.
sealed: the profit that the learner's bids lose to the best response, against two equilibrium bidders in first price.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import torch
from cleanrl_ppo import Agent, train

import aucenv
from aucenv.envs.sealed_bid.theory import as_bids, equilibrium_bids, expected_profits

GAMES = 1000
FORM = {"observation": "flat", "autoreset": "same_step"}
SHARES = {"rivals": ["equilibrium"] * 2, "interface": "amount", "amount_scale": "share", **FORM}


def profit_beside_rules(agent: Agent) -> tuple[float, float, float]:
    """Return the mean profit of the likeliest actions, that of `rule`, and half the 95% interval of the difference."""
    env = aucenv.english_v0.vector_env(GAMES, rivals=["rule", "value"], **FORM)
    observations, _ = env.reset(seed=0)
    profits = np.full(GAMES, np.nan)
    while np.isnan(profits).any():
        with torch.no_grad():
            logits = agent.act(torch.as_tensor(observations), torch.as_tensor(env.action_masks())).logits
        observations, *_, infos = env.step(logits.argmax(-1).numpy())
        first = infos.get("_results", False) & np.isnan(profits)
        if first.any():
            profits[first] = infos["results"][first, 0] / 100
    scenario, lineup = env.batch.scenario, ["rule", "rule", "value"]
    played = [aucenv.play("english", scenario, lineup, seed).outcome["seats"][0]["profit"] for seed in range(GAMES)]
    return profits.mean(), np.mean(played), 1.96 * np.std(profits - played) / GAMES**0.5


def utility_loss(agent: Agent) -> float:
    """Return the mean profit per round that the mean bids lose to the best response, as a share of the value range."""
    env = aucenv.sealed_bid_v0.vector_env(GAMES, **SHARES)
    scenario = env.batch.scenario
    profits = expected_profits(scenario, as_bids(scenario, equilibrium_bids(scenario)))
    observations, _ = env.reset(seed=0)
    losses = []
    for _ in range(scenario.num_rounds):
        values = np.rint(observations[:, 1] * scenario.highest_value).astype(int)
        with torch.no_grad():
            shares = agent.act(torch.as_tensor(observations), torch.as_tensor(env.action_masks())).mean
        observations, *_ = env.step(shares.numpy()[:, None])
        bids = env.batch.actions[:, 0] // 100
        losses.append(profits[values].max(axis=1) - profits[values, bids])
    return np.mean(losses) / scenario.highest_value


def main(game: str = "english") -> None:
    if game not in ("english", "sealed"):
        sys.exit(f"expected english or sealed, got {game}")
    torch.set_num_threads(1)
    for seed in range(3):
        started = time.perf_counter()
        if game == "english":
            agent = train(aucenv.english_v0.vector_env(256, rivals=["rule", "value"], **FORM), 60, seed)
            learner, rule, half = profit_beside_rules(agent)
            result = f"profit {learner:,.0f}, rule's {rule:,.0f}, difference {learner - rule:,.0f} ± {half:,.0f}"
        else:
            agent = train(aucenv.sealed_bid_v0.vector_env(256, **SHARES), 60, seed, gamma=0.0)
            result = f"utility loss {utility_loss(agent):.3%} of the range"
        print(f"seed {seed}: {result}, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
