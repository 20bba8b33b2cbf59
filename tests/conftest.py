"""What all tests share: repeatable hypothesis, and the option that rewrites golden playthroughs."""

from __future__ import annotations

import hypothesis
import pytest

# a kernel may be compiled while an example is drawn
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
