"""`python tests/checkers/check.py FOLDER`: mypy finds each of the mistakes of `mistakes.py`, and nothing else.

FOLDER holds an installed copy of the package: a checker does not see through an editable install.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).with_name("mistakes.py")


def main(folder: str) -> int:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--cache-dir",
        os.devnull,
        FILE.name,
    ]
    environment = {**os.environ, "MYPYPATH": str(Path(folder).resolve())}
    said = subprocess.run(command, cwd=FILE.parent, env=environment, capture_output=True, text=True).stdout
    found = [int(line) for line in re.findall(rf"^{FILE.name}:(\d+): error", said, flags=re.MULTILINE)]
    made = [number for number, line in enumerate(FILE.read_text().splitlines(), 1) if line.endswith("# mistake")]
    if found == made:
        print(f"mypy finds all {len(made)} mistakes of {FILE.name}")
        return 0
    print(f"expected mypy's errors on the lines {made}, got {found}:\n{said}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
