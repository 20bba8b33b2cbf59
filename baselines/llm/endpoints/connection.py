"""HTTP connections to endpoints, and the openai package on top of them.

Responses are limited in size and time, redirects are not followed, and cookies are not kept, because an endpoint may be
broken or hostile.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import logging
import os
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from aucenv.baselines.llm.endpoints.errors import Redirected, TransportFailure

from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonMapping
from aucenv.runs.model_calls.token_prices import OPENAI

OLDEST, NEXT = (2, 54), (4, 0)
"""The versions of openai that work: from the first one with httpx2, as in the extra llm, to before the second one."""
if not OLDEST <= tuple(map(int, openai.__version__.split(".")[:2])) < NEXT:
    raise missing_extra(f"llm:openai (openai {openai.__version__}, expected openai>=2.54,<4)", "llm")

MAX_BODY_BYTES = 8_000_000
"""The maximum number of bytes of a body after decompression; no reply needs a tenth of it."""
MAX_ERROR_BYTES = 64_000
"""The number of bytes that are read of the body of an error."""
MAX_HELD_BYTES = 32_000_000
"""The maximum number of bytes of all bodies that are being read at the same time."""
MAX_ENCODINGS = 2
"""The maximum number of nested compressions of a body."""
OF_TRANSFER = (b"content-encoding", b"content-length", b"set-cookie", b"transfer-encoding")
"""The headers of a response that are not kept, because its body is whole and without compression."""
ACCOUNT_HEADERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers that the openai package sends -> the environment variables from which it takes their values."""
NO_KEY = "none"
"""The key for endpoints that need none; without a key, client libraries look for one themselves."""

Headers = tuple[tuple[str, str], ...]
"""Pairs of a header's name and its value."""


@functools.cache
def _tls_context() -> ssl.SSLContext:
    """Return the context of all connections, because reading the certificates takes as long as a short call."""
    return httpx2.create_ssl_context()


class BoundedClient(httpx2.AsyncClient):
    """HTTP connections whose responses are whole and of limited size.

    Args:
        in_flight: the maximum number of idle connections that are kept open.
    """

    def __init__(self, in_flight: int) -> None:
        for name in ("httpx2", "httpcore2", "openai"):  # they log headers and texts of endpoints as they are
            logging.getLogger(name).setLevel(logging.WARNING)
        super().__init__(
            headers={"Accept-Encoding": "gzip"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            verify=_tls_context(),
            timeout=None,  # the caller limits the whole call
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=in_flight),
        )

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request, and return its whole response.

        Raises:
            TransportFailure: if the response is too large or malformed.
            Redirected: if the endpoint redirects the request.
            httpx2.HTTPError: if there is no whole response.
        """
        response = await super().send(request, stream=True, follow_redirects=False)
        try:
            if 300 <= response.status_code < 400:
                raise Redirected(response.status_code, _origin(response.headers.get("location", "")))
            body = await _read(response)
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in OF_TRANSFER]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)


@dataclasses.dataclass(frozen=True)
class Address:
    """Where requests are sent, and with which headers.

    Attributes:
        url: the endpoint's URL.
        key: the API key; None: the endpoint needs none.
        headers: further headers of every request.
        in_flight: the maximum number of idle connections that are kept open.
        azure: the deployment, and the version of Azure's API by deployments; None: the endpoint has another API.
    """

    url: str
    key: str | None = dataclasses.field(repr=False)
    headers: Headers = dataclasses.field(repr=False)
    in_flight: int
    azure: tuple[str, str] | None = None

    def sent_headers(self) -> dict[str, Any]:
        """Return the headers of a request that differ from those of the openai package.

        Of the package's environment variables, those of ACCOUNT_HEADERS count, and these only at OpenAI's endpoint.
        """
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        unwanted = [line.partition(":")[0].strip() for line in lines]
        unwanted += [] if self.url == OPENAI else list(ACCOUNT_HEADERS)
        unwanted += [] if self.key else ["Authorization", "api-key"]
        return {**dict.fromkeys(unwanted, openai.Omit()), **dict(self.headers)}

    def openai_client(self) -> openai.AsyncOpenAI:
        """Return the openai package's client, on bounded connections, which sends each request once."""
        settings: Any = {
            "api_key": self.key or NO_KEY,
            "http_client": BoundedClient(self.in_flight),
            "timeout": None,
            "max_retries": 0,
        }
        if self.azure is None:
            return openai.AsyncOpenAI(base_url=self.url, **settings)
        deployment, version = self.azure
        return openai.AsyncAzureOpenAI(
            azure_endpoint=self.url, azure_deployment=deployment, api_version=version, **settings
        )


