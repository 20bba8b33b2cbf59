"""The command lines of a newcomer's first hour print what they must and exit as they must."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from first_hour.lines import BAD, GOOD

from aucenv.cli import main

LINEUP = {"game": "english", "bidders": ["rule", "value", "pace"], "games": 3, "seed": 3}


def exit_status(line: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(shlex.split(line))
    return int(exit_.value.code or 0)


@pytest.fixture(scope="module")
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
            "leaderboard --game harbor --games 3 --items 2 --bidder expact --bidder persona --out harbor",
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


def test_the_table_is_large_enough():
    assert len(GOOD) + len(BAD) >= 120


@pytest.mark.parametrize(("line", "text"), GOOD)
def test_good_lines(line, text, folder, capsys):
    assert exit_status(line) == 0
    out, err = capsys.readouterr()
    assert text in out + err
    assert "…" not in out + err


@pytest.mark.parametrize(("line", "text"), BAD)
def test_bad_lines(line, text, folder, capsys):
    before = sorted(folder.rglob("*"))
    assert exit_status(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert text in err
    assert "Traceback" not in err
    assert len(err.strip().split("\n")) <= 5
    assert sorted(folder.rglob("*")) == before
