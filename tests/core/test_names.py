"""Names and descriptions: the rules, in scenarios of all games and from all kinds of input; errors name line and field."""

import json
import re

import pytest
from games import CASES

import aucenv
from aucenv.core.formats.json_lines import line_of
from aucenv.core.words.names import (
    DistinctNames,
    alike,
    checked_bidder_name,
    checked_description,
    checked_name,
    names_of_records,
)
from aucenv.envs.english.game import STANDARD_ITEMS, Bidder, EnglishScenario, Item
from aucenv.envs.harbor.houses.house import fixed_houses
from aucenv.envs.harbor.houses.personas import personas
from aucenv.registration import FAMILIES, find_family
from aucenv.runs.records import read_records, replay

GAMES = sorted({family.name for family in FAMILIES.values()})
HUGE = "\u202e" + "x" * 10_000_000
BAD_NAMES = {
    "Al\nex": r"expected only printable characters, got '\\n' as character 3",
    "\x1b[2JAlex": r"printable characters, got '\\x1b' as character 1",
    "Alex\u202e": r"got '\\u202e' as character 5",
    "Al\u200dex": r"got '\\u200d' as character 3",
    "Al\u3164ex": r"got '\\u3164' as character 3",
    "Al\udc41ex": r"expected some text|got '\\udc41'|unpaired surrogate",
    "Al\u00a0ex": r"got '\\xa0' as character 3",
    "": "expected some text, got ''",
    " ": "expected some text, got ' '",
    "\u0301": r"expected some text, got '\\u0301', which has no shape",
    "x" * 61: "expected at most 60 characters, got 61: 'xxx",
    HUGE: r"expected at most 60 characters, got 10,000,001: '\\u202exxx",
}
BAD_DESCRIPTIONS = {
    "One\u200btwo": r"no invisible characters besides newlines and tabs, got '\\u200b' as character 4",
    "\x1b]0;x\x07": r"got '\\x1b' as character 1",
    "x" * 2001: "expected at most 2,000 characters, got 2,001: 'xxx",
    HUGE: "expected at most 2,000 characters, got 10,000,001",
}


@pytest.mark.parametrize(
    "name", ["Alex", "Zoë", "李雷", "Widget 7 (blue)", "x" * 60, "Нина", "**Bob**", "❤\ufe0f", "राम"]
)
def test_ordinary_names_are_accepted(name):
    assert checked_bidder_name("name", name) == name


def test_descriptions_may_have_newlines_and_tabs_and_all_scripts():
    text = "Ein Haus:\n\t3 Zimmer\u00a0(groß), \u201aschön\u2018, 家, 👍🏽" + "x" * 1900
    assert checked_description("description", text) == text


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Alex", "ALEX"),
        ("Alex", "A1ex"),
        ("Alex", "AIex"),
        ("Alex", "\u0410l\u0435\u0445"),
        ("Alex", "\u0391lex"),
        ("Alex", "\uff21\uff4c\uff45\uff58"),
        ("Alex", "Ale\u0301x"),
        ("Alex", " Alex"),
        ("Zoe", "Zoë"),
        ("Bob", "B0b"),
        ("BOB", "\u0412\u041e\u0412"),
        ("Lot 1", "Lot l"),
        ("Lot 10", "lot IO"),
        ("A  B", "a b"),
        ("Straße", "STRASSE"),
        ("\u039d\u0399\u039a\u039f\u03a3", "\u03bd\u03b9\u03ba\u03bf\u03c2"),
        ("O'Neil-Ray", "O\u2019Neil\u2013Ray"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_similar_names_are_alike(name, other):
    assert alike(name, other)
    names = DistinctNames()
    names.add("a", name)
    with pytest.raises(ValueError, match=r"b: expected a name that differs from .* in more than case, accents, spaces"):
        names.add("b", other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Item I", "Item L"),
        ("Kai", "Kal"),
        ("Lot 1", "Lot 2"),
        ("Gate 1", "Gate L"),
        ("李", "王"),
        ("か", "が"),
        ("कि", "कु"),
    ],
)
def test_other_names_are_not_alike(name, other):
    assert not alike(name, other)


