"""Models behind an endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import dataclasses
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from aucenv.baselines.llm.answers import TransportFailure, of_body, raise_for_status

from aucenv.calls import Completion, Request
from aucenv.policy import ModelFailure
from aucenv.prices import OPENAI

LARGEST = 8_000_000
"""Bytes of a body; beyond it nothing is read: no reply needs a tenth of it."""
LONGEST_PAUSE = 60.0
"""Seconds; the pauses between attempts double until here."""
NO_KEY = "none"


class Deadline(httpx2.BaseTransport):
    """Ends a response that takes too long or grows too large, however slowly it trickles in.

    Args:
        seconds: from the request to the last byte.
    """

    def __init__(self, inner: httpx2.BaseTransport, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, whose body comes in time or not at all."""
        until = time.monotonic() + self._seconds
        response = self._inner.handle_request(request)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _InTime(response.stream, until)
        return response

    def close(self) -> None:
        self._inner.close()


class _InTime(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, until: float) -> None:
        self._inner = inner
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST:
                raise httpx2.ReadError(f"more than {LARGEST} bytes")
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the deadline has passed")
            yield chunk

    def close(self) -> None:
        self._inner.close()


class Endpoint:
    """One URL: the connections to it, and how many calls may be under way at once.

    Args:
        key: what it wants to see; None: nothing.
        timeout: seconds for a call, until its last byte.
        in_flight: calls at once.
    """

    def __init__(self, url: str, key: str | None, timeout: float, in_flight: int) -> None:
        self.url = url
        self._key = key
        self.slots = threading.BoundedSemaphore(in_flight)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=in_flight)
        transport = Deadline(httpx2.HTTPTransport(limits=limits), timeout)
        own = httpx2.Client(transport=transport, timeout=httpx2.Timeout(timeout, connect=min(timeout, 20)))
        self._openai = openai.OpenAI(
            base_url=url, api_key=key or NO_KEY, max_retries=0, timeout=timeout, http_client=own
        )

    def ask(self, body: dict[str, Any]) -> Completion:
        """Send a request once.

        Raises:
            TransportFailure: nothing that a model said came back.
            ModelFailure: the endpoint will not answer this, ever.
        """
        try:
            answer = self._openai.chat.completions.with_raw_response.create(**body)
            streamed = bool(body.get("stream"))
            completion = of_body(answer.http_response.read(), streamed)
        except openai.APIStatusError as error:
            about = error.body if isinstance(error.body, dict) else {"message": error.body}
            completion = raise_for_status(error.status_code, about, _retry_after(error.response.headers))
        except (openai.APITimeoutError, httpx2.TimeoutException):
            raise TransportFailure("timeout") from None
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL):
            raise TransportFailure("connection") from None
        return dataclasses.replace(completion, text=self.without_key(completion.text))

    def close(self) -> None:
        self._openai.close()

    def without_key(self, text: str) -> str:
        """The text without the key, should the endpoint have repeated it."""
        return text.replace(self._key, "***") if self._key else text


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds that the endpoint asks to be left alone."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        wanted = headers.get("retry-after", "")
        if re.fullmatch(r"[0-9.]+", wanted):
            return float(wanted)
        return max(0.0, parsedate_to_datetime(wanted).timestamp() - time.time()) if wanted else None
    except (ValueError, TypeError, OverflowError):
        return None


@dataclasses.dataclass(frozen=True)
class ApiModel:
    """A model behind an endpoint.

    Attributes:
        endpoint: its URL.
        key_env: the environment variable that holds the key; None: the endpoint wants none.
        timeout: seconds for an attempt.
        attempts: after so many without an answer the model counts as out of reach.
        backoff: seconds, about, before the second attempt; each further pause is twice as long, up to LONGEST_PAUSE.
        in_flight: calls at once, for all bidders of this endpoint that name the same.
        stream: ask for the reply piece by piece.
    """

    name: str
    endpoint: str = OPENAI
    key_env: str | None = None
    timeout: float = 180.0
    attempts: int = 15
    backoff: float = 1.0
    in_flight: int = 256
    stream: bool = False

    def check(self, where: str) -> None:
        """Nothing, if it may be asked.

        Raises:
            ValueError: no URL, or the key is missing.
        """
        url = urlsplit(self.endpoint)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"{where}, base_url: expected http://... or https://..., got {self.endpoint!r}")
        if url.username or url.password or url.query:
            raise ValueError(f"{where}, base_url: expected no password or query in it; name a variable by key_env")
        read_key(self.key_env, where)

    def complete(self, request: Request, pause: Callable[[float], None]) -> Completion:
        """Its reply; attempts that fail on the way are made again."""
        endpoint = ENDPOINTS.get(self.endpoint, self._key(), self.timeout, self.in_flight)
        body = self._body(request)
        started = time.monotonic()
        retries: list[str] = []
        while True:
            with endpoint.slots:
                pause(0)
                asked = time.monotonic()
                try:
                    completion = endpoint.ask(body)
                    break
                except TransportFailure as failure:
                    retries.append(failure.kind)
                    after = failure.after
                except ModelFailure as failure:
                    raise ModelFailure(f"{self.endpoint}: {endpoint.without_key(str(failure))}") from None
            if len(retries) >= self.attempts:
                raise ModelFailure(f"{self.endpoint}: no answer to {len(retries)} attempts; the last: {retries[-1]}")
            wait = min(LONGEST_PAUSE, self.backoff * 2 ** (len(retries) - 1)) * random.uniform(0.5, 1)
            pause(wait if after is None else max(wait, after))
        seconds, waited = time.monotonic() - asked, asked - started
        return dataclasses.replace(completion, seconds=seconds, waited=waited, retries=tuple(retries))

    def _key(self) -> str | None:
        try:
            return read_key(self.key_env, self.endpoint)
        except ValueError as error:
            raise ModelFailure(str(error)) from None

    def _body(self, request: Request) -> dict[str, Any]:
        limit = "max_completion_tokens" if self.endpoint == OPENAI else "max_tokens"
        body: dict[str, Any] = {"model": self.name, "messages": list(request.messages), limit: request.max_tokens}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.seed is not None:
            body["seed"] = request.seed
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body


def read_key(variable: str | None, where: str) -> str | None:
    """The key in an environment variable; None where there is no variable.

    Raises:
        ValueError: there is none in it; names the variable.
    """
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"{where}: expected a key in the environment variable {variable}, which is not set")
    if not re.fullmatch("[!-~]+", key):
        raise ValueError(f"{where}: expected a key of printable ASCII in the environment variable {variable}")
    return key


class Endpoints:
    """All endpoints of this process, each with its connections and its limit."""

    def __init__(self) -> None:
        self._open: dict[tuple, Endpoint] = {}
        self._lock = threading.Lock()

    def get(self, *asked: Any) -> Endpoint:
        """The endpoint of these arguments; the same for the same."""
        with self._lock:
            if asked not in self._open:
                self._open[asked] = Endpoint(*asked)
            return self._open[asked]

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for endpoint in self._open.values():
                endpoint.close()
            self._open.clear()


ENDPOINTS = Endpoints()


def make_model(name: str, options: Mapping[str, Any], where: str) -> ApiModel:
    """The model of a bidder's name.

    Raises:
        ValueError: as `ApiModel.check`.
    """
    own = {part.name for part in dataclasses.fields(ApiModel)} & set(options)
    key_env = options["key_env"] or ("OPENAI_API_KEY" if options["base_url"] == OPENAI else None)
    chosen = {key: options[key] for key in own} | {"key_env": key_env}
    model = ApiModel(name, options["base_url"].rstrip("/"), **chosen)
    model.check(where)
    return model
