"""Exports of games and calls for other tools, and the tables about agents."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
import shutil

import pyarrow
import pytest
from agent_games import bidder
from aucenv.benchmarks.rankings.leaderboard import Settings, run
from competent_agent import Competent
from inspect_ai.log import read_eval_log
from pyarrow import parquet
from run_command import command

from aucenv.analysis.agents.call_times import EPOCH
from aucenv.analysis.export.export import to_inspect, to_parquet
from aucenv.analysis.export.finetuning import runs_here
from aucenv.analysis.export.inspect_log import config_of, total_usage
from aucenv.core.words.reply import read
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "out"
    with Competent({"bid": ["I bid $1!"], "belief": ["Hm."]}) as server:
        run(Settings(bidders=(bidder(server, "bdi"), "rule", "value"), games=3, changes=("num_items=2",)), out=out)
    return out


@pytest.fixture(scope="module")
def winning_results(tmp_path_factory):
    out = tmp_path_factory.mktemp("winning") / "out"
    with Competent({}) as server:
        run(
            Settings(bidders=(bidder(server, "bdi"), "rule,k=1", "rule,k=0"), games=2, changes=("num_items=2",)),
            out=out,
        )
    return out


START = datetime.datetime(2026, 3, 1, 12, 0, 0, 250_000, datetime.UTC)


def first_call(calls, sample):
    """Return the first call of a sample's seat; games are played at the same time, so its place varies."""
    return next(call for call in calls if f"{call.game}-{call.seat}" == sample.id)


@pytest.fixture(scope="module")
def reasoning_results(results, tmp_path_factory):
    """The same games, as of a model whose endpoint reports all that it can."""
    out = tmp_path_factory.mktemp("reasoning") / "out"
    shutil.copytree(results, out)
    calls = [
        dataclasses.replace(
            call,
            settings={"max_tokens": 900, "reasoning_effort": "high", "seed": number, "thinking": {"type": "on"}},
            started=(START + datetime.timedelta(seconds=number)).isoformat(timespec="milliseconds"),
            seconds=2.5,
            waited=0.5,
            answered_by="m-2026",
            fingerprint="fp_1",
            request_id=f"req_{number}",
            finish_reason="end_turn",
            reasoning="I value it \u202emore\u202c.",
            tokens_in=100,
            tokens_out=20,
            tokens_cached=60,
            tokens_reasoning=15,
            cost=0.25,
            reported_cost=0.25,
            left_out=["temperature"],
        )
        for number, call in enumerate(read_calls(results))
    ]
    lines = [json.dumps(dataclasses.asdict(call)) + "\n" for call in calls]
    (out / "calls.jsonl").write_text("".join(lines))
    return out, calls


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_an_inspect_log_holds_every_seat_and_call(results, tmp_path, name, capsys):
    assert command("records", "export", results, "--to", "inspect", "--out", tmp_path / name) == 0
    how = {
        "log.eval": f"to open it, run: inspect view --log-dir {tmp_path}\n",
        "log.json": f"to open it in Python: inspect_ai.log.read_eval_log('{tmp_path / name}'); `inspect view` lists .eval "
        "files\n",
    }
    written = f"{tmp_path / name}: 3 games, {len(list(read_calls(results)))} model calls; "
    assert capsys.readouterr().out == written + how[name]
    log = read_eval_log(str(tmp_path / name))
    records, calls = list(read_records(results)), read_calls(results)
    assert log.status == "success"
    assert len(log.samples) == 3 * len(records)
    scores = {sample.id: sample.scores["profit"].value for sample in log.samples}
    for record in records:
        for player, result in zip(record.seats, record.outcome["seats"], strict=True):
            assert scores[f"{record.index}-{player['seat']}"] == result["profit"]
    events = [event for sample in log.samples for event in sample.events if event.event == "model"]
    assert len(events) == len(calls)
    assert {event.output.completion for event in events} == {call.reply for call in calls}
    first = next(sample for sample in log.samples if sample.events)
    assert first.events[0].name == "item 1, round 1: plan"
    assert first.events[1].input[0].role == "system"
    assert "SOLD to" in first.input
    means = log.results.scores[0].metrics
    assert set(means) == {"m", "rule", "value"}


