"""Bad input to sealed-bid and clock auctions is refused, with the right error messages."""

from __future__ import annotations

import re

import pytest

import aucenv
from aucenv.core.play.table import Table
from aucenv.core.records.decisions import IllegalBid
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario

FAMILIES = {"sealed_bid": aucenv.sealed_bid_v0, "clock": aucenv.clock_v0}
KINDS = {"sealed_bid": SealedBidScenario, "clock": ClockScenario}
AT = "scenario 'x', "

SHARED = [
    ({"num_bidders": 1}, AT + "num_bidders: expected a whole number from 2 to 10, got 1"),
    ({"num_bidders": 11}, AT + "num_bidders: expected a whole number from 2 to 10, got 11"),
    ({"num_bidders": 3.0}, AT + "num_bidders: expected a whole number from 2 to 10, got 3.0"),
    ({"num_rounds": 0}, AT + "num_rounds: expected a whole number from 1 to 10000, got 0"),
    ({"num_rounds": 10_001}, AT + "num_rounds: expected a whole number from 1 to 10000, got 10001"),
    ({"value_range": (9, 9)}, AT + "value_range: expected the least below the highest, got (9, 9)"),
    ({"value_range": (9, 3)}, AT + "value_range: expected the least below the highest, got (9, 3)"),
    ({"value_range": (0, 9, 20)}, AT + "value_range: expected (least, highest), got (0, 9, 20)"),
    ({"value_range": "0-9"}, AT + "value_range: expected (least, highest), got '0-9'"),
    ({"value_range": (-1, 9)}, AT + "value_range: expected dollars between 0 and 1,000,000,000, got -1"),
    ({"value_range": (0, float("nan"))}, AT + "value_range: expected dollars between 0 and 1,000,000,000, got nan"),
    ({"value_range": (0, 9.005)}, AT + "value_range: expected at most two decimals, got 9.005"),
    ({"value_step": 0}, AT + "value_step: expected dollars between 0.01 and 1,000,000,000, got 0"),
    ({"value_step": 7}, AT + "value_step: expected one that divides value_range ((0, 99)), got 7"),
    ({"value_step": 0.01, "value_range": (0, 10_000)},
     AT + "value_range: expected at most 1,000,000 steps of 0.01"),
    ({"values": "cv", "value_range": (20, 80), "value_step": 3, "signal_error": 20},
     AT + "value_step: expected one that divides signal_error (20), got 3"),
    ({"values": "cv", "value_range": (10, 80)},
     AT + "signal_error: expected at most the least value, 10, got 20: signals would be negative"),
    ({"values": "pv"}, AT + "values: expected one of ipv, apv, cv, got 'pv' (did you mean 'ipv'?)"),
    ({"reveal": "prices"}, AT + "reveal: expected one of all, price, none, got 'prices' (did you mean 'price'?)"),
    ({"currency": "$"}, AT + "currency: expected one of dollar, euro, ruble, rupee, yen, got '$'"),
    ({"language": "french"}, AT + "language: expected one of english, chinese, spanish, hindi, russian, got 'french'"),
]  # fmt: skip
SEALED = [
    ({"pricing": "third", "num_bidders": 2}, AT + "num_bidders: expected at least 3 for the third price, got 2"),
    ({"pricing": "all-pay"},
     AT + "pricing: expected one of first, second, third, all_pay, got 'all-pay' (did you mean 'all_pay'?)"),
    ({"advice": "nash"}, AT + "advice: expected 'none' unless the pricing is 'second', got 'nash'"),
    ({"advice": "nahs"}, AT + "advice: expected one of none, menu, proxy_clock, nash, dominant, wrong, risk_neutral, "
     "got 'nahs' (did you mean 'nash'?)"),
    ({"bid_step": 7}, AT + "bid_step: expected one that divides bid_cap (99), got 7"),
    ({"bid_step": 0.005}, AT + "bid_step: expected dollars between 0.01 and 1,000,000,000, got 0.005"),
    ({"bid_step": 0.015}, AT + "bid_step: expected at most two decimals, got 0.015"),
    ({"bid_cap": 0}, AT + "bid_cap: expected dollars between 0.01 and 1,000,000,000, got 0"),
    ({"bid_cap": 99.999}, AT + "bid_cap: expected at most two decimals, got 99.999"),
    ({"bid_cap": "99"}, AT + "bid_cap: expected dollars between 0.01 and 1,000,000,000, got '99'"),
    ({"bid_step": 0.01, "bid_cap": 1000}, AT + "bid_step: expected at most 100,000 steps up to the highest bid"),
    ({"reserve": 99.01}, AT + "reserve: expected at most the cap 99, got 99.01: nobody could win"),
    ({"reserve": -1}, AT + "reserve: expected dollars between 0 and 1,000,000,000, got -1"),
]  # fmt: skip
CLOCK = [
    ({"direction": "rising"}, AT + "direction: expected one of ascending, descending, got 'rising'"),
    ({"feedback": "opne"}, AT + "feedback: expected one of open, blind, got 'opne' (did you mean 'open'?)"),
    ({"lowest_price": 99}, AT + "highest_price: expected more than lowest_price 99, got 99"),
    ({"highest_price": 0.001}, AT + "highest_price: expected at most two decimals, got 0.001"),
    ({"tick": 7}, AT + "tick: expected one that divides highest_price (99), got 7"),
    ({"tick": 0.125}, AT + "tick: expected at most two decimals, got 0.125"),
    ({"tick": 0.01, "highest_price": 1001}, AT + "tick: expected at most 100,000 ticks, got 0.01"),
]


