"""Standard streams may be missing, closed, full or broken: a command does its work, and then says that text is lost."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

import typer

NUMBER_OF_STREAMS = 3
"""Standard input, output and error are the file descriptors 0, 1 and 2."""
NOWHERE = Path(os.devnull)


class LastingStream:
    """A stream that takes all text, also when the text is lost because the stream is closed, full or broken.

    After the first failure it writes nothing more. It has no `buffer`, to which others would write past it.

    Args:
        stream: The stream to write to.

    Attributes:
        error: Why text is lost; None: none is.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write: expected text, got {type(text).__name__}")
        self._try(self._stream.write, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, write: Callable[..., object], *text: str) -> None:
        if self.error is not None:
            return
        try:
            write(*text)
        except OSError as error:
            self._lose(error)
        except ValueError:
            if not self._stream.closed:
                raise
            self._lose(OSError(errno.EBADF, os.strerror(errno.EBADF)))

    def _lose(self, error: OSError) -> None:
        """Keep the error, and let what waits to be written go nowhere: Python would fail again when it exits."""
        self.error = error
        with contextlib.suppress(OSError, ValueError, AttributeError), NOWHERE.open("wb") as nowhere:
            os.dup2(nowhere.fileno(), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self._stream, name)


@contextlib.contextmanager
def lasting_streams() -> Iterator[None]:
    """Let a command finish although its standard streams may fail, and end with the right exit status.

    A stream that does not exist is replaced by an empty one. If the result of a command is lost, its exit status is 1
    where the reader has left, as in `aucenv ... | head`, and otherwise 2, with a message.
    """
    _occupy_descriptors()
    streams = sys.stdin, sys.stdout, sys.stderr
    with contextlib.ExitStack() as opened:

        def existing(stream: TextIO | None, mode: str) -> Any:
            return opened.enter_context(NOWHERE.open(mode, encoding="utf-8")) if stream is None else stream

        output, errors = (LastingStream(existing(stream, "w")) for stream in streams[1:])
        for stream in (output, errors):
            with contextlib.suppress(AttributeError):  # some test runners replace the streams
                stream.reconfigure(errors="backslashreplace")
        sys.stdin, sys.stdout, sys.stderr = existing(streams[0], "r"), output, errors
        try:
            yield
        except SystemExit as end:
            output.flush()
            if output.error is not None and not end.code:
                raise SystemExit(_status_of(output.error)) from None
            raise
        finally:
            errors.flush()
            sys.stdin, sys.stdout, sys.stderr = streams


def _occupy_descriptors() -> None:
    """Open the descriptors of missing streams, so that no file of the command gets the number of a stream."""
    for number in range(NUMBER_OF_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(NOWHERE, os.O_RDWR)
            os.dup2(nowhere, number)  # the copy is inherited by child processes, unlike the original
            if nowhere != number:
                os.close(nowhere)
            else:
                os.set_inheritable(number, True)


def _status_of(error: OSError) -> int:
    """Return the exit status of a command whose result is lost, and say why, unless the reader has left."""
    if error.errno == errno.EPIPE:
        return 1
    typer.echo(f"aucenv: cannot write to standard output: {error.strerror or error}", err=True)
    return 2


def output_is_lost() -> bool:
    """Return whether nothing more can be written to standard output."""
    return getattr(sys.stdout, "error", None) is not None
