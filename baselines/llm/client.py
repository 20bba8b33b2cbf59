"""Models behind an endpoint with OpenAI's Chat Completions API or its Responses API."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import threading
from typing import Any
from urllib.parse import urlsplit

from aucenv.baselines.llm import chat_api, responses_api
from aucenv.baselines.llm.attempts import MAX_FIELD, Patience, call, cleaned
from aucenv.baselines.llm.connection import CONNECTIONS, Headers, Response, retry_after
from aucenv.baselines.llm.endpoint_errors import (
    CHOICE,
    TOOLS,
    ErrorInBody,
    Redirected,
    names_of,
    outcome_of,
    read_error,
)
from aucenv.baselines.llm.keys import HEADER_VARIABLE, header_value, read_key

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.outside_text import Secrets, shorten
from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import Completion, Pause, Request
from aucenv.runs.slots import IN_FLIGHT
from aucenv.runs.token_prices import OPENAI

ACCOUNT_HEADERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers for OpenAI's endpoint -> the environment variables with their values."""


class Endpoint:
    """One URL, and how requests are sent to it.

    Args:
        key: the API key; None: the endpoint needs none.
        headers: further headers of every request; their values are masked like keys.
        timeout: seconds for a call, until the last byte of the response.
        in_flight: the maximum number of idle connections that are kept open.
    """

    def __init__(self, url: str, key: str | None, headers: Headers, timeout: float, in_flight: int) -> None:
        self._url = url
        self._timeout = timeout
        self._in_flight = in_flight
        self._secrets = secrets_of(key, headers)
        authorization = {"Authorization": f"Bearer {key}"} if key else {}
        self._headers = tuple({**authorization, **_account_headers(url), **dict(headers)}.items())

    def ask(self, api: Any, body: JsonObject) -> Completion:
        """Send a request once, and return its completion.

        Args:
            api: the module of the API, with its PATH and its function `parse`.
            body: the body of the request.

        Raises:
            TransportFailure: if the error is transient.
            ModelFailure: if the error is permanent; ParameterRefused if the request may succeed without a parameter.
        """
        response = self._send(api.PATH, body)
        try:
            if response.status != 200:
                raise ErrorInBody(read_error(response.status, json_or_text(response.body)))
            with PARSING if len(response.body) > LARGE_BODY else contextlib.nullcontext():
                completion = cleaned(api.parse(response.body), self._secrets)
            return with_request_id(completion, response, self._secrets)
        except ErrorInBody as failure:
            error = failure.error
        sent_messages = body.get("messages") or body.get("input") or ()
        roles = {message["role"] for message in sent_messages}
        return outcome_of(error.masked(self._secrets), retry_after(response.headers), names_of(body), roles)

    def _send(self, path: str, body: JsonObject) -> Response:
        connection = CONNECTIONS.get(self._headers, self._in_flight)
        try:
            return connection.post(self._url + path, body, self._timeout)
        except Redirected as redirected:
            raise redirect_failure(redirected, self._secrets) from None


_endpoint = functools.lru_cache(maxsize=256)(Endpoint)

LARGE_BODY = 250_000
"""The number of bytes above which bodies are parsed one at a time, to limit the memory that parsing takes."""
PARSING = threading.Lock()
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id")


def secrets_of(key: str | None, headers: Headers) -> Secrets:
    """Return the secrets of an endpoint: its key, the values of headers, and their words, as in "Bearer KEY"."""
    values = [value for _, value in headers]
    words = [word for value in values for word in value.split()]
    return Secrets(dict.fromkeys([*([key] if key else []), *values, *words]))


def redirect_failure(redirected: Redirected, secrets: Secrets) -> ModelFailure:
    """Return the error for a response that redirects a request."""
    target = shorten(secrets.mask(redirected.target), MAX_FIELD)
    what = f"a redirect to {target}, which is not followed" if target else "a redirect without a target"
    return ModelFailure(f"{redirected.status}: {what}; set base_url to the address of the API itself")


def with_request_id(completion: Completion, response: Response, secrets: Secrets) -> Completion:
    """Return a completion with the number of the request in the headers of its response, if it is there."""
    names = [name for name in REQUEST_ID_HEADERS if name in response.headers]
    if not names:
        return completion
    return dataclasses.replace(completion, request_id=shorten(secrets.mask(response.headers[names[0]]), MAX_FIELD))


