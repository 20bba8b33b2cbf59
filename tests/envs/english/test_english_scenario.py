"""Scenarios of English auctions: the published ones, files, and errors in them."""

from __future__ import annotations

import dataclasses

import pytest
from tables import scenario_of

import aucenv
from aucenv.envs.english.game import GAME, SCENARIOS, STANDARD_ITEMS, Bidder, EnglishScenario, Item


def test_the_published_scenarios():
    assert len(SCENARIOS) == 12
    assert sum(item.starting_price for item in STANDARD_ITEMS) == 30_000
    assert all(item.true_value == 2 * item.starting_price for item in STANDARD_ITEMS)
    for budget in (10_000, 20_000, 40_000):
        for order in ("random", "ascending", "descending"):
            scenario = SCENARIOS[f"standard-{budget // 1000}k-{order}"]
            assert {bidder.budget for bidder in scenario.bidders} == {budget}
            assert (scenario.item_order, scenario.items, len(scenario.bidders)) == (order, STANDARD_ITEMS, 3)
    niche = SCENARIOS["niche-30k"]
    assert [item.starting_price for item in niche.items] == [5000] * 4 + [1000] * 16
    assert [bidder.objective for bidder in niche.bidders] == ["profit", "profit", "items", "items"]


def test_whether_bidders_without_money_are_asked_is_a_field():
    scenario = SCENARIOS["standard-20k-random"]
    assert list(scenario.to_dict()) == ["name", "items", "bidders", "item_order", "increment", "discount", "ask_broke"]
    assert scenario.changed(ask_broke=True).to_dict()["ask_broke"] is True
    assert EnglishScenario.from_dict(scenario.to_dict()).ask_broke is False
    with pytest.raises(ValueError, match="ask_broke: expected true or false, got 'yes'"):
        scenario.changed(ask_broke="yes")
    with pytest.raises(ValueError, match="ask_broke"):
        aucenv.harbor_v0(scenario={**aucenv.harbor_v0.parallel_env().scenario.to_dict(), "ask_broke": True})


def test_more_bidders_repeat_the_scenarios_under_new_names():
    niche = SCENARIOS["niche-10k"].changed(num_bidders=16)
    assert len({bidder.name for bidder in niche.bidders}) == 16
    assert [bidder.objective for bidder in niche.bidders[4:8]] == ["profit", "profit", "items", "items"]
    named = scenario_of([10], num_bidders=2)
    named = dataclasses.replace(named, bidders=(Bidder("Alex", 5), Bidder("Noel", 6)))
    assert [bidder.name for bidder in named.changed(num_bidders=4).bidders] == ["Alex", "Noel", "Blair", "Casey"]


def test_bidders_with_custom_names_can_be_increased_to_sixteen():
    assert len({bidder.name for bidder in scenario_of([10], num_bidders=3).changed(num_bidders=16).bidders}) == 16


@pytest.mark.parametrize("price", [0, -1, float("nan"), float("inf"), "5", None, True, 0.001, 1e10])
def test_bad_prices_are_refused(price):
    with pytest.raises(ValueError, match="item 3, starting_price: expected dollars between"):
        Item(3, "x", price, 5)
    with pytest.raises(ValueError, match="bidder 'a', budget: expected dollars between"):
        Bidder("a", price)


def test_a_true_value_may_be_zero_but_not_negative():
    assert Item(3, "x", 1, 0).true_value == 0
    with pytest.raises(ValueError, match="true_value: expected dollars between 0 and 1,000,000,000, got -1"):
        Item(3, "x", 1, -1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bidders": (Bidder("a", 5),)}, "number of bidders: expected a whole number from 2 to 16, got 1"),
        ({"bidders": (Bidder("a", 5), Bidder("a", 6))}, r"bidders\[1\].name: expected a unique name, got 'a' again"),
        ({"items": ()}, "expected at least 1 item, got none"),
        ({"items": (Item(1, "x", 5, 5), Item(1, "y", 5, 5))}, "item ids: expected no duplicates, got 1"),
        ({"item_order": "up"}, "item_order: expected one of random, ascending, descending, given, got 'up'"),
        ({"increment": -0.1}, "increment: expected a number from 0 to 10, got -0.1"),
        ({"increment": float("nan")}, "increment: .* got nan"),
        ({"bidders": (Bidder("a", 5), Bidder("b", 6, "item", "gold"))}, "target: expected one of item 0, got 'gold'"),
    ],
)
def test_bad_scenarios_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(scenario_of([10]), **change)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"objective": "fame"}, "objective: expected one of profit, items, item, got 'fame'"),
        ({"objective": "item"}, "expected a target with objective 'item' and only then, got None"),
        ({"target": "x"}, "expected a target with objective 'item' and only then, got 'x'"),
        ({"overestimate_percent": -101}, "overestimate_percent: expected a number from -100 to 500, got -101"),
        ({"noise_percent": -1}, "noise_percent: expected a number from 0 to 100, got -1"),
    ],
)
def test_bad_bidders_are_refused(kwargs, message):
    with pytest.raises(ValueError, match=message):
        Bidder("a", 5, **kwargs)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "scenario.json: not JSON"),
        ("[]", "scenario.json: expected a list of JSON objects, got an empty list"),
        ("5", "scenario.json:1: expected a JSON object, got int"),
        ("{}", "scenario.json:1: expected the field 'name'"),
        ('{"items": 5, "bidders": []}', "scenario.json:1: items: expected a list, got 5"),
        ('{"items": [7], "bidders": []}', r"scenario.json:1: items\[0\]: expected an object, got 7"),
        ('{"name": "x", "items": [], "bidders": []}', "scenario.json:1: scenario 'x': expected at least 1 item"),
        (
            '{"name": "x", "items": [], "bidders": [], "colour": 1}',
            "scenario.json:1: colour: expected one of .* got 'colour'",
        ),
        (
            '{"items": [{"id": 1, "name": "a", "price": 3}], "bidders": []}',
            r"items\[0\].price: expected .* got 'price'",
        ),
        ('{"items": [{"id": 1, "name": "a", "true_value": 3}]}', r"items\[0\]: expected the field 'starting_price'"),
    ],
)
def test_errors_in_a_file_name_the_file(tmp_path, content, message):
    path = tmp_path / "scenario.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(str(path))


