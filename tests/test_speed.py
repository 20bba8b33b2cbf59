"""The benchmarks run; what they measure is in benchmarks/SPEED.md."""

from __future__ import annotations

import json
import sys

import pytest
from aucenv.benchmarks.batch_play import choose
from aucenv.benchmarks.speed import app, time_first_steps
from typer.testing import CliRunner

SMALL = {
    "aec": ["--seconds", "0.02", "--rounds", "1"],
    "batch": ["--num-envs", "16", "--seconds", "0.02", "--rounds", "1"],
    "play": ["--games", "2", "--rounds", "1"],
    "rollout": ["--games", "50", "--rounds", "1"],
}


@pytest.mark.parametrize("name", SMALL)
def test_figures_as_json(name, monkeypatch):
    for peer in ("pgx", "jax", "pettingzoo.classic"):
        monkeypatch.setitem(sys.modules, peer, None)  # absent peers are named
    result = CliRunner().invoke(app, [name, *SMALL[name], "--json"], catch_exceptions=False)
    data = json.loads(result.stdout)
    assert data["figures"]
    for figure in data["figures"].values():
        assert 0 < figure["min"] <= figure["median"] <= figure["max"]
    if name in ("aec", "batch"):
        assert any(note.startswith("Absent: ") for note in data["notes"])


def test_the_batch_benchmark_chooses_uniformly_among_the_legal():
    import numpy as np

    masks = np.array([[[1, 0, 1, 1]]] * 6000, np.int8)
    actions, decisions = np.zeros((6000, 1), np.int64), np.zeros(1, np.int64)
    chance = np.random.default_rng(0).integers(1, 2**31 - 1, 6000)
    choose(0, 6000, 0, masks, np.ones((6000, 1), bool), actions, chance, decisions)
    counts = np.bincount(actions[:, 0], minlength=4)
    assert decisions[0] == 6000
    assert counts[1] == 0
    assert counts[[0, 2, 3]].min() > 1850


@pytest.mark.slow
def test_first_steps_are_timed():
    assert time_first_steps().count("\n") == 7
