from __future__ import annotations

import json

import pytest
from mutations import sample

from aucenv.core.files import read_lines, read_object
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.formats.schema import (
    ANY_JSON,
    BOOLEAN,
    MISFIT,
    NONEMPTY_TEXT,
    TEXT,
    ListOf,
    MapOf,
    Object,
    Optional,
    Row,
    choice,
    number,
    whole,
)
from aucenv.core.words.money import Dollars

SCHEMA = Object(
    {
        "item": whole(0, 9),
        "amount": Optional(Dollars(0, 100)),
        "rows": ListOf(Row(NONEMPTY_TEXT, number(-1, 1)), 1, 3),
        "status": choice("on", "off"),
    },
    {"flags": MapOf(BOOLEAN), "notes": Object({}, {"rule": TEXT}, rest=ANY_JSON)},
)
GOOD = {
    "item": 3,
    "amount": 0.25,
    "rows": [["a", 0.5], ["b", -1]],
    "status": "on",
    "flags": {"x": True},
    "notes": {"rule": "r", "other": [{"deep": [1, None]}]},
}


def test_data_that_fits_has_its_number_of_fields():
    line = json.dumps(GOOD, separators=(",", ":"))
    assert SCHEMA.count_fields([GOOD, GOOD]) == 2 * line.count('":')
    assert SCHEMA.check(GOOD, "f") is GOOD
    assert SCHEMA.count_fields([]) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"item": 10}, "f:1: item: expected a whole number from 0 to 9, got 10"),
        ({"item": True}, "f:1: item: expected a whole number from 0 to 9, got True"),
        ({"item": 3.0}, "f:1: item: expected a whole number from 0 to 9, got 3.0"),
        ({"amount": 0.125}, "f:1: amount: expected dollars from 0 to 100 in whole cents, or null, got 0.125"),
        ({"amount": "1"}, "f:1: amount: expected dollars from 0 to 100 in whole cents, or null, got '1'"),
        ({"rows": []}, "f:1: rows: expected a list of at least 1, got 0"),
        ({"rows": [["a", 1], ["b"]]}, r"f:1: rows[1]: expected a list of 2, got ['b']"),
        ({"rows": [["a", 1], [" ", 1]]}, "f:1: rows[1][0]: expected some text, got ' '"),
        ({"status": "of"}, "f:1: status: expected one of on, off, got 'of'"),
        ({"status": ["on"]}, "f:1: status: expected one of on, off, got ['on']"),
        ({"flags": {"x": True, "y y": 1}}, "f:1: flags['y y']: expected true or false, got 1"),
        ({"notes": {"rule": 1}}, "f:1: notes.rule: expected a text, got 1"),
        ({"notes": None}, "f:1: notes: expected an object, got None"),
        ({"flag": {}}, "f:1: flag: expected only the fields item, amount, rows, status, flags, notes, got this one"),
    ],
)
def test_the_error_names_the_value_and_what_is_expected(changes, message):
    data = {**GOOD, **changes}
    assert SCHEMA.count_fields([GOOD, data]) == MISFIT
    with pytest.raises(ValueError, match="f:1") as error:
        SCHEMA.check(data, "f:1")
    assert str(error.value) == message


def test_a_misspelt_field_is_suggested():
    data = {name.replace("status", "statsu"): value for name, value in GOOD.items()}
    with pytest.raises(ValueError, match=r"f: statsu: .* got this one \(did you mean 'status'\?\)"):
        SCHEMA.check(data, "f")
    with pytest.raises(ValueError, match="f: status: expected this field, got none"):
        SCHEMA.check({name: value for name, value in GOOD.items() if name != "status"}, "f")


def test_every_mutation_that_does_not_fit_is_explained():
    """`explain` finds a value at fault whenever `count_fields` does: it never ends at the whole object."""
    refused = 0
    for _, _, line in sample(GOOD, 400, 0):
        try:
            data = parse_json(line, "f")
        except ValueError:
            continue
        if SCHEMA.count_fields([data]) == MISFIT:
            with pytest.raises(ValueError, match=r"^f: [\w'\[\]. ]+: expected "):
                SCHEMA.check(data, "f")
            refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1,"b":{"c":2,"c":2}}', "f: b.c: expected this field once, got it twice"),
        ('{"a":[1,NaN]}', r"f: a\[1\]: expected a finite number, got NaN"),
        ('{"a":-Infinity}', "f: a: expected a finite number, got -Infinity"),
        ('{"a":1e999}', "f: a: expected a finite number, got 1e999"),
        ('{"a":' + "1" * 5000 + "}", "f: a: expected a number, got 5,000 digits"),
        ('{"a":"\\ud800"}', "f: a: expected valid Unicode text, got an unpaired surrogate"),
        ('{"\\udfff":1}', "f: expected valid Unicode text, got a field"),
        ('{"a":' + "[" * 70 + "]" * 70 + "}", r"f: a\[0\].*: expected at most 64 nested lists and objects, got more"),
        ("[" * 100_000, "f: not JSON: "),
        ('{"a":1', "f: not JSON: "),
    ],
)
def test_what_pythons_parser_lets_pass_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text, "f")


def test_pairs_of_surrogates_are_text():
    assert parse_json('{"a":"\\ud83d\\ude00"}', "f") == {"a": "\U0001f600"}


def test_files_over_the_limit_are_refused(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(ValueError, match=r"x.json: expected a file of at most 64 MiB, got a larger one"):
        read_object(path)
    with pytest.raises(ValueError, match=r"x.json:1: expected a line of at most 64 MiB, got a larger one"):
        list(read_lines(path))
