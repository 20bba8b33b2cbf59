"""A server that attacks its clients: the model's name in a request says how, and any other name gets an honest reply."""

from __future__ import annotations

import asyncio
import functools
import gzip
import json
import re
import threading
import zlib

from aucenv.benchmarks.timings.loopback import Loopback
from dialect_servers import status_line

GIGABYTE = 1 << 30
CRC_OF_ZEROS = {GIGABYTE: 0x5B64C2B0, 4 * GIGABYTE: 0xD202EF8D}
"""The checksums of that many zeros, because their computation takes seconds."""
STATUSES = (200, 400, 500, 307)
REDIRECTS = (301, 302, 303, 307, 308)
CODINGS = ("plain", "gzip", "gzip-gzip", "deflate", "zstd", "br")
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x1b[31;5mred\x9b3m\r\nfake line\u202egnp\u2066\u200b\u200d\ufeff\u2028\x00\x08"
"""Text that clears a terminal, sets its title and colors, forges a line, reverses and hides text."""
LOCAL_NAMES = {"host": "localhost", "port": "127.0.0.1"}
BLOCK = 65_536


@functools.cache
def zeros(size, window_bits):
    """Return `size` zeros, compressed without compressing more than two megabytes: the same block repeats.

    Args:
        window_bits: as in zlib: 31 is gzip, -15 has no header and no checksum.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    blocks = [packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)]
    body = blocks[0] + blocks[1] * ((size >> 20) - 1) + packer.flush()
    if window_bits < 0:
        return body
    end = CRC_OF_ZEROS[size].to_bytes(4, "little") + (size % (1 << 32)).to_bytes(4, "little")
    return b"\x1f\x8b\x08\0\0\0\0\0\2\xff" + body + end


def zstd_zeros(size):
    """Return a frame of RFC 8878 whose blocks each repeat a zero 128 kB times."""
    blocks = size >> 17
    block = (1 << 1 | (1 << 17) << 3).to_bytes(3, "little") + b"\0"
    last = (1 | 1 << 1 | (1 << 17) << 3).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd\x00\x50" + block * (blocks - 1) + last


@functools.cache
def bomb(coding):
    """Return the Content-Encoding and the body of a bomb that unpacks to at least a gigabyte."""
    if coding == "gzip-gzip":  # under 100 kB, and 4 GB in the end
        return "gzip, gzip", gzip.compress(zeros(4 * GIGABYTE, 31), 9)
    if coding == "deflate":
        return "deflate", zeros(GIGABYTE, -15)
    if coding == "zstd":
        return "zstd", zstd_zeros(GIGABYTE)
    return coding, zeros(GIGABYTE, 31)


def split(key, separator, at):
    return key[:at] + separator + key[at:]


def key_texts(key):
    """Return texts that hold a key in ways that a simple search does not find, or that a cut would leave half of."""
    period = len(key) + 1
    cut_anywhere = [("x" * shift) + f"{key} " * (4096 // period) for shift in range(0, period, 4)]
    splits = [
        split(key, separator, at) for separator in ("\n", "\ud800", "\u200b", "\x1b\x00", "\r\n\t") for at in (3, 9, 20)
    ]
    return [key, key.upper(), f"Bearer {key}", "\n".join(key), *splits, *cut_anywhere]


def everywhere(text):
    """Return a completion with the text in every field."""
    message = {
        "role": text,
        "content": f"I'm out! {text}",
        "reasoning": text,
        "reasoning_content": text,
        "reasoning_details": [{"type": "reasoning.text", "text": text}],
        "annotations": [{"type": text}],
    }
    choice = {"index": 0, "message": message, "finish_reason": text, "native_finish_reason": text}
    usage = {"prompt_tokens": text, "completion_tokens": text, "cost": text, "prompt_tokens_details": text}
    names = ("id", "object", "model", "system_fingerprint", "provider", "service_tier")
    return {**dict.fromkeys(names, text), "created": 1, "choices": [choice], "usage": usage}


def error_everywhere(text):
    inner = dict.fromkeys(("message", "type", "param", "code", "status"), text)
    metadata = {"raw": json.dumps({"error": inner}), "provider_name": text}
    return {
        "error": {**inner, "metadata": metadata},
        "message": text,
        "detail": text,
        "request_id": text,
        "user_id": text,
    }


USAGES = {
    "huge": '{"prompt_tokens": DIGITS, "completion_tokens": DIGITS, "cost": DIGITS}',
    "nan": '{"prompt_tokens": NaN, "completion_tokens": Infinity, "cost": NaN}',
    "infinite": '{"prompt_tokens": 1e999, "completion_tokens": -1e999, "cost": 1e999}',
    "negative": '{"prompt_tokens": -5, "completion_tokens": -1, "cost": -0.5}',
    "boolean": '{"prompt_tokens": true, "completion_tokens": false, "cost": true}',
    "strings": '{"prompt_tokens": "12", "completion_tokens": "x", "cost": "0.01"}',
    "lists": '{"prompt_tokens": [1], "completion_tokens": {}, "cost": [], "prompt_tokens_details": 5}',
    "details": '{"prompt_tokens": 5, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": -1},'
    ' "completion_tokens_details": {"reasoning_tokens": 1e999}}',
}


class HostileServer(Loopback):
    """The server; each of its responses also sets cookies.

    Attributes:
        elsewhere: the URL of a server to which redirects point.
        released: once it is set, the attack "hold" ends.
    """

    def __init__(self, elsewhere="", **options):
        super().__init__(**options)
        self.elsewhere = elsewhere
        self.released = threading.Event()

    async def respond(self, body, writer):
        model = body["model"]
        attack, *arguments = model.split(".")
        method = getattr(self, f"attack_{attack}", None)
        if method is None:
            await self.reply(writer, 200, json.dumps(self.completion(body)).encode())
        else:
            await method(writer, *arguments)

    @property
    def key(self):
        return self.headers[-1].get("authorization", "").removeprefix("bearer ")

    async def reply(self, writer, status, body, more="", kind="application/json"):
        """Send a body as it is."""
        cookies = "Set-Cookie: session=stolen; Path=/\r\nSet-Cookie: __cf_bm=1; HttpOnly\r\n"
        await self.write(writer, body, status_line(status), f"{cookies}{more}", kind)

    async def head(self, writer, status, more):
        writer.write(f"HTTP/1.1 {status_line(status)}\r\nSet-Cookie: session=stolen\r\n{more}\r\n\r\n".encode())
        await writer.drain()

    async def attack_bomb(self, writer, coding, status):
        if coding == "plain":
            await self.endless(writer, int(status), b" " * BLOCK, GIGABYTE // BLOCK)
            return
        name, body = bomb(coding)
        location = f"Location: {self.elsewhere}\r\n" if status == "307" else ""
        await self.reply(writer, int(status), body, f"Content-Encoding: {name}\r\n{location}")

    async def attack_endless(self, writer, kind, status):
        blocks = {
            "blank": b" ",
            "json": b"[[[[],[]],0],",
            "line": b"data: x",
            "events": b'data: {"choices": [{"index": 0, "delta": {"content": "I bid $1! "}}]}\n\n',
            "comments": b": keep-alive\n\n",
        }
        block = blocks[kind] * (BLOCK // len(blocks[kind]))
        await self.endless(writer, int(status), block)

    async def endless(self, writer, status, block, times=1 << 40):
        """Send a block again and again as a chunked body, as long as the client reads."""
        location = f"Location: {self.elsewhere}\r\n" if status == 307 else ""
        await self.head(writer, status, f"{location}Content-Type: application/json\r\nTransfer-Encoding: chunked")
        chunk = f"{len(block):x}\r\n".encode() + block + b"\r\n"
        for _ in range(times):
            writer.write(chunk)
            await writer.drain()
        writer.write(b"0\r\n\r\n")

    async def attack_headers(self, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            writer.write(b"X-More: " + b"y" * 4096 + b"\r\n")
            await writer.drain()

    async def attack_redirect(self, writer, status, where):
        port = re.search(r":(\d+)/", self.elsewhere)[1]
        target = self.url if where == "itself" else f"http://{LOCAL_NAMES[where]}:{port}/v1"
        await self.reply(writer, int(status), b"", f"Location: {target}/chat/completions\r\n")

    async def attack_escapes(self, writer, status):
        text = "I'm sorry " + ESCAPES
        data = everywhere(text) if status == "200" else error_everywhere(text)
        await self.reply(writer, int(status), json.dumps(data).encode(), "X-Request-Id: \x1b]0;x\x07\u009b\r\n")

    async def attack_key(self, writer, status, number):
        text = key_texts(self.key)[int(number)]
        data = everywhere(text) if status == "200" else error_everywhere(text)
        shown = re.sub("[^ -~]", "", text)[:3000]
        headers = f"X-Request-Id: {shown}\r\nX-Generation-Id: {shown}\r\nLocation: http://h/{self.key}\r\n"
        after = f"Retry-After: {self.key}\r\n"
        await self.reply(writer, int(status), json.dumps(data).encode(), headers + after)

    async def attack_reason(self, writer, status):
        """Write the key where HTTP has the reason of a status."""
        writer.write(f"HTTP/1.1 {status} {self.key}\r\nLocation: /{self.key}\r\nContent-Length: 2\r\n\r\n{{}}".encode())
        await writer.drain()

    async def attack_surrogates(self, writer, status):
        text = "I'm out! \ud800 and \udfff\ud800"
        data = everywhere(text) if status == "200" else error_everywhere(text)
        await self.reply(writer, int(status), json.dumps(data).encode())

    async def attack_choices(self, writer, number):
        choice = '{"index":0,"message":{"content":"I bid $1!"}}'
        body = f'{{"choices":[{",".join([choice] * int(number))}]}}'
        await self.reply(writer, 200, body.encode())

    async def attack_wide(self, writer, status, part):
        unit = {"lists": "[],", "objects": "{},", "numbers": "0,", "texts": '"",', "keys": ""}[part]
        size = 7_900_000
        if part == "keys":
            body = "{" + ",".join(f'"{n:x}":0' for n in range(500_000)) + "}"
        else:
            body = f'{{"choices":[{unit * (size // len(unit))}0]}}'
        await self.reply(writer, int(status), body.encode())

    async def attack_deep(self, writer, status, part):
        unit = {"lists": "[", "objects": '{"a":'}[part]
        await self.reply(writer, int(status), (unit * (7_900_000 // len(unit))).encode())

    async def attack_usage(self, writer, name):
        usage = USAGES[name].replace("DIGITS", "9" * 100_000)
        body = f'{{"choices":[{{"message":{{"content":"I\'m out!"}},"finish_reason":"stop"}}],"usage":{usage}}}'
        await self.reply(writer, 200, body.encode())

    async def attack_trickle(self, writer, status):
        await self.head(writer, int(status), "Content-Length: 5000")
        for _ in range(4900):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    async def attack_hold(self, writer):
        """Send blanks until the test has seen enough, and then an honest reply."""
        body = json.dumps({"choices": [{"message": {"content": "I'm out!"}, "finish_reason": "stop"}]})
        await self.head(writer, 200, "Content-Type: application/json\r\nTransfer-Encoding: chunked")
        while not self.released.is_set():
            writer.write(b"1\r\n \r\n")
            await writer.drain()
            await asyncio.sleep(0.005)
        writer.write(f"{len(body):x}\r\n{body}\r\n0\r\n\r\n".encode())
        await writer.drain()

    async def attack_longer(self, writer, status):
        """Announce a longer body than is sent, and close the connection."""
        await self.head(writer, int(status), "Content-Length: 99999")
        writer.write(b'{"choices": []}')
        await writer.drain()
        writer.close()

    async def attack_shorter(self, writer, status):
        """Announce a shorter body than is sent, so that the rest looks like another response."""
        good = json.dumps({"choices": [{"message": {"content": "I bid $1!"}, "finish_reason": "stop"}]}).encode()
        more = f"HTTP/1.1 200 OK\r\nContent-Length: {len(good)}\r\n\r\n".encode() + good
        await self.head(writer, int(status), "Content-Type: application/json\r\nContent-Length: 2")
        writer.write(b"{}" + more)
        await writer.drain()


BOUNDED = (
    *(f"bomb.{coding}.{status}" for coding in CODINGS for status in STATUSES),
    *(f"endless.{kind}.{status}" for kind in ("blank", "events", "comments") for status in STATUSES),
    *("endless.json.200", "endless.line.200", "headers", "choices.100000", "usage.huge"),
    *(f"wide.{status}.{part}" for status in (200, 400) for part in ("lists", "objects", "numbers", "texts", "keys")),
    *(f"deep.{status}.{part}" for status in (200, 400) for part in ("lists", "objects")),
)
"""The attacks on memory."""
SLOW = ("trickle.200", "trickle.400", "trickle.500", "trickle.307")
LIES = ("longer.200", "longer.400", "shorter.200", "shorter.400", "shorter.500")
