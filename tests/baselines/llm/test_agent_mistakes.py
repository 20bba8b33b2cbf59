"""Mistakes of agents are shown to the model, corrected and counted once; figures are compared with hand computations."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter

import pytest
from agent_games import SHORT, THREE, bidder, calls_of_seat, notes_of_seat, play_agents
from competent_agent import Competent

from aucenv.analysis.agents import agents
from aucenv.analysis.agents.tables import agent_tables
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.core.records.read_notes import AGAINST
from aucenv.core.words.names import names_of_records
from aucenv.envs.clock import figures as clock_figures
from aucenv.envs.english.figures import bid_increments
from aucenv.envs.english.notes import PlanChange, item_labels, plans, priority_correlations
from aucenv.envs.english.stated_beliefs import (
    KINDS,
    belief_failures,
    belief_history,
    check_status,
    combined_rate,
    recorded_status,
    true_status,
)
from aucenv.envs.single_item.figures import bids_per_value
from aucenv.runs.play import play


def changed(**fields):
    """Return a function that replaces fields of a status reply; each of `fields` maps a value to a wrong one."""

    def change_reply(good):
        words, _, data = good.partition("\n")
        status = json.loads(data)
        for name, change in fields.items():
            status[name] = change(status[name])
        return f"{words}\n{json.dumps(status)}"

    return change_reply


def add(amounts, name, by=100):
    return {**amounts, name: amounts[name] + by}


WRONG_BELIEFS = {
    "own budget": changed(remaining_budget=lambda budget: budget - 500),
    "own profit": changed(total_profits=lambda profits: add(profits, "Alex")),
    "own items": changed(winning_bids=lambda won: {**won, "Alex": {**won["Alex"], "Chair": 2000}}),
    "rivals' profits": changed(total_profits=lambda profits: add(profits, "Casey")),
    "rivals' items": changed(winning_bids=lambda won: {**won, "Blair": {**won["Blair"], "Sofa": 1}}),
}
MALFORMED = {
    "no JSON": (lambda good: "I am sure of it.", "there is no JSON object in it"),
    "key twice": (lambda good: good.replace("{", '{"remaining_budget": 1, ', 1), "'remaining_budget' stands twice"),
    "NaN": (changed(remaining_budget=lambda budget: float("nan")), "nan is no number"),
    "infinite": (
        lambda good: re.sub(r'"remaining_budget": [0-9.]+', '"remaining_budget": 1e999', good),
        "inf is no number",
    ),
    "number as text": (changed(remaining_budget=lambda budget: "$20,000"), 'expected a number, got "$20,000"'),
    "true": (changed(remaining_budget=lambda budget: True), "expected a number, got true"),
    "a bid in it": (lambda good: good[:-1] + ', "decision": "I bid $3,000!"}', "'decision' is not known"),
    "unknown bidder": (
        changed(total_profits=lambda profits: {**profits, "Caseyy": 0}),
        "'Caseyy' is not known (did you mean 'Casey'?)",
    ),
    "own profit missing": (changed(total_profits=lambda profits: {"Casey": profits["Casey"]}), "of Alex, is missing"),
    "list": (changed(winning_bids=lambda won: list(won)), "winning_bids: expected an object"),
    "list inside": (changed(winning_bids=lambda won: {**won, "Blair": ["Lamp"]}), "expected an object"),
    "field missing": (lambda good: good.replace("winning_bids", "won"), "the field 'winning_bids' is missing"),
    "two objects": (lambda good: good + '\n{"remaining_budget": 5}', "the field 'total_profits' is missing"),
}


def errors(record):
    return belief_failures([record], "program")[record.seats[0]["bidder"].partition("=")[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_belief_is_counted_once_shown_and_corrected(kind):
    record, calls = play_agents("english", "bdi", {"belief": [WRONG_BELIEFS[kind]]}, ["rule", "rule"])
    seat_calls = calls_of_seat(calls)
    assert Counter(call.purpose for call, _ in seat_calls)["belief 1"] == 2  # one revision
    revision_messages = next(
        messages for call, messages in seat_calls if call.purpose == "belief 1" and call.attempt == 1
    )
    assert "".join(message["role"][0] for message in revision_messages) == "suau"
    wrong = {kind: failed for kind, (failed, _) in errors(record).items()}
    assert wrong == {name: int(name == kind) for name in KINDS}
    checked = {kind: all_ for kind, (_, all_) in errors(record).items()}
    assert checked == {name: 4 * (2 if "rivals" in name else 1) for name in KINDS}  # of 3 updates and a revision
    assert agents.mistakes([record]) == {}
    history = belief_history(record, "bidder_0")
    assert [(belief.item, belief.revision) for belief in history] == [(1, 0), (1, 1), (2, 0), (3, 0)]
    assert history[1].status == history[1].true == recorded_status(record, "bidder_0", 1)
    belief_lines = [line for line in transcript(record) if line.startswith("Alex, beliefs after item ")]
    assert len(belief_lines) == 4
    [line] = [line for line in belief_lines if "Wrong: " in line]
    assert "after item 1, revision 0: " in line
    what = line.partition("Wrong: ")[2].rstrip(".")
    assert what in revision_messages[-1]["content"]


def test_wrong_beliefs_that_are_not_shown_are_counted_and_kept():
    record, calls = play_agents(
        "english", "bdi", {"belief": [WRONG_BELIEFS["own budget"]]}, ["rule", "rule"], correct_beliefs="false"
    )
    assert Counter(call.purpose for call, _ in calls_of_seat(calls))["belief 1"] == 1
    # each update starts from the previous beliefs, so the error stays
    assert errors(record)["own budget"] == (3, 3)
    replan = next(messages for call, messages in calls_of_seat(calls) if call.purpose == "replan")
    believed = json.loads(re.search(r"\{.*?\n\}", replan[-1]["content"], re.DOTALL)[0])
    assert believed["remaining_budget"] == recorded_status(record, "bidder_0", 1)["remaining_budget"] - 500


@pytest.mark.parametrize("most", [0, 1, 4])
def test_revisions_have_a_limit_and_each_is_counted(most):
    wrong = [WRONG_BELIEFS["own budget"]] * 5
    record, calls = play_agents(
        "english", "bdi", {"belief": list(wrong)}, ["rule", "rule"], max_corrections=most, plan="none"
    )
    purposes = Counter(call.purpose for call, _ in calls_of_seat(calls))
    assert purposes["belief 1"] == most + 1
    first = [belief for belief in belief_history(record, "bidder_0") if belief.item == 1]
    assert sum(bool(belief.checks[0].wrong) for belief in first) == most + 1


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_beliefs_are_shown_but_not_counted_as_wrong(name):
    change_reply, reason = MALFORMED[name]
    record, calls = play_agents("english", "bdi", {"belief": [change_reply]}, ["rule", "rule"])
    again = next(
        messages for call, messages in calls_of_seat(calls) if call.purpose == "belief 1" and call.attempt == 1
    )
    assert reason in again[-1]["content"]
    assert all(failed == 0 for failed, _ in errors(record).values())
    assert errors(record)["own budget"] == (0, 3)
    assert agents.mistakes([record]) == {"m": Counter({("belief", "malformed"): 1})}


def priorities(change):
    def change_reply(good):
        data = json.loads(good[good.index("{") : good.rindex("}") + 1])
        return f"My plan.\n{json.dumps(change(data))}\nThat is it."

    return change_reply


BAD_PRIORITIES = {
    "none": (lambda good: "I shall wait.", "there is no JSON object in it"),
    "0": (priorities(lambda p: {**p, "Desk": 0}), "priority of 'Desk': expected 1, 2 or 3, got 0"),
    "4": (priorities(lambda p: {**p, "Desk": 4}), "priority of 'Desk': expected 1, 2 or 3, got 4"),
    "text": (priorities(lambda p: {**p, "Desk": "3"}), "priority of 'Desk': expected 1, 2 or 3, got \"3\""),
    "true": (priorities(lambda p: {**p, "Desk": True}), "priority of 'Desk': expected 1, 2 or 3, got true"),
    "half": (priorities(lambda p: {**p, "Desk": 2.5}), "priority of 'Desk': expected 1, 2 or 3, got 2.5"),
    "misspelt": (priorities(lambda p: {**p, "Dexk": 2}), "'Dexk' is not known (did you mean 'Desk'?)"),
    "missing": (priorities(lambda p: {"Chair": 2}), "there is no priority of 'Lamp'"),
    "twice": (lambda good: '{"Lamp": 1, "Lamp": 2, "Desk": 2, "Chair": 3}', "'Lamp' stands twice"),
    "twice in another case": (priorities(lambda p: {**p, "LAMP": 2}), "'Lamp' stands twice"),
    "empty": (priorities(lambda p: {}), "there is no priority of 'Lamp'"),
}


@pytest.mark.parametrize("name", BAD_PRIORITIES)
def test_a_plan_without_valid_priorities_is_requested_twice_more(name):
    change_reply, reason = BAD_PRIORITIES[name]
    record, calls = play_agents("english", "bdi", {"plan": [change_reply] * 3}, ["rule", "rule"])
    plans = [messages for call, messages in calls_of_seat(calls) if call.purpose == "plan"]
    assert ["".join(m["role"][0] for m in messages) for messages in plans] == ["su", "suau", "suauau"]
    assert reason in plans[1][-1]["content"]
    assert agents.mistakes([record]) == {"m": Counter({("plan", "malformed"): 3})}
    assert "priorities" not in record.decisions[0]["notes"]
    bid = next(messages for call, messages in calls_of_seat(calls) if call.purpose == "bid")
    assert bid[1] == plans[0][1]  # the plan is kept without priorities


@pytest.mark.parametrize(
    "wrap", ["{}", "```json\n{}\n```", '{{"priorities": {}}}', "Here: {} Good luck!", "<think>{{}}</think>{}"]
)
def test_priorities_are_parsed_anywhere_in_a_reply(wrap):
    def change_reply(good):
        return wrap.format(good[good.index("{") : good.rindex("}") + 1].replace("Desk", " desk "))

    record, _ = play_agents("english", "bdi", {"plan": [change_reply]}, ["rule", "rule"], max_rounds=1)
    assert record.decisions[0]["notes"]["priorities"] == [1, 3, 2]


@pytest.mark.parametrize("value", [3, 0, None, "sold"])
def test_priorities_of_past_items_are_mistakes(value):
    past = priorities(lambda p: {"Lamp": value, **p})
    record, _ = play_agents("english", "bdi", {"replan": [past]}, ["rule", "rule"])
    assert agents.mistakes([record]) == {"m": Counter({("replan", "past item"): 1})}
    second = [notes for notes in notes_of_seat(record) if "priorities" in notes][1]
    assert second["priorities"][0] == 1  # the priority in the plan of that time
    assert second["mistakes"] == [{"phase": "replan", "kind": "past item", "what": "'Lamp' is through"}]


def weights(change):
    return lambda good: json.dumps(change(json.loads(good)))


BAD_PROFILES = {
    "nine": (weights(lambda w: dict(list(w.items())[:9])), "expected exactly 10, got 9"),
    "eleven": (weights(lambda w: {**w, "royalty": 0.5}), "'royalty' is not known"),
    "too high": (weights(lambda w: {**w, "eco": 1.5}), "weight of 'eco': expected a number from -1 to 1, got 1.5"),
    "too low": (weights(lambda w: {**w, "eco": -2}), "expected a number from -1 to 1, got -2"),
    "NaN": (weights(lambda w: {**w, "eco": float("nan")}), "nan is no number"),
    "text": (weights(lambda w: {**w, "eco": "high"}), 'expected a number, got "high"'),
    "by name and id": (weights(lambda w: {**w, "Eco-Conscious Buyers": 0.1}), "'eco' stands twice"),
}


@pytest.mark.parametrize("name", BAD_PROFILES)
def test_a_profile_without_exactly_ten_weights_leaves_the_previous_one(name):
    change_reply, reason = BAD_PROFILES[name]
    scenario = SHORT["harbor"].changed(num_bidders=2)
    record, calls = play_agents("harbor", "harbor", {"profile": [change_reply] * 3}, ["rule"], scenario=scenario)
    tries = [messages for call, messages in calls_of_seat(calls) if call.purpose.startswith("profile 1")]
    assert len(tries) == 3
    assert reason in tries[1][-1]["content"]
    assert agents.mistakes([record]) == {"m": Counter({("profile", "malformed"): 3})}
    recorded = [notes["profiles"]["bidder_1"] for notes in notes_of_seat(record) if "profiles" in notes]
    assert recorded[:2] == [[0.0] * 10, [0.0] * 10]
    assert recorded[2] == [0.25] + [0.0] * 9


def test_an_invalid_rule_leaves_the_bid_without_a_rule():
    bad = [lambda good: '{"rule": "G"}', lambda good: '{"rule": 1}', lambda good: "Rule A."]
    record, calls = play_agents("harbor", "harbor", {"rule": bad}, ["rule", "rule"], max_rounds=3)
    assert agents.mistakes([record]) == {"m": Counter({("rule", "malformed"): 3})}
    first, *others = [d["notes"] for d in record.decisions if d["seat"] == "bidder_0"]
    assert "rule" not in first
    assert {notes["rule"] for notes in others} == {"C"}
    bid = next(messages for call, messages in calls_of_seat(calls) if call.purpose == "bid")
    assert "You have settled" not in bid[-1]["content"]


def test_texts_above_their_limit_are_cut_and_counted():
    long = " ".join(f"word{n}" for n in range(120))
    record, _ = play_agents(
        "sealed_bid", "plan-bid-reflect", {"first plan": [long], "new plan": [long], "reflect": [long]}
    )
    mistakes = sum(agents.mistakes([record]).values(), Counter())
    assert mistakes == {("plan", "too long"): 1, ("reflect", "too long"): 1, ("replan", "too long"): 1}
    recorded = [
        notes["plan"] for seat in range(3) for notes in notes_of_seat(record, f"bidder_{seat}") if "plan" in notes
    ]
    assert sorted(len(plan.split()) for plan in recorded)[-2:] == [50, 100]


def test_empty_texts_are_counted_and_not_shown_later():
    thinking = "<think>" + "word " * 150 + "</think> Bid half."
    record, calls = play_agents(
        "sealed_bid", "plan-bid-reflect", {"first plan": [thinking, ""]}, ["truthful", "truthful"]
    )
    assert record.decisions[0]["notes"]["plan"] == "Bid half."
    assert agents.mistakes([record]) == {}
    record, calls = play_agents(
        "sealed_bid", "plan-bid-reflect", {"first plan": [""], "reflect": [""]}, ["truthful"] * 2
    )
    assert agents.mistakes([record]) == {"m": Counter({("plan", "malformed"): 1, ("reflect", "malformed"): 1})}
    prompts = "\n".join(message["content"] for _, messages in calls[:4] for message in messages)
    assert "Your plan:" not in prompts
    assert "(no answer)" not in prompts
    record, calls = play_agents("harbor", "harbor", {"second_order": [""]}, ["rule", "rule"], tom="second")
    assert agents.mistakes([record]) == {"m": Counter({("second_order", "malformed"): 1})}


def test_a_cut_off_text_is_one_mistake():
    from failing_server import FailingServer

    server = FailingServer("length", answer=lambda body: "word " * 150)
    with server:
        names = [bidder(server, "plan-bid-reflect"), "truthful", "truthful"]
        record = play("sealed_bid", SHORT["sealed_bid"], names, 3, max_rounds=1)
    assert agents.mistakes([record]) == {"m": Counter({("plan", "malformed"): 1})}
    assert len(record.decisions[0]["notes"]["plan"].split()) == 100


def test_an_empty_new_plan_leaves_the_previous_one():
    record, calls = play_agents("english", "bdi", {"replan": [""] * 3}, ["rule", "rule"])
    bids = [messages for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    second = next(messages for messages in bids if "Up for sale now: Desk" in messages[-1]["content"])
    assert second[1] == bids[0][1]
    assert agents.mistakes([record]) == {"m": Counter({("replan", "malformed"): 3})}


def test_illegal_bids_are_refused_in_the_same_conversation():
    record, calls = play_agents(
        "english", "bdi", {"bid": [lambda good: "I bid $5!", lambda good: "Well."]}, ["rule", "rule"]
    )
    assert [attempt["kind"] for attempt in record.decisions[0]["attempts"]] == ["too_low", "unreadable"]
    bids = [messages for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    assert ["".join(m["role"][0] for m in messages) for messages in bids[:3]] == ["suau", "suauau", "suauauau"]
    assert "Your answer was not accepted: $5 is below the least legal bid of $1,000." in bids[1][-1]["content"]
    assert agents.bid_failures([record])["m"] == (1, 1 + sum(d["seat"] == "bidder_0" for d in record.decisions))


# Scripted games: all replies and bids are written out.


def play_scripted(game, scenario, answers, **options):
    """Play a game with the replies of the first seat's model, by phase, and with scripted rivals."""
    return play_agents(game, scenario=scenario, mistakes=answers, **options)


