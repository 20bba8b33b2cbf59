"""Train one seat of the English auction with sb3-contrib's MaskablePPO, against two rule bidders in the other seats.

MaskablePPO calls the environment's `action_masks()`. An illegal bid would raise IllegalBid. Run with:
`python examples/sb3_maskable_ppo.py`
"""

from __future__ import annotations

import gymnasium
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor

import aucenv


def make_env() -> gymnasium.Env:
    return aucenv.english_v0.seat_env(rivals=["rule", "value"], observation="flat", illegal="raise")


def mean_return(model: MaskablePPO) -> float:
    env = Monitor(make_env())
    env.reset(seed=1_000)  # the later games are the same in every call
    return float(evaluate_policy(model, env, n_eval_episodes=100)[0])


def main() -> None:
    torch.set_num_threads(1)
    model = MaskablePPO("MlpPolicy", make_vec_env(make_env, n_envs=4, seed=0), n_steps=256, batch_size=256, seed=0)
    before = mean_return(model)
    model.learn(40_960)
    after = mean_return(model)
    print(f"{model._n_updates} epochs of updates, no illegal bid; mean return {before:.3f} before, {after:.3f} after")


if __name__ == "__main__":
    main()
