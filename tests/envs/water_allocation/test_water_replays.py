"""Replays of recorded games: the recorded bids give the recorded winners, balances, health, deaths and figures.

The data are Alympics' logs of GPT-4 without personas (github.com/microsoft/Alympics, MIT). Most games contain only the
supplies, bids and survivors.
"""

from __future__ import annotations

import copy
import json
import re

import pytest
from aucenv.benchmarks.studies.alympics.droughts import setting_of
from aucenv.benchmarks.studies.alympics.settings import published_figures, published_p_values
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from paths import DATA
from run_command import command

import aucenv
from aucenv.analysis.statistics.significance import t_test
from aucenv.core.notices import Notice
from aucenv.envs.water_allocation.files import replay_game
from aucenv.envs.water_allocation.game import PUBLISHED, SCENARIOS

FILE = DATA / "water_allocation_replays.jsonl"
GAMES = [json.loads(line) for line in FILE.read_text().splitlines()]


def replay(*arguments: str) -> int:
    return command("replay", "--game", "water_allocation", *arguments)


def change(day: int, *path: str, value) -> dict:
    """Return the first game with another value at `path` of a day."""
    data = copy.deepcopy(GAMES[0])
    part = data["days"][day]
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (change(0, "winners", value=["Eric"]), r"day 1: water recorded for \['Eric'\], our rules give \['Alex'\]"),
        (change(1, "after", "Bob", "health", value=6), "day 2: health of Bob recorded 6, our rules give 5"),
        (
            change(2, "after", "Bob", "balance", value=225.01),
            "day 3: balance of Bob recorded 225.01, our rules give 225",
        ),
        (
            change(4, "bids", "David", value=1),
            "day 5: bids recorded of .*David.*, alive under our rules: Alex, Bob, Cindy, Eric",
        ),
        (change(5, "winners", value=["David"]), r"day 6: water recorded for \['David'\], our rules give"),
        (change(3, "bids", "Eric", value=300), r"day 4: water recorded for \['Bob'\], our rules give \['Eric'\]"),
        ({**GAMES[0], "survivors": ["Alex"]}, r"at the end: survivors recorded \['Alex'\]"),
    ],
)
def test_differences_are_described(data, message):
    assert re.search(message, replay_game(data, "x").difference or "no difference")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"id": 1}, "x: expected the field 'days'"),
        ({**GAMES[0], "id": float("nan")}, "x: id: expected finite numbers, .*, got nan"),
        ({**GAMES[0], "length": 19}, "x: length: expected a whole number of at least 20, got 19"),
        ({"id": 1, "days": [3]}, r"x: days\[0\]: expected an object, got 3"),
        ({"id": 1, "days": [{"supply": 3, "bids": {}}]}, "x: expected the field 'supply_range'"),
        ({**GAMES[0], "supply_range": [20, 10]}, "supply_range, most: expected a whole number from 20"),
        (
            {**GAMES[0], "supply_range": [10, 11]},
            "supply_schedule, day 2: expected a whole number from 10 to 11, got 17",
        ),
        (change(3, "bids", "Alex", value="40"), r"days\[3\]: bid of Alex: expected dollars .* got '40'"),
        (change(3, "bids", "Alex", value=-1), r"days\[3\]: bid of Alex: expected dollars .* got -1"),
        (change(3, "bids", value={"Zoe": 3}), r"days\[3\]: bids, name: expected one of Alex, .* got 'Zoe'"),
        (change(3, "supply", value=1.5), r"days\[3\]: supply: expected a whole number, got 1.5"),
        (change(3, "after", "Alex", value={}), r"days\[3\]: after Alex: expected the field 'balance'"),
        (change(3, "winners", value="Alex"), r"days\[3\]: winners: expected a list, got 'Alex'"),
    ],
)
def test_malformed_records_are_refused_with_their_place(data, message):
    with pytest.raises(ValueError, match=message):
        replay_game(data, "x")


