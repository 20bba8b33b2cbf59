"""Models served by an endpoint with OpenAI's API."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import random
import re
import threading
import time
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from aucenv.baselines.llm.form_support import REFUSALS, response_format
from aucenv.baselines.llm.openai_responses import FormRefused, TransportFailure, parse_body, raise_for_status

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import Completion, Pause, Request
from aucenv.runs.token_prices import OPENAI

MAX_BODY_BYTES = 8_000_000
"""The maximum number of bytes read of a response's body; no reply needs a tenth of it."""
MAX_PAUSE = 60.0
"""The longest pause between attempts, in seconds; pauses double until they reach it."""
MIN_KEY_LENGTH = 8
"""The least number of characters of a key that is masked in replies. A shorter key is a placeholder, not a secret."""
MAX_RETRY_AFTER = 900.0
"""The longest wait, in seconds, that an endpoint may ask for (Retry-After) without counting as unreachable."""


class Endpoint:
    """One URL, and the connections to it.

    Args:
        key: the API key; None: the endpoint needs none.
        timeout: seconds for a call, until the last byte of the response.
        in_flight: the maximum number of idle connections that are kept open.
        loop: the event loop that runs the calls of all threads.
    """

    def __init__(
        self, url: str, key: str | None, timeout: float, in_flight: int, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._key = key
        self._timeout = timeout
        self._loop = loop
        custom_headers = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        private = [
            "OpenAI-Organization",
            "OpenAI-Project",
            *(line.partition(":")[0].strip() for line in custom_headers),
        ]
        # the openai package omits headers with the value Omit, though its type annotations do not allow it
        default_headers: Any = {} if url == OPENAI else {name: openai.Omit() for name in private if name}
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=in_flight)
        self._openai = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=timeout,
            default_headers=default_headers,
            http_client=openai.DefaultAsyncHttpxClient(limits=limits),
        )

    def ask(self, body: JsonObject) -> Completion:
        """Send a request once, and return its completion.

        Raises:
            TransportFailure: if the error is transient.
            ModelFailure: if the error is permanent; FormRefused if it may concern the form of the reply.
        """
        try:
            completion = self._ask(body)
        except ModelFailure as failure:
            raise type(failure)(self._without_key(str(failure))) from None
        return dataclasses.replace(completion, text=self._without_key(completion.text))

    def _ask(self, body: JsonObject) -> Completion:
        call = asyncio.wait_for(self._read(body), self._timeout)
        try:
            return parse_body(asyncio.run_coroutine_threadsafe(call, self._loop).result())
        except openai.APIStatusError as error:
            error_body = error.body if isinstance(error.body, dict) else {"message": error.body}
            return raise_for_status(error.status_code, error_body, _retry_after(error.response.headers))
        except (asyncio.TimeoutError, TimeoutError, openai.APITimeoutError, httpx2.TimeoutException):
            raise TransportFailure("timeout") from None
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL):
            raise TransportFailure("connection") from None

    async def _read(self, body: JsonObject) -> bytes:
        content = bytearray()
        async with self._openai.chat.completions.with_streaming_response.create(**body) as response:
            async for part in response.iter_bytes():
                content += part
                if len(content) > MAX_BODY_BYTES:
                    raise TransportFailure("too large")
        return bytes(content)

    def _without_key(self, text: str) -> str:
        """Return the text with the key masked: some endpoints repeat it in errors."""
        return text.replace(self._key, "***") if self._key and len(self._key) >= MIN_KEY_LENGTH else text

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._openai.close(), self._loop).result()


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Return the seconds that the endpoint asks to wait; None if it does not say."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
            return max(0.0, seconds) if seconds == seconds else None
        value = headers.get("retry-after", "")
        if re.fullmatch(r"[0-9.]+", value):
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time()) if value else None
    except (ValueError, TypeError, OverflowError):
        return None


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
        """Raise unless the model can be called.

        Raises:
            ValueError: if the endpoint is not a URL, or the key is missing.
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

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply; transient errors are retried with exponential backoff.

        If the endpoint refuses the form of the reply, the request is repeated without it, and so are all later ones.
        """
        structured = request.reply_form is not None and not REFUSALS.known(self.endpoint, self.name)
        refused = ""
        endpoint, slots = ENDPOINTS.get(self.endpoint, self._key(), self.timeout, self.in_flight)
        body = self._body(request, structured)
        started = time.monotonic()
        retries: list[str] = []
        while True:
            with slots:
                pause(0)
                attempt_started = time.monotonic()
                try:
                    completion = endpoint.ask(body)
                    break
                except TransportFailure as failure:
                    retries.append(failure.kind)
                    after = failure.after
                except ModelFailure as failure:
                    if not (structured and isinstance(failure, FormRefused)):
                        raise ModelFailure(f"{self.endpoint}: {failure}") from None
                    structured, refused = False, str(failure)
                    body = self._body(request, structured)
                    retries.append("response_format")
                    continue
            if len(retries) >= self.attempts:
                raise ModelFailure(f"{self.endpoint}: no answer to {len(retries)} attempts; the last: {retries[-1]}")
            if after is not None and after > MAX_RETRY_AFTER:
                raise ModelFailure(f"{self.endpoint}: {retries[-1]}: it asks to wait {after:.0f} s")
            wait = min(MAX_PAUSE, self.backoff * 2 ** min(30, len(retries) - 1))
            wait *= random.SystemRandom().uniform(0.5, 1)
            reason = f"waiting for {self.endpoint}: {retries[-1]}, attempt {len(retries) + 1} of {self.attempts}"
            pause(max(wait, after or 0.0), reason)
        if refused:
            REFUSALS.add(self.endpoint, self.name, refused)
        seconds, waited = time.monotonic() - attempt_started, attempt_started - started
        return dataclasses.replace(
            completion, seconds=seconds, waited=waited, retries=tuple(retries), structured=structured
        )

    def _key(self) -> str | None:
        try:
            return read_key(self.key_env, self.endpoint)
        except ValueError as error:
            raise ModelFailure(str(error)) from None

    def _body(self, request: Request, structured: bool) -> JsonObject:
        limit = "max_completion_tokens" if self.endpoint == OPENAI else "max_tokens"
        body: JsonObject = {"model": self.name, "messages": list(request.messages), limit: request.max_tokens}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.seed is not None:
            body["seed"] = request.seed
        if structured and request.reply_form is not None:
            body["response_format"] = response_format(request.reply_form)
        if self.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body


