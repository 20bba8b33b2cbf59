"""Train a separate DQN for every seat of the English auction, with Tianshou's multi-agent off-policy algorithm.

Tianshou's PettingZooEnv passes the action masks to its Q-learning policies, which only explore and choose legal
actions. An illegal bid would raise IllegalBid. Run with: `python examples/tianshou_multi_agent.py`
"""

from __future__ import annotations

import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import aucenv


def make_env() -> PettingZooEnv:
    return PettingZooEnv(aucenv.english_v0.env(num_bidders=3, num_items=3, illegal="raise"))


def make_dqn(env: PettingZooEnv) -> DQN:
    features, actions = env.observation_space["observation"].shape, env.action_space.n
    net = Net(state_shape=features, action_shape=actions, hidden_sizes=[64, 64])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=3, target_update_freq=100)


def mean_return(algorithm: MultiAgentOffPolicyAlgorithm) -> float:
    games = Collector(algorithm, DummyVectorEnv([make_env]))
    return float(games.collect(n_episode=50, reset_before_collect=True, gym_reset_kwargs={"seed": 1}).returns.mean())


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (Tianshou explores with numpy's global generator)
    env = make_env()
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[make_dqn(env) for _ in env.agents], env=env)
    games, buffer = DummyVectorEnv([make_env] * 4), VectorReplayBuffer(20_000, 4)
    games.seed(0)
    before = mean_return(algorithm)
    params = OffPolicyTrainerParams(
        training_collector=Collector(algorithm, games, buffer, exploration_noise=True),
        max_epochs=1,
        epoch_num_steps=5000,
        collection_step_num_env_steps=100,
        update_step_num_gradient_steps_per_sample=0.2,
        show_progress=False,
    )
    steps = algorithm.run_training(params).update_step
    print(f"{steps} update steps, no illegal bid; mean return {before:.3f} before, {mean_return(algorithm):.3f} after")


if __name__ == "__main__":
    main()
