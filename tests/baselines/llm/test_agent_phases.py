"""Agents play whole games over HTTP: the calls that they make, and the messages of each."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter

import pytest
from agent_games import SHORT, THREE, bidder, calls_of_seat, notes_of_seat, play_agents
from aucenv.baselines.llm.script.script import TEXTS
from competent_agent import Competent, phase_of
from games import CASES

import aucenv
from aucenv.analysis.agents import agents
from aucenv.envs.english.game import Bidder, EnglishScenario
from aucenv.envs.english.notes import noted_plans, plans
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import play


def roles(messages):
    return "".join(message["role"][0] for message in messages)


AGENTS = [
    ("english", "bdi", {}),
    ("english", "bdi", {"plan": "static", "objective": "items"}),
    ("english", "bdi", {"plan": "none", "objective": "item:Desk"}),
    ("harbor", "bdi", {}),
    ("harbor", "harbor", {}),
    ("harbor", "harbor", {"tom": "none", "strategy": "none"}),
    ("harbor", "harbor", {"tom": "true", "strategy": "expact"}),
    ("harbor", "harbor", {"tom": "second", "strategy": "adviser:expact;steps=2"}),
    ("english", "bdi", {"preset": "paper"}),
    ("english", "bdi", {"preset": "program", "plan": "static"}),
    ("harbor", "harbor", {"preset": "paper", "strategy": "none"}),
    ("harbor", "harbor", {"preset": "paper", "strategy": "adviser:expact;steps=2"}),
    ("sealed_bid", "plan-bid-reflect", {}),
    ("clock", "plan-bid-reflect", {}),
    ("water_allocation", "resident", {}),
]


@pytest.mark.parametrize(("game", "agent", "options"), AGENTS)
def test_a_competent_model_plays_whole_games_without_mistakes(game, agent, options):
    rivals = CASES[game].rivals if options else None  # None: all seats are agents
    record, calls = play_agents(game, agent, rivals=rivals, **options)
    assert record.outcome["status"] == "terminated"
    assert not any(decision["attempts"] for decision in record.decisions)
    assert not any("mistakes" in decision["notes"] for decision in record.decisions)
    assert not any("mistakes" in player.get("notes", {}) for player in record.seats)
    assert all(call.finish == "stop" for call, _ in calls)


def test_each_function_of_bdi_is_one_call_with_these_messages():
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"])
    by_phase = {}
    for call, messages in calls_of_seat(calls):
        by_phase.setdefault(phase_of(messages)[0], []).append((call, messages))
    assert [roles(messages) for _, messages in by_phase["plan"]] == ["su"]
    assert [roles(messages) for _, messages in by_phase["belief"]] == ["su", "su", "su"]
    assert [roles(messages) for _, messages in by_phase["replan"]] == ["suau", "suau"]
    assert [call.purpose for call, _ in by_phase["belief"]] == ["belief 1", "belief 2", "belief 3"]
    plan, *replans = (messages for phase in ("plan", "replan") for _, messages in by_phase[phase])
    for _, messages in by_phase["bid"]:
        assert re.fullmatch("sua(ua)*u", roles(messages))
        assert messages[1:2] in ([task[-1]] for task in (plan, *replans))  # the latest task, then the plan
    openings = [messages for _, messages in by_phase["bid"] if len(messages) == 4]
    assert [messages[1] for messages in openings] == [plan[-1], replans[0][-1], replans[1][-1]]
    longest = max((messages for _, messages in by_phase["bid"]), key=len)
    item = re.search("Up for sale now: (.+?)\\.", longest[3]["content"])[1]
    assert all(item in message["content"] for message in longest[3:] if message["role"] == "user")  # of this item only


def test_the_content_of_a_call():
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"])
    bids = [messages for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    opening = bids[0][-1]["content"]
    assert "Items left: Lamp, Desk, Chair." in opening
    assert "Up for sale now: Lamp. Its starting price is $1,000" in opening
    later = bids[1][-1]["content"]
    assert re.search(r"Lamp, round \d", later)
    assert re.search(r"Round 1: you bid \$1,000; Blair bid \$1,000; Casey bid \$1,000\.", later)
    assert re.search(
        r"(Blair|Casey) holds the standing bid of \$1,\d00\. A bid must be higher by at least \$100\.", later
    )
    belief = next(messages for call, messages in calls_of_seat(calls) if call.purpose == "belief 1")[-1]["content"]
    assert "Round 1: you bid $1,000" in belief
    assert re.search(r"Sold to \w+ for \$[0-9,]+\. Its true value is \$2,000\.", belief)
    assert '"remaining_budget": 20000' in belief
    replan = next(messages for call, messages in calls_of_seat(calls) if call.purpose == "replan")[-1]["content"]
    assert "- Desk: starting price $3,000, your estimate of its true value $6,600." in replan
    assert "- Lamp:" not in replan


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"plan": 1, "belief": 3, "replan": 2}),
        ({"plan": "static"}, {"plan": 1, "belief": 3}),
        ({"plan": "none"}, {"belief": 3}),
    ],
)
def test_ablations_omit_calls(options, expected):
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"], **options)
    counts = Counter(call.purpose.split()[0] for call, _ in calls_of_seat(calls))
    del counts["bid"]
    assert counts == expected
    bids = [messages for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    pattern = "s(ua)*u" if options.get("plan") == "none" else "sua(ua)*u"
    assert all(re.fullmatch(pattern, roles(messages)) for messages in bids)
    shown = ["remaining_budget" in messages[-1]["content"] for messages in bids]
    first = ["Up for sale now" in messages[-1]["content"] for messages in bids]
    assert shown == (first if options else [False] * len(bids))


def test_previous_plan_shows_the_plan_when_replanning():
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"], previous_plan="true")
    replans = [messages for call, messages in calls_of_seat(calls) if call.purpose == "replan"]
    assert [roles(messages) for messages in replans] == ["suau", "suau"]
    assert phase_of(replans[0][:2])[0] == "plan"


@pytest.mark.parametrize("plan", ["adaptive", "static", "none"])
@pytest.mark.parametrize(
    ("objective", "words"),
    [("profit", "as much profit"), ("items", "as many items as"), ("item: desk", "one item above all: Desk")],
)
def test_the_system_message_states_the_objective_for_every_plan_option(plan, objective, words):
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"], objective=objective, plan=plan, max_rounds=1)
    assert all(f"You want {words}" in messages[0]["content"] for _, messages in calls)


def test_harbor_calls():
    record, calls = play_agents("harbor", "harbor", rivals=["persona", "persona"])
    seat_calls = calls_of_seat(calls)
    counts = Counter(call.purpose.split()[0] for call, _ in seat_calls)
    decisions = sum(decision["seat"] == "bidder_0" for decision in record.decisions)
    assert counts["bid"] == counts["rule"] == decisions
    assert counts["profile"] == 2 * 5
    assert counts["belief"] == 5
    assert "second_order" not in counts
    for call, messages in seat_calls:
        if call.purpose != "bid":
            assert roles(messages) == ("suau" if call.purpose == "replan" else "su")
    prompts = "\n".join(record.deal["seats"][0]["personas"])
    assert prompts
    system = seat_calls[0][1][0]["content"]
    assert "Who you are" in system
    assert "only whoever wins a house pays for it" in system
    bid = next(messages for call, messages in seat_calls if call.purpose == "bid")
    assert "You have settled on rule C" in bid[-1]["content"]
    profile = next(messages for call, messages in seat_calls if call.purpose.startswith("profile 1"))
    before = profile[-1]["content"].split("so far")[1].split("Bring it up to date")[0]
    assert before.count('": 0.0') == 10


def test_profiles_of_rivals_are_requested_at_the_same_time():
    with Competent(together={"profile": 4}) as server:  # sequential requests would never get a reply
        play(
            "harbor", SHORT["harbor"].changed(num_bidders=5), [bidder(server, "harbor"), *["rule"] * 4], 3, max_rounds=9
        )
        assert Counter(phase for phase, _ in server.asked)["profile"] >= 4


def test_second_order_and_true_personas():
    record, calls = play_agents("harbor", "harbor", rivals=["persona", "persona"], tom="second")
    counts = Counter(call.purpose.split()[0] for call, _ in calls_of_seat(calls))
    assert counts["second_order"] == 4  # not after the last
    plans = [messages[-1]["content"] for call, messages in calls_of_seat(calls) if call.purpose == "replan"]
    assert all("They take me for somebody in a hurry" in plan for plan in plans)
    record, calls = play_agents("harbor", "harbor", rivals=["persona", "persona"], tom="true")
    assert not [call for call, _ in calls if call.purpose.startswith("profile")]
    recorded = record.decisions[0]["notes"]["profiles"]["bidder_1"]
    assert sorted(recorded) == [0.0] * 9 + [1.0]
    plan = next(messages[-1]["content"] for call, messages in calls_of_seat(calls) if call.purpose == "plan")
    assert "Blair: " in plan
    hidden = {item["true_value"] for item in record.deal["items"]}
    assert not [value for value in hidden if f"{value:,.0f}" in plan]  # it sees the personas and no true values


def test_without_strategy_and_theory_of_mind_harbor_makes_the_calls_of_bdi():
    _, calls = play_agents("harbor", "harbor", rivals=["persona", "persona"], tom="none", strategy="none")
    assert {call.purpose.split()[0] for call, _ in calls} == {"plan", "bid", "belief", "replan"}


def test_an_adviser_of_each_interface(tmp_path):
    advisers = tmp_path / "advisers.py"
    advisers.write_text(
        "class Vector:\n    interface = 'vector'\n    def reset(self, seat, seed): ...\n"
        "    def act(self, view, observation):\n        assert observation['action_mask'][1]\n        return 1\n"
        "    def close_game(self, view): ...\n"
        "class Text(Vector):\n    interface = 'text'\n    def act(self, view, observation):\n"
        "        assert observation['text']\n        return 'Leave it to others.'\n"
    )
    for adviser, words in (
        ("expact", "I bid $|I'm out"),
        (f"py:{advisers}:Vector", "I bid $"),
        (f"py:{advisers}:Text", "Leave it"),
    ):
        record, calls = play_agents(
            "harbor", "harbor", rivals=["rule", "rule"], strategy=f"adviser:{adviser}", max_rounds=3
        )
        bids = [messages for call, messages in calls if call.purpose == "bid"]
        assert "Your adviser says" in bids[0][-1]["content"]
        advice = record.decisions[0]["notes"]["advice"]
        assert any(part in advice for part in words.split("|"))
        assert advice in bids[0][-1]["content"]


def test_a_model_as_adviser_uses_the_same_journal():
    with Competent() as server:
        adviser = f"adviser:llm:openai:a;base_url={server.url}"
        journal = CallJournal()
        names = [bidder(server, "harbor", strategy=adviser), "rule", "rule"]
        reply = server.reply
        server._answer = lambda body: "I'm out, I think." if body["model"] == "a" else reply(body)
        record = play("harbor", SHORT["harbor"], names, 3, journal=journal, max_rounds=2)
    purposes = Counter(call.purpose for call in journal.calls)
    assert purposes["adviser bid"] == purposes["bid"] > 0
    assert record.decisions[0]["notes"]["advice"] == "I'm out, I think."


def test_an_empty_reply_of_an_adviser_is_a_mistake_and_the_game_continues():
    with Competent() as server:
        adviser = f"adviser:llm:openai:a;base_url={server.url}"
        reply = server.reply
        server._answer = lambda body: "" if body["model"] == "a" else reply(body)
        record = play(
            "harbor", SHORT["harbor"], [bidder(server, "harbor", strategy=adviser), "rule", "rule"], 3, max_rounds=1
        )
    assert agents.mistakes([record])["m"] == {("advice", "malformed"): 1}


def test_plan_bid_reflect_calls_and_their_content():
    record, calls = play_agents("sealed_bid", "plan-bid-reflect")
    seat_calls = calls_of_seat(calls)
    assert [call.purpose for call, _ in seat_calls] == [
        "plan",
        "bid",
        "reflect",
        "replan",
        "bid",
        "reflect",
        "replan",
        "bid",
    ]
    assert all(roles(messages) == "su" for _, messages in seat_calls)
    prompts = [messages[-1]["content"] for _, messages in seat_calls]
    assert "at most 100 words" in prompts[0]
    assert "at most 100 words" in prompts[2]
    assert "at most 50 words" in prompts[3]
    assert "$" not in prompts[0]  # before values are shown
    assert TEXTS["first plan"] in prompts[1]
    assert "All bids, highest first:" in prompts[2]
    assert "A lower bid would have lost" in prompts[3]
    assert TEXTS["new plan"] in prompts[4]
    assert record.decisions[0]["notes"]["plan"] == TEXTS["first plan"]
    assert "Round 1 of 3." in prompts[-1]
    assert "Round 2 of 3." in prompts[-1]
    values = {f"${value:,.0f}" for value in record.deal["seats"][0]["values"]}
    shown_values = set(re.findall(r"worth (\$[0-9,]+) to you", "\n".join(prompts)))
    assert shown_values == values
    assert "Your profit so far:" in prompts[2]


def test_one_shot_games_have_no_reflection():
    scenario = aucenv.sealed_bid_v0.game.load_scenario("first-ipv-once")
    _, calls = play_agents("sealed_bid", "plan-bid-reflect", scenario=scenario)
    assert [call.purpose for call, _ in calls_of_seat(calls)] == ["plan", "bid"]


def test_a_clock_auction_has_one_call_per_tick():
    record, calls = play_agents("clock", "plan-bid-reflect")
    decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    seat_calls = calls_of_seat(calls)
    assert [call.purpose for call, _ in seat_calls] == ["bid"] * len(decisions)
    assert all(roles(messages) == "su" for _, messages in seat_calls)
    assert all("in advance" not in messages[0]["content"] for _, messages in seat_calls)


def test_residents_keep_all_days_in_the_conversation():
    scenario = SHORT["water_allocation"]
    record, calls = play_agents("water_allocation", "resident", scenario=scenario, max_rounds=5)
    seat_calls = calls_of_seat(calls)
    assert [roles(messages) for _, messages in seat_calls] == ["su" + "au" * day for day in range(len(seat_calls))]
    system, first = seat_calls[0][1]
    assert "one of 5 residents" in system["content"]
    assert "Before you bid, explain in a few sentences" in first["content"]
    assert "Water went to" not in first["content"]
    assert seat_calls[1][1][-1]["content"].startswith("Day 1, ")
    assert seat_calls[-1][1][-1]["content"].count("Water went to") == 1
    assert "A day without water costs 1 of 8 health" in record.decisions[0]["action"]


def test_personas_of_residents_are_in_the_system_message():
    scenario = SHORT["water_allocation"]
    _, calls = play_agents("water_allocation", "resident", max_rounds=1)
    for call, messages in calls:
        persona = scenario.residents[int(call.seat[-1])].persona
        assert messages[0]["content"].startswith(f"Who you are, in all that you think and say: {persona}\n\nYou are ")


def test_seats_that_cannot_pay_still_update_their_beliefs_and_plans():
    poor = EnglishScenario(
        "poor", THREE.items, (Bidder("Alex", 2000), Bidder("Blair", 20000), Bidder("Casey", 20000)), "given"
    )
    record, calls = play_agents("english", "bdi", rivals=["rule", "rule"], scenario=poor)
    asked = {decision["item"] for decision in record.decisions if decision["seat"] == "bidder_0"}
    assert 1 not in asked
    recorded = [update["item"] for notes in notes_of_seat(record) for update in notes.get("beliefs", [])]
    assert recorded == [1, 2, 3]
    late_plans = [plan["item"] for notes in notes_of_seat(record) for plan in notes.get("earlier_plans", [])]
    assert 1 in late_plans
    assert [item for item, _ in noted_plans(record, "bidder_0")] == [0, 1, 2]
    assert None not in plans(record, "bidder_0").current
    purposes = [call.purpose for call, _ in calls_of_seat(calls) if call.purpose != "bid"]
    assert purposes == ["plan", "belief 1", "replan 2", "belief 2", *purposes[4:]]
    late = EnglishScenario("late", THREE.items[1:] + THREE.items[:1], poor.bidders, "given")
    record, calls = play_agents("english", "bdi", rivals=["rule", "rule"], scenario=late)
    purposes = [call.purpose for call, _ in calls_of_seat(calls)]
    assert purposes[:2] == ["belief 1", "plan"]
    first = next(decision for decision in record.decisions if decision["seat"] == "bidder_0")
    assert first["notes"]["priorities"][0] is None


class Hasty(Competent):
    """A model that replies sooner on one rival than on the other, always with a profile that cannot be parsed."""

    def __init__(self, first):
        super().__init__()
        self._first = first

    async def respond(self, body, writer):
        if phase_of(body["messages"])[0] == "profile" and f"Think about {self._first}" not in json.dumps(body):
            await asyncio.sleep(0.02)
        await super().respond(body, writer)

    def competent_reply(self, task):
        if task.phase != "profile":
            return super().competent_reply(task)
        return f"Hm, {re.search('Think about (.+?):', task.text)[1]}: {{}}" if "Blair" in task.text[:30] else "Hm."


def test_notes_are_the_same_in_any_order_of_replies():
    records = set()
    for first in ("Blair", "Casey"):
        with Hasty(first) as server:
            record = play("harbor", SHORT["harbor"], [bidder(server, "harbor"), "rule", "rule"], 3, max_rounds=12)
            assert len(agents.mistakes([record])["m"]) == 1
            records.add(json.dumps(record.decisions))
    assert len(records) == 1
