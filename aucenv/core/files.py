"""Reading of JSON files and lines, and atomic replacement of files."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import warnings
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from aucenv.core.checks import FieldError, excerpt
from aucenv.core.json_parser import parse_json

JsonObject = dict[str, Any]
"""A JSON object: JSON values by name."""
JsonMapping = Mapping[str, Any]
"""A JSON object that its users do not modify."""


MAX_BYTES = 64 << 20
"""The maximum size of a line, and of a JSON file that is not read line by line."""


def read_lines(path: str | Path) -> Iterator[tuple[str, str]]:
    """Yield (`file:number`, line) for each line of a UTF-8 file that is not blank.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not UTF-8, or longer than `MAX_BYTES`; the message names file and line.
    """
    for where, line in read_all_lines(path):
        if isinstance(line, ValueError):
            raise line
        yield where, line


def read_all_lines(path: str | Path) -> Iterator[tuple[str, str | ValueError]]:
    """Yield (`file:number`, line) as `read_lines` does, with the error in place of a line that it refuses.

    Raises:
        OSError: The file cannot be read.
    """
    with _open(path) as file:
        for number in count(start=1):
            with _naming(path):
                raw = file.readline(MAX_BYTES + 1)
            if not raw:
                return
            where = f"{path}:{number}"
            if len(raw) > MAX_BYTES:
                yield where, ValueError(f"{where}: {_too_large('a line')}")
                while len(raw) > MAX_BYTES and not raw.endswith(b"\n"):
                    with _naming(path):
                        raw = file.readline(MAX_BYTES + 1)
                continue
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                yield where, ValueError(f"{where}: not UTF-8: {error.reason}")
                continue
            if line.strip():
                yield where, line


def read_object(path: str | Path, where: str | None = None) -> JsonObject:
    """Return the JSON object in a file.

    Args:
        path: The file.
        where: The name of the file in error messages; None is the path.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not UTF-8, is larger than `MAX_BYTES`, or is not a JSON object; the message names it.
    """
    where = str(path) if where is None else where
    return parse_object(read_text(path, where), where)


def read_text(path: str | Path, where: str) -> str:
    """Return the text of a file.

    Args:
        path: The file.
        where: The name of the file in error messages.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not UTF-8, or is larger than `MAX_BYTES`; the message names it.
    """
    with _open(path) as file, _naming(path):
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ValueError(f"{where}: {_too_large('a file')}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: not UTF-8: {error.reason}") from None


def _too_large(thing: str) -> str:
    return f"expected {thing} of at most {MAX_BYTES >> 20} MiB, got a larger one; is it another file, or damaged?"


def _open(path: str | Path) -> BinaryIO:
    """Open a file for reading.

    Raises:
        OSError: The file cannot be read; the message says so in words.
    """
    try:
        return Path(path).open("rb")
    except IsADirectoryError as error:
        raise IsADirectoryError(error.errno, "expected a file, got a folder", str(path)) from None


@contextlib.contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Name the file in errors of reading, which name none (as for /proc/self/mem)."""
    try:
        yield
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None


def drop_cut_off_line(path: Path, consequence: str) -> None:
    """Remove the last line if it has no line break, because its writer was killed, and warn about it.

    Args:
        path: The file.
        consequence: The clause that states in the warning what happens next.

    Raises:
        OSError: The file cannot be read or written.
    """
    whole = number = size = 0
    with _open(path) as file, _naming(path):
        while block := file.read(1 << 20):
            number += block.count(b"\n")
            last = block.rfind(b"\n") + 1
            whole, size = size + last if last else whole, size + len(block)
    if whole < size:
        warnings.warn(f"{path}:{number + 1}: cut off; dropped, and {consequence}", stacklevel=4)
        with path.open("r+b") as file:
            file.truncate(whole)


def parse_object(line: str, where: str) -> JsonObject:
    """Parse a line that is a JSON object.

    Raises:
        ValueError: The line is not a JSON object, or `json_parser` refuses a value; the message names `where` and the
            value's place.
    """
    data = parse_json(line, where)
    if not isinstance(data, dict):
        raise FieldError(where, f"expected a JSON object, got {type(data).__name__}")
    return data


def write_atomically(path: Path, text: str) -> None:
    """Replace a text file; see `write_bytes_atomically`."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old or the new content, even after a crash.

    Pipes and other paths that are not regular files (/dev/stdout) are written to directly.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_or_compare(path: Path, content: JsonObject, description: str) -> None:
    """Write a JSON file in the folder of a run.

    Args:
        path: the file.
        content: its content.
        description: what another content would be, such as "other settings".

    Raises:
        ValueError: The file exists with other content.
    """
    content = json.loads(json.dumps(content, default=str))
    if not path.exists():
        write_atomically(path, to_pretty_json(content))
        return
    saved = read_object(path)
    changed = [
        f"{name} is {excerpt(saved.get(name))} in the folder and {excerpt(content.get(name))} in this command"
        for name in sorted({*content, *saved})
        if content.get(name) != saved.get(name)
    ]
    if changed:
        raise ValueError(
            f"{path.parent}: holds {description}: {'; '.join(changed)}. A run is resumed with its settings, and "
            "cannot be extended; for others, choose another --out"
        )


RESULTS = ("run.json", "games.jsonl")
"""The files by which a results folder is recognized."""

MARKS = {
    **dict.fromkeys(RESULTS, "a results folder"),
    "settings.json": "the folder of a training run",
    "league.json": "the folder of a league",
    "ablation.json": "the folder of an ablation",
    "studies.json": "the folder of all studies",
}
"""The files by which commands recognize their folders."""


def check_folder(folder: Path, *own: str) -> None:
    """Check that a folder into which a command writes does not belong to another command.

    Args:
        folder: The folder, which may not exist yet.
        own: The names of the files by which the command recognizes its folder, if it has any.

    Raises:
        FileExistsError: The folder has the file of another command.
    """
    for name, kind in MARKS.items():
        if name not in own and (folder / name).exists():
            raise FileExistsError(f"{folder}: expected a new folder, got {kind}, with its {name}; choose another one")


def to_pretty_json(data: Mapping[str, Any] | list[Any]) -> str:
    """Return indented JSON that ends with a line break."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
