"""The lines of a file as bytes, and the last line of a file of JSON lines, which may be cut off.

A line is cut off if its writer is killed or the power fails. Line breaks may follow it, and the zeros of a block that
never reached the disk.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

MAX_BYTES = 64 << 20
"""The maximum size of a line, and of a JSON file that is not read line by line."""
_CHUNK = 1 << 20
PADDING = b"\0\r\n\t "
"""What may follow a line that is cut off."""
_CUT_NUMBER = re.compile(r"\s*|[.eE][-+]?|-")
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_CUT_ESCAPE = re.compile(r"(\\u[0-9a-fA-F]{0,4})+$")


def raw_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line; of one that is longer than `MAX_BYTES`, the first ones."""
    number = 0
    while raw := file.readline(MAX_BYTES + 1):
        end, number = raw[-1:], number + 1
        while len(raw) > MAX_BYTES and end not in (b"\n", b""):
            end = file.readline(_CHUNK)[-1:]
        yield number, raw


def is_beginning(raw: bytes) -> bool:
    """Return whether a line is the beginning of a JSON value, and not a whole one."""
    if len(raw) > MAX_BYTES:
        return False
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(raw.rstrip(PADDING))  # may end inside a character
        text = _CUT_ESCAPE.sub("", text)
        json.loads(text)
    except json.JSONDecodeError as error:
        is_open = error.msg.startswith("Unterminated string")
        rest = text[error.pos :]  # what is left of a number or a word, where the parser fails
        return is_open or _CUT_NUMBER.fullmatch(rest) is not None or any(word.startswith(rest) for word in _WORDS)
    except (ValueError, RecursionError):
        return False
    return False


def is_json(raw: bytes) -> bool:
    """Return whether a line is a JSON value, which zeros may follow."""
    if len(raw) > MAX_BYTES:
        return False
    try:
        json.loads(raw.rstrip(PADDING).decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def whole_lines(file: BinaryIO, only: bool, grows: bool, name: Callable[[int], None]) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and bytes of the lines that are not blank, without a last one that is cut off.

    Args:
        file: The file.
        only: Whether a line that is cut off may be the only one; otherwise, such a file is of another kind.
        grows: Whether another process may be writing the file; the end of a line may be missing then.
        name: Called with the number of a line that is left out, unless it may be one that is still being written.
    """
    held: list[tuple[int, bytes]] = []  # the last line with content, and lines of zeros after it
    for number, raw in raw_lines(file):
        if raw.strip(PADDING):
            only = only or bool(held)
            yield from held
            held = [(number, raw)]
        elif b"\0" in raw:
            held.append((number, raw))
    if not held:
        return
    number, raw = held[0]
    grows = grows and len(held) == 1 and not raw.endswith((b"\n", b"\0"))
    if is_json(raw):
        yield number, raw.rstrip(PADDING) if b"\0" in raw else raw
        if len(held) > 1:
            name(held[1][0])
    elif not only or not (grows or not raw.strip(PADDING) or is_beginning(raw)):
        yield from held
    elif not grows:
        name(number)


def end_of_whole_lines(file: BinaryIO) -> tuple[int, int] | None:
    """Return number and offset of the line from which on a file is cut off, None if it is not.

    A last line without a line break is always cut off, even if it is JSON.
    """
    offset, last, at, zeros = 0, b"", (1, 0), None
    for number, raw in raw_lines(file):
        if raw.strip(PADDING):
            last, at, zeros = raw, (number, offset), None
        elif b"\0" in raw and zeros is None:
            zeros = number, offset
        offset = file.tell()
    is_cut = last and (not last.endswith(b"\n") or b"\0" in last or is_beginning(last))
    return at if is_cut else zeros