class ScriptedBidder:
    """A bidder that submits the given amounts in order, and then withdraws."""

    interface = "amount"

    def __init__(self, *amounts):
        self.amounts = list(amounts)

    def reset(self, seat, seed): ...

    def act(self, view, observation):
        return self.amounts.pop(0) if self.amounts else -1

    def close_game(self, view): ...


def a_short_bdi_game():
    """Play a short game: Alex wins the lamp from Blair, Casey the desk, and Alex the chair, after a refused bid."""
    return play_scripted(
        "english",
        THREE,
        {
            "plan": ['{"Lamp": 3, "Desk": 1, "Chair": 2}'],
            "replan": ['{"Desk": 2, "Chair": 2}', '{"Chair": 3, "Desk": 1}'],
            "bid": ["I bid $1,000!", "I bid $1,210!", "I'm out!", "I bid $1!", "I bid $2,220!"],
            "belief": [
                # after Lamp, won by Alex for 1210: budget wrong, Casey's profit wrong; then right
                '{"remaining_budget": 20000, "total_profits": {"Alex": 790, "Casey": 5}, "winning_bids": {"Alex": {"Lamp": 1210}}}',
                '{"remaining_budget": 18790, "total_profits": {"Alex": 790}, "winning_bids": {"Alex": {"lamp": 1}}}',
                # after Desk, won by Casey for 3000: right, Blair not named
                '{"remaining_budget": 18790, "total_profits": {"Alex": 790, "Casey": 3000}, "winning_bids": {"Alex": {"Lamp": 1210}, "Casey": {"Desk": 3000}}}',
                # after Chair, won by Alex for 2220: its items are missing, then right
                '{"remaining_budget": 16570, "total_profits": {"Alex": 2570}, "winning_bids": {"Alex": {"Lamp": 1210}}}',
                '{"remaining_budget": 16570, "total_profits": {"Alex": 2570}, "winning_bids": {"Alex": {"Lamp": 1210, "Chair": 2220}}}',
            ],
        },
        agent="bdi",
        rivals=[ScriptedBidder(1100, -1, -1, -1), ScriptedBidder(-1, 3000, -1)],
    )[0]


