"""A run that was stopped, or is over: what goes on, to the same weights, and what does not."""

from __future__ import annotations

import shutil
import signal

import pytest
from aucenv.training.rlact.judges import JudgeFailure, RandomJudge
from safetensors.torch import load_file
from tiny_training import alike, small_run, write_small_states


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    return write_small_states(tmp_path_factory.mktemp("states"))


LONG = {"judge": "random", "per_device_train_batch_size": 40}
"""Of 80 states each update takes 20."""


@pytest.fixture(scope="module")
def finished(states, tmp_path_factory):
    """A run to its end, with checkpoints after 3 and 6 updates; its last two see the states a second time."""
    run = small_run(tmp_path_factory.mktemp("runs") / "whole", states, **LONG)
    return run, run.run()


def weights(folder):
    return load_file(folder / "model.safetensors")


def test_a_run_that_goes_on_ends_as_one_that_was_never_stopped(states, finished, tmp_path):
    run, found = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("checkpoint-6", "model"))
    again = small_run(out, states, resume=True, **LONG).run()
    assert alike(weights(out / "model"), weights(run.out / "model"))
    assert not alike(weights(out / "model"), weights(out / "checkpoint-3"))
    assert again == found


def test_a_run_that_is_over_learns_no_more(states, finished, tmp_path):
    run, found = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("model"))
    assert small_run(out, states, resume=True, **LONG).run() == found
    assert alike(weights(out / "model"), weights(run.out / "model"))
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-3", "checkpoint-6"}


class AtTheSecondUpdate:
    """A judge beside whom something happens then."""

    def __init__(self, happens):
        self.happens, self.updates = happens, 0

    def compare(self, states, firsts, seconds):
        self.updates += 1
        if self.updates == 2:
            self.happens()
        return RandomJudge(42).compare(states, firsts, seconds)


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


def fail():
    raise JudgeFailure("judge x: no score for 20 states in a row")


def test_ctrl_c_saves_and_the_run_goes_on_as_if_nothing_had_been(states, finished, tmp_path):
    run, out = finished[0], tmp_path / "stopped"
    stopped, judge = small_run(out, states, **LONG, eval_deals=1), AtTheSecondUpdate(ctrl_c)
    stopped._judge_of = lambda: lambda phase: judge
    told = stopped.run()
    assert told["ended"] == "stopped"
    assert told["expact"] > 0
    assert told["profit_ratio"] is not None
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-2"}
    assert not (out / "model").exists()
    small_run(out, states, resume=True, **LONG).run()
    assert alike(weights(out / "model"), weights(run.out / "model"))


def test_a_judge_that_fails_ends_the_run_with_a_checkpoint(states, tmp_path):
    out, judge = tmp_path / "run", AtTheSecondUpdate(fail)
    run = small_run(out, states, **LONG)
    run._judge_of = lambda: lambda phase: judge
    assert run.run()["ended"] == "judge x: no score for 20 states in a row"
    assert {folder.name for folder in out.glob("checkpoint-*")} == {"checkpoint-2"}
    assert small_run(out, states, resume=True, **LONG).run()["ended"] is None


def test_files_of_a_run_that_are_broken_are_named(states, finished, tmp_path):
    for name in ("settings.json", "states.json", "evaluations.jsonl"):
        out = tmp_path / name
        shutil.copytree(finished[0].out, out)
        for text in ('{"a": ', "5\n"):
            (out / name).write_text(text)
            with pytest.raises(ValueError, match=f"{name}.*JSON"):
                small_run(out, states, resume=True, **LONG).run()


def test_a_checkpoint_that_was_cut_off_is_passed_over(states, finished, tmp_path):
    run, found = finished
    out = tmp_path / "again"
    shutil.copytree(run.out, out, ignore=shutil.ignore_patterns("model"))
    (out / "checkpoint-6" / "rlact.json").unlink()
    assert small_run(out, states, resume=True, **LONG).run() == found
    assert alike(weights(out / "model"), weights(run.out / "model"))


@pytest.mark.parametrize(
    "change", [{"learning_rate": 1e-3}, {"pair_beta": 0.5}, {"counterfactual": False}, {"judge": "simulator"}]
)
def test_other_settings_are_not_gone_on_with(states, finished, tmp_path, change):
    out = tmp_path / "again"
    shutil.copytree(finished[0].out, out)
    with pytest.raises(ValueError, match=f"{next(iter(change))}: expected"):
        small_run(out, states, resume=True, **{**LONG, **change}).run()


def test_nor_are_other_states(states, finished, tmp_path):
    out, others = tmp_path / "again", tmp_path / "states"
    shutil.copytree(finished[0].out, out)
    shutil.copytree(states, others)
    lines = (others / "train.jsonl").read_text().splitlines(keepends=True)
    (others / "train.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(ValueError, match="other states: learnt"):
        small_run(out, others, resume=True, **LONG).run()


def test_a_folder_that_holds_a_run_is_not_written_over(states, finished):
    with pytest.raises(ValueError, match="--resume goes on"):
        small_run(finished[0].out, states, **LONG).run()
