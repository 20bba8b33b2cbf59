"""Sealed bids and clocks in words: what is told to whom, and when."""

from __future__ import annotations

import re

import pytest
from games import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

import aucenv
from aucenv.core.table import Table
from aucenv.envs.clock.scenario import Scenario as ClockScenario
from aucenv.envs.sealed_bid.scenario import ADVICE, SCENARIOS, Scenario
from aucenv.envs.single_item.replay_format import Worth, write_worths
from aucenv.envs.single_item.values import LANGUAGES, NAMES

ASK = "Answer with your bid as one number, for example 33, or say that you abstain: 'I abstain'."


def table_of(scenario, *rounds):
    """A table of text seats whose prizes are worth `rounds`: each the values by seat, or (signals, common value)."""
    family = aucenv.clock_v0 if isinstance(scenario, ClockScenario) else aucenv.sealed_bid_v0
    table = Table(family.game, scenario, ["text"] * scenario.num_bidders)
    table.reset(0)
    write_worths(table, [Worth(*(each if isinstance(each[0], tuple) else (each, 0))) for each in rounds])
    return table


def sealed(*rounds, **fields):
    return table_of(Scenario("test", num_rounds=len(rounds), **fields), *rounds)


def clock(*rounds, **fields):
    return table_of(ClockScenario("test", num_rounds=len(rounds), highest_price=20, **fields), *rounds)


def say(table, *replies):
    """Let all who have a decision answer; a number is a bid, None abstains."""
    words = [
        reply if isinstance(reply, str) else "I abstain" if reply is None else f"I bid {reply}" for reply in replies
    ]
    assert len(words) == len(table.pending)
    table.submit_all(dict(zip(table.pending, words, strict=True)))


def heard(table):
    """What every seat is told, without the call at its end."""
    return [table.text(seat).split("\n\n")[0].splitlines()[1:] for seat in range(table.num_seats)]


def test_at_first_the_rules_are_told_and_what_the_prize_is_worth():
    rules, call = sealed((61, 73, 87), (1, 2, 3), pricing="second", reserve=5).text(1).split("\n\n")
    assert rules.startswith("You are Betty, one of 3 bidders: Andy, Betty, Charles.")
    for told in (
        "Number of rounds: 2.",
        "from $0 to $99 in steps of $1",
        "A bid is from $0 to $99, in steps of $1.",
        "The winner pays the second-highest bid, or $5 if there is none",
        "A bid below $5 does not win",
        "all bids (without names), the winner's profit.",
    ):
        assert told in rules
    assert call.splitlines() == ["Round 1 of 2.", "Your profit so far: $0.", "The prize is worth $73 to you.", ASK]


PUBLIC = {
    "all": ["All bids, highest first: $50, $40.", "The price was $40."],
    "price": ["The price was $40."],
    "none": [],
}


@pytest.mark.parametrize("reveal", PUBLIC)
def test_what_is_told_after_a_round_to_who_won_lost_or_abstained(reveal):
    table = sealed((61, 73, 87), (1, 2, 3), pricing="second", reveal=reveal)
    say(table, 40, 50, None)
    public, tells_all = PUBLIC[reveal], reveal == "all"
    profit = ["The winner's profit was $33."] * tells_all
    assert heard(table) == [
        ["The prize is worth $61 to you.", "You bid $40 and did not win; profit $0.", *public, *profit],
        ["The prize is worth $73 to you.", "You bid $50 and won; you paid $40; profit $33.", *public]
        + ["The price was $40."] * (reveal == "none"),
        ["The prize is worth $87 to you.", "You abstained.", *public, *profit],
    ]
    call = ["Round 2 of 2.", "Your profit so far: $33.", "The prize is worth $2 to you.", ASK]
    assert table.text(1).split("\n\n")[1].splitlines() == call


@pytest.mark.parametrize("reveal", PUBLIC)
def test_in_common_values_the_value_is_told_with_all_and_to_the_winner(reveal):
    table = sealed(((61, 53, 37), 45), ((60, 60, 60), 50), values="cv", value_range=(20, 79), reveal=reveal)
    assert "Your estimate of what the prize is worth: $53." in table.text(1)
    say(table, 50, 30, 20)
    for seat, words in enumerate(heard(table)):
        assert ("The prize was worth $45." in words) == (reveal == "all" or seat == 0)  # a winner can tell
        assert any(line.startswith("Your estimate of what the prize is worth: $") for line in words)
    assert "You bid $50 and won; you paid $50; profit -$5." in heard(table)[0]
    assert ("The winner's profit was -$5." in heard(table)[1]) == (reveal == "all")


