"""Models behind an endpoint with OpenAI's Chat Completions API or its Responses API."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import re
import threading
from typing import Any
from urllib.parse import urlsplit

import httpx2
from aucenv.baselines.llm.endpoints import chat_api, responses_api
from aucenv.baselines.llm.endpoints.attempts import MAX_FIELD, Patience, call, cleaned
from aucenv.baselines.llm.endpoints.connection import ACCOUNT_HEADERS, CONNECTIONS, Address, Headers, retry_after
from aucenv.baselines.llm.endpoints.errors import (
    CHOICE,
    TOOLS,
    ErrorInBody,
    Redirected,
    names_of,
    outcome_of,
    read_error,
)

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import ModelFailure
from aucenv.core.words.outside_text import Secrets, shorten
from aucenv.runs.model_calls.calls import Completion, Pause, Request
from aucenv.runs.model_calls.token_prices import OPENAI
from aucenv.runs.slots import IN_FLIGHT

LARGE_BODY = 250_000
"""The number of bytes above which bodies are parsed one at a time, to limit the memory that parsing takes."""
PARSING = threading.Lock()
REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id")


@functools.lru_cache(maxsize=256)
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


def with_request_id(completion: Completion, response: httpx2.Response, secrets: Secrets) -> Completion:
    """Return a completion with the number of the request in the headers of its response, if it is there."""
    names = [name for name in REQUEST_ID_HEADERS if name in response.headers]
    if not names:
        return completion
    return dataclasses.replace(completion, request_id=shorten(secrets.mask(response.headers[names[0]]), MAX_FIELD))


def check_status(response: httpx2.Response) -> None:
    """Raise ErrorInBody unless the status of a response is 200."""
    if response.status_code != 200:
        raise ErrorInBody(read_error(response.status_code, json_or_text(response.content)))


def roles_of(body: JsonMapping) -> set[str]:
    """Return the roles of the messages in the body of a request."""
    return {message["role"] for message in body.get("messages") or body.get("input") or ()}


def json_or_text(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


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
        api_version: the version of Azure's API, for an endpoint in which the model is a deployment; None: another API.
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
    api_version: str | None = None
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
        if self.api_version is not None and self.endpoint == OPENAI:
            raise ValueError(f"{where}, api_version: expected base_url=https://..., the address of a resource of Azure")
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
        api = self.api if self.api != "chat" else ""
        special = [api, self.api_version or "", self.reasoning_effort or "", self.body.strip("{}")]
        return " ".join([self.endpoint, self.name, *filter(None, special)])

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply; see `attempts.call`."""
        try:
            key, headers = read_key(self.key_env, self.endpoint), self._header_values(self.endpoint)
        except ValueError as error:
            raise ModelFailure(str(error)) from None
        azure = None if self.api_version is None else (self.name, self.api_version)
        address = Address(self.endpoint, key, headers, self.in_flight, azure)
        secrets = secrets_of(key, headers)
        return call(
            self.name,
            self.endpoint,
            lambda body: self._ask(body, address, secrets),
            lambda left_out: self._body(request, left_out),
            Patience(self.attempts, self.backoff),
            IN_FLIGHT.of(self.endpoint, self.in_flight),
            pause,
        )

    def _ask(self, body: JsonObject, address: Address, secrets: Secrets) -> Completion:
        """Send a request once; see `attempts.Ask`."""
        api: Any = responses_api if self.api == "responses" else chat_api
        try:
            response = CONNECTIONS.post(address, api.PATH, body, self.timeout)
            check_status(response)
            with PARSING if len(response.content) > LARGE_BODY else contextlib.nullcontext():
                completion = cleaned(api.parse(response.content), secrets)
            return with_request_id(completion, response, secrets)
        except Redirected as redirected:
            raise redirect_failure(redirected, secrets) from None
        except ErrorInBody as failure:
            error = failure.error
        return outcome_of(error.masked(secrets), retry_after(response.headers), names_of(body), roles_of(body))

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


HEADER_VARIABLE = "env:"
"""The beginning of a header's value that names an environment variable."""
HEADER_VALUE = "[!-~]+(?: +[!-~]+)*"
"""Pattern of the values of headers."""


def read_key(variable: str | None, where: str) -> str | None:
    """Return the key in an environment variable; None if `variable` is None.

    Raises:
        ValueError: if the variable holds no valid key; the message names the variable.
    """
    return None if variable is None else _variable(variable, where, "key_env", "a key", "[!-~]+")


def _variable(name: str, where: str, option: str, kind: str, pattern: str) -> str:
    """Return the secret in an environment variable."""
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{where}, {option}: expected the name of an environment variable, got something else")
    value = os.environ.get(name, "").strip()
    if not value:
        raise ValueError(f"{where}: expected {kind} in the environment variable {name}, which is not set")
    if not re.fullmatch(pattern, value):
        raise ValueError(f"{where}: expected {kind} of printable ASCII in the environment variable {name}")
    return value


def header_value(name: str, text: str, where: str) -> str:
    """Return the value of a header.

    Args:
        name: the header's name.
        text: the value, or `env:VARIABLE` for the value of an environment variable.
        where: the bidder or the endpoint, for errors.

    Raises:
        ValueError: if the value is not printable ASCII, or the variable is not set; the message does not contain the
            value.
    """
    option = f"header.{name}"
    if text.startswith(HEADER_VARIABLE):
        return _variable(text.removeprefix(HEADER_VARIABLE), where, option, f"the header {name}", HEADER_VALUE)
    if not re.fullmatch(HEADER_VALUE, text):
        raise ValueError(f"{where}, {option}: expected a value of printable ASCII, or env:VARIABLE, got something else")
    return text
