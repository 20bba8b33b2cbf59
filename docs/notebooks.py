"""Run the tutorials, each in an environment and a folder of its own.

`python docs/notebooks.py [NAME ...]` runs the named notebooks of docs/tutorials, or all. It fails if a cell raises an
error, if a command of a cell fails, or if anything prints a warning, and names the notebook and the cell. The variable
AUCENV_DOCS_SIZE is the size of a run, `full` or `small`. `--write` stores the outputs and the minutes of a full run in
the notebooks, whose pages show them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

TUTORIALS = Path(__file__).resolve().parent / "tutorials"
SIZE = "AUCENV_DOCS_SIZE"
SIZES = ("full", "small")
LIMIT = 3600
"""Time limit of a cell, in seconds."""
WARNING = re.compile(r"warn|error|deprecat|traceback", re.IGNORECASE)
"""What marks a line of standard error as a warning; other lines report progress."""
MINUTES = re.compile(r"^Runs in about .* on two CPU cores\.$", re.MULTILINE)
COMMANDS = {"aucenv": "aucenv", "pytest": "pytest", "pip": "pip"}
"""Commands of a tutorial's environment -> the module that each runs."""
ENVIRONMENT = {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to write that there is no isolation
    "PIP_NO_DEPS": "1",
    "COLUMNS": "110",
    "TQDM_DISABLE": "1",
}
"""Packages of the surrounding environment are used, and none is downloaded."""


class NotebookFails(Exception):
    """A notebook has an error or a warning; the message names the notebook and the cell."""


def names() -> list[str]:
    """Return the names of all tutorials."""
    return sorted(path.stem for path in TUTORIALS.glob("*.ipynb"))


def run(name: str, size: str) -> tuple[nbformat.NotebookNode, float]:
    """Return the notebook with its outputs, and the seconds that it took.

    Raises:
        NotebookFails: a cell fails, or prints a warning.
    """
    notebook = nbformat.read(TUTORIALS / f"{name}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory(prefix="aucenv-tutorial-") as temporary:
        home, work = Path(temporary) / "environment", Path(temporary) / name
        work.mkdir()
        specifications = _environment(home, {SIZE: size})
        manager = AsyncKernelManager(
            kernel_name="tutorial", kernel_spec_manager=specifications, transport="ipc", ip=str(home / "kernel")
        )
        client = NotebookClient(notebook, km=manager, timeout=LIMIT, resources={"metadata": {"path": str(work)}})
        groups: list[int] = []
        client.on_notebook_start = lambda **_: groups.append(manager.provisioner.pgid)
        start = time.perf_counter()
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError) as error:
            raise NotebookFails(f"{_place(name, _failing_cell(notebook))}: {_plain(str(error))}") from None
        finally:
            for group in groups:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)  # what a cell has left running
        seconds = time.perf_counter() - start
        _check(name, notebook)
        _tidy(notebook, str(work))
    return notebook, seconds


def _environment(home: Path, variables: Mapping[str, str]) -> KernelSpecManager:
    """Create a virtual environment that sees the packages of this one; what a tutorial installs stays in it.

    As for users of Jupyter, it is not activated: the first cell of a notebook finds its commands.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python, packages = home / "bin" / "python", sysconfig.get_path("purelib")
    [site] = home.glob("lib/python*/site-packages")
    (site / "outer.pth").write_text(f"import site; site.addsitedir({packages!r})\n")
    for command, module in COMMANDS.items():
        script = home / "bin" / command
        script.write_text(f'#!/bin/sh\nexec "{python}" -m {module} "$@"\n')
        script.chmod(0o755)
    # A cell fails if any of its commands does; outputs are plain, although Jupyter asks for colors.
    (home / "strict.sh").write_text("set -e\nunset FORCE_COLOR CLICOLOR CLICOLOR_FORCE\n")
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != Path(sys.executable).parent]
    kernel = home / "kernels" / "tutorial"
    kernel.mkdir(parents=True)
    specification = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"],
        "display_name": "Python 3",
        "language": "python",
        "env": {**ENVIRONMENT, **variables, "PATH": os.pathsep.join(folders), "BASH_ENV": str(home / "strict.sh")},
    }
    (kernel / "kernel.json").write_text(json.dumps(specification))
    manager = KernelSpecManager(ensure_native_kernel=False)
    manager.kernel_dirs = [str(home / "kernels")]
    return manager


def _failing_cell(notebook: nbformat.NotebookNode) -> int:
    """Return the number of the first cell with an error; a cell without an outcome has reached the time limit."""
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            failed = any(output.output_type == "error" for output in cell.outputs)
            if failed or cell.execution_count is None:
                return number
    return len(notebook.cells)


def _check(name: str, notebook: nbformat.NotebookNode) -> None:
    for number, output in _streams(notebook):
        if output.name == "stderr":
            for line in output.text.splitlines():
                if WARNING.search(line):
                    raise NotebookFails(f"{_place(name, number)}: prints a warning: {_plain(line)}")


def _streams(notebook: nbformat.NotebookNode) -> Iterator[tuple[int, Any]]:
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                yield number, output


def _tidy(notebook: nbformat.NotebookNode, folder: str) -> None:
    """Remove what differs from run to run: progress, the folder, and times of cells."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _merged(output for output in cell.outputs if output.get("name") != "stderr")
    for _, output in _streams(notebook):
        output.text = output.text.replace(f"{folder}/", "")
    notebook.metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }


def _merged(outputs: Iterable[Any]) -> list[Any]:
    """Return outputs, in which what was printed in several parts is one."""
    merged: list[Any] = []
    for output in outputs:
        if merged and output.output_type == "stream" == merged[-1].output_type:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def _place(name: str, cell: int) -> str:
    return f"docs/tutorials/{name}.ipynb, cell {cell}"


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).strip()


def write(name: str, notebook: nbformat.NotebookNode, seconds: float) -> None:
    """Store the outputs of a full run, and the time that it took."""
    minutes = "1 minute" if seconds < 90 else f"{seconds / 60:.0f} minutes"
    first = notebook.cells[0]
    first.source, count = MINUTES.subn(f"Runs in about {minutes} on two CPU cores.", first.source)
    if count != 1:
        raise NotebookFails(f"{_place(name, 1)}: expected a line 'Runs in about ... on two CPU cores.'")
    nbformat.write(notebook, TUTORIALS / f"{name}.ipynb")


def main() -> None:
    """Run the notebooks that the command line names."""
    parser = argparse.ArgumentParser(description="Run the tutorials, and fail with the place of an error or a warning.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names())}; all by default")
    parser.add_argument("--write", action="store_true", help="store the outputs of a full run in the notebooks")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(names()):
        parser.error(f"NAME: expected some of {', '.join(names())}, got {', '.join(sorted(unknown))}")
    size = os.environ.get(SIZE, "full")
    if size not in SIZES:
        parser.error(f"{SIZE}: expected one of {', '.join(SIZES)}, got {size!r}")
    if chosen.write and size != "full":
        parser.error(f"--write: expected {SIZE}=full, got {size!r}")
    failures = 0
    for name in chosen.names or names():
        try:
            notebook, seconds = run(name, size)
            if chosen.write:
                write(name, notebook, seconds)
            print(f"{name}: {seconds:.0f} s at size {size}", flush=True)
        except NotebookFails as failure:
            failures += 1
            print(failure, file=sys.stderr, flush=True)
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