def test_bids_with_fractions_of_a_cent_are_rounded(tmp_path, capsys):
    data = {
        "id": "halves",
        "supply_range": [5, 5],
        "residents": [{"name": "a", "need": 5, "salary": 180}, {"name": "b", "need": 4, "salary": 180}],
        "days": [
            {"supply": 5, "bids": {"a": 176.575, "b": 1}, "winners": ["a"]},
            {"supply": 5, "bids": {"a": 183.425, "b": 2.001}, "winners": ["a"]},
            {"supply": 5, "bids": {"a": 180, "b": 2}, "winners": ["a"]},
        ],
    }
    balances = [(3.425, 180), (0, 360), (0, 540)]
    for day, (a, b), health in zip(data["days"], balances, (7, 5, 2), strict=True):
        day["after"] = {
            "a": {"balance": a, "health": 10, "no_water_days": 0},
            "b": {"balance": b, "health": health, "no_water_days": data["days"].index(day) + 1},
        }
    file, out = tmp_path / "games.jsonl", tmp_path / "out.jsonl"
    file.write_text(f"{json.dumps(data)}\n{json.dumps({**data, 'days': 7})}\n{json.dumps(GAMES[0])}\n")
    assert replay(str(file), "--out", str(out)) == 1
    printed = capsys.readouterr()
    notes = [
        "days[0]: bid of a: $176.575 is rounded to $176.58",
        "days[1]: bid of a: $183.425 is rounded to $183.43",
        "days[1]: bid of b: $2.001 is rounded to $2",
    ]
    assert printed.out.splitlines() == ["2/2 games agree", *(f"game halves, {note}" for note in notes)]
    assert printed.err.startswith(f"not replayed: game halves: {file}:2: days: expected a list, got 7")
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert written[0]["rounded"] == notes
    assert written[0]["days"][1]["after"]["a"]["balance"] == 0  # all of the balance, which is 183.42
    assert "days: expected a list" in written[1]["error"]
    data["days"][2]["bids"]["a"] = 181
    assert "day 3: water recorded for ['a'], our rules give ['b']" in replay_game(data, "x").difference


def test_games_with_user_defined_residents_and_ties_agree():
    data = {
        "id": "own",
        "supply_range": [5, 5],
        "residents": [{"name": name, "need": 5, "salary": 50} for name in "abc"],
        "days": [{"supply": 5, "bids": {"a": 9, "b": 9, "c": None}, "winners": [winner]} for winner in "bab"],
    }
    assert replay_game(data, "x").difference is None
    three = {**data, "supply_range": [10, 10]}
    three["days"] = [
        {"supply": 10, "bids": dict.fromkeys("abc", 9), "winners": [*winners]}
        for winners in ("ab", "ba", "ac", "ca", "bc", "cb")
    ]
    assert replay_game(three, "x").difference is None
    data["days"][2]["winners"] = ["c"]
    assert "day 3: water recorded for ['c']" in replay_game(data, "x").difference


def test_a_game_without_survivors_has_twenty_days():
    names = ("Alex", "Bob", "Cindy", "David", "Eric")
    days = [{"supply": 15, "bids": dict.fromkeys(names)} for _ in range(4)]
    data = {"id": "dry", "supply_range": [10, 20], "days": days, "survivors": []}
    replayed = replay_game(data, "x")
    assert replayed.difference is None
    assert replayed.table.scenario.days == 20
    assert "day 4: the record ends" in replay_game({**data, "days": days[:3]}, "x").difference
    assert replay_game({**data, "length": 4}, "x").table.scenario.days == 4


