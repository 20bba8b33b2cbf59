"""Recorded playthroughs: with and without the compiler, and beside a file."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from aucenv.core.play.table import Table
from aucenv.core.words.money import to_dollars
from aucenv.registration import find_family, register_game
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.forms import AMOUNTS, random_action

INTERFACES = ("vector", "amount", "vector")
"""The interfaces of the games of a playthrough."""
RAW = 0.25
"""The share of amounts that are not replaced by the nearest legal ones."""


def playthrough(label: str, scenario: object, seed: int) -> list[str]:
    """Return the lines of random games: what every seat observes, its info, rewards and actions, and the table."""
    lines = []
    for number, interface in enumerate(INTERFACES, start=seed):
        env = find_family(label).raw_env(scenario=scenario, interface=interface, render_mode="ansi", infos="full")
        env.reset(seed=number)
        rng = np.random.default_rng(number)
        lines += [f"== seed {number}, {interface}", *str(env.render()).splitlines()]
        rounds = 0
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            lines.append(f"{agent} observes {_digest(observation['observation'])} {info} reward {reward:.6f}")
            action: float | None = None
            if not terminated and not truncated and interface == "vector":
                lines.append("mask " + "".join(map(str, observation["action_mask"])))
                action = random_action(observation, rng)
            elif not terminated and not truncated:
                action = _random_amount(env.table, int(agent.rpartition("_")[2]), rng)
            lines.append(f"{agent}: {action}")
            env.step(action)
            if env.table.rounds > rounds:
                rounds = env.table.rounds
                lines += [*str(env.render()).splitlines(), f"state {_digest(env.state())}"]
    return lines


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()[:12]


def _random_amount(table: Table, seat: int, rng: np.random.Generator) -> float:
    """Return an amount in dollars, most of them legal; -1 makes no bid."""
    cents = int(rng.choice(AMOUNTS))
    if rng.random() > RAW:
        cents = int(table.game.rules.clip(table.state, 0, seat, cents))
    return -1.0 if cents < 0 else to_dollars(cents)


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
    _compare(case, here, process.stdout.splitlines(), "without numba's compiler", "both are the same")


def check_golden(case: Case, file: Path) -> None:
    """Compare a playthrough with a file, or write it if there is none."""
    lines = playthrough(case.family.label, case.scenario, case.seed)
    if not file.exists():
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    recorded = file.read_text(encoding="utf-8").splitlines()
    _compare(
        case, lines, recorded, f"in {file}", f"both are the same; if you changed the game on purpose, delete {file}"
    )


def _compare(case: Case, lines: list[str], others: list[str], where: str, text: str) -> None:
    for number, (line, other) in enumerate(zip(lines, others, strict=False), start=1):
        if line != other:
            raise ContractError(case.subject, f"line {number} is {line!r}, but {where} {other!r}", text)
    if len(lines) != len(others):
        raise ContractError(case.subject, f"{len(lines)} lines, but {where} {len(others)}", text)
