"""`aucenv records reread` reads the replies of a run again, and names the games that cannot go on."""

from __future__ import annotations

import json
from itertools import count

import pytest
from aucenv.benchmarks.timings.loopback import Loopback
from run_command import command

from aucenv.core.reader import refusals
from aucenv.envs.sealed_bid import words as sealed_text
from aucenv.runs.records import read_records


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run in which some replies of a model are unreadable."""
    out = tmp_path_factory.mktemp("reread") / "run"
    numbers = count(1)
    with Loopback(lambda body: "I bid $5!" if next(numbers) % 8 else "Well, hm.") as server:
        code = command(
            "leaderboard", "--game", "sealed_bid", "--set", "num_items=3", "--games", "6", "--out", out, "--bidder",
            f"m=llm:openai:m,base_url={server.url},backoff=0.001", "--bidder", "naive", "--bidder", "shade",
            "--concurrency", "1",
        )  # fmt: skip
    assert code == 0
    return out


def test_the_same_reader_gives_the_same_games(folder, tmp_path, capsys):
    assert command("records", "reread", folder, "--out", tmp_path / "new") == 0
    assert "6 games in" in capsys.readouterr().out
    for name in ("games.jsonl", "table.json", "calls.jsonl"):
        assert (tmp_path / "new" / name).read_bytes() == (folder / name).read_bytes()


def test_games_in_which_a_decision_differs_are_named_and_left_out(folder, tmp_path, capsys, monkeypatch):
    read = sealed_text.read

    def today(reply, *arguments, **options):
        return 100 if reply == "Well, hm." else read(reply, *arguments, **options)

    monkeypatch.setattr(sealed_text, "read", today)
    assert command("records", "reread", folder, "--out", tmp_path / "new") == 0
    printed = capsys.readouterr()
    kept = [record.index for record in read_records(tmp_path / "new")]
    changed = [record.index for record in read_records(folder) if any(one["attempts"] for one in record.decisions)]
    assert changed
    assert kept == [index for index in range(6) if index not in changed]
    for index in changed:
        assert f"game {index} cannot go on: item " in printed.err
    assert "(m): 'Well, hm.' is read otherwise" in printed.err
    assert json.loads((tmp_path / "new" / "run.json").read_text())["finished"] is None


def test_replies_that_are_refused_for_another_reason_are_listed(folder, tmp_path, capsys, monkeypatch):
    read = sealed_text.read

    def today(reply, *arguments, **options):
        if reply == "Well, hm.":
            raise refusals.Unreadable("it has no amount")
        return read(reply, *arguments, **options)

    monkeypatch.setattr(sealed_text, "read", today)
    code = command("records", "reread", folder, "--out", tmp_path / "new")
    printed = capsys.readouterr()
    assert code == 0
    assert "cannot go on" in printed.err  # the model is asked again with the new reason


def test_folders_without_calls_or_settings_and_old_folders_are_refused(folder, tmp_path, capsys):
    rules = tmp_path / "rules"
    assert (
        command("leaderboard", "--quick", "--set", "num_items=1", "--games", "3", "--bidder", "rule", "--out", rules)
        == 0
    )
    assert command("records", "reread", rules, "--out", tmp_path / "new")
    assert "expected a run with calls of models, got one without calls.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    assert command("records", "reread", folder, "--out", rules)
    assert "expected a new folder, but it exists" in capsys.readouterr().err
    assert command("records", "reread", folder / "games.jsonl", "--out", tmp_path / "new")
    assert "expected the results folder of a run, got a file of games" in capsys.readouterr().err


def test_scripts_are_read_again_too(tmp_path, capsys):
    out = tmp_path / "run"
    assert command("leaderboard", "--set", "num_items=2", "--games", "3", "--out", out, "--bidder",
                   "bdi=llm:scripted,agent=bdi,unreadable=0.5", "--bidder", "rule", "--bidder", "value") == 0  # fmt: skip
    assert command("records", "reread", out, "--out", tmp_path / "new") == 0
    assert (tmp_path / "new" / "games.jsonl").read_bytes() == (out / "games.jsonl").read_bytes()
