"""A line on stderr before a command waits for kernels to be compiled."""

from __future__ import annotations

from contextlib import AbstractContextManager

import typer

from aucenv.core.compiled.announcing import announced


def announce_compiling() -> AbstractContextManager[None]:
    """Print a line to stderr whenever kernels are compiled in this context."""
    return announced(_print_line)


def _print_line(name: str, seconds: float, cached: bool) -> None:
    duration = f"about {max(1, round(seconds))} s"
    if cached:
        typer.echo(f"compiling {name}: first run only, {duration}", err=True)
    else:
        typer.echo(f"compiling {name}: {duration} in each run, unless NUMBA_CACHE_DIR is a writable folder", err=True)
