"""Train one shared policy for all seats of the English auction with AgileRL's MADDPG.

AgileRL reads the action masks from the infos, where `observation="flat"` puts them, and takes the best legal action. An
illegal bid would raise IllegalBid. Run with: `python examples/agilerl_maddpg.py`
"""

from __future__ import annotations

import numpy as np
import torch
from agilerl.algorithms import MADDPG
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_multi_agent_off_policy import train_multi_agent_off_policy
from agilerl.vector import PzDummyVecEnv

from aucenv import english_v0

STEPS, LEARN_EVERY = 8000, 4


def make_games() -> PzDummyVecEnv:
    env = english_v0.parallel_env(num_bidders=3, num_items=3, observation="flat", illegal="raise")
    env.reset(seed=0)  # also seeds all later games
    return PzDummyVecEnv(env)


def make_learner(games: PzDummyVecEnv) -> MADDPG:
    agents = games.possible_agents
    observation_spaces = [games.single_observation_space(agent) for agent in agents]
    action_spaces = [games.single_action_space(agent) for agent in agents]
    return MADDPG(observation_spaces, action_spaces, agents, learn_step=LEARN_EVERY, lr_actor=1e-4, lr_critic=1e-3)


def mean_return(learner: MADDPG, games: PzDummyVecEnv) -> float:
    return learner.test(games, loop=50) / len(games.possible_agents)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  (AgileRL explores with numpy's global generator)
    games, memory = make_games(), ReplayBuffer(10_000)
    learner = make_learner(games)
    before = mean_return(learner, games)
    length = {"max_steps": STEPS, "evo_steps": STEPS}
    train_multi_agent_off_policy(games, "english", "MADDPG", [learner], memory, verbose=False, **length)
    after = mean_return(learner, games)
    print(f"{STEPS} steps, updates every {LEARN_EVERY}, no illegal bid; mean return {before:.3f}, then {after:.3f}")


if __name__ == "__main__":
    main()