def test_the_characters_of_a_name_that_looks_like_another_are_shown():
    names = DistinctNames()
    names.add("a", "Alex")
    with pytest.raises(ValueError, match=r"got '\u0410lex' \('\\u0410lex'\)"):
        names.add("b", "\u0410lex")


@pytest.mark.parametrize("name", ["you", "You", "Y0U", "\u03a5ou", "y\u043eu", "yóu", " you "])
def test_bidders_are_not_named_you_and_items_may_be(name):
    assert checked_name("name", name) == name
    with pytest.raises(ValueError, match="name: expected a name other than 'you'"):
        checked_bidder_name("name", name)


@pytest.mark.parametrize(("name", "message"), BAD_NAMES.items(), ids=range(len(BAD_NAMES)))
def test_bad_names_are_refused_with_short_messages(name, message):
    with pytest.raises(ValueError, match=message) as error:
        checked_name("name", name)
    assert len(str(error.value)) < 250
    assert str(error.value).isprintable()


@pytest.mark.parametrize(("text", "message"), BAD_DESCRIPTIONS.items(), ids=range(len(BAD_DESCRIPTIONS)))
def test_bad_descriptions_are_refused_with_short_messages(text, message):
    with pytest.raises(ValueError, match=message) as error:
        checked_description("description", text)
    assert len(str(error.value)) < 250
    assert str(error.value).isprintable()


def full_scenario(game):
    """A scenario as data, in which houses and personas are written out."""
    data = find_family(game).game.load_scenario(find_family(game).game.default_scenario).to_dict()
    if game == "harbor":
        houses = [{**vars(x), "house": dict(vars(x.house))} for x in fixed_houses("train")[:6]]
        data |= {"houses": houses, "num_items": 2, "matches": 0, "kinds": [kind.to_dict() for kind in personas()]}
    return json.loads(json.dumps(data))


NAMED = {name: case.named for name, case in CASES.items()}
DESCRIBED = {
    "english": (("items", 1, "description"),),
    "harbor": (("houses", 2, "description"), ("kinds", 3, "descriptions", "train", 1)),
    "water_allocation": (("residents", 1, "persona"),),
}
FIELDS = [(game, path, BAD_NAMES) for game, paths in NAMED.items() for path in paths]
FIELDS += [(game, path, BAD_DESCRIPTIONS) for game, paths in DESCRIBED.items() for path in paths]


def put(data, path, value):
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


