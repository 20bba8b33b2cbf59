"""Each public function has an example in its docstring, and all examples print what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
from functools import cache

import pytest
from doc_pages import DOCS
from run_command import command

from aucenv import registration

sys.path.append(str(DOCS))
from generated_pages import API

MODULES = ("aucenv", *API.values())


@cache
def public_functions():
    modules = map(importlib.import_module, MODULES)
    named = [getattr(module, name) for module in modules for name in module.__all__]
    return {f"{each.__module__}.{each.__qualname__}": each for each in named if inspect.isfunction(each)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the run and the game that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    players = ("--bidder", "llm:scripted", "--bidder", "rule", "--games", "3")
    assert command("leaderboard", *players, "--out", folder / "run") == 0
    assert command("new", "game", folder / "corner_shop") == 0
    return folder


def examples_of(name):
    test, *_ = doctest.DocTestFinder(recurse=False, exclude_empty=False).find(public_functions()[name], name, globs={})
    return test


@pytest.mark.parametrize("name", public_functions())
def test_functions_have_an_example_that_can_be_copied(name):
    first, *_ = examples_of(name).examples
    assert first.source.startswith(("import ", "from "))


@pytest.mark.docs
@pytest.mark.parametrize("name", public_functions())
def test_examples_print_what_they_say(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder / "corner_shop" / "src")
    monkeypatch.setattr(registration, "FAMILIES", dict(registration.FAMILIES))
    report = []
    assert doctest.DocTestRunner().run(examples_of(name), out=report.append).failed == 0, "".join(report)
