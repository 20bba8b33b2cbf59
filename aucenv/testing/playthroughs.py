"""Recorded playthroughs: with and without the compiler, and beside a file."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from aucenv.registration import find_family, register_game
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.forms import random_action

GAMES = 2


def playthrough(label: str, scenario: object, seed: int) -> list[str]:
    """Return the lines of random games: what every seat observes, its info, rewards and actions, and the table."""
    lines = []
    for number in range(seed, seed + GAMES):
        env = find_family(label).raw_env(scenario=scenario, render_mode="ansi", infos="full")
        env.reset(seed=number)
        rng = np.random.default_rng(number)
        lines += [f"== seed {number}", *str(env.render()).splitlines()]
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            digest = hashlib.sha256(observation["observation"].tobytes()).hexdigest()[:12]
            lines.append(f"{agent} observes {digest} {info} reward {reward:.6f}")
            over = terminated or truncated
            action = None if over else random_action(observation, rng)
            lines.append(f"{agent}: {action}")
            env.step(action)
        lines += [*str(env.render()).splitlines(), hashlib.sha256(env.state().tobytes()).hexdigest()[:12]]
    return lines


def print_playthrough(declaration: str, label: str, scenario: str, seed: int) -> None:
    """Write a playthrough to standard output, as another process."""
    if not declaration.startswith("aucenv.envs."):
        register_game(declaration)
    loaded = find_family(label).game.load_scenario(json.loads(scenario))
    sys.stdout.write("\n".join(playthrough(label, loaded, seed)))


def check_uncompiled(case: Case) -> None:
    """Compare a playthrough with that of a process without numba's compiler."""
    here = playthrough(case.family.label, case.scenario, case.seed)
    arguments = (f"{case.game.module}:GAME", case.family.label, json.dumps(case.scenario.to_dict()), case.seed)
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from aucenv.testing.playthroughs import print_playthrough; "
        f"print_playthrough(*{arguments!r})"
    )
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", env=env, check=False
    )
    if process.returncode:
        last = next(reversed(process.stderr.strip().splitlines()), "")
        raise ContractError(case.subject, f"without the compiler: {last}", "kernels also run as Python")
    _compare(case, here, process.stdout.splitlines(), "without numba's compiler")


def check_golden(case: Case, file: Path) -> None:
    """Compare a playthrough with a file, or write it if there is none."""
    lines = playthrough(case.family.label, case.scenario, case.seed)
    if not file.exists():
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _compare(case, lines, file.read_text(encoding="utf-8").splitlines(), f"in {file}")


def _compare(case: Case, lines: list[str], others: list[str], where: str) -> None:
    for number, (line, other) in enumerate(zip(lines, others, strict=False), start=1):
        if line != other:
            raise ContractError(case.subject, f"line {number} is {line!r}, but {where} {other!r}", "both are the same")
    if len(lines) != len(others):
        raise ContractError(case.subject, f"{len(lines)} lines, but {where} {len(others)}", "both are the same")
