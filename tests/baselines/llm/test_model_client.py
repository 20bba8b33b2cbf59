"""The client, tested with a loopback server that fails in every way."""

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
from aucenv.baselines.llm.bidder import CachedModel
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.benchmarks.timings.loopback import Loopback
from competent_agent import Barrier
from failing_server import MODEL_FAILURES, PERMANENT, STATUSES, TRANSPORT, FailingServer
from pauses import no_pause

import aucenv
from aucenv.core.policy import ModelFailure
from aucenv.core.reader.speech import MAX_READ
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.model_calls.journal import CallJournal

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 50, 7)
KEY = "sk-planted-5f2a9c"


class RecordedPauses(list):
    """Pauses that take no time, recorded with their length and reason."""

    def __call__(self, seconds, why=""):
        if seconds:
            self.append((seconds, why))


def model_of(server, **changed):
    return ApiModel("m", server.url, **{"timeout": 5, "backoff": 0.001} | changed)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", TRANSPORT)
def test_transient_errors_are_retried(mode, stream):
    with FailingServer(mode, mode) as server:
        timeout = 0.4 if mode in ("hang", "trickle", "trickled head") else 5
        completion = model_of(server, stream=stream, timeout=timeout).complete(REQUEST, no_pause)
    with Loopback() as good:
        undisturbed = model_of(good, stream=stream).complete(REQUEST, no_pause)
    assert dataclasses.replace(completion, seconds=0, waited=0, started=0, retries=()) == dataclasses.replace(
        undisturbed, seconds=0, waited=0, started=0
    )
    assert len(completion.retries) == 2
    assert len(server.requests) == 3
    assert server.requests[0] == server.requests[2]
    assert mode not in STATUSES or completion.retries == (mode, mode)


def test_a_streamed_reply_equals_one_that_is_not_streamed():
    with Loopback() as server:
        whole, streamed = (model_of(server, stream=stream).complete(REQUEST, no_pause) for stream in (False, True))
    assert (whole.text, whole.finish, whole.tokens_in) == (streamed.text, streamed.finish, streamed.tokens_in)
    assert whole.text in ("I bid $4,000!", "I'm out!")
    assert whole.tokens_in > 0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("mode", [mode for mode in MODEL_FAILURES if mode != "parts"])
def test_failures_of_the_model_are_not_retried(mode, stream):
    with FailingServer(mode) as server:
        completion = model_of(server, stream=stream).complete(REQUEST, no_pause)
    assert len(server.requests) == 1
    finish = {"null content": "stop", "megabyte": "stop", "filtered prompt": "content_filter"}.get(mode, mode)
    assert completion.finish == finish
    assert len(completion.text) <= MAX_READ
    assert completion.retries == ()


def test_the_parts_of_a_reply_are_joined():
    with FailingServer("parts") as server:
        assert model_of(server).complete(REQUEST, no_pause).text == "I'm out!"


@pytest.mark.parametrize("mode", PERMANENT)
def test_permanent_errors_are_raised_at_once_and_without_the_key(mode, monkeypatch):
    monkeypatch.setenv("OWN_KEY", KEY)
    status, error = PERMANENT[mode]
    status = mode if mode[:3].isdecimal() else status
    reason = (error["message"] or "no reason given").replace("{key}", "...")
    reason = "a redirect without a target" if mode == "307" else reason
    with FailingServer(mode) as server:
        with pytest.raises(
            ModelFailure, match=re.escape(f"{server.url}: {status[:3]}: {reason}").replace(r"\.\.\.", r"\*\*\*")
        ) as caught:
            model_of(server, key_env="OWN_KEY").complete(REQUEST, no_pause)
        assert server.headers[0]["authorization"] == f"bearer {KEY}"
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)
    assert caught.value.__suppress_context__


