"""Text of sealed-bid and clock auctions: what each seat is shown, and when."""

from __future__ import annotations

import functools
import re
from difflib import SequenceMatcher

import prize_tables
import pytest
from games import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

import aucenv
from aucenv.core.play.table import Table
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid.game import ADVICE, SCENARIOS, SealedBidScenario
from aucenv.envs.sealed_bid.words import write_reply
from aucenv.envs.single_item import wording
from aucenv.envs.single_item.values import LANGUAGES, NAMES

ASK = "Answer with your bid as one number, for example X, or say that you abstain: 'I abstain'."


table_of = functools.partial(prize_tables.table_of, interface="text")
sealed = functools.partial(prize_tables.sealed, interface="text")
clock = functools.partial(prize_tables.clock, interface="text")


def reply_all(table, *replies):
    """Submit the replies of all pending seats; a number is a bid, None abstains."""
    texts = [
        reply if isinstance(reply, str) else "I abstain" if reply is None else f"I bid {reply}" for reply in replies
    ]
    assert len(texts) == len(table.pending)
    table.submit_all(dict(zip(table.pending, texts, strict=True)))


def without_example(text):
    """Return a text with X in place of the bid that shows the format of a reply."""
    return re.sub(r"for example [\d.]+,", "for example X,", text)


def example_of(table, seat):
    """Return the amount that shows the format of a reply."""
    return float(re.search(r"for example ([\d.]+),", table.text(seat))[1])


def round_texts(table):
    """Return the lines about the last round in every seat's text, without its heading."""
    return [table.text(seat).split("\n\n")[0].splitlines()[1:] for seat in range(table.num_seats)]


def test_the_first_text_has_the_rules_and_the_value_of_the_prize():
    rules, call = sealed((61, 73, 87), (1, 2, 3), pricing="second", reserve=5).text(1).split("\n\n")
    assert rules.startswith("You are Betty, one of 3 bidders: Andy, Betty, Charles.")
    for sentence in (
        "Number of rounds: 2.",
        "from $0 to $99 in steps of $1",
        "A bid is from $0 to $99, in steps of $1.",
        "The winner pays the second-highest bid, or $5 if there is none",
        "A bid below $5 does not win",
        "all bids (without names), the winner's profit.",
    ):
        assert sentence in rules
    lines = ["Round 1 of 2.", "Your profit so far: $0.", "The prize is worth $73 to you.", ASK]
    assert without_example(call).splitlines() == lines


PUBLIC = {
    "all": ["All bids, highest first: $50, $40.", "The price was $40."],
    "price": ["The price was $40."],
    "none": [],
}


@pytest.mark.parametrize("reveal", PUBLIC)
def test_the_text_after_a_round_for_seats_that_won_lost_or_abstained(reveal):
    table = sealed((61, 73, 87), (1, 2, 3), pricing="second", reveal=reveal)
    reply_all(table, 40, 50, None)
    public, reveals_all = PUBLIC[reveal], reveal == "all"
    profit = ["The winner's profit was $33."] * reveals_all
    assert round_texts(table) == [
        ["The prize was worth $61 to you.", "You bid $40 and did not win; profit $0.", *public, *profit],
        ["The prize was worth $73 to you.", "You bid $50 and won; you paid $40; profit $33.", *public]
        + ["The price was $40."] * (reveal == "none"),
        ["The prize was worth $87 to you.", "You abstained.", *public, *profit],
    ]
    call = ["Round 2 of 2.", "Your profit so far: $33.", "The prize is worth $2 to you.", ASK]
    assert without_example(table.text(1)).split("\n\n")[1].splitlines() == call


