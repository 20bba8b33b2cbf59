"""Reframed challenges: no text mentions water or the published names, and the results are the same."""

from __future__ import annotations

import re

import pytest
from agent_games import play_agents
from aucenv.baselines.scripted.water_allocation import BIDDERS
from water_tables import table_of

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.core.boards.text import to_text
from aucenv.envs.water_allocation import board, words
from aucenv.envs.water_allocation.game import GAME, SCENARIOS
from aucenv.envs.water_allocation.view import ScenarioText
from aucenv.envs.water_allocation.wording import FIREWOOD
from aucenv.runs.records import replay

PUBLISHED = re.compile(r"water|drought|\bdry\b|thirst|\b(Alex|Bob|Cindy|David|Eric)\b", re.IGNORECASE)
"""The words of the published frame."""
FRAME = re.compile(r"firewood|frost|cold days")
SCENARIO = SCENARIOS["low-personas"].changed(reframe=True)


def play_through(scenario):
    """Yield the table before every decision of a game in which residents die, win, overbid, and are refused."""
    table = table_of(scenario, 4)
    yield table
    while not table.over:
        seat = table.pending[0]
        day = table.item
        bid = [5, 0, -1, 1e6, 30][(seat + day) % 5] if day < 5 else 1
        table.submit(seat, bid)
        yield table


def texts_of(table):
    for seat in range(table.num_seats):
        yield table.text(seat)
        yield words.describe(table.view(seat), (0, max(0, table.item - 1)))
    yield to_text(board.board(table.view(0, reveal=True)))
    yield words.waiting_text(table.scenario_text)


@pytest.mark.parametrize("over_balance", ["void", "refuse"])
def test_no_text_of_the_game_has_a_word_of_the_published_frame(over_balance):
    scenario = SCENARIO.changed(over_balance=over_balance)
    everything = [part for table in play_through(scenario) for part in texts_of(table)]
    assert not [part for part in everything if PUBLISHED.search(part)]
    assert any("The frost is over" in part for part in everything)
    assert any("has died" in part for part in everything)
    assert any(("(void)" if over_balance == "void" else "is above the balance") in part for part in everything)


def test_the_plain_frame_differs_from_the_reframed_one_in_its_words_only():
    words = {**dict(zip(FIREWOOD.names, ["Alex", "Bob", "Cindy", "David", "Eric"], strict=False))}
    words |= {"firewood": "water", "Firewood": "Water", "frost": "drought", "cold days": "dry days"}
    pattern = re.compile("|".join(words))
    both = (play_through(scenario) for scenario in (SCENARIO, SCENARIOS["low-personas"]))
    for reframed, plain in zip(*both, strict=True):
        for ours, theirs in zip(texts_of(reframed), texts_of(plain), strict=True):
            assert re.sub(" +", " ", pattern.sub(lambda match: words[match[0]], ours)) == re.sub(" +", " ", theirs)


@pytest.mark.parametrize(
    "agent",
    [
        "plain",
        "resident",
        "resident,preset=paper",
        "resident,preset=program",
        "resident,memory=last_days:1,reasoner=k-level,k=2",
    ],
)
def test_no_prompt_has_a_word_of_the_published_frame(agent):
    scenario = SCENARIO.changed(days=4)
    _, calls = play_agents("water_allocation", agent, scenario=scenario, rivals=["random"] * 4)
    messages = [message["content"] for _, messages in calls for message in messages if message["role"] != "assistant"]
    assert len(messages) > 8
    assert not [message for message in messages if PUBLISHED.search(message)]
    assert any(FRAME.search(message) for message in messages)


@pytest.mark.parametrize("bidder", [bidder.name for bidder in BIDDERS])
def test_results_are_the_same_under_the_same_seed(bidder):
    plain, reframed = (
        aucenv.play("water_allocation", scenario, [bidder, "random", "share", "thirst", bidder], 11)
        for scenario in (SCENARIOS["low-personas"], SCENARIO)
    )
    assert (reframed.deal, reframed.decisions, reframed.outcome) == (plain.deal, plain.decisions, plain.outcome)
    assert [player["name"] for player in reframed.seats] == list(FIREWOOD.names[:5])
    assert replay(reframed).over
    lines = "\n".join([*transcript(reframed)][1:]).replace("thirst", "")  # without the names of the game and a bidder
    assert not PUBLISHED.search(lines)
    assert "units of firewood" in lines


def test_user_defined_residents_are_renamed_too():
    residents = tuple(aucenv.Resident(f"r{number}", 5, 50) for number in range(16))
    scenario = SCENARIOS["low"].changed(residents=residents, reframe=True)
    assert ScenarioText.of(scenario).names == FIREWOOD.names
    assert len(set(FIREWOOD.names)) == 16
    assert (SCENARIOS["low"].to_dict()["reframe"], scenario.to_dict()["reframe"]) == (False, True)
    with pytest.raises(ValueError, match="reframe: expected true or false, got 'yes'"):
        aucenv.water_allocation_v0(reframe="yes")
    assert aucenv.water_allocation_v0(reframe=True).unwrapped.scenario == SCENARIOS["low"].changed(reframe=True)
    assert GAME.load_scenario("low,reframe=true").reframe
