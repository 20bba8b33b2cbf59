"""A tiny model learns from the judge but not from random scores; training from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_command import command
from tiny_training import SMALL, TRAIN_COMMAND, small_run, write_small_states

LONGER = {
    "warm_up_steps": 60,
    "recommendation_steps": 60,
    "bid_steps": 1,
    "per_device_train_batch_size": 64,
    "save_steps": 200,
    "eval_states": 300,
    "logging_steps": 20,
}


@pytest.fixture(scope="module")
def many_states(tmp_path_factory):
    return write_small_states(tmp_path_factory.mktemp("states"), 1500)


def accuracies(out):
    """Return the accuracy of recommendations before and after training, and that of a constant decision."""
    lines = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    first, last = (line["games"]["harbor"] for line in (lines[0], lines[-1]))
    return first["recommendation"]["greedy"], last["recommendation"]["greedy"], last["chance"]


@pytest.mark.slow
def test_a_model_learns_from_the_judge(many_states, tmp_path):
    small_run(tmp_path / "run", many_states, **LONGER).run()
    before, after, chance = accuracies(tmp_path / "run")
    assert after > max(before, chance) + 0.05
    assert (tmp_path / "run" / "curves.png").stat().st_size > 1000


@pytest.mark.slow
def test_a_model_learns_nothing_from_random_scores(many_states, tmp_path):
    small_run(tmp_path / "run", many_states, judge="random", guard="off", **LONGER).run()
    _, after, chance = accuracies(tmp_path / "run")
    assert after <= chance + 0.03


def test_the_command_trains_and_prints_how_to_play(states, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    supervised = {"supervised_steps": "6", "recommendation_steps": "0", "bid_steps": "0"}
    changes = [word for name, value in (SMALL | supervised).items() for word in ("--set", f"{name}={value}")]
    assert not command(*TRAIN_COMMAND.split()[1:], "--set", f"states={states}", "--seed", "3", *changes)
    shown = capsys.readouterr().out
    assert f"--bidder rlact:{Path('tiny') / 'model'}" in shown
    assert "recommendation" in shown
    card = (tmp_path / "tiny" / "model" / "README.md").read_text()
    assert "aucenv train rlact --preset tiny --seed 3 --set" in card
    assert json.loads((tmp_path / "tiny" / "checkpoint-3" / "evaluation.json").read_text())["step"] == 3


def test_a_run_may_consist_of_supervised_updates(states, tmp_path):
    run = small_run(tmp_path / "run", states, supervised_steps=4, recommendation_steps=0, bid_steps=0, save_steps=2)
    summary = run.run()
    assert (summary["phase"], summary["ended"], summary["pairs"]) == ("supervised", None, {})
    steps = [json.loads(line) for line in (run.out / "evaluations.jsonl").read_text().splitlines()]
    assert [each["step"] for each in steps] == [0, 2, 4]
    best = max(steps[1:], key=lambda each: (each["score"], each["step"]))
    weights = [run.out / folder / "model.safetensors" for folder in ("model", f"checkpoint-{best['step']}")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    card = (run.out / "model" / "README.md").read_text()
    assert "by supervised finetuning on a judge's better replies." in card
    assert "States whose decision is a tie were left out." in card
    assert "Online DPO" not in card
    assert "online-dpo" not in card
    assert json.loads((run.out / "model" / "rlact.json").read_text())["tasks"] == ["recommendation", "bid"]
