"""Replies in words to proxy auctions: refusals with reasons, and every decision that is written is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aucenv
from aucenv.core.words.money import CURRENCIES
from aucenv.core.words.reply import Unreadable
from aucenv.envs.ebay.reply import HOLD, read_maximum, write_maximum


@given(st.integers(0, 10**9), st.sampled_from(sorted(CURRENCIES)))
def test_a_written_maximum_is_read_back(cents, currency):
    assert read_maximum(write_maximum(cents, currency), currency=currency) == cents
    assert read_maximum(write_maximum(HOLD, currency), currency=currency) == HOLD


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I'd go to 50 if outbid", "the maximum depends on a condition, but it takes effect at once"),
        ("I hold unless Betty bids", "the maximum depends on a condition"),
        ("", "the reply is empty: say 'I raise my maximum to \\$X' with an amount in digits, or 'I hold'"),
        ("Hm.", "no decision: say 'I raise my maximum to \\$X'"),
        ("I raise my maximum to €45", "the amount is unclear"),
        ("I raise my maximum to $45 or $50", r"ambiguous: the reply ends with more than one decision \(\$45, \$50\)"),
        ("I hold. I raise my maximum to $50", r"ambiguous: .* \(I hold, \$50\)"),
    ],
)
def test_refusals_have_a_reason(reply, reason):
    with pytest.raises(Unreadable, match=f"^{reason}"):
        read_maximum(reply)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("BID 29", "$29 is below your earlier maximum of $30, which you can only raise"),
        ("I raise my maximum to $33", "$33 is below the price of $41"),
        ("I raise my maximum to $100", "$100 is above the highest possible maximum of $99"),
        ("I raise my maximum to $45.50", "$45.50 is not a multiple of $1"),
        ("I raise my maximum to $41", None),
        ("HOLD", None),
        ("I bid $30", None),
    ],
)
def test_the_rules_refuse_maxima_with_their_reason(reply, reason):
    env = aucenv.ebay_v0.parallel_env(num_bidders=2, days=3, interface="text", infos="full")
    env.reset(seed=0)
    moves = {"bidder_0": "BID 30", "bidder_1": "BID 40"}
    for _ in range(2):
        [mover] = [agent for agent in env.agents if env.view(agent).must_decide]
        env.step({mover: moves[mover]})
    while not env.view("bidder_0").must_decide:
        env.step({"bidder_1": "I hold"})
    assert env.view("bidder_0").price == 31
    env.table.state["price_now"] = 4100
    *_, infos = env.step({"bidder_0": reply})
    assert infos["bidder_0"]["refused"] == reason
