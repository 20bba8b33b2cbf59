"""PPO in JAX on pgx's leduc_holdem, to be measured beside our learner: the same network and the same numbers of games,
rounds, epochs and minibatches. Everything, the games included, is one compiled function.
"""

from __future__ import annotations

import time
from typing import Any

import jax
import jax.numpy as jnp
import pgx
from jax.tree_util import tree_leaves, tree_map

Layers = list[tuple[Any, Any]]


def network(key: Any, sizes: list[int]) -> Layers:
    """Return the weights and biases of layers with these numbers of inputs and outputs."""
    keys = jax.random.split(key, len(sizes) - 1)
    pairs = zip(keys, sizes[:-1], sizes[1:], strict=True)
    return [(jax.random.normal(each, (a, b)) / a**0.5, jnp.zeros(b)) for each, a, b in pairs]


def apply(layers: Layers, x: Any) -> Any:
    """Return the outputs of a network."""
    for weight, bias in layers[:-1]:
        x = jnp.tanh(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def policy(params: list[Layers], obs: Any, mask: Any) -> Any:
    """Return the logarithms of the probabilities of the actions."""
    return jax.nn.log_softmax(jnp.where(mask, apply(params[0], obs), -1e9))


def value(params: list[Layers], obs: Any) -> Any:
    """Return the estimated returns."""
    return apply(params[1], obs)[..., 0]


def advantages(values: Any, rewards: Any, over: Any, player: Any) -> Any:
    """Return advantages over the decisions of each player, as `training.ppo.ppo.estimate_advantages` does."""

    def back(carry: Any, row: Any) -> Any:
        following, later, pending = carry
        value_now, reward, ended, who = row
        going = ~ended[:, None]
        following, later, pending = following * going, later * going, pending * going + reward
        acting = jax.nn.one_hot(who, 2, dtype=bool)
        every = pending + following - value_now[:, None] + 0.95 * later
        later, following = jnp.where(acting, every, later), jnp.where(acting, value_now[:, None], following)
        return (following, later, jnp.where(acting, 0.0, pending)), (every * acting).sum(1)

    none = jnp.zeros((values.shape[1], 2))
    return jax.lax.scan(back, (none, none, none), (values, rewards, over, player), reverse=True)[1]


def loss(params: list[Layers], batch: Any) -> Any:
    """Return PPO's loss."""
    obs, mask, action, log_prob, before, advantage = batch
    logits = policy(params, obs, mask)
    target = advantage + before
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = jnp.exp(jnp.take_along_axis(logits, action[:, None], 1)[:, 0] - log_prob)
    surrogate = jnp.minimum(ratio * advantage, jnp.clip(ratio, 0.8, 1.2) * advantage).mean()
    entropy = -(jnp.exp(logits) * jnp.where(mask, logits, 0.0)).sum(-1).mean()
    return 0.5 * ((value(params, obs) - target) ** 2).mean() - surrogate - 0.003 * entropy


def descend(learner: Any, batch: Any) -> Any:
    """Take a step of Adam, with clipped gradients."""
    params, mean, square, count = learner
    grads = jax.grad(loss)(params, batch)
    norm = jnp.sqrt(sum((g**2).sum() for g in tree_leaves(grads)))
    grads = tree_map(lambda g: g * jnp.minimum(1.0, 0.5 / (norm + 1e-6)), grads)
    count = count + 1
    mean = tree_map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
    square = tree_map(lambda s, g: 0.999 * s + 0.001 * g**2, square, grads)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    params = tree_map(lambda p, m, s: p - rate * m / (jnp.sqrt(s) + 1e-5), params, mean, square)
    return (params, mean, square, count), None


class LeducLearner:
    """A learner in self-play on leduc_holdem.

    Args:
        num_envs, num_steps: games at a time, and rounds between updates.
        epochs, minibatches: how often the rounds are used in an update, and in how many parts.
        hidden: the size of both hidden layers of the policy and of the value network.
        updates: the number of updates in a measurement.
    """

    def __init__(self, num_envs: int, num_steps: int, epochs: int, minibatches: int, hidden: int, updates: int) -> None:
        self.num_envs, self.num_steps, self.epochs, self.minibatches = num_envs, num_steps, epochs, minibatches
        self.updates = updates
        env = pgx.make("leduc_holdem")
        self._init, self._step = jax.vmap(env.init), jax.vmap(env.step)
        first = self._init(jax.random.split(jax.random.PRNGKey(0), num_envs))
        inputs = [first.observation[0].size, hidden, hidden]
        keys = jax.random.split(jax.random.PRNGKey(1), 2)
        params = [network(keys[0], [*inputs, first.legal_action_mask.shape[-1]]), network(keys[1], [*inputs, 1])]
        zeros = tree_map(jnp.zeros_like, params)
        self._run = jax.jit(lambda carry: jax.lax.scan(self._update, carry, None, length=updates)[0])
        self._start = (params, zeros, zeros, jnp.zeros(())), first, jax.random.PRNGKey(2)
        jax.block_until_ready(self._run(self._start))

    def rate(self) -> float:
        """Return the decisions per second of a measurement."""
        started = time.perf_counter()
        jax.block_until_ready(self._run(self._start))
        return self.updates * self.num_steps * self.num_envs / (time.perf_counter() - started)

    def _play(self, carry: Any, _: Any) -> Any:
        params, state, key = carry
        key, choosing, dealing = jax.random.split(key, 3)
        obs = state.observation.reshape(self.num_envs, -1).astype(jnp.float32)
        mask, player = state.legal_action_mask, state.current_player
        logits = policy(params, obs, mask)
        action = jax.random.categorical(choosing, logits)
        log_prob = jnp.take_along_axis(logits, action[:, None], 1)[:, 0]
        after = self._step(state, action)
        over = after.terminated | after.truncated
        fresh = self._init(jax.random.split(dealing, self.num_envs))

        def reset(now: Any, new: Any) -> Any:
            return jnp.where(over.reshape((-1,) + (1,) * (now.ndim - 1)), new, now)

        row = (obs, mask, action, log_prob, value(params, obs), after.rewards, over, player)
        return (params, tree_map(reset, after, fresh), key), row

    def _update(self, carry: Any, _: Any) -> Any:
        learner, state, key = carry
        (_, state, key), rows = jax.lax.scan(self._play, (learner[0], state, key), None, length=self.num_steps)
        obs, mask, action, log_prob, values, rewards, over, player = rows
        columns = (obs, mask, action, log_prob, values, advantages(values, rewards, over, player))
        flat = [column.reshape(-1, *column.shape[2:]) for column in columns]
        for _ in range(self.epochs):
            key, mixing = jax.random.split(key)
            order = jax.random.permutation(mixing, self.num_envs * self.num_steps)
            parts = [column[order].reshape(self.minibatches, -1, *column.shape[1:]) for column in flat]
            learner, _ = jax.lax.scan(descend, learner, parts)
        return (learner, state, key), None
