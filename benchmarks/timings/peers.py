"""Benchmarks of other libraries, to be measured in the same run. The extra `bench` installs them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

AUCARENA_GAMES_PER_SECOND = 21
"""Speed of AucArena's program with rule bidders and no LLM, measured on a machine like this project's."""


def sealed_auction(num_bidders: int, highest_value: int, seconds: float) -> Callable[[], float]:
    """Return a function that measures games per second of OpenSpiel's first_sealed_auction.

    Players bid at random; the information state tensor is read before each bid.
    """
    import pyspiel

    game = pyspiel.load_game(f"first_sealed_auction(players={num_bidders},max_value={highest_value})")
    rng = random.Random(0)

    def measure() -> float:
        games = 0
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
                else:
                    state.information_state_tensor(state.current_player())
                    legal = state.legal_actions()
                    state.apply_action(legal[int(rng.random() * len(legal))])
            state.returns()
            games += 1
        return games / (time.perf_counter() - started)

    return measure


def tictactoe() -> Any:
    """Return the module of PettingZoo's tictactoe_v3."""
    from pettingzoo.classic import tictactoe_v3

    return tictactoe_v3


def kuhn_poker(num_envs: int, seconds: float, steps_per_call: int) -> Callable[[], float]:
    """Return a function that measures steps per second of pgx's kuhn_poker on the CPU.

    Random legal play with auto-reset runs in one compiled loop of `steps_per_call` steps.
    """
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make("kuhn_poker")

    def step(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choosing, dealing = jax.random.split(key, 3)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        state = jax.vmap(env.step)(state, jax.random.categorical(choosing, logits, axis=-1))
        fresh = jax.vmap(env.init)(jax.random.split(dealing, num_envs))
        over = state.terminated | state.truncated

        def reset(now: Any, new: Any) -> Any:
            return jnp.where(over.reshape((-1,) + (1,) * (now.ndim - 1)), new, now)

        return (jax.tree_util.tree_map(reset, state, fresh), key), None

    run = jax.jit(lambda carry: jax.lax.scan(step, carry, None, length=steps_per_call)[0])
    carry = (jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), num_envs)), jax.random.PRNGKey(1))
    jax.block_until_ready(run(carry))

    def measure() -> float:
        steps, now = 0, carry
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            now = jax.block_until_ready(run(now))
            steps += steps_per_call * num_envs
        return steps / (time.perf_counter() - started)

    return measure
