"""PPO (Schulman et al., 2017) for auctions, in one file: against rivals, in self-play, and against earlier selves.

Every seat that learns in a game is a stream of decisions. A seat may have no decision in a round, so advantages and
losses are computed over its decisions alone; a reward counts for the seat's last decision before it.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
import pickle
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from aucenv.training.ppo.checkpoint import Checkpoint, layout_of, write_checkpoint
from aucenv.training.ppo.config import PPOConfig
from aucenv.training.ppo.table_batch import TableBatch, is_compiled
from torch import Tensor, nn
from torch.distributions import Categorical, Distribution, Normal

from aucenv.core.adapters.batch import BatchAdapter
from aucenv.core.files import JsonObject, parse_object, read_lines, write_bytes_atomically
from aucenv.core.words.outside_text import shorten
from aucenv.registration import find_family

MODEL, STATE, SELVES, EVALUATIONS = "model.safetensors", "state.pt", "selves", "evaluations.jsonl"
"""The last network, what a resumed run needs besides, the folder of earlier networks, and results."""


class Diverged(ValueError):
    """A loss or a weight is not a number."""


def layers(sizes: list[int], last_scale: float) -> nn.Sequential:
    """Return linear layers with tanh between them, initialized orthogonally."""
    modules: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        linear = nn.Linear(inputs, outputs)
        is_last = len(modules) == 2 * (len(sizes) - 2)
        nn.init.orthogonal_(linear.weight, last_scale if is_last else math.sqrt(2))
        nn.init.zeros_(linear.bias)
        modules += [linear] if is_last else [linear, nn.Tanh()]
    return nn.Sequential(*modules)


class Agent(nn.Module):
    """A policy and a value network, with a common recurrent layer (LSTM) before them if the configuration has one."""

    def __init__(self, config: PPOConfig, num_features: int, num_actions: int) -> None:
        super().__init__()
        self.is_share = config.is_share
        self.lstm = nn.LSTMCell(num_features, config.lstm) if config.lstm else None
        inputs = config.lstm or num_features
        self.policy = layers([inputs, *config.hidden, 1 if self.is_share else num_actions], 0.01)
        self.value = layers([inputs, *config.hidden, 1], 1.0)
        self.log_std = nn.Parameter(torch.tensor(config.log_std), requires_grad=self.is_share)
        if self.is_share:
            nn.init.constant_(self.policy.get_parameter(f"{len(self.policy) - 1}.bias"), config.first_share)

    def start(self, streams: int) -> Tensor:
        """Return the state of the recurrent layer before the first decision: (2, streams, size)."""
        return torch.zeros(2, streams, self.lstm.hidden_size if self.lstm else 0)

    def remember(self, obs: Tensor, state: Tensor, acting: Tensor) -> tuple[Tensor, Tensor]:
        """Return the inputs of the two networks, and the next state, which changes only where streams act."""
        if self.lstm is None:
            return obs, state
        new = torch.stack(self.lstm(obs, (state[0], state[1])))
        state = torch.where(acting[:, None], new, state)
        return state[0], state

    def distribution(self, inputs: Tensor, mask: Tensor) -> Distribution:
        """Return the distribution of actions: shares of the seat's value, or legal vector actions."""
        out = self.policy(inputs)
        if self.is_share:
            return Normal(out.squeeze(-1), self.log_std.exp(), validate_args=False)
        return Categorical(logits=out.masked_fill(~mask, -1e9), validate_args=False)

    def to_checkpoint(self, config: PPOConfig, about: JsonObject) -> Checkpoint:
        """Return the policy with what it is trained for."""
        linear = [module for module in self.policy if isinstance(module, nn.Linear)]
        lstm = self.lstm
        recurrent = () if lstm is None else (lstm.weight_ih, lstm.weight_hh, lstm.bias_ih + lstm.bias_hh)
        game = find_family(config.game).game
        return Checkpoint(
            config.game,
            game.version,
            config.loaded_scenario.name,
            layout_of(game, config.loaded_scenario.template()[0]),
            self.is_share,
            float(self.log_std.detach()),
            [module.weight.detach().numpy().T for module in linear],
            [module.bias.detach().numpy() for module in linear],
            [part.detach().numpy() for part in recurrent],
            about,
        )


