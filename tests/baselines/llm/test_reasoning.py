"""Memories and reasoners of agents: k-level reasoning, the last days of a conversation, and classes of the user."""

from __future__ import annotations

import json

import pytest
from agent_games import SHORT, calls_of_seat, notes_of_seat, play_agents
from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.agents.conversation_memory import LastDays, PastDay, WholeConversation
from aucenv.baselines.llm.dry_run import dry_run

import aucenv
from aucenv.core.policy import check_fits
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest

MODEL = "llm:openai:m,base_url=http://h"
SEALED_ROUNDS = 15
"""The number of rounds of the default scenario."""
WATER = SHORT["water_allocation"].changed(days=4)


def decisions_of(calls):
    """Group the calls of a seat by decision."""
    grouped = {}
    for call, messages in calls_of_seat(calls):
        grouped.setdefault(call.decision, []).append((call, messages))
    return list(grouped.values())


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_resident_predicts_level_by_level_and_responds_to_the_last(k):
    record, calls = play_agents(
        "water_allocation", "resident", scenario=WATER, rivals=["random"] * 4, reasoner="k-level", k=k
    )
    decisions = decisions_of(calls)
    assert len(decisions) == 4
    for day, (asked, notes) in enumerate(zip(decisions, notes_of_seat(record), strict=False)):
        assert [call.purpose for call, _ in asked] == [*(f"predict {level}" for level in range(k)), "bid"]
        levels = notes["predictions"]
        assert [level["level"] for level in levels] == list(range(k))
        for level, (_, messages) in zip(levels, asked, strict=False):
            task = messages[-1]["content"]
            assert f"Day {day + 1} of 4. There are" in task
            assert ("Alex" in level["bids"]) == (level["level"] < k - 1)
            assert ("- Alex: " in task) == (level["level"] > 0)
            assert "Answer with" not in task
        expected = levels[-1]["bids"]
        assert list(expected) == ["Bob", "Cindy", "David", "Eric"]
        assert expected == {"Bob": None, **{name: 10 * i + (k > 1) for i, name in enumerate(expected) if i}}
        bid = asked[-1][1][-1]["content"]
        lines = f"- Bob: no bid\n- Cindy: ${10 + (k > 1)}\n"
        assert f"You expect these bids of the others:\n{lines}" in bid
        assert bid.endswith("and then give your answer.")
    conversation = decisions[-1][-1][1]
    assert not any("not asked for your bid yet" in message["content"] for message in conversation)


def test_k_is_1_by_default_and_dead_rivals_are_not_predicted():
    names, dead = ("Alex", "Bob", "Cindy", "David", "Eric"), ("Cindy", "David", "Eric")
    residents = tuple(aucenv.Resident(name, 50 if name in dead else 5, 100) for name in names)
    scenario = WATER.changed(residents=residents, days=6)
    _, calls = play_agents("water_allocation", "resident", scenario=scenario, rivals=["random"] * 4, reasoner="k-level")
    decisions = decisions_of(calls)
    assert [[call.purpose for call, _ in asked] for asked in decisions] == [["predict 0", "bid"]] * 6
    predicted = [set(json.loads(asked[0][0].reply)) for asked in decisions]
    assert predicted == [{"Bob", *dead}] * 4 + [{"Bob"}] * 2  # health 8 lasts for three days without water


def test_the_labs_agent_responds_to_predicted_bids_in_its_currency():
    options = {"reasoner": "k-level", "k": 2, "currency": "euro"}
    bids = {"sealed": ["5"] * 3}
    record, calls = play_agents("sealed_bid", "plan-bid-reflect", bids, ["random"] * 2, **options)
    decisions = decisions_of(calls)
    assert [call.purpose for call, _ in decisions[1]] == ["reflect", "replan", "predict 0", "predict 1", "bid"]
    for number, asked in enumerate(decisions):
        (first, second, bid) = (messages[-1]["content"] for _, messages in asked[-3:])
        assert f"Round {number + 1} of 3" in first
        assert f"Round {number + 1} of 3" in second
        assert first.count("All bids") == number
        assert "- Betty: \u20ac10\n- Charles: \u20ac20\n" in second
        assert "- Betty: no bid\n- Charles: \u20ac11\n" in bid
        assert "Answer with your bid" in bid
    assert notes_of_seat(record)[0]["predictions"][1]["bids"] == {"Betty": None, "Charles": 11}


