"""Scenarios as data, and by name with values of their fields."""

from __future__ import annotations

import json
import re

import pytest
from games import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from aucenv.registration import find_family


@every_case
@given(data=st.data())
@settings(max_examples=50)
def test_a_scenario_is_restored_from_its_dict_and_a_file(tmp_path_factory, case, data):
    scenario, load_scenario = data.draw(case.scenarios), case.family.game.load_scenario
    path = tmp_path_factory.mktemp("scenario") / "scenario.json"
    path.write_text(json.dumps(scenario.to_dict()))
    restored = json.loads(path.read_text())
    assert load_scenario(str(path)) == load_scenario(restored) == type(scenario).from_dict(restored) == scenario


@every_case
def test_environments_play_a_scenario_of_a_file_and_errors_name_file_line_and_field(case, tmp_path):
    path, data = tmp_path / "mine.json", case.short.to_dict()
    path.write_text(json.dumps(data), encoding="utf-8")
    env = case.family.parallel_env(scenario=str(path))
    assert env.table.scenario == case.short
    assert len(env.possible_agents) == len(case.short.bidders)
    fields = [*data]
    for text, message in (
        ("{", ": not JSON"),
        (json.dumps(data | {"colour": 1}), f":1: colour: expected one of name, {fields[1]}, .*got 'colour'"),
        (json.dumps(data | {"nam": 1}), r":1: nam: expected one of .*got 'nam' \(did you mean 'name'"),
        (json.dumps(data | {"name": 7}), ":1: name: expected some text, got 7"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=re.escape(str(path)) + message):
            case.family.parallel_env(scenario=path)


@pytest.mark.parametrize(
    ("game", "text", "fields"),
    [
        ("water_allocation", "low,days=3,supply_range=[5,9],over_balance=refuse", {"days": 3, "supply_range": (5, 9)}),
        ("english", "standard-20k-random,discount=true,item_order=given", {"discount": True, "item_order": "given"}),
        ("harbor", "train-none,increment=0.2", {"increment": 0.2}),
        ("sealed_bid", "first-ipv,num_bidders=4", {"num_bidders": 4}),
        ("clock", "ascending-apv,num_rounds=2", {"num_rounds": 2}),
    ],
)
def test_fields_follow_the_name(game, text, fields):
    load_scenario = find_family(game).game.load_scenario
    plain, changed = load_scenario(text.partition(",")[0]), load_scenario(text)
    for name, value in fields.items():
        assert getattr(changed, name) == value
        assert getattr(plain, name) != value
    assert changed.name == text
    assert load_scenario(changed.to_dict()) == changed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("low,", "scenario: expected NAME,FIELD=VALUE,..., got 'low,'"),
        ("low,days", "scenario: expected NAME,FIELD=VALUE,..., got 'low,days'"),
        ("lo,days=3", r"scenario: expected one of low, .* got 'lo' \(did you mean 'low'\?\)"),
        (
            "low,day=3",
            r"scenario 'low,day=3', field: expected one of num_bidders, .* got 'day' \(did you mean 'days'\?\)",
        ),
        ("low,days=three", "days: expected a whole number from 1 to 1000, got 'three'"),
        ("low,days=3,residents=Alex", "scenario: residents: expected a list, got 'Alex'"),
    ],
)
def test_bad_fields_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        find_family("water_allocation").game.load_scenario(text)
