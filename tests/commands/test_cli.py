"""Options of the `aucenv` command itself."""

from __future__ import annotations

import pytest
from run_command import command

import aucenv


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert not command(*arguments)
    return capsys.readouterr().out


def test_the_version_is_printed(capsys):
    assert run(["--version"], capsys) == f"aucenv {aucenv.__version__}\n"


@pytest.mark.parametrize("command", [[], ["leaderboard"], ["records", "show"]])
def test_a_short_option_prints_the_help(command, capsys):
    assert run([*command, "-h"], capsys) == run([*command, "--help"], capsys)