@dataclasses.dataclass
class Steps:
    """What streams have done in some rounds: (rounds, streams, ...) each, but for the state before the first round.

    Attributes:
        acting: Whether a stream has a decision.
        ended: Whether the stream's game ended with the round.
    """

    obs: Tensor
    mask: Tensor
    acting: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    reward: Tensor
    ended: Tensor
    state: Tensor
    advantage: Tensor

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of the parts, in order."""
        return [each.name for each in dataclasses.fields(cls)]

    @classmethod
    def joined(cls, parts: list[Steps]) -> Steps:
        """Return the streams of all parts."""
        return cls(**{name: torch.cat([getattr(part, name) for part in parts], 1) for name in cls.names()})

    def minibatches(self, number: int, agent: Agent) -> Iterator[tuple[Tensor, ...]]:
        """Yield random parts of the streams: the inputs of the networks, and what belongs to their decisions."""
        for streams in torch.randperm(self.acting.shape[1]).tensor_split(number):
            acting = self.acting[:, streams]
            if not acting.any():
                continue
            inputs, state = [], self.state[:, streams]
            for t in range(len(acting) if agent.lstm else 0):
                if t:
                    state = state * ~self.ended[t - 1, streams, None]
                values, state = agent.remember(self.obs[t, streams], state, acting[t])
                inputs.append(values)
            every = torch.stack(inputs) if inputs else self.obs[:, streams]
            rest = (self.mask, self.action, self.log_prob, self.value, self.advantage)
            yield every[acting], *(part[:, streams][acting] for part in rest)


class Streams:
    """The streams of decisions of the learning seats in one batch of games."""

    def __init__(self, batch: BatchAdapter | TableBatch, agent: Agent, seed: int) -> None:
        self.batch, self.agent = batch, agent
        batch.reset(seed)
        self.number, self.seats = batch.acting.size, batch.acting.shape[1]
        self.state = agent.start(self.number)

    def observed(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the features, masks and whether a decision is due, of all streams."""
        batch, n = self.batch, self.number
        obs = torch.from_numpy(batch.observations.reshape(n, -1).copy())
        mask = torch.from_numpy(batch.masks.reshape(n, -1).astype(bool))
        return obs, mask, torch.from_numpy(batch.acting.reshape(n).copy())

    @torch.no_grad()
    def collect(self, config: PPOConfig) -> Steps:
        """Play `config.num_steps` rounds."""
        batch, agent, n, rows = self.batch, self.agent, self.number, []
        first = self.state
        shape, seats = batch.actions.shape, batch.actions.shape[1]
        for _ in range(config.num_steps):
            obs, mask, acting = self.observed()
            inputs, self.state = agent.remember(obs, self.state, acting)
            action = torch.zeros(n, dtype=torch.float32 if agent.is_share else torch.int64)
            log_prob, value = torch.zeros(2, n)
            if acting.any():
                chosen = agent.distribution(inputs[acting], mask[acting])
                action[acting] = chosen.sample()
                log_prob[acting] = chosen.log_prob(action[acting])
                value[acting] = agent.value(inputs[acting]).squeeze(-1)
            batch.step(action.numpy().reshape(shape))
            reward = torch.from_numpy(batch.rewards.reshape(n).astype(np.float32))
            ended = torch.from_numpy(np.repeat(batch.terminated | batch.truncated, seats))
            self.state = self.state * ~ended[:, None]
            rows.append((obs, mask, acting, action, log_prob, value, reward, ended))
        columns = [torch.stack(column) for column in zip(*rows, strict=True)]
        columns += [first, torch.zeros_like(columns[5])]
        steps = Steps(**dict(zip(Steps.names(), columns, strict=True)))
        obs, _, acting = self.observed()
        inputs, _ = agent.remember(obs, self.state, acting)
        estimate_advantages(steps, agent.value(inputs).squeeze(-1), config.gamma, config.gae_lambda)
        return steps


def estimate_advantages(steps: Steps, next_value: Tensor, gamma: float, lam: float) -> None:
    """Write generalized advantage estimates (Schulman et al., 2016) over the decisions of each stream.

    Args:
        steps: Its `advantage` is written.
        next_value: (streams,), the value after the last round.
    """
    later, pending = torch.zeros(2, len(next_value))
    for t in reversed(range(len(steps.acting))):
        acting, going = steps.acting[t], ~steps.ended[t]
        next_value, later, pending = next_value * going, later * going, pending * going + steps.reward[t]
        advantage = pending + gamma * next_value - steps.value[t] + gamma * lam * later
        steps.advantage[t] = advantage * acting
        later = torch.where(acting, advantage, later)
        next_value = torch.where(acting, steps.value[t], next_value)
        pending = pending * ~acting