def test_figures_of_a_bdi_game_equal_those_computed_by_hand():
    record = a_short_bdi_game()
    assert [item["winner"] for item in record.outcome["items"]] == ["bidder_0", "bidder_2", "bidder_0"]
    assert [item["price"] for item in record.outcome["items"]] == [1210, 3000, 2220]
    # three updates: own statements 3 each; rivals named in profits: Casey, Casey, -; in items: -, Casey, -
    assert belief_failures([record])["m"] == {
        "own budget": (1, 4),
        "own profit": (0, 3),
        "own items": (1, 4),
        "rivals' profits": (1, 3),
        "rivals' items": (0, 1),
    }
    assert combined_rate(belief_failures([record])["m"], KINDS) == (3, 15)
    # five statuses: own checks 5 each; rivals named in profits: Casey, -, Casey, -, -; in items: -, -, Casey, -, -
    assert belief_failures([record], "program")["m"] == {
        "own budget": (1, 5),
        "own profit": (0, 5),
        "own items": (1, 5),
        "rivals' profits": (1, 2),
        "rivals' items": (0, 1),
    }
    assert combined_rate(belief_failures([record], "program")["m"], KINDS) == (3, 18)
    # bids: 1000, 1210, out, [1], 2220: one failure, four correct
    assert agents.bid_failures([record])["m"] == (1, 5)
    assert agents.mistakes([record]) == {"m": Counter({("replan", "past item"): 1})}
    planned = plans(record, "bidder_0")
    assert planned.num_plans == 3
    assert planned.initial == (3, 1, 2)
    assert planned.current == (3, 2, 3)
    assert planned.changes == (PlanChange(1, "Desk", 1, 2), PlanChange(2, "Chair", 2, 3))
    # bids n = (2, 0, 1), wins x = (1, 0, 1)
    # initial r = (3, 1, 2): ranks as of n, rho = 1; with x, ranks 2.5 1 2.5: cov = .75 / sqrt(1 * .75) = .8660
    # current r = (3, 2, 3), ranks 2.5 1 2.5: with n .8660; with x 1
    rho = priority_correlations([record])["m"]
    assert rho.initial_engagement == pytest.approx(1)
    assert rho.initial_wins == pytest.approx(0.75**0.5)
    assert rho.current_engagement == pytest.approx(0.75**0.5)
    assert rho.current_wins == pytest.approx(1)
    # raises: 0% of 1000; 110 of 1000 over the standing 1100: 11%; 220 of 2000: a first bid 11% above the start
    assert bid_increments([record])["m"] == {"[0, 10)": 1, "10": 0, "(10, 10.5]": 0, "(10.5, 11)": 0, "[11, inf)": 2}


