"""HTTP connections to an endpoint.

Responses are limited in size and time, redirects are not followed, and cookies are not kept, because an endpoint may be
broken or hostile.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import re
import socket
import ssl
import threading
import time
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import urlsplit

import httpx2
from aucenv.baselines.llm.endpoint_errors import Redirected, TransportFailure

import aucenv
from aucenv.core.files import JsonMapping

MAX_BODY_BYTES = 8_000_000
"""The maximum number of bytes of a body after decompression; no reply needs a tenth of it."""
MAX_ERROR_BYTES = 64_000
"""The number of bytes that are read of the body of an error."""
MAX_HELD_BYTES = 32_000_000
"""The maximum number of bytes of all bodies that are being read at the same time."""
MAX_ENCODINGS = 2
"""The maximum number of nested compressions of a body."""


@dataclasses.dataclass(frozen=True)
class Response:
    """A response: its status, its headers (names in lower case) and its body, without compression."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Headers = tuple[tuple[str, str], ...]
"""Pairs of a header's name and its value."""


class Connection:
    """The connections for requests with the same headers.

    Args:
        headers: the headers.
        in_flight: the maximum number of idle connections that are kept open.
        loop: the event loop that sends the requests of all threads.
    """

    def __init__(self, headers: Headers, in_flight: int, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        for name in ("httpx2", "httpcore2"):  # they log headers and texts of endpoints as they are
            logging.getLogger(name).setLevel(logging.WARNING)
        self._client = httpx2.AsyncClient(
            headers={
                "User-Agent": f"aucenv/{aucenv.__version__}",
                "Accept": "application/json, text/event-stream",
                "Accept-Encoding": "gzip",
                "Content-Type": "application/json",
                **dict(headers),
            },
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
            timeout=None,  # the caller limits the whole call
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=in_flight),
        )

    def post(self, url: str, data: JsonMapping, timeout: float) -> Response:
        """Send a request, and return its response.

        Args:
            data: the body, as JSON.
            timeout: seconds for the whole call, until the last byte of the response.

        Raises:
            TransportFailure: if there is no complete response of an acceptable size in time.
            Redirected: if the endpoint redirects the request.
        """
        content = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
        sending = asyncio.wait_for(self._post(url, content), timeout)
        try:
            return asyncio.run_coroutine_threadsafe(sending, self._loop).result()
        except (TimeoutError, httpx2.TimeoutException):
            raise TransportFailure("timeout") from None
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL) as error:
            raise TransportFailure("connection", detail=_connection_error(error)) from None

    async def _post(self, url: str, content: bytes) -> Response:
        async with self._client.stream("POST", url, content=content) as response:
            if 300 <= response.status_code < 400:
                raise Redirected(response.status_code, _origin(response.headers.get("location", "")))
            body = await _read(response)
            return Response(response.status_code, dict(response.headers), body)

    def close(self) -> None:
        """Close the connections."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()


class Connections:
    """The connections of this process, and the thread that sends the requests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: dict[tuple[Headers, int], Connection] = {}

    def get(self, headers: Headers, in_flight: int) -> Connection:
        """Return the connections for requests with these headers."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
            if (headers, in_flight) not in self._open:
                self._open[headers, in_flight] = Connection(headers, in_flight, self._loop)
            return self._open[headers, in_flight]

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for connection in self._open.values():
                connection.close()
            self._open.clear()


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