def test_a_prize_that_is_not_sold_is_told_so():
    for pricing, loss in (("second", "$0"), ("all_pay", "-$24")):
        table = sealed((61, 73, 87), (1, 2, 3), pricing=pricing, reserve=25)
        say(table, 24, None, None)
        assert heard(table)[0][1:] == [
            f"You bid $24 and did not win; profit {loss}.",
            "All bids, highest first: $24.",
            "The prize was not sold.",
        ]
        assert heard(table)[1][1:] == ["You abstained.", *heard(table)[0][2:]]


def test_in_first_price_all_learn_what_the_winner_would_rather_have_bid():
    table = sealed((61, 73, 87), (1, 2, 3))
    say(table, 40, 50, 30)
    assert all("With hindsight the winner would have bid $41." in words for words in heard(table))
    for fields in ({"reveal": "price"}, {"pricing": "second"}):
        table = sealed((61, 73, 87), (1, 2, 3), **fields)
        say(table, 40, 50, 30)
        assert "hindsight" not in str(heard(table))


@pytest.mark.parametrize(
    ("reserve", "bids", "hindsight"),
    [
        (25, (24, 20, None), []),  # nobody won
        (25, (40, 20, None), ["25"]),
        (0, (30, None, 29), ["30"]),
    ],
)
def test_hindsight_needs_a_winner_and_names_a_bid_that_would_have_won(reserve, bids, hindsight):
    table = sealed((61, 73, 87), reserve=reserve)
    say(table, *bids)
    for words in heard(table):
        assert re.findall(r"would have bid \$(\d+)", str(words)) == hindsight


def test_hindsight_never_names_a_bid_above_the_cap():
    table = sealed((61, 73, 87))
    say(table, 99, 99, 1)
    assert "$100" not in str(heard(table))


def test_only_news_is_told_and_everything_on_request():
    env = aucenv.sealed_bid_v0.parallel_env(interface="text", num_rounds=4, pricing="second")
    observations, _ = env.reset(seed=3)
    first = env.text("bidder_0")
    assert observations["bidder_0"]["text"] == first
    for number in range(1, 5):
        observations = env.step({agent: f"I bid {number + 10 * int(agent[-1])}" for agent in env.agents})[0]
        news, everything = observations["bidder_0"]["text"], env.text("bidder_0")
        assert "You are" not in news
        assert re.findall(r"Round (\d) of 4\.", news) == [str(number), str(number + 1)][: 2 if number < 4 else 1]
        assert f"You bid ${number} " in news
        assert f"You bid ${number - 1} " not in news
        assert everything.startswith("You are Andy")
        assert re.findall(r"You bid \$(\d) ", everything) == [str(j) for j in range(1, number + 1)]
    assert news.endswith("The game is over. Your profit: $0.")
    assert everything.endswith(news.split("\n\n", 1)[1])


def test_a_refusal_is_told_with_its_reason_to_that_seat_alone():
    table = sealed((61, 73, 87), (1, 2, 3))
    before = table.text(1)
    table.submit(0, "I bid $100")
    assert table.text(0).splitlines()[-2:] == [
        "Your answer was not accepted: $100 is above the highest legal bid of $99.",
        ASK,
    ]
    assert table.text(1) == before


@pytest.mark.parametrize("reveal", PUBLIC)
def test_a_losers_words_hold_no_name_and_no_value_of_a_rival(reveal):
    table = sealed((61, 73, 87), (14, 15, 16), reveal=reveal)
    say(table, 20, 50, 30)
    for seat, values in enumerate(({"73", "87"}, {"61", "87"}, {"61", "73"})):
        words = table.text(seat)
        assert not [name for name in NAMES if name in words]
        assert not values & set(re.findall(r"\d+", words))
        assert ("20" in words or seat == 0) == (reveal == "all" or seat == 0)


@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
@settings(max_examples=25)
@given(data=st.data())
def test_names_are_told_in_the_rules_alone(game, data):
    scenario = data.draw(CASES[game].quick_scenarios)
    family = getattr(aucenv, f"{game}_v0")
    table = Table(family.game, scenario, ["amount"] * scenario.num_bidders)
    table.reset(data.draw(st.integers(0, 99)))
    low = 0 if game == "sealed_bid" else round(100 * scenario.lowest_price)
    step = round(100 * (scenario.bid_step if game == "sealed_bid" else scenario.tick))
    falling = game == "clock" and scenario.direction == "descending"
    while not table.over:
        item = table.item
        table.submit_all(dict.fromkeys(table.pending[1:], low / 100 if falling else -1))
        table.submit(table.pending[0], (low + step) / 100)
        while table.item == item and not table.over:
            table.submit_all(dict.fromkeys(table.pending, -1))
        for seat in range(scenario.num_bidders):
            told = table.text(seat)
            rules, *news = family.game.text.describe(table.view(seat)).split("\n\n")
            assert all(name in rules for name in scenario.bidders)
            assert not [name for name in NAMES if name in "".join(news) + told]