def test_tables_of_a_short_game():
    titles = {table.title: table for table in agent_tables([a_short_bdi_game()])}
    assert titles["wrong beliefs (CFR)"].lines[0][:4] == [
        "m",
        "20.00% (3 of 15)",
        "18.18% (2 of 11)",
        "25.00% (1 of 4)",
    ]
    assert titles["wrong beliefs (CFR)"].lines[0][-1] == "16.67% (3 of 18)"
    [line] = [
        line for title, table in titles.items() if title.startswith("plans") for line in table.lines if line[0] == "m"
    ]
    assert line == ["m", "3", "1.00", "1.0000", "0.8660", "0.8660", "1.0000"]
    assert titles["other mistakes, by phase"].lines == [["m", "1"]]


def test_figures_of_a_harbor_game_equal_those_computed_by_hand():
    scenario = SHORT["harbor"].changed(num_bidders=2)
    certain = dict.fromkeys(("first_time", "larger_home", "downsizing", "investment", "relocation", "vacation"), 0.0)
    certain |= dict.fromkeys(("eco", "urban", "rural", "multigenerational"), 0.0)
    probe = play("harbor", scenario, ["rule", "rule"], 3, max_rounds=1)
    [theirs] = probe.deal["seats"][1]["personas"]
    certain[theirs] = 0.5
    certain["urban" if theirs != "urban" else "eco"] = 0.5
    replies = json.dumps(certain)
    record, _ = play_scripted(
        "harbor",
        scenario,
        {
            "rule": [
                '{"rule": "A"}',
                '{"rule": "c", "reason": "x"}',
                '{"rule": "A"}',
                '{"rule": "E"}',
                '{"rule": "F"}',
            ],
            "bid": ["I'm out!"] * 5,
            "profile": [replies] * 5,
        },
        agent="harbor",
        rivals=[ScriptedBidder()],
    )
    # it leaves all five houses, although rules A and C ask to bid
    assert agents.rule_usage([record]) == {"m": Counter({AGAINST: 3, "E": 1, "F": 1})}
    # the true persona has half of the weight: KL = ln(1 / 0.5)
    assert bidder_figures([record])["m"]["profile_kl"].value == pytest.approx(0.693147, abs=1e-5)


