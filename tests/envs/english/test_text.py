"""The text interface of English auctions."""

from __future__ import annotations

import dataclasses

from tables import Player, amount_table, play_rounds, scenario_of

import aucenv
from aucenv.envs.english.figures import seat_figures


class Talker(Player):
    """Gives the replies of a list, then withdraws; stores the texts that it observes."""

    interface = "text"

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)

    def reset(self, seat, seed):
        self.texts = []

    def act(self, view, observation):
        self.texts.append(observation["text"])
        return self.replies.pop(0) if self.replies else "I'm out!"


def test_the_rules_are_shown_once_and_then_only_what_is_new():
    talker = Talker("I bid $1,000!", "I bid $1,200", "I'm out!", "I'm out!")
    scenario = scenario_of([1000, 500], values=[1900, 700])
    record = aucenv.play("english", scenario, [talker, "rule,k=3", "value,margin=1"])
    first, second, third, *_ = talker.texts
    assert "You are b0, at an auction with 3 bidders: b0, b1, b2." in first
    assert "at least the standing bid plus 10% of the current starting price." in first
    assert "1. item 0: starting price $1,000, your estimate $2,090." in first
    assert "2. item 1: starting price $500, your estimate $770." in first
    for later in (second, third):
        assert "You are b0" not in later
    assert "Round 1: you bid $1,000; b1 bid $1,000; b2 left." in second
    assert "Round 1" not in third
    all_texts = "\n".join(talker.texts)
    for line in [line for line in all_texts.splitlines() if line.startswith(("Round", "Sold"))]:
        assert all_texts.count(line) <= 2
    assert record.outcome["status"] == "terminated"


def test_env_text_returns_the_full_text():
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


def test_prices_and_true_values_of_sold_items_are_shown():
    table = amount_table(scenario_of([1000, 500], values=[1900, 700]))
    play_rounds(table, [{0: 1000, 1: 1000, 2: None}])
    loser = table.pending[0]
    play_rounds(table, [{loser: None}])
    text = table.text(2)
    assert "Sold to " in text
    assert "for $1,000. Its true value is $1,900." in text
    assert "true value is $700" not in text
    play_rounds(table, [dict.fromkeys(range(3))])
    assert "Not sold." in table.text(0)
    assert "The auction is over." in table.text(0)


def test_the_text_says_when_a_seat_has_no_decision():
    table = amount_table(scenario_of([1000]))
    play_rounds(table, [{0: 1500, 1: 1000, 2: 1000}])
    assert "You hold the standing bid of $1,500." in table.text(0)
    assert "nothing for you to decide" in table.text(0)
    assert "b0 holds the standing bid of $1,500." in table.text(1)
    assert "Least bid: $1,600." in table.text(1)


def test_the_rules_mention_discounts_and_objectives():
    assert "halved" in amount_table(scenario_of([100], discount=True)).text(0)
    assert "halved" not in amount_table(scenario_of([100])).text(0)
    niche = aucenv.english_v0.raw_env(scenario="niche-10k")
    niche.reset(seed=0)
    assert "as much profit as possible" in niche.text("bidder_0")
    assert "as many items as possible" in niche.text("bidder_2")


def test_refusals_are_shown_recorded_and_counted_by_kind():
    talker = Talker("I like it.", "I bid $1", "I bid $1,000,000", "I bid $1,000 or $1,100", "I bid $1,000!")
    record = aucenv.play("english", scenario_of([1000]), [talker, "rule", "rule"], max_retries=5)
    assert "Your answer was not accepted: no decision" in talker.texts[1]
    assert "Your answer was not accepted: $1 is below the least legal bid of $1,000." in talker.texts[2]
    attempts = record.decisions[0]["attempts"]
    assert [attempt["kind"] for attempt in attempts] == ["unreadable", "too_low", "over_budget", "unreadable"]
    assert attempts[1]["action"] == "I bid $1"
    assert record.decisions[0]["amount"] == 1000
    figures = seat_figures(record)[0]
    assert figures.bid_errors.failed == {"too_low": 1, "over_budget": 1, "unreadable": 2}


def test_a_rivals_name_may_be_a_number():
    scenario = scenario_of([1000])
    bidders = [
        {**bidder, "name": name} for bidder, name in zip(scenario.to_dict()["bidders"], ["a", "1500", "c"], strict=True)
    ]
    talker = Talker("1500: I bid $2,000\nI bid $1,000", "I'm out!")
    record = aucenv.play("english", {**scenario.to_dict(), "bidders": bidders}, [talker, "rule", "rule"])
    assert record.decisions[0]["amount"] == 1000
    assert "1500 bid $1,000" in talker.texts[1]


def test_a_seat_that_has_replied_is_not_asked_again():
    env = aucenv.english_v0.parallel_env(interface="text")
    env.reset(seed=0)
    observations, *_ = env.step({agent: "what?" if agent == "bidder_0" else "I'm out!" for agent in env.agents})
    assert "not accepted" in observations["bidder_0"]["text"]
    assert observations["bidder_1"]["text"] == "You have answered; others are still deciding."


def test_bidders_that_cannot_pay_are_not_listed_as_still_in():
    scenario = scenario_of([1000], budget=5000)
    poor = dataclasses.replace(scenario.bidders[2], budget=999)
    env = aucenv.english_v0.raw_env(
        scenario=dataclasses.replace(scenario, bidders=(*scenario.bidders[:2], poor)), interface="text"
    )
    env.reset(seed=0)
    assert "Still in: b0, b1.\n" in env.observe("bidder_0")["text"]
