"""Endpoints that attack: with bodies without end, redirects, escape sequences, echoed keys and impossible figures."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import pty
import re
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest
from aucenv.benchmarks.rankings import leaderboard
from aucenv.benchmarks.timings.loopback import Loopback
from hostile_calls import REQUEST
from hostile_server import BOUNDED, LIES, REDIRECTS, SLOW, USAGES, HostileServer, key_texts
from pauses import no_pause

from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.runs.executors import play_many
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import Match

KEY = "sk-planted-5f2a9c8e7d6b4a3f1e0d9c8b7a6f5e4d"
TESTS = Path(__file__).parents[2]
AUCENV = Path(sys.executable).with_name("aucenv")
MOST_GROWTH = 64 * 1024
"""In kB."""
QUICK = (
    *("bomb.gzip.200", "bomb.gzip-gzip.200", "bomb.gzip-gzip.400", "bomb.gzip.500", "bomb.gzip-gzip.307"),
    *("bomb.deflate.400", "bomb.zstd.200", "bomb.br.200", "bomb.plain.400"),
    *("endless.blank.200", "endless.events.200", "endless.blank.400", "endless.comments.500", "endless.blank.307"),
    *("headers", "choices.100000", "usage.huge", "wide.200.lists", "wide.400.objects", "deep.200.lists"),
)
"""The attacks on memory of the default suite; the others are slow."""
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


@pytest.fixture(autouse=True)
def planted_key(monkeypatch):
    monkeypatch.setenv("HOSTILE_KEY", KEY)
    monkeypatch.setenv("OTHER_KEY", "another-key-of-the-same-endpoint")


@pytest.fixture
def other_host():
    with Loopback() as server:
        yield server


@pytest.fixture
def hostile(other_host):
    with HostileServer(other_host.url) as server:
        yield server
    assert not any("cookie" in headers for headers in server.headers)
    assert other_host.requests == []


def bidder(server, model, **options):
    settings = {"timeout": 5, "backoff": 0.001, "attempts": 2, "key_env": "HOSTILE_KEY"} | options
    return f"llm:openai:{model},base_url={server.url}" + "".join(f",{key}={value}" for key, value in settings.items())


def call(server, model, **options):
    """Return a completion, or the failure's text."""
    try:
        return make_policy("english", bidder(server, model, **options)).model.complete(REQUEST, no_pause)
    except ModelFailure as failure:
        return str(failure)


def text_of(end):
    """Return all text of a call's end, which must be text that files can hold."""
    text = end if isinstance(end, str) else json.dumps(dataclasses.asdict(end), ensure_ascii=False)
    text.encode()
    return text


def assert_no_key(text):
    """Assert that no part of the key of eight characters is in a text, even where something splits it."""
    joined = re.sub(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrt]|[^!-~]", "", text.lower())
    parts = [KEY[start : start + 8] for start in range(len(KEY) - 7)]
    assert not [part for part in parts if part in joined]


