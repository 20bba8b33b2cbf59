"""Recorded playthroughs, one per environment, compared line by line; `pytest --write-golden` rewrites them."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from paths import GOLDEN

from aucenv.registration import FAMILIES

SHORT = {
    "english": {"num_items": 4},
    "harbor": {"num_items": 4, "matches": 1},
    "sealed_bid": {"num_rounds": 5},
    "clock": {"num_rounds": 3, "tick": 2},
    "water_allocation": {"days": 9},
}
AMOUNTS = {
    "english": lambda info: [-1, info["least_bid"], info["least_bid"] + 123.45, 1],
    "harbor": lambda info: [-1, info["least_bid"], info["least_bid"] + 12_345.67, 1],
    "sealed_bid": lambda info: [-1, 0, info["value"], 7.5, 100],
    "clock": lambda info: [-1, 0, 0, 0, 12, 7],
    "water_allocation": lambda info: [-1, 0, info["balance"], 31.5, 5000],
}


def playthrough(family) -> list[str]:
    """Return the lines of three short games: observation, info, reward and action of every turn, and the results."""
    lines = []
    for seed, interface in enumerate(["vector", "amount", "vector"]):
        env = family.raw_env(interface=interface, render_mode="ansi", infos="full", **SHORT[family.name])
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        lines += [f"== seed {seed}, {interface}", *env.render().splitlines()]
        rounds = 0
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            digest = hashlib.sha256(observation["observation"].tobytes()).hexdigest()[:12]
            lines.append(f"{agent} sees {digest} {info} reward {reward:.6f} over {terminated or truncated}")
            action = None
            if not terminated and not truncated:
                if interface == "vector":
                    lines.append("mask " + "".join(map(str, observation["action_mask"])))
                    action = int(rng.choice(np.flatnonzero(observation["action_mask"])[:4]))
                else:
                    action = float(rng.choice(AMOUNTS[family.name](info)))
                lines.append(f"{agent} does {action}")
            env.step(action)
            if env.unwrapped.table.rounds > rounds:
                rounds = env.unwrapped.table.rounds
                lines += [*env.render().splitlines(), f"state {hashlib.sha256(env.state().tobytes()).hexdigest()[:12]}"]
    return lines


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_playthrough(family, request):
    file = GOLDEN / f"{family.name}_v{family.version}.txt"
    lines = playthrough(family)
    if request.config.getoption("--write-golden"):
        file.write_text("\n".join(lines) + "\n")
    recorded = file.read_text().splitlines()
    for number, (line, golden) in enumerate(zip(lines, recorded, strict=False), start=1):
        assert line == golden, f"{file}:{number}"
    assert len(lines) == len(recorded)