def test_the_records_give_the_published_figures():
    """See Alympics, section 4; one game of setting 2 and two games of setting 3 are missing here."""
    rows = {
        row["setting"]: row
        for row in run(STUDIES["alympics/settings"], from_records=FILE)
        if row["bidder"] == "recorded"
    }
    names = ("Alex", "Bob", "Cindy", "David", "Eric")
    survivors = {setting: [round(row[name] * row["games"]) for name in names] for setting, row in rows.items()}
    assert survivors == {"low": [1, 1, 5, 7, 4], "medium": [8, 5, 7, 7, 8], "high": [8, 8, 8, 8, 7]}
    assert [row["games"] for row in rows.values()] == [10, 9, 8]
    assert [row["rsr_start"] for row in rows.values()] == [0.3, 0.4, 0.5]
    assert rows["low"]["rsr_end"] == pytest.approx(0.83, abs=0.005)
    assert rows["low"]["efficiency"] == pytest.approx(2.59, abs=0.005)
    assert rows["high"]["efficiency"] == pytest.approx(3.91, abs=0.005)
    assert rows["medium"]["efficiency"] == pytest.approx(3.31, abs=0.05)
    curse = run(STUDIES["alympics/curse"], from_records=FILE)[0]
    published = (0.4, 0.8, 0.4, 0.1, 0.6, 0.8, 0.2, 0.8, 0.9, 0.9, 1, 0.8, 0.9, 1, 0.9, 0.9, 1, 1, 0.9, 1)
    differences = [round(ours - theirs, 6) for ours, theirs in zip(curse["rates"], published, strict=True)]
    assert differences == [-0.1 if day == 6 else 0 for day in range(1, 21)]
    unlike = [day for day in range(20) if curse["rates"][day] != round(curse["rates_with_winner"][day], 6)]
    assert [day + 1 for day in unlike] == [12, 13, 15, 16, 19]
    sixth = curse["by_game"][5]
    assert [game for game, winners in enumerate(sixth, 1) if not all(winners.values())] == [4, 5, 8]
    assert curse["winners"][0] == {"David": [6, 4], "Eric": [3, 0], "Alex": [1, 0]}
    table = STUDIES["alympics/curse"].tables([curse])[1]
    assert table[2][3] == ["4", "recorded", "10%", "10%", "+0%", "10%", "Alex 0/6, Bob 0/6, Cindy 1/1"]
    rows = run(STUDIES["alympics/prices"], from_records=FILE)
    prices = {(row["setting"], row["bidder"]): row for row in rows}
    assert prices["low", "recorded"]["medians"] == prices["low", "published"]["medians"]
    assert prices["low", "recorded"]["mean_difference"] == 0
    for setting, games in (("medium", 9), ("high", 8)):  # of 10 published ones
        recorded, published = prices[setting, "recorded"], prices[setting, "published"]
        assert (recorded["games"], published["games"]) == (games, 10)
        assert recorded["mean"] == pytest.approx(published["mean"], rel=0.03)
    assert [round(row["mean"], 1) for row in rows if row["bidder"] == "published"] == [185.7, 131.6, 113.8]


def test_all_pairs_of_settings_are_tested_beside_the_published_p_values():
    study = STUDIES["alympics/settings"]
    _, headings, lines = study.tables(run(study, ["random"], games=2))[-1]
    assert headings[2:] == [
        "survival",
        "published",
        "from published rates",
        "RSR end",
        "published",
        "efficiency",
        "published",
    ]
    assert len(lines) == 15
    cells = {line[0]: line[2:] for line in lines}
    same = "same games"
    assert cells["medium, medium-personas"] == [same, "0.25", "0.246", same, "0.03", same, "0.74"]
    assert cells["low, high"][1:3] == ["<0.005", "<0.005"]
    assert cells["low, medium-personas"][1:3] == ["0.07", "0.072"]
    assert [cells["low-personas, medium-personas"][column] for column in (1, 4, 6)] == ["0.12", "0.50", "<0.005"]
    assert [line[6] for line in lines].count("-") == 0


def test_a_study_from_records_writes_tables_and_a_figure(tmp_path, capsys):
    arguments = ["study", "alympics/prices", "--from-records", str(FILE), "--out", str(tmp_path / "out")]
    assert not command(*arguments)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        *("figure.png", "figure.svg", "table.json", "table.md"),
    ]
    (tmp_path / "out" / "run.json").write_text("{}")
    command(*arguments)
    assert "expected a new folder, got a results folder" in capsys.readouterr().err


