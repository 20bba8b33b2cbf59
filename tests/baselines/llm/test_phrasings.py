"""The same decisions in other words: reasons and Markdown change neither the bids nor the profits of a model."""

from __future__ import annotations

import re

import pytest
from failing_server import FailingServer

import aucenv
from aucenv.envs.english.game import GAME

PHRASINGS = {
    "plain": ("I bid {bid}!", "I'm out!"),
    "reasons": (
        "I bid {bid} because my estimate is {estimate}!",
        "I'm out, since {bid} would leave too little of my estimate of {estimate}!",
    ),
    "reasons and Markdown": (
        "## Situation\n\n- **Least bid:** {bid}\n- **My estimate:** {estimate}\n\n"
        "**I bid {bid}**, which is below my estimate of **{estimate}**, to see whether the others follow.\n\n*Good luck!*",
        "**Reasoning:** I could bid {bid}, but it is too close to {estimate}.\n\n**Decision:** I'm out, as I'd rather keep my money.",
    ),
}


def answer(phrasing):
    bid_words, leave_words = PHRASINGS[phrasing]

    def reply(body):
        text = str(body["messages"][-1]["content"])
        bid, estimate = (
            re.findall(rf"{label}: (\$[0-9,]+)", text)[-1] for label in ("Least bid", "Your estimate of it")
        )
        dollars = [int(amount[1:].replace(",", "")) for amount in (bid, estimate)]
        return (bid_words if dollars[0] < 1.3 * dollars[1] else leave_words).format(bid=bid, estimate=estimate)

    return reply


def games(phrasing, number):
    with FailingServer(answer=answer(phrasing)) as server:
        names = (f"m=llm:openai:m,base_url={server.url}", "rule", "value")
        scenario = GAME.load_scenario("standard-20k-random").changed(num_items=3)
        records = [aucenv.play("english", scenario, names, seed=seed) for seed in range(number)]
    attempts = sum(len(decision["attempts"]) for record in records for decision in record.decisions)
    decisions = [[decision["amount"] for decision in record.decisions] for record in records]
    return attempts, decisions, [record.outcome["seats"][0]["profit"] for record in records]


@pytest.fixture(scope="module")
def plain_games():
    return games("plain", 24)


@pytest.mark.parametrize("phrasing", list(PHRASINGS)[1:])
def test_the_decisions_and_profits_are_those_of_plain_replies(phrasing, plain_games):
    attempts, decisions, profits = games(phrasing, 24)
    assert attempts == 0
    assert (decisions, profits) == plain_games[1:]
    assert len({tuple(amounts) for amounts in decisions}) > 20
    assert any(profits)
