"""Input of housing auctions: errors name the value, what was expected and the place."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

import aucenv
from aucenv.envs.harbor.files import FEATURES
from aucenv.envs.harbor.game import GAME, SCENARIOS, HarborBidder, HarborScenario
from aucenv.envs.harbor.houses.house import fixed_houses
from aucenv.envs.harbor.houses.personas import PERSONAS, SPLITS, Persona, personas

MIXES = [f"{one}+{other}" for one, other in zip(PERSONAS[::2], PERSONAS[1::2], strict=True)]
SINGLE = SCENARIOS["evaluation-single"]


def house_lines(number: int = 6) -> list[dict]:
    listings = fixed_houses("train")[:number]
    return [
        {
            **dataclasses.asdict(x.house),
            "name": x.name,
            "starting_price": x.starting_price,
            "true_value": x.true_value,
            "description": x.description,
        }
        for x in listings
    ]


def persona_lines() -> list[dict]:
    return [{**p.to_dict(), "descriptions": [*p.descriptions["train"]]} for p in personas()]


def write(path, lines) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"personas": "castle_owner"}, "bidder 'Alex', personas: expected one of first_time, .*got 'castle_owner'"),
        ({"personas": "rurl"}, r"got 'rurl' \(did you mean 'rural'"),
        ({"personas": "eco+rural+urban"}, "personas: expected none, one or two, got eco, rural, urban"),
        ({"personas": "eco+eco"}, "personas: expected no duplicates, got eco more than once"),
        ({"personas": ["eco", "rural"]}, "personas: expected one entry for each of 3 bidders, got 2"),
        ({"personas": ""}, "personas: expected some text"),
        ({"houses": "fresh"}, "houses: expected one of train, evaluation, fresh-N, got 'fresh'"),
        ({"matches": 5, "num_items": 15}, "houses: expected at least 5 that match 'first_time', got 4"),
        ({"matches": 4}, "expected at least 12 items for 4 matches each, got 10"),
        ({"matches": -1}, "matches: expected a whole number from 0 to 1000, got -1"),
        ({"personas": 5}, "personas: expected some text or a list, got 5"),
        ({"houses": 5}, "houses: expected some text or a list, got 5"),
        (
            {"num_bidders": 6, "personas": [*MIXES, "drawn"], "matches": 1, "num_items": 5},
            "at least 6 items for 1 match",
        ),
        ({"num_bidders": 9, "personas": [*MIXES, *["drawn"] * 4], "matches": 3, "num_items": 15}, "at least 23 items"),
        ({"num_items": "5"}, "num_items: expected a whole number of at least 1, got '5'"),
        ({"num_items": 41}, "num_items: expected a whole number from 1 to 40, got 41"),
        ({"num_bidders": 17}, "num_bidders: expected a whole number from 2 to 16, got 17"),
        ({"item_order": "alphabetical"}, "item_order: expected one of random, ascending, descending, given"),
        ({"budget": -5}, "budget: expected dollars between"),
    ],
)
def test_bad_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        aucenv.harbor_v0(**changes)
    with pytest.raises(ValueError, match=message):
        aucenv.harbor_v0.batch_env(2, **changes)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("evaluation-sinlge", r"scenario: expected one of evaluation-single, .*did you mean 'evaluation-single'"),
        ("fresh-x", "scenario: expected one of evaluation-single"),
        ("fresh-1-double", "scenario: expected one of evaluation-single"),
        (7, "scenario: expected a name, a path or a Scenario, got 7"),
    ],
)
def test_unknown_scenarios_are_refused(scenario, message):
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(scenario)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": "test"}, "split: expected one of train, evaluation, got 'test'"),
        ({"houses": ()}, "houses: expected some, got none"),
        ({"bidders": (HarborBidder("a"),)}, "number of bidders: expected a whole number from 2 to 16, got 1"),
        (
            {"bidders": (HarborBidder("a"), HarborBidder("a"))},
            r"bidders\[1\].name: expected a unique name, got 'a' again",
        ),
        ({"kinds": personas()[:9]}, "kinds: expected 10 personas, got 9"),
        ({"kinds": (*personas()[:9], personas()[0])}, "kinds: expected no duplicates, got first_time"),
        ({"houses": fixed_houses("train")[:2] * 2, "num_items": 4}, r"houses\[2\].name: expected a unique name"),
        (
            {"houses": (dataclasses.replace(fixed_houses("train")[0], persona="eco"),), "num_items": 1},
            "house 'Lantern House', persona: expected 'first_time', got 'eco'",
        ),
        ({"increment": 11}, "increment: expected a number from 0 to 10, got 11"),
    ],
)
def test_bad_scenarios_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SINGLE, **change)


@pytest.mark.parametrize("personas", ["eco", 3, None])
def test_personas_must_be_a_list(personas):
    with pytest.raises(ValueError, match="bidder 'a', personas: expected a list of none, one or two, got"):
        HarborBidder("a", personas=personas)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"likes": {"charm": 1}}, "persona 'eco', likes: expected one of price, size, .*got 'charm'"),
        ({"likes": {"energy": "much"}}, "likes.energy: expected a number from -10 to 10, got 'much'"),
        ({"likes": {"energy": 0}}, "likes: expected a weight that is not 0"),
        ({"likes": {}}, "likes: expected weights by trait, got {}"),
        ({"likes": ["energy"]}, "likes: expected weights by trait"),
        ({"descriptions": {"train": ["x"]}}, "descriptions: expected one or more for 'evaluation', got None"),
        ({"descriptions": {"train": [], "evaluation": ["x"]}}, r"expected one or more for 'train', got \[\]"),
        ({"descriptions": {"train": ["x"], "evaluation": [" "]}}, r"descriptions.evaluation\[0\]: expected some text"),
        ({"id": "Eco Buyer"}, "persona 'Eco Buyer', id: expected a-z, 0-9 and _"),
        ({"id": "drawn"}, "persona 'drawn', id: expected"),
        ({"name": ""}, "name: expected some text"),
    ],
)
def test_bad_personas_are_refused(change, message):
    eco = personas()[PERSONAS.index("eco")]
    with pytest.raises(ValueError, match=message):
        Persona(**{**eco.to_dict(), **change})


def test_user_defined_houses_and_personas_can_be_played(tmp_path):
    lines = house_lines(12)
    del lines[0]["description"]
    custom_personas = persona_lines()
    custom_personas[0]["id"], custom_personas[0]["likes"] = "collector", {"newness": -1}
    houses, kinds = write(tmp_path / "houses.jsonl", lines), write(tmp_path / "personas.jsonl", custom_personas)
    default_personas = GAME.load_scenario(houses)
    assert [listing.persona for listing in default_personas.items] == [x.persona for x in fixed_houses("train")[:12]]
    assert str(lines[0]["year"]) in default_personas.items[0].description
    scenario = GAME.load_scenario(f"{houses},{kinds}")
    assert scenario.persona_ids[0] == "collector"
    assert scenario.num_items == len(scenario.items) == 12
    record = aucenv.play("harbor", f"{houses},{kinds}", ["persona", "expact", "second_order"], 1)
    assert {item["persona"] for item in record.deal["items"]} <= set(scenario.persona_ids)
    assert HarborScenario.from_dict(json.loads(json.dumps(scenario.to_dict()))) == scenario
    env = aucenv.harbor_v0.raw_env(scenario=f"{houses},{kinds}", personas="collector", interface="text")
    env.reset(seed=0)
    assert any(text in env.text("bidder_0") for text in custom_personas[0]["descriptions"])


@pytest.mark.parametrize("missing", ["name", "starting_price", "true_value", *FEATURES])
def test_houses_without_a_field_are_refused(tmp_path, missing):
    lines = house_lines()
    del lines[2][missing]
    file = write(tmp_path / "houses.jsonl", lines)
    with pytest.raises(ValueError, match=rf"houses.jsonl:3: expected the field '{missing}'"):
        GAME.load_scenario(file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": "large"}, "houses.jsonl:1: size: expected a number such as 1500, .*, got 'large'"),
        ({"size": 200}, "houses.jsonl:1: size: expected a whole number from 300 to 6000, got 200"),
        ({"starting_price": "much"}, "houses.jsonl:1: starting_price: expected .*, got 'much'"),
        ({"starting_price": 0}, "houses.jsonl:1: starting_price: expected"),
        ({"starting_price": float("nan")}, "houses.jsonl:1: starting_price: expected"),
        ({"true_value": -1}, "houses.jsonl:1: true_value: expected"),
        ({"name": 5}, "houses.jsonl:1: name: expected some text, got 5"),
        ({"name": []}, r"houses.jsonl:1: name: expected some text, got \[\]"),
        ({"name": "Nettle House"}, "houses.jsonl:2: name: expected a unique name, got 'Nettle House' again"),
        ({"description": 5}, "houses.jsonl:1: description: expected some text, got 5"),
        ({"description": ""}, "houses.jsonl:1: description: expected some text, got ''"),
    ],
)
def test_bad_houses_in_files_are_refused(tmp_path, change, message):
    lines = house_lines()
    lines[0].update(change)
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(write(tmp_path / "houses.jsonl", lines))


@pytest.mark.parametrize("missing", ["id", "name", "likes", "descriptions"])
def test_personas_without_a_field_are_refused(tmp_path, missing):
    lines = persona_lines()
    del lines[3][missing]
    files = f"{write(tmp_path / 'h.jsonl', house_lines())},{write(tmp_path / 'p.jsonl', lines)}"
    with pytest.raises(ValueError, match=rf"p.jsonl:4: expected the field '{missing}'"):
        GAME.load_scenario(files)


def test_other_bad_files_are_refused(tmp_path):
    houses = write(tmp_path / "h.jsonl", house_lines())
    with pytest.raises(ValueError, match=r"p.jsonl: expected 10 personas, one on each line, got 9"):
        GAME.load_scenario(f"{houses},{write(tmp_path / 'p.jsonl', persona_lines()[:9])}")
    twice = [*persona_lines()[:9], persona_lines()[0]]
    with pytest.raises(ValueError, match=r"p.jsonl:10: id: expected a unique id, got 'first_time' again"):
        GAME.load_scenario(f"{houses},{write(tmp_path / 'p.jsonl', twice)}")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(ValueError, match=r"empty.jsonl: expected a JSON object on each line, got an empty file"):
        GAME.load_scenario(str(tmp_path / "empty.jsonl"))
    (tmp_path / "broken.jsonl").write_text("{")
    with pytest.raises(ValueError, match=r"broken.jsonl:1: not JSON"):
        GAME.load_scenario(str(tmp_path / "broken.jsonl"))
    data = SINGLE.to_dict()
    data["houses"] = [{"name": "x", "persona": "eco", "starting_price": 1, "true_value": 2, "description": "d"}]
    (tmp_path / "s.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"s.json:1: houses\[0\]: expected the field 'house'"):
        GAME.load_scenario(str(tmp_path / "s.json"))


@pytest.mark.parametrize("name", [*SCENARIOS, "fresh-3", "fresh-3-mixed", "fresh-3-none"])
def test_named_scenarios_are_restored_from_plain_data(name):
    scenario = GAME.load_scenario(name)
    assert scenario.name == name
    data = json.loads(json.dumps(scenario.to_dict()))
    assert HarborScenario.from_dict(data) == scenario
    assert len(json.dumps(data)) < 1000
    assert len(scenario.items) == 40


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starting_price": "x"}, r"houses\[5\].starting_price: expected"),
        ({"true_value": -1}, r"houses\[5\].true_value: expected"),
        ({"name": []}, r"houses\[5\].name: expected some text"),
        ({"description": None}, r"houses\[5\].description: expected some text"),
    ],
)
def test_houses_that_may_not_be_drawn_are_also_checked(tmp_path, change, message):
    data = dataclasses.replace(SINGLE, houses=fixed_houses("train")[:8], num_items=2, matches=None).to_dict()
    data["houses"][5].update(change)
    with pytest.raises(ValueError, match=message):
        HarborScenario.from_dict(data)


def test_path_objects_and_any_file_name_are_accepted(tmp_path):
    file = tmp_path / "a,b.jsonl"
    write(file, house_lines())
    assert len(GAME.load_scenario(file).items) == len(GAME.load_scenario(str(file)).items) == 6


def test_with_fewer_items_or_more_bidders_there_are_fewer_matches():
    assert SINGLE.changed(num_items=3).matches == 1
    assert SINGLE.changed(num_items=2).matches == 0
    assert SINGLE.changed(num_bidders=6).matches == 1
    assert SINGLE.changed(num_bidders=5).matches == 2
    assert SINGLE.changed(num_items=20, matches=4).matches == 4


def test_any_houses_of_a_file_may_be_drawn(tmp_path):
    scenario = GAME.load_scenario(write(tmp_path / "h.jsonl", house_lines(12))).changed(
        num_items=4, personas="first_time"
    )
    assert scenario.matches is None
    env = aucenv.harbor_v0.raw_env(scenario=scenario)
    drawn = set()
    for seed in range(40):
        env.reset(seed=seed)
        drawn |= {item.suits for item in env.view("bidder_0").items}
    assert drawn == {"first_time", "larger_home", "downsizing"}


def test_generated_houses_do_not_change():
    """Records contain only the seed of generated houses, so a change of the generator would change their games."""
    houses = json.dumps([{**vars(x), "house": vars(x.house)} for x in GAME.load_scenario("fresh-0").items])
    assert hashlib.sha256(houses.encode()).hexdigest()[:16] == "5ddd5813343dc0e5"


def test_train_and_evaluation_share_no_house_and_no_description():
    train, evaluation = (set(fixed_houses(split)) for split in SPLITS)
    assert not {x.description for x in train} & {x.description for x in evaluation}
    for persona in personas():
        assert not set(persona.descriptions["train"]) & set(persona.descriptions["evaluation"])
    assert SCENARIOS["train-single"].split == "train"
    assert SCENARIOS["evaluation-single"].split == "evaluation"
