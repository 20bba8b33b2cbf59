"""`aucenv new houses` lets a model write houses, which games then sell."""

from __future__ import annotations

import json
import re
import socket

import pytest
import run_command
from aucenv.baselines.llm.house_writer import ABOUT, TRIES, house_messages
from aucenv.benchmarks.timings.loopback import Loopback
from failing_server import FailingServer

import aucenv
from aucenv.envs.harbor.files import FEATURES, house_fields
from aucenv.envs.harbor.houses.generate import fresh_houses
from aucenv.envs.harbor.houses.personas import PERSONAS, personas

KEY = "sk-planted-5f2a9c"
HOUSES = [house_fields(listing) for listing in fresh_houses(7)]
BY_PERSONA = {persona.name: [each for each in HOUSES if each["persona"] == persona.id] for persona in personas()}


def good(body):
    """Return the next generated house of the persona that the first task of a request names."""
    task = body["messages"][1]["content"]
    houses = next(BY_PERSONA[name] for name in BY_PERSONA if name in task)
    house = houses[sum(each["name"] in task for each in houses)]
    return f"Here it is:\n```json\n{json.dumps(house)}\n```"


def changed(**fields):
    """Return a reply with other values of the fields of the good one; None leaves a field out."""

    def reply(body):
        house = json.loads(re.search(r"\{.*\}", good(body))[0]) | fields
        return json.dumps({name: value for name, value in house.items() if value is not None})

    return reply


class Writer(Loopback):
    """A server with good replies, the first of which others replace."""

    def __init__(self, *first):
        self._first = list(first)
        super().__init__(self.reply)

    def reply(self, body):
        return self._first.pop(0)(body) if self._first else good(body)


def command(*args, server=None, more=""):
    """Run `aucenv new houses`, with a server's model if one is given, and return the exit status."""
    model = [] if server is None else ["--model", f"llm:openai:m,base_url={server.url},backoff=0.001{more}"]
    return run_command.command("new", "houses", *model, *args)


def refusals(server):
    """Return the reasons that the model was given."""
    last = [body["messages"][-1]["content"] for body in server.requests]
    return [text for text in last if text.startswith("This house cannot be used: ")]


def test_forty_houses_are_four_for_each_persona_and_are_played(tmp_path, capsys):
    out = tmp_path / "houses.jsonl"
    with Writer() as server:
        assert command("--out", out, "--yes", server=server) == 0
    assert len(server.requests) == 40
    assert [body["temperature"] for body in server.requests] == [1.0] * 40
    shown = capsys.readouterr()
    estimate = r"about 40 calls for 40 houses; if a reply has 300 tokens, [0-9,]+ tokens of prompts and 12,000 of repl"
    assert re.search(estimate, shown.err)
    assert shown.out == (
        f"{out} has 40 houses; to play with them: aucenv leaderboard --game harbor --scenario {out} --set num_items=10\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["houses.jsonl"]
    assert [json.loads(line) for line in out.read_text().splitlines()] == HOUSES
    scenario = aucenv.harbor_v0.game.load_scenario(str(out))
    assert [listing.persona for listing in scenario.items] == [persona for persona in PERSONAS for _ in range(4)]
    record = aucenv.play("harbor", scenario.changed(num_items=5), ["persona", "expact", "value"], 0)
    assert len(record.deal["items"]) == 5
    assert record.outcome["status"] == "terminated"


def test_houses_are_spread_evenly_and_prompts_name_those_so_far(tmp_path):
    out = tmp_path / "twelve.jsonl"
    with Writer() as server:
        assert command("--houses", 12, "--out", out, "--yes", server=server) == 0
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [house["persona"] for house in written] == [PERSONAS[0]] * 2 + [PERSONAS[1]] * 2 + list(PERSONAS[2:])
    task = server.requests[-1]["messages"][1]["content"]
    assert all(house["name"] in task for house in written[:-1])


def test_prompts_name_every_feature():
    assert tuple(ABOUT) == FEATURES
    task = house_messages(personas()[0], ())[1]["content"]
    assert all(f"- {field}: " in task for field in HOUSES[0] if field != "persona")


WORDY = "A calm home. " * 20


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"starting_price": 90000}, "starting_price: expected a number from 150000 to 240000, got 90000"),
        ({"starting_price": 200000, "true_value": 443999}, "true_value: expected a number from 444000 to 550000, got"),
        ({"size": 12}, "size: expected a whole number from 300 to 6000, got 12"),
        ({"size": None}, "expected the field 'size'"),
        ({"pool": True}, "pool: expected one of name, persona"),
        ({"kind": "castle"}, "kind: expected one of apartment"),
        ({"name": "A\u202eB"}, "name: expected only printable characters"),
        ({"name": "n" * 61}, "name: expected at most 60 characters, got 61"),
        ({"description": None}, "expected the field 'description'"),
        ({"description": "Nice."}, "number of words of the description: expected a whole number from 50 to 200, got 1"),
        ({"description": "word " * 401}, "description: expected at most 2,000 characters, got 2,005"),
        ({"description": f"{WORDY}\x1b[2J"}, "description: expected no invisible characters besides newlines and tabs"),
        (
            {"starting_price": 200000, "true_value": 500000, "description": f"{WORDY} Worth $500,000!"},
            "description: expected no true value in it",
        ),
        (
            {name: HOUSES[-1][name] for name in FEATURES},
            "it suits Multigenerational Living better than First-Time Homebuyers; keep to the usual values",
        ),
    ],
)
def test_a_bad_house_is_asked_for_again_with_the_reason(tmp_path, fields, reason):
    out = tmp_path / "houses.jsonl"
    with Writer(changed(**fields)) as server:
        assert command("--houses", 2, "--out", out, "--yes", server=server) == 0
    [refusal] = refusals(server)
    assert reason in refusal
    assert len(server.requests) == 3
    assert len(aucenv.harbor_v0.game.load_scenario(str(out)).items) == 2


