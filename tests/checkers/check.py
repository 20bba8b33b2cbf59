"""Check that mypy finds each of the mistakes in `mistakes.py`, and nothing else.

Run `python tests/checkers/check.py FOLDER OPTION...`. FOLDER holds an installed copy of the package, because type
checkers do not see the modules of an editable install. mypy starts in it, with these options.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).with_name("mistakes.py")


def main(folder: str, *options: str) -> int:
    command = [sys.executable, "-m", "mypy", *options, str(FILE.resolve())]
    environment = {**os.environ, "MYPYPATH": "."}
    output = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True).stdout
    errors = [int(line) for line in re.findall(rf"{FILE.name}:(\d+): error", output, flags=re.MULTILINE)]
    mistakes = [number for number, line in enumerate(FILE.read_text().splitlines(), 1) if line.endswith("# mistake")]
    if errors == mistakes:
        print(f"mypy finds all {len(mistakes)} mistakes in {FILE.name}")
        return 0
    print(f"expected mypy's errors on the lines {mistakes}, got {errors}:\n{output}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