class Connections:
    """The connections of this process, and the thread that sends the requests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._clients: dict[Address, openai.AsyncOpenAI] = {}
        self._bounded: dict[int, BoundedClient] = {}

    def post(self, address: Address, path: str, body: JsonMapping, timeout: float) -> httpx2.Response:
        """Send a request with the openai package's client, and return its response; see `wait`.

        The package's own methods for the paths check each message, which takes longer than the rest of a call.
        """
        with self._lock:
            if address not in self._clients:
                self._clients[address] = address.openai_client()
            client = self._clients[address]
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        options: Any = {"headers": address.sent_headers()}
        return self.wait(client.post(path, content=content, options=options, cast_to=httpx2.Response), timeout)

    def bounded(self, in_flight: int) -> BoundedClient:
        """Return the client for requests of another package, which keeps this number of idle connections open."""
        with self._lock:
            if in_flight not in self._bounded:
                self._bounded[in_flight] = BoundedClient(in_flight)
            return self._bounded[in_flight]

    def wait(self, sending: Coroutine[Any, Any, httpx2.Response], timeout: float) -> httpx2.Response:
        """Return the response of a request, of any status.

        Args:
            sending: sends the request, with one of the clients.
            timeout: seconds for the whole call, until the last byte of the response.

        Raises:
            TransportFailure: if there is no complete response of an acceptable size in time.
            Redirected: if the endpoint redirects the request.
        """
        try:
            return self._run(asyncio.wait_for(sending, timeout))
        except openai.APIStatusError as error:
            return error.response
        except (TimeoutError, httpx2.TimeoutException, openai.APITimeoutError):
            raise TransportFailure("timeout") from None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, openai.APIConnectionError) as error:
            if isinstance(error.__cause__, (TransportFailure, Redirected)):  # older versions of openai wrap all errors
                raise error.__cause__ from None
            raise TransportFailure("connection", detail=_connection_error(error)) from None

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            closing = [client.close() for client in self._clients.values()]
            closing += [client.aclose() for client in self._bounded.values()]
            self._clients.clear()
            self._bounded.clear()
        for work in closing:
            self._run(work)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


CONNECTIONS = Connections()


class _Held:
    """The number of bytes of all bodies that are being read."""

    total = 0


async def _read(response: httpx2.Response) -> bytes:
    """Return the body; of the body of an error, its beginning."""
    most = MAX_ERROR_BYTES if response.is_error else MAX_BODY_BYTES
    content = bytearray()
    try:
        async for part in _decoded(response, most):
            room = most - len(content)
            if response.is_error and len(part) >= room:
                return bytes(content + part[:room])
            if len(part) > room or _Held.total + len(part) > MAX_HELD_BYTES:
                raise TransportFailure("too large")
            content += part
            _Held.total += len(part)
    finally:
        _Held.total -= len(content)
    return bytes(content)


async def _decoded(response: httpx2.Response, most: int) -> AsyncIterator[bytes]:
    """Yield the body without compression, in parts of at most about `most` bytes."""
    header = response.headers.get("content-encoding", "").lower()
    names = [name.strip() for name in header.split(",") if name.strip() not in ("", "identity")]
    if len(names) > MAX_ENCODINGS or not {"gzip", "x-gzip", "deflate"}.issuperset(names):
        raise TransportFailure("unknown encoding")
    decoders = [_Decompressor(most) for _ in names]
    async for raw in response.aiter_raw():
        parts = iter([raw])
        for decoder in decoders:
            parts = decoder.decompress(parts)
        for part in parts:
            yield part


class _Decompressor:
    """Decompression of gzip or zlib data in parts of limited size.

    Args:
        most: the maximum number of bytes of a part.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._zlib = zlib.decompressobj(wbits=47)  # 47: gzip or zlib

    def decompress(self, compressed: Iterator[bytes]) -> Iterator[bytes]:
        for data in compressed:
            rest = data
            while rest:
                try:
                    part = self._zlib.decompress(rest, self._most + 1)
                except zlib.error:
                    raise TransportFailure("malformed") from None
                if part:
                    yield part
                rest = self._zlib.unconsumed_tail
                if self._zlib.eof:
                    rest = self._zlib.unused_data
                    self._zlib = zlib.decompressobj(wbits=47)


def _origin(location: str) -> str:
    """Return the scheme and host of a redirect's target; the whole target if it is relative or invalid."""
    try:
        url = urlsplit(location)
    except ValueError:
        return location
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}" if url.netloc else location


def _connection_error(error: BaseException) -> str:
    """Return why a connection failed, as far as it is known."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "its host name cannot be resolved"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing accepts connections there"
        if isinstance(cause, ssl.SSLError):
            return "TLS failed: is it an http:// address, or is its certificate invalid?"
        if isinstance(cause, (ConnectionResetError, httpx2.RemoteProtocolError, httpx2.ReadError)):
            return "the endpoint closed it without a whole answer"
        cause = cause.__cause__ or cause.__context__
    return ""


def retry_after(headers: Mapping[str, str]) -> float | None:
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