def explained_variance(steps: Steps) -> float:
    """Return the share of the variance of returns that values predict; NaN if returns do not vary."""
    value, advantage = steps.value[steps.acting], steps.advantage[steps.acting]
    variance = (value + advantage).var(unbiased=False)
    return float(1 - advantage.var(unbiased=False) / variance) if variance > 0 else math.nan


class Learner:
    """A training run in the folder `config.out`, which a new run with the same configuration continues.

    Args:
        config: The configuration.
        evaluate: Returns results of the network in a file, as JSON; called every `config.save_every` updates.
    """

    def __init__(self, config: PPOConfig, evaluate: Callable[[Path], list[JsonObject]]) -> None:
        torch.manual_seed(config.seed)
        self.config, self.out, self.evaluate = config, Path(config.out), evaluate
        self.family = find_family(config.game)
        vector, scenario = self.family.game.features, config.loaded_scenario
        self.num_actions = self.family.game.num_actions(scenario, **config.action_options)
        features = vector.num_features(len(scenario.bidders), scenario.num_items)
        self.agent = Agent(config, features, self.num_actions)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=config.learning_rate, eps=1e-5)
        self.update = self.decisions = 0
        self.streams: list[Streams] = []
        if (self.out / STATE).exists():
            self.load()

    def train(self, report: Callable[[JsonObject], None]) -> None:
        """Train to the last update, and call `report` with the figures of each.

        Raises:
            Diverged: A loss is not a number; the last network that was saved remains.
            OSError: A file cannot be written.
        """
        self.out.mkdir(parents=True, exist_ok=True)
        if self.update == 0:
            self.save()
        while self.update < self.config.updates:
            if self.update % self.config.save_every == 0 or not self.streams:
                self.deal()
            rate = 1 - self.update / self.config.updates if self.config.anneals else 1.0
            self.optimizer.param_groups[0]["lr"] = self.config.learning_rate * rate
            began = time.perf_counter()
            parts = [each.collect(self.config) for each in self.streams]
            games = sum(int(part.ended.sum()) // each.seats for part, each in zip(parts, self.streams, strict=True))
            steps = Steps.joined(parts)
            figures = self.learn(steps) | {"games_per_second": games / (time.perf_counter() - began)}
            self.update += 1
            self.decisions += int(steps.acting.sum())
            report({"update": self.update, "decisions": self.decisions, **figures})
            if self.update % self.config.save_every == 0 or self.update == self.config.updates:
                self.save()

    def learn(self, steps: Steps) -> JsonObject:
        """Update the networks, and return the means of the losses and of other figures."""
        config, agent, totals = self.config, self.agent, torch.zeros(6)
        count, explained = 0, explained_variance(steps)
        for _ in range(config.epochs):
            for inputs, mask, action, log_prob, value, advantage in steps.minibatches(config.minibatches, agent):
                target = advantage + value
                advantage = (advantage - advantage.mean()) / (advantage.std(unbiased=False) + 1e-8)
                chosen = agent.distribution(inputs, mask)
                change = chosen.log_prob(action) - log_prob
                ratio = change.exp()
                clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
                policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
                value_loss = (agent.value(inputs).squeeze(-1) - target).pow(2).mean()
                entropy = chosen.entropy().mean()
                loss = policy_loss + config.value_weight * value_loss - config.entropy_weight * entropy
                if not torch.isfinite(loss):
                    raise self._diverged(f"the loss is {loss.item()}")
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), config.max_grad_norm)
                self.optimizer.step()
                divergence, is_clipped = (ratio - 1 - change).mean(), (ratio != clipped).float().mean()
                totals += torch.stack([loss, policy_loss, value_loss, entropy, divergence, is_clipped]).detach()
                count += 1
        names = ("loss", "policy_loss", "value_loss", "entropy", "divergence", "clip_fraction")
        figures = dict(zip(names, (totals / max(count, 1)).tolist(), strict=True))
        reward = float(steps.reward.sum() / steps.ended.sum().clamp(min=1))
        std = float(self.agent.log_std.detach().exp())
        return figures | {"explained_variance": explained, "reward": reward, "std": std}

    def deal(self) -> None:
        """Start new games, against the bidders that `config.rivals` names and the earlier selves."""
        config, scenario = self.config, self.config.loaded_scenario
        common: dict[str, Any] = {"interface": "vector", **config.action_options}
        if config.is_share:
            common |= {"interface": "amount", "amount_scale": "share"}
        saved = sorted((self.out / SELVES).glob("*.safetensors"))
        earlier = [path for path in saved if int(path.stem) <= self.update][-config.earlier_selves :]
        plans: list[tuple[int, JsonObject]] = []
        named = config.named_rivals(self.update)
        pool = [f"ppo:{path},sample=true" for path in earlier if config.earlier_selves]
        rivals = ["|".join([*names, *pool]) for names in named]
        playing_rivals = config.num_envs if not config.plays_self else 0
        if config.plays_self and all(rivals):
            playing_rivals = round(config.rival_share * config.num_envs)
        if config.num_envs > playing_rivals:
            plans.append((config.num_envs - playing_rivals, {}))
        if playing_rivals:
            plans.append((playing_rivals, {"rivals": rivals, "seat": "random"}))
        seeds = np.random.SeedSequence([config.seed, self.update]).generate_state(len(plans)).tolist()
        for each in self.streams:
            each.batch.close()
        self.streams = [
            Streams(self._batch(number, scenario=scenario, **common, **seating), self.agent, seed)
            for (number, seating), seed in zip(plans, seeds, strict=True)
        ]

    def _batch(self, number: int, **options: Any) -> BatchAdapter | TableBatch:
        names = [name for names in options.get("rivals", ()) for name in names.split("|")]
        if all(is_compiled(self.config.game, name) for name in names):
            return self.family.batch_env(number, num_threads=self.config.num_threads, **options)
        return TableBatch(self.family, number, **options)

    def save(self) -> None:
        """Write the network and the state of the run, and evaluate the network.

        Raises:
            Diverged: A weight is not a number.
            OSError: A file cannot be written; the older files remain, from which the run can be resumed.
        """
        if not all(torch.isfinite(weights).all() for weights in self.agent.parameters()):
            raise self._diverged("a weight is not a number")
        about = {"updates": self.update, "decisions": self.decisions, "config": self.config.to_dict()}
        checkpoint = self.agent.to_checkpoint(self.config, about)
        write_checkpoint(self.out / MODEL, checkpoint)
        if self.config.earlier_selves:
            (self.out / SELVES).mkdir(exist_ok=True)
            write_checkpoint(self.out / SELVES / f"{self.update:08}.safetensors", checkpoint)
        evaluations = [each for each in self.evaluations() if each["update"] < self.update]
        if self.update % (self.config.eval_every or 1) == 0 or self.update == self.config.updates:
            evaluations += [{"update": self.update, **each} for each in self.evaluate(self.out / MODEL)]
        lines = "".join(json.dumps(each) + "\n" for each in evaluations)
        write_bytes_atomically(self.out / EVALUATIONS, lines.encode())
        state = {
            "agent": self.agent.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "update": self.update,
            "decisions": self.decisions,
        }
        file = io.BytesIO()
        torch.save(state, file)
        write_bytes_atomically(self.out / STATE, file.getvalue())

    def _diverged(self, reason: str) -> Diverged:
        where = f"update {self.update + 1}: {reason}; {self.out / MODEL} has the last network that was saved"
        return Diverged(f"{where}; a lower learning rate may help")

    def load(self) -> None:
        """Continue from the state in the folder.

        Raises:
            ValueError: The file is damaged.
        """
        path = self.out / STATE
        file = io.BytesIO(path.read_bytes())
        try:
            state = torch.load(file, weights_only=True)
            self.agent.load_state_dict(state["agent"])
            self.optimizer.load_state_dict(state["optimizer"])
            torch.set_rng_state(state["random"])
            self.update, self.decisions = state["update"], state["decisions"]
        except (RuntimeError, pickle.UnpicklingError, KeyError, EOFError, OSError, ValueError) as error:
            raise ValueError(
                f"{path}: the file is damaged, and the run cannot be resumed: {shorten(str(error), 200)}; "
                f"{self.out / MODEL} has the last network that was saved"
            ) from None

    def evaluations(self) -> list[JsonObject]:
        """Return the results of all evaluations, in order."""
        path = self.out / EVALUATIONS
        return [parse_object(line, where) for where, line in read_lines(path)] if path.exists() else []