def test_predictions_that_cannot_be_read_are_mistakes_and_the_model_bids_without_them():
    wrong = ["No idea.", '{"Alex": "$5", "Bob": 1, "Cindy": 1, "David": 1, "Eric": 1}', '{"Bob": 5, "Zoe": 3}']
    scenario = WATER.changed(days=2)
    record, calls = play_agents(
        "water_allocation", "resident", {"predict": wrong}, ["random"] * 4, scenario, reasoner="k-level", k=2
    )
    first, second = decisions_of(calls)
    assert [call.purpose for call, _ in first] == ["predict 0", "predict 0", "predict 0", "bid"]
    assert "Something in your answer is not right" in first[1][1][-1]["content"]
    assert "You expect" not in first[-1][1][-1]["content"]
    notes = notes_of_seat(record)
    assert "predictions" not in notes[0]
    assert [mistake["phase"] for mistake in notes[0]["mistakes"]] == ["predict"] * 3
    assert "there is no JSON object" in notes[0]["mistakes"][0]["what"]
    assert "expected a number" in notes[0]["mistakes"][1]["what"]
    assert "'Zoe' is not known" in notes[0]["mistakes"][2]["what"]
    assert len(second) == 3


def test_a_refused_bid_is_asked_again_without_new_predictions():
    scenario = WATER.changed(days=1, over_balance="refuse")
    _, calls = play_agents(
        "water_allocation", "resident", {"day": ["I bid $9999!"]}, ["random"] * 4, scenario, reasoner="k-level"
    )
    (asked,) = decisions_of(calls)
    assert [call.purpose for call, _ in asked] == ["predict 0", "bid", "bid"]
    assert "You expect" not in asked[-1][1][-1]["content"]


def test_the_last_days_are_shown_in_full_and_earlier_ones_in_a_line():
    scenario = WATER.changed(days=6, health_cap=30, start_health=30)
    whole, short = (
        play_agents("water_allocation", "resident", scenario=scenario, rivals=["random"] * 4, memory=memory)
        for memory in ("all", "last_days:2")
    )
    assert short[0].outcome == whole[0].outcome
    for day, (ours, theirs) in enumerate(zip(decisions_of(short[1]), decisions_of(whole[1]), strict=True)):
        messages, full = ours[0][1], theirs[0][1]
        assert len(full) == 2 + 2 * day
        assert len(messages) == 2 + 2 * min(day, 2)
        assert messages[0] == full[0]
        assert messages[-1] == full[-1]
        assert messages[2:] == full[len(full) - len(messages) + 2 :]
        first = messages[1]["content"]
        if day <= 2:
            assert messages == full
            continue
        earlier, _, rest = first.partition("\n\n")
        assert rest == full[len(full) - len(messages) + 1]["content"]
        lines = earlier.splitlines()
        assert lines[0] == "The days before, in short:"
        assert [line.partition(",")[0] for line in lines[1:]] == [f"- Day {n}" for n in range(1, day - 1)]
    winners = short[0].outcome["days"][0]["winners"]
    names = {player["seat"]: player["name"] for player in short[0].seats}
    served = ", ".join(f"{names[seat]} (${short[0].outcome['days'][0]['bids'][seat]:,})" for seat in winners)
    assert f"units of water: served {served}; you bid $" in lines[1]


def test_predictions_are_asked_with_the_same_memory_as_bids():
    scenario = WATER.changed(days=4, health_cap=30, start_health=30)
    options = {"memory": "last_days:1", "reasoner": "k-level"}
    _, calls = play_agents("water_allocation", "resident", scenario=scenario, rivals=["random"] * 4, **options)
    predict, bid = (messages for _, messages in decisions_of(calls)[-1])
    assert predict[:-1] == bid[:-1]
    assert len(bid) == 4


