"""Models by LiteLLM, at servers that speak Anthropic's and Google's APIs, honest and hostile."""

from __future__ import annotations

import gzip
import json

import pytest
from aucenv.baselines.llm.endpoints.check import check_endpoint
from aucenv.benchmarks.timings.loopback import Loopback
from pauses import no_pause
from provider_servers import REPLY, Anthropic, Gemini

from aucenv.core.notices import Notice
from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import play

MESSAGES = ({"role": "system", "content": "Play."}, {"role": "user", "content": "Least bid: $4,000."})
REQUEST = Request(MESSAGES, 0.0, 1200, None)
KEY = "sk-planted-5f2a9c0e7b61d483"


SERVERS = [Anthropic, Gemini]


def model_of(server, options="", game="english"):
    return make_policy(game, f"llm:litellm:{server.name},base_url={server.url}{options}").model


@pytest.mark.parametrize("kind", SERVERS)
def test_a_game_is_played_through(kind):
    def answer(body):
        return REPLY if "4,000" in json.dumps(body) else "I'm out!"

    with kind(answer=answer) as server:
        journal = CallJournal()
        name = f"m=llm:litellm:{kind.name},base_url={server.url}"
        record = play("english", "standard-20k-random", [name, "rule", "value"], 3, max_rounds=6, journal=journal)
    assert len(journal.calls) == len(server.requests) > 3
    assert {decision["action"] for decision in record.decisions if decision["seat"] == "bidder_0"} >= {REPLY}
    call = journal.calls[0]
    assert (call.model, call.tokens_in, call.tokens_out, call.tokens_cached) == (kind.name, 100, 9, 30)
    assert call.cost is None  # list prices hold at the provider's endpoint only
    assert call.settings["temperature"] == 0
    assert call.tokens_written == (20 if kind is Anthropic else None)
    assert [body.get("cache_control") for body in server.requests if kind is Anthropic] == [
        {"type": "ephemeral"} for _ in server.requests if kind is Anthropic
    ]


@pytest.mark.parametrize("kind", SERVERS)
def test_reasoning_is_kept_apart_from_the_reply(kind):
    with kind() as server:
        completion = model_of(server, ",reasoning_effort=low,temperature=none").complete(REQUEST, no_pause)
    assert (completion.text, completion.reasoning, completion.finish) == (REPLY, "Cheap.", "stop")


@pytest.mark.parametrize(
    ("kind", "refuses", "left_out"),
    [
        (Anthropic, "temperature", "temperature"),
        (Anthropic, "cache_control", "cache_control"),
        (Gemini, "temperature", "temperature"),
        (Gemini, "top_p", "top_p"),
    ],
)
def test_refused_parameters_are_left_out_with_one_notice(kind, refuses, left_out):
    request = Request(MESSAGES, 0.5, 1200, None, top_p=0.9)
    with kind(refuses) as server, pytest.warns(Notice, match=f"does not support {left_out}") as notices:
        completions = [model_of(server).complete(request, no_pause) for _ in range(2)]
    assert len(notices) == 1
    assert len(server.requests) == 3
    assert [completion.left_out for completion in completions] == [(left_out,), (left_out,)]
    assert left_out not in completions[0].settings


class Hostile(Loopback):
    """A server that attacks in one way."""

    def __init__(self, name, attack):
        super().__init__()
        self.name, self.attack = name, attack

    async def respond(self, body, writer):
        key = next((value for value in self.headers[-1].values() if KEY in value), KEY)
        if self.attack == "redirect":
            await self.write(writer, b"", "307 Temporary Redirect", f"Location: http://127.0.0.2:9/{KEY}\r\n")
        elif self.attack == "bomb":
            await self.write(writer, gzip.compress(bytes(80_000_000)), more="Content-Encoding: gzip\r\n")
        elif self.attack == "echo":
            message = f"\x1b[2J{'x' * 270}{key}\n\u202e"
            await self.send(
                writer, {"error": {"type": key, "code": key, "message": message}}, False, "401 Unauthorized"
            )
        else:
            await self.write(writer, b'{"candidates": [[], {}], "content": 5}')


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        ("redirect", r"307: a redirect to http://127\.0\.0\.2:9, which is not followed"),
        ("bomb", "no answer to 2 attempts; the last: too large"),
        ("echo", r"401: \\x1b\[2Jx+"),
        ("malformed", "no answer to 2 attempts; the last: malformed"),
    ],
)
def test_attacks_end_with_one_line_without_the_key(kind, attack, reason, monkeypatch, capfd):
    monkeypatch.setenv("PLANTED", KEY)
    with Hostile(kind.name, attack) as server:
        model = model_of(server, ",key_env=PLANTED,attempts=2,backoff=0")
        with pytest.raises(ModelFailure, match=reason) as caught:
            model.complete(REQUEST, no_pause)
    text = str(caught.value)
    assert KEY[:8] not in text
    assert text.isprintable()
    assert not any(capfd.readouterr())
    assert "cookie" not in server.headers[-1]


def test_prices_are_those_of_the_provider_unless_given():
    prices = TokenPrices()
    price = prices.of("https://api.anthropic.com", Anthropic.name)
    assert (price.input, price.output, price.cached_input, price.written_input) == (3, 15, 0.3, 3.75)
    assert price.cost(1_000_000, 0, tokens_cached=400_000, tokens_written=500_000) == pytest.approx(0.3 + 0.12 + 1.875)
    assert prices.of("http://127.0.0.1/v1", Anthropic.name) is None
    assert prices.of("https://api.anthropic.com", "anthropic/nothing") is None
    given = TokenPrices({Anthropic.name: {"input": 1, "output": 2}})
    assert given.of("http://127.0.0.1/v1", Anthropic.name).output == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("llm:litellm:claude", "expected llm:litellm:PROVIDER/MODEL, got llm:litellm:claude"),
        ("llm:litellm:openai/gpt", "expected anthropic or gemini, got 'openai'; for an endpoint with OpenAI's API use"),
        ("llm:litellm:gemini/g", "environment variable GEMINI_API_KEY, which is not set"),
        ("llm:litellm:gemini/g,base_url=http://h,body.api_base=x", "body.api_base, parameter: expected one of"),
        ("llm:litellm:gemini/g,stream=true", "parameter: expected one of"),
    ],
)
def test_invalid_names_are_refused(name, message, monkeypatch):
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)


def test_a_check_asks_for_no_stream():
    with Anthropic() as server:
        report = check_endpoint(f"m=llm:litellm:{server.name},base_url={server.url}")
    supported = {feature.name: feature.supported for feature in report.features}
    assert "streaming" not in supported
    assert (supported["seed"], supported["usage"], supported["token limit"]) == ("no", "yes", "yes")
    assert report.bidder == f"m=llm:litellm:{server.name},base_url={server.url}"
