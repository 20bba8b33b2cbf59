"""Train one shared policy for all seats of the English auction with RLlib's PPO, on its new API stack.

The policy is RLlib's module with action masks, adapted to aucenv's keys of the observation. An illegal bid would raise
IllegalBid. Run with: `python examples/rllib_ppo.py`
"""

from __future__ import annotations

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

from aucenv import english_v0
from aucenv.integrations.rllib import ActionMaskingModule

ITERATIONS, BATCH = 8, 512


def make_env(options: dict) -> ParallelPettingZooEnv:
    return ParallelPettingZooEnv(english_v0.parallel_env(num_bidders=3, num_items=3, illegal="raise"))


def make_config() -> PPOConfig:
    net = {"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "relu"}
    shared = RLModuleSpec(module_class=ActionMaskingModule, model_config=net)
    return (
        PPOConfig()
        .environment("aucenv/english-v0")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **options: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": shared}))
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=BATCH, minibatch_size=BATCH, num_epochs=4, lr=1e-3)
        .debugging(seed=0, log_level="ERROR")
    )


def main() -> None:
    torch.set_num_threads(1)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    register_env("aucenv/english-v0", make_env)
    ppo = make_config().build_algo()
    results = [ppo.train() for _ in range(ITERATIONS)]
    before, after = (results[i]["env_runners"]["module_episode_returns_mean"]["shared"] for i in (0, -1))
    updates = round(results[-1]["learners"]["shared"]["num_module_steps_trained_lifetime"] / BATCH)
    print(f"{updates} updates, no illegal bid; mean return {before:.3f} before, {after:.3f} after")
    ppo.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