def json_or_text(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


def _account_headers(url: str) -> dict[str, str]:
    values = {name: os.environ.get(variable, "") for name, variable in ACCOUNT_HEADERS.items()}
    return {name: value for name, value in values.items() if value} if url == OPENAI else {}


@dataclasses.dataclass(frozen=True)
class ApiModel:
    """A model behind an endpoint.

    Attributes:
        endpoint: the endpoint's URL.
        key_env: the environment variable with the key; None: the endpoint needs none.
        timeout: seconds for an attempt.
        attempts: the number of failed attempts after which the model counts as unreachable.
        backoff: approximate seconds before the second attempt; each further pause doubles, up to MAX_PAUSE.
        in_flight: the maximum number of simultaneous calls, shared by all bidders with this endpoint and limit.
        stream: whether to request replies as streams.
        api: "chat", OpenAI's Chat Completions API, or "responses", its Responses API.
        reasoning_effort: how much a reasoning model may think; None: the endpoint's default.
        token_limit: the parameter with the maximum number of tokens of a reply, one of `chat_api.LIMITS`; None:
            max_completion_tokens at OpenAI's endpoint, else max_tokens.
        body: further parameters of requests, as a JSON object.
        headers: further headers of requests, whose values are secrets; `env:VARIABLE` stands for a variable's value.
    """

    name: str
    endpoint: str = OPENAI
    key_env: str | None = None
    timeout: float = 180.0
    attempts: int = 15
    backoff: float = 1.0
    in_flight: int = 256
    stream: bool = False
    api: str = "chat"
    reasoning_effort: str | None = None
    token_limit: str | None = None
    body: str = "{}"
    headers: Headers = dataclasses.field(default=(), repr=False)

    def check(self, where: str) -> None:
        """Raise unless the model can be called.

        Raises:
            ValueError: if the endpoint is not a URL, or the key or a header is missing.
        """
        try:
            url = urlsplit(self.endpoint)
            is_url = url.scheme in ("http", "https") and url.hostname and url.port != 0
        except ValueError:  # an invalid port or address
            is_url = False
        if not is_url:
            raise ValueError(f"{where}, base_url: expected http://... or https://..., got {self.endpoint!r}")
        if url.username or url.password or url.query:
            raise ValueError(f"{where}, base_url: expected no user, password or query in it; set key_env for a key")
        read_key(self.key_env, where)
        self._header_values(where)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables with the key and the headers."""
        values = [text for _, text in self.headers if text.startswith(HEADER_VARIABLE)]
        account = ACCOUNT_HEADERS.values() if self.endpoint == OPENAI else ()
        names = (*filter(None, [self.key_env]), *(text.removeprefix(HEADER_VARIABLE) for text in values), *account)
        return tuple(dict.fromkeys(names))

    @property
    def identity(self) -> str:
        """Text that identifies everything besides the `Request` that a reply depends on."""
        special = [self.api if self.api != "chat" else "", self.reasoning_effort or "", self.body.strip("{}")]
        return " ".join([self.endpoint, self.name, *filter(None, special)])

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply; see `attempts.call`."""
        try:
            key, headers = read_key(self.key_env, self.endpoint), self._header_values(self.endpoint)
        except ValueError as error:
            raise ModelFailure(str(error)) from None
        endpoint = _endpoint(self.endpoint, key, headers, self.timeout, self.in_flight)
        api = responses_api if self.api == "responses" else chat_api
        return call(
            self.name,
            self.endpoint,
            lambda body: endpoint.ask(api, body),
            lambda left_out: self._body(request, left_out),
            Patience(self.attempts, self.backoff),
            IN_FLIGHT.of(self.endpoint, self.in_flight),
            pause,
        )

    def _header_values(self, where: str) -> Headers:
        return tuple((name, header_value(name, text, where)) for name, text in self.headers)

    def _body(self, request: Request, left_out: tuple[str, ...]) -> JsonObject:
        if self.api == "responses":
            body = responses_api.body_of(self.name, request, self.reasoning_effort, self.stream, left_out)
        else:
            limit = self.token_limit or ("max_completion_tokens" if self.endpoint == OPENAI else "max_tokens")
            body = chat_api.body_of(self.name, request, limit, self.reasoning_effort, self.stream, left_out)
        return merged(body, json.loads(self.body))


def merged(first: JsonMapping, second: JsonMapping) -> JsonObject:
    """Return an object with the fields of both; the second one's values count, and objects in both are merged."""
    both = {**first, **second}
    for name in first.keys() & second.keys():
        if isinstance(first[name], dict) and isinstance(second[name], dict):
            both[name] = merged(first[name], second[name])
    return both


SET_BY_OPTIONS = {
    **dict.fromkeys(("max_tokens", "max_completion_tokens", "max_output_tokens"), "max_tokens and token_limit set it"),
    **{name: f"{name} sets it" for name in ("temperature", "top_p", "seed", "reasoning_effort", "stream")},
    **dict.fromkeys(("response_format", "text.format"), "reply=json sets it"),
    **dict.fromkeys(("model", "messages", "input", "stream_options"), "aucenv sets it"),
    **dict.fromkeys(("n", "best_of"), "only one reply is used"),
}
"""Parameters of requests that `body.NAME` may not set, and why."""


def further_parameters(flat: JsonMapping, where: str, reply: str) -> JsonObject:
    """Return the parameters of options `body.NAME`, in which a dot begins the name of a field.

    Args:
        flat: the values of these options by NAME.
        where: the bidder, for errors.
        reply: the value of the option `reply`.
    """
    parameters: JsonObject = {}
    set_by_options = SET_BY_OPTIONS | (dict.fromkeys((TOOLS, CHOICE), "reply=tools sets it") if reply == TOOLS else {})
    for name, value in flat.items():
        reason = set_by_options.get(name) or set_by_options.get(name.partition(".")[0])
        if reason:
            raise ValueError(f"{where}, body.{name}: expected another parameter, because {reason}")
        for part in reversed(name.split(".")):
            value = {part: value}
        parameters = merged(parameters, value)
    return parameters


def make_model(name: str, options: JsonMapping, where: str) -> ApiModel:
    """Return the model of a bidder's name.

    Raises:
        ValueError: if `ApiModel.check` raises it.
    """
    url = options["base_url"].rstrip("/")
    fields = {field.name for field in dataclasses.fields(ApiModel)} & set(options)
    key_env = options["key_env"] or ("OPENAI_API_KEY" if url == OPENAI else None)
    given = {key: options[key] for key in fields} | {
        "key_env": key_env,
        "body": json.dumps(further_parameters(options["body"], where, options["reply"]), sort_keys=True),
        "headers": tuple(options["header"].items()),
    }
    model = ApiModel(name, url, **given)
    model.check(where)
    return model