def read_key(variable: str | None, where: str) -> str | None:
    """Return the key in an environment variable; None if `variable` is None.

    Raises:
        ValueError: if the variable holds no valid key; the message names the variable.
    """
    if variable is None:
        return None
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", variable):
        raise ValueError(f"{where}, key_env: expected the name of an environment variable, got something else")
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"{where}: expected a key in the environment variable {variable}, which is not set")
    if not re.fullmatch("[!-~]+", key):
        raise ValueError(f"{where}: expected a key of printable ASCII in the environment variable {variable}")
    return key


Slots = threading.BoundedSemaphore


class Endpoints:
    """The endpoints that this process uses, with the limit of each, and the thread that runs their calls."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: dict[tuple, Endpoint] = {}
        self._slots: dict[tuple, Slots] = {}

    def get(self, url: str, key: str | None, timeout: float, in_flight: int) -> tuple[Endpoint, Slots]:
        """Return an endpoint, and the semaphore that all calls to this URL with this limit share."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
            arguments = (url, key, timeout, in_flight)
            if arguments not in self._open:
                self._open[arguments] = Endpoint(*arguments, self._loop)
            return self._open[arguments], self._slots.setdefault((url, in_flight), Slots(in_flight))

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for endpoint in self._open.values():
                endpoint.close()
            self._open.clear()


ENDPOINTS = Endpoints()


def make_model(name: str, options: JsonMapping, where: str) -> ApiModel:
    """Return the model of a bidder's name.

    Raises:
        ValueError: if `ApiModel.check` raises it.
    """
    url = options["base_url"].rstrip("/")
    fields = {field.name for field in dataclasses.fields(ApiModel)} & set(options)
    key_env = options["key_env"] or ("OPENAI_API_KEY" if url == OPENAI else None)
    model = ApiModel(name, url, **{key: options[key] for key in fields} | {"key_env": key_env})
    model.check(where)
    return model
