"""A command does not write into the folder of another command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_command import command as run

LEADERBOARD = ["leaderboard", "--game", "sealed_bid", "--bidder", "truthful", "--bidder", "shade", "--games", "6"]
PPO = ["train", "ppo", "--game", "sealed_bid", "--scenario", "first-ipv-once", "--set", "eval_games=0"]
COMMANDS = {
    "run.json": (
        PPO,
        ["exploit", "truthful", "--game", "sealed_bid", "--method", "ppo"],
        ["train", "rlact", "--preset", "tiny"],
        ["train", "league", "--preset", "tiny"],
        ["rlact", "states", "--states", "40"],
        ["study", "rl/closed-forms"],
        ["study", "all", "--offline"],
    ),
    "settings.json": (LEADERBOARD, ["train", "league", "--preset", "tiny"], ["study", "labs/revenue", "--games", "1"]),
    "league.json": (PPO, LEADERBOARD),
}
"""The file of another command -> commands that refuse its folder."""


@pytest.mark.parametrize(
    ("mark", "command"),
    [(mark, command) for mark, commands in COMMANDS.items() for command in commands],
    ids=lambda each: each if isinstance(each, str) else "-".join(each[:2]).strip("-"),
)
@pytest.mark.parametrize("resume", [False, True])
def test_the_folder_of_another_command_is_refused_and_stays_as_it_is(tmp_path, capsys, mark, command, resume):
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / mark).write_text("{}")
    resumes = ["--resume"] * (resume and command[0] in ("train", "leaderboard", "exploit"))
    assert run(*command, "--out", folder, *resumes) != 0
    error = " ".join(capsys.readouterr().err.split())
    assert "expected a new folder, got" in error
    assert mark in error
    assert [path.name for path in folder.iterdir()] == [mark]


TRAINING = {
    "train ppo": PPO,
    "exploit": ["exploit", "truthful", "--game", "sealed_bid", "--method", "ppo"],
    "train rlact": ["train", "rlact", "--preset", "tiny"],
}
"""The commands whose folders have the same file of settings."""


@pytest.mark.parametrize(
    ("command", "other"),
    [(each, other) for each in TRAINING for other in (*TRAINING, "train other", None, 5) if each != other],
    ids=str,
)
@pytest.mark.parametrize("options", [[], ["--resume"]], ids=["new", "resumed"])
def test_the_folder_of_another_training_command_is_refused_and_stays_as_it_is(
    tmp_path, capsys, command, other, options
):
    (tmp_path / "settings.json").write_text(json.dumps({"command": other, "seed": 0}))
    assert run(*TRAINING[command], "--out", tmp_path, *options) != 0
    error = " ".join(capsys.readouterr().err.split())
    named = f"`aucenv {other}`" if isinstance(other, str) else "an unknown command"
    expected = f"expected a new folder or one of `aucenv {command}`, got one of {named}, with its settings.json; choose"
    assert expected in error
    assert [path.name for path in tmp_path.iterdir()] == ["settings.json"]


def test_ppo_does_not_write_into_a_leaderboard(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(*LEADERBOARD, "--out", "run") == 0
    before = {path: path.read_bytes() for path in Path("run").iterdir()}
    assert run(*PPO, "--out", "run") != 0
    error = " ".join(capsys.readouterr().err.split())
    assert "run: expected a new folder, got a results folder, with its run.json; choose another one" in error
    assert {path: path.read_bytes() for path in Path("run").iterdir()} == before