def test_memories_select_messages():
    days = [
        PastDay(f"day {n}", ({"role": "user", "content": f"u{n}"}, {"role": "assistant", "content": f"a{n}"}))
        for n in range(4)
    ]
    assert WholeConversation().recall(days) == [message for day in days for message in day.messages]
    assert LastDays(4).recall(days) == WholeConversation().recall(days)
    assert LastDays(1).recall([]) == []
    recalled = LastDays(1).recall(days)
    assert [message["role"] for message in recalled] == ["user", "assistant"]
    assert recalled[0]["content"] == "The days before, in short:\n- day 0\n- day 1\n- day 2\n\nu3"
    assert days[3].messages[0]["content"] == "u3"


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        (
            "water_allocation",
            "resident,reasoner=k-level,k=4",
            "k: expected a whole number from 1 to 3, got 4; each level",
        ),
        ("water_allocation", "resident,reasoner=k-level,k=0", "k: expected a whole number from 1 to 3, got 0"),
        ("sealed_bid", "plan-bid-reflect,reasoner=k-level,k=two", "k: expected a whole number from 1 to 3, got 'two'"),
        ("sealed_bid", "plan-bid-reflect,k=2", "k: expected reasoner=k-level beside it, got k=2 with reasoner=direct"),
        (
            "water_allocation",
            "resident,reasoner=klevel",
            "reasoner: expected direct, k-level, py:MODULE:CLASS or py:FILE.py:CLASS, got 'klevel'",
        ),
        ("water_allocation", "resident,memory=last_days:0", "memory: expected a whole number from 1 to 1000, got 0"),
        (
            "water_allocation",
            "resident,memory=last_days",
            "memory: expected all, last_days:N, py:MODULE:CLASS or py:FILE.py:CLASS, got 'last_days'",
        ),
        (
            "clock",
            "plan-bid-reflect,reasoner=k-level",
            "reasoner: expected direct except in sealed bids, got 'k-level'",
        ),
        ("water_allocation", "resident,reasoner=py:no.py:A", "reasoner: cannot create A of no.py: FileNotFoundError"),
        ("water_allocation", "resident,memory=py:json:JSONDecoder", "memory: expected a class with the method recall"),
        (
            "water_allocation",
            "resident,preset=paper,reasoner=k-level",
            "reasoner: expected direct, which preset=paper sets, got 'k-level'; leave one of the two out",
        ),
        (
            "water_allocation",
            "resident,preset=program,memory=last_days:5",
            "memory: expected all, which preset=program sets, got 'last_days:5'; leave one of the two out",
        ),
        ("english", "bdi,reasoner=k-level", "parameter: expected one of"),
    ],
)
def test_bad_options_are_refused(game, options, message):
    with pytest.raises(ValueError, match=f"^bidder .*, {message}|^bidder .*: {message}"):
        make_policy(game, f"{MODEL},agent={options}")


def test_k_level_reasoning_refuses_rules_in_a_language_that_its_prompts_lack():
    scenario = SHORT["sealed_bid"]
    name = f"{MODEL},agent=plan-bid-reflect,language=hindi"
    check_fits(make_policy("sealed_bid", name), name, scenario)
    policy = make_policy("sealed_bid", f"{name},reasoner=k-level")
    with pytest.raises(ValueError, match="reasoner: its prompts are in english, and the rules in hindi"):
        check_fits(policy, name, scenario)


USERS = """
class LastDay:
    def recall(self, days):
        return [message for day in days[-1:] for message in day.messages]


class Hint:
    def prepare(self, situation):
        situation.note("hint", len(situation.rivals))
        answer = situation.ask("hint", f"{situation.text} Predict first: You are not asked for your bid yet. "
                               "They will bid now: Bob.", str)
        return f"Your hint was: {answer}"
"""


def test_classes_of_the_user_are_loaded_from_a_file(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(USERS)
    options = {"memory": f"py:{file}:LastDay", "reasoner": f"py:{file}:Hint"}
    record, calls = play_agents("water_allocation", "resident", scenario=WATER, rivals=["random"] * 4, **options)
    hint, bid = decisions_of(calls)[-1]
    assert (hint[0].purpose, bid[0].purpose) == ("hint", "bid")
    assert bid[1][-1]["content"].endswith('\n\nYour hint was: {"Bob": null}')
    assert len(bid[1]) == 4
    assert notes_of_seat(record)[0]["hint"] == 4
    name = f"{MODEL},agent=resident,reasoner=py:{file}:Hint"
    before = file_digest(name)
    file.write_text(f"{USERS}\n# changed\n")
    assert None not in (before, file_digest(name))
    assert file_digest(name) != before
    assert file_digest(f"{MODEL},agent=resident,reasoner=k-level,memory=last_days:3") is None


@pytest.mark.parametrize(("game", "agent"), [("water_allocation", "resident"), ("sealed_bid", "plan-bid-reflect")])
def test_costs_are_estimated_with_a_call_for_each_level(game, agent):
    sampling = SamplingOptions(0.0, 100, None)
    direct, deep = (dry_run(game, agent, options, sampling) for options in ({}, {"reasoner": "k-level", "k": "2"}))
    bids = len(direct.prompts) if agent == "resident" else SEALED_ROUNDS
    assert len(deep.prompts) == len(direct.prompts) + 2 * bids
