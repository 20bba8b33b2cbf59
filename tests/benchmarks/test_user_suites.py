"""Suites of the user's own."""

from __future__ import annotations

import json

import pytest
from run_command import command, command_output

TABLE = {
    "name": "thirsty",
    "scenario": "low",
    "rivals": ["thirst", "share", "saver", "outbid"],
    "seed": 5,
}
SUITE = {
    "name": "mine",
    "version": 3,
    "sizes": {"S": 10, "M": 11, "L": 12},
    "games": {"water_allocation": {"tables": [TABLE, {**TABLE, "name": "patient", "seed": 6, "seats": [1, 3]}]}},
}


def call(capsys, *arguments):
    return command_output(capsys, "benchmark", *arguments)


def write(path, data):
    path.write_text(json.dumps(data))
    return path


def changed(suite=SUITE, **table):
    """Return a suite whose first table has other fields."""
    return {**suite, "games": {"water_allocation": {"tables": [{**TABLE, **table}]}}}


def test_a_user_suite_is_played_extended_verified_and_listed(tmp_path, capsys):
    suite, run = write(tmp_path / "mine.json", SUITE), tmp_path / "run"
    options = ("--suite", suite, "--bidder", "planner", "--bidder", "random", "--out", run)
    code, printed, errors = call(capsys, *options)
    assert code == 0, errors
    assert "the references of 24 deals of mine are computed first: about 1 second" in errors
    assert "mine, size S, suite hash" in printed
    references = json.loads((tmp_path / "mine.references.json").read_text())
    thirsty = references["tables"]["water_allocation/thirsty"]
    assert len(thirsty["one"]) == 12
    assert sum(thirsty["one"]) > sum(thirsty["zero"])
    code, printed, errors = call(capsys, *options, "--size", "L", "--by-table")
    assert code == 0, errors
    assert "computed" not in errors
    assert "thirsty" in printed
    assert len((run / "games.jsonl").read_text().splitlines()) == 48
    rows = {row["bidder"]: row["overall"] for row in json.loads((run / "table.json").read_text())}
    assert rows["random"] == 0
    code, printed, errors = call(capsys, "verify", run)
    assert code == 0, errors
    assert "mine, size L" in printed
    assert "48 games, no problem" in printed
    command("records", "table", run)
    assert "patient" in capsys.readouterr().out


def test_references_are_computed_again_if_the_suite_or_its_games_change(tmp_path, capsys):
    suite, file = write(tmp_path / "mine.json", changed()), tmp_path / "mine.references.json"
    options = ("--suite", suite, "--bidder", "planner")
    assert call(capsys, *options)[0] == 0
    computed = json.loads(file.read_text())
    write(
        file, {**computed, "tables": json.loads(json.dumps(computed["tables"]).replace('"zero": [', '"zero": [99, '))}
    )
    assert "tables.water_allocation/thirsty: expected as many scores in zero as in one" in call(capsys, *options)[2]
    other = json.loads(json.dumps(computed))
    other["tables"]["water_allocation/thirsty"]["one"][1] += 1  # as an earlier version of the game would have it
    write(file, other)
    assert "computed again, because the suite or a game has changed" in call(capsys, *options)[2]
    assert json.loads(file.read_text()) == computed
    write(suite, changed(seed=6))
    assert "computed again" in call(capsys, *options)[2]
    assert json.loads(file.read_text()) != computed


def test_private_deals_at_the_tables_of_a_user_suite(tmp_path, capsys):
    suite, deals = write(tmp_path / "mine.json", changed()), tmp_path / "deals.jsonl"
    deals.write_text("".join(f'{{"game": "water_allocation", "seed": [9, {number}]}}\n' for number in range(3)))
    options = ("--suite", suite, "--deals", deals, "--bidder", "share", "--out", tmp_path / "run")
    code, printed, errors = call(capsys, *options)
    assert code == 0, errors
    assert "mine, private deals" in printed
    code, printed, errors = call(capsys, "verify", tmp_path / "run")
    assert code == 0, errors
    assert "3 games, no problem" in printed


