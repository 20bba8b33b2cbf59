"""Measure the time from the import to the end of the first step, with an empty and a filled kernel cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

FIRST_STEP = """
import time
started = time.perf_counter()
import aucenv
{make}
print(time.perf_counter() - started)
"""
FIRST = {
    "AEC": "env = aucenv.english_v0(); env.reset(0); env.last(); env.step(1)",
    "batch": "import numpy; env = aucenv.english_v0.batch_env(4); env.reset(0); env.step(numpy.zeros((4, 3), int))",
    "rollout": "aucenv.rollout('english', 'standard-20k-random', ['rule'] * 3, 1)",
}


def time_first_steps() -> str:
    """Return a Markdown table of the seconds from the start of the import to the end of the first step.

    "cold" starts with an empty kernel cache, "cached" with the kernels of the cold run.
    """
    lines = ["## First step", "", "| form | cold, s | cached, s |", "|---|---:|---:|"]
    for form, make in FIRST.items():
        with tempfile.TemporaryDirectory() as cache:
            command = [sys.executable, "-c", FIRST_STEP.format(make=make)]
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            cold, cached = (
                float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)  # noqa: S603
                for _ in range(2)
            )
        lines.append(f"| {form} | {cold:.1f} | {cached:.1f} |")
    return "\n".join([*lines, ""])
