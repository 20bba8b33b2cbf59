"""Configuration of all tests: deterministic hypothesis, the order of test files, and the option that rewrites golden files."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator

import hypothesis
import pytest
from forks import Forks
from xdist.scheduler import LoadFileScheduling

os.environ["OMP_NUM_THREADS"] = "1"  # a second torch thread on busy cores costs more time than it saves

# No deadline, because an example may compile a kernel.
hypothesis.settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
# For mutants, of which it is enough that an example fails.
hypothesis.settings.register_profile(
    "unshrunk",
    hypothesis.settings.get_profile("repeatable"),
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

LONGEST = (
    "training/",
    "baselines/llm/test_local_models.py",
    "benchmarks/test_studies.py",
    "core/test_b",
    "test_plug_ins.py",
    "runs/cluster/",
    "testing/",
    "docs/",
)
"""What takes longest, in this order: a long file that starts last keeps one process busy while the other idles."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> int:
        path = item.nodeid.removeprefix("tests/")
        return next((place for place, start in enumerate(LONGEST) if path.startswith(start)), len(LONGEST))

    items.sort(key=place)  # the sort is stable, so the other files stay in their order


class FileScheduling(LoadFileScheduling):
    """Run all tests of a file in one process, so that its fixtures are set up once, and all of training, for its imports."""

    def _split_scope(self, nodeid: str) -> str:
        return "training" if nodeid.startswith("tests/training/") else super()._split_scope(nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, because what is collected stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Let the garbage collector skip what is imported and collected, and run less often, which saves a tenth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FileScheduling | None:
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-golden", action="store_true", help="rewrite the golden playthroughs")


@pytest.fixture(scope="session", autouse=True)
def default_interrupts():
    """Let Ctrl-C reach tests and the processes that they start, as in a terminal.

    A script starts its background processes with SIGINT ignored, which they and their children inherit.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module", autouse=True)
def same_signals():
    """Handle signals after a module as before it: Ray, for one, handles SIGTERM from its start on."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def close_connections():
    yield
    connection = sys.modules.get("aucenv.baselines.llm.endpoints.connection")
    if connection is not None:
        connection.CONNECTIONS.close()


@pytest.fixture(autouse=True)
def forget_refused_parameters():
    """The system gives a server's port to a later test's server, which may refuse other parameters."""
    yield
    refused = sys.modules.get("aucenv.baselines.llm.endpoints.attempts")
    if refused is not None:
        refused.REFUSED.clear()


@pytest.fixture(scope="session")
def forks(tmp_path_factory):
    """Copies of a process that has imported the package, and compiled nothing."""
    with Forks(tmp_path_factory.mktemp("forks")) as forks:
        yield forks


@pytest.fixture(scope="session")
def chromium():
    """Start the browser of tests with the marker `web`, once in each process."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "expected Chromium: `make web` installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
