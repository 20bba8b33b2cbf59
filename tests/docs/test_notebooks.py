"""The tutorials run without an error or a warning, at the size that AUCENV_DOCS_SIZE names."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import nbformat
import pytest
from doc_pages import DOCS
from paths import ROOT

RUNNER = DOCS / "notebooks.py"
TUTORIALS = sorted(DOCS.glob("tutorials/*.ipynb"))
QUICK = ("first_game",)


def run(runner, *names):
    environment = {**os.environ, "AUCENV_DOCS_SIZE": os.environ.get("AUCENV_DOCS_SIZE", "small")}
    return subprocess.run([sys.executable, runner, *names], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(
    "name", [pytest.param(path.stem, marks=() if path.stem in QUICK else pytest.mark.docs) for path in TUTORIALS]
)
def test_tutorials_run(name):
    done = run(RUNNER, name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorials_have_the_outputs_of_a_run(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert not [
        output for cell in notebook.cells for output in cell.get("outputs", ()) if output.get("name") == "stderr"
    ]
    assert path.stat().st_size < 300_000


FAILING = {
    "warnings": ("import warnings; warnings.warn('the paint is wet')", "cell 2: prints a warning"),
    "logging": ("import logging; logging.warning('the paint is wet')", "cell 2: prints a warning"),
    "division": ("1 / 0", "cell 2: An error occurred"),
    "shell": ("%%bash\nfalse\ntrue", "cell 2: An error occurred"),
    "command": ("%%bash\naucenv leaderboard --games none", "cell 2: An error occurred"),
}
"""The code of a cell, and what the runner says about it."""


def test_failing_cells_are_named(tmp_path):
    (tmp_path / "tutorials").mkdir()
    runner = tmp_path / "notebooks.py"
    runner.write_text(RUNNER.read_text())
    for name, (code, _) in FAILING.items():
        cells = [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Wet paint"},
            {"cell_type": "code", "id": "b", "metadata": {}, "source": code, "outputs": [], "execution_count": None},
        ]
        notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (tmp_path / "tutorials" / f"{name}.ipynb").write_text(json.dumps(notebook))
    done = run(runner)
    assert done.returncode == 1
    for name, (_, problem) in FAILING.items():
        assert f"docs/tutorials/{name}.ipynb, {problem}" in done.stderr


def test_unknown_sizes_and_names_are_refused():
    for arguments, size, message in (((), "tiny", "got 'tiny'"), (("none",), "small", "got none")):
        environment = {**os.environ, "AUCENV_DOCS_SIZE": size}
        command = [sys.executable, RUNNER, *arguments]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 2
        assert message in done.stderr