def calls_in_a_process(server, models, stream):
    options = f",timeout=5,backoff=0.001,attempts=2,key_env=HOSTILE_KEY,stream={str(stream).lower()}"
    done = subprocess.run(
        [sys.executable, TESTS / "hostile_calls.py", server.url, options],
        input="\n".join(models),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert_no_key(done.stdout)
    assert_no_key(done.stderr)
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert [end["model"] for end in ends] == list(models)
    return ends


def assert_bounded(ends):
    assert {end["model"]: end["growth"] for end in ends if end["growth"] > MOST_GROWTH} == {}
    assert {end["model"]: end["seconds"] for end in ends if end["seconds"] > 2 * 5 + 2} == {}
    for end in ends:  # all these are failures, apart from the reply with too many choices and that with huge figures
        assert "failure" in end or end["model"].startswith(("choices", "usage"))


def test_memory_is_bounded_under_attack(hostile):
    assert_bounded(calls_in_a_process(hostile, QUICK, stream=False))


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_memory_is_bounded_under_every_attack(hostile, stream):
    assert_bounded(calls_in_a_process(hostile, BOUNDED, stream))


@pytest.mark.parametrize("attack", SLOW)
def test_a_trickled_body_ends_with_the_timeout(hostile, attack):
    end = call(hostile, attack, timeout=0.3, attempts=1)
    assert isinstance(end, str)
    assert len(hostile.requests) == 1


@pytest.mark.parametrize("where", ["host", "port", "itself"])
@pytest.mark.parametrize("status", REDIRECTS)
def test_redirects_are_not_followed(hostile, status, where):
    end = call(hostile, f"redirect.{status}.{where}")
    assert isinstance(end, str)
    assert str(status) in end
    assert {"host": "localhost", "port": "127.0.0.1", "itself": "127.0.0.1"}[where] in end.split(hostile.url, 1)[1]
    assert len(hostile.requests) == 1  # it is no transient error


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422, 429, 500, 503])
def test_no_control_character_of_an_endpoint_is_in_a_failure_or_a_field(hostile, status):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        end = call(hostile, f"escapes.{status}")
    if status == 200:
        assert not isinstance(end, str)
        end = dataclasses.replace(end, text="", reasoning="")  # those are escaped where they are shown
    text = end if isinstance(end, str) else "".join(map(str, dataclasses.astuple(end)))
    text += "".join(str(warning.message) for warning in caught)
    assert not CONTROL.search(text), ascii(text)
    assert "\n" not in text


