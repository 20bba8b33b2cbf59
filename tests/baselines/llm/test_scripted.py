"""The script in place of a model, `llm:scripted`: all agents and games, mistakes, phrasings, goals, and its mark."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from agent_games import SHORT
from aucenv.baselines.llm.options import AGENTS, PRESETS, agents_of
from aucenv.baselines.llm.script.script import PHRASINGS, ScriptedModel
from aucenv.benchmarks.rankings.leaderboard import Settings, run

from aucenv.analysis.agents.call_costs import usage
from aucenv.analysis.ranking.tables import to_markdown
from aucenv.core.policy import ModelFailure
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.envs.english.game import Bidder, EnglishScenario, Item
from aucenv.envs.english.stated_beliefs import KINDS, belief_failures, combined_rate
from aucenv.policy.registry import make_policy, playable_bidders
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import play

CASES = [(game, agent) for game in FAMILIES for agent in agents_of(game)]


def played(game, options, scenario=None, rivals=None):
    """Return the record of a game with the script in the first seat, that seat's decisions, and the calls."""
    scenario = scenario or SHORT[game]
    rules = playable_bidders(game, scenario)
    others = rivals or [rules[seat % len(rules)] for seat in range(1, len(scenario.bidders))]
    journal = CallJournal()
    record = play(game, scenario, [f"s=llm:scripted{options}", *others], 0, journal=journal)
    return record, [each for each in record.decisions if each["seat"] == record.seats[0]["seat"]], journal.calls


@pytest.mark.parametrize(("game", "agent"), CASES)
def test_each_agent_understands_every_reply_in_each_phrasing(game, agent):
    plain, decisions, _ = played(game, f",agent={agent}")
    assert not any(decision["attempts"] for decision in decisions)
    options = [f"phrasing={phrasing}" for phrasing in PHRASINGS[1:]]
    if game != "ebay":  # has no prompts of the paper
        options += [f"preset={preset}" for preset in PRESETS if preset in AGENTS[agent].presets]
    options += ["reply=json"]
    for option in options:
        record, decisions, _ = played(game, f",agent={agent},{option}")
        assert not any(decision["attempts"] for decision in decisions), option
        if not option.startswith("preset"):
            assert record.outcome == plain.outcome, option


@pytest.mark.parametrize("language", ["chinese", "spanish", "hindi", "russian"])
@pytest.mark.parametrize("currency", ["dollar", "rupee"])
def test_it_reads_every_language_and_currency(language, currency):
    for game in ("sealed_bid", "clock"):
        expected, _, _ = played(game, ",agent=plan-bid-reflect")
        record, decisions, _ = played(game, f",agent=plan-bid-reflect,language={language},currency={currency}")
        assert not any(decision["attempts"] for decision in decisions)
        assert record.outcome == expected.outcome


@pytest.mark.parametrize(
    ("mistake", "kind"), [("over_budget", "over_budget"), ("too_low", "too_low"), ("unreadable", "unreadable")]
)
def test_mistaken_bids_are_refused(mistake, kind):
    _, decisions, _ = played("english", f",agent=bdi,{mistake}=1")
    kinds = {attempt["kind"] for decision in decisions for attempt in decision["attempts"]}
    assert kinds == {kind}
    _, decisions, _ = played("english", f",agent=bdi,{mistake}=0.3")
    assert 0 < sum(len(decision["attempts"]) for decision in decisions) < 3 * len(decisions)


def test_wrong_beliefs_are_counted():
    def wrong(options):
        record, _, _ = played("english", f",agent=bdi,correct_beliefs=false{options}")
        return combined_rate(belief_failures([record])["s (script)"], KINDS)[0]

    assert wrong("") == 0
    assert wrong(",wrong_belief=1") > 0


def test_the_same_request_has_the_same_reply():
    first, second = (played("english", ",agent=bdi,unreadable=0.3,wrong_belief=0.3")[0] for _ in range(2))
    assert first.to_json() == second.to_json()


def test_bidders_for_items_and_for_profit_seek_other_items():
    prices = [5000] * 2 + [1000] * 6
    items = tuple(Item(i + 1, f"Item {i + 1}", price, 2 * price) for i, price in enumerate(prices))
    scenario = EnglishScenario(
        "niche", items, tuple(Bidder(name, 18000) for name in ("Alex", "Blair")), item_order="given"
    )
    names = [f"{goal}=llm:scripted,agent=bdi,minor=0.5,objective={goal}" for goal in ("profit", "items")]
    winners = [item["winner"] for item in play("english", scenario, names, 0).outcome["items"]]
    by_profit, by_items = (
        [price for price, winner in zip(prices, winners, strict=True) if winner == seat]
        for seat in ("bidder_0", "bidder_1")
    )
    assert 5000 in by_profit
    assert set(by_items) == {1000}
    assert len(by_items) >= 4


