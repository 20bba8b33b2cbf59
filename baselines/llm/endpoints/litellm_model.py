"""Models behind Anthropic's and Google's APIs: LiteLLM translates requests and responses, and aucenv sends them.

LiteLLM's connections would follow redirects and read bodies of any size, so it gets those of `connection`.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import os
import re
import warnings
from typing import Any, ClassVar

import httpx
import httpx2
from aucenv.baselines.llm.endpoints import chat_api
from aucenv.baselines.llm.endpoints.attempts import cleaned
from aucenv.baselines.llm.endpoints.client import (
    PARSING,
    ApiModel,
    check_status,
    further_parameters,
    merged,
    redirect_failure,
    roles_of,
    with_request_id,
)
from aucenv.baselines.llm.endpoints.connection import CONNECTIONS, NO_KEY, Address, retry_after
from aucenv.baselines.llm.endpoints.errors import (
    EndpointError,
    ErrorInBody,
    Redirected,
    TransportFailure,
    error_fields,
    names_of,
    outcome_of,
)
from aucenv.baselines.llm.endpoints.response_parts import parse_json
from aucenv.baselines.llm.endpoints.usage import PROVIDERS as USAGE

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.words.outside_text import Secrets
from aucenv.runs.model_calls.calls import Completion, Request
from aucenv.runs.provider_prices import PROVIDERS

KEYS = {"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}
"""Provider -> the environment variable with the key for the provider's own endpoint, unless key_env names another."""
ABSENT = {"anthropic": ("seed",)}
"""Provider -> the parameters of a `Request` that its API does not have."""
FURTHER = (
    *("cache_control", "frequency_penalty", "output_config", "presence_penalty", "safety_settings", "service_tier"),
    *("speed", "stop", "thinking", "thinking_config", "top_k", "verbosity"),
)
"""The parameters that `body.NAME` may set; LiteLLM would take many others as settings of its own."""
CACHING = {"anthropic": {"cache_control": {"type": "ephemeral"}}}
"""Provider -> the parameters with which it caches prompts; others cache them without being asked."""
SAME_PARAMETER = {
    r"top_?p\b": "top_p",
    r"max_?output_?tokens": "max_tokens",
    r"response_?(?:mime_?type|(?:json_?)?schema)|output_config|output_format|tool_choice": "response_format",
    r"tool_?(?:choice|config)": "tool_choice",
    r"\btools\b|function_?(?:calling|declarations)": "tools",
    r"thinking|reasoning_?effort": "reasoning_effort",
}
"""Pattern of a parameter's names at the providers -> its name in requests to LiteLLM."""
OFFLINE = ("LITELLM_OFFLINE_MODE", "LITELLM_LOCAL_MODEL_COST_MAP", "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS")
"""Environment variables that keep LiteLLM from downloading lists."""
LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")


@functools.cache
def load_litellm() -> Any:
    """Import LiteLLM, which takes seconds, without downloads, and silence it: its log holds prompts and keys."""
    os.environ.update(dict.fromkeys(OFFLINE, "true"))
    import litellm

    # LiteLLM imports modules during its first calls, of which pydantic warns
    warnings.filterwarnings("ignore", message=".* using the `ReadOnly` qualifier", category=UserWarning)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in LOGGERS:
        logging.getLogger(name).disabled = True
    return litellm


NOT_PASSED_ON = ("host", "content-length", "accept-encoding", "connection")
"""Headers of LiteLLM's requests that the connection sets itself."""


