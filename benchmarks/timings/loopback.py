"""An OpenAI-compatible server on the loopback interface with deterministic replies, for benchmarks and tests.

`python -m aucenv.benchmarks.timings.loopback --latency 1` prints its URL and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Annotated, Any

import typer

from aucenv.core.files import JsonObject

Answer = Callable[[JsonObject], str]
"""A function from a request's body to the text of the reply."""


PARTS = ("refusal", "tool_calls", "function_call")
"""The parts of a message besides its content."""


def bid_or_leave(body: JsonObject) -> str:
    """Return the least bid that the last message states, or a withdrawal; a hash of the request decides which."""
    first_byte = hashlib.sha256(json.dumps(body["messages"]).encode()).digest()[0]
    least = re.findall(r"Least bid: (\$[0-9,]+)", str(body["messages"][-1]["content"]))
    return f"I bid {least[-1]}!" if least and first_byte < 200 else "I'm out!"


class Loopback:
    """A server in a thread, which `with Loopback() as server:` starts and stops, or the methods `start` and `stop`.

    Args:
        answer: returns the reply to a request.
        latency: seconds until each reply.
        port: 0 = any free port.

    Attributes:
        url: the base URL, once the server runs.
        requests: the bodies of all requests, in order.
        headers: the headers of all requests, in lower case.
        paths: the paths of all requests.
        most_at_once: the highest number of requests in progress at the same time.
    """

    def __init__(self, answer: Answer = bid_or_leave, latency: float = 0.0, port: int = 0) -> None:
        self._port = port
        self._answer = answer
        self._latency = latency
        self.requests: list[JsonObject] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._tasks: set[asyncio.Task] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Loopback:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Loopback:
        """Start the server, and return it."""
        self._thread.start()
        started = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", self._port), self._loop
        )
        self._server = started.result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    def stop(self) -> None:
        """Stop the server; it cannot start again."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
                body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
                self.requests.append(body)
                self.headers.append(headers)
                self.paths.append(head[0].split(" ")[1])
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    await self.hold(body)
                    await self.respond(body, writer)
                finally:
                    self._at_once -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # the client has disconnected, or the server is closing
        finally:
            self._tasks.discard(task)
            writer.close()

    async def hold(self, body: JsonObject) -> None:
        """Wait for the latency before a request is answered."""
        await asyncio.sleep(self._latency)

    async def respond(self, body: JsonObject, writer: asyncio.StreamWriter) -> None:
        """Answer one request; an error of the function of replies is one of the request, which is not tried again."""
        try:
            data = self.completion(body)
        except Exception as error:
            traceback.print_exc()
            message = f"the function of replies failed: {type(error).__name__}: {error}"
            await self.send(writer, {"error": {"message": message}}, False, "400 Bad Request")
            return
        await self.send(writer, data, body.get("stream", False))

    def completion(self, body: JsonObject, **changed: Any) -> JsonObject:
        """Return the body of a successful response.

        Args:
            changed: replacements for the message's `content`, `refusal`, `tool_calls` or `function_call`, or for the
                choice's `finish_reason`.
        """
        words = self._answer(body)
        message = {"role": "assistant", "content": words} | {
            name: changed.pop(name) for name in (*PARTS, "content") if name in changed
        }
        usage = {"prompt_tokens": len(json.dumps(body["messages"])) // 4, "completion_tokens": len(words) // 4 + 1}
        choice = {"index": 0, "message": message, "finish_reason": "stop"} | changed
        return {"id": "1", "object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}

    async def send(
        self, writer: asyncio.StreamWriter, data: JsonObject, stream: bool, status: str = "200 OK", more: str = ""
    ) -> None:
        """Send JSON, or a completion as a stream of chunks."""
        if stream and "choices" in data:
            text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(data)) + "data: [DONE]\n\n"
            await self.write(writer, text.encode(), status, more, "text/event-stream")
        else:
            await self.write(writer, json.dumps(data).encode(), status, more)

    async def write(
        self,
        writer: asyncio.StreamWriter,
        body: bytes,
        status: str = "200 OK",
        more: str = "",
        kind: str = "application/json",
    ) -> None:
        """Send a raw HTTP response."""
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{more}Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()


def chunks(data: JsonObject) -> list[JsonObject]:
    """Split a completion into the chunks of a stream."""
    choice = data["choices"][0]
    message = choice["message"]
    words = message["content"] or ""
    size = max(5, len(words) // 1000)
    deltas = [{"role": "assistant"}, *({"content": words[i : i + size]} for i in range(0, len(words), size))]
    deltas += [{name: message[name]} for name in PARTS if message.get(name)]
    frame = {"id": data["id"], "object": "chat.completion.chunk", "model": data["model"]}
    sent = [{**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    sent.append({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    return [*sent, {**frame, "choices": [], "usage": data["usage"]}]


def main(latency: Annotated[float, typer.Option(help="Seconds until each reply.")] = 0.0) -> None:
    """Serve until standard input ends."""
    with Loopback(latency=latency) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    typer.run(main)
