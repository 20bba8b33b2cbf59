"""Rule bidders of English auctions bid as described, and names of bidders are parsed or refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from aucenv.baselines.scripted import english
from tables import amount_table, play_rounds, scenario_of

import aucenv
from aucenv.core.play.table import Table
from aucenv.core.words.bidder_name import BidderSpec, parse_bidder
from aucenv.envs.english.game import GAME, Bidder, EnglishScenario
from aucenv.policy.registry import make_policy


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("rule", BidderSpec("rule", "rule", None, {})),
        ("value,margin=0.1", BidderSpec("value,margin=0.1", "value", None, {"margin": "0.1"})),
        ("my-rule_2=rule,k=3", BidderSpec("my-rule_2", "rule", None, {"k": "3"})),
        ("ppo:runs/a.pt", BidderSpec("ppo:runs/a.pt", "ppo", "runs/a.pt", {})),
        (
            "gpt=llm:openai:gpt-4.1-mini,agent=bdi,plan=static",
            BidderSpec("gpt", "llm", "openai:gpt-4.1-mini", {"agent": "bdi", "plan": "static"}),
        ),
    ],
)
def test_names_are_parsed(name, spec):
    assert parse_bidder(name) == spec


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "expected .LABEL=.KIND"),
        ("my bidder=rule", "LABEL of A-Za-z0-9_ and, not first, '.' and '-', got 'my bidder=rule'"),
        ("../x=rule", "got '../x=rule'"),
        (".x=rule", "got '.x=rule'"),
        ("rule,", "got 'rule,'"),
        ("rule,k", "got 'rule,k'"),
        ("=rule", "got '=rule'"),
        ("rul", r"kind: expected one of rule, .*got 'rul' \(did you mean 'rule'"),
        ("rule:5", "rule takes no :ARG, got '5'"),
        ("rule,K=4", r"parameter: expected one of k, got 'K'"),
        ("rule,k=4,k=5", "expected each parameter once"),
        ("rule,k=four", "k: expected a number from 0 to 1000, got 'four'"),
        ("rule,k=-1", "k: expected a number from 0 to 1000, got '-1'"),
        ("value,margin=nan", "margin: expected a number from -5 to 1, got 'nan'"),
        ("py:nowhere:Bidder", "cannot create Bidder of nowhere: ModuleNotFoundError: No module named 'nowhere'"),
        ("py:none.py:Bidder", "cannot create Bidder of none.py: FileNotFoundError: no such file"),
        ("py:math:tau2", "cannot create tau2 of math: LookupError: no such class; it defines none$"),
        ("py:collections:Counter", "expected a Policy; Counter has no interface, reset, act, close_game"),
        ("py:math", "expected py:MODULE:CLASS or py:FILE.py:CLASS, got py:math"),
        ("py", "got py$"),
    ],
)
def test_bad_names_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        make_policy("english", name)


@pytest.mark.parametrize(
    ("bidder", "message"),
    [
        ("Mine,shar=1", r"parameter: expected one of share, got 'shar' \(did you mean 'share'\?\)$"),
        (
            "Min",
            r"cannot create Min of mine.py: LookupError: no such class; it defines Mine, Other \(did you mean 'Mine'",
        ),
        ("Other,share=1", "cannot create Other of mine.py: TypeError: Other\\(\\) takes no arguments"),
    ],
)
def test_bad_names_of_user_defined_classes_and_parameters_are_refused(bidder, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Mine:\n    def __init__(self, share=1): ...\n\n\nclass Other: ...\n")
    with pytest.raises(ValueError, match=message):
        make_policy("english", f"py:mine.py:{bidder}")


def decide(name: str, table, seat: int = 0) -> float:
    policy = make_policy("english", name)
    policy.reset(f"bidder_{seat}", 1)
    return policy.act(table.view(seat, reveal=policy.cheats), {})


def test_rule_bids_the_least_at_most_k_times():
    table = amount_table(scenario_of([1000], budget=6000))
    assert decide("rule", table) == 1000
    play_rounds(table, [{0: 1000, 1: 1100, 2: None}, {0: 1200}, {1: 1300}])
    assert decide("rule", table) == 1400
    assert decide("rule,k=2", table) == -1


@pytest.mark.parametrize(
    ("scenario", "limit"),
    [
        ("standard-10k-random", 2),
        ("standard-20k-random", 4),
        ("standard-40k-descending", 8),
        ("niche-20k", 7),  # 0.6 * 20,000 / 1800 = 6.67
        (scenario_of([1000, 3000], budget=5000), 2),  # 0.6 * 5000 / 2000 = 1.5
        (scenario_of([1000], budget=300), 1),
        (scenario_of([1000], budget=300_000), 20),
    ],
)
def test_by_default_the_limit_of_the_rule_bidder_depends_on_the_budget(scenario, limit):
    chosen = aucenv.english_v0.parallel_env(scenario).scenario
    state = Table(GAME, chosen, ["amount"] * len(chosen.bidders)).state
    assert english.bids_of_budget(state[0], 1) == limit
    if limit > 1:
        default, given = (
            aucenv.rollout("english", chosen, [name] * len(chosen.bidders), 40, seed=1)
            for name in ("rule", f"rule,k={limit}")
        )
        assert all((default[key] == given[key]).all() for key in default)


def test_a_given_budget_of_one_seat_changes_its_limit_alone():
    rich = Bidder("rich", 40_000)
    chosen = aucenv.english_v0.parallel_env().scenario
    state = amount_table(dataclasses.replace(chosen, bidders=(rich, *chosen.bidders[1:]))).state
    assert [english.bids_of_budget(state[0], seat) for seat in range(3)] == [8, 4, 4]


def test_value_stops_at_its_estimate_less_the_margin():
    table = amount_table(scenario_of([1000]))  # true value 2000, estimate 2200
    play_rounds(table, [{0: 1000, 1: 2100, 2: None}])
    assert decide("value", table) == 2200
    assert decide("value,margin=0.01", table) == -1


def test_pace_corrects_its_estimates_by_revealed_values():
    bidders = tuple(Bidder(f"b{i}", 50_000, overestimate_percent=100) for i in range(3))
    table = amount_table(EnglishScenario("x", scenario_of([1000, 1000]).items, bidders, "given"))
    assert table.view(0).estimate == 4000
    play_rounds(table, [{0: 1000, 1: 2500, 2: None}])
    assert decide("pace", table) == 2600  # with the prior of 10% it expects a value of 3636
    play_rounds(table, [{0: None}, {0: 1000, 1: 2100, 2: None}])
    assert decide("pace", table) == -1  # the first item's value is 2000, its estimate was 4000
    assert decide("value", table) == 2200


def test_pace_bids_less_if_the_budget_is_short():
    for budget, bid in ((20_000, 1000), (4000, 1000), (3000, -1)):
        table = amount_table(scenario_of([1000] * 10, budget=budget))
        # It expects ten values of 2000. With a budget of 3000 its limit is 3 * 3000 / 20,000 of the value, below 1000.
        assert decide("pace", table) == bid


def test_drain_raises_only_against_richer_rivals():
    table = amount_table(scenario_of([1000, 1000]))
    play_rounds(table, [{0: None, 1: 1000, 2: None}, {0: 1000, 1: 1600, 2: None}])
    assert table.view(0).budgets == {"bidder_0": 20_000, "bidder_1": 19_000, "bidder_2": 20_000}
    assert decide("drain", table) == -1  # no rival is richer: its limit is 0.75 of 2000
    assert decide("drain,keep=0.9", table) == 1700
    poorer = amount_table(scenario_of([1000, 1000]))
    play_rounds(poorer, [{0: 1000, 1: None, 2: None}, {0: 1000, 1: 1600, 2: None}])
    assert decide("drain", poorer) == 1700
    assert decide("drain,push=0.8", poorer) == -1


def test_items_pays_the_same_price_for_every_item():
    table = amount_table(scenario_of([1000] * 4, budget=2000))  # one item in three: 3 * 2000 / 4
    play_rounds(table, [{0: 1000, 1: 1400, 2: None}])
    assert decide("items", table) == 1500
    play_rounds(table, [{0: 1500}])
    assert decide("items", table, 1) == -1
    play_rounds(table, [{1: None}])
    assert decide("items", table, 1) == 1000  # 3 * 2000 / 3 for each of the others


def test_items_leaves_items_that_cost_more_than_its_price():
    prices = [3000, *[1000] * 8]
    assert decide("items", amount_table(scenario_of(prices, budget=4000))) == -1  # 3 * 4000 / 8 for the eight others
    assert decide("items", amount_table(scenario_of(prices, budget=9000))) == 3000  # 3 * 9000 / 9 for all nine


def test_item_bids_for_its_item_alone():
    table = amount_table(scenario_of([1000, 2000], budget=2300))
    assert decide("item", table) == 1000
    assert decide("item,number=2", table) == -1
    play_rounds(table, [{0: None, 1: None, 2: None}, {0: 2000, 1: 2000, 2: None}])
    leader = ["bidder_0", "bidder_1"].index(table.view(0).leader)
    assert decide("item,number=2", table, 1 - leader) == 2200
    play_rounds(table, [{1 - leader: 2200}])
    assert not table.pending  # 2400 exceed every budget
    rich = amount_table(scenario_of([1000], budget=50_000))
    play_rounds(rich, [{0: 1000, 1: 9900, 2: None}])
    assert decide("item", rich) == 10_000
    assert decide("item,most=9.99", rich) == decide("items,most=9.99", rich) == -1


@pytest.mark.parametrize("number", ["3", "1.5"])
def test_item_needs_the_number_of_an_item(number):
    with pytest.raises(ValueError, match=f"number: expected the number of one of its 2 items, got {number}"):
        aucenv.play("english", scenario_of([1000, 2000]), [f"item,number={number}", "rule", "rule"])


def test_the_oracle_knows_the_true_value():
    table = amount_table(scenario_of([1000]))
    play_rounds(table, [{0: 1000, 1: 1950, 2: None}])
    assert decide("value", table) == 2050
    assert decide("oracle", table) == -1


def test_random_makes_all_affordable_bids():
    bids = set()
    for seed in range(400):
        table = amount_table(scenario_of([1000], budget=1250), seed)
        bids.add(decide("random", table))
        assert decide("random,ladder=1", table) in (-1, 1000)
    assert bids == {-1, 1000, 1100, 1200}
