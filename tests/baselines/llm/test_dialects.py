"""Games at endpoints of every dialect: plain, streamed, and with models that refuse optional parameters."""

from __future__ import annotations

import json
import warnings

import pytest
from dialect_servers import (
    DIALECTS,
    REFUSING,
    THOUGHT,
    VLLM,
    AzureLike,
    LlamaCpp,
    Mistral,
    Ollama,
    OpenAIChat,
    OpenAIResponses,
    OpenRouter,
    TransformersServe,
)
from pauses import no_pause

import aucenv
from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request

MESSAGES = ({"role": "system", "content": "You bid."}, {"role": "user", "content": "Least bid: $4,000."})
REQUEST = Request(MESSAGES, 0.0, 50, 7)
KEY = "azure-key-that-nobody-may-read-9d1f"
BY_TOOLS = ("tools", "tool_choice", "strict")
REFUSED = ("temperature", "top_p", "seed", "stream_options", "response_format", *BY_TOOLS, "max_tokens", "system")
PAIRS = [
    (dialect, parameter)
    for dialect in REFUSING
    for parameter in REFUSED
    if not (dialect is OpenAIResponses and parameter in ("seed", "stream_options", "max_tokens"))  # it has none
    and not (dialect is Mistral and parameter == "max_tokens")  # its only name
]

each_dialect = pytest.mark.parametrize("dialect", DIALECTS)
plain_and_streamed = pytest.mark.parametrize("stream", [False, True])
words_and_tools = pytest.mark.parametrize("reply", ["words", "tools"])


@pytest.fixture(autouse=True)
def azure_key(monkeypatch):
    monkeypatch.setenv("AZURE_LIKE_KEY", KEY)


def bidder(server, **options):
    settings = {"timeout": 9, "backoff": 0.001} | options
    return server.bidder + "".join(f",{name}={value}" for name, value in settings.items())