def exactly(message):
    return f"^{re.escape(message)}$"


BAD = [
    *((game, *row) for game in KINDS for row in SHARED),
    *(("sealed_bid", *row) for row in SEALED),
    *(("clock", *row) for row in CLOCK),
]


@pytest.mark.parametrize(("game", "fields", "message"), BAD)
def test_errors_about_scenarios_name_field_and_expectation(game, fields, message):
    with pytest.raises(ValueError, match=exactly(message)):
        KINDS[game]("x", **fields)


@pytest.mark.parametrize(
    ("game", "arguments", "message"),
    [
        ("sealed_bid", {"scenario": "frist-ipv"}, "did you mean 'first-ipv'?"),
        ("clock", {"scenario": "descending-ivp"}, "did you mean 'descending-ipv'?"),
        ("clock", {"scenario": "first-ipv"}, "scenario: expected one of ascending-ipv, "),
        ("sealed_bid", {"pricing": "third", "num_bidders": 2}, "expected at least 3 for the third price, got 2"),
        (
            "sealed_bid",
            {"bid_step": 7},
            "scenario 'first-ipv', bid_step: expected one that divides bid_cap (99), got 7",
        ),
        ("sealed_bid", {"values": "cvs"}, "did you mean 'cv'?"),
        ("clock", {"tick": 3}, "scenario 'ascending-apv', tick: expected one that divides highest_price (40), got 3"),
        (
            "clock",
            {"scenario": SCENARIOS["first-ipv"]},
            "scenario: expected a name, a path or a Scenario, got SealedBidScenario(",
        ),
        ("clock", {"scenario": 7}, "scenario: expected a name, a path or a Scenario, got 7"),
    ],
)
def test_environments_raise_the_same_errors(game, arguments, message):
    for make in (
        FAMILIES[game].raw_env,
        FAMILIES[game].parallel_env,
        lambda **more: FAMILIES[game].batch_env(2, **more),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            make(**arguments)


def test_unknown_fields_are_named():
    with pytest.raises(
        ValueError, match=r"scenario 'first-ipv', field: expected one of .*got 'pricng' \(did you mean 'pricing'"
    ):
        SCENARIOS["first-ipv"].changed(pricng="second")
    with pytest.raises(ValueError, match=r"scenario 'ascending-ipv', field: expected one of .*got 'bid_cap'"):
        CLOCKS["ascending-ipv"].changed(bid_cap=9)


@pytest.mark.parametrize(
    ("arguments", "cap", "highest"),
    [
        ({"scenario": "third-ipv"}, 99, 198),
        ({"scenario": "third-ipv", "num_bidders": 5}, 99, 132),
        ({"bid_cap": 65}, 65, 66),
        ({"pricing": "second", "bid_cap": 98}, 98, 99),
        ({"pricing": "all_pay", "bid_cap": 65}, 65, 66),
        ({"scenario": "second-apv", "bid_cap": 39}, 39, 40),
    ],
)
def test_a_cap_below_the_equilibrium_gives_a_warning(arguments, cap, highest):
    pricing = arguments.get("pricing", arguments.get("scenario", "first").split("-")[0])
    message = (
        f"bid_cap {cap} is below {highest}, the highest equilibrium bid with pricing {pricing}: the equilibrium "
        "cannot be played, and revenue and efficiency differ from the theory; bid_cap=None removes the cap"
    )
    for make in (aucenv.sealed_bid_v0, aucenv.sealed_bid_v0.parallel_env):
        with pytest.warns(UserWarning, match=re.escape(message)):
            make(**arguments)
    with pytest.warns(UserWarning, match=re.escape(message)) as caught:
        aucenv.sealed_bid_v0.batch_env(2, **arguments)
    assert [warning.filename for warning in caught] == [__file__]
    aucenv.sealed_bid_v0.parallel_env(**{**arguments, "bid_cap": highest})  # warnings are errors here
    aucenv.sealed_bid_v0.parallel_env(**{**arguments, "bid_cap": None})


HOW_TO_BID = "say 'I bid {0}X' with an amount in digits, or 'I abstain'"
UNCLEAR = "the amount is unclear: " + HOW_TO_BID + "; X is one amount in {0} ({1}) with at most two decimals"
REPLIES = [
    ("dollar", "$36", 36, None),
    ("dollar", "36", 36, None),
    ("dollar", "36 dollars", 36, None),
    ("dollar", "I bid $0", 0, None),
    ("dollar", "I abstain.", None, None),
    ("euro", "€36", 36, None),
    ("euro", "36 euros", 36, None),
    ("euro", "I bid 36.", 36, None),
    ("dollar", "36.5", None, "$36.50 is not a multiple of $1"),
    ("dollar", "I bid $100", None, "$100 is above the highest legal bid of $99"),
    ("dollar", "thirty-six", None, "no decision: " + HOW_TO_BID),
    ("dollar", "between 30 and 40", None, "no decision: " + HOW_TO_BID),
    ("dollar", "I bid between $30 and $40", None, "the amount is unclear: " + HOW_TO_BID),
    ("dollar", "I bid $30. I bid $40.", None, "ambiguous: the reply ends with more than one decision ($30, $40)"),
    ("dollar", "I bid $30 or $40", None, "ambiguous: the reply ends with more than one decision ($30, $40)"),
    ("dollar", "€36", None, UNCLEAR),
    ("dollar", "I bid 36 euros", None, UNCLEAR),
    ("euro", "$36", None, UNCLEAR),
    ("euro", "36 dollars", None, UNCLEAR),
    ("euro", "I bid €100", None, "€100 is above the highest legal bid of €99"),
    ("dollar", "36.123", None, UNCLEAR),
]


@pytest.mark.parametrize(("currency", "reply", "bid", "reason"), REPLIES)
def test_text_replies_are_parsed_or_refused_with_the_reason(currency, reply, bid, reason):
    scenario = SCENARIOS["first-ipv" if currency == "dollar" else "first-ipv-euro"].changed(num_rounds=1)
    env = aucenv.sealed_bid_v0.parallel_env(scenario=scenario, interface="text", infos="full")
    env.reset(seed=0)
    infos = env.step({"bidder_0": reply, "bidder_1": "I abstain", "bidder_2": "I abstain"})[4]
    if reason is not None:
        sign = {"dollar": "$", "euro": "€"}[currency]
        expected = reason.replace("{0}", sign).replace("{1}", currency)
        assert infos["bidder_0"]["refused"].startswith(expected)
        assert expected in env.text("bidder_0")
        infos = env.step({"bidder_0": "I abstain"})[4]
    assert infos["bidder_0"]["refused"] is None
    assert env.view("bidder_0").history[0].bid == bid


def new_table(game, illegal="refuse", **fields):
    scenario = KINDS[game]("x", **{"num_rounds": 2, **fields})
    table = Table(FAMILIES[game].game, scenario, ["amount"] * scenario.num_bidders, illegal=illegal)
    table.reset(0)
    return table


NOT_MONEY = "nan is not an amount of money"
RISING = {"lowest_price": 10, "highest_price": 40, "tick": 3}
FALLING = {**RISING, "direction": "descending"}
ILLEGAL = [
    ("sealed_bid", {}, 100, "$100 is above the highest legal bid of $99", 99),
    ("sealed_bid", {}, 1e300, "$10,000,000,000 is above the highest legal bid of $99", 99),
    ("sealed_bid", {}, 36.5, "$36.50 is not a multiple of $1", 37),
    ("sealed_bid", {}, 36.49, "$36.49 is not a multiple of $1", 36),
    ("sealed_bid", {"bid_cap": None, "bid_step": 5}, 1002, "$1,002 is not a multiple of $5", 1000),
    ("sealed_bid", {"currency": "yen"}, 100, "¥100 is above the highest legal bid of ¥99", 99),
    ("sealed_bid", {}, float("nan"), NOT_MONEY, -1),
    ("clock", RISING, 7, "the clock is at $10 already: $7 has passed", -1),
    ("clock", RISING, 10, "the clock is at $10 already: $10 has passed", -1),
    ("clock", RISING, 14.5, "$14.50 is not a price of the clock: it moves in steps of $3", 16),
    ("clock", RISING, 41, "$41 is beyond the clock's last price, $40", 40),
    ("clock", RISING, float("nan"), NOT_MONEY, -1),
    ("clock", FALLING, 41, "$41 is not a price of the clock: it moves in steps of $3", 40),
    ("clock", FALLING, 36, "$36 is not a price of the clock: it moves in steps of $3", 37),
    ("clock", FALLING, 7, "$7 is beyond the clock's last price, $10", 10),
    ("clock", FALLING, 0, "$0 is beyond the clock's last price, $10", 10),
    ("clock", FALLING, float("nan"), NOT_MONEY, -1),
]


@pytest.mark.parametrize(("game", "fields", "amount", "reason", "nearest"), ILLEGAL)
def test_illegal_amounts_are_refused_clipped_or_raise_an_error(game, fields, amount, reason, nearest):
    table = new_table(game, **fields)
    assert table.submit(0, amount) == table.full_info(0)["refused"] == table.view(0).refused == reason
    assert reason in table.text(0)
    with pytest.raises(IllegalBid, match=exactly(f"bidder_0: {reason}")):
        new_table(game, "raise", **fields).submit(0, amount)
    clipped = new_table(game, "clip", **fields)
    clipped.submit_all({0: amount, 1: -1, 2: -1})
    assert clipped.decisions[0].amount == (100 * nearest if nearest >= 0 else -1)


@pytest.mark.parametrize("action", ["36", None, [1, 2], True])
def test_an_action_that_is_not_an_amount_is_an_error(action):
    for game in KINDS:
        with pytest.raises(ValueError, match="bidder_0: expected one number of dollars as action, got"):
            new_table(game).submit(0, action)


def test_changing_the_value_model_sets_its_published_range():
    common = SCENARIOS["first-ipv"].changed(values="cv")
    assert (common.value_range, common.signal_error, common.num_rounds, common.bid_cap) == ((20, 79), 20, 10, 99)
    assert SCENARIOS["second-cv-4"].changed(values="apv").bid_cap == 40
    assert SCENARIOS["first-ipv"].changed(values="ipv", num_rounds=3).value_range == (0, 99)
    custom = SCENARIOS["first-ipv"].changed(values="cv", value_range=(30, 40), bid_cap=None)
    assert (custom.value_range, custom.bid_cap) == ((30, 40), None)
    clock = CLOCKS["ascending-apv"].changed(values="cv")
    assert (clock.value_range, clock.highest_price, CLOCKS["ascending-apv"].highest_price) == ((20, 79), 99, 40)