def test_every_table_marks_it_as_a_script():
    assert label_of("gpt-4=llm:scripted,agent=bdi") == parse_bidder("gpt-4=llm:scripted").label == "gpt-4 (script)"
    assert label_of("llm:scripted,limit=0.5") == "llm:scripted,limit=0.5 (script)"
    rows = run(Settings(bidders=("gpt-4=llm:scripted", "rule", "value"), scenario=SHORT["english"], games=3))
    assert "gpt-4 (script)" in to_markdown(rows, "english", "")


def test_its_calls_have_no_tokens_and_cost_nothing():
    for options in ("", ",reply=json"):
        _, _, calls = played("english", options)
        assert usage(calls) == "0 tokens in, 0 out, $0"


SCALES = "- information (from 1 to 5): 1 = a; 5 = b\n- planning (from 1 to 5): 1 = a; 5 = b\n- style (from 1 to 5): 1 = a; 5 = b"


def rated(*messages, **options):
    request = Request(tuple({"role": role, "content": text} for role, text in messages), 0.0, 64, 7)
    return ScriptedModel(**options).complete(request, lambda *_: None).text


def scores_in(reply):
    return {name: rating["score"] for name, rating in json.loads(reply).items()}


def test_it_rates_residents_by_the_words_in_their_record():
    """Of four days, one states two numbers, and three mention what is kept; the script does not know the last scale."""
    words = ["I keep 2 of 8.", "I keep money.", "I save.", "I bid $9!"]
    record = "\n".join(f"Day {day}: 9 units.\nWords: {text}" for day, text in enumerate(words, 1))
    task = f"<<<\n{record}\n>>>\nRate this resident on each scale, with a short reason.\n{SCALES}"
    reply = rated(("system", "You judge."), ("user", task))
    assert scores_in(reply) == {"information": 2, "planning": 4, "style": 3}
    again = rated(("user", task), ("assistant", "It plays well."), ("user", "This could not be read."))
    assert again == reply
    assert rated(("user", task), mistakes=(("unreadable", 1.0),)) == "Let me think about it."


def test_it_rates_itself_by_its_replies():
    task = f"The game is over for you. Look back at it, and rate your play on each scale.\n{SCALES}"
    conversation = [("user", "without water today your health falls to 7"), ("assistant", "I keep 2 of 8. I bid $9!")]
    reply = rated(("system", "Rules"), *conversation, ("user", task))
    assert scores_in(reply) == {"information": 5, "planning": 5, "style": 3}
    assert rated(("system", "Rules"), *conversation, ("user", task), ("assistant", "Well."), ("user", "Again")) == reply


def test_residents_with_a_persona_repeat_it_and_bid_the_same():
    scenario = SHORT["water_allocation"]
    residents = [replace(each, persona="You count. You are shy.") for each in scenario.residents]
    with_persona = scenario.changed(residents=tuple(residents))
    record, decisions, _ = played("water_allocation", ",agent=resident", with_persona)
    nobody = [replace(each, persona="") for each in scenario.residents]
    without = scenario.changed(residents=tuple(nobody))
    plain, others, _ = played("water_allocation", ",agent=resident", without)
    assert record.outcome == plain.outcome
    assert decisions[0]["action"] == f'I am this: "You are shy." {others[0]["action"]}'
    assert decisions[1]["action"] == f'I am this: "You count." {others[1]["action"]}'


def test_unknown_tasks_and_options_are_refused():
    request = Request(({"role": "user", "content": "What is the time?"},), 0.0, 64, 7)
    with pytest.raises(
        ModelFailure, match=r"llm:scripted: expected one of the tasks of agents, got .*What is the time"
    ):
        ScriptedModel().complete(request, lambda *_: None)
    for name, message in {
        "llm:scripted:gpt": "expected llm:scripted, got llm:scripted:gpt",
        "llm:scripted,limit=a": "limit: expected a number from 0 to 100, got 'a'",
        "llm:scripted,unreadable=2": "unreadable: expected a number from 0 to 1, got '2'",
        "llm:scripted,phrasing=rude": "phrasing: expected one of plain, markdown, thinking, wordy, got 'rude'",
        "llm:openai": "expected llm:openai:MODEL, got llm:openai",
    }.items():
        with pytest.raises(ValueError, match=message):
            make_policy("english", name)


@pytest.mark.parametrize("preset", ["default", "paper", "program"])
def test_on_a_falling_clock_the_script_waits_until_the_price_is_below_its_value(preset):
    name = f"llm:scripted,agent=plan-bid-reflect,preset={preset}"
    record = play("clock", "descending-ipv", [name] * 3, 1)
    for j, prize in enumerate(record.outcome["prizes"]):
        assert prize["price"] == max(dealt["values"][j] for dealt in record.deal["seats"]) - 1
