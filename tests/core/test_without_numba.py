"""Games without numba, and with its compiler off, are the compiled ones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

GAMES = """
import hashlib, sys, warnings
{prelude}
import numpy as np
import aucenv
from aucenv.core import kernel
from aucenv.policy.registry import scripted_bidders

CASES = [
    ("standard-20k-random", ["random", "value", "pace"]),
    ("standard-10k-descending", ["drain", "rule", "random,ladder=3"]),
    ("niche-20k", ["random", "pace", "drain", "oracle"]),
    *(("standard-20k-ascending", [name, "random", name]) for name in scripted_bidders("english")),
]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    batch = aucenv.english_v0.batch_env(5, num_bidders=3)
    played = []
    for scenario, bidders in CASES:
        played += [aucenv.play("english", scenario, bidders, (11, i)).to_json() for i in range(2)]
        rolled = aucenv.rollout("english", scenario, bidders, 2, 11)
        played.append(repr({{name: values.tolist() for name, values in rolled.items()}}))
records = hashlib.sha256("\\n".join(played).encode()).hexdigest()
rows = hashlib.sha256()
batch.reset(1)
rng = np.random.default_rng(0)
for _ in range(40):
    batch.step(rng.integers(batch.num_actions, size=(5, 3)) // 4)
    for array in (batch.observations, batch.masks, batch.rewards, batch.terminated, batch.results):
        rows.update(array.tobytes())
uncompiled = [str(warning.message) for warning in caught if "uncompiled" in str(warning.message)]
results = [kernel.numba is not None, records, rows.hexdigest(), *uncompiled]
"""
"""A script whose `results` are whether numba is there, digests of records with rollouts, and of rows, and warnings."""


@pytest.fixture(scope="module")
def compiled() -> list:
    """Return the results in this process."""
    names: dict = {}
    exec(GAMES.format(prelude=""), names)
    return names["results"]


@pytest.mark.parametrize(("mode", "jit"), [("the compiler is off", "1"), ("there is no numba", "0")])
def test_the_games_are_the_same(compiled, mode, jit):
    prelude = "sys.modules['numba'] = None" if mode == "there is no numba" else ""
    script = GAMES.format(prelude=prelude) + "print(*results, sep='\\n')"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": jit}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    installed, records, rows, *warned = done.stdout.splitlines()
    assert [True, records, rows] == compiled
    assert installed == str(mode == "the compiler is off")
    if mode == "there is no numba":  # one warning explains how to install it
        assert len(warned) == 1
        assert warned[0].startswith("games are played uncompiled, over 100 times slower")
    else:
        assert not warned