class Exchange(httpx.BaseTransport):
    """One request of LiteLLM and its response. LiteLLM gets the body of a response only if it is acceptable.

    It does not get the usage, which it changes: numbers that cannot be true become others, or errors.

    Attributes:
        response: the response; None: there is none.
        usage: its usage, as the Chat Completions API has it.
        failure: why LiteLLM did not get the response; None: it got it.
    """

    def __init__(self, provider: str, timeout: float, in_flight: int) -> None:
        self.usage: JsonObject = {}
        self._provider = provider
        self._timeout = timeout
        self._in_flight = in_flight
        self.response: httpx2.Response | None = None
        self.failure: Exception | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request, unless LiteLLM repeats it."""
        if self.response is None and self.failure is None:
            try:
                content = self._send(request)
                return httpx.Response(
                    200, headers=[("Content-Type", "application/json")], content=content, request=request
                )
            except (TransportFailure, Redirected, ErrorInBody) as failure:
                self.failure = failure
        raise httpx.TransportError("see failure")

    def _send(self, request: httpx.Request) -> bytes:
        """Return the body of the response, without its usage."""
        headers = {name: value for name, value in request.headers.items() if name not in NOT_PASSED_ON}
        sending = CONNECTIONS.bounded(self._in_flight).post(str(request.url), content=request.read(), headers=headers)
        self.response = response = CONNECTIONS.wait(sending, self._timeout)
        check_status(response)
        with PARSING:
            parsed = parse_json(response.content)
        if not isinstance(parsed, dict):
            raise TransportFailure("malformed")
        if parsed.get("error"):
            raise ErrorInBody(error_fields(parsed))
        self.usage = USAGE[self._provider].taken_from(parsed)
        try:
            return json.dumps(parsed).encode()
        except RecursionError:
            raise TransportFailure("malformed") from None


@dataclasses.dataclass(frozen=True)
class LiteLLMModel(ApiModel):
    """A model behind the API of one of PROVIDERS; `name` is LiteLLM's, `provider/model`.

    Attributes:
        FIXED: the fields that have no effect, because LiteLLM has one API and returns whole responses.
    """

    FIXED: ClassVar[tuple[str, ...]] = ("api", "api_version", "stream", "token_limit")

    @property
    def provider(self) -> str:
        """LiteLLM's name of the provider."""
        return self.name.partition("/")[0]

    def _body(self, request: Request, left_out: tuple[str, ...]) -> JsonObject:
        further = merged(CACHING.get(self.provider, {}), json.loads(self.body))
        left_out = (*left_out, *ABSENT.get(self.provider, ()))
        body = chat_api.body_of(self.name, request, "max_tokens", self.reasoning_effort, False, left_out)
        return merged(body, {name: value for name, value in further.items() if name not in left_out})

    def _ask(self, body: JsonObject, address: Address, secrets: Secrets) -> Completion:
        """Send a request once; see `attempts.Ask`."""
        exchange = Exchange(self.provider, self.timeout, self.in_flight)
        try:
            answer = self._complete(body, address, exchange)
            with PARSING:
                completion = cleaned(_completion_of(answer, exchange.usage), secrets)
        except Exception as error:  # LiteLLM raises errors of many kinds
            failure = exchange.failure or error
        else:
            return completion if exchange.response is None else with_request_id(completion, exchange.response, secrets)
        after = None if exchange.response is None else retry_after(exchange.response.headers)
        if isinstance(failure, TransportFailure):
            raise failure from None
        if isinstance(failure, Redirected):
            raise redirect_failure(failure, secrets) from None
        if isinstance(failure, ErrorInBody):
            endpoint_error = failure.error
        elif exchange.response is not None:
            raise TransportFailure("malformed") from None
        else:
            endpoint_error = EndpointError(400, message=_reason(failure))
        return outcome_of(_translated(endpoint_error.masked(secrets)), after, names_of(body), roles_of(body))

    def _complete(self, body: JsonObject, address: Address, exchange: Exchange) -> Any:
        """Return LiteLLM's response."""
        litellm = load_litellm()
        from litellm.llms.custom_httpx.http_handler import HTTPHandler

        path = "/v1/messages" if self.provider == "anthropic" else ""
        base = self.endpoint.removesuffix("/v1") if path else self.endpoint
        return litellm.completion(
            **{**body, "messages": [dict(message) for message in body["messages"]]},
            api_base=base + path,
            api_key=address.key or NO_KEY,
            extra_headers=dict(address.headers),
            client=HTTPHandler(client=httpx.Client(transport=exchange, trust_env=False)),
            timeout=self.timeout,
            num_retries=0,
            max_retries=0,
            drop_params=False,
        )


def _completion_of(answer: Any, usage: JsonObject) -> Completion:
    """Return the completion in LiteLLM's response, which has the form of OpenAI's Chat Completions API."""
    return chat_api.parse(json.dumps({**answer.model_dump(), "usage": usage}, default=str).encode())


def _reason(error: Exception) -> str:
    """Return why LiteLLM refuses a request, without advice for its own users."""
    text = re.sub(r"^(?:litellm\.\w+: *)+", "", str(error))
    return re.split(r"\.? To drop these, |\n|Traceback", text)[0]


def _translated(error: EndpointError) -> EndpointError:
    """Return an error that also names the parameters as they are named in requests to LiteLLM."""
    text = f"{error.param} {error.message}"
    names = [name for pattern, name in SAME_PARAMETER.items() if re.search(pattern, text, re.IGNORECASE)]
    return dataclasses.replace(error, places=(*error.places, *names))


def make_model(name: str, options: JsonMapping, where: str) -> LiteLLMModel:
    """Return the model of a bidder's name.

    Raises:
        ValueError: if the provider is none of PROVIDERS, or `ApiModel.check` raises it.
    """
    provider, slash, model = name.partition("/")
    if not slash or not model:
        raise ValueError(f"{where}: expected llm:litellm:PROVIDER/MODEL, got llm:litellm:{name}")
    if provider not in PROVIDERS:
        other = "; for an endpoint with OpenAI's API use llm:openai:MODEL,base_url=URL"
        raise ValueError(f"{where}, provider: expected {' or '.join(PROVIDERS)}, got {provider!r}{other}")
    for parameter in options["body"]:
        one_of(f"{where}, body.{parameter}, parameter", parameter.partition(".")[0], FURTHER)
    load_litellm()
    base_url = options["base_url"]
    fields = {field.name for field in dataclasses.fields(LiteLLMModel)} & set(options)
    given = {key: options[key] for key in fields} | {
        "key_env": options["key_env"] or (KEYS[provider] if base_url is None else None),
        "body": json.dumps(further_parameters(options["body"], where, options["reply"]), sort_keys=True),
        "headers": tuple(options["header"].items()),
    }
    result = LiteLLMModel(name, (base_url or PROVIDERS[provider]).rstrip("/"), **given)
    result.check(where)
    return result
