"""No command replaces a file that it did not write, and each writes its own files again."""

from __future__ import annotations

from pathlib import Path

import pytest
from first_hour.lines import exit_status
from first_hour.written import WRITTEN

PRECIOUS = "precious\n"
FILES = [(line, file) for line, files in WRITTEN for file in files.split()]
REPORTS = ("--json", "--csv", "--plot", "--save-config", "report ")
"""What stands in the lines of commands that write the same files again: those of tables, figures, pages and lineups."""
AGAIN = [line for line, _ in WRITTEN if any(words in line for words in REPORTS) and " new" not in line]


@pytest.mark.parametrize(("line", "file"), FILES)
def test_a_file_of_another_kind_is_kept(line, file, work, model, capsys):
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PRECIOUS)
    before = sorted(work.rglob("*"))
    assert exit_status(line.replace("MODEL", model)) == 2
    err = capsys.readouterr().err
    assert path.name in err or str(path.parent) in err
    assert "Traceback" not in err
    assert path.read_text() == PRECIOUS
    assert sorted(work.rglob("*")) == before


@pytest.mark.parametrize("line", AGAIN)
def test_reports_are_written_again(line, work, model):
    for _ in range(2):
        assert exit_status(line.replace("MODEL", model)) == 0
