"""The example that needs no other packages than the tests: it learns, and sends no illegal action."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from paths import ROOT

import aucenv

FORM = {"observation": "flat", "autoreset": "same_step", "illegal": "raise"}


@pytest.mark.parametrize(
    ("game", "rivals", "arguments"),
    [
        ("english_v0", ["rule", "value"], {}),
        ("sealed_bid_v0", ["equilibrium"] * 2, {"interface": "amount", "amount_scale": "share"}),
    ],
)
def test_the_loop_after_cleanrl_makes_updates_with_legal_actions(game, rivals, arguments, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "examples"), *sys.path])
    from cleanrl_ppo import Agent, train

    env = getattr(aucenv, game).vector_env(16, rivals=rivals, **FORM, **arguments)
    torch.manual_seed(0)
    before = [parameter.clone() for parameter in Agent(env).parameters()]
    after = list(train(env, 2, seed=0).parameters())
    assert all(parameter.isfinite().all() for parameter in after)
    assert not torch.equal(before[1], after[1])


@pytest.mark.docs
@pytest.mark.parametrize("game", ["english", "sealed"])
def test_the_example_measures_what_it_trains(game):
    command = [sys.executable, "-W", "error", "examples/cleanrl_evaluate.py", game]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"examples/cleanrl_evaluate.py: {done.stderr}"
    assert len(done.stdout.splitlines()) == 3


def test_examples_are_short():
    for file in (ROOT / "examples").glob("*.py"):
        limit = {"cleanrl_ppo": 70, "cleanrl_evaluate": 80, "integrations": 150}.get(file.stem, 60)
        assert len(file.read_text().splitlines()) <= limit, file.name
