"""Run the examples of training libraries, each library in its own virtual environment, and report the results.

`python examples/integrations.py [NAME ...]` installs the named libraries, or all, runs their examples, and writes
docs/INTEGRATIONS.md. The rows of other libraries do not change. `--environments DIR` is the folder of the environments.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "INTEGRATIONS.md"
LIMIT = 600
"""Time limit of one command, in seconds."""
HEAD = """# Training libraries

Each example trains an agent for an auction with an algorithm of the library. It changes neither the library nor the
environment. If the library reads action masks, an illegal bid stops the example with an error. `make integrations`
installs each library into its own virtual environment, with the newest versions that are compatible with the torch of
`constraints.txt`, runs the examples on one thread and writes this page.

![One set of compiled rules behind five forms of an environment: PettingZoo's AEC and Parallel API, Gymnasium's Env and\
 VectorEnv, and batches; each with the libraries that use it.](about/forms.svg)

| library | versions | example | result | printed last |
|---|---|---|---|---|
"""
VERSIONS = """
import json, platform, sys
from importlib.metadata import version
print(json.dumps({**{name: version(name) for name in sys.argv[1:]}, "Python": platform.python_version()}))
"""


@dataclass(frozen=True)
class Integration:
    """A library, or several libraries that are used together.

    Attributes:
        name: the folder of the virtual environment.
        requirements: the packages that pip installs, besides aucenv and torch.
        examples: names of files in this folder, without `.py`.
    """

    name: str
    requirements: tuple[str, ...]
    examples: tuple[str, ...]


INTEGRATIONS = (
    Integration("sb3", ("stable-baselines3", "sb3-contrib", "supersuit"), ("sb3_maskable_ppo", "supersuit_ppo")),
    Integration("torchrl", ("torchrl",), ("torchrl_parallel", "torchrl_aec", "torchrl_deaths")),
    # BenchMARL 1.5.2 imports a class that TorchRL 0.14 does not have
    Integration("benchmarl", ("benchmarl", "torchrl<0.14"), ("benchmarl_mappo", "benchmarl_deaths")),
    Integration("tianshou", ("tianshou",), ("tianshou_multi_agent",)),
    Integration("rllib", ("ray[rllib]",), ("rllib_ppo",)),
    Integration("agilerl", ("agilerl", "peft"), ("agilerl_maddpg",)),  # AgileRL imports peft without requiring it
)


def run(command: list[str]) -> tuple[bool, str]:
    """Return whether the command succeeded, and the last line of its output or of its error."""
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=one_thread, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return False, f"not finished after {LIMIT} seconds"
    succeeded = done.returncode == 0
    lines = (done.stdout if succeeded else done.stderr or done.stdout).strip().splitlines() or [""]
    errors = [line for line in lines if line.startswith("ERROR")]  # pip prints warnings after its errors
    return succeeded, (errors or lines)[-1].strip()


def install(integration: Integration, python: Path) -> tuple[bool, str]:
    if not python.exists():
        succeeded, line = run([sys.executable, "-m", "venv", "--upgrade-deps", str(python.parent.parent)])
        if not succeeded:
            return succeeded, line
    torch = re.search(r"^torch==\S+", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert torch is not None, "constraints.txt pins torch"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-compile"]
    return run([*pip, "--editable", ".[fast]", torch.group(), *integration.requirements])


def versions(integration: Integration, python: Path) -> str:
    names = [re.split(r"[\[<=>]", requirement)[0] for requirement in integration.requirements]
    succeeded, line = run([str(python), "-c", VERSIONS, *names, "torch", "gymnasium", "pettingzoo"])
    return ", ".join(f"{name} {version}" for name, version in json.loads(line).items()) if succeeded else line


def new_rows(integration: Integration, python: Path) -> dict[str, str]:
    """Install the library, run its examples, and return a row of the page for each example."""
    installed, pip_line = install(integration, python)
    installed_versions = versions(integration, python) if installed else ""
    rows = {}
    for example in integration.examples:
        result, last = f"pip: {pip_line}", ""
        if installed:
            start = time.perf_counter()
            succeeded, line = run([str(python), f"examples/{example}.py"])
            result, last = (f"ok, {time.perf_counter() - start:.0f} s", line) if succeeded else (line, "")
        cells = [integration.name, installed_versions, f"[{example}.py](../examples/{example}.py)", result, last]
        rows[example] = f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
        print(rows[example], flush=True)
    return rows


def old_rows() -> dict[str, str]:
    text = PAGE.read_text() if PAGE.exists() else ""
    return {row[1]: row[0] for row in re.finditer(r"^\|.*?\[(\w+)\.py\].*$", text, re.MULTILINE)}


def write(rows: dict[str, str]) -> None:
    PAGE.parent.mkdir(exist_ok=True)
    examples = [example for integration in INTEGRATIONS for example in integration.examples if example in rows]
    PAGE.write_text(HEAD + "".join(f"{rows[example]}\n" for example in examples))


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Run the examples of training libraries and write docs/INTEGRATIONS.md."
    )
    names = [integration.name for integration in INTEGRATIONS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names)}; all by default")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv" / "integrations", metavar="DIR")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(names):
        parser.error(f"NAME: expected some of {', '.join(names)}, got {', '.join(sorted(unknown))}")
    for integration in INTEGRATIONS:
        if not chosen.names or integration.name in chosen.names:
            python = chosen.environments.absolute() / integration.name / "bin" / "python"
            write({**old_rows(), **new_rows(integration, python)})


if __name__ == "__main__":
    main()
