"""Exports of games and calls for other tools, and the tables about agents."""

from __future__ import annotations

import json

import pyarrow
import pytest
from agent_games import bidder
from aucenv.benchmarks.leaderboard import Settings, run
from competent_agent import Competent
from inspect_ai.log import read_eval_log
from pyarrow import parquet

from aucenv.cli import main
from aucenv.runs.journal import read_calls
from aucenv.runs.records import read_records


def command(*arguments):
    with pytest.raises(SystemExit) as exit_:
        main([str(argument) for argument in arguments])
    return int(exit_.value.code or 0)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "out"
    with Competent({"bid": ["I bid $1!"], "belief": ["Hm."]}) as server:
        run(Settings(bidders=(bidder(server, "bdi"), "rule", "value"), games=3, items=2), out=out)
    return out


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_an_inspect_log_holds_every_seat_and_call(results, tmp_path, name, capsys):
    assert command("records", "export", results, "--to", "inspect", "--out", tmp_path / name) == 0
    written = f"{tmp_path / name}: 3 games, {len(list(read_calls(results)))} model calls; to open it, run: "
    assert capsys.readouterr().out == f"{written}inspect view --log-dir {tmp_path}\n"
    log = read_eval_log(str(tmp_path / name))
    records, calls = list(read_records(results)), read_calls(results)
    assert log.status == "success"
    assert len(log.samples) == 3 * len(records)
    scores = {sample.id: sample.scores["profit"].value for sample in log.samples}
    for record in records:
        for player, result in zip(record.seats, record.outcome["seats"], strict=True):
            assert scores[f"{record.index}-{player['seat']}"] == result["profit"]
    events = [event for sample in log.samples for event in sample.events]
    assert len(events) == len(calls)
    assert {event.output.completion for event in events} == {call.reply for call in calls}
    first = next(sample for sample in log.samples if sample.events)
    assert first.events[0].input[0].role == "system"
    assert "SOLD to" in first.input
    means = log.results.scores[0].metrics
    assert set(means) == {"m", "rule", "value"}


def test_parquet_tables_hold_every_row(results, tmp_path, capsys):
    assert command("records", "export", results, "--to", "parquet", "--out", tmp_path / "tables") == 0
    shown = capsys.readouterr().out
    assert "3 games, " in shown
    assert "in attempts.parquet, calls.parquet, decisions.parquet, seats.parquet" in shown
    code = shown.splitlines()[1].removeprefix("to open one in Python: ")
    assert eval(code, {"pyarrow": pyarrow}).num_rows == sum(len(record.decisions) for record in read_records(results))
    tables = {file.stem: parquet.read_table(file).to_pylist() for file in (tmp_path / "tables").iterdir()}
    records, calls = list(read_records(results)), read_calls(results)
    assert set(tables) == {"seats", "decisions", "attempts", "calls"}
    assert [row["score"] for row in tables["seats"]] == [seat["profit"] for r in records for seat in r.outcome["seats"]]
    decisions = [decision for record in records for decision in record.decisions]
    assert [row["amount"] for row in tables["decisions"]] == [decision["amount"] for decision in decisions]
    assert [json.loads(row["notes"]) for row in tables["decisions"]] == [decision["notes"] for decision in decisions]
    [attempt] = tables["attempts"]
    assert (attempt["action"], attempt["kind"]) == ("I bid $1!", "too_low")
    assert [row["reply"] for row in tables["calls"]] == [call.reply for call in calls]
    assert all(json.loads(row["messages"])[0]["role"] == "system" for row in tables["calls"])


def test_bad_exports_are_refused_and_write_nothing(results, tmp_path, capsys):
    (tmp_path / "there").mkdir()
    empty = tmp_path / "games.jsonl"
    empty.write_text("")
    for arguments, message in (
        ((results, "--to", "inspect", "--out", tmp_path / "log.txt"), "ends with .eval or .json"),
        ((results, "--to", "inspect", "--out", tmp_path / "no" / "log.eval"), "expected a file in an existing folder"),
        ((results, "--to", "parquet", "--out", tmp_path / "there"), "expected a new folder"),
        (
            (results, "--to", "parquet", "--out", tmp_path / "no" / "tables"),
            "expected a new folder in an existing one",
        ),
        ((tmp_path / "nothing", "--to", "parquet", "--out", tmp_path / "tables"), "nothing"),
        ((empty, "--to", "inspect", "--out", tmp_path / "log.eval"), "expected at least one game"),
    ):
        assert command("records", "export", *arguments) == 2
        assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.jsonl", "there"]


def test_figures_are_printed_as_tables(results, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "220")
    assert command("records", "figures", results) == 0
    output = capsys.readouterr().out
    for title in ("failed bids (CFR)", "wrong beliefs (CFR)", "plans: changed priorities", "(BIP)", "other mistakes"):
        assert title in output
