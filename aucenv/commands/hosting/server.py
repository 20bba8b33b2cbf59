"""The web server of `aucenv host`: one page, and one socket for each client."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import re
import socket
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from aucenv.baselines.human.inbox import Answer, Late, inbox_of
from aucenv.commands.hosting.links import Guard, Links
from aucenv.commands.hosting.ratings import Ratings
from aucenv.commands.hosting.room import HOST, OBSERVER, SEAT, Room
from aucenv.core.checks import MissingExtra, excerpt
from aucenv.core.files import JsonObject, parse_object

LARGEST_FRAME = 64 * 1024
"""The maximum number of bytes of a message of a client."""
PING = 20.0
"""Seconds after which a socket whose other end does not answer is closed."""
MOST_ERRORS = 20
"""The number of messages with errors after which a socket is closed."""
HELLO_TIME = 10.0
"""Seconds in which a client has to send its token."""
WRONG_TOKEN, BUSY, FOREIGN, TOO_MANY_ERRORS = 4001, 4002, 4003, 4004
"""Codes with which the server closes a socket."""
_AUTHORITY = re.compile(r"[A-Za-z0-9._\-:\[\]]{1,255}")
_LOG = logging.getLogger(__name__)


class LiveServer:
    """The server of a room.

    Args:
        room: the tables.
        links: the tokens.
        page: the page, in HTML.
        policy: the page's Content-Security-Policy, in which {socket} is the address of the socket.
        ratings: keeps people's ratings of their play; None: they are not asked for.
        origins: further origins of pages that may connect, such as that of a proxy; see `origin_of`.
    """

    def __init__(
        self, room: Room, links: Links, page: str, policy: str, ratings: Ratings | None, origins: Collection[str] = ()
    ) -> None:
        self.room = room
        self._links = links
        self._page = page
        self._policy = policy
        self._ratings = ratings
        self._origins = origins
        self._guard = Guard()
        self._clients: dict[str, set[asyncio.Event]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: uvicorn.Server | None = None
        self.app = Starlette(
            routes=[
                Route("/", self._serve_page),
                Route("/favicon.ico", lambda request: Response(status_code=204)),
                WebSocketRoute("/table", self._serve_socket),
            ]
        )

    def changed(self, link: str) -> None:
        """Let the clients of a link send their frames; called in any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, link)

    def _wake(self, link: str) -> None:
        for event in self._clients.get(link, ()):
            event.set()

    async def serve(self, listening: socket.socket, tls: Mapping[str, str | None]) -> None:
        """Serve until the process is interrupted.

        Args:
            listening: a bound socket.
            tls: `ssl_certfile` and `ssl_keyfile`; None: no TLS.
        """
        self._loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            self.app,
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=LARGEST_FRAME,
            ws_ping_interval=PING,
            ws_ping_timeout=PING,
            timeout_graceful_shutdown=2,
            server_header=False,
            **tls,  # type: ignore[arg-type]
        )
        self._server = uvicorn.Server(config)
        await self._server.serve(sockets=[listening])

    def stop(self) -> None:
        """End `serve`."""
        if self._server is not None:
            self._server.should_exit = True

    async def _serve_page(self, request: Request) -> Response:
        authority = request.headers.get("host", "")
        if not _AUTHORITY.fullmatch(authority):
            return PlainTextResponse("expected a Host header with a name or an address", status_code=400)
        scheme = "wss" if request.url.scheme == "https" else "ws"
        sockets = [f"{scheme}://{authority}", *(origin.replace("http", "ws", 1) for origin in self._origins)]
        headers = {
            "Content-Security-Policy": self._policy.format(socket=" ".join(sockets)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
        return HTMLResponse(self._page, headers=headers)

    def _is_foreign(self, socket_: WebSocket) -> bool:
        """Return whether a page of another site tries to connect. Programs that are no browsers send no Origin."""
        origin = socket_.headers.get("origin")
        if origin is None or origin in self._origins:
            return False
        try:
            parts = urlsplit(origin)
        except ValueError:
            return True
        if parts.netloc != socket_.headers.get("host"):
            return True
        name = parts.hostname or ""
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(name)
            return False  # a name could be another site's that points to this address
        return name not in ("localhost", socket.gethostname().lower())

    async def _serve_socket(self, socket_: WebSocket) -> None:
        await socket_.accept()
        if self._is_foreign(socket_):
            await socket_.close(FOREIGN, "a page of another site cannot connect")
            return
        link = await self._link_of(socket_)
        if link is None:
            return
        event = asyncio.Event()
        event.set()
        self._clients.setdefault(link, set()).add(event)
        self.room.connect(link)
        tasks = [asyncio.create_task(work) for work in (self._send(socket_, link, event), self._receive(socket_, link))]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        except WebSocketDisconnect:
            pass
        finally:
            for task in tasks:
                task.cancel()
            self._clients[link].discard(event)
            self.room.disconnect(link)

    async def _link_of(self, socket_: WebSocket) -> str | None:
        """Return whose token a client sends first; None if the socket was closed because of it."""
        address = socket_.client.host if socket_.client else ""
        if self._guard.is_blocked(address):
            await socket_.close(BUSY, "too many wrong tokens; try again in a second")
            return None
        try:
            text = await asyncio.wait_for(socket_.receive_text(), HELLO_TIME)
            token = parse_object(text, "message").get("token")
        except (TimeoutError, ValueError, KeyError):
            token = None
        except WebSocketDisconnect:
            return None
        owner = self._links.owner(token) if isinstance(token, str) else None
        if owner is None:
            self._guard.failed(address)
            await socket_.close(WRONG_TOKEN, "this link is not one of this run")
        return owner

    async def _send(self, socket_: WebSocket, link: str, event: asyncio.Event) -> None:
        """Send the frames of a link whenever they have changed."""
        sent: dict[str, str] = {}
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # closed
            while True:
                await event.wait()
                event.clear()
                frames = self.room.frames(link)
                if link.startswith(SEAT) and self._ratings is not None:
                    frames += self._ratings.frames(link.partition(" ")[2])
                for frame in frames:
                    text = json.dumps(frame, separators=(",", ":"))
                    if sent.get(frame["type"]) != text:
                        sent[frame["type"]] = text
                        await socket_.send_text(text)

    async def _receive(self, socket_: WebSocket, link: str) -> None:
        errors = 0
        while errors < MOST_ERRORS:
            try:
                text = await socket_.receive_text()
            except KeyError:
                text = ""  # a binary message
            try:
                reply = await self._handle(link, parse_object(text, "message"))
            except (ValueError, MissingExtra) as error:
                errors += 1
                reply = {"type": "error", "why": str(error)}
            except Exception:
                errors += 1
                _LOG.exception("a message of %s", link)
                reply = {"type": "error", "why": "the server failed; the terminal of the host says why"}
            if reply is not None:
                await socket_.send_text(json.dumps(reply))
        await socket_.close(TOO_MANY_ERRORS, "too many messages with errors")

    async def _handle(self, link: str, message: JsonObject) -> JsonObject | None:
        """Handle a message of a client, and return the reply.

        Raises:
            ValueError: the message is not one that this link may send.
        """
        kind, _, name = link.partition(" ")
        do = message.pop("do", None)
        if kind == HOST and do in ("start", "replace"):
            await asyncio.to_thread(self.room.act, {**message, "do": do})  # a bidder may compile
            return {"type": "done", "do": do}
        if kind == SEAT and do == "answer":
            return self._answer(name, message)
        if kind == SEAT and do == "ready":
            with contextlib.suppress(Late):
                inbox_of(name).start_clock(_text(message, "request"))
            return {"type": "done", "do": do}
        if kind == SEAT and do == "draft":
            inbox_of(name).keep_draft(_text(message, "request"), _text(message, "text"))
            return None
        if kind == SEAT and do == "rate" and self._ratings is not None:
            self._ratings.rate(name, message)
            return {"type": "done", "do": do}
        who = {HOST: "a host", OBSERVER: "an observer", SEAT: "a seat"}[kind]
        raise ValueError(f"do: expected what {who} can do, got {excerpt(do)}")

    def _answer(self, key: str, message: JsonObject) -> JsonObject:
        answer = Answer.of(message)
        try:
            status = inbox_of(key).answer(answer)
        except Late as error:
            return {"type": "receipt", "request": answer.request, "status": "late", "why": str(error)}
        return {"type": "receipt", "request": answer.request, "status": status}


def origin_of(text: str) -> str:
    """Return an origin in the form in which browsers send it.

    Raises:
        ValueError: it is no origin.
    """
    try:
        parts = urlsplit(text.lower())
        is_origin = parts.scheme in ("http", "https") and bool(_AUTHORITY.fullmatch(parts.netloc))
    except ValueError:
        is_origin = False
    if not is_origin or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(f"--origin: expected an address such as https://auctions.example, got {text!r:.100}")
    return f"{parts.scheme}://{parts.netloc}"


def _text(message: JsonObject, name: str) -> str:
    value: Any = message.get(name)
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a text, got {excerpt(value)}")
    return value


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address, IPv4 or IPv6.

    Raises:
        OSError: the address is unknown, or the port is in use; the message says what to do.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise OSError(f"--host: expected an address of this machine, such as 127.0.0.1 or ::1, got {host!r}") from error
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)  # the links are printed before the server accepts
    except OSError as error:
        listening.close()
        raise OSError(
            f"--port: cannot listen at {host}, port {port}: {error.strerror}; --port 0 takes a free port"
        ) from error
    return listening
