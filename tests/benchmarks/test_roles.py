"""Names, budgets and objectives of a scenario belong to seats, or follow bidders that rotate through them."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, honest_bidders, matches, run
from aucenv.benchmarks.rankings.saved_runs import SavedRun
from run_command import command
from tables import scenario_of

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.statistics.design import deal_numbers
from aucenv.envs.english.game import SCENARIOS, Bidder
from aucenv.runs.records import read_records

NICHE = Settings(bidders=("pace", "value", "a=items", "b=items"), scenario="niche-10k", roles="bidders", games=8)
REMEMBERS = """
class Mine:
    interface, in_order = "amount", True

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return view.least_bid if view.least_bid <= 1500 else -1

    def close_game(self, view):
        pass
"""


@pytest.fixture
def remembering(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(REMEMBERS)
    return f"m=py:{file}:Mine"


def test_objectives_follow_bidders_while_seats_rotate(tmp_path, capsys):
    rows = run(NICHE, out=tmp_path / "out")
    records = list(read_records(tmp_path / "out"))
    objectives, names, seats = ({label: set() for label in ("pace", "value", "a=items", "b=items")} for _ in range(3))
    for record in records:
        for player, dealt in zip(record.seats, record.deal["seats"], strict=True):
            objectives[player["bidder"]].add(dealt["objective"])
            names[player["bidder"]].add(player["name"])
            seats[player["bidder"]].add(player["seat"])
    assert objectives == {"pace": {"profit"}, "value": {"profit"}, "a=items": {"items"}, "b=items": {"items"}}
    assert list(names.values()) == [{"Alex"}, {"Blair"}, {"Casey"}, {"Devon"}]
    assert all(len(played) == 4 for played in seats.values())
    assert sorted(Counter(deal_numbers(records).tolist()).values()) == [4, 4]
    assert "by_setting" not in rows[0]
    assert aucenv.read_records(tmp_path / "out")
    command("records", "show", tmp_path / "out", "1")
    shown = capsys.readouterr().out
    assert "Casey (a=items), budget $10,000, wants items" in shown
    assert "Alex (pace), budget $10,000, wants profit" in shown


def test_a_run_whose_roles_follow_bidders_resumes_and_has_other_settings(tmp_path):
    out = tmp_path / "out"
    rows = run(NICHE, out=out)
    lines = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join(lines[:3]))
    assert run(NICHE, out=out) == rows
    assert SavedRun.read(out).settings["roles"] == "bidders"
    with pytest.raises(ValueError, match="roles"):
        run(dataclasses.replace(NICHE, roles="seats"), out=out)
    run(Settings(bidders=("rule", "value", "pace"), games=3), out=tmp_path / "other")
    assert SavedRun.read(tmp_path / "other").settings["roles"] == "seats"


def test_by_default_entries_belong_to_seats():
    schedule = matches(Settings(bidders=("pace", "value", "rule", "drain"), scenario="niche-10k", games=8))
    assert {id(match.scenario) for match in schedule} == {id(schedule[0].scenario)}
    assert schedule[0].scenario == SCENARIOS["niche-10k"]


def test_further_bidders_get_copies_of_the_entries_under_new_names():
    names = ("pace", "value", "drain", "rule", "a=pace", "b=value")
    schedule = matches(dataclasses.replace(NICHE, bidders=names, games=60))
    entry_of = {}
    for match in schedule:
        for name, entry in zip(match.bidders, match.scenario.bidders, strict=True):
            assert entry_of.setdefault(name, entry) == entry
    entries = [entry_of[name] for name in names]
    assert [entry.objective for entry in entries] == ["profit", "profit", "items", "items", "profit", "profit"]
    assert [entry.name for entry in entries] == ["Alex", "Blair", "Casey", "Devon", "Emery", "Flynn"]


def test_names_stay_with_bidders_if_one_keeps_a_memory(remembering):
    settings = Settings(bidders=(remembering, "rule", "value", "pace"), scenario="niche-10k", games=12)
    names: dict[str, set[str]] = {}
    for match in matches(settings):
        entries = match.scenario.bidders
        assert [entry.objective for entry in entries] == ["profit", "profit", "items", "items"]  # those of the seats
        for bidder, entry in zip(match.bidders, entries, strict=True):
            names.setdefault(bidder, set()).add(entry.name)
    assert names == {remembering: {"Alex"}, "rule": {"Blair"}, "value": {"Casey"}, "pace": {"Devon"}}


def test_a_bidder_in_two_seats_has_a_second_name(remembering):
    schedule = matches(Settings(bidders=(remembering, "rule"), games=6))
    for match in schedule:
        entries = [entry.name for entry in match.scenario.bidders]
        assert len(set(entries)) == 3
        assert entries[match.bidders.index("rule")] == "Blair"
        assert entries[match.bidders.index(remembering)] == "Alex"
        assert "Casey" in entries


def test_the_standard_competition_keeps_names_with_bidders_that_remember(remembering):
    schedule = matches(Settings(bidders=(remembering, "rule", "value", "pace"), format="standard", games=12))
    names = {
        (bidder, entry.name)
        for match in schedule
        for bidder, entry in zip(match.bidders, match.scenario.bidders, strict=True)
    }
    assert names == {(remembering, "Alex"), ("rule", "Blair"), ("value", "Casey"), ("pace", "Devon")}


def test_rotated_names_and_objectives_are_of_one_deal_in_housing_auctions_too(remembering):
    records = [
        match.play()
        for match in matches(Settings("harbor", (remembering, "rule", "value"), games=6, changes=("num_items=6",)))
    ]
    assert deal_numbers(records).tolist() == [0, 0, 0, 1, 1, 1]
    assert len({record.scenario["bidders"][0]["name"] for record in records}) == 3
    assert all(row["games"] == 6 for row in standings(records))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dataclasses.replace(NICHE, roles="bidder"), "roles: expected one of seats, bidders, got 'bidder'"),
        (
            dataclasses.replace(NICHE, bidders=("pace", "value", "items")),
            "roles: number of bidders: expected a whole number from 4 to 16, got 3",
        ),
        (
            dataclasses.replace(NICHE, bidders=tuple(f"b{j}=value" for j in range(17))),
            "roles: number of bidders: expected a whole number from 4 to 16, got 17",
        ),
        (Settings("sealed_bid", roles="bidders"), "roles: expected 'seats' in a game whose bidders have no entries"),
    ],
)
def test_bad_roles_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        matches(settings)


def test_records_show_the_objective_that_bidders_state(tmp_path):
    scenario = scenario_of([1000, 2000, 1500])
    record = aucenv.play("english", scenario, ["items", "item,number=2", "value"])
    assert [player.get("notes", {}) for player in record.seats] == [
        {"objective": "items"},
        {"objective": "item", "target": "item 1"},
        {},
    ]
    assert [line.rpartition("wants ")[2] for line in list(transcript(record))[1:4]] == ["items.", "item 1.", "profit."]
    assert {dealt["objective"] for dealt in record.deal["seats"]} == {"profit"}
    settings = Settings(bidders=("items", "item,number=2", "value"), games=6)
    rows = run(settings, out=tmp_path / "out")
    assert run(settings, out=tmp_path / "out", resume=True) == rows
    records = list(read_records(tmp_path / "out"))
    assert deal_numbers(records).tolist() == [0, 0, 0, 1, 1, 1]
    assert "by_setting" not in rows[0]


def test_the_target_of_the_scenario_is_that_of_a_bidder_that_seeks_one_item():
    seeker = Bidder("b0", 20_000, "item", "item 2")
    scenario = dataclasses.replace(scenario_of([1000, 2000, 1500]), bidders=(seeker, Bidder("b1", 20_000)))
    record = aucenv.play("english", scenario, ["item,number=1", "rule"])
    assert "notes" not in record.seats[0]
    assert "wants item 2." in list(transcript(record))[1]
    assert [item["winner"] for item in record.outcome["items"]] == ["bidder_1", "bidder_1", "bidder_0"]


def test_an_older_record_shows_the_objective_in_the_name_of_an_agent():
    record = aucenv.play("english", "standard-20k-random", ["rule", "rule", "rule"])
    record.seats[0]["bidder"] = "m=llm:openai:gpt,agent=bdi,objective=items"
    record.seats[1]["bidder"] = "n=llm:openai:gpt,objective=item:Gadget B,agent=bdi"
    lines = list(transcript(record))
    assert [line.rpartition("wants ")[2] for line in lines[1:4]] == ["items.", "Gadget B.", "profit."]


def test_bidders_that_seek_items_are_no_defaults():
    assert honest_bidders("english") == ("rule", "value", "pace", "drain", "random")
