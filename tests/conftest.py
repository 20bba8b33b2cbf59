"""Configuration of all tests: deterministic hypothesis, and the option that rewrites golden playthroughs."""

from __future__ import annotations

import os
import sys

import hypothesis
import pytest

os.environ["OMP_NUM_THREADS"] = "1"  # a second torch thread on busy cores costs more time than it saves

# No deadline, because an example may compile a kernel.
hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="rewrite the golden playthroughs")


@pytest.fixture(autouse=True)
def close_connections():
    yield
    client = sys.modules.get("aucenv.baselines.llm.client")
    if client is not None:
        client.ENDPOINTS.close()