def test_an_inspect_log_holds_settings_usage_cost_and_real_times(reasoning_results, tmp_path):
    folder, calls = reasoning_results
    to_inspect(list(read_records(folder)), calls, tmp_path / "log.eval")
    log = read_eval_log(str(tmp_path / "log.eval"))
    spec = log.eval
    assert (spec.model, spec.model_base_url) == ("m", calls[0].endpoint)
    assert spec.model_generate_config.model_dump(exclude_none=True) == {
        "max_tokens": 900, "reasoning_effort": "high", "extra_body": {"thinking": {"type": "on"}}
    }  # fmt: skip
    assert set(spec.model_roles) == {"m"}
    assert spec.viewer.trust_content is False
    assert spec.model_roles["m"].config.max_tokens == 900
    number = len(calls)
    for usage in (log.stats.model_usage["m"], log.stats.role_usage["m"]):
        assert (usage.input_tokens, usage.input_tokens_cache_read) == (40 * number, 60 * number)
        assert (usage.output_tokens, usage.reasoning_tokens, usage.total_tokens) == (
            20 * number, 15 * number, 120 * number
        )  # fmt: skip
        assert usage.total_cost == 0.25 * number
    assert log.stats.started_at.startswith("2026-03-01T12:00:00.25")
    sample = next(sample for sample in log.samples if sample.events)
    first, *_, last = [event for event in sample.events if event.event == "model"]
    call = first_call(calls, sample)
    assert sample.started_at == first.timestamp.isoformat()
    assert sample.completed_at == last.completed.isoformat()
    assert sample.total_time == (last.completed - first.timestamp).total_seconds()
    assert sample.working_time == sample.model_usage["m"].total_cost * 10
    assert first.completed - first.timestamp == datetime.timedelta(seconds=2.5)
    assert (first.role, first.config.seed, first.output.model) == ("m", call.settings["seed"], "m-2026")
    assert first.output.response_id == call.request_id
    assert first.metadata["fingerprint"] == "fp_1"
    assert first.metadata["left_out"] == ["temperature"]
    reasoning, text = first.output.message.content
    assert (reasoning.type, reasoning.reasoning) == ("reasoning", call.reasoning)
    assert first.output.completion == text.text == call.reply
    assert sample.messages[-1].content[0].type == "reasoning"


def test_calls_of_earlier_versions_are_exported_with_durations_alone(results, tmp_path):
    calls = [dataclasses.replace(call, started="", settings={}) for call in read_calls(results)]
    to_inspect(list(read_records(results)), calls, tmp_path / "log.eval")
    log = read_eval_log(str(tmp_path / "log.eval"))
    assert log.stats.started_at == EPOCH.isoformat()
    by_seat = {(call.game, call.seat): 0.0 for call in calls}
    for call in calls:
        by_seat[call.game, call.seat] += call.waited + call.seconds
    ended = datetime.datetime.fromisoformat(log.stats.completed_at)
    assert (ended - EPOCH).total_seconds() == pytest.approx(max(by_seat.values()), abs=1e-5)
    assert log.eval.created == EPOCH.isoformat()
    sample = next(sample for sample in log.samples if sample.events)
    assert sample.started_at is None
    first, waited = sample.events[1], first_call(calls, sample).waited
    assert first.timestamp - EPOCH == datetime.timedelta(seconds=waited)
    assert first.working_start == waited
    assert first.config.model_dump(exclude_none=True) == {}


def test_settings_without_a_field_of_inspect_are_in_the_extra_body():
    config = config_of(
        {"max_completion_tokens": 5, "reasoning_effort": "galactic", "temperature": "hot", "timeout": 3, "n": 1}
    )
    assert (config.max_tokens, config.num_choices, config.reasoning_effort, config.timeout) == (5, 1, None, None)
    assert config.extra_body == {"reasoning_effort": "galactic", "temperature": "hot", "timeout": 3}


def test_a_total_cost_is_unknown_if_that_of_one_call_is(reasoning_results):
    _, (call, *others) = reasoning_results
    assert total_usage([call, *others]).total_cost == 0.25 * (1 + len(others))
    unknown = dataclasses.replace(call, cost=None, tokens_in=None)
    usage = total_usage([unknown, *others])
    assert (usage.total_cost, usage.total_tokens) == (None, 120 * len(others))


def test_a_log_without_models_names_none(results, tmp_path):
    to_inspect(list(read_records(results)), [], tmp_path / "log.json")
    log = read_eval_log(str(tmp_path / "log.json"))
    assert (log.eval.model, log.eval.model_roles, log.stats.model_usage) == ("none/none", None, {})


