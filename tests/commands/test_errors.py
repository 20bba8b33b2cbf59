"""Errors of commands name the option that was typed."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from aucenv.cli import app
from aucenv.commands.errors import PATHS, explain


def callbacks(group):
    """Yield the functions of all commands."""
    for each in (*group.registered_commands, group.registered_callback):
        if each is not None:
            yield each.callback
    for inner in group.registered_groups:
        yield from callbacks(inner.typer_instance)


def options_for_paths(function):
    for name, hint in typing.get_type_hints(function, include_extras=True).items():
        declared = [each for each in getattr(hint, "__metadata__", ()) if type(each).__name__ == "OptionInfo"]
        if declared and "Path" in str(hint.__origin__):
            words = (declared[0].default, *(declared[0].param_decls or ()))
            names = [each for each in words if isinstance(each, str) and each.startswith("--")]
            yield names[0] if names else f"--{name.replace('_', '-')}"


def test_all_options_for_paths_are_known():
    functions = list(callbacks(app))
    assert len(functions) > 20
    assert {option for function in functions for option in options_for_paths(function)} == set(PATHS)


@pytest.mark.parametrize("order", [1, -1])
def test_a_folder_with_the_name_of_a_preset_is_that_of_the_option_for_folders(order):
    pairs = [("--preset", "tiny"), ("--out", "tiny")][::order]
    typed = ["train", "rlact", *(word for pair in pairs for word in pair)]
    assert explain(ValueError("tiny: holds a run"), typed) == "--out: tiny: holds a run"
    assert explain(ValueError("tiny/settings.json: holds other settings"), typed).startswith("--out: ")
    assert explain(ValueError("tiny: no such preset"), ["train", "rlact", "--preset", "tiny"]).startswith("--preset: ")
    missing = FileNotFoundError(2, "No such file", str(Path("tiny") / "model"))
    assert explain(missing, typed) == "--out: cannot use 'tiny/model': no such file"
