"""The script that tries mutants: those of this checkout can be tried, and of others it says what becomes of them."""

from __future__ import annotations

import json

import pytest
from mutants import MutantError, chosen_mutants, load_mutants, main
from paths import ROOT

MUTANTS = load_mutants()
SUM = "def add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return a + a\n"
TESTS = {
    "sound": "import pytest\nfrom aucenv.sums import add\n\n\n"
    "@pytest.mark.parametrize('b', [2, 3], ids=['the same', 'another one'])\n"
    "def test_add(b):\n    assert add(2, b) == 2 + b\n",
    "broken": "def test_nothing():\n    assert False\n",
}
FAULTS = """
[rules."a difference"]
file = "aucenv/sums.py"
old = "a + b"
new = "a - b"
tests = ["tests/test_sound.py"]

[rules."a product"]
file = "aucenv/sums.py"
old = "a + a"
new = "2 * a"
tests = ["tests/test_sound.py"]

[text."a test that always fails"]
file = "aucenv/sums.py"
old = "a + a"
new = "3 * a"
tests = ["tests/test_broken.py"]
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout of one module and two files of tests, with its mutants, where pytest starts quickly."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    files = {"aucenv/__init__.py": "", "aucenv/sums.py": SUM, "pyproject.toml": "", "mutants.toml": FAULTS}
    for name, text in {**files, **{f"tests/test_{name}.py": text for name, text in TESTS.items()}}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_each_room_has_ten_mutants_of_which_all_can_be_tried():
    rooms = [mutant.room for mutant in MUTANTS]
    assert {room: rooms.count(room) for room in rooms} == dict.fromkeys(
        ("rules", "views", "text", "records", "runs", "commands"), 10
    )
    assert all(mutant.applied(ROOT) for mutant in MUTANTS)


def test_a_mutant_is_killed_by_a_test_or_survives(checkout, capsys):
    results = checkout / "results.json"
    assert main(["--room", "rules", "--json", str(results)], checkout / "mutants.toml", checkout) == 1
    first, second, end = capsys.readouterr().out.splitlines()
    assert first.split()[:3] == ["rules", "a", "difference"]
    assert first.endswith(" s  tests/test_sound.py::test_add[the same]")
    assert second.endswith(" s  SURVIVES")
    assert end == "1 of 2 mutants are killed, 1 survive"
    killed = {result["name"]: result["killed_by"] for result in json.loads(results.read_text())}
    assert killed == {"a difference": "tests/test_sound.py::test_add[the same]", "a product": ""}
    assert (checkout / "aucenv" / "sums.py").read_text() == SUM


def test_a_test_that_fails_without_the_mutant_kills_nothing(checkout, capsys):
    assert main(["--only", "always"], checkout / "mutants.toml", checkout) == 2
    error, end = capsys.readouterr().out.splitlines()
    assert end == "0 of 1 mutants are killed, 0 survive"
    assert error == (
        "text, a test that always fails: expected tests that pass without it, but tests/test_broken.py::test_nothing fails"
    )


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (
            ("a + b", "b + a"),
            [],
            "rules, a difference: expected 'a + b' once in aucenv/sums.py, but it is there 0 times",
        ),
        (
            ("a + a", "a + b"),
            [],
            "rules, a difference: expected 'a + b' once in aucenv/sums.py, but it is there 2 times",
        ),
        (None, [], "rules, a difference: expected 'a + b' once in aucenv/sums.py, but there is no such file"),
        ((), ["--room", "rule"], "--room: expected one of rules, text, got 'rule'"),
        ((), ["--only", "quotient"], "--only: expected a part of a mutant's name, got 'quotient'"),
    ],
)
def test_mutants_that_are_not_there_are_named(checkout, change, arguments, message, capsys):
    file = checkout / "aucenv" / "sums.py"
    if change is None:
        file.unlink()
    elif change:
        file.write_text(SUM.replace(*change))
    assert main(arguments, checkout / "mutants.toml", checkout) == 2
    assert capsys.readouterr().err == f"{message}\n"


def test_mutants_are_chosen_by_rooms_and_parts_of_names(checkout):
    path = checkout / "mutants.toml"
    names = [[mutant.name for mutant in chosen_mutants(*options, path)] for options in (((), ()), (["text"], ()))]
    assert names == [["a difference", "a product", "a test that always fails"], ["a test that always fails"]]
    assert len(chosen_mutants(["rules", "text"], ["product", "always"], path)) == 2


def test_files_of_tests_that_are_not_there_are_named(checkout):
    (checkout / "tests" / "test_sound.py").unlink()
    with pytest.raises(MutantError, match=r"expected files of tests, but there is no tests/test_sound\.py"):
        load_mutants(checkout / "mutants.toml")[0].applied(checkout)
