"""Water allocation challenge: bad input in code and on the command line, texts, figures and transcripts."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from aucenv.benchmarks.studies.alympics.droughts import setting_of
from run_command import command
from tables import Player
from water_tables import bid, drought, table_of

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.decisions import IllegalBid
from aucenv.envs.water_allocation.figures import game_figures
from aucenv.envs.water_allocation.game import SCENARIOS, SETTINGS, WaterScenario
from aucenv.envs.water_allocation.personas import NEUTRAL_PERSONAS, PERSONAS
from aucenv.runs.records import replay

make = aucenv.water_allocation_v0
RESIDENTS = SCENARIOS["low"].residents
PROGRAM = SCENARIOS["low"].changed(supply_endpoint=False)
"""The low setting with the supplies of the paper's program."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"supply_range": (20, 10)}, "supply_range, most: expected a whole number from 20 to 1000000, got 10"),
        ({"supply_range": (-1, 10)}, "supply_range, least: expected a whole number from 0 to 1000000, got -1"),
        ({"supply_range": (1, 2, 3)}, r"supply_range: expected \(least, highest\), got \(1, 2, 3\)"),
        ({"supply_range": 10}, "supply_range: expected .least, highest., got 10"),
        ({"supply_range": (1.5, 3)}, "got 1.5"),
        ({"supply_schedule": [15] * 19}, "supply_schedule: expected the supply of each of 20 days, got 19"),
        (
            {"supply_schedule": [15] * 19 + [21]},
            "supply_schedule, day 20: expected a whole number from 10 to 20, got 21",
        ),
        ({"supply_schedule": "15"}, "supply_schedule: expected a list"),
        ({"days": 0}, "days: expected a whole number from 1 to 1000, got 0"),
        ({"num_bidders": 6}, "num_bidders: expected a whole number from 2 to 5, got 6"),
        ({"num_bidders": 1}, "num_bidders: expected a whole number of at least 2, got 1"),
        ({"residents": RESIDENTS[:1]}, "number of residents: expected a whole number from 2 to 16, got 1"),
        ({"residents": RESIDENTS[:1] * 2}, r"residents\[1\].name: expected a unique name, got 'Alex' again"),
        ({"residents": ["Alex", "Bob"]}, "residents: expected Residents, got 'Alex'"),
        ({"start_health": 11}, "start_health: expected a whole number from 1 to 10, got 11"),
        ({"start_health": 0}, "start_health: expected a whole number from 1 to 1000, got 0"),
        ({"health_cap": 7}, "start_health: expected a whole number from 1 to 7, got 8"),
        ({"over_balance": "ignore"}, "over_balance: expected one of void, refuse, got 'ignore'"),
        ({"on_death": "leave"}, "on_death: expected one of stay, terminate, got 'leave'"),
        ({"supply_endpoint": "no"}, "supply_endpoint: expected true or false, got 'no'"),
        (
            {"supply_range": (5, 5), "supply_endpoint": False},
            r"supply_range: expected at least one possible supply, got \(5, 5\) with supply_endpoint=False",
        ),
        (
            {"supply_schedule": [15] * 19 + [20], "supply_endpoint": False},
            "supply_schedule, day 20: expected a whole number from 10 to 19, got 20",
        ),
        ({"scenario": "lo"}, r"scenario: expected one of low, .*got 'lo' \(did you mean 'low'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("resident", "message"),
    [
        (("", 5, 5), "resident '', name: expected some text"),
        (("a", 0, 5), "resident 'a', need: expected a whole number from 1"),
        (("a", 1.5, 5), "got 1.5"),
        (("a", 5, -1), "resident 'a', salary: expected dollars between 0 .* got -1"),
        (("a", 5, float("nan")), "got nan"),
        (("a", 5, 1.005), "salary: expected at most two decimals, got 1.005"),
        (("a", 5, 5, 3), "persona: expected some text, got 3"),
    ],
)
def test_bad_residents_are_refused(resident, message):
    with pytest.raises(ValueError, match=message):
        aucenv.Resident(*resident)


