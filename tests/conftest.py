"""Fresh kernels: numba's cache notices a change in a kernel's own file, not in the files of kernels it calls."""

from __future__ import annotations

import hashlib
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("aucenv", "baselines", "benchmarks")

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="rewrite the golden playthroughs")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    sources = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    stamp = ROOT / ".pytest_cache" / "kernels"
    if not stamp.exists() or stamp.read_text() != digest:
        for room in ROOMS:
            for cached in (ROOT / room).rglob("*.nb[ci]"):
                cached.unlink()
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(digest)