def test_parquet_columns_of_calls_have_types(reasoning_results, tmp_path):
    folder, calls = reasoning_results
    older = dataclasses.replace(calls[0], started="", tokens_cached=None, reported_cost=None, settings={})
    to_parquet(list(read_records(folder)), [*calls, older], tmp_path / "tables")
    table = parquet.read_table(tmp_path / "tables" / "calls.parquet")
    types = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert (types["started"], types["tokens_cached"], types["tokens_reasoning"]) == (
        "timestamp[ms, tz=UTC]", "int64", "int64"
    )  # fmt: skip
    assert (types["reported_cost"], types["settings"], types["reasoning"]) == ("double", "string", "string")
    first, *_, last = table.to_pylist()
    assert first["started"].isoformat() == "2026-03-01T12:00:00.250000+00:00"
    assert json.loads(first["settings"]) == calls[0].settings
    assert json.loads(first["left_out"]) == ["temperature"]
    assert (first["answered_by"], first["reasoning"]) == ("m-2026", calls[0].reasoning)
    assert (last["started"], last["tokens_cached"], last["reported_cost"], last["settings"]) == (None, None, None, "{}")


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


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def elsewhere(results, out):
    """Copy results, as of a model that runs elsewhere."""
    shutil.copytree(results, out)
    text = (out / "calls.jsonl").read_text()
    (out / "calls.jsonl").write_text(re.sub(r"http://127\.0\.0\.1:\d+", "https://api.example.com", text))
    return out


def test_moves_of_winners_are_dialogues(winning_results, tmp_path, capsys):
    results = winning_results
    assert command("records", "export", results, "--to", "sft", "--out", tmp_path / "sft.jsonl") == 0
    printed = capsys.readouterr()
    rows = rows_of(tmp_path / "sft.jsonl")
    assert printed.out.startswith(f"{tmp_path / 'sft.jsonl'}: {len(rows)} dialogues\n")
    assert not printed.err
    records = {record.index: record for record in read_records(results)}
    for row in rows:
        profits = {
            player["seat"]: result["profit"]
            for player, result in zip(records[row["game"]].seats, records[row["game"]].outcome["seats"], strict=True)
        }
        assert profits[row["seat"]] == max(profits.values())
        assert [message["role"] for message in row["messages"]][-2:] == ["user", "assistant"]
    calls = [call for call in read_calls(results) if call.purpose == "bid"]
    assert {row["messages"][-1]["content"] for row in rows} <= {call.reply for call in calls}


def test_pairs_have_the_reply_that_the_judge_prefers_or_the_accepted_one(results, tmp_path):
    assert command("records", "export", results, "--to", "dpo", "--out", tmp_path / "dpo.jsonl") == 0
    rows = rows_of(tmp_path / "dpo.jsonl")
    refused = [row for row in rows if "lead" not in row]
    judged = [row for row in rows if "lead" in row]
    assert refused
    assert judged
    for row in refused:
        assert row["rejected"] == [{"role": "assistant", "content": "I bid $1!"}]
        assert row["chosen"][0]["content"] != "I bid $1!"
    for row in judged:
        assert {read(row[name][0]["content"]) < 0 for name in ("chosen", "rejected")} == {True, False}
        assert row["lead"] > 0
        assert row["prompt"][-1]["role"] == "user"


def test_replies_of_models_that_run_elsewhere_are_exported_only_by_name(winning_results, tmp_path, capsys):
    out = elsewhere(winning_results, tmp_path / "out")
    assert command("records", "export", out, "--to", "sft", "--out", tmp_path / "sft.jsonl") == 2
    error = capsys.readouterr().err
    assert "replies of m are left out, --include NAME includes them" in error
    assert not (tmp_path / "sft.jsonl").exists()
    assert command("records", "export", out, "--to", "sft", "--include", "m", "--out", tmp_path / "sft.jsonl") == 0
    assert "warning: some providers' terms forbid training on replies; read those of m" in capsys.readouterr().err
    assert rows_of(tmp_path / "sft.jsonl")


def test_export_errors_name_the_option(results, tmp_path, capsys):
    assert command("records", "export", results, "--to", "sft", "--include", "x", "--out", tmp_path / "a.jsonl") == 2
    assert "--include: expected a model of these games (m), got 'x'" in capsys.readouterr().err
    assert command("records", "export", results, "--to", "parquet", "--include", "m", "--out", tmp_path / "a") == 2
    assert "--include: expected only with --to sft and --to dpo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("endpoint", "own"),
    [
        ("local", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://vllm.internal:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("https://localhost.example.com/v1", False),
        ("", False),
        ("litellm", False),
    ],
)
def test_models_run_on_this_machine_or_in_its_network(results, endpoint, own):
    call = dataclasses.replace(read_calls(results)[0], endpoint=endpoint)
    assert runs_here(call) == own
