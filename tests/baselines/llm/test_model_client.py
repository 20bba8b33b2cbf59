"""The client against a server that fails in every way, on loopback."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import pickle
import re
import socket
import threading
import time

import pytest
from aucenv.baselines.llm.cache import CachedModel
from aucenv.baselines.llm.client import ApiModel
from aucenv.benchmarks.loopback import Loopback
from competent_agent import Held
from failing_server import BEHAVIOUR, PERMANENT, STATUSES, TRANSPORT, FailingServer

import aucenv
from aucenv.core.policy import ModelFailure
from aucenv.core.reply import LONGEST
from aucenv.policy.registry import make_policy
from aucenv.runs.calls import Request

ASKED = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 50, 7)
KEY = "sk-planted-5f2a9c"


def never(seconds, why=""):
    """A pause that takes no time."""


class Pauses(list):
    """Pauses that take no time, noted: how long, and why."""

    def __call__(self, seconds, why=""):
        if seconds:
            self.append((seconds, why))


def model_of(server, **changed):
    return ApiModel("m", server.url, **{"timeout": 5, "backoff": 0.001} | changed)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", TRANSPORT)
def test_what_passes_is_tried_again(mode, stream):
    with FailingServer(mode, mode) as server:
        timeout = 0.4 if mode in ("hang", "trickle", "trickled head") else 5
        made = model_of(server, stream=stream, timeout=timeout).complete(ASKED, never)
    with Loopback() as good:
        undisturbed = model_of(good, stream=stream).complete(ASKED, never)
    assert dataclasses.replace(made, seconds=0, waited=0, retries=()) == dataclasses.replace(
        undisturbed, seconds=0, waited=0
    )
    assert len(made.retries) == 2
    assert len(server.requests) == 3
    assert server.requests[0] == server.requests[2]
    assert mode not in STATUSES or made.retries == (mode, mode)


def test_a_stream_gives_what_one_piece_gives():
    with Loopback() as server:
        whole, streamed = (model_of(server, stream=stream).complete(ASKED, never) for stream in (False, True))
    assert (whole.text, whole.finish, whole.tokens_in) == (streamed.text, streamed.finish, streamed.tokens_in)
    assert whole.text in ("I bid $4,000!", "I'm out!")
    assert whole.tokens_in > 0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", [mode for mode in BEHAVIOUR if mode != "parts"])
def test_what_a_model_does_is_not_tried_again(mode, stream):
    with FailingServer(mode) as server:
        made = model_of(server, stream=stream).complete(ASKED, never)
    assert len(server.requests) == 1
    finish = {"null content": "stop", "megabyte": "stop", "filtered prompt": "content_filter"}.get(mode, mode)
    assert made.finish == finish
    assert len(made.text) <= LONGEST
    assert made.retries == ()


def test_a_reply_in_parts_is_put_together():
    with FailingServer("parts") as server:
        assert model_of(server).complete(ASKED, never).text == "I'm out!"


@pytest.mark.parametrize("mode", PERMANENT)
def test_what_lasts_is_told_at_once_and_without_the_key(mode, monkeypatch):
    monkeypatch.setenv("OWN_KEY", KEY)
    status, error = PERMANENT[mode]
    status = mode if mode[:3].isdecimal() else status
    reason = (error["message"] or "no reason given").replace("{key}", "...")
    with FailingServer(mode) as server:
        with pytest.raises(
            ModelFailure, match=re.escape(f"{server.url}: {status[:3]}: {reason}").replace(r"\.\.\.", r"\*\*\*")
        ) as caught:
            model_of(server, key_env="OWN_KEY").complete(ASKED, never)
        assert server.headers[0]["authorization"] == f"bearer {KEY}"
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_key_goes_nowhere_but_to_its_endpoint(monkeypatch, caplog):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OWN_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Secret: {KEY}")
    caplog.set_level(logging.DEBUG)
    with Loopback(lambda body: f"I bid $1! {KEY}") as server:
        keyless = make_policy("english", f"llm:openai:m,base_url={server.url}")
        keyless.model.complete(ASKED, never)
        assert KEY not in str(server.headers)  # OPENAI_... is not for other people's endpoints
        policy = make_policy("english", f"llm:openai:m,base_url={server.url},key_env=OWN_KEY")
        made = policy.model.complete(ASKED, never)
        assert KEY in str(server.headers)
    assert made.text == "I bid $1! ***"
    assert KEY.encode() not in pickle.dumps(policy)
    assert KEY not in repr(policy.model)
    assert KEY not in caplog.text


def test_attempts_end():
    with FailingServer(rate=1, modes=("500",)) as server, pytest.raises(ModelFailure) as caught:
        model_of(server).complete(ASKED, never)
    assert str(caught.value) == f"{server.url}: no answer to 15 attempts; the last: 500"
    assert len(server.requests) == 15


def test_pauses_double_with_jitter_up_to_a_minute():
    pauses = Pauses()
    with FailingServer(*["500"] * 14) as server:
        model_of(server, backoff=1).complete(ASKED, pauses)
    assert len(pauses) == 14
    for number, (seconds, why) in enumerate(pauses):
        assert 0.5 * min(60, 2**number) <= seconds <= min(60, 2**number)
        assert why == f"waiting for {server.url}: 500, attempt {number + 2} of 15"
    assert len(set(pauses)) == 14


@pytest.mark.parametrize(
    ("after", "least", "most"), [("7", 7, 7), ("1.5", 1.5, 1.5), ("soon", 0, 0.001), ("-3", 0, 0.001)]
)
def test_retry_after_is_honoured(after, least, most):
    pauses = Pauses()
    with FailingServer("429", after=after) as server:
        model_of(server).complete(ASKED, pauses)
    assert least <= pauses[0][0] <= most


@pytest.mark.parametrize("after", ["86400", "99999999999", "1e400"])
def test_an_endpoint_that_wants_to_be_left_alone_for_long_is_out_of_reach(after):
    with FailingServer("429", after=after) as server:
        if "e" in after:  # no number of seconds
            model_of(server).complete(ASKED, never)
        else:
            with pytest.raises(ModelFailure, match=f"429: it asks to be left alone for {after} s"):
                model_of(server).complete(ASKED, never)


def test_retry_after_may_be_a_date():
    pauses = Pauses()
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
    with FailingServer("503", after=date) as server:
        model_of(server).complete(ASKED, pauses)
    assert 95 <= pauses[0][0] <= 100


def test_a_server_that_is_not_there_yet_is_waited_for():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    model = ApiModel("m", f"http://127.0.0.1:{port}/v1", attempts=3, backoff=0.001)
    with pytest.raises(ModelFailure, match="no answer to 3 attempts; the last: connection"):
        model.complete(ASKED, never)
    with contextlib.ExitStack() as later:

        def start(seconds, why=""):
            if seconds and why.endswith("attempt 3 of 3"):
                later.enter_context(Loopback(port=port))

        assert model.complete(ASKED, start).retries == ("connection", "connection")


def test_an_endpoint_limits_the_calls_under_way():
    class Pairs(Loopback):
        held = Held({"": 2})

        async def hold(self, body):
            await self.held.hold("")

    with Pairs() as server:
        model = model_of(server, in_flight=2)
        made = in_threads(6, lambda number: model.complete(ASKED, never))
    assert server.most_at_once == 2
    assert max(completion.waited for completion in made) > 0


def test_a_request_carries_what_was_asked_for():
    with Loopback() as server:
        for options in ("", ",temperature=none,seed=none,max_tokens=9", ",temperature=0.7,seed=5"):
            names = [f"llm:openai:m,base_url={server.url}{options}", "rule", "rule"]
            aucenv.play("english", "standard-20k-random", names, max_rounds=1)
    bodies = [
        {k: body.get(k) for k in ("model", "temperature", "seed", "max_tokens", "stream")} for body in server.requests
    ]
    assert isinstance(bodies[0].pop("seed"), int)
    assert bodies == [
        {"model": "m", "temperature": 0, "max_tokens": 1024, "stream": None},
        {"model": "m", "temperature": None, "seed": None, "max_tokens": 9, "stream": None},
        {"model": "m", "temperature": 0.7, "seed": 5, "max_tokens": 1024, "stream": None},
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "gpt=llm:openai:gpt-4.1",
            "bidder 'gpt': expected a key in the environment variable OPENAI_API_KEY, which is not set",
        ),
        ("llm:openai:m,key_env=ABSENT,base_url=http://h/v1", "the environment variable ABSENT, which is not set"),
        ("llm:openai:m,base_url=https://api.openai.com/v1/", "variable OPENAI_API_KEY, which is not set"),
        ("llm:local:m,cache=c", "parameter: expected one of agent"),
        ("llm", "place: expected one of openai, local, got ''"),
        ("llm:opanai:m", "got 'opanai' .did you mean 'openai'"),
        ("llm:openai", "expected llm:openai:MODEL, got llm:openai"),
        ("llm:openai:m,base_url=ftp://h", "base_url: expected http://... or https://..., got 'ftp://h'"),
        ("llm:openai:m,base_url=http://h:abc/v1", "bidder .*base_url: expected http"),
        ("llm:openai:m,base_url=http://h:99999/v1", "bidder .*base_url: expected http"),
        ("llm:openai:m,base_url=http://[::1/v1", "bidder .*base_url: expected http"),
        (
            "llm:openai:m,key_env=sk-proj-123",
            "key_env: expected the name of an environment variable, got something else",
        ),
        ("llm:openai:m,max_tokens=--5", "max_tokens: expected a whole number"),
        ("llm:openai:m,base_url=http://u:p@h/v1", "expected no password"),
        ("llm:openai:m,base_url=http://h/v1?key=1", "expected no password"),
        ("llm:openai:m,temperature=hot", "temperature: expected a number from 0 to 2, got 'hot'"),
        ("llm:openai:m,temperature=nan", "temperature: expected a number from 0 to 2, got 'nan'"),
        ("llm:openai:m,max_tokens=0", "max_tokens: expected a whole number from 1 to 1000000, got 0"),
        ("llm:openai:m,max_tokens=many", "max_tokens: expected a whole number .* got 'many'"),
        ("llm:openai:m,stream=maybe", "stream: expected one of true, false, yes, no, got 'maybe'"),
        (
            "llm:openai:m,agent=genius",
            "agent: expected one of plain, bdi, harbor, plan-bid-reflect, resident, got 'genius'",
        ),
        ("llm:openai:m,temprature=1", "parameter: .*did you mean 'temperature'"),
        ("llm:openai:m,base_url=http://h/v1,cache=c,temperature=1", "cache: expected temperature 0, got 1.0"),
        ("llm:local:nowhere", "expected smollm2 or the folder of a model, with its config.json, got 'nowhere'"),
    ],
)
def test_names_that_make_no_bidder_say_why(name, message, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)


def test_a_placeholder_of_a_key_is_not_taken_out_of_replies(monkeypatch):
    monkeypatch.setenv("OWN_KEY", "1")
    with Loopback(lambda body: "I bid $1,100!") as server:
        policy = make_policy("english", f"llm:openai:m,base_url={server.url},key_env=OWN_KEY")
        assert policy.model.complete(ASKED, never).text == "I bid $1,100!"


@pytest.mark.parametrize("key", ["two words", "neu\u00e9", "new\nline"])
def test_a_key_that_is_none_is_not_shown(key, monkeypatch):
    monkeypatch.setenv("OWN_KEY", key)
    with pytest.raises(ValueError, match="printable ASCII in the environment variable OWN_KEY") as caught:
        make_policy("english", "llm:openai:m,base_url=http://h/v1,key_env=OWN_KEY")
    assert key not in str(caught.value)


def test_a_cache_is_asked_before_the_model(tmp_path):
    with Loopback() as server:
        model = CachedModel(model_of(server), tmp_path)
        first, again = (model.complete(ASKED, never) for _ in range(2))
        assert len(server.requests) == 1
        assert (again.text, again.finish, again.tokens_in, again.tokens_out) == (first.text, first.finish, 0, 0)
        model.complete(dataclasses.replace(ASKED, seed=8), never)
        assert len(server.requests) == 2
    assert all(json.loads(file.read_text())["model"] == "m" for file in tmp_path.glob("*.json"))
    for file in tmp_path.glob("*.json"):
        file.write_text('{"text": 5}')
    with pytest.raises(ValueError, match=r"\.json: text: expected a string, got 5"):
        model.complete(ASKED, never)


def test_threads_that_ask_the_same_share_a_cache(tmp_path):
    with Loopback(latency=0.01) as server:
        model = CachedModel(model_of(server, timeout=5), tmp_path)
        made = in_threads(20, lambda number: model.complete(ASKED, never).text)
    assert set(made) == {"I'm out!"} or set(made) == {"I bid $4,000!"}
    assert len(list(tmp_path.iterdir())) == 1


def in_threads(times, work):
    made = []
    threads = [threading.Thread(target=lambda n=n: made.append(work(n))) for n in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == times
    return made


def test_a_stream_that_was_not_asked_for_and_one_that_did_not_come():
    class Contrary(Loopback):
        async def send(self, writer, data, stream, *rest):
            await super().send(writer, data, not stream, *rest)

    with Contrary() as contrary, Loopback() as good:
        texts = {
            model_of(at, stream=stream).complete(ASKED, never).text
            for at in (contrary, good)
            for stream in (False, True)
        }
    assert len(texts) == 1


@pytest.mark.parametrize("param", ["temperature", "seed"])
def test_a_refused_parameter_is_told_with_its_remedy(param):
    class Picky(Loopback):
        async def respond(self, body, writer):
            error = {"message": f"'{param}' does not support this", "param": param, "code": "unsupported_value"}
            await self.send(writer, {"error": error}, False, "400 Bad Request")

    with Picky() as server, pytest.raises(ModelFailure, match=rf"\(say {param}=none in the bidder's name\)"):
        model_of(server).complete(ASKED, never)
