"""The command `aucenv` in the process of a test."""

from __future__ import annotations

import pytest

from aucenv.cli import main


def command(*arguments: object) -> int:
    """Run a command, and return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0)


def command_output(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run a command, and return its exit status, what it prints, and its errors."""
    return command(*arguments), *capsys.readouterr()