def test_the_key_is_sent_to_its_endpoint_only(monkeypatch, caplog):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OWN_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Secret: {KEY}")
    caplog.set_level(logging.DEBUG)
    with Loopback(lambda body: f"I bid $1! {KEY}") as server:
        keyless = make_policy("english", f"llm:openai:m,base_url={server.url}")
        keyless.model.complete(REQUEST, no_pause)
        assert KEY not in str(server.headers)  # the variables OPENAI_... are for OpenAI's endpoint only
        policy = make_policy("english", f"llm:openai:m,base_url={server.url},key_env=OWN_KEY")
        completion = policy.model.complete(REQUEST, no_pause)
        assert KEY in str(server.headers)
    assert completion.text == "I bid $1! ***"
    assert KEY.encode() not in pickle.dumps(policy)
    assert KEY not in repr(policy.model)
    assert KEY not in caplog.text


def test_the_number_of_attempts_is_limited():
    with FailingServer(rate=1, modes=("500",)) as server, pytest.raises(ModelFailure) as caught:
        model_of(server).complete(REQUEST, no_pause)
    assert str(caught.value) == f"{server.url}: no answer to 15 attempts; the last: 500"
    assert len(server.requests) == 15


def test_an_error_of_the_function_of_replies_is_printed_and_not_tried_again(capsys):
    with Loopback(lambda body: body["nothing"]) as server, pytest.raises(ModelFailure) as caught:
        model_of(server).complete(REQUEST, no_pause)
    assert str(caught.value).endswith("400: the function of replies failed: KeyError: 'nothing'")
    assert len(server.requests) == 1
    assert "test_model_client.py" in capsys.readouterr().err


def test_pauses_double_with_jitter_up_to_a_minute():
    pauses = RecordedPauses()
    with FailingServer(*["500"] * 14) as server:
        model_of(server, backoff=1).complete(REQUEST, pauses)
    assert len(pauses) == 14
    for number, (seconds, why) in enumerate(pauses):
        assert 0.5 * min(60, 2**number) <= seconds <= min(60, 2**number)
        assert why == f"waiting for {server.url}: 500, attempt {number + 2} of 15"
    assert len(set(pauses)) == 14


@pytest.mark.parametrize(
    ("after", "least", "most"), [("7", 7, 7), ("1.5", 1.5, 1.5), ("soon", 0, 0.001), ("-3", 0, 0.001)]
)
def test_retry_after_is_respected(after, least, most):
    pauses = RecordedPauses()
    with FailingServer("429", after=after) as server:
        model_of(server).complete(REQUEST, pauses)
    assert least <= pauses[0][0] <= most


@pytest.mark.parametrize("after", ["86400", "99999999999", "1e400"])
def test_an_endpoint_that_asks_for_a_long_wait_counts_as_unreachable(after):
    with FailingServer("429", after=after) as server:
        if "e" in after:  # not a valid number of seconds
            model_of(server).complete(REQUEST, no_pause)
        else:
            with pytest.raises(ModelFailure, match=f"429: it asks to wait {after} s"):
                model_of(server).complete(REQUEST, no_pause)


def test_retry_after_may_be_a_date():
    pauses = RecordedPauses()
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
    with FailingServer("503", after=date) as server:
        model_of(server).complete(REQUEST, pauses)
    assert 95 <= pauses[0][0] <= 100


def test_the_client_waits_for_a_server_that_is_not_running_yet():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    model = ApiModel("m", f"http://127.0.0.1:{port}/v1", attempts=3, backoff=0.001)
    with pytest.raises(ModelFailure, match="no answer to 3 attempts; the last: connection"):
        model.complete(REQUEST, no_pause)
    with contextlib.ExitStack() as later:

        def start(seconds, why=""):
            if seconds and why.endswith("attempt 3 of 3"):
                later.enter_context(Loopback(port=port))

        assert model.complete(REQUEST, start).retries == ("connection", "connection")


def test_in_flight_limits_the_simultaneous_calls():
    class Pairs(Loopback):
        held = Barrier({"": 2})

        async def hold(self, body):
            await self.held.hold("")

    with Pairs() as server:
        model = model_of(server, in_flight=2)
        completions = run_in_threads(6, lambda number: model.complete(REQUEST, no_pause))
    assert server.most_at_once == 2
    assert max(completion.waited for completion in completions) > 0


