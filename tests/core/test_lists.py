"""Lists of items and houses in files: CSV as spreadsheets write it, JSON lists, JSON lines, and errors in them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re

import pytest
from house_descriptions import parse_description
from run_command import command

import aucenv
from aucenv.core.formats.list_fields import MOST_ROWS, read_number
from aucenv.core.formats.scenario_forms import UnknownFile
from aucenv.envs.english.files import ITEMS
from aucenv.envs.english.game import GAME, Item
from aucenv.envs.harbor import files as harbor
from aucenv.envs.harbor.houses.describe import FACTS, describe_known
from aucenv.envs.harbor.houses.house import NEUTRAL, traits
from aucenv.registration import FAMILIES

ROWS = [("name", "price", "true_value"), ("Vase, blue", "50", "80"), ("Clock", "$1,100.50", "2500")]


def as_csv(rows, delimiter=",", newline="\n"):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return buffer.getvalue()


def write(folder, text, name="items.csv", encoding="utf-8"):
    (folder / name).write_bytes(text.encode(encoding))
    return str(folder / name)


EXPECTED = (Item(1, "Vase, blue", 50, 80), Item(2, "Clock", 1100.5, 2500))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("items.csv", as_csv(ROWS)),
        ("items.csv", "\ufeff" + as_csv(ROWS, newline="\r\n")),
        ("items.CSV", as_csv(ROWS, newline="\r")),
        ("items.csv", as_csv(ROWS, ";")),
        ("items.tsv", as_csv(ROWS, "\t")),
        ("items.csv", 'Price, true value ,NAME\n50,80, "Vase, blue"\n,,\n\n"$1,100.50",2500,Clock,,\n'),
        ("items.json", json.dumps([dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]], indent=1)),
        ("items.jsonl", "".join(json.dumps(dict(zip(ROWS[0], row, strict=True))) + "\n" for row in ROWS[1:])),
        ("items.json", '[{"name": "Vase, blue", "price": 50, "true_value": 80, "desc": null},'
         ' {"name": "Clock", "price": 1100.5, "true_value": 2500}]'),
    ],
)  # fmt: skip
def test_a_list_has_the_same_items_in_every_form(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert GAME.load_scenario(str(path)).items == GAME.load_scenario(path).items == EXPECTED
    assert aucenv.english_v0.parallel_env(scenario=str(path), num_items=1).scenario.items == EXPECTED[:1]


def test_quoted_line_breaks_keep_the_lines_of_errors(tmp_path):
    text = 'name,price,true_value,desc\r\nVase,50,80,"blue,\r\nand old"\r\nClock,12;50,90,\r\n'
    with pytest.raises(ValueError, match=r"items.csv:4: price: expected a number such as 1500, .* got '12;50'"):
        GAME.load_scenario(write(tmp_path, text))
    items = GAME.load_scenario(write(tmp_path, text.replace("12;50", "12.50"))).items
    assert items == (Item(1, "Vase", 50, 80, "blue,\nand old"), Item(2, "Clock", 12.5, 90))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1500", 1500), ("1500.50", 1500.5), ("1,500", 1500), ("$1,500", 1500), ("US $1,299.99", 1299.99), (".5", 0.5),
        ("$ 24", 24), ("12,345,678.9", 12345678.9), ("3.13e+05", 313000), ("313000.000000", 313000), ("-4", -4),
    ],
)  # fmt: skip
def test_numbers_are_read_by_one_rule(text, number):
    assert read_number(text) == number
    assert type(read_number(text)) is type(number)


@pytest.mark.parametrize(
    "text",
    ["12,50", "1.500,00", "1,50", "0,125", "1 500", "\u20ac24", "24 \u20ac", "\u00a324", "USD 24", "24.99 USD", "1,5000",
     "", "nan", "inf", "1e999", "1_000", "0x10", "\u0661", "$", "1.500.000", "--5", "1,500,00", "much"],
)  # fmt: skip
def test_other_numbers_are_refused_as_typed(text):
    with pytest.raises(
        ValueError, match=re.escape(f"expected a number such as 1500, 1500.50 or $1,500.50, got {text!r}")
    ):
        read_number(text)


@pytest.mark.parametrize("text", ["1,500", "1.500", "12.345", "1,234,567"])
def test_thousands_are_ambiguous_in_a_file_with_semicolons(tmp_path, text):
    rows = [("name", "price", "true_value"), ("Vase", "5", "6"), ("Clock", text, "99999999")]
    message = rf"items.csv:3: price: expected a number without thousands separators, .*semicolons, got '{text}'"
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(write(tmp_path, as_csv(rows, ";")))
    read_number(f"${text}", decimal_commas=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "items.csv: expected a row of names and a row for each object, got an empty file"),
        ("name,price,true_value\n", "items.csv: expected a row of names and a row for each object, got an empty"),
        ("name,price,true_value\nVase,1,5,80\n", "items.csv:2: expected 3 values, .* got 4; .* double quotes"),
        ("name,price,true_value\nVase,1\n", "items.csv:2: expected 3 values, as in the row of names, got 2"),
        ('name,price,true_value\nVase,1,2\n"Clock,1,2\n', "items.csv:3: not CSV: unexpected end of data"),
        ("name,price,Price,true_value\nVase,1,2,3\n", "items.csv:1: expected 'starting_price' once, got price, Price"),
        ("name,price,true_value\nVase,,80\n", "items.csv:2: expected the field 'price'"),
        (
            "Title,price,true_value\nVase,1,2\nvase,1,2\n",
            "items.csv:3: Title: expected a name that differs from 'Vase'",
        ),
        ("name,price,true_value,id\nVase,1,2,7\nJug,1,2,7\n", "items.csv:3: id: expected a unique id, got 7 again"),
        ("name,price,true_value\nVase,-5,2\n", "items.csv:2: price: expected dollars between 0.01 .*got -5"),
        (
            "name,price,true_value\nVase\x1b,5,2\n",
            r"items.csv:2: name: expected only printable characters, got '\\x1b'",
        ),
        ("name,price,true_value\nVase\u00e9,5,2\n", "items.csv:2: not UTF-8"),
    ],
)
def test_bad_lists_are_refused_with_file_line_and_name(tmp_path, text, message):
    path = write(tmp_path, text, encoding="latin-1" if "\u00e9" in text else "utf-8")
    with pytest.raises(ValueError, match=message):
        GAME.load_scenario(path)


def test_one_error_has_all_problems_of_a_file(tmp_path):
    rows = [(f"Lot {j}" if j % 2 else "x" * 61, f"\u20ac{j}" if j % 4 == 1 else j + 1, "red") for j in range(40)]
    path = write(tmp_path, as_csv([("Item", "Price", "Colour"), *rows]))
    with pytest.raises(UnknownFile) as caught:
        GAME.load_scenario(path)
    assert str(caught.value) == (
        f"{path}:1: expected the field 'true_value', got the columns Item, Price, Colour; "
        f"{path}:2: Item: expected at most 60 characters, got 61: '{'x' * 27}...{'x' * 28}' (also lines 4, 6, 8 and 16 more); "
        f"{path}:3: Price: expected a number such as 1500, 1500.50 or $1,500.50, got '\u20ac1' "
        "(also lines 7, 11, 15 and 6 more). "
        "A list of items has the fields name (or title, item, product), starting_price (or start_price, starting_bid, "
        "opening_bid, price), true_value (or value); optionally id, description (or desc)"
    )  # fmt: skip


def test_a_hundred_thousand_rows_are_refused_at_once(tmp_path):
    lines = "".join(f"Lot {number},{number + 1},5\n" for number in range(100_000))
    path = write(tmp_path, f"name,price,true_value\n{lines}")
    with pytest.raises(ValueError, match=f"items.csv: expected at most {MOST_ROWS:,} rows, got 100,000; keep some of"):
        GAME.load_scenario(path)


def test_columns_that_are_no_fields_are_ignored_with_a_warning(tmp_path):
    path = write(tmp_path, "name,price,true_value,seller,,bids\nVase,1,2,bob,,3\n")
    with pytest.warns(UserWarning, match="items.csv: ignored seller, bids$"):
        assert GAME.load_scenario(path).items == (Item(1, "Vase", 1, 2),)


def test_bidders_may_be_csv_too(tmp_path):
    items = write(tmp_path, as_csv(ROWS))
    bidders = write(tmp_path, 'name;budget;desire\nAnn;"$1,500";maximize_items\nBen;900;\n', "bidders.csv")
    scenario = GAME.load_scenario(f"{items},{bidders}")
    assert [(bidder.name, bidder.budget, bidder.objective) for bidder in scenario.bidders] == [
        ("Ann", 1500, "items"),
        ("Ben", 900, "profit"),
    ]
    with pytest.raises(
        UnknownFile, match=r"expected the fields 'name', 'budget', .*A list of bidders has the fields name"
    ):
        GAME.load_scenario(f"{items},{items.replace('items', 'x')}" if write(tmp_path, "a\n1\n", "x.csv") else "")


def test_budgets_of_a_list_allow_no_endless_games(tmp_path):
    prices = [0.99, *[20_000] * 20]
    path = write(tmp_path, as_csv([ROWS[0], *((f"Lot {j}", price, 5) for j, price in enumerate(prices))]))
    with pytest.warns(
        UserWarning, match=r"of 21 items, 20 start above the default budget of \$10,000.69; --set budget="
    ):
        assert GAME.load_scenario(path).bidders[0].budget == 10_000.69
    assert GAME.load_scenario(write(tmp_path, as_csv(ROWS))).bidders[0].budget == 2201


AUCARENA = [{"name": f"Gadget {j}", "price": 1000 * j, "desc": "", "id": j, "true_value": 2000 * j} for j in (1, 2)]
HOUSING = [
    ("price", "area", "bedrooms", "bathrooms", "stories", "mainroad", "parking", "furnishingstatus"),
    *([f"{13300000 - 7 * j}", 7420, 4, 2 + j % 2, 3, "yes", 2, "furnished"] for j in range(4)),
]
EBAY = [
    ("Title", "Price", "Condition", "Seller", "Bids"),
    ("Apple iPod nano 8GB 4th generation, silver, mint and boxed with accessories", "$1,024.50", "Used", "bob", 3),
    ("Fossil watch", "$19.99", "New", "ann", 0),
]


@pytest.mark.parametrize(
    ("game", "text", "name", "missing"),
    [
        ("english", "".join(json.dumps(item) + "\n" for item in AUCARENA), "items.jsonl", ()),
        ("english", "\ufeff" + as_csv(EBAY, newline="\r\n"), "ebay.csv", ("true_value",)),
        ("harbor", as_csv(HOUSING), "Housing.csv", ("name", "true_value")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*ignored|.*alike|.*above the default budget:UserWarning")
def test_lists_of_public_repositories_play_after_one_clear_error(tmp_path, game, text, name, missing):
    path = write(tmp_path, text, name)
    if missing:
        with pytest.raises(UnknownFile) as caught:
            FAMILIES[game].game.load_scenario(path)
        assert all(repr(field) in str(caught.value) for field in missing)
        head, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
        if "at most 60 characters" in str(caught.value):
            assert f"{path}:2: Title" in str(caught.value)
            rows[0][0] = rows[0][0][:60]
        added = {"name": lambda j: f"House {j}", "true_value": lambda j: f"{10**7 + j}"}
        rows = [[*row, *(added[field](j) for field in missing)] for j, row in enumerate(rows)]
        write(tmp_path, as_csv([[*head, *missing], *rows]), name)
    record = aucenv.play(game, path, ["value"] * 3, 1)
    assert record.outcome["status"] == "terminated"


HOUSES = [
    ("Address", "Price", "Value", "SqFt", "Beds", "Baths", "Yr Built", "Zip"),
    ("1 Mill Lane", "$180,000", "$420,000", "1,180", "3", "2.5", "1955", "98178"),
    ("2 Mill Lane", "$210,000", "$500,000", "2,570", "4", "1", "1991", "98125"),
]


def test_houses_without_some_features_are_alike_in_them(tmp_path):
    path = write(tmp_path, as_csv(HOUSES), "houses.csv")
    with pytest.warns(UserWarning, match="houses.csv: ignored Zip; all houses are alike in kind, place, lot, schools"):
        scenario = FAMILIES["harbor"].game.load_scenario(path)
    first = scenario.items[0]
    assert (first.name, first.starting_price, first.true_value) == ("1 Mill Lane", 180_000, 420_000)
    assert (first.house.size, first.house.bathrooms, first.house.schools) == (1180, 2.5, NEUTRAL.schools)
    assert first.description == "For sale: 1,180 square feet, 3 bedrooms, 2.5 bathrooms, built in 1955."
    with pytest.warns(UserWarning, match="alike"):
        record = aucenv.play("harbor", path, ["value", "value", "random"], 1)
    assert {item["id"] for item in record.deal["items"]} == {"1 Mill Lane", "2 Mill Lane"}


def test_neutral_features_stand_in_the_middle_of_all_traits():
    numbers = {name: value for name, value in traits(NEUTRAL, 195_000).items() if name not in ("suite", "step_free")}
    for place in ("urban", "rural", "leisure"):
        assert numbers.pop(place) < 0.2
    assert all(0.35 < value < 0.65 for value in numbers.values()), numbers


def test_descriptions_of_known_features_state_them_and_no_others():
    assert {*FACTS} == set(harbor.FEATURES)
    for name in FACTS:
        stated = parse_description(describe_known(NEUTRAL, [name]))
        assert stated.pop(name) == getattr(NEUTRAL, name)
        assert not any(value for other, value in stated.items() if other != name), stated
    assert describe_known(NEUTRAL, ["suite"]) == "For sale: a house."


@pytest.mark.parametrize("game", FAMILIES)
@pytest.mark.parametrize(
    "name", ["mine.xlsx", "mine.txt", "folder/mine", "[1]", '"text"', '{"rows": []}', "mine.parquet"]
)
def test_an_unknown_file_is_answered_with_the_forms_and_an_example(game, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name[0] in '[{"':
        (tmp_path / "mine.json").write_text(name)
        name = "mine.json"
    declared = FAMILIES[game].game
    with pytest.raises(UnknownFile) as caught:
        declared.load_scenario(name)
    message = str(caught.value)
    head, *example = caught.value.__notes__[0].split("\n")
    assert head == "For example:"
    assert "expected" in message
    assert "FILE.json" in message or "A list of" in message
    assert len(example) == 3
    (tmp_path / "example.csv").write_text("\n".join(example))
    (tmp_path / "example.json").write_text("\n".join(example))
    with pytest.warns(match="alike") if game == "harbor" else contextlib.nullcontext():
        declared.load_scenario("example.json" if declared.lists is None else "example.csv")


@pytest.mark.parametrize("game", FAMILIES)
def test_names_of_scenarios_with_fields_are_no_files(game):
    declared = FAMILIES[game].game
    name = next(iter(declared.scenarios))
    with pytest.raises(ValueError, match="colour"):
        declared.load_scenario(f"{name},colour=0.5")
    with pytest.raises(ValueError, match=f"scenario: expected one of {re.escape(name)}"):
        declared.load_scenario("nosuchname")


@pytest.mark.parametrize("start", [["leaderboard"], ["play"], ["host", "--bidder", "ann=human"]])
def test_commands_print_the_example_in_lines(start, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "brand,price\nAcme,5\n")
    assert command(*start, "--game", "english", "--scenario", "items.csv") == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-5].startswith("aucenv: --scenario: items.csv:1: expected the fields 'name', 'true_value'")
    assert lines[-4] == "For example:"
    assert tuple(lines[-3:]) == ITEMS.example
