"""The rates of RLAct's decisions among families for evaluation."""

from __future__ import annotations

import json
import shutil
import sys

import numpy as np
import pytest
import torch
from aucenv.baselines.population.families import HELD_OUT, load_population
from aucenv.benchmarks import rlact_decisions
from aucenv.training.rlact.policy import BUNDLED_MODEL
from aucenv.training.rlact.states.states import read_states
from safetensors.torch import load_file, save_file

from aucenv.core.words.bidder_name import parse_bidder


def with_noise(folder):
    """Return a copy of the bundled model that decides worse."""
    shutil.copytree(BUNDLED_MODEL, folder)
    weights = load_file(folder / "model.safetensors")
    generator = torch.Generator().manual_seed(0)
    noisy = {name: value + 0.05 * torch.randn(value.shape, generator=generator) for name, value in weights.items()}
    save_file(noisy, folder / "model.safetensors", {"format": "pt"})
    return folder


@pytest.mark.slow
def test_models_are_compared_with_a_probe_on_states_of_held_out_families(states, tmp_path, monkeypatch, capsys):
    arguments = ["--states", str(states), "--model", str(BUNDLED_MODEL), "--number", "80", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["rlact_decisions", *arguments])
    rlact_decisions.main()
    assert (tmp_path / "decisions.md").read_text() in capsys.readouterr().out
    (row,) = json.loads((tmp_path / "decisions.json").read_text())["rates"]
    assert (row["game"], row["replies"], row["states"]) == ("harbor", "written", 8)
    assert all(0 <= row[name] <= 1 for name in ("chance", "probe"))
    assert all(0.5 <= row[task][name] <= 1 for task in ("recommendation", "bid") for name in ("legal", "sampled"))
    evaluated = read_states(tmp_path / "evaluation.jsonl")
    assert all(state.split == "evaluation" and state.action_values is not None for state in evaluated)
    kinds = {family.bidder for family in load_population().families("harbor", HELD_OUT)}
    assert {parse_bidder(name).kind for state in evaluated for name in state.bidders} <= kinds


def test_decisions_are_compared_state_by_state(states, tmp_path, monkeypatch, capsys):
    folder, worse = shutil.copytree(BUNDLED_MODEL, tmp_path / "model"), with_noise(tmp_path / "worse")
    arguments = ["--states", str(states), "--model", str(folder), "--against", str(worse), "--number", "200"]
    arguments += ["--replies", "scored", "--replies", "written", "--each", "8", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["rlact_decisions", *arguments])
    rlact_decisions.main()
    assert "95% interval" in capsys.readouterr().out
    results = json.loads((tmp_path / "decisions.json").read_text())
    rows = results["rates"]
    assert [(row["model"], row["replies"], row["states"]) for row in rows] == [
        (str(model), style, 8) for model in (folder, worse) for style in ("scored", "written")
    ]
    assert all(len(row[task]["right"]) == 8 for row in rows for task in ("recommendation", "bid"))
    bids = [lead for lead in results["leads"] if lead["task"] == "bid"]
    for lead, row, other in zip(bids, rows[:2], rows[2:], strict=True):
        assert lead["lead"] == pytest.approx(np.mean(row["bid"]["right"]) - np.mean(other["bid"]["right"]))
        assert lead["low"] <= lead["lead"] <= lead["high"]
    assert np.mean(rows[1]["bid"]["right"]) > 0.6
    assert results["leads"][-1]["game"] == "all"