def written(path):
    """A path as a message writes it."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


def refused(game, source):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the callers compare the message
        find_family(game).game.load_scenario(source)
    return str(error.value)


@pytest.mark.parametrize(
    ("game", "path", "values"), FIELDS, ids=lambda value: written(value) if type(value) is tuple else None
)
def test_scenarios_of_all_games_are_refused_with_file_line_and_field(game, path, values, tmp_path):
    data, file = full_scenario(game), tmp_path / "auction.json"
    for value in values:
        put(data, path, value)
        message = refused(game, data)
        assert message.startswith(f"scenario: {written(path)}: expected"), message[:300]
        if value is not HUGE and "\udc41" not in value:
            text = json.dumps(data, indent=2, ensure_ascii=False)
            file.write_text(text, encoding="utf-8")
            lines = text.splitlines() if value.isprintable() else text.split("\n")
            (line,) = {
                line for line in [line_of(text, path)] if json.dumps(value, ensure_ascii=False) in lines[line - 1]
            }
            assert refused(game, file).startswith(f"{file}:{line}: {written(path)}: expected")


@pytest.mark.parametrize("game", GAMES)
def test_huge_values_and_surrogates_in_files_are_refused_shortly(game, tmp_path):
    path, file = NAMED[game][0], tmp_path / "auction.json"
    data = full_scenario(game)
    put(data, path, HUGE)
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    message = refused(game, file)
    assert f": {written(path)}: expected at most 60 characters, got 10,000,001" in message
    assert len(message) < len(str(file)) + 250
    put(data, path, "Al\udc41ex")
    file.write_text(json.dumps(data, indent=1), encoding="utf-8")
    line = line_of(json.dumps(data, indent=1), path)
    assert (
        refused(game, file) == f"{file}:{line}: {written(path)}: expected valid Unicode text, got an unpaired surrogate"
    )


@pytest.mark.parametrize(
    ("game", "field"),
    [("english", "bidders"), ("english", "items"), ("harbor", "bidders"), ("harbor", "houses"), ("harbor", "kinds"),
     ("water_allocation", "residents")],
)  # fmt: skip
def test_similar_names_are_refused_with_line_and_field(game, field, tmp_path):
    data, file = full_scenario(game), tmp_path / "auction.json"
    data[field][0]["name"], data[field][1]["name"] = "Alex", "\u0410lex"
    text = json.dumps(data, indent=2)
    file.write_text(text)
    line = line_of(text, (field, 1, "name"))
    assert refused(game, file).startswith(f"{file}:{line}: {field}[1].name: expected a name that differs from 'Alex'")


@pytest.mark.parametrize("game", ["english", "harbor", "water_allocation"])
def test_scenarios_of_all_games_refuse_a_bidder_named_you(game):
    data = full_scenario(game)
    put(data, NAMED[game][0], "YOU")
    assert "[1].name: expected a name other than 'you'" in refused(game, data)


def test_python_objects_are_refused_with_the_field():
    with pytest.raises(ValueError, match=r"bidder 'A\\u200bb', name: expected only printable"):
        Bidder("A\u200bb", 5)
    with pytest.raises(ValueError, match=r"item 1, name: expected at most 60 characters, got 10,000,001"):
        Item(1, HUGE, 5, 5)
    with pytest.raises(ValueError, match=r"scenario 'x', bidders\[1\].name: expected a name that differs from 'Bo'"):
        EnglishScenario("x", (Item(1, "a", 5, 5),), (Bidder("Bo", 5), Bidder("B0", 5)))


def test_the_line_of_a_value_is_that_of_its_beginning():
    text = '\ufeff\n{"a": [1, {"b\\n": "x\\"]",\n "c": [[],\n {}, -1e5]}],\n"d"\n:\n\n{"e": NaN}, "a":\n2}'[1:]
    for path, line in (
        ((), 2), (("d",), 8), (("d", "e"), 8), (("a",), 9), (("d", "none"), 8), (("none",), 2), (("d", "e", 3), 8),
    ):  # fmt: skip
        assert line_of(text, path) == line
    nested = '[\n[1,\n2, {"x": [\n"]", "\\u0022,", ' + "1" * 6000 + ",\n\n5]}]]"
    for path, line in (((0, 0), 2), ((0, 1), 3), ((0, 2, "x", 0), 4), ((0, 2, "x", 3), 6), ((0, 9), 2)):
        assert line_of(nested, path) == line
    assert line_of("[\n" * 5000, (0, 0, 0)) == 1


def test_many_names_of_similar_characters_are_accepted():
    names = DistinctNames()
    for number in range(1000):  # each is compared to at most 100 others
        names.add("name", f"{number:020b}".replace("0", "L").replace("1", "I"))


def lines_of(objects, folder, name):
    file = folder / name
    file.write_text("".join(json.dumps(data) + "\n" for data in objects), encoding="utf-8")
    return str(file)


ITEMS = [{"name": name, "price": 5, "true_value": 5} for name in ("Vase", "Clock", "Ring")]
BIDDERS = [{"name": name, "budget": 5} for name in ("Ann", "Ben")]


@pytest.mark.parametrize(
    ("items", "bidders", "message"),
    [
        ({"name": "Cl\u200bock"}, {}, r"items.jsonl:2: name: expected only printable characters, got '\\u200b'"),
        ({"id": "x" * 61}, {}, "items.jsonl:2: id: expected at most 60 characters, got 61"),
        ({"desc": "x\r"}, {}, r"items.jsonl:2: desc: expected no invisible characters .* got '\\r' as character 2"),
        ({"name": "VASE"}, {}, "items.jsonl:2: name: expected a name that differs from 'Vase'"),
        ({}, {"name": HUGE}, "bidders.jsonl:2: name: expected at most 60 characters, got 10,000,001"),
        ({}, {"name": "You"}, "bidders.jsonl:2: name: expected a name other than 'you'"),
        ({}, {"name": "Ann"}, "bidders.jsonl:2: name: expected a unique name, got 'Ann' again"),
        ({}, {"name": "\u0410nn"}, r"bidders.jsonl:2: name: expected a name that differs from 'Ann' .*\\u0410nn"),
    ],
)
def test_aucarenas_files_are_refused_with_file_line_and_field(items, bidders, message, tmp_path):
    items = lines_of([ITEMS[0], ITEMS[1] | items, ITEMS[2]], tmp_path, "items.jsonl")
    bidders = lines_of([BIDDERS[0], BIDDERS[1] | bidders], tmp_path, "bidders.jsonl")
    assert re.search(message, refused("english", f"{items},{bidders}"))


def test_a_scenario_from_files_has_a_name_of_at_most_60_characters(tmp_path):
    folder = tmp_path / ("deep" * 15) / "x\u202ey"
    folder.mkdir(parents=True)
    paths = lines_of(ITEMS, folder, "items.jsonl"), lines_of(BIDDERS, folder, "bidders.jsonl")
    assert find_family("english").game.load_scenario(",".join(paths)).name == "items.jsonl,bidders.jsonl"
    long = lines_of(house_lines(), tmp_path, f"{'long' * 20}.jsonl")
    assert find_family("harbor").game.load_scenario(long).name == f"{'long' * 14}l..."


def house_lines():
    return [
        {"name": x.name, "starting_price": x.starting_price, "true_value": x.true_value, **vars(x.house)}
        for x in fixed_houses("train")[:6]
    ]


@pytest.mark.parametrize(
    ("house", "persona", "message"),
    [
        ({"name": "House\u2028"}, {}, r"h.jsonl:3: name: expected only printable characters, got '\\u2028'"),
        ({"name": "Lantern H0use"}, {}, "h.jsonl:3: name: expected a name that differs from 'Lantern House'"),
        ({"description": "\x00"}, {}, r"h.jsonl:3: description: expected no invisible characters .*'\\x00'"),
        ({"description": HUGE}, {}, "h.jsonl:3: description: expected at most 2,000 characters, got 10,000,001"),
        ({}, {"name": "Eco\ufeff"}, r"p.jsonl:3: name: expected only printable characters, got '\\ufeff'"),
        ({}, {"id": "x" * 61}, "p.jsonl:3: id: expected a-z, 0-9 and _"),
        (
            {},
            {"descriptions": ["fine", "a\u2066b"]},
            r"p.jsonl:3: descriptions\[1\]: expected no invisible .*'\\u2066'",
        ),
        ({}, {"name": personas()[0].name.upper()}, "p.jsonl:3: name: expected a name that differs from"),
    ],
)
def test_houses_and_personas_are_refused_with_file_line_and_field(house, persona, message, tmp_path):
    houses = house_lines()
    kinds = [{**kind.to_dict(), "descriptions": list(kind.descriptions["train"])} for kind in personas()]
    houses[2] |= house
    kinds[2] |= persona
    assert houses[0]["name"] == "Lantern House"
    files = f"{lines_of(houses, tmp_path, 'h.jsonl')},{lines_of(kinds, tmp_path, 'p.jsonl')}"
    message_ = refused("harbor", files)
    assert re.search(message, message_)
    assert len(message_) < 500


@pytest.fixture(scope="module")
def old_record():
    """A record of an English auction whose names have no rules: its bidders look alike, and its items are equal."""
    with names_of_records():
        items = (Item("a", "Equal", 5, 5, "x\u200dy"), Item("b", "Equal", 5, 5), *STANDARD_ITEMS[2:])
        bidders = (Bidder("you", 50), Bidder("x" * 70, 50), Bidder("You", 50))
        scenario = EnglishScenario("path/" * 20, items, bidders)
        return aucenv.play("english", scenario, ["rule"] * 3, 1)


def test_games_that_were_recorded_before_names_had_rules_are_read_and_replayed(old_record, tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text(old_record.to_json() + "\n", encoding="utf-8")
    (read,) = read_records(file)
    assert read == old_record
    replay(read)
    with pytest.raises(ValueError, match=r"scenario: items\[0\].description: expected no invisible"):
        EnglishScenario.from_dict(read.scenario)


def test_records_of_the_other_games_may_have_such_names_too():
    for game in GAMES:
        data = full_scenario(game)
        data["name"] = "path/" * 20
        if game in DESCRIBED and game != "english":
            put(data, NAMED[game][0], "YOU")
            put(data, DESCRIBED[game][0], "x\u200dy" * 1000)
        with names_of_records():
            scenario = find_family(game).game.load_scenario(data)
        assert scenario.template().shape == (1,)
        assert scenario.to_dict() == data


def test_names_that_no_record_may_have_are_refused_with_file_line_and_field(old_record, tmp_path):
    file = tmp_path / "games.jsonl"
    for value, message in (
        ("", r"bidders\[0\].name: expected some text, got ''"),
        ("x" * 70, "names of bidders: expected no duplicates"),
    ):
        data = json.loads(old_record.to_json())
        data["scenario"]["bidders"][0]["name"] = value
        file.write_text(json.dumps(data) + "\n", encoding="utf-8")
        with pytest.raises(ValueError, match=rf"games.jsonl:1: scenario.*{message}"):
            list(read_records(file))


RECORDED = {
    "english": {"id": 1, "bidders": ["Ann", "Ben"], "budget": 9, "rounds": [],
                "items": [{"id": 1, "name": "Vase", "starting_price": 5, "true_value": 5}]},
    "sealed_bid": {"id": 1, "pricing": "first", "values": "ipv", "rounds": [{"values": [5, 6], "bids": [1, 2]}]},
    "clock": {"id": 1, "values": "ipv", "rounds": [{"values": [5, 6], "bids": [1, 2]}]},
    "ebay": {"id": 1, "closing": "hard", "seats": ["Ann", "Ben"],
             "days": [[{"seat": "Ben", "bid": 5}, {"seat": "Ann", "bid": None}]]},
    "water_allocation": {"id": 1, "supply_range": [5, 9], "days": [{"supply": 6, "bids": {"Ann": 1, "Ben": 2}}],
                         "residents": [{"name": name, "need": 3, "salary": 5} for name in ("Ann", "Ben")]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("game", "path", "value", "message"),
    [
        *((game, ("id",), "x\u200b" * 101, "id: expected at most 200 characters") for game in RECORDED),
        ("english", ("bidders", 1), "Ann\x07", r"bidders\[1\]: expected only printable"),
        ("english", ("bidders", 1), "ANN", r"bidders\[1\].name: expected a name that differs from 'Ann'"),
        ("english", ("items", 0, "name"), HUGE, r"items\[0\].name: expected at most 60 characters, got 10,000,001"),
        ("water_allocation", ("residents", 1, "name"), "you", r"residents\[1\].name: expected a name other than 'you'"),
        ("water_allocation", ("residents", 1, "persona"), "\u200b", r"residents\[1\].persona: expected no invisible"),
    ],
)
def test_games_recorded_elsewhere_are_refused_with_file_line_and_field(game, path, value, message):
    replay_game = find_family(game).game.files.replay_game
    data = json.loads(json.dumps(RECORDED[game]))
    put(data, path, value)
    with pytest.raises(ValueError, match=f"^games.jsonl:4: .*{message}") as error:
        replay_game(data, "games.jsonl:4")
    assert len(str(error.value)) < 250
