"""Reading of JSON files and lines, and atomic replacement of files."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from aucenv.core.checks import FieldError
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.formats.raw_lines import MAX_BYTES, end_of_whole_lines, raw_lines, whole_lines
from aucenv.core.notices import Notice

JsonObject = dict[str, Any]
"""A JSON object: JSON values by name."""
JsonMapping = Mapping[str, Any]
"""A JSON object that its users do not modify."""


def read_lines(path: str | Path, grows: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (`file:number`, line) for each line of a UTF-8 file that is not blank.

    Args:
        path: The file.
        grows: As in `read_all_lines`.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not UTF-8, or longer than `MAX_BYTES`; the message names file and line.
    """
    for where, line in read_all_lines(path, grows):
        if isinstance(line, ValueError):
            raise line
        yield where, line


def read_all_lines(
    path: str | Path, grows: bool = False, with_cut_off: bool = False
) -> Iterator[tuple[str, str | ValueError]]:
    """Yield (`file:number`, line) as `read_lines` does, with the error in place of a line that it refuses.

    A last line that was cut off, because its writer was killed or the power failed, is left out, and a warning names
    it.

    Args:
        path: The file.
        grows: Whether another process may be writing the file. A last line without a line break is left out in silence
            then, because it is still being written.
        with_cut_off: Whether a line that was cut off is not left out.

    Raises:
        OSError: The file cannot be read.
    """
    with _open(path) as file, naming(path):
        only = grows and Path(path).suffix == ".jsonl"
        whole = whole_lines(file, only, grows, lambda number: _name_cut_off(path, number))
        for number, raw in raw_lines(file) if with_cut_off else whole:
            line = _decoded(raw, number, path)
            if isinstance(line, ValueError) or line.strip():
                yield f"{path}:{number}", line


def _decoded(raw: bytes, number: int, path: str | Path) -> str | ValueError:
    """Return a line as text, or why it is none."""
    if len(raw) > MAX_BYTES:
        return ValueError(f"{path}:{number}: {_too_large('a line')}")
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        return ValueError(f"{path}:{number}: not UTF-8: {error.reason}")


def _name_cut_off(path: str | Path, number: int, consequence: str = "") -> None:
    warnings.warn(f"{path}:{number}: cut off; dropped{consequence}", Notice, stacklevel=4)


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
        ValueError: The file is not UTF-8, or is larger than `MAX_BYTES`; the message names it, and the line.
    """
    with _open(path) as file, naming(path):
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise ValueError(f"{where}: {_too_large('a file')}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{where}:{line}: not UTF-8: {error.reason}") from None


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
def naming(path: str | Path) -> Iterator[None]:
    """Name a file, or a folder, in errors of reading and writing, which name none, or a part of it."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None


def drop_cut_off_line(path: Path, consequence: str) -> None:
    """Remove the last line if it was cut off, because its writer was killed or the power failed, and warn about it.

    A line without a line break was cut off. Others are what `read_lines` leaves out.

    Args:
        path: The file.
        consequence: The clause that states in the warning what happens next.

    Raises:
        OSError: The file cannot be read or written.
    """
    with _open(path) as file, naming(path):
        end = end_of_whole_lines(file)
    if end is not None:
        _name_cut_off(path, end[0], f", and {consequence}")
        with path.open("r+b") as file:
            file.truncate(end[1])


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
    """Replace a text file; see `write_bytes_atomically`.

    Example:
        >>> from pathlib import Path
        >>> from aucenv.records import write_atomically
        >>> write_atomically(Path("bidders.txt"), "rule, pace")
        >>> Path("bidders.txt").read_text()
        'rule, pace'
    """
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old or the new content, even after a crash.

    Pipes and other paths that are not regular files (/dev/stdout) are written to directly.
    """
    with naming(path):
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


class AppendedFile:
    """A file to which lines are appended, by one process at a time: a line is there as a whole, or not at all.

    Args:
        path: The file, which is created if it does not exist.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab", buffering=0)

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._file.fileno()

    def append(self, line: str) -> None:
        """Write a line, without its line break.

        Raises:
            OSError: The line cannot be written; the file is as it was.
        """
        rest = memoryview(f"{line}\n".encode())
        with naming(self._path):
            size = os.fstat(self.fileno()).st_size
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except BaseException:
                self._file.truncate(size)
                raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def to_pretty_json(data: Mapping[str, Any] | list[Any]) -> str:
    """Return indented JSON that ends with a line break.

    Example:
        >>> from aucenv.records import to_pretty_json
        >>> print(to_pretty_json({"bidders": ["rule"], "games": 3}), end="")
        {
          "bidders": [
            "rule"
          ],
          "games": 3
        }
    """
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def to_csv(rows: Sequence[JsonObject]) -> str:
    """Return rows as CSV: `head_to_head.rule.wins` is a column, None an empty cell, and a list JSON."""
    flat = [dict(_flatten(row)) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return buffer.getvalue()


def _flatten(row: JsonObject, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, list) else value