@pytest.mark.parametrize("status", [200, 400, 429])
def test_the_key_is_masked_in_every_field_wherever_it_is_cut(hostile, status):
    for number in range(len(key_texts(KEY))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            end = call(hostile, f"key.{status}.{number}")
        assert_no_key(text_of(end))
        assert_no_key("".join(str(warning.message) for warning in caught))


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
@pytest.mark.parametrize("attack", ["key.400.0", "reason.500", "escapes.429", "redirect.307.host"])
def test_logs_hold_no_key_and_no_control_character(hostile, attack, level, caplog):
    caplog.set_level(level)
    call(hostile, attack)
    assert_no_key(caplog.text)
    assert not CONTROL.search(caplog.text)


@pytest.mark.parametrize("status", [200, 302, 400, 500])
def test_the_key_is_masked_in_the_reason_of_a_status(hostile, status):
    assert_no_key(text_of(call(hostile, f"reason.{status}")))


@pytest.mark.parametrize("status", [200, 400, 500])
def test_lone_surrogates_are_replaced(hostile, status):
    end = call(hostile, f"surrogates.{status}")
    text_of(end)
    assert status != 200 or end.text.startswith("I'm out!")


@pytest.mark.parametrize("name", USAGES)
def test_impossible_figures_are_not_used(hostile, name, tmp_path):
    end = call(hostile, f"usage.{name}")
    if isinstance(end, str):
        assert name == "huge"  # Python does not convert a number with so many digits
        return
    for count in (end.tokens_in, end.tokens_out, end.tokens_cached, end.tokens_reasoning):
        assert count is None or (type(count) is int and 0 <= count < 10**9)
    cost = end.reported_cost
    assert cost is None or (type(cost) is float and math.isfinite(cost) and cost >= 0)
    assert name == "details" or end.tokens_in is None
    json.dumps(dataclasses.asdict(end), allow_nan=False)


@pytest.mark.parametrize("attack", LIES)
def test_wrong_lengths_of_bodies_do_no_harm(hostile, attack):
    call(hostile, attack)
    assert call(hostile, "honest", key_env="OTHER_KEY").text in ("I bid $4,000!", "I'm out!")


def matches(server, models):
    scenario = leaderboard.matches(leaderboard.Settings(bidders=("rule", "value"), games=3, changes=("num_items=1",)))[
        0
    ].scenario
    for index, model in enumerate(models):
        name = bidder(server, model, timeout=60, attempts=1)
        yield Match("english", scenario, (name, "rule", "rule"), (7, index), index)


def test_honest_games_beside_attacked_ones_are_the_same_as_alone(hostile):
    attacks = ["key.400.9", "escapes.200", "redirect.307.host", "surrogates.400", "usage.nan", "bomb.gzip-gzip.500"]
    honest = list(matches(hostile, ["honest"] * 20))
    attacked = [dataclasses.replace(match, index=20 + match.index) for match in matches(hostile, attacks)]
    alone = {record.index: record.to_json() for record in play_many(honest, concurrency=8)}
    mixed = [match for pair in zip(honest, attacked, strict=False) for match in pair] + honest[len(attacked) :]
    journal = CallJournal()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        beside = {
            record.index: record.to_json() for record in play_many(mixed, concurrency=8, journal=journal, forfeit=True)
        }
    assert {index: text for index, text in beside.items() if index < 20} == alone
    assert len(beside) == 26
    assert_no_key("".join(text for index, text in beside.items() if index >= 20))


PROGRAM = """
import sys
from aucenv.cli import main
for arguments in {commands}:
    try:
        main(arguments)
    except SystemExit as exit_:
        print("exit", exit_.code)
"""


def on_a_terminal(commands, folder, term):
    """Return what commands write to a terminal."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": term, "COLUMNS": "120", "HOSTILE_KEY": KEY}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(commands=commands)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=folder,
        env=environment,
    )
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while data := os.read(master, 65536):
            shown += data
    os.close(master)
    assert process.wait() == 0
    return shown.decode("utf-8", "surrogateescape")


def commands_of(server, model, forfeit, folder):
    bidders = [f"--bidder=attacked={bidder(server, model, attempts=1)}", "--bidder=rule", "--bidder=value"]
    play = ["leaderboard", *bidders, "--games=3", "--set=num_items=1", "--set=num_bidders=3", f"--out={folder}"]
    play.append(f"--on-model-failure={forfeit}")
    return [play, ["records", "show", folder], ["records", "show", folder, "1"], ["records", "list", folder]]


@pytest.mark.parametrize("term", ["dumb", pytest.param("xterm-256color", marks=pytest.mark.slow)])
def test_a_terminal_gets_no_control_character_and_no_key(hostile, tmp_path, term):
    attacks = [("escapes.200", "stop"), ("escapes.400", "stop"), ("escapes.400", "forfeit")]
    attacks += [("key.200.20", "forfeit"), ("key.400.5", "forfeit")]
    commands = [
        arguments
        for number, (model, forfeit) in enumerate(attacks)
        for arguments in commands_of(hostile, model, forfeit, f"out-{number}")
    ]
    shown = on_a_terminal(commands, tmp_path, term)
    assert "exit 0" in shown
    assert "I'm out!" in shown
    assert "fake line" in shown  # the text is there, and harmless
    assert_no_key(shown)
    allowed = "\x1b" if term != "dumb" else ""
    controls = set(CONTROL.findall(shown.replace("\r", ""))) - set(allowed)
    assert controls == set(), ascii(controls)
    assert not re.search(r"\x1b(?:\[2J|\[31;5m|\]0;)", shown)
    assert not re.search("^fake line|\r[^\r\n\x1b]", shown, re.MULTILINE)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert_no_key(file.read_text())


@pytest.mark.parametrize("attack", ["escapes.400", "key.400.9"])
def test_failures_in_the_notes_of_a_game_are_harmless(hostile, attack):
    match = next(matches(hostile, [attack]))
    text = match.play(forfeit=True).to_json()
    assert_no_key(text)
    assert not CONTROL.search(json.loads(json.dumps(text)))
    assert not CONTROL.search("".join(strings_of(json.loads(text))))


def strings_of(data):
    if isinstance(data, dict):
        return [text for value in data.values() for text in strings_of(value)]
    if isinstance(data, list):
        return [text for value in data for text in strings_of(value)]
    return [data] if isinstance(data, str) else []


def test_attacks_do_not_slow_other_calls(hostile):
    """A body that does not end holds only its own call: other calls end while it is read."""
    ends = []
    thread = threading.Thread(target=lambda: ends.append(call(hostile, "hold", timeout=30)))
    thread.start()
    while not hostile.requests:
        time.sleep(0.001)
    assert all(call(hostile, "honest").text for _ in range(5))
    assert ends == []
    hostile.released.set()
    thread.join()
    assert ends[0].text == "I'm out!"
