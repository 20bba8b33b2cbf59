"""A loopback server that fails as tests specify, from HTTP errors to incomplete and malformed responses."""

from __future__ import annotations

import asyncio
import hashlib
import json

from aucenv.benchmarks.timings.loopback import Loopback, bid_or_leave, chunks

STATUSES = {
    "408": "408 Request Timeout",
    "409": "409 Conflict",
    "429": "429 Too Many Requests",
    "500": "500 Internal Server Error",
    "503": "503 Service Unavailable",
    "529": "529 Overloaded",
}
BODIES = {
    "malformed": b'{"choices": [{"message": {"role": "assi',
    "html": b"<html><body>Bad gateway</body></html>",
    "wrong encoding": '{"choices": [{"message": {"content": "zwölf"}}]}'.encode("utf-16"),
    "latin-1": 'data: {"choices": [{"message": {"content": "zwölf"}}]}'.encode("latin-1"),
    "empty body": b"",
    "blank body": b"  \n",
    "null": b"null",
    "no choices": b'{"choices": []}',
    "no message": b'{"choices": [{"index": 0}]}',
    "content of numbers": b'{"choices": [{"message": {"content": 5}}]}',
    "error in 200": b'{"error": {"code": 502, "message": "upstream"}}',
    "deep": b"[" * 100_000,
}
DROPS = ("hang", "reset", "cut", "cut stream", "trickle", "trickled head")
TRANSPORT = (*STATUSES, *BODIES, *DROPS)
"""Transient errors: the client sends the same request again."""

MODEL_FAILURES = (
    "length",
    "content_filter",
    "refusal",
    "null content",
    "megabyte",
    "context",
    "filtered prompt",
    "parts",
)
"""Failures of the model, which a retry cannot fix."""

PERMANENT = {
    "400": ("400 Bad Request", {"message": "Invalid value for 'user'", "code": "invalid_value"}),
    "401": ("401 Unauthorized", {"message": "Incorrect API key provided: {key}", "code": "invalid_api_key"}),
    "401 in 200": ("200 OK", {"message": "Incorrect API key provided: {key}", "code": 401}),
    "403": ("403 Forbidden", {"message": "no access for {key}", "code": None}),
    "404": ("404 Not Found", {"message": "The model `m` does not exist", "code": "model_not_found"}),
    "307": ("307 Temporary Redirect", {"message": "not here"}),
    "insufficient_quota": ("429 Too Many Requests", {"message": "pay first", "code": "insufficient_quota"}),
}


class FailingServer(Loopback):
    """A server that fails as specified, and otherwise replies as `Loopback` does.

    Args:
        plan: the failures of the first attempts at each request, in order.
        rate: the share of further attempts that fail; the request determines which of them do, and the mode.
        modes: the modes of these failures.
        after: the value of a Retry-After header for the failures of STATUSES.
    """

    def __init__(self, *plan, rate=0.0, modes=TRANSPORT, after=None, answer=bid_or_leave, latency=0.0):
        super().__init__(answer, latency)
        self.plan = plan
        self.rate = rate
        self.modes = modes
        self.after = after
        self.tries: dict[str, int] = {}
        self.answered: list[str] = []

    async def respond(self, body, writer):
        request = json.dumps(body, sort_keys=True)
        tried = self.tries.get(request, 0)
        self.tries[request] = tried + 1
        mode = self.plan[tried] if tried < len(self.plan) else self.random_mode(request, tried)
        if mode is None:
            self.answered.append(request)
            await super().respond(body, writer)
        else:
            await self.fail(mode, body, writer)

    def random_mode(self, request, tried):
        digest = hashlib.sha256(f"{tried} {request}".encode()).digest()
        return self.modes[digest[1] % len(self.modes)] if digest[0] < 256 * self.rate else None

    async def fail(self, mode, body, writer):
        stream = body.get("stream", False)
        if mode in STATUSES:
            more = "" if self.after is None else f"Retry-After: {self.after}\r\n"
            await self.send(writer, {"error": {"message": "later"}}, False, STATUSES[mode], more)
        elif mode in BODIES:
            await self.write(writer, BODIES[mode])
        elif mode in DROPS:
            await self.drop(mode, body, writer)
        elif mode in PERMANENT:
            status, error = PERMANENT[mode]
            key = self.headers[-1].get("authorization", "").removeprefix("bearer ")
            error = error | {"message": error["message"].replace("{key}", key)}
            await self.send(writer, {"error": error}, False, status)
        elif mode in ("context", "filtered prompt"):
            code = {"context": "context_length_exceeded", "filtered prompt": "content_filter"}[mode]
            await self.send(writer, {"error": {"message": "no", "code": code}}, False, "400 Bad Request")
        else:
            changed = {
                "length": {"finish_reason": "length"},
                "content_filter": {"finish_reason": "content_filter", "content": None},
                "refusal": {"refusal": "I bid $1,000!", "content": None},
                "null content": {"content": None},
                "megabyte": {"content": "I bid $1,000! " * 75_000},
                "parts": {"content": [{"type": "text", "text": "I'm "}, {"type": "text", "text": "out!"}]},
            }[mode]
            await self.send(writer, self.completion(body, **changed), stream and mode != "parts")

    async def drop(self, mode, body, writer):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
        if mode == "hang":
            await asyncio.sleep(60)
        elif mode == "reset":
            writer.transport.abort()
        elif mode == "cut":
            writer.write(head + b'{"choices": [')
            await writer.drain()
            writer.close()
        elif mode == "cut stream":  # a complete body with an incomplete reply
            part = b"".join(f"data: {json.dumps(c)}\n\n".encode() for c in chunks(self.completion(body))[:2])
            await self.write(writer, part, kind="text/event-stream")
        elif mode == "trickled head":
            writer.write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(400):
                writer.write(b"X-More: 1\r\n")
                await writer.drain()
                await asyncio.sleep(0.02)
        elif mode == "trickle":
            writer.write(head)
            for _ in range(4900):
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
