"""Reading of JSON lines, and atomic replacement of files."""

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
"""A JSON object: JSON values by name."""
JsonMapping = Mapping[str, Any]
"""A JSON object that its users do not modify."""


def read_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:number`, line) for each line of a UTF-8 file that is not blank.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not UTF-8; the message names file and line.
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
    """Remove the last line if it has no line break, because its writer was killed, and warn about it.

    Args:
        path: The file.
        consequence: The clause that states in the warning what happens next.

    Raises:
        OSError: The file cannot be read or written.
    """
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        number = data.count(b"\n") + 1
        warnings.warn(f"{path}:{number}: cut off; dropped, and {consequence}", stacklevel=4)
        with path.open("r+b") as file:
            file.truncate(whole)


def parse_object(line: str, where: str) -> dict[str, Any]:
    """Parse a line that is a JSON object.

    Raises:
        ValueError: The line is not a JSON object; the message names `where`.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected a JSON object, got {type(data).__name__}")
    return data


def write_atomically(path: Path, text: str) -> None:
    """Replace a file atomically: readers see the old or the new content, even after a crash.

    Pipes and other paths that are not regular files (/dev/stdout) are written to directly.
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
    """Return indented JSON that ends with a line break."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
