"""Masking of secrets that were typed as part of a bidder's name, in all that a command prints."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TextIO

from aucenv.core.words.bidder_name import header_secrets
from aucenv.core.words.outside_text import Secrets


@contextlib.contextmanager
def masked_output(arguments: Sequence[str]) -> Iterator[None]:
    """Mask the values of headers in these arguments in the output of this context.

    Errors and records mask names themselves. This covers what others print: usage errors and tracebacks.
    """
    values = [value for argument in arguments for value in header_secrets(argument)]
    if not values:
        yield
        return
    secrets = Secrets([*values, *(part for value in values for part in value.split())])  # such as "Bearer KEY"
    streams: tuple[Any, Any] = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_MaskedStream(stream, secrets) for stream in streams)
    try:
        yield
    except Exception:  # Python would print it after the end of this context
        traceback.print_exc()
        sys.exit(1)
    finally:
        sys.stdout, sys.stderr = streams


class _MaskedStream:
    """A stream that masks secrets in all text that is written to it."""

    def __init__(self, stream: TextIO, secrets: Secrets) -> None:
        self._stream = stream
        self._secrets = secrets

    def write(self, text: str) -> int:
        self._stream.write(self._secrets.mask(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