def test_a_request_has_the_given_options():
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
        ("llm", "provider: expected one of openai, litellm, local, scripted, got ''"),
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
        ("llm:openai:m,base_url=http://u:p@h/v1", "expected no user, password or query"),
        ("llm:openai:m,base_url=http://h/v1?key=1", "expected no user, password or query"),
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
        ("llm:local:nowhere", "expected smollm2 or the folder of a model, with its config.json, got 'nowhere'"),
    ],
)
def test_invalid_names_are_refused_with_the_reason(name, message, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)


def test_a_placeholder_key_is_not_masked_in_replies(monkeypatch):
    monkeypatch.setenv("OWN_KEY", "1")
    with Loopback(lambda body: "I bid $1,100!") as server:
        policy = make_policy("english", f"llm:openai:m,base_url={server.url},key_env=OWN_KEY")
        assert policy.model.complete(REQUEST, no_pause).text == "I bid $1,100!"


@pytest.mark.parametrize("key", ["two words", "neu\u00e9", "new\nline"])
def test_an_invalid_key_is_not_shown(key, monkeypatch):
    monkeypatch.setenv("OWN_KEY", key)
    with pytest.raises(ValueError, match="printable ASCII in the environment variable OWN_KEY") as caught:
        make_policy("english", "llm:openai:m,base_url=http://h/v1,key_env=OWN_KEY")
    assert key not in str(caught.value)


def test_a_cached_reply_is_used_before_the_model(tmp_path):
    with Loopback() as server:
        model = CachedModel(model_of(server), tmp_path)
        first, again = (model.complete(REQUEST, no_pause) for _ in range(2))
        assert len(server.requests) == 1
        assert (again.text, again.finish, again.tokens_in, again.tokens_out) == (first.text, first.finish, 0, 0)
        model.complete(dataclasses.replace(REQUEST, seed=8), no_pause)
        assert len(server.requests) == 2
    assert all(json.loads(file.read_text())["model"] == "m" for file in tmp_path.glob("*.json"))
    for file in tmp_path.glob("*.json"):
        file.write_text('{"text": 5}')
    with pytest.raises(ValueError, match=r"\.json: model: expected this field, got none"):
        model.complete(REQUEST, no_pause)


def test_above_temperature_0_the_cache_has_a_sample_for_each_call_of_a_run(tmp_path):
    replies = iter(f"I bid ${price}!" for price in range(4000, 9000))
    with Loopback(answer=lambda body: next(replies)) as server:
        texts = []
        for game, decision in ((0, 0), (0, 1), (1, 0)) * 2:  # the same run twice
            calls = CallJournal().at(game, "bidder_0")
            model = CachedModel(model_of(server), tmp_path)
            texts.append(calls.ask(model, dataclasses.replace(REQUEST, temperature=0.7), decision, 0).reply)
        assert len(set(texts[:3])) == len(server.requests) == len(list(tmp_path.iterdir())) == 3
        assert texts[:3] == texts[3:]


def test_threads_with_the_same_request_share_a_cache(tmp_path):
    with Loopback(latency=0.01) as server:
        model = CachedModel(model_of(server, timeout=5), tmp_path)
        texts = run_in_threads(20, lambda number: model.complete(REQUEST, no_pause).text)
    assert set(texts) == {"I'm out!"} or set(texts) == {"I bid $4,000!"}
    assert len(list(tmp_path.iterdir())) == 1


def run_in_threads(times, work):
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(work(n))) for n in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == times
    return results


def test_replies_are_parsed_whether_or_not_a_stream_was_requested():
    class Contrary(Loopback):
        async def send(self, writer, data, stream, *rest):
            await super().send(writer, data, not stream, *rest)

    with Contrary() as contrary, Loopback() as good:
        texts = {
            model_of(at, stream=stream).complete(REQUEST, no_pause).text
            for at in (contrary, good)
            for stream in (False, True)
        }
    assert len(texts) == 1
