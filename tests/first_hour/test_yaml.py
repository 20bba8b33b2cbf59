"""YAML is read as strictly as JSON, wherever a command reads it; an error names line and field."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from first_hour.lines import exit_status
from imports import SOURCES

from aucenv.core.formats.yaml_parser import read_yaml, to_yaml

READERS = {
    "leaderboard --config": ("games", "isolate"),
    "train league --preset": ("num_states", "counterfactual"),
    "train rlact --preset": ("num_states", "counterfactual"),
}
"""Command that reads a file of YAML, with the option -> a field that is a number, and one that is true or false."""

REFUSED = (
    ("NUMBER: 6\nNUMBER: 12\n", 2, "NUMBER: expected this field once, got it twice"),
    ("NUMBER: 6\n'NUMBER': 12\n", 2, "NUMBER: expected this field once, got it twice"),
    ("FLAG: &same true\n<<: {NUMBER: 6}\nNUMBER: 12\n", 2, "expected fields, got a merge key"),
    ("NUMBER: {a: 1, b: {c: 1, c: 2}}\n", 1, "NUMBER.b.c: expected this field once, got it twice"),
    ("# a comment\nNUMBER: 010\n", 2, "NUMBER: expected a ([a-z]+ )?number.*, got '010'"),
    ("NUMBER: 0o14\n", 1, "NUMBER: .*'0o14'"),
    ("NUMBER: 0b11\n", 1, "NUMBER: .*'0b11'"),
    ("NUMBER: 1:30\n", 1, "NUMBER: .*'1:30'"),
    ("NUMBER: 1_000\n", 1, "NUMBER: expected a ([a-z]+ )?number.*, got '1_000'"),
    ("NUMBER: 2026-11-27\n", 1, "NUMBER: .*'2026-11-27'"),
    ("NUMBER: .inf\n", 1, "NUMBER: expected a finite number, got .inf"),
    ("NUMBER: !!int '6'\n", 1, "NUMBER: expected a value without a tag"),
    ("FLAG: true\nNUMBER: *six\n", 2, "NUMBER: expected an anchor &six before"),
    ("\nFLAG: yes\n", 2, "FLAG: expected true or false, got 'yes'"),
    ("FLAG: off\n", 1, "FLAG: .*expected.* true"),
    ("NUMBER: 6\nnumbr: 6\n", 2, ".*numbr"),
    ("NUMBER: 6\n---\nNUMBER: 12\n", 2, "expected one document, got another one"),
    ("NUMBER: [6\n", None, "not YAML: .* in line 2"),
)
"""(the file, the line of the error, the error)"""
VALUES = ("NUMBER: 010", "NUMBER: .inf", "FLAG: yes", "numbr")
"""What stands in files that YAML allows, but that a command refuses by itself."""
CASES = [
    (words, *case)
    for words in READERS
    for case in REFUSED
    if words.startswith("leaderboard") or any(value in case[0] for value in VALUES)
]


def test_no_other_module_parses_yaml():
    """PyYAML's own loaders read YAML 1.1, and keep the last of fields with one name."""
    parsers = [name for name, path in SOURCES.items() if re.search(r"import yaml\b|safe_load", path.read_text())]
    assert parsers == ["aucenv.core.formats.yaml_parser"]


@pytest.mark.parametrize(("words", "text", "line", "problem"), CASES)
def test_other_readings_are_refused(words, text, line, problem, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for placeholder, name in zip(("NUMBER", "FLAG"), READERS[words], strict=True):
        text, problem = text.replace(placeholder, name), problem.replace(placeholder, name)
    (tmp_path / "settings.yaml").write_text(text)
    assert exit_status(f"{words} settings.yaml --out new") == 2
    err = capsys.readouterr().err
    place = "settings.yaml: " if line is None else f"settings.yaml:{line}: "
    assert re.search(re.escape(place) + problem, err), err
    assert [path.name for path in tmp_path.iterdir()] == ["settings.yaml"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("012", "012"),
        ("yes", "yes"),
        ("2026-11-27", "2026-11-27"),
        ("1:30", "1:30"),
        ("0x1F", 31),
        ("1e3", 1000.0),
        ("-1.5E-3", -0.0015),
        ("+.5", 0.5),
        ("~", None),
        ("", None),
        ("True", True),
        ("'true'", "true"),
        ("|\n  yes", "yes"),
        ("!!str 12", "12"),
        ("&a [1, &b x, *b]", [1, "x", "x"]),
    ],
)
def test_scalars_are_those_of_the_core_schema_without_octal_numbers(text, value, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text(f"field: {text}")
    data, lines = read_yaml(path)
    assert (data, lines) == ({"field": value}, {"field": 1})
    assert type(data["field"]) is type(value)


@pytest.mark.parametrize(
    "text", ["yes", "010", "1e3", "0o17", "1:30", "2026-11-27", "~", "<<", "=", "1_0", ".5", "", " x ", "a: b", "é"]
)
def test_what_is_written_is_read(text, tmp_path):
    data = {"text": text, "list": [text, 1, 2.5, True, None], "object": {text or "k": 1e300}}
    path = tmp_path / "x.yaml"
    path.write_text(to_yaml(data), encoding="utf-8")
    assert read_yaml(path)[0] == data


def test_aliases_cannot_multiply(tmp_path):
    names = "abcdefghi"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]" for before, name in pairwise(names)]
    path = tmp_path / "x.yaml"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=r"x.yaml:6: f\[0\]: expected at most 100,000 values, got more"):
        read_yaml(path)