def test_names_are_unique(tmp_path):
    first = BY_PERSONA[personas()[0].name][0]["name"]
    with Writer(good, changed(name=first.upper())) as server:
        assert command("--houses", 2, "--out", tmp_path / "houses.jsonl", "--yes", server=server) == 0
    [refusal] = refusals(server)
    assert f"name: expected a name that differs from '{first}'" in refusal


def test_replies_without_a_house_stop_the_command_which_resumes(tmp_path, capsys):
    out = tmp_path / "houses.jsonl"

    def words(body):
        return "I'd rather \x1b[2J not." if "Upgrade" in body["messages"][1]["content"] else good(body)

    with Loopback(words) as server:
        assert command("--houses", 3, "--out", out, "--yes", server=server) == 1
        assert len(server.requests) == 2 + TRIES - 1
        reasons = refusals(server)
        assert len(reasons) == TRIES - 1
        assert all("there is no JSON object in it" in reason for reason in reasons)
        last = capsys.readouterr().err.splitlines()[-1]
        assert "house 2 of 3, for Upgrade to a Larger Home: 3 replies are refused; the last: there is no JSON" in last
        assert f"1 of 3 houses and 4 calls are kept in {tmp_path / 'houses-calls.jsonl'}; to resume, run: " in last
        assert "\x1b" not in last
        assert not out.exists()
        server._answer = good
        assert command("--houses", 3, "--out", out, "--yes", server=server) == 0
        assert len(server.requests) == 4 + 2
        assert "about 2 calls for 2 houses" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["houses.jsonl"]
    assert len(out.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("length", "the reply was cut off: it is longer than allowed (max_tokens=500)"),
        ("refusal", "the reply is a refusal"),
        ("null content", "there is no JSON object in it"),
    ],
)
def test_replies_that_fail_are_refused(tmp_path, mode, reason, capsys):
    with FailingServer(mode, answer=good) as server:
        assert command("--out", tmp_path / "houses.jsonl", "--yes", server=server, more=",max_tokens=500") == 1
    assert len(server.requests) == TRIES
    assert f": 3 replies are refused; the last: {reason}; 0 of 40 houses and 3 calls" in capsys.readouterr().err


def test_transient_errors_are_retried(tmp_path):
    with FailingServer("503", "malformed", answer=good) as server:
        assert command("--houses", 1, "--out", tmp_path / "houses.jsonl", "--yes", server=server) == 0
    assert len(server.requests) == 3


@pytest.mark.parametrize("mode", ["401", "404", "400"])
def test_an_endpoint_that_fails_ends_the_command_and_leaves_no_file(tmp_path, mode, capsys, monkeypatch):
    monkeypatch.setenv("PLANTED_KEY", KEY)
    out = tmp_path / "houses.jsonl"
    with FailingServer(mode) as server:
        assert command("--out", out, "--yes", server=server, more=",key_env=PLANTED_KEY") == 1
    error = capsys.readouterr().err
    assert re.search(rf"^aucenv: llm:openai:m,base_url=.*, a house: {server.url}: {mode}: ", error, re.MULTILINE)
    assert KEY not in error
    assert not list(tmp_path.iterdir())


def test_an_unreachable_endpoint_gives_the_reason(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    model = f"llm:openai:m,base_url={url},attempts=2,backoff=0.001"
    assert command("--model", model, "--out", tmp_path / "houses.jsonl", "--yes") == 1
    assert "nothing accepts connections there" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_price_is_shown_before_the_first_call(tmp_path, capsys):
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": {"input": 1, "output": 4}}')
    with Writer() as server:
        assert command("--out", tmp_path / "a.jsonl", server=server) == 2
        assert "at an unknown price; give it with --prices" in capsys.readouterr().err
        assert command("--out", tmp_path / "a.jsonl", "--prices", prices, server=server) == 2
        error = capsys.readouterr().err
        assert re.search(r"about \$0\.\d\d\n.*--yes starts it, --houses changes its size", error)
        assert not server.requests
        limited = ["--out", tmp_path / "a.jsonl", "--prices", prices, "--yes", "--max-cost"]
        assert command(*limited, "0.02", server=server) == 1
        error = capsys.readouterr().err
        assert "the next call may cost up to" in error
        assert "to resume with a larger --max-cost" in error
        assert 0 < len(server.requests) < 40
        assert command(*limited, "5", server=server) == 0
        assert len(server.requests) == 40
        assert "total cost of 40 model calls: $" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "llm:openai:m", "--houses", "0"], "expected a whole number from 1 to 400, got '0'"),
        (["--model", "llm:openai:m", "--out", "houses.json"], "--out: expected a file whose name ends in .jsonl"),
        (["--model", "llm:openai:m", "--out", "there.jsonl"], "--out: there.jsonl: expected a new file"),
        (["--model", "llm:openai:m", "--out", "nowhere/h.jsonl"], "--out: expected a file in an existing folder"),
        (["--model", "rule"], "model 'rule', kind: expected one of llm, got 'rule'"),
        (["--model", "llm:openai:m, top_p=1"], "--model: expected [LABEL=]KIND"),
        (["--model", "llm:openai:m,agent=bdi"], "expected no agent, a writer of houses has none"),
        (["--houses", "4"], "--model"),
    ],
)
def test_bad_options_are_refused(tmp_path, arguments, message, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "there.jsonl").write_text("mine")
    assert command(*arguments) == 2
    assert message in capsys.readouterr().err
    assert (tmp_path / "there.jsonl").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1