def test_a_need_above_any_possible_supply_causes_a_warning(tmp_path, capsys):
    greedy = (*RESIDENTS[:2], aucenv.Resident("Gulliver", 21, 500))
    message = "the need of Gulliver is 21, and the supply at most 20: it can never get water"
    for form in (make, make.raw_env, make.parallel_env, lambda **kwargs: make.batch_env(1, **kwargs)):
        with pytest.warns(UserWarning, match=message):
            form(residents=greedy)
    file = tmp_path / "dry.json"
    file.write_text(json.dumps(SCENARIOS["low"].changed(residents=greedy).to_dict()))
    with pytest.warns(UserWarning, match=message):
        make.game.load_scenario(str(file))
    with pytest.warns(UserWarning, match="supply at most 11"):
        make(supply_schedule=[10, 11] * 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(residents=greedy, supply_range=(10, 21))
    with pytest.warns(UserWarning, match="the supply at most 20"):
        make(residents=greedy, supply_range=(10, 21), supply_endpoint=False)


def test_bad_data_in_place_of_a_scenario_is_refused():
    for change, message in (
        ({"residents": [{"name": "a"}]}, r"residents\[0\]: expected the field 'need'"),
        ({"residents": 3}, "residents: expected a list"),
        ({"drought": 1}, "drought: expected one of name, .*got 'drought'"),
    ):
        with pytest.raises(ValueError, match=message):
            WaterScenario.from_dict({**SCENARIOS["low"].to_dict(), **change})


def test_scenarios_are_the_published_ones():
    assert list(SETTINGS) == ["low", "medium", "high", "low-personas", "medium-personas", "high-personas"]
    neutral = [f"{supply}-neutral-personas" for supply in ("low", "medium", "high")]
    assert list(SCENARIOS) == [*SETTINGS, *neutral]
    assert [scenario.supply_range for scenario in SCENARIOS.values()] == [(10, 20), (15, 25), (20, 30)] * 3
    for name, scenario in SCENARIOS.items():
        residents = [(r.name, r.need, r.salary) for r in scenario.residents]
        assert residents == [("Alex", 8, 70), ("Bob", 9, 75), ("Cindy", 10, 100), ("David", 11, 120), ("Eric", 12, 120)]
        assert (scenario.days, scenario.start_health, scenario.health_cap) == (20, 8, 10)
        assert all(bool(r.persona) == name.endswith("personas") for r in scenario.residents)


def test_the_programs_range_differs_in_its_end_only():
    assert PROGRAM.to_dict() == {**SCENARIOS["low"].to_dict(), "supply_endpoint": False}


def test_without_the_endpoint_games_are_those_of_a_range_that_ends_before_it():
    ends_before = SCENARIOS["low"].changed(supply_range=(10, 19))
    played, expected = (
        aucenv.play("water_allocation", scenario, ["thirst", "random", "planner", "share", "random"], 7)
        for scenario in (PROGRAM, ends_before)
    )
    assert (played.deal, played.decisions, played.outcome) == (expected.deal, expected.decisions, expected.outcome)
    assert game_figures(played) == game_figures(expected)
    assert game_figures(played).rsr_start == 0.29
    assert setting_of(played) is None
    text = table_of(PROGRAM).text(0)
    assert "10 to 19 units" in text
    assert replay(played).over
    played.deal["supplies"][3] = 20
    with pytest.raises(ValueError, match=r"deal.supplies\[3\]: expected a whole number from 10 to 19, got 20"):
        replay(played)


FACTS = {
    "Alex": ("no job", "IQ is low", "so is your EQ", "shout", "poor"),
    "Bob": ("high school", "EQ is high", "IQ is average", "close family"),
    "Cindy": ("psychologist", "IQ and your EQ are high", "crisis line"),
    "David": ("mathematician", "IQ is very high", "shy", "small town"),
    "Eric": ("marketing executive", "IQ and your EQ are both above average", "charisma"),
}


def test_personas_have_the_length_and_the_facts_of_the_papers():
    for personas in (PERSONAS, NEUTRAL_PERSONAS):
        assert list(personas) == list(FACTS)
        for name, persona in personas.items():
            assert 50 <= len(persona.split()) <= 75, name
            assert persona.startswith("You ")
    for name, facts in FACTS.items():
        assert not [fact for fact in facts if fact not in PERSONAS[name]], name
        assert SCENARIOS["high-personas"].residents[list(FACTS).index(name)].persona == PERSONAS[name]


def test_neutral_personas_state_neither_intelligence_nor_wealth():
    words = {word.strip(".,:;").lower() for persona in NEUTRAL_PERSONAS.values() for word in persona.split()}
    stated = {"iq", "eq", "clever", "bright", "smart", "dull", "poor", "rich", "wealthy", "poverty", "job", "money"}
    assert words & stated == {"job"}  # that of David
    assert {"iq", "eq", "poor", "money"} <= {
        word.strip(".,:;").lower() for persona in PERSONAS.values() for word in persona.split()
    }


def test_only_its_seat_sees_a_persona():
    env = make(scenario="low-personas", interface="text")
    env.reset(seed=0)
    for seat, name in enumerate(PERSONAS):
        text, view = env.unwrapped.text(f"bidder_{seat}"), env.unwrapped.view(f"bidder_{seat}")
        assert view.persona == PERSONAS[name]
        for other, persona in PERSONAS.items():
            assert (persona in text) == (other == name)
            assert (persona in repr(view)) == (other == name)


@pytest.mark.parametrize("interface", ["amount", "text"])
def test_unreadable_and_negative_bids_count_as_no_bid(interface):
    env = make(interface=interface, max_retries=1)
    env.reset(seed=0)
    is_text = interface == "text"
    env.step("I bid whatever it takes!" if is_text else np.array([float("nan")]))
    assert env.agent_selection == "bidder_0"
    assert env.infos["bidder_0"]["refused"]
    env.step("I bid -5" if is_text else np.array([float("nan")]))  # no retry is left
    assert env.agent_selection == "bidder_1"
    env.step("I bid $0!" if is_text else np.array([0.0]))
    for _ in range(3):
        env.step("I pass." if is_text else np.array([-3.0]))
    day = env.unwrapped.view("bidder_0").history[0]
    assert day.bids == {f"bidder_{seat}": 0 if seat == 1 else None for seat in range(5)}
    assert day.winners == ("bidder_1",)


def test_refused_bids_over_the_balance_can_raise_or_be_clipped():
    scenario = drought([(5, 50), (5, 60)], [5, 5], over_balance="refuse")
    strict = make(scenario=scenario, interface="amount", illegal="raise")
    strict.reset(seed=0)
    with pytest.raises(IllegalBid, match=r"bidder_0: \$51 is above the balance of \$50"):
        strict.step(np.array([51.0]))
    clipping = make(scenario=scenario, interface="amount", illegal="clip")
    clipping.reset(seed=0)
    clipping.step(np.array([51.0]))
    clipping.step(np.array([55.0]))
    assert clipping.unwrapped.view("bidder_0").history[0].bids == {"bidder_0": 50, "bidder_1": 55}


def test_a_schedule_is_followed_and_hidden_in_advance():
    schedule = [10, 20, 13, 10]
    env = make(days=4, supply_schedule=schedule)
    env.reset(seed=3)
    view = env.unwrapped.view("bidder_0")
    assert view.row["supplies"][0, :4].tolist() == [10, 0, 0, 0]
    supplies = []
    for _ in range(4):
        supplies.append(env.unwrapped.view("bidder_0").supply)
        for _ in range(5):
            env.step(3)
    assert supplies == schedule
    assert make(days=3, scenario=env.unwrapped.scenario).unwrapped.scenario.supply_schedule == (10, 20, 13)


def test_texts_describe_the_day_and_the_health_at_stake():
    table = table_of(drought([(5, 50), (5, 60)], [5, 6, 7], start_health=3))
    assert "You need 5 units. Your balance $50, health 3." in table.text(0)
    assert "Without water today your health falls to 2." in table.text(0)
    assert "5 to 7 units" in table.text(0)
    bid(table, None, 0)
    text = table.text(0)
    assert "Day 1, 5 units of water.\nBids: r0 none; r1 $0.\nWater went to: r1." in text
    assert "r0: balance $50, health 2, 1 day without water." in text
    assert "r1: balance $60, health 5." in text
    assert "Day 2 of 3. There are 6 units of water today." in text
    assert "Without water today your health falls to 0: you die." in text
    assert "residents of a town" not in text


def record_of(bidders=("salary", "share", "thirst", "planner", "random"), **kwargs):
    return aucenv.play("water_allocation", "low", list(bidders), 3, **kwargs)


class Boaster(Player):
    """A policy whose bids alternate between too high and unreadable."""

    interface = "text"

    def reset(self, seat, seed):
        self.number = 0

    def act(self, view, observation):
        self.number += 1
        return "I bid $99,999!" if self.number % 2 else "hm"


def test_figures_of_a_game_are_those_computed_by_hand():
    scenario = drought([(5, 50), (10, 40)], [12, 12, 12], start_health=2)
    record = aucenv.play("water_allocation", scenario, ["salary", Boaster()], 0)
    game = game_figures(record)
    assert game.rsr_start == 12 / 15
    assert game.rsr_end == 12 / 5
    assert game.efficiency == 3 / 150
    assert game.lowest_winning_bids == (50, 50, 50)
    figures = bidder_figures([record])
    salary, boaster = figures["salary"], figures["Boaster"]
    assert (salary["survival_rate"].value, salary["win_rate"].value, salary["price_mean"].value) == (1, 1, 50)
    assert (boaster["survival_rate"].value, boaster["days_lived_mean"].value) == (0, 1)
    assert boaster["failed_bid_rate"].value == 1  # the bids of both days were void
    assert boaster["unreadable_rate"].value == 1 / 3
    assert boaster["price_mean"].value is None
    assert salary["survivors_mean"].value == 1


def test_a_transcript_describes_a_game_day_by_day():
    text = "\n".join(transcript(record_of(["salary", "share", Boaster(), "planner", "random"])))
    assert "bidder_0: Alex (salary), needs 8 units a day, earns $70." in text
    assert "Cindy $99,999 (void)" in text
    assert "['hm': " in text
    assert "Cindy dies" in text
    assert "Cindy (Boaster): lived 3 days, water on 0 days for $0, balance $0." in text
    truncated = list(transcript(record_of(max_rounds=2)))
    assert "The game was truncated after 2 days." in truncated


def test_commands_work_with_the_game(tmp_path, capsys):
    out = tmp_path / "out"
    play = ("leaderboard", "--game", "water_allocation", "--games", "10", "--set", "num_items=6", "--out", str(out))
    assert command(*play, "--json", str(tmp_path / "table.json")) == 0
    printed = capsys.readouterr().out
    assert "survival" in printed
    assert "efficiency" in printed
    rows = json.loads((tmp_path / "table.json").read_text())
    assert {"survival_rate", "days_lived_mean", "rsr_end", "efficiency", "failed_bid_rate"} <= set(rows[0])
    assert "days_lived_difference" in next(iter(rows[0]["head_to_head"].values()))
    assert command("records", "list", str(out)) == 0
    assert "low  terminated" in capsys.readouterr().out
    assert command("watch", "--game", "water_allocation", "--set", "num_items=2") == 0
    assert "Day 2, " in capsys.readouterr().out
    assert command("leaderboard", "--game", "water_allocation", "--set", "budget=5") == 2
    assert "expected a field of water_allocation (residents have a daily salary instead)" in capsys.readouterr().err


def test_studies_report_that_scipy_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "scipy.stats", None)
    assert command("study", "alympics/settings", "--games", "2", "--bidder", "salary") == 0
    printed = capsys.readouterr().out
    assert "extra stats" in " ".join(printed.split())
