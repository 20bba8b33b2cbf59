"""Resuming a run that was stopped or is complete: the final weights are the same, and other settings are refused."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from aucenv.training.rlact.judges.judges import JudgeFailure, RandomJudge
from aucenv.training.rlact.settings_files import read_origin, save_origin
from run_command import command
from safetensors.torch import load_file
from tiny_training import SMALL, equal_weights, small_run

LONG = {"judge": "random", "per_device_train_batch_size": 40}
"""Each update uses 20 of 80 states."""


@pytest.fixture(scope="module")
def finished(states, tmp_path_factory):
    """A complete run with checkpoints after 3 and 6 updates; the last two updates see the states a second time."""
    run = small_run(tmp_path_factory.mktemp("runs") / "whole", states, **LONG)
    return run, run.run()


def weights(folder):
    return load_file(folder / "model.safetensors")


def test_a_resumed_run_has_the_results_of_one_that_was_never_stopped(states, finished, tmp_path):
    run, summary = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("checkpoint-6", "model"))
    again = small_run(out, states, resume=True, **LONG).run()
    assert equal_weights(weights(out / "model"), weights(run.out / "model"))
    assert not equal_weights(weights(out / "model"), weights(out / "checkpoint-3"))
    assert again == summary
    results = [result[phase] for result in summary["games"].values() for phase in ("recommendation", "bid")]
    assert all(
        each["greedy"] * each["decisions"] == pytest.approx(round(each["greedy"] * each["decisions"]))
        for each in results
    )


def test_resuming_a_complete_run_changes_nothing(states, finished, tmp_path, capsys):
    run, summary = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("model"))
    again, said = small_run(out, states, resume=True, **LONG), []
    again.say = said.append
    assert again.run() == summary
    assert "no update is left" in said[0]
    assert "update 6 of 6 (bid): already finished" in capsys.readouterr().out
    assert equal_weights(weights(out / "model"), weights(run.out / "model"))
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-3", "checkpoint-6"}


class AtTheSecondUpdate:
    """A random judge that calls a function at the second update."""

    def __init__(self, call):
        self.call, self.updates = call, 0

    def compare(self, states, firsts, seconds):
        self.updates += 1
        if self.updates == 2:
            self.call()
        return RandomJudge(42).compare(states, firsts, seconds)


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def fail():
    raise JudgeFailure("judge x: no score for 20 states in a row")


def test_ctrl_c_saves_a_checkpoint_that_resumes_to_the_same_weights(states, finished, tmp_path):
    run, out = finished[0], tmp_path / "stopped"
    stopped, judge = small_run(out, states, **LONG, eval_deals=1), AtTheSecondUpdate(ctrl_c)
    stopped._judge_factory = lambda: lambda phase: judge
    summary = stopped.run()
    assert summary["ended"] == "stopped"
    assert summary["games"]["harbor"]["expert"] > 0
    assert summary["games"]["harbor"]["profit"] is not None
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-2"}
    assert not (out / "model").exists()
    small_run(out, states, resume=True, **LONG).run()
    assert equal_weights(weights(out / "model"), weights(run.out / "model"))


def test_a_judge_that_fails_ends_the_run_with_a_checkpoint(states, base, tmp_path):
    out, judge, changes = tmp_path / "run", AtTheSecondUpdate(fail), {**LONG, "model_name_or_path": base}
    run = small_run(out, states, **changes)
    run._judge_factory = lambda: lambda phase: judge
    assert run.run()["ended"] == "judge x: no score for 20 states in a row"
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-2"}
    assert small_run(out, states, resume=True, **changes).run()["ended"] is None


def test_errors_name_the_broken_files_of_a_run(states, finished, tmp_path):
    for name in ("settings.json", "states.json", "evaluations.jsonl"):
        out = tmp_path / name
        shutil.copytree(finished[0].out, out)
        for text in ('{"a": ', "5\n"):
            (out / name).write_text(text)
            with pytest.raises(ValueError, match=f"{name}.*JSON"):
                small_run(out, states, resume=True, **LONG).run()


def test_an_incomplete_checkpoint_is_ignored(states, finished, tmp_path):
    run, summary = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("model"))
    (out / "checkpoint-6" / "rlact.json").unlink()
    assert small_run(out, states, resume=True, **LONG).run() == summary
    assert equal_weights(weights(out / "model"), weights(run.out / "model"))


@pytest.mark.parametrize(
    "change",
    [
        *({"learning_rate": 1e-3}, {"pair_beta": 0.5}, {"counterfactual": False}, {"judge": "simulator"}),
        *({"games": "sealed_bid"}, {"model_name_or_path": "no-such-folder"}),
    ],
)
def test_a_run_cannot_be_resumed_with_other_settings(states, finished, tmp_path, change):
    out = tmp_path / "again"
    shutil.copytree(finished[0].out, out)
    with pytest.raises(ValueError, match=f"{next(iter(change))} is .+ in the folder and .+ in this command"):
        small_run(out, states, resume=True, **{**LONG, **change}).run()


def resume(out, *options):
    """Resume the run in a folder by the command, and return the exit status."""
    return command("train", "rlact", "--out", out, "--resume", *options)


def test_a_resumed_run_takes_its_settings_from_its_folder(states, finished, tmp_path, capsys):
    run, _ = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("model", "checkpoint-6"))
    changes = {**SMALL, **{name: str(value) for name, value in LONG.items()}, "states": str(states)}
    save_origin(out, "--preset tiny-dpo", changes)
    assert resume(out, "--set", "guard=off") == 0
    assert equal_weights(weights(out / "model"), weights(run.out / "model"))
    assert "update 6 of 6 (bid): loss" in capsys.readouterr().out
    assert resume(out, "--set", "pair_beta=0.5") == 2
    assert "pair_beta is 2.0 in the folder and 0.5 in this command" in capsys.readouterr().err
    assert resume(out, "--preset", "rlact-smollm2") == 2
    assert "expected --preset tiny-dpo, with which the run" in capsys.readouterr().err


def test_the_origin_of_settings_is_read_from_the_folder(tmp_path):
    assert read_origin(tmp_path, "tiny", None, {"seed": "1"}) == ("tiny", None, {"seed": "1"})
    save_origin(tmp_path, "--preset my settings.yaml", {"seed": "1", "bid_steps": "2"})
    file = Path("my settings.yaml")
    for given in (None, file):
        assert read_origin(tmp_path, None, given, {"seed": "3"}) == (None, file, {"seed": "3", "bid_steps": "2"})
    with pytest.raises(ValueError, match=r"expected --preset my settings.yaml, .*, got --preset tiny"):
        read_origin(tmp_path, "tiny", None, {})


def test_a_run_cannot_be_resumed_with_other_states(states, finished, tmp_path):
    out, others = tmp_path / "again", tmp_path / "states"
    shutil.copytree(finished[0].out, out)
    shutil.copytree(states, others)
    lines = (others / "train.jsonl").read_text().splitlines(keepends=True)
    (others / "train.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(ValueError, match="other states: learnt"):
        small_run(out, others, resume=True, **LONG).run()


def test_a_folder_with_a_run_is_not_overwritten(states, finished):
    with pytest.raises(ValueError, match="resume it with --resume"):
        small_run(finished[0].out, states, **LONG).run()
