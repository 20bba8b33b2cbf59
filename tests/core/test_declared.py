"""Declared fields: what they need, the arguments that follow from them, and scenarios in files of all kinds."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import pytest

from aucenv.cli import main
from aucenv.core.declared import DeclarationError, Declared, Money, OrNone, Parts, Range, Whole, declarations
from aucenv.core.game import GameError
from aucenv.core.scenarios import PlainScenario, arguments
from aucenv.envs.water_allocation.game import Resident, WaterScenario
from aucenv.registration import FAMILIES

SEALED, WATER = FAMILIES["sealed_bid"].game, FAMILIES["water_allocation"].game


@dataclasses.dataclass(frozen=True)
class Plain(Declared):
    number: int = 3


@dataclasses.dataclass(frozen=True)
class WithoutHelp(Declared):
    number: Annotated[int, Whole(1, 5)] = 3


@dataclasses.dataclass(frozen=True)
class WithoutRange(Declared):
    number: Annotated[int, "A number."] = 3


@dataclasses.dataclass(frozen=True)
class OutsideItsRange(Declared):
    number: Annotated[int, Whole(1, 5), "A number."] = 6


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (Plain, r"Plain.number: expected Annotated\[TYPE, ACCEPTS, HELP\]"),
        (WithoutHelp, r"WithoutHelp.number: expected Annotated"),
        (WithoutRange, r"WithoutRange.number: expected Annotated"),
        (OutsideItsRange, r"OutsideItsRange.number: default: expected a whole number from 1 to 5, got 6"),
    ],
)
def test_a_field_needs_a_range_a_help_and_a_default_in_its_range(kind, problem):
    with pytest.raises(DeclarationError, match=problem):
        declarations(kind)


def test_a_game_with_a_bad_declaration_is_refused_by_name():
    @dataclasses.dataclass(frozen=True)
    class Bad(PlainScenario):
        reserve: float = 0

    game = dataclasses.replace(SEALED, Scenario=Bad)
    with pytest.raises(GameError, match=r"game 'sealed_bid': .*Bad.reserve: expected Annotated"):
        game.check()


@pytest.mark.parametrize("game", FAMILIES)
def test_every_argument_is_declared_and_stands_on_the_page(game):
    family = FAMILIES[game]
    table = family.__doc__.split("**Arguments**")[1]
    for name, declared in arguments(family.game.Scenario).items():
        row = next(line for line in table.splitlines() if line.startswith(f"| {name} | "))
        assert declared.help in row
        assert declared.accepts.words in row


@pytest.mark.filterwarnings("ignore:.*bid_cap")
@pytest.mark.parametrize("game", FAMILIES)
def test_scenarios_are_the_same_in_json_and_yaml(game, tmp_path):
    declared = FAMILIES[game].game
    for name in list(declared.scenarios)[:3]:
        scenario = declared.load_scenario(name)
        for suffix in ("json", "yaml", "yml"):  # JSON is YAML
            (tmp_path / f"s.{suffix}").write_text(json.dumps(scenario.to_dict()))
            assert declared.load_scenario(str(tmp_path / f"s.{suffix}")) == scenario


def test_a_yaml_file_names_the_line_of_a_bad_field(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nnum_bidders: 4\nbid_cap: -5\n")
    with pytest.raises(ValueError, match=r"mine.yaml:3: bid_cap: expected dollars between 0.01"):
        SEALED.load_scenario(str(file))
    file.write_text("name: mine\nbid_capp: 5\n")
    with pytest.raises(ValueError, match=r"mine.yaml:2: bid_capp: expected one of .*did you mean 'bid_cap'"):
        SEALED.load_scenario(str(file))


def test_a_scenario_in_a_csv_file_has_a_row_of_fields_and_one_of_values(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text('num_bidders,bid_cap,value_range,pricing\n4,null,"[0, 50]",second\n')
    loaded = SEALED.load_scenario(str(file))
    assert (loaded.num_bidders, loaded.bid_cap, loaded.value_range, loaded.pricing) == (4, None, (0, 50), "second")
    file.write_text("num_bidders\n4\n5\n")
    with pytest.raises(ValueError, match=r"mine.csv:3: expected one scenario, got 2 rows"):
        SEALED.load_scenario(str(file))
    file.write_text("num_biders\n4\n")
    with pytest.raises(ValueError, match=r"mine.csv:2: num_biders: expected one of .*did you mean 'num_bidders'"):
        SEALED.load_scenario(str(file))


def test_arguments_of_text_may_be_null_and_objects():
    schedule = ",".join(["15"] * 20)
    assert WATER.load_scenario(f"low,supply_schedule=[{schedule}]").supply_schedule == (15,) * 20
    assert SEALED.load_scenario("second-ipv,bid_cap=null").bid_cap is None
    two = '[{"name": "Ann", "need": 5, "salary": 90}, {"name": "Ben", "need": 6, "salary": 80.5}]'
    scenario = WATER.load_scenario(f"low,residents={two}")
    assert [resident.salary for resident in scenario.residents] == [90, 80.5]


@pytest.mark.parametrize(
    ("accepts", "value", "problem"),
    [
        (Range(Money(0)), [5], "expected .least, highest., got"),
        (Range(Money(0)), [5, 3], "expected the least at most the highest"),
        (Range(Money(0), distinct=True), [5, 5], "expected the least below the highest"),
        (Range(Whole(0, 9)), [5, 3], "place, most: expected a whole number from 5 to 9, got 3"),
        (OrNone(Whole(1, 2)), 3, "expected a whole number from 1 to 2, got 3"),
        (Parts(Resident), [{}], "expected Residents, got"),
    ],
)
def test_values_of_several_parts_are_checked(accepts, value, problem):
    with pytest.raises(ValueError, match=problem):
        accepts.check("place", value)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--set", "budget"], "--set: expected NAME=VALUE, got 'budget'"),
        (["--set", "budget=5", "--set", "budget=6"], "--set: expected one value of budget, got two"),
        (["--set", "buget=5"], "--set buget: expected a field of english: budget, "),
        (
            ["--game", "clock", "--set", "budget=5"],
            "--set budget: expected a field of clock (these auctions have none)",
        ),
        (["--game", "clock", "--set", "tik=5"], "tick, "),
        (["--set", "buget=5"], "help(aucenv.english_v0) and docs/games.md describe them"),
        (["--set", "items=[{}]"], "--set: scenario: items[0]: expected the field 'id'"),
        (["--format", "standard", "--set", "num_bidders=4"], "num_bidders cannot be chosen"),
    ],
)
def test_bad_values_of_set_are_refused(options, problem, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["leaderboard", "--quick", "--bidder", "rule", "--bidder", "value", "--bidder", "random", *options])
    assert problem in capsys.readouterr().err


def test_set_changes_what_the_environments_take(tmp_path):
    command = ["leaderboard", "--game", "sealed_bid", "--bidder", "truthful", "--bidder", "random", "--games", "2"]
    changes = [
        "--set",
        "num_bidders=2",
        "--set",
        "value_range=[0,50]",
        "--set",
        "bid_cap=null",
        "--set",
        "num_rounds=2",
    ]
    with pytest.raises(SystemExit, match="0"):
        main([*command, *changes, "--out", str(tmp_path / "run")])
    game = json.loads((tmp_path / "run" / "games.jsonl").read_text().splitlines()[0])
    changed = {"num_bidders": 2, "value_range": [0, 50], "bid_cap": None, "num_rounds": 2}
    assert game["scenario"] == {**SEALED.load_scenario("first-ipv").to_dict(), **changed}


def test_a_scenario_without_a_name_is_refused_first():
    with pytest.raises(ValueError, match="scenario, name: expected some text, got ''"):
        WaterScenario("", ())
    with pytest.raises(ValueError, match=r"scenario 'x', number of residents: expected"):
        WaterScenario("x", ())