def test_all_45_published_p_values_follow_from_the_published_rates_and_games():
    copy = json.loads((DATA / "alympics_p_values.json").read_text())
    figures = published_figures()["settings"]
    keys = {"survival": "survival", "rsr_end": "rsr_end_by_game", "efficiency": "efficiency_by_game"}
    computed = {}
    for place, (first, second) in enumerate(copy["pairs"]):
        published = published_p_values((int(first), int(second)))
        assert list(published) == list(keys)
        for name, key in keys.items():
            p = computed[name, first + second] = t_test(figures[int(first) - 1][key], figures[int(second) - 1][key]).p
            assert copy[name][place] == f"{published[name]:.2f}" == f"{p:.2f}"
    assert len(computed) == 45
    in_text = [computed["survival", pair] for pair in ("12", "14", "23", "25", "36", "45")]
    assert [round(p, 3) for p in in_text] == [0.018, 0.714, 0.014, 0.246, 0.667, 0.120]
    assert [round(computed["efficiency", pair], 3) for pair in ("14", "25", "36")] == [0.207, 0.744, 0.198]


def test_survivors_of_the_records_give_the_published_ratios_but_in_six_games():
    needs = {name: need for name, need, _ in PUBLISHED}
    different = {}
    for data in GAMES:
        low, high = data["supply_range"]
        setting, game = low // 5 - 1, int(data["id"].rpartition("_")[2])
        ratio = (low + high) / 2 / sum(needs[name] for name in data["survivors"])
        printed = published_figures()["settings"][setting - 1]["rsr_end_by_game"][game - 1]
        if f"{ratio:.2f}" != f"{printed:.2f}":
            different[setting, game] = (f"{ratio:.2f}", printed)
    assert different == {
        (2, 5): ("0.69", 0.49),
        (2, 6): ("0.67", 0.48),
        (2, 7): ("0.51", 0.67),
        (3, 8): ("0.50", 0.53),
        (3, 9): ("0.50", 0.54),
        (3, 10): ("0.50", 0.55),
    }


def test_published_means_are_those_of_the_published_games():
    for setting in published_figures()["settings"]:
        for mean, key in (("rsr_end", "rsr_end_by_game"), ("efficiency_printed", "efficiency_by_game")):
            assert setting[mean] == pytest.approx(sum(setting[key]) / 10, abs=0.0055)


def test_records_that_differ_from_our_rules_are_refused_by_studies(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({**GAMES[0], "survivors": ["Alex"]}) + "\n")
    with pytest.raises(ValueError, match=r"games.jsonl:1: at the end: survivors recorded \['Alex'\]"):
        run(STUDIES["alympics/settings"], from_records=file)


def test_studies_warn_of_rounded_bids(tmp_path):
    file = tmp_path / "games.jsonl"
    game = change(19, "bids", "Cindy", value=150.001)
    file.write_text(json.dumps(game) + "\n")
    with pytest.warns(Notice, match=r"games.jsonl:1: days\[19\]: bid of Cindy: \$150.001 is rounded to \$150"):
        run(STUDIES["alympics/settings"], from_records=file)


def test_rows_of_rule_bidders_with_personas_repeat_those_without():
    rows = run(STUDIES["alympics/settings"], ["random"], games=2)
    played = {row["number"]: row for row in rows if not row["published"]}
    assert [played[number]["personas"] for number in played] == ["none"] * 3 + [
        f"ignored, repeats {number}" for number in (1, 2, 3)
    ]
    for number in (1, 2, 3):
        ours = {name for name in played[number] if "_published" not in name and "_difference" not in name}
        different = {name for name in ours if played[number][name] != played[number + 3][name]}
        assert different == {"number", "setting", "personas", "p_values"}
    assert [row["personas"] for row in rows if row["published"]] == ["none"] * 3 + ["shown"] * 3


def test_games_with_neutral_personas_have_no_published_setting():
    records = [
        aucenv.play("water_allocation", SCENARIOS[name].changed(days=20), ["random"] * 5, 0)
        for name in ("low-personas", "low-neutral-personas")
    ]
    assert [setting_of(record) for record in records] == ["low-personas", None]