@pytest.mark.parametrize("reveal", PUBLIC)
def test_a_common_value_is_revealed_with_all_and_to_the_winner(reveal):
    table = sealed(((61, 53, 37), 45), ((60, 60, 60), 50), values="cv", value_range=(20, 79), reveal=reveal)
    assert "Your estimate of what the prize is worth: $53." in table.text(1)
    reply_all(table, 50, 30, 20)
    for seat, words in enumerate(round_texts(table)):
        assert ("The prize was worth $45." in words) == (reveal == "all" or seat == 0)  # a winner can infer it
        assert any(line.startswith("Your estimate of what the prize was worth: $") for line in words)
    assert "You bid $50 and won; you paid $50; profit -$5." in round_texts(table)[0]
    assert ("The winner's profit was -$5." in round_texts(table)[1]) == (reveal == "all")


def test_all_seats_learn_that_a_prize_is_not_sold():
    for pricing, loss in (("second", "$0"), ("all_pay", "-$24")):
        table = sealed((61, 73, 87), (1, 2, 3), pricing=pricing, reserve=25)
        reply_all(table, 24, None, None)
        assert round_texts(table)[0][1:] == [
            f"You bid $24 and did not win; profit {loss}.",
            "All bids, highest first: $24.",
            "The prize was not sold.",
        ]
        assert round_texts(table)[1][1:] == ["You abstained.", *round_texts(table)[0][2:]]


def test_in_first_price_auctions_all_seats_learn_the_least_bid_that_would_have_won():
    table = sealed((61, 73, 87), (1, 2, 3))
    reply_all(table, 40, 50, 30)
    assert all("With hindsight the winner would have bid $41." in words for words in round_texts(table))
    for fields in ({"reveal": "price"}, {"pricing": "second"}):
        table = sealed((61, 73, 87), (1, 2, 3), **fields)
        reply_all(table, 40, 50, 30)
        assert "hindsight" not in str(round_texts(table))


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
    reply_all(table, *bids)
    for words in round_texts(table):
        assert re.findall(r"would have bid \$(\d+)", str(words)) == hindsight


def test_hindsight_never_names_a_bid_above_the_cap():
    table = sealed((61, 73, 87))
    reply_all(table, 99, 99, 1)
    assert "$100" not in str(round_texts(table))


def test_observations_have_only_what_is_new_and_the_full_text_is_available():
    env = aucenv.sealed_bid_v0.parallel_env(interface="text", num_rounds=4, pricing="second")
    observations, _ = env.reset(seed=3)
    first = env.text("bidder_0")
    assert observations["bidder_0"]["text"] == first
    for number in range(1, 5):
        observations = env.step({agent: f"I bid {number + 10 * int(agent[-1])}" for agent in env.agents})[0]
        new_text, full_text = observations["bidder_0"]["text"], env.text("bidder_0")
        assert "You are" not in new_text
        assert re.findall(r"Round (\d) of 4\.", new_text) == [str(number), str(number + 1)][: 2 if number < 4 else 1]
        assert f"You bid ${number} " in new_text
        assert f"You bid ${number - 1} " not in new_text
        assert full_text.startswith("You are Andy")
        assert re.findall(r"You bid \$(\d) ", full_text) == [str(j) for j in range(1, number + 1)]
    assert new_text.endswith("The game is over. Your profit: $0.")
    assert full_text.endswith(new_text.split("\n\n", 1)[1])


def test_only_the_refused_seat_sees_the_refusal_with_its_reason():
    table = sealed((61, 73, 87), (1, 2, 3))
    before = table.text(1)
    table.submit(0, "I bid $100")
    assert without_example(table.text(0)).splitlines()[-2:] == [
        "Your answer was not accepted: $100 is above the highest legal bid of $99.",
        ASK,
    ]
    assert table.text(1) == before


@pytest.mark.parametrize("reveal", PUBLIC)
def test_the_text_of_a_loser_has_no_rivals_name_or_value(reveal):
    table = sealed((61, 73, 87), (14, 15, 16), reveal=reveal)
    reply_all(table, 20, 50, 30)
    for seat, values in enumerate(({"73", "87"}, {"61", "87"}, {"61", "73"})):
        words = table.text(seat)
        assert not [name for name in NAMES if name in words]
        assert not values & set(re.findall(r"\d+", words))
        assert ("20" in words or seat == 0) == (reveal == "all" or seat == 0)


