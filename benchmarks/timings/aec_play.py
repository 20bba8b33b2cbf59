"""Measure AEC steps per second."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any

from aucenv.benchmarks.timings.peers import tictactoe
from aucenv.benchmarks.timings.timing import Timings, absent, alternate

import aucenv
from aucenv.core.files import JsonObject


def steps_with_sampling(env: Any, seconds: float) -> float:
    """Return the AEC steps per second of random legal play, in a training script's loop, but without a network."""
    spaces = {agent: env.action_space(agent) for agent in env.possible_agents}
    steps = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else spaces[agent].sample(observation["action_mask"]))
            steps += 1
    return steps / elapsed


def steps_without_sampling(env: Any, seconds: float, games: int = 200) -> float:
    """Return the AEC steps per second with actions sampled in advance, so that hardly anything but the env is timed."""
    sampled = [_sample(env, seed) for seed in range(games)]
    steps = 0
    started = time.perf_counter()
    for seed in cycle(range(games)):
        env.reset(seed=seed)
        for _, action in zip(env.agent_iter(), sampled[seed], strict=True):
            env.last()
            env.step(action)
        steps += len(sampled[seed])
        if (elapsed := time.perf_counter() - started) >= seconds:
            break
    return steps / elapsed


def _sample(env: Any, seed: int) -> list[int | None]:
    env.reset(seed=seed)
    actions: list[int | None] = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else int(env.action_space(agent).sample(observation["action_mask"]))
        actions.append(action)
        env.step(action)
    return actions


def time_aec(seconds: float, rounds: int) -> Timings:
    """Measure AEC steps per second, against PettingZoo's tictactoe_v3."""
    families: JsonObject = {"english_v0": aucenv.english_v0}
    notes = []
    try:
        families["tictactoe_v3"] = tictactoe()
    except ImportError as error:
        notes.append(absent("tictactoe_v3", error))
    measures = {"sampling": steps_with_sampling, "no sampling": steps_without_sampling}
    subjects: dict[str, Callable[[], float]] = {}
    pairs = []
    for form, make in (("wrapped", "env"), ("raw", "raw_env")):
        for how, measure in measures.items():
            for name, family in families.items():
                env = getattr(family, make)()
                subjects[f"{name}, {form}, {how}"] = partial(measure, env, seconds)
            if "tictactoe_v3" in families:
                pairs.append((f"english_v0, {form}, {how}", f"tictactoe_v3, {form}, {how}"))
    return Timings("AEC", "steps/s", alternate(subjects, rounds), pairs, notes)
