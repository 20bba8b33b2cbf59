"""The commands of all pages run, in their order, in a folder for each page.

At the size `small`, they play and train less than a page states. Training of language models, which takes hours, is not
run at any size: its settings are read, and tests/training trains.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import shlex
import shutil

import pytest
from aucenv.benchmarks import speed
from aucenv.benchmarks.timings.loopback import Loopback
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.policy import BUNDLED_MODEL
from competent_agent import Competent
from doc_pages import GENERATED, PAGES, QUICK, SMALL, all_blocks, commands_of, name_of
from paths import ROOT
from provider_servers import Anthropic
from tiny_training import TRAIN_COMMAND
from typer.main import get_command

from aucenv.cli import app, main

TARGETS = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
PRICED = ("gpt-4.1-mini", Anthropic.name)
"""Models that a server on this machine plays, and for which there is a price."""
PPO = ("num_envs=64", "updates=2", "save_every=2", "minibatches=1")
WITH_COMMANDS = [page for page in PAGES if page.name != GENERATED and any(commands_of(page))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the files and variables that pages assume."""
    snippets = [block.text for block in all_blocks("python")]
    (tmp_path / "patient.py").write_text(next(text for text in snippets if "Patient" in text).split("record")[0])
    (tmp_path / "mine.py").write_text(next(text for text in snippets if "class LastDay" in text))
    (tmp_path / "prices.json").write_text(json.dumps({model: {"input": 1, "output": 1} for model in PRICED}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-planted-5f2a9c")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-5f2a9c")
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=() if page in QUICK else pytest.mark.docs, id=name_of(page)) for page in WITH_COMMANDS],
)
def test_commands_run(page, folder, monkeypatch, capsys):
    for place, command in commands_of(page):
        try:
            run(command, folder, monkeypatch)
            if command.startswith("aucenv leaderboard"):
                shown = capsys.readouterr().out
                assert all(label in shown for label in re.findall(r"--bidder (\w+)=", command)), "a bidder is missing"
        except Exception as error:
            raise AssertionError(f"{place}: {command}: {error}\n{capsys.readouterr().err}") from error


def run(command, folder, monkeypatch):
    """Run a command, or check what a test cannot run."""
    words = shlex.split(command)
    if words[0] == "make":
        assert words[1] in TARGETS, "no such target"
    elif words[0] == "python":  # measures for minutes, beside peers
        assert words[1] == "-m", "expected python -m"
        assert importlib.util.find_spec(words[2]) is not None, "no such module"
        if words[2] == "aucenv.benchmarks.speed":
            assert words[3] in [each.callback.__name__ for each in speed.app.registered_commands], "no such figure"
    elif words[:2] == ["aucenv", "host"]:  # tests/commands/hosting plays
        get_command(app).commands["host"].make_context("host", words[2:])
    elif words[:3] == ["aucenv", "train", "rlact"]:
        preset, out = (words[words.index(option) + 1] for option in ("--preset", "--out"))
        read_config(preset, None, folder / out, dict(word.split("=", 1) for word in words if "=" in word))
        if command == TRAIN_COMMAND:
            shutil.copytree(BUNDLED_MODEL, folder / out / "model")
    elif words[0] == "aucenv":
        if words[1] == "play":
            monkeypatch.setattr("sys.stdin", io.StringIO("w\n" * 500))
        call(words, less(words) if SMALL else [])
    else:
        assert words[0] in ("export", "pip"), "expected make, python, aucenv, export or pip"


def less(words):
    """Return the options with which a command takes seconds; a setting of the command itself is replaced."""
    if words[1:3] == ["train", "ppo"]:
        return [*(word for each in PPO for word in ("--set", each)), "--set", "eval_games=30"]
    if "small" in words:
        words[:] = [word.replace("num_items=2", "num_items=1") for word in words]
        return []
    extra = ["--games", "24" if "--meta" in words else "6"] if words[1] in ("leaderboard", "study") else []
    extra += ["--workers", "1"] if "--workers" in words and "learnt" not in words else []  # each loads torch
    return extra + {"states": ["--states", "200"], "judge": ["--judge", "simulator,samples=8"]}.get(
        "".join(words[2:3]), []
    )


def call(words, extra):
    """Run a command of aucenv, with a server on this machine in place of models."""
    extra = [*extra, *(["--prices", "prices.json"] if "--max-cost" in words else [])]
    line = " ".join(words)
    server_class = Competent if "agent=" in line else Anthropic if Anthropic.name in line else Loopback
    with server_class() as server:
        words = [re.sub("|".join(PRICED), rf"\g<0>,base_url={server.url}", word) for word in words]
        with pytest.raises(SystemExit) as ended:
            main([*words[1:], *extra])
    assert not ended.value.code, f"exit status {ended.value.code}"


def test_the_readme_begins_with_two_commands():
    assert [command for _, command in commands_of(PAGES[0])][:2] == ["make leaderboard", "make test"]
    assert any(command == TRAIN_COMMAND for page in PAGES for _, command in commands_of(page))
