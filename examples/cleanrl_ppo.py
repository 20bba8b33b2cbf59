"""PPO in a single loop, like CleanRL's, for one seat in many games: masked discrete actions, or one Gaussian action.

`examples/cleanrl_evaluate.py` trains with it on English auctions and on sealed bids, and measures the result.
"""

from __future__ import annotations

import torch
from gymnasium.spaces import Discrete
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Normal

from aucenv.core.adapters.seat_env import VectorAdapter


class Agent(nn.Module):
    """A policy network and a value network."""

    def __init__(self, env: VectorAdapter) -> None:
        super().__init__()
        space, [features] = env.single_action_space, env.single_observation_space.shape
        self.discrete = isinstance(space, Discrete)
        layers = [nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
        self.policy = nn.Sequential(*layers, nn.Linear(64, int(space.n) if self.discrete else 1))
        self.value = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0))
        self.log_std = nn.Parameter(torch.tensor(-2.0))

    def act(self, observation: Tensor, mask: Tensor) -> Distribution:
        out = self.policy(observation)
        if self.discrete:  # illegal actions have probability 0
            return Categorical(logits=out.masked_fill(~mask, -1e9))
        return Normal(out.squeeze(-1).sigmoid(), self.log_std.exp())


def train(env: VectorAdapter, updates: int, seed: int, gamma: float = 1.0, lam: float = 0.95) -> Agent:
    """Train on a vector_env with flat observations and `autoreset="same_step"`."""
    torch.manual_seed(seed)
    agent = Agent(env)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3, eps=1e-5)
    next_obs, _ = env.reset(seed=seed)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = 2e-3 * (1 - update / updates)
        steps = []
        for _ in range(32):
            obs, mask = torch.as_tensor(next_obs), torch.as_tensor(env.action_masks())
            with torch.no_grad():
                policy, value = agent.act(obs, mask), agent.value(obs)
            action = policy.sample()
            next_obs, reward, done, *_ = env.step(action.numpy().reshape(env.action_space.shape))
            reward, alive = torch.as_tensor(reward).float(), torch.as_tensor(~done).float()
            steps.append((obs, mask, action, policy.log_prob(action), value, reward, alive))
        *inputs, value, reward, alive = (torch.stack(column) for column in zip(*steps, strict=True))
        next_value, advantages = agent.value(torch.as_tensor(next_obs)).detach(), [torch.zeros(env.num_envs)]
        for t in reversed(range(len(steps))):
            error = reward[t] + gamma * alive[t] * next_value - value[t]
            advantages.append(error + gamma * lam * alive[t] * advantages[-1])
            next_value = value[t]
        advantage = torch.stack(advantages[:0:-1])
        flat = [column.flatten(0, 1) for column in (*inputs, advantage, advantage + value)]
        for rows in torch.cat([torch.randperm(len(flat[0])) for _ in range(4)]).split(1024):
            obs, mask, action, log_prob, adv, target = (column[rows] for column in flat)
            policy, adv = agent.act(obs, mask), (adv - adv.mean()) / (adv.std() + 1e-8)
            ratio = (policy.log_prob(action) - log_prob).exp()
            loss = 0.5 * (agent.value(obs) - target).pow(2).mean() - 0.003 * policy.entropy().mean()
            loss = loss - torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return agent