def test_figures_of_a_sealed_bid_game_equal_those_computed_by_hand():
    record, _ = play_scripted(
        "sealed_bid",
        SHORT["sealed_bid"],
        {"sealed": ["10", "20 dollars", "I bid 30"]},
        agent="plan-bid-reflect",
        rivals=[ScriptedBidder(5, 5, 5), ScriptedBidder(6, 6, 6)],
    )
    values = record.deal["seats"][0]["values"]
    expected = sum(bid / value for bid, value in zip((10, 20, 30), values, strict=True)) / 3
    assert bids_per_value([record])["m", "first-ipv"] == pytest.approx(expected)
    assert agents.bid_failures([record])["m"] == (0, 3)


def test_figures_of_a_clock_game_equal_those_computed_by_hand():
    record, calls = play_scripted(
        "clock",
        SHORT["clock"].changed(num_rounds=1),
        {"tick": ["I stay.", "I stay.", "I wait and see?", "I leave."]},
        agent="plan-bid-reflect",
        rivals=[ScriptedBidder(5), ScriptedBidder(6)],
    )
    decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert [len(decision["attempts"]) for decision in decisions] == [0, 0, 1]
    # it stayed at $0 and $1, and left at $2: bid over value is 2 over its value
    value = record.deal["seats"][0]["values"][0]
    assert record.outcome["prizes"][0]["bids"][0] == 2
    assert clock_figures.bids_per_value([record])["m", "ascending-apv"] == pytest.approx(2 / value)
    assert agents.bid_failures([record])["m"] == (0, 3)
    assert [call.purpose for call, _ in calls] == ["bid"] * 4


