"""The commands that install extras."""

from __future__ import annotations

import json
import shlex
from importlib import metadata
from pathlib import Path

import pytest

from aucenv.core import extras
from aucenv.core.checks import MissingExtra

ROOT = Path(__file__).parents[2]


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Make aucenv look as if it were installed from a wheel, whose path is the argument, or from an index."""

    def install(wheel: Path | None) -> None:
        monkeypatch.setattr(extras, "__file__", str(tmp_path / "site-packages" / "aucenv" / "core" / "extras.py"))
        text = None if wheel is None else json.dumps({"url": wheel.as_uri(), "archive_info": {}})
        real = metadata.distribution("aucenv")
        monkeypatch.setattr(type(real), "read_text", lambda self, name: text if name == "direct_url.json" else None)
        extras.install_command.cache_clear()

    yield install
    extras.install_command.cache_clear()


def command(extra: str) -> list[str]:
    words = shlex.split(extras.install_command(extra))
    assert Path(words[0]).name == "pip"
    assert words[1] == "install"
    return words[2:]


def test_a_clone_is_installed_again_with_its_constraints():
    assert command("plot") == ["--constraint", f"{ROOT}/constraints.txt", "--editable", f"{ROOT}[plot]"]


def test_a_wheel_is_installed_again(installed, tmp_path):
    wheel = tmp_path / "a folder" / "aucenv-0.1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.write_text("")
    installed(wheel)
    assert command("llm") == [f"{wheel}[llm]"]


@pytest.mark.parametrize("wheel", [None, Path("/nope/aucenv-0.1.0-py3-none-any.whl")])
def test_otherwise_the_packages_are_listed(installed, monkeypatch, wheel):
    requires = [
        "numpy>=1.26",
        'numba>=0.60; extra == "fast"',
        'torch>=2.6; extra == "transformers"',
        'aucenv[fast,transformers]; extra == "rlact"',
        "trl<1.17,>=1.16; extra == 'rlact'",
    ]
    installed(wheel)
    monkeypatch.setattr(metadata, "requires", lambda name: requires)
    assert command("rlact") == ["numba>=0.60", "torch>=2.6", "trl<1.17,>=1.16"]


def test_every_extra_that_an_error_names_exists():
    named = set(metadata.metadata("aucenv").get_all("Provides-Extra"))
    assert {"llm", "transformers", "rlact", "plot", "stats", "export", "render", "fast"} <= named
    with pytest.raises(MissingExtra, match="--plot needs the extra plot: "):
        raise extras.missing_extra("--plot", "plot")


def test_a_missing_package_is_one_error():
    with (
        pytest.raises(MissingExtra, match=r"bidder 'x' \(no_such_package\) needs the extra llm: "),
        extras.explain_missing_package("bidder 'x'", "llm"),
    ):
        import no_such_package  # noqa: F401
