"""Errors of commands name the option that was typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from first_hour.commands import COMMANDS, options_for_paths

from aucenv.commands.options.errors import PATHS, explain


def test_all_options_for_paths_are_known():
    assert len(COMMANDS) > 20
    assert {option for function in COMMANDS.values() for option in options_for_paths(function)} == set(PATHS)


@pytest.mark.parametrize("order", [1, -1])
def test_a_folder_with_the_name_of_a_preset_is_that_of_the_option_for_folders(order):
    pairs = [("--preset", "tiny"), ("--out", "tiny")][::order]
    typed = ["train", "rlact", *(word for pair in pairs for word in pair)]
    assert explain(ValueError("tiny: holds a run"), typed) == "--out: tiny: holds a run"
    assert explain(ValueError("tiny/settings.json: holds other settings"), typed).startswith("--out: ")
    assert explain(ValueError("tiny: no such preset"), ["train", "rlact", "--preset", "tiny"]).startswith("--preset: ")
    missing = FileNotFoundError(2, "No such file", str(Path("tiny") / "model"))
    assert explain(missing, typed) == "--out: cannot use 'tiny/model': no such file"