def test_verification_detects_a_changed_suite(tmp_path, capsys):
    suite, run = write(tmp_path / "mine.json", changed()), tmp_path / "run"
    assert call(capsys, "--suite", suite, "--bidder", "share", "--out", run)[0] == 0
    settings = json.loads((run / "run.json").read_text())
    for field, value, message in (
        ("rivals", ["share", "share", "saver", "outbid"], "expected the references of the deals of the run, got none"),
        ("seats", [0, 9], "settings.suite_data: games.water_allocation.tables.0.seats: expected different numbers"),
        ("scenario", "/etc/passwd.json", "scenario: expected a name or the data of a scenario"),
    ):
        forged = json.loads(json.dumps(settings))
        forged["settings"]["suite_data"]["games"]["water_allocation"]["tables"][0][field] = value
        write(run / "run.json", forged)
        code, _, errors = call(capsys, "verify", run)
        assert code == 1
        assert message in errors
    write(run / "run.json", settings)
    references = json.loads((run / "references.json").read_text())
    write(run / "references.json", {**references, "tables": {}})
    assert "tables.water_allocation/thirsty: expected the scores of 10 deals, got 0" in call(capsys, "verify", run)[2]


def test_a_table_without_a_scale_is_an_error_that_names_it(tmp_path, capsys):
    """The reference hardly scores more than `random` if every seat lives as long in any case."""
    suite = write(tmp_path / "mine.json", changed(scenario="low,days=1"))
    code, _, errors = call(capsys, "--suite", suite, "--bidder", "share")
    assert code == 2
    assert "table water_allocation/thirsty: expected a reference that scores clearly more than 'random'" in errors
    assert not (tmp_path / "mine.references.json").exists()


GAMES = {"water_allocation": {"tables": [TABLE]}}


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ({**SUITE, "name": "aucenv-1"}, "mine.json: name: expected up to 61 lower-case letters"),
        ({**SUITE, "name": "../mine"}, "mine.json: name: expected up to 61 lower-case letters"),
        ({**SUITE, "games": {}}, "mine.json: games: expected at least one, got none"),
        ({**SUITE, "games": {"chess": {"tables": [TABLE]}}}, "mine.json: game: expected one of english"),
        ({**SUITE, "sizes": {"S": 9, "M": 4, "L": 16}}, "mine.json: sizes: expected S, M and L in ascending order"),
        ({**SUITE, "bidders": []}, "mine.json: bidders: expected only the fields name, version, games, sizes"),
        ({**SUITE, "games": {"water_allocation": {"tables": []}}}, "tables: expected a list of at least 1, got 0"),
        ({**SUITE, "games": {"water_allocation": {"tables": [TABLE, TABLE]}}}, "tables: expected different names"),
        (
            {**SUITE, "games": {"water_allocation": {"tables": [TABLE], "deals": 2000}}},
            "deals: expected at most 10,000",
        ),
        (changed(scenario="wet"), "tables.0: scenario: expected one of"),
        (changed(scenario=7), "tables.0.scenario: expected a name, a file or the data of one, got 7"),
        (changed(scenario="absent.json"), "absent.json"),
        (changed(rivals=["share"]), "tables.0.rivals: expected 4, one for each other seat of the scenario, got 1"),
        (changed(rivals=["llm:gpt-4o"] * 4), "tables.0.rivals: rule bidder of water_allocation: expected one of"),
        (changed(rivals=["share,of=3"] * 4), "tables.0.rivals: bidder 'share,of=3'"),
        (changed(seats=[5]), "tables.0.seats: expected different numbers from 0 to 4, got [5]"),
        (changed(seats=[0, 0]), "tables.0.seats: expected different numbers from 0 to 4, got [0, 0]"),
        (
            {**SUITE, "games": {"water_allocation": {"tables": [TABLE], "reference": "judge"}}},
            "tables.0: reference 'judge'",
        ),
        (
            {**SUITE, "games": {"water_allocation": {"tables": [TABLE], "reference": "best response"}}},
            "tables.0: reference 'best response'",
        ),
    ],
)
def test_a_file_that_is_no_suite_is_an_error_that_names_the_field(tmp_path, capsys, suite, message):
    code, printed, errors = call(capsys, "--suite", write(tmp_path / "mine.json", suite), "--bidder", "random")
    assert code == 2
    assert message in errors
    assert not printed
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]


def test_scenarios_of_a_suite_may_be_files(tmp_path, capsys):
    from aucenv.benchmarks.benchmark.user_suites import read_user_suite

    from aucenv.registration import find_family

    scenario = find_family("water_allocation").game.load_scenario("low").to_dict()
    write(tmp_path / "dry.json", scenario)
    suite = read_user_suite(write(tmp_path / "mine.json", changed(scenario="dry.json")))
    assert suite.tables["water_allocation"][0].deal(0).loaded.to_dict() == scenario
