"""The folders that the command lines of a newcomer's first hour use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from aucenv.benchmarks.timings.loopback import Loopback, bid_or_leave
from first_hour.lines import exit_status

from aucenv.envs.harbor.files import house_fields
from aucenv.envs.harbor.houses.generate import fresh_houses
from aucenv.envs.harbor.houses.personas import personas

LINEUP = {"game": "english", "bidders": ["rule", "value", "pace"], "games": 3, "seed": 3}


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    few = "--bidder rule --bidder value --bidder drain"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "leaderboard --games 15 --out run",
            f"leaderboard --games 12 {few} --shard 1/2 --out part1",
            f"leaderboard --games 12 {few} --shard 2/2 --out part2",
            f"leaderboard --games 12 {few} --seed 1 --shard 2/2 --out other",
            "leaderboard --game harbor --games 3 --set num_items=2 --bidder expact --bidder persona --out harbor",
            "study labs/revenue --games 2 --out study",
        ):
            assert exit_status(line) == 0, line
    shutil.copytree(folder / "run", folder / "more")
    (folder / "broken.json").write_text('{"half": ')
    (folder / "empty.jsonl").write_text("")
    (folder / "lineup.json").write_text(json.dumps(LINEUP))
    (folder / "lineup.yaml").write_text("bidders: [rule, value, pace]\ngames: 3\nseed: 3\n")
    (folder / "bad.json").write_text(json.dumps(LINEUP | {"seats": "three"}))
    return folder


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch):
    copy = tmp_path / "work"
    shutil.copytree(prepared, copy)
    monkeypatch.chdir(copy)
    return copy


NAMES = {persona.id: persona.name for persona in personas()}
HOUSES = [house_fields(listing) for listing in fresh_houses(7)]


def answer(body):
    """Return a house for whoever asks for one, and otherwise a bid or a withdrawal."""
    asked = json.dumps(body["messages"])
    houses = [house for house in HOUSES if NAMES[house["persona"]] in asked]
    return json.dumps(houses[0]) if houses else bid_or_leave(body)


@pytest.fixture(scope="session")
def model():
    """The bidder of a model at a server in this process."""
    with Loopback(answer) as server:
        yield f"llm:openai:m,base_url={server.url},backoff=0.001"


@pytest.fixture(scope="session")
def completed(prepared, model, tmp_path_factory):
    """The prepared folders, with a run that calls a model, and judged states."""
    folder = tmp_path_factory.mktemp("completed") / "work"
    shutil.copytree(prepared, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            f"leaderboard --games 3 --set num_items=1 --bidder m={model} --bidder rule --bidder value --out called",
            "rlact states --states 100 --out states",
            "rlact judge states/train.jsonl states/validation.jsonl --judge simulator,samples=16",
        ):
            assert exit_status(line) == 0, line
    return folder


@pytest.fixture
def work(completed, tmp_path, monkeypatch):
    """A copy of the prepared folders, as the current one."""
    copy = tmp_path / "work"
    shutil.copytree(completed, copy)
    monkeypatch.chdir(copy)
    return copy
