"""The rates of RLAct's decisions among families for evaluation."""

from __future__ import annotations

import json
import sys

from aucenv.baselines.population.families import HELD_OUT, load_population
from aucenv.benchmarks import rlact_decisions
from aucenv.training.rlact.policy import BUNDLED_MODEL
from aucenv.training.rlact.states import read_states
from tiny_training import write_small_states

from aucenv.core.bidder_name import parse_bidder


def test_models_are_compared_with_a_probe_on_states_of_held_out_families(tmp_path, monkeypatch, capsys):
    train = write_small_states(tmp_path)
    arguments = ["--states", str(train), "--model", str(BUNDLED_MODEL), "--number", "80", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["rlact_decisions", *arguments])
    rlact_decisions.main()
    assert (tmp_path / "decisions.md").read_text() in capsys.readouterr().out
    (row,) = json.loads((tmp_path / "decisions.json").read_text())
    assert (row["game"], row["states"]) == ("harbor", 8)
    assert all(0 <= row[name] <= 1 for name in ("chance", "probe"))
    assert all(0 <= row[task]["readable"] <= 1 for task in ("recommendation", "bid"))
    states = read_states(tmp_path / "evaluation.jsonl")
    assert all(state.split == "evaluation" and state.action_values is not None for state in states)
    kinds = {family.bidder for family in load_population().families("harbor", HELD_OUT)}
    assert {parse_bidder(name).kind for state in states for name in state.bidders} <= kinds
