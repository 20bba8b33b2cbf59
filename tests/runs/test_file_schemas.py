"""The JSON Schema of records takes what the checks of files take, and refuses wrong types, fields and ranges."""

from __future__ import annotations

import copy
import json

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import aucenv
from aucenv.cli import app
from aucenv.core.formats.schema import Schema
from aucenv.records import file_schema
from aucenv.registration import FAMILIES
from aucenv.runs.file_schemas import to_json_schema
from aucenv.runs.records import read_records


def record_of(game):
    family = FAMILIES[game]
    scenario = family.game.load_scenario(family.game.default_scenario)
    record = aucenv.play(game, scenario, ["random"] * len(scenario.bidders), 1)
    return json.loads(record.to_json())


def set_in(data, path, value):
    changed = copy.deepcopy(data)
    *parents, last = path
    target = changed
    for part in parents:
        target = target[part]
    if value is KeyError:
        del target[last]
    else:
        target[last] = value
    return changed


CHANGES = [
    (("version",), 99),
    (("version",), KeyError),
    (("env_version",), "0"),
    (("index",), -1),
    (("seed",), [-3]),
    (("seed",), 5),
    (("seats",), []),
    (("seats", 0, "bidder"), " "),
    (("seats", 0, "taste"), "sour"),
    (("deal", "seats"), None),
    (("deal", "weather"), "rain"),
    (("decisions", 0, "round"), "first"),
    (("decisions", 0, "amount"), "much"),
    (("decisions", 0, "notes", "rule"), 7),
    (("outcome", "status"), "paused"),
    (("outcome", "seats", 0), 3),
    (("outcome", "seats", 0, "weather"), "rain"),
]


@pytest.mark.parametrize("game", list(FAMILIES))
def test_a_record_fits_and_changed_ones_do_not(game, tmp_path):
    record = record_of(game)
    validator = Draft202012Validator(file_schema("games", game))
    Draft202012Validator.check_schema(validator.schema)
    assert validator.is_valid(record)
    file = tmp_path / "games.jsonl"
    for path, value in CHANGES:
        changed = set_in(record, path, value)
        file.write_text(json.dumps(changed) + "\n")
        with pytest.raises(ValueError):  # noqa: PT011  (tests of records check the messages)
            list(read_records(file))
        assert not validator.is_valid(changed), (path, value)


@pytest.mark.parametrize("game", list(FAMILIES))
def test_the_schema_without_a_game_takes_records_of_all(game):
    validator = Draft202012Validator(file_schema())
    record = record_of(game)
    assert validator.is_valid(record)
    assert not validator.is_valid(set_in(record, ("seed",), "one"))


def test_a_results_folder_fits(tmp_path):
    lineup = ["--bidder", "llm:scripted", "--bidder", "rule", "--bidder", "value"]
    assert CliRunner().invoke(app, ["leaderboard", *lineup, "--games", "3", "--set", "num_items=2", "--out", str(tmp_path / "run")]).exit_code == 0  # fmt: skip
    for file, lines in (
        ("games", (tmp_path / "run" / "games.jsonl").read_text().splitlines()),
        ("calls", (tmp_path / "run" / "calls.jsonl").read_text().splitlines()),
        ("run", [(tmp_path / "run" / "run.json").read_text()]),
    ):
        validator = Draft202012Validator(file_schema(file))
        Draft202012Validator.check_schema(validator.schema)
        assert lines
        for line in lines:
            assert validator.is_valid(json.loads(line)), file
        assert not validator.is_valid({**json.loads(lines[0]), "weather": "rain"})


def test_the_command_prints_the_schema():
    done = CliRunner().invoke(app, ["records", "schema", "games", "--game", "clock"])
    assert json.loads(done.stdout) == file_schema("games", "clock")
    assert "clock" in json.loads(done.stdout)["title"]


def test_unknown_files_and_schemas_are_refused():
    with pytest.raises(ValueError, match="expected one of games, calls, run, got 'tables'"):
        file_schema("tables")
    with pytest.raises(TypeError, match="got a Schema"):
        to_json_schema(Schema())
