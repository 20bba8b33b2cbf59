"""The ablation of RLAct's training: its arms, its table and its resuming."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import run_command
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.rlact import ablation as study
from aucenv.training.rlact.ablation import ARMS, Ablation
from aucenv.training.rlact.arm_trainers import judged_pair, tasks
from aucenv.training.rlact.models.checkpoints import load_causal
from aucenv.training.rlact.states.messages import BID, RECOMMENDATION
from tiny_training import SMALL, equal_weights

CHANGES = {**SMALL, "warm_up_steps": "60", "num_states": "200", "eval_states": "30"}


@pytest.fixture(scope="module")
def ablation(tmp_path_factory):
    prepared = Ablation(tmp_path_factory.mktemp("ablation"), 1, CHANGES)
    prepared.prepare()
    return prepared


def test_every_trained_arm_is_an_arm_of_the_study():
    assert tuple(ARMS) == study.TRAINED


@pytest.mark.slow
@pytest.mark.parametrize("arm", ["zero-shot", "sft", "offline-dpo", "grpo", "harbor-loss"])
def test_an_arm_trains_from_the_shared_base(ablation, arm):
    folder = ablation.train(arm, 0)
    base, trained = (load_causal(each).state_dict() for each in (ablation.shared / "base", folder))
    assert equal_weights(base, trained) == (arm == "zero-shot")
    assert json.loads((folder / "rlact.json").read_text())["tasks"] == ["recommendation", "bid"]
    written = (folder / "model.safetensors").stat().st_mtime_ns
    assert ablation.train(arm, 0) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == written


@pytest.mark.slow
def test_rates_are_those_of_the_states_for_validation(ablation):
    rates = ablation.rates(ablation.shared / "base")
    assert set(rates) == {"harbor"}
    assert 0 <= rates["harbor"]["bid"]["greedy"] <= 1


@pytest.mark.slow
def test_a_fifth_of_the_supervised_tasks_are_recommendations(ablation):
    states = ablation.clear_states
    assert tasks(states[:10]) == [RECOMMENDATION, BID, BID, BID, BID] * 2
    for state in states[:20]:
        better, worse = judged_pair(state, BID)
        assert (better == "I'm out!") == (state.action_values.lead < 0)
        assert (worse == "I'm out!") == (state.action_values.lead > 0)


def result(arm, seed, profits, right=0.9, regret=100.0):
    rates = {"bid": {"greedy": right, "readable": 1.0, "regret": regret}, "recommendation": {"greedy": 0.8}}
    return {"arm": arm, "seed": seed, "games": {"harbor": rates}, "profits": {"harbor": [profits]}}


def test_the_table_compares_ours_with_each_arm(tmp_path):
    for seed in range(3):
        for arm, profit in (("ours", 30.0), ("sft", 28.0)):
            values = [profit + deal % 3 for deal in range(20)]
            (tmp_path / f"{arm}-{seed}.json").write_text(json.dumps(result(arm, seed, values)))
    (tmp_path / "judge-greedy-0.json").write_text(json.dumps({"arm": "judge-greedy", "profits": {"harbor": [[40.0]]}}))
    rows = {row["arm"]: row for row in study.rows_of(tmp_path, [0, 1, 2])}
    assert list(rows) == ["sft", "ours", "judge-greedy"]
    assert rows["sft"]["lead"] == pytest.approx(2)
    assert rows["sft"]["p"] < 0.01
    assert rows["ours"]["bids"] == 90
    assert rows["ours"]["regret_harbor"] == 100
    assert rows["ours"]["seeds"] == 3
    assert "lead" not in rows["judge-greedy"]  # it has played other deals
    shown = STUDIES["rlact/ablation"].to_markdown(list(rows.values()))
    assert "| sft | 3 | 90.0 | 80.0 | 100.0 | 100 | - | 28.95 | - |" in " ".join(shown.split())


def command(*arguments):
    return run_command.command("study", "rlact/ablation", *arguments)


def test_bad_arguments_are_refused_and_nothing_is_written(tmp_path, capsys):
    out = tmp_path / "out"
    assert command() == 2
    refused = "study rlact/ablation: expected --out and no --from-records, --cluster, --set rivals, --shard, --set judge, --set form, "
    assert refused in capsys.readouterr().err
    assert command("--out", str(out), "--bidder", "expact") == 2
    assert "bidder: expected one of zero-shot, sft, " in capsys.readouterr().err
    assert not out.exists()


def test_other_settings_are_refused(tmp_path):
    settings = study.Settings(2, 1, CHANGES)
    study._check_settings(tmp_path, settings)
    study._check_settings(tmp_path, settings)
    with pytest.raises(ValueError, match="holds results with other settings"):
        study._check_settings(tmp_path, study.Settings(3, 1, CHANGES))


def test_finished_arms_are_not_trained_again(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "_prepare", lambda out, settings: None)
    for seed in range(3):
        (tmp_path / f"ours-{seed}.json").write_text(json.dumps(result("ours", seed, [30.0] * 5)))
    advanced = []
    rows = study.run(Path(tmp_path), ["ours"], None, 0, 1, lambda done, total: advanced.append((done, total)))
    assert advanced == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [row["arm"] for row in rows] == ["ours"]
