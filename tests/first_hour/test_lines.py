"""The command lines of a newcomer's first hour print what they must and exit as they must."""

from __future__ import annotations

import sys

import pytest
from first_hour.lines import BAD, GOOD, exit_status


def test_the_table_is_large_enough():
    assert len(GOOD) + len(BAD) >= 120


@pytest.mark.parametrize(("line", "text"), GOOD)
def test_good_lines(line, text, folder, capsys):
    assert exit_status(line) == 0
    out, err = capsys.readouterr()
    assert text in out + err
    assert "…" not in out + err


@pytest.mark.parametrize(("line", "text"), BAD)
def test_bad_lines(line, text, folder, capsys, monkeypatch):
    before = sorted(folder.rglob("*"))
    assert exit_status(line) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert text in err
    assert "Traceback" not in err
    assert len(err.strip().split("\n")) <= 5
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert exit_status(line) == 2
    assert sorted(folder.rglob("*")) == before
