"""Files: JSON lines read, and whole files replaced atomically."""

from __future__ import annotations

import json
import os
import shutil
import threading
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object: plain data by name."""
JsonMapping = Mapping[str, Any]
"""A JSON object that is only read."""


def read_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """The lines of a UTF-8 file that are not blank, each with `file:number` to name it by.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is not UTF-8; names file and line.
    """
    with Path(path).open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}:{number}: not UTF-8: {error.reason}") from None
            if line.strip():
                yield f"{path}:{number}", line


def drop_cut_off_line(path: Path, consequence: str) -> None:
    """Remove a last line that has no end, from a writer that was killed, and warn of it.

    Raises:
        OSError: the file cannot be read or written.
    """
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        number = data.count(b"\n") + 1
        warnings.warn(f"{path}:{number}: cut off; dropped, and {consequence}", stacklevel=4)
        with path.open("r+b") as file:
            file.truncate(whole)


def parse_object(line: str, where: str) -> dict[str, Any]:
    """The JSON object that a line holds.

    Raises:
        ValueError: it holds none; names `where`.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected a JSON object, got {type(data).__name__}")
    return data


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole: a reader, or a crash, sees the old one or the new one.

    What is no regular file (a pipe, /dev/stdout) is written to as it is.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def to_pretty_json(data: Mapping[str, Any] | list[Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
