"""Reading of replies: every reply has one correct reading."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import amount_table, of_few_shapes, scenarios

from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import CURRENCIES
from aucenv.core.words.reply import Unreadable, read, write_reply
from aucenv.envs.english.features import amount as ladder_amount

OUT, UNREADABLE = "out", None
RIVALS = ("Blair", "Casey", "1500")

READINGS = [
    # plain bids
    ("I bid $1,500!", 1500),
    ("I bid $1500", 1500),
    ("I bid 1500", 1500),
    ("i bid 1,500 dollars.", 1500),
    ("I bid $1,500.00", 1500),
    ("I bid $1,500.50!", 1500.50),
    ("I bid $0.05", 0.05),
    ("I BID $1,500!!!", 1500),
    ("  I bid   $ 1,500  ", 1500),
    ("I bid $1.5k", 1500),
    ("I bid 1.5k", 1500),
    ("I bid 2K!", 2000),
    ("I bid 2 thousand dollars", 2000),
    ("I bid $1.25 million", 1_250_000),
    ("I bid $12,345,678", 12_345_678),
    ("I bid USD 1500", 1500),
    ("I bid 1500 USD", 1500),
    ("I bid US$1,500", 1500),
    ("I'll bid $1,500.", 1500),
    ("I’ll bid $1,500.", 1500),
    ("I will bid $1,500.", 1500),
    ("I will now bid $1,500.", 1500),
    ("I'm going to bid $1,500", 1500),
    ("I am bidding $1,500.", 1500),
    ("I'm bidding 1500!", 1500),
    ("I'd like to bid $1,500.", 1500),
    ("I would like to bid $1,500.", 1500),
    ("I want to bid $1,500.", 1500),
    ("I offer $1,500.", 1500),
    ("I raise to $1,500.", 1500),
    ("I'll raise my bid to $1,500.", 1500),
    ("I place a bid of $1,500.", 1500),
    ("I'll make a bid of 1500 dollars", 1500),
    ("I open at $1,000.", 1000),
    ("I'll start with $1,000", 1000),
    ("I'll go with $1,500.", 1500),
    ("Let's go with $1,500.", 1500),
    ("Let me bid $1,500.", 1500),
    ("My bid is $1,500.", 1500),
    ("My final bid: $1,500", 1500),
    ("My answer is 1500", 1500),
    ("My decision is to bid $1,500.", 1500),
    ("Bid $1,500", 1500),
    ("Bid: $1,500", 1500),
    ("bid=1500", 1500),
    ("Final answer: $1,500", 1500),
    ("Decision: bid $1,500", 1500),
    ("Action: Bid 1500", 1500),
    ("$1,500", 1500),
    ("1500", 1500),
    ("1500!", 1500),
    ("$1,500.", 1500),
    ("(1500)", 1500),
    ("1.5k", 1500),
    ('"I bid $1,500!"', 1500),
    ("“I bid $1,500!”", 1500),
    ("**I bid $1,500!**", 1500),
    ("*Bid*: **$1,500**", 1500),
    ("# I bid $1,500", 1500),
    ("I bid １５００", 1500),
    ("🎉 I bid $1,500! 🎉", 1500),
    ("I bid\u00a0$1,500", 1500),
    ("I bid $1,500!\x00", 1500),
    ("\x00I bid\x00 $1,500", 1500),
    ("I bid\u200b $1,500", 1500),
    ("<b>I bid $1,500!</b>", 1500),
    ("<p>Nice item.</p><p>I bid <b>$1,500</b></p>", 1500),
    ('{"bid": 1500}', 1500),
    ('{"bid": "$1,500"}', 1500),
    ('{"action": "bid", "amount": 1500.5}', 1500.5),
    ('```json\n{"action": "bid", "amount": 1500}\n```', 1500),
    # withdrawals
    ("I'm out!", OUT),
    ("I’m out!", OUT),
    ("I am out.", OUT),
    ("I'm out", OUT),
    ("i'm out of here", OUT),
    ("I'm out of this item.", OUT),
    ("I'm out of the bidding.", OUT),
    ("I withdraw.", OUT),
    ("I'll withdraw from this item.", OUT),
    ("I'm withdrawing.", OUT),
    ("I pass.", OUT),
    ("I'll pass on this one.", OUT),
    ("I fold!", OUT),
    ("I'm dropping out.", OUT),
    ("I will sit this one out.", OUT),
    ("I decline to bid.", OUT),
    ("Count me out.", OUT),
    ("No bid from me.", OUT),
    ("Withdraw", OUT),
    ("withdraw.", OUT),
    ("Pass", OUT),
    ("Out!", OUT),
    ("Decision: withdraw", OUT),
    ("I abstain", OUT),
    ("Abstain.", OUT),
    ("I'm abstaining.", OUT),
    ("I abstain from bidding.", OUT),
    ("Decision: abstain", OUT),
    ('{"action": "abstain"}', OUT),
    ("Final decision: I'm out", OUT),
    ("My decision is to withdraw.", OUT),
    ("I won't bid.", OUT),
    ("I will not bid on this item.", OUT),
    ("I'm not going to bid.", OUT),
    ('{"action": "withdraw"}', OUT),
    ('{"decision": "pass", "reason": "worth 2000 at most"}', OUT),
    ('"I\'m out!"', OUT),
    ("<i>I'm out!</i>", OUT),
    # reasoning before the decision
    ("The item is worth $2,200 to me and I have $20,000. I bid $1,500!", 1500),
    ("Blair bid $1,400 and Casey $1,300. 10% of 1000 is 100, so the least is $1,500.\nI bid $1,500.", 1500),
    ("If it goes above $2,000, I'm out. For now, I bid $1,500.", 1500),
    ("If it goes above $2,000 I'm out, but for now I bid $1,500.", 1500),
    ("I'm out? No. I bid $1,500!", 1500),
    ("Perhaps I'm out. Hmm, let me think about the margin. I bid $1,500.", 1500),
    ("I could bid $1,800. That is too much, though. I bid $1,500.", 1500),
    ("I should bid $1,800, but I bid $1,500.", 1500),
    ("I bid $1,400 last round. Now I bid $1,500.", 1500),
    ("In round 1 I bid $1,000. I bid $1,500 now.", 1500),
    ("I bid $1,800. Wait, that leaves too little for later. I bid $1,500.", 1500),
    ("I bid $1,500. Wait, that is above its value. I'm out!", OUT),
    ("Should I bid $1,500? My estimate is $1,400. I'm out!", OUT),
    ("I might bid $1,500 in another life, but I'm out.", OUT),
    ("Options: bid $1,500; or leave.\nThe price is too high for me.\nI'm out!", OUT),
    ("<think>I bid $9,000. I'm out!</think>I bid $1,500.", 1500),
    ("<think>Perhaps $1,700?\nNo.</think>\n\nI'm out!", OUT),
    ("rest of the reasoning, I bid $1</think> I bid $1,500", 1500),
    ("I'm out of patience, so I bid $1,500", 1500),
    ("I am not out. I bid $1,500", 1500),
    ("1. It is worth $2,200.\n2. I bid $1,500.", 1500),
    ('{"bid_amount": 1500}', 1500),
    # reasoning after the decision
    ("I bid $1,500! Good luck, everyone.", 1500),
    ("I bid $1,500, which is $100 more than Blair's $1,400.", 1500),
    ("I bid $1,500. My budget would then be $18,500.", 1500),
    ("I'm out! The price of $1,500 is too high for me.", OUT),
    ("I bid $1,500 (even if it hurts)", 1500),
    ("I bid $1,500, not $1,600.", 1500),
    # quotations of others
    ('Blair said "I bid $2,000!". I bid $2,100.', 2100),
    ("Blair: I bid $2,000!\nI bid $2,100!", 2100),
    ("> I bid $2,000\nI'm out!", OUT),
    ("1500 holds the standing bid of $1,400. I bid $1,600.", 1600),
    ("Blair: I bid $2,000!", UNREADABLE),
    ("1500: I bid $2,000", UNREADABLE),
    ("> I bid $2,000", UNREADABLE),
    ('Casey said "I\'m out!"', UNREADABLE),
    ("Blair bids $2,000.", UNREADABLE),
    ("He is out.", UNREADABLE),
    # no decision, or an unclear one
    ("", UNREADABLE),
    ("   \n\t ", UNREADABLE),
    ("\x00", UNREADABLE),
    ("🙂🙂🙂", UNREADABLE),
    ("Hello.", UNREADABLE),
    ("Ich biete 1500", UNREADABLE),
    ("我出价一千五百", UNREADABLE),
    ("I bid ١٥٠٠", UNREADABLE),
    ("I bid one thousand five hundred dollars", UNREADABLE),
    ("I bid.", UNREADABLE),
    ("I bid more!", UNREADABLE),
    ("I won't bid $500", UNREADABLE),
    ("I do not bid $500.", UNREADABLE),
    ("I will never bid $500", UNREADABLE),
    ("I would bid $1,500", UNREADABLE),
    ("I might bid $1,500.", UNREADABLE),
    ("Should I bid $1,500?", UNREADABLE),
    ("I bid $1,500?", UNREADABLE),
    ("I'll bid $1,500 if nobody else does.", UNREADABLE),
    ("If Blair leaves, I bid $1,500.", UNREADABLE),
    ("Unless it is cheap, I'm out.", UNREADABLE),
    ("I bid up to $1,500", UNREADABLE),
    ("I bid at least $1,500", UNREADABLE),
    ("I raise by $100", UNREADABLE),
    ("I bid $1,400 last round.", UNREADABLE),
    ("I'm out of ideas.", UNREADABLE),
    ("<think>I bid $1,500", UNREADABLE),
    # invalid amounts
    ("1500.555", UNREADABLE),
    ("I bid $1,500.555", UNREADABLE),
    ("I bid $1.500", UNREADABLE),
    ("I bid -500", UNREADABLE),
    ("I bid $-500", UNREADABLE),
    ("I bid −$500", UNREADABLE),
    ("-500", UNREADABLE),
    ("I bid $1,50", UNREADABLE),
    ("I bid $15,00", UNREADABLE),
    ("I bid 1 500", 1500),
    ("I bid 1 50", UNREADABLE),
    ("I bid 1.500,00", UNREADABLE),
    ("I bid €1,500", UNREADABLE),
    ("I bid 1,500 euros", UNREADABLE),
    ("I bid 20%", UNREADABLE),
    ("I bid 20 percent of my budget", UNREADABLE),
    ("I bid 0x5DC", UNREADABLE),
    ("I bid $1,000. I bid $1,500.555.", UNREADABLE),
    ("I bid 3 times the price", UNREADABLE),
    ('{"bid": null}', "out"),
    ('{"bid": [1500, 1600]}', UNREADABLE),
    ('{"bid": "a lot"}', UNREADABLE),
    ('{"thought": "I like it"}', UNREADABLE),
    ("€36", UNREADABLE),
    ("36 €", UNREADABLE),
    ("I bid 36€", UNREADABLE),
    ("I bid 36 euros", UNREADABLE),
    ("I bid 36 k euros", UNREADABLE),
    ("EUR 36", UNREADABLE),
    ("I bid Rs. 36", UNREADABLE),
    ("I bid 36 rubles", UNREADABLE),
    ("I bid ¥36", UNREADABLE),
    ("I bid 36円", UNREADABLE),
    ("I bid A$36", UNREADABLE),
    ("I bid 36 Canadian dollars", UNREADABLE),
    ("I bid 36 cents", UNREADABLE),
    ("I bid $36. €40", UNREADABLE),
    ('{"bid": "€36"}', UNREADABLE),
    ('{"bid": "\\u20ac36"}', UNREADABLE),
    ('{"bid": 36, "currency": "EUR"}', UNREADABLE),
    ('{"bid": 36, "currency": "USD"}', 36),
    ("36", 36),
    ("$36", 36),
    ("36$", 36),
    ("36.5", 36.5),
    ("36 bucks", 36),
    ("36 (dollars)", 36),
    ("I bid $36 USD", 36),
    ("36.505", UNREADABLE),
    ("36,50", UNREADABLE),
    ("thirty-six", UNREADABLE),
    ("I bid thirty-six dollars", UNREADABLE),
    ("I bid $30. I bid thirty-six dollars", UNREADABLE),
    ("between 30 and 40", UNREADABLE),
    ("I bid between $30 and $40", UNREADABLE),
    ("I bid about $36", UNREADABLE),
    ("I bid $30. Hmm. I bid about $36.", UNREADABLE),
    ("I'll bid about $30. I bid $36!", 36),
    ("I bid 36½", UNREADABLE),
    ("I bid 36 and a half dollars", UNREADABLE),
    ("I bid 2 billion", UNREADABLE),
    ("I bid 2 lakh", UNREADABLE),
    ("I bid 100 dollars more than Blair", UNREADABLE),
    ("I bid 36 dollars 50", UNREADABLE),
    # two decisions
    ("I bid $36, no, $40", 40),
    ("I bid $36, maybe $40", UNREADABLE),
    ("I bid $1,500. I bid $1,600.", UNREADABLE),
    ("I bid $1,500! I'm out!", UNREADABLE),
    ("I'm out! I bid $1,500!", UNREADABLE),
    ("I bid $1,500.I'm out!", UNREADABLE),
    ("I bid $1,500 or $1,600", UNREADABLE),
    ("I bid $1,500 - $1,600", UNREADABLE),
    ("I bid $1,500/1,600", UNREADABLE),
    ("Bid $1,500\nWithdraw", UNREADABLE),
    ('{"bid": 1500, "amount": 1600}', UNREADABLE),
    # later bids, other items and limits do not change a bid
    ("I bid $1,500! This is my last bid; I won't bid any further.", 1500),
    ("I bid $1,500! It is a good price. I won't bid again at any higher price.", 1500),
    ("I bid $1,500! My limit is $2,000. Beyond that, I'm out.", 1500),
    ("I bid $1,500.\n\nNote: Casey seems weak. After this round I'll pass.", 1500),
    ("I'm out to win.", UNREADABLE),
    ("No way I'm out.", UNREADABLE),
    ("Blair hopes I'm out.", UNREADABLE),
    ("I'll pass on bidding aggressively.", UNREADABLE),
    ("I'm out! Too rich for me.\nRemaining budget:\n$20,000", OUT),
    ("I'm out! My budget is limited. I will bid $5,000 for Equipment E.", UNREADABLE),
    ("I will bid $1,500 on the next item.", UNREADABLE),
    ("I'll go with $1,818 as my corrected estimate. The price is above it.", UNREADABLE),
    ("Estimate:\n$2,200", UNREADABLE),
    ("The least bid is:\n$1,500\nToo much for me.", UNREADABLE),
    ("Bid:\n$1,500", 1500),
    ('{"value": 2200}', UNREADABLE),
    ("I bid $1,500. Make that $1,600!", 1600),
    ("I bid $1,500! Actually, scratch that. I'm done here.", UNREADABLE),
    ("There is no scenario in which I bid $1,500.", UNREADABLE),
    ("I bid $100 above Blair.", UNREADABLE),
    ("I bid $1,400 plus $100.", UNREADABLE),
    ("I bid 15 hundred", UNREADABLE),
    ("Bidder Blair: I bid $2,000", UNREADABLE),
    ("Blair (thinking): I bid $1,500.", UNREADABLE),
    ('{"bid": 1500, "withdraw": true}', UNREADABLE),
    ('{"bid": "withdraw"}', OUT),
    ('{"action": "I\'m out!"}', OUT),
    # text around a decision does not change it
    ("I can't afford it, I'm out!", OUT),
    ("It's not worth it, I'm out!", OUT),
    ("I guess I'm out.", OUT),
    ("The price was too high, I'm out!", OUT),
    ("Since I already won Widget A, I'm out!", OUT),
    ("When the price passes $2,000, I'm out.", UNREADABLE),
    ("Once again, I bid $1,500!", 1500),
    ("I bid $1,500, as I was outbid.", 1500),
    ("I bid $1,500, which is $100 more than the previous bid.", 1500),
    ("I leave.", OUT),
    ("I have decided not to bid.", OUT),
    # a repeated decision is one decision
    ("I bid $1,500. I bid $1,500!", 1500),
    ("I'm out! I withdraw.", OUT),
    ("**Decision:** bid $1,500\n\nI bid $1,500!", 1500),
]


def reading(reply: str):
    try:
        cents = read(reply, RIVALS)
    except Unreadable as reason:
        assert str(reason)
        return UNREADABLE
    return OUT if cents == WITHDRAW else cents / 100


def test_there_are_at_least_150_distinct_replies():
    assert len({reply for reply, _ in READINGS}) == len(READINGS) >= 150


def test_every_reply_has_its_expected_reading():
    readings = {reply: (reading(reply), expected) for reply, expected in READINGS}
    assert not {reply: pair for reply, pair in readings.items() if pair[0] != pair[1]}


def test_reasoning_before_a_decision_changes_nothing():
    about = "The item seems worth $2,200, and Blair has $4,000 left.\n\n"
    decided = {
        reply: expected for reply, expected in READINGS if expected not in (UNREADABLE, OUT) and "{" not in reply
    }
    assert {reply: reading(about + reply) for reply in decided} == decided


@given(of_few_shapes(scenarios(max_bidders=5, max_items=3)), st.integers(0, 2**32))
@settings(max_examples=15)
def test_written_replies_of_all_legal_amounts_are_read_back(scenario, seed):
    rng = random.Random(seed)
    table = amount_table(scenario, seed)
    while not table.over:
        for seat in table.pending:
            budget, least = int(table.state["budget"][0, seat]), round(table.view(seat).least_bid * 100)
            bids = [least, budget, *(rng.randint(least, budget) for _ in range(5))] if least <= budget else []
            legal = [WITHDRAW, *bids]
            legal += [a for k in range(11) if (a := int(ladder_amount(table.state, 0, seat, k))) <= budget]
            for cents in legal:
                assert read(write_reply(cents), table.scenario_text.names) == cents
            amount = rng.choice(legal)
            assert table.submit(seat, amount / 100 if amount >= 0 else -1) is None


def test_errors_explain_how_to_reply():
    for reply, expected in READINGS:
        if expected is UNREADABLE:
            with pytest.raises(Unreadable, match=r"I bid \$X|ambiguous"):
                read(reply, RIVALS)


REPLIES_OF_36 = {
    "dollar": ["$36", "36$", "USD 36", "36 bucks", "I bid 36 dollars", "US$36", "36 usd", "I bid USD36!"],
    "euro": ["€36", "36 €", "36€", "EUR 36", "36 eur", "I bid 36 euros.", "I bid € 36", '{"bid": "36 €"}'],
    "ruble": ["₽36", "36 ₽", "36 rubles", "I bid 36 roubles", "RUB 36", "My bid: 36 rub"],
    "rupee": ["₹36", "Rs. 36", "Rs.36", "36 rs", "I bid Rs 36/-", "INR 36", "₨36", "36 rupees"],
    "yen": ["¥36", "￥36", "36 yen", "I bid JPY 36", '{"bid": 36, "currency": "JPY"}'],
}


@pytest.mark.parametrize("currency", CURRENCIES)
def test_amounts_may_have_no_currency_or_that_of_the_scenario(currency):
    for amount in [-1, 0, 1, 5, 3650, 150_000, 10**9 + 1]:
        assert read(write_reply(amount, currency), RIVALS, currency) == amount
    for bare in ("36", "36.00", "I bid 36", "Bid: 36", '{"bid": 36}'):
        assert read(bare, RIVALS, currency) == 3600
    for other, replies in REPLIES_OF_36.items():
        for reply in replies:
            if other == currency:
                assert (reply, read(reply, RIVALS, currency)) == (reply, 3600)
            else:
                sign = re.escape(f"{CURRENCIES[currency]} ({currency})")
                with pytest.raises(Unreadable, match=sign):
                    read(reply, RIVALS, currency)


def test_errors_show_amounts_in_the_currency_of_the_scenario():
    with pytest.raises(Unreadable, match="€30, €40"):
        read("I bid 30 or 40 euros", RIVALS, "euro")


def test_rivals_names_may_contain_any_characters():
    for name in ("gpt_4", "**Blair**", "gpt-4.1-mini-2025", "Yen 2"):
        with pytest.raises(Unreadable, match="no decision"):
            read(f"{name}: I bid $40", [name])


def test_a_huge_amount_is_read_and_exceeds_any_budget():
    assert read("I bid $" + "9" * 400) > 10**11


@pytest.mark.parametrize(
    "reply", ["Vintage Oak Desk Lamp No. 7: $1,500", "$1,500 for the vintage oak desk lamp no. 7, please."]
)
def test_the_name_of_the_item_for_sale_may_stand_beside_the_bid(reply):
    with pytest.raises(Unreadable):
        read(reply)
    assert read(reply, item="Vintage Oak Desk Lamp No. 7") == 150_000


def test_the_last_word_of_its_name_stands_for_the_item():
    with pytest.raises(Unreadable):
        read("Count me out for the lamp.")
    assert read("Count me out for the lamp.", item="Vintage Oak Desk Lamp") == WITHDRAW