def test_figures_of_a_water_game_equal_those_computed_by_hand():
    record, _ = play_scripted(
        "water_allocation",
        SHORT["water_allocation"],
        {"day": ["I bid $10!", "Thinking of tomorrow.", "I bid $7!", "I bid $100,000!"]},
        agent="resident",
        rivals=[ScriptedBidder(*[1] * 3) for _ in range(4)],
        max_rounds=3,
    )
    bids = [decision["amount"] for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert bids == [10, 7, 100000]
    # two bids counted, one was void; the unreadable answer is counted apart
    assert bidder_figures([record])["m"]["failed_bid_rate"].value == pytest.approx(1 / 3)
    assert bidder_figures([record])["m"]["unreadable_rate"].value == pytest.approx(1 / 4)


def test_true_status_and_checks():
    true = true_status("Alex", 100, ["Alex", "Blair"], [])
    assert true == {
        "remaining_budget": 100,
        "total_profits": {"Alex": 0, "Blair": 0},
        "winning_bids": {"Alex": {}, "Blair": {}},
    }
    believed = {"remaining_budget": 100.0, "total_profits": {"Alex": -0.001}, "winning_bids": {}}
    assert [(check.kind, check.wrong) for check in check_status(believed, true, "Alex")] == [
        ("own budget", ""),
        ("own profit", ""),
        ("own items", ""),
    ]


def test_memory_is_carried_from_game_to_game(tmp_path):
    file = tmp_path / "lessons.json"
    replies = []
    with Competent() as server:
        names = [bidder(server, "bdi", memory=file), "rule", "rule"]
        for seed in (0, 0, 1):  # the same deal is another auction
            play("english", THREE, names, seed)
            replies.append([messages[0]["content"] for phase, messages in server.asked if phase == "plan"][-1])
        server.mistakes["lessons"] = [
            "Nothing.",
            "<think>\n1. maybe\n</think>" + "".join(f"\n{n}. l{n}" for n in range(30)),
        ]
        play("english", THREE, names, 2)
        record = play("english", THREE, names, 3)
    assert ["Wait for the cheap ones." in system for system in replies] == [False, True, True]
    entries = json.loads(file.read_text())["auctions"]
    assert [entry["after"] for entry in entries] == [0, 1, 2, 3, 4]
    assert entries[3]["lessons"] == ["Wait for the cheap ones.", "Others overbid early."]  # the old ones are kept
    assert entries[4]["lessons"] == [f"l{n}" for n in range(10)]
    assert agents.mistakes([record]) == {"m": Counter({("lessons", "too long"): 1})}


def test_harbor_remembers_rivals(tmp_path):
    file = tmp_path / "rivals.json"
    with Competent() as server:
        names = [bidder(server, "harbor", memory=file), "rule", "rule"]
        play("harbor", SHORT["harbor"], names, 0, max_rounds=40)
        asked = next(messages for phase, messages in server.asked if phase == "rivals")
        play("harbor", SHORT["harbor"], names, 1, max_rounds=1)
        system = [messages[0]["content"] for phase, messages in server.asked if phase == "plan"][-1]
        play("harbor", SHORT["harbor"], ["rule", *names[:2]], 1, max_rounds=1)
        moved = [messages[0]["content"] for phase, messages in server.asked if phase == "plan"][-1]
    assert re.search(r"- Blair bid on: .+ \(\d+\)", asked[-1]["content"])
    assert "Blair goes far." in system
    assert "goes far." not in moved  # after a rotation of seats, the names belong to other bidders


def test_items_with_the_same_name_get_distinct_labels():
    assert item_labels(["Lamp", "lamp", "Lamp (2)", "Desk"]) == ["Lamp (1)", "lamp (2) (2)", "Lamp (2) (3)", "Desk"]
    with names_of_records():
        twins = dataclasses.replace(THREE, items=tuple(dataclasses.replace(item, name="Lamp") for item in THREE.items))
    record, _ = play_agents("english", "bdi", None, ["rule", "rule"], scenario=twins)
    assert agents.mistakes([record]) == {}
    assert combined_rate(errors(record), KINDS)[0] == 0
    with pytest.raises(ValueError, match=r"bidders\[3\].name: expected a name that differs from 'Alex'"):
        dataclasses.replace(THREE, bidders=(*THREE.bidders, dataclasses.replace(THREE.bidders[0], name=" ALEX")))


def test_the_prompt_shows_the_least_raise_of_the_rules():
    cents = dataclasses.replace(
        THREE, items=tuple(dataclasses.replace(item, starting_price=11.5) for item in THREE.items), increment=0.15
    )
    _, calls = play_agents(
        "english", "bdi", None, [ScriptedBidder(13), ScriptedBidder(11.5)], scenario=cents, max_rounds=2
    )
    prompts = [messages[-1]["content"] for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    assert "A bid must be higher by at least $1.73." in prompts[-1]


def test_beliefs_are_kept_if_the_model_fails_at_the_end(tmp_path):
    from failing_server import FailingServer

    class FailsAtTheEnd(FailingServer):
        async def respond(self, body, writer):
            if "Write down what you should know" in body["messages"][-1]["content"]:
                await self.fail("404", body, writer)
            else:
                await super().respond(body, writer)

    with Competent() as scripted, FailsAtTheEnd(answer=scripted.reply) as server:
        names = [bidder(server, "bdi", memory=tmp_path / "m.json"), "rule", "rule"]
        record = play("english", THREE, names, 3, forfeit=True)
    assert [belief.item for belief in belief_history(record, "bidder_0")] == [1, 2, 3]
    assert "at the end" in record.seats[0]["notes"]["forfeited"]