@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
@settings(max_examples=25)
@given(data=st.data())
def test_only_the_rules_have_names(game, data):
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
            text = table.text(seat)
            rules, *new_text = family.game.words.describe(table.view(seat)).split("\n\n")
            assert all(name in rules for name in scenario.bidders)
            assert not [name for name in NAMES if name in "".join(new_text) + text]


def test_other_currencies_are_written_with_their_sign():
    euro = table_of(SCENARIOS["first-ipv-euro"].changed(num_rounds=1), (61, 73, 87))
    assert "€0 to €99" in euro.text(0)
    reply_all(euro, "I bid €40", 50, None)
    assert "You bid €40 and did not win; profit €0." in euro.text(0)
    assert "All bids, highest first: €50, €40." in euro.text(2)
    assert "$" not in euro.game.words.describe(euro.view(0))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("values", ["ipv", "cv"])
@pytest.mark.parametrize(("play", "reply"), [(sealed, "I abstain"), (clock, "I leave")], ids=["sealed", "clock"])
def test_closed_rounds_are_in_the_past_tense(play, reply, values, language):
    rounds = [(61, 73, 87), (21, 22, 23)] if values == "ipv" else [((61, 73, 87), 70), ((41, 42, 43), 40)]
    table, phrases = play(*rounds, values=values, language=language, value_range=(20, 79)), wording.words(language)
    present, past = {
        "ipv": (phrases.value, phrases.past_value),
        "cv": (phrases.signal, phrases.past_signal),
    }[values]
    reply_all(table, reply, reply, reply)
    for seat, (first, second) in enumerate(
        zip(*(rounds if values == "ipv" else [prize[0] for prize in rounds]), strict=True)
    ):
        _, closed, call = table.game.words.describe(table.view(seat)).split("\n\n")
        assert past.format(value=f"${first}") in closed.splitlines()
        assert present.format(value=f"${first}") not in closed.splitlines()
        assert present.format(value=f"${second}") in call.splitlines()