def test_other_currencies_are_written_with_their_sign():
    euro = table_of(SCENARIOS["first-ipv-euro"].changed(num_rounds=1), (61, 73, 87))
    assert "€0 to €99" in euro.text(0)
    say(euro, "I bid €40", 50, None)
    assert "You bid €40 and did not win; profit €0." in euro.text(0)
    assert "All bids, highest first: €50, €40." in euro.text(2)
    assert "$" not in euro.game.text.describe(euro.view(0))


def test_chinese_scenarios_are_told_in_chinese_and_answered_in_english():
    table = table_of(SCENARIOS["second-ipv-chinese"].changed(num_rounds=2), (61, 73, 87), (1, 2, 3))
    rules, call = table.text(0).split("\n\n")
    assert rules.startswith("你是 Andy。竞买人共 3 名")
    assert "拍品对你值 $61。" in call
    say(table, "36", "I bid 50", "I abstain")
    assert [re.findall(r"你出价 \$(\d+)( 并获胜)?.*利润 \$(\d+)", "".join(words)) for words in heard(table)] == [
        [("36", "", "0")],
        [("50", " 并获胜", "37")],
        [],
    ]
    assert "你弃权了。" in heard(table)[2]
    say(table, 1, 2, 3)
    assert re.fullmatch(r"游戏结束。你的利润.\$37。", table.text(1).split("\n\n")[-1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_tells_the_same_amounts(language):
    told = []
    for each in ("english", language):
        table = sealed((61, 73, 87), (1, 2, 3), language=each, pricing="second", reserve=7)
        say(table, 40, 50, None)
        told.append([re.findall(r"\$\d+", part) for part in table.text(0).split("\n\n")])
    assert told[0] == told[1]


@pytest.mark.parametrize("advice", ADVICE[1:])
def test_advice_ends_the_rules_and_nothing_else_changes(advice):
    plain, advised = (sealed((61, 73, 87), pricing="second", advice=each).text(0) for each in ("none", advice))
    rules, call = advised.split("\n\n")
    assert rules.rsplit("\n", 1)[0] == plain.split("\n\n")[0]
    assert call == plain.split("\n\n")[1]


@pytest.mark.parametrize("feedback", ["open", "blind"])
def test_an_open_clock_tells_at_each_tick_how_many_are_in_and_a_blind_one_does_not(feedback):
    table, counts = clock((61, 73, 87), (1, 2, 3), feedback=feedback), []
    for replies in (("I stay", "I stay", "I stay"), ("I leave", "I stay", "I stay"), ("I stay", "I stay")):
        told = [table.text(seat) for seat in range(3)]
        assert all(f"The price is ${len(counts)}." in words for words in told)
        counts.append([re.findall(r"(\d) of 3 are still in", words) for words in told])
        say(table, *replies)
    seen = [["3"], ["3"], ["2"]] if feedback == "open" else [[]] * 3
    assert counts == [[each] * 3 for each in seen]
    assert "Answer" not in table.text(0)
    assert "Answer 'I stay' or 'I leave'" in table.text(1)
    say(table, "I leave", "I stay")
    assert heard(table)[1][1:3] == ["You left at $3.", "You did not win; profit $0."]
    assert heard(table)[2][1] == "You won and paid $3; profit $84."


def test_leaving_prices_are_told_in_the_order_that_is_said():
    table = clock((61, 73, 87), (1, 2, 3), reveal="all")
    say(table, "I leave at $2", "I leave at $5", "I leave at $9")
    order, prices = re.search(r"Prices at which bidders left, (\w+) first: (.*)\.", table.text(0)).groups()
    assert prices == {"lowest": "$2, $5", "highest": "$5, $2"}[order]


def test_a_falling_clock_tells_the_price_and_not_who_took_it():
    table = clock((61, 73, 87), (1, 2, 3), direction="descending", reveal="all")
    assert "Answer 'I wait' or 'I take it'" in table.text(0)
    say(table, "I wait", "I take it at $19", "I wait")
    assert "The price is $19." in table.text(0)
    say(table, "I wait", "I wait")
    assert heard(table)[0][1:] == [
        "You did not win; profit $0.",
        "The price was $19.",
        "The winner's profit was $54.",
    ]
    assert heard(table)[1][1:] == ["You won and paid $19; profit $54.", "The price was $19."]
    say(table, "I take it", "I wait", "I wait")
    assert table.text(0).endswith("The game is over. Your profit: -$19.")


@pytest.mark.parametrize("direction", ["ascending", "descending"])
@pytest.mark.parametrize("ticks", [0, 1, 10, 18, 19, 20])
def test_every_example_that_is_shown_is_read(direction, ticks):
    table = clock((61, 73, 87), direction=direction)
    for _ in range(ticks):
        say(table, *["I stay" if direction == "ascending" else "I wait"] * 3)
    assert table.submit(0, re.search(r"'(I (?:leave|take it) at [\d.]+)'", table.text(0))[1]) is None