def complete(server, request=REQUEST, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the endpoint refuses is tested below
        return make_policy("english", bidder(server, **options)).model.complete(request, no_pause)


def game(server, **options):
    seats = [bidder(server, **options), "rule", "value"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return aucenv.play("english", "standard-20k-random", seats, max_rounds=2)


def outcome(record):
    return record.decisions, record.outcome


@pytest.fixture(scope="module")
def undisturbed():
    with OpenAIChat() as server:
        return outcome(game(server))


@words_and_tools
@plain_and_streamed
@each_dialect
def test_each_dialect_plays_the_same_game(dialect, stream, reply, undisturbed):
    with dialect() as server:
        record = game(server, stream=str(stream).lower(), reply=reply)
    amounts = [decision["amount"] for decision in undisturbed[0]]
    assert [decision["amount"] for decision in record.decisions] == amounts
    assert record.outcome == undisturbed[1]
    assert not any(decision["attempts"] for decision in record.decisions)
    assert reply == "tools" or outcome(record) == undisturbed
    assert set(server.paths) == {dialect.path}
    assert not any("cookie" in headers for headers in server.headers)
    assert {bool(body.get("stream")) for body in server.requests} == {stream}


@plain_and_streamed
@each_dialect
def test_each_dialect_says_what_it_used_and_why_it_ended(dialect, stream):
    with dialect() as server:
        completion = complete(server, stream=str(stream).lower())
    assert (completion.text, completion.finish) in (("I bid $4,000!", "stop"), ("I'm out!", "stop"))
    details = dialect not in (Ollama, TransformersServe)
    assert (completion.tokens_in, completion.tokens_out) == (100, 20)
    assert completion.tokens_cached == (64 if details else None)
    assert completion.tokens_reasoning == (5 if details else None)
    assert completion.reported_cost == (0.000125 if dialect is OpenRouter else None)
    assert completion.reasoning == (THOUGHT if dialect.reasoning_field or dialect is OpenAIResponses else "")
    assert completion.answered_by == "m-2026-01-01"
    assert completion.fingerprint == ("" if dialect is OpenAIResponses else dialect.fingerprint or "")
    assert completion.request_id
    assert completion.finish_reason == ("completed" if dialect is OpenAIResponses else "stop")
    assert completion.retries == ()
    assert completion.left_out == ()
    assert len(server.requests) == 1


@pytest.mark.parametrize(("dialect", "parameter"), PAIRS)
def test_a_refused_parameter_is_left_out_from_then_on(dialect, parameter):
    options = {"stream": "true", "top_p": 0.9, "reply": "tools" if parameter in BY_TOOLS else "json"}
    if parameter == "max_tokens":
        options["token_limit"] = "max_tokens"
    with dialect(parameter) as server:
        record = game(server, **options)
    assert record.decisions
    assert len(set(server.rejected)) == len(server.rejected)  # none is tried twice
    assert parameter in server.rejected
    last = server.requests[-1]
    words = server.messages_of(last)
    if parameter == "system":
        assert all(message["role"] != "system" for message in words)
        first = server.messages_of(server.requests[0])
        assert first[0]["content"][:200] in words[0]["content"]  # what the system role said is not lost
    if parameter in BY_TOOLS:
        assert ("tools" in last) == (parameter != "tools")
        assert ("tool_choice" in last) == (parameter == "strict")
        assert '"strict"' not in json.dumps(last) or parameter == "tool_choice"
    if parameter == "max_tokens":
        assert last["max_completion_tokens"] == server.requests[0]["max_tokens"]


@pytest.mark.parametrize("reply", ["json", "tools"])
@pytest.mark.parametrize("dialect", REFUSING)
def test_a_model_that_refuses_every_optional_parameter_still_plays(dialect, reply):
    refused = [parameter for parameter in REFUSED if (dialect, parameter) in PAIRS]
    with dialect(*refused) as server:
        record = game(server, stream="true", top_p=0.9, reply=reply)
        rejected = len(server.rejected)
        completion = complete(server, stream="true", top_p=0.9, reply=reply)
        assert len(server.rejected) == rejected  # the model's refusals are known
    assert record.decisions
    assert completion.text
    assert set(completion.left_out) >= {"temperature", "top_p", "system"}
    assert "temperature" not in completion.settings


def test_a_refusal_is_reported_once():
    with OpenAIChat("temperature") as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make_policy("english", bidder(server)).model
        completions = [model.complete(REQUEST, no_pause) for _ in range(3)]
    assert len(server.requests) == 4
    assert [completion.left_out for completion in completions] == [("temperature",)] * 3
    assert all("temperature" not in (completion.settings or {}) for completion in completions)
    assert len([warning for warning in caught if "temperature" in str(warning.message)]) == 1


FAULTS = [
    (OpenAIChat, "length", "length"),
    (OpenAIChat, "content_filter", "content_filter"),
    (OpenAIChat, "refusal", "refusal"),
    (OpenAIChat, "context", "context"),
    (OpenAIResponses, "length", "length"),
    (OpenAIResponses, "content_filter", "content_filter"),
    (OpenAIResponses, "refusal", "refusal"),
    (OpenAIResponses, "context", "context"),
    (AzureLike, "filtered prompt", "content_filter"),
    (VLLM, "context", "context"),
    (Ollama, "context", "context"),
    (LlamaCpp, "context", "context"),
]


@plain_and_streamed
@pytest.mark.parametrize(("dialect", "fault", "finish"), FAULTS)
def test_failures_of_the_model_have_each_dialects_form(dialect, fault, finish, stream):
    with dialect(plan=[fault]) as server:
        completion = complete(server, stream=str(stream).lower())
    assert completion.finish == finish
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("dialect", "fault"),
    [
        (OpenAIResponses, "failed"),
        (OpenRouter, "error in 200"),
        (OpenRouter, "error in a stream"),
        (TransformersServe, "error in a stream"),
    ],
)
def test_errors_after_the_status_are_retried(dialect, fault):
    with dialect(plan=[fault]) as server:
        completion = complete(server, stream="true")
    assert len(completion.retries) == 1
    assert len(server.requests) == 2
    assert completion.text in ("I bid $4,000!", "I'm out!")


def test_an_unknown_model_is_a_permanent_error():
    with Ollama(plan=["unknown model"]) as server, pytest.raises(ModelFailure, match="not found, try pulling it first"):
        complete(server)
    assert len(server.requests) == 1


def test_a_key_in_a_header_is_sent_and_masked(monkeypatch):
    with AzureLike() as server:
        policy = make_policy("english", bidder(server))
        policy.model.complete(REQUEST, no_pause)
        assert server.headers[-1]["api-key"] == KEY
        monkeypatch.setattr(AzureLike, "messages_of", lambda self, body: [{"role": "user", "content": KEY}])
        server._answer = lambda body: f"I'm out! {KEY}"
        assert KEY not in policy.model.complete(REQUEST, no_pause).text
    assert KEY not in repr(policy.model)


def test_fields_that_the_user_adds_are_sent():
    added = {"body.top_k": 20, "body.chat_template_kwargs.enable_thinking": "false", "top_p": 0.9}
    with VLLM() as server:
        game(server, **added)
    assert server.requests[0]["top_k"] == 20
    assert server.requests[0]["chat_template_kwargs"] == {"enable_thinking": False}
    assert server.requests[0]["top_p"] == 0.9


def test_effort_and_limits_have_the_names_that_the_api_gives_them():
    with OpenAIChat() as chat, OpenAIResponses() as responses:
        game(chat, reasoning_effort="low", token_limit="max_completion_tokens", max_tokens=77)
        game(responses, reasoning_effort="low", max_tokens=77)
    assert chat.requests[0]["reasoning_effort"] == "low"
    assert chat.requests[0]["max_completion_tokens"] == 77
    assert "max_tokens" not in chat.requests[0]
    assert responses.requests[0]["reasoning"]["effort"] == "low"
    assert responses.requests[0]["max_output_tokens"] == 77


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        ("aucarena", {"temperature": 0.0}),
        ("labs", {"temperature": 0.5}),
        ("alympics", {"temperature": 0.7, "top_p": 0.95}),
    ],
)
def test_the_sampling_of_the_papers_has_names(sampling, expected):
    with OpenAIChat() as server:
        seats = [bidder(server, sampling=sampling), "rule", "value"]
        aucenv.play("english", "standard-20k-random", seats, max_rounds=1)
    sent = server.requests[0]
    assert {name: sent[name] for name in ("temperature", "top_p") if name in sent} == expected
