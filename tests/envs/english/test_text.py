"""English auctions in words."""

from __future__ import annotations

import dataclasses

from tables import amount_table, play_rounds, scenario_of

import aucenv
from aucenv.envs.english.figures import seat_figures


class Talker:
    """Answers a list of replies, then leaves; keeps what it was told."""

    interface = "text"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)

    def reset(self, seat, seed):
        self.told = []

    def act(self, view, observation):
        self.told.append(observation["text"])
        return self.replies.pop(0) if self.replies else "I'm out!"

    def close_game(self, view):
        pass


def test_the_rules_come_once_and_then_only_news():
    talker = Talker("I bid $1,000!", "I bid $1,200", "I'm out!", "I'm out!")
    scenario = scenario_of([1000, 500], values=[1900, 700])
    record = aucenv.play("english", scenario, [talker, "rule,k=3", "value,margin=1"])
    first, second, third, *_ = talker.told
    assert "You are b0, at an auction with 3 bidders: b0, b1, b2." in first
    assert "1. item 0: starting price $1,000, your estimate $2,090." in first
    assert "2. item 1: starting price $500, your estimate $770." in first
    for later in (second, third):
        assert "You are b0" not in later
    assert "Round 1: b0 bid $1,000; b1 bid $1,000; b2 left." in second
    assert "Round 1" not in third
    everything = "\n".join(talker.told)
    for line in [line for line in everything.splitlines() if line.startswith(("Round", "Sold"))]:
        assert everything.count(line) <= 2
    assert record.outcome["status"] == "terminated"


def test_a_full_restatement_on_request():
    env = aucenv.english_v0.raw_env(interface="text")
    env.reset(seed=0)
    first = env.observe("bidder_0")["text"]
    assert env.text("bidder_0") == first
    for _ in range(4):
        env.step(f"I bid ${env.infos[env.agent_selection]['least_bid']}")
    agent = env.agent_selection
    assert len(env.observe(agent)["text"]) < len(env.text(agent))
    assert "Round 1:" in env.text(agent)
    assert env.text(agent).startswith("You are")


def test_hammers_and_true_values_are_told():
    table = amount_table(scenario_of([1000, 500], values=[1900, 700]))
    play_rounds(table, [{0: 1000, 1: 1000, 2: None}])
    loser = table.pending[0]
    play_rounds(table, [{loser: None}])
    told = table.text(2)
    assert "Sold to " in told
    assert "for $1,000. Its true value is $1,900." in told
    assert "true value is $700" not in told
    play_rounds(table, [dict.fromkeys(range(3))])
    assert "Not sold." in table.text(0)
    assert "The auction is over." in table.text(0)


def test_a_seat_without_a_decision_is_told_so():
    table = amount_table(scenario_of([1000]))
    play_rounds(table, [{0: 1500, 1: 1000, 2: 1000}])
    assert "You hold the standing bid of $1,500." in table.text(0)
    assert "nothing for you to decide" in table.text(0)
    assert "b0 holds the standing bid of $1,500." in table.text(1)
    assert "Least bid: $1,600." in table.text(1)


def test_discounts_and_objectives_are_in_the_rules():
    assert "halved" in amount_table(scenario_of([10], discount=True)).text(0)
    assert "halved" not in amount_table(scenario_of([10])).text(0)
    niche = aucenv.english_v0.raw_env(scenario="niche-10k")
    niche.reset(seed=0)
    assert "as much profit as possible" in niche.text("bidder_0")
    assert "as many items as possible" in niche.text("bidder_2")


def test_refusals_are_told_recorded_and_counted_apart():
    talker = Talker("I like it.", "I bid $1", "I bid $1,000,000", "I bid $1,000 or $1,100", "I bid $1,000!")
    record = aucenv.play("english", scenario_of([1000]), [talker, "rule", "rule"], max_retries=5)
    assert "Your answer was not accepted: no decision" in talker.told[1]
    assert "Your answer was not accepted: $1 is below the least legal bid of $1,000." in talker.told[2]
    attempts = record.decisions[0]["attempts"]
    assert [attempt["kind"] for attempt in attempts] == ["unreadable", "too_low", "over_budget", "unreadable"]
    assert attempts[1]["action"] == "I bid $1"
    assert record.decisions[0]["amount"] == 1000
    figures = seat_figures(record)[0]
    assert figures.answers.failed == {"too_low": 1, "over_budget": 1, "unreadable": 2}


def test_refused_words_are_asked_again_in_aec_and_parallel():
    aec = aucenv.english_v0(interface="text", num_items=1)
    aec.reset(seed=0)
    aec.step("What?")
    assert aec.agent_selection == "bidder_0"
    assert "no decision" in aec.observe("bidder_0")["text"]
    assert "no decision" not in aec.observe("bidder_1")["text"]
    parallel = aucenv.english_v0.parallel_env(interface="text", num_items=1)
    parallel.reset(seed=0)
    observations, _, _, _, infos = parallel.step({"bidder_0": "I'm out!", "bidder_1": "What?", "bidder_2": "I'm out!"})
    assert [bool(infos[agent]["refused"]) for agent in parallel.agents] == [False, True, False]
    assert "no decision" in observations["bidder_1"]["text"]
    *_, terminated, _, _ = parallel.step(dict.fromkeys(parallel.agents, "I'm out!"))
    assert all(terminated.values())


def test_a_rival_may_be_called_like_a_number():
    scenario = scenario_of([1000])
    bidders = [
        {**bidder, "name": name} for bidder, name in zip(scenario.to_dict()["bidders"], ["a", "1500", "c"], strict=True)
    ]
    talker = Talker("1500: I bid $2,000\nI bid $1,000", "I'm out!")
    record = aucenv.play("english", {**scenario.to_dict(), "bidders": bidders}, [talker, "rule", "rule"])
    assert record.decisions[0]["amount"] == 1000
    assert "1500 bid $1,000" in talker.told[1]


def test_a_seat_that_has_answered_is_asked_for_nothing():
    env = aucenv.english_v0.parallel_env(interface="text")
    env.reset(seed=0)
    observations, *_ = env.step({agent: "what?" if agent == "bidder_0" else "I'm out!" for agent in env.agents})
    assert "not accepted" in observations["bidder_0"]["text"]
    assert observations["bidder_1"]["text"] == "You have answered; others are still deciding."


def test_who_cannot_pay_is_told_to_be_out():
    scenario = scenario_of([1000], budget=5000)
    poor = dataclasses.replace(scenario.bidders[2], budget=999)
    env = aucenv.english_v0.raw_env(
        scenario=dataclasses.replace(scenario, bidders=(*scenario.bidders[:2], poor)), interface="text"
    )
    env.reset(seed=0)
    assert "Still in: b0, b1.\n" in env.observe("bidder_0")["text"]
