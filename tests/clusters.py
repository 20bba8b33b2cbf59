"""Commands that run beside tests."""

from __future__ import annotations

import os
import subprocess
import sys


def start(*args: str, **env: str) -> subprocess.Popen:
    """Start the command `aucenv` with these arguments."""
    code = "from aucenv.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **env},
    )  # fmt: skip


def finish(process: subprocess.Popen) -> None:
    """Wait until a command has ended, and fail with its errors if it does."""
    _, errors = process.communicate()
    assert process.returncode == 0, errors
