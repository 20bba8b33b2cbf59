"""Train one shared policy for all seats of the English auction with Stable-Baselines3's PPO and SuperSuit's wrappers.

SB3's PPO does not read the masks, which are in the infos, so `illegal="clip"` turns an illegal bid into the nearest
legal one. SuperSuit's black_death_v3 cannot be used, because with it a game ends only if seats are both terminated and
truncated. It is not needed, since all seats end at the same time. Run with: `python examples/supersuit_ppo.py`
"""

from __future__ import annotations

import numpy as np
import supersuit
import torch
from pettingzoo import ParallelEnv
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

import aucenv


def make_env() -> ParallelEnv:
    env = aucenv.english_v0.parallel_env(num_bidders=3, num_items=3, observation="flat", illegal="clip")
    env = supersuit.dtype_v0(env, np.float32)
    env = supersuit.normalize_obs_v0(env, env_min=-1, env_max=1)
    env = supersuit.flatten_v0(env)
    env = supersuit.pad_observations_v0(env)
    env = supersuit.pad_action_space_v0(env)
    env = supersuit.frame_stack_v1(env, 2)
    return supersuit.agent_indicator_v0(env)


def make_games(number: int) -> VecEnv:
    seats = supersuit.pettingzoo_env_to_vec_env_v1(make_env())
    games = supersuit.concat_vec_envs_v1(seats, number, base_class="stable_baselines3")
    games.venv.reset(seed=0)  # SuperSuit does not forward SB3's seed; this one also seeds all later games
    return VecMonitor(games)


def learn(model: PPO, steps: int) -> float:
    """Train for `steps` steps, and return the mean return of the last games."""
    model.learn(steps)
    return float(np.mean([episode["r"] for episode in model.ep_info_buffer]))


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    games = make_games(4)
    model = PPO("MlpPolicy", games, n_steps=128, batch_size=512, learning_rate=1e-3)
    steps = games.num_envs * model.n_steps
    before, after = learn(model, steps), learn(model, 15 * steps)
    print(f"{model._n_updates} epochs of updates; mean return {before:.3f} before, {after:.3f} after")


if __name__ == "__main__":
    main()
