"""PPO in one loop, after CleanRL, on many games from one seat: masked numbers, or one number that a Gaussian draws.

`examples/cleanrl_evaluate.py` trains with it on English auctions and on sealed bids, and measures what comes of it.
"""

from __future__ import annotations

import torch
from gymnasium.spaces import Discrete
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Normal

from aucenv.core.seat_env import VectorAdapter


class Agent(nn.Module):
    """A network for the policy and one for the value of what the seat observes."""

    def __init__(self, env: VectorAdapter) -> None:
        super().__init__()
        space, [features] = env.single_action_space, env.single_observation_space.shape
        self.discrete = isinstance(space, Discrete)
        layers = [nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()]
        self.policy = nn.Sequential(*layers, nn.Linear(64, int(space.n) if self.discrete else 1))
        self.value = nn.Sequential(nn.Linear(features, 64), nn.Tanh(), nn.Linear(64, 1), nn.Flatten(0))
        self.log_std = nn.Parameter(torch.tensor(-2.0))

    def act(self, observed: Tensor, mask: Tensor) -> Distribution:
        out = self.policy(observed)
        if self.discrete:  # an illegal action is never drawn
            return Categorical(logits=out.masked_fill(~mask, -1e9))
        return Normal(out.squeeze(-1).sigmoid(), self.log_std.exp())


def train(env: VectorAdapter, updates: int, seed: int, gamma: float = 1.0, lam: float = 0.95) -> Agent:
    """Train on flat observations of a vector_env that starts the next game in the same step."""
    torch.manual_seed(seed)
    agent = Agent(env)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3, eps=1e-5)
    observed, _ = env.reset(seed=seed)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = 2e-3 * (1 - update / updates)
        seen = []
        for _ in range(32):
            now, mask = torch.as_tensor(observed), torch.as_tensor(env.action_masks())
            with torch.no_grad():
                chances, value = agent.act(now, mask), agent.value(now)
            action = chances.sample()
            observed, reward, over, *_ = env.step(action.numpy().reshape(env.action_space.shape))
            gained, alive = torch.as_tensor(reward).float(), torch.as_tensor(~over).float()
            seen.append((now, mask, action, chances.log_prob(action), value, gained, alive))
        *taken, value, gained, alive = (torch.stack(each) for each in zip(*seen, strict=True))
        following, advantage = agent.value(torch.as_tensor(observed)).detach(), [torch.zeros(env.num_envs)]
        for t in reversed(range(len(seen))):
            error = gained[t] + gamma * alive[t] * following - value[t]
            advantage.append(error + gamma * lam * alive[t] * advantage[-1])
            following = value[t]
        gain = torch.stack(advantage[:0:-1])
        flat = [each.flatten(0, 1) for each in (*taken, gain, gain + value)]
        for rows in torch.cat([torch.randperm(len(flat[0])) for _ in range(4)]).split(1024):
            now, mask, action, log_prob, gain, target = (each[rows] for each in flat)
            chances, gain = agent.act(now, mask), (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (chances.log_prob(action) - log_prob).exp()
            loss = 0.5 * (agent.value(now) - target).pow(2).mean() - 0.003 * chances.entropy().mean()
            loss = loss - torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    return agent