def test_the_error_for_a_missing_file_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        GAME.load_scenario(str(tmp_path / "none.json"))


def test_scenarios_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SCENARIOS["niche-10k"].name = "mine"
    assert isinstance(SCENARIOS["niche-10k"], EnglishScenario)


ITEMS = '{"name": "Clock", "price": 100, "desc": "It ticks.", "id": 7, "true_value": 250}\n{"name": "Vase", "price": 50.5, "true_value": 40}\n'
BIDDERS = (
    '{"name": "Ann", "budget": 900, "desire": "maximize_items", "overestimate_percent": -20, "model_name": "x"}\n'
    '{"name": "Ben", "budget": 800, "temperature": 0}\n'
)


def two_files(folder, items=ITEMS, bidders=BIDDERS) -> str:
    (folder / "items.jsonl").write_text(items)
    (folder / "bidders.jsonl").write_text(bidders)
    return f"{folder / 'items.jsonl'},{folder / 'bidders.jsonl'}"


def test_aucarenas_files_are_read_and_unknown_keys_give_a_warning(tmp_path):
    with pytest.warns(UserWarning, match=r"bidders\.jsonl: ignored model_name, temperature"):
        scenario = GAME.load_scenario(two_files(tmp_path))
    assert scenario.items == (Item(7, "Clock", 100, 250, "It ticks."), Item(2, "Vase", 50.5, 40))
    assert scenario.bidders == (Bidder("Ann", 900, "items", None, -20), Bidder("Ben", 800))
    assert scenario.item_order == "given"
    assert GAME.load_scenario(scenario.to_dict()) == scenario


@pytest.mark.parametrize(
    ("items", "bidders", "message"),
    [
        ("", BIDDERS, "items.jsonl: expected a JSON object on each line, got an empty file"),
        (ITEMS, "\n\n", "bidders.jsonl: expected a JSON object on each line, got an empty file"),
        (ITEMS + "{", BIDDERS, "items.jsonl:3: not JSON"),
        (ITEMS + "[1]", BIDDERS, "items.jsonl:3: expected a JSON object, got list"),
        ('{"name": "x", "price": 5}', BIDDERS, "items.jsonl:1: expected the field 'true_value'"),
        ('{"name": "x", "price": "5,5", "true_value": 1}', BIDDERS, "items.jsonl:1: price: .*got '5,5'"),
        ('{"name": "x", "price": 0, "true_value": 1}', BIDDERS, "items.jsonl:1: price: .*got 0"),
        (ITEMS + ITEMS.splitlines()[0], BIDDERS, "items.jsonl:3: id: expected a unique id, got 7 again"),
        (ITEMS, '{"name": "Ann"}', "bidders.jsonl:1: expected the field 'budget'"),
        (ITEMS, '{"name": "Ann", "budget": -1}', "bidders.jsonl:1: budget: .*got -1"),
        (ITEMS, '{"name": "Ann", "budget": 1, "desire": "fame"}', "bidders.jsonl:1: desire: expected one of .*'fame'"),
        (ITEMS, '{"name": "Ann", "budget": 1, "overestimate_percent": "ten"}', "overestimate_percent: .*got 'ten'"),
        (ITEMS, '{"name": "Ann", "budget": 1}', "number of bidders: expected a whole number from 2 to 16, got 1"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*ignored model_name, temperature")
def test_errors_in_aucarena_files_name_file_and_line(tmp_path, items, bidders, message):
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(two_files(tmp_path, items, bidders))


def test_items_without_bidders_have_three_with_equal_budgets(tmp_path):
    scenario = GAME.load_scenario(two_files(tmp_path).partition(",")[0])
    assert [item.name for item in scenario.items] == ["Clock", "Vase"]
    assert [(bidder.name, bidder.budget) for bidder in scenario.bidders] == [
        (n, 200) for n in ("Alex", "Blair", "Casey")
    ]
    with pytest.raises(FileNotFoundError, match="none"):
        GAME.load_scenario(f"{two_files(tmp_path).partition(',')[0]},none.jsonl")