def test_chinese_scenarios_have_chinese_text_and_english_replies():
    table = table_of(SCENARIOS["second-ipv-chinese"].changed(num_rounds=2), (61, 73, 87), (1, 2, 3))
    rules, call = table.text(0).split("\n\n")
    assert rules.startswith("你是 Andy。竞买人共 3 名")
    assert "拍品对你值 $61。" in call
    reply_all(table, "36", "I bid 50", "I abstain")
    assert [re.findall(r"你出价 \$(\d+)( 并获胜)?.*利润 \$(\d+)", "".join(words)) for words in round_texts(table)] == [
        [("36", "", "0")],
        [("50", " 并获胜", "37")],
        [],
    ]
    assert "你弃权了。" in round_texts(table)[2]
    reply_all(table, 1, 2, 3)
    assert re.fullmatch(r"游戏结束。你的利润.\$37。", table.text(1).split("\n\n")[-1])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_amounts(language):
    amounts = []
    for version in ("english", language):
        table = sealed((61, 73, 87), (1, 2, 3), language=version, pricing="second", reserve=7)
        reply_all(table, 40, 50, None)
        amounts.append([re.findall(r"\$\d+", part) for part in table.text(0).split("\n\n")])
    assert amounts[0] == amounts[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reserve", [0, 5])
@pytest.mark.parametrize("advice", ADVICE[1:])
def test_advice_replaces_the_payment_rule_or_is_added_and_changes_nothing_else(advice, reserve, language):
    fields = {"pricing": "second", "reserve": reserve, "language": language}
    plain, advised = (sealed((61, 73, 87), advice=kind, **fields).text(0).split("\n\n") for kind in ("none", advice))
    rules, advised_rules = plain[0].split("\n"), advised[0].split("\n")
    if advice in ("menu", "proxy_clock"):
        payment = rules.index(next(line for line in rules if f"${reserve}" in line and "$99" not in line))
        assert advised_rules[payment] not in rules
        assert f"${reserve}" in advised_rules[payment]
        assert advised_rules[:payment] + advised_rules[payment + 1 :] == rules[:payment] + rules[payment + 1 :]
    else:
        assert advised_rules[:-1] == rules
    assert advised[1] == plain[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_dominant_and_the_wrong_advice_differ_only_in_the_strategy(language):
    dominant, wrong = (
        sealed((61, 73, 87), pricing="second", advice=kind, language=language).text(0).split("\n\n")[0].split("\n")[-1]
        for kind in ("dominant", "wrong")
    )
    words = [re.split(r"[:：]", advice) for advice in (dominant, wrong)]
    assert [len(parts) for parts in words] == [2, 2]
    assert words[0][1] == words[1][1]  # what makes the strategy dominant
    assert 0.75 < SequenceMatcher(None, words[0][0], words[1][0]).ratio() < 1


@pytest.mark.parametrize("feedback", ["open", "blind"])
def test_open_feedback_shows_at_each_tick_how_many_are_in_and_blind_feedback_does_not(feedback):
    table, counts = clock((61, 73, 87), (1, 2, 3), feedback=feedback), []
    for replies in (("I stay", "I stay", "I stay"), ("I leave", "I stay", "I stay"), ("I stay", "I stay")):
        texts = [table.text(seat) for seat in range(3)]
        assert all(f"The price is ${len(counts)}." in text for text in texts)
        counts.append([re.findall(r"(\d) of 3 are still in", text) for text in texts])
        reply_all(table, *replies)
    expected = [["3"], ["3"], ["2"]] if feedback == "open" else [[]] * 3
    assert counts == [[count] * 3 for count in expected]
    assert "Answer" not in table.text(0)
    assert "Answer 'I stay' or 'I leave'" in table.text(1)
    reply_all(table, "I leave", "I stay")
    assert round_texts(table)[1][1:3] == ["You left at $3.", "You did not win; profit $0."]
    assert round_texts(table)[2][1] == "You won and paid $3; profit $84."


@pytest.mark.parametrize("feedback", ["open", "blind"])
@pytest.mark.parametrize("reveal", ["all", "price"])
def test_open_clocks_show_at_which_prices_bidders_have_left(feedback, reveal):
    table = clock((61, 73, 87, 9), (1, 2, 3, 4), num_bidders=4, feedback=feedback, reveal=reveal)
    stays = ["I stay"] * 4
    reply_all(table, *stays)
    assert "have left so far" not in table.text(0)
    reply_all(table, "I stay", "I stay", "I stay", "I leave")
    reply_all(table, *stays[1:])
    reply_all(table, "I leave", *stays[2:])
    shown = ["Prices at which bidders have left so far, lowest first: $1, $3."] * (feedback == "open")
    for seat in range(4):
        assert [line for line in table.text(seat).splitlines() if "left so far" in line] == shown
    reply_all(table, "I leave at $5", "I stay")
    reply_all(table, "I stay")
    listed = {
        ("open", "price"): ["Prices at which bidders left before the clock stopped, lowest first: $1, $3."],
        ("blind", "price"): [],
    }.get((feedback, reveal), ["Prices at which bidders left, lowest first: $1, $3, $5."])
    full_text = table.game.words.describe(table.view(1))
    assert [line for line in full_text.splitlines() if line.startswith("Prices at which bidders left")] == listed
    assert ("at which prices others have left" in full_text) == (feedback == "open")


def test_leaving_prices_are_listed_in_the_stated_order():
    table = clock((61, 73, 87), (1, 2, 3), reveal="all")
    reply_all(table, "I leave at $2", "I leave at $5", "I leave at $9")
    order, prices = re.search(r"Prices at which bidders left, (\w+) first: (.*)\.", table.text(0)).groups()
    assert prices == {"lowest": "$2, $5", "highest": "$5, $2"}[order]


def test_a_falling_clock_reveals_the_price_but_not_the_winner():
    table = clock((61, 73, 87), (1, 2, 3), direction="descending", reveal="all")
    assert "Answer 'I wait' or 'I take it'" in table.text(0)
    reply_all(table, "I wait", "I take it at $19", "I wait")
    assert "The price is $19." in table.text(0)
    reply_all(table, "I wait", "I wait")
    assert round_texts(table)[0][1:] == [
        "You did not win; profit $0.",
        "The price was $19.",
        "The winner's profit was $54.",
    ]
    assert round_texts(table)[1][1:] == ["You won and paid $19; profit $54.", "The price was $19."]
    reply_all(table, "I take it", "I wait", "I wait")
    assert table.text(0).endswith("The game is over. Your profit: -$19.")


def test_example_bids_are_drawn_and_never_the_value():
    def examples(seed):
        table = Table(aucenv.sealed_bid_v0.game, SealedBidScenario("test", num_rounds=40, bid_step=0.5), ["text"] * 3)
        table.reset(seed)
        drawn = []
        while not table.over:
            drawn += [example_of(table, seat) for seat in range(3)]
            assert all(drawn[seat - 3] != table.view(seat).value for seat in range(3))
            assert table.submit(0, "I bid $1,000") is not None
            assert example_of(table, 0) == drawn[-3]  # the retry shows the same
            reply_all(table, *drawn[-3:])  # all are legal
        return drawn

    drawn = examples(1)
    assert examples(1) == drawn
    assert examples(2) != drawn
    assert len(set(drawn)) > 60
    assert 0 < min(drawn) < 10
    assert 90 < max(drawn) <= 99
    assert 40 < sum(drawn) / len(drawn) < 60


@pytest.mark.parametrize(("value", "example"), [(1, 0.5), (0.5, 1)])
def test_if_one_bid_is_left_it_is_the_example(value, example):
    table = sealed((value, 0, 0), value_range=(0, 1), value_step=0.5, bid_cap=1, bid_step=0.5)
    assert example_of(table, 0) == example
    assert example_of(sealed((1, 0, 0), value_range=(0, 1), bid_cap=1), 0) == 1  # no other bid wins


@pytest.mark.parametrize("direction", ["ascending", "descending"])
def test_example_prices_on_clocks_are_ahead_and_never_the_value(direction):
    drawn = set()
    for number in range(20):
        table = table_of(ClockScenario("test", direction=direction, num_rounds=1, highest_price=20), (10, 12, 20))
        table.state["seat_key"][0, :3] = number, number + 100, number + 200
        for tick in range(18):
            price = tick if direction == "ascending" else 20 - tick
            for seat, value in enumerate((10, 12, 20)):
                text = table.text(seat)
                example = int(re.search(r"(?:leave|take it) at (\d+)'", text)[1])
                assert price < example <= 20 if direction == "ascending" else 0 < example < price
                assert example != value
                drawn.add((tick, example))
            table.submit_all(dict.fromkeys(table.pending, "I stay" if direction == "ascending" else "I wait"))
    assert len({example for tick, example in drawn if tick == 0}) > 10


@pytest.mark.parametrize("direction", ["ascending", "descending"])
@pytest.mark.parametrize("ticks", [0, 1, 10, 18, 19, 20])
def test_every_displayed_example_is_a_legal_reply(direction, ticks):
    table = clock((61, 73, 87), direction=direction)
    for _ in range(ticks):
        reply_all(table, *["I stay" if direction == "ascending" else "I wait"] * 3)
    assert table.submit(0, re.search(r"'(I (?:leave|take it) at [\d.]+)'", table.text(0))[1]) is None


def test_a_bid_of_0_is_no_abstention():
    assert [write_reply(amount) for amount in (-1, 0, 150)] == ["I abstain.", "I bid 0!", "I bid 1.50!"]
