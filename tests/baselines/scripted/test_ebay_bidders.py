"""Rule bidders for proxy auctions set the maxima that their descriptions state; the cases are computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from aucenv.baselines.scripted import ebay

import aucenv
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.ebay.figures import moves_of
from aucenv.envs.ebay.game import EbayScenario


def move(name, value, *, mine=NOBODY, price=0, leader=NOBODY, day=0, days=10, **fields):
    """Return the amount in dollars of a bidder in seat 0, or WITHDRAW."""
    scenario = EbayScenario("by-hand", days=days, **fields)
    state = scenario.template()
    row = state[0]
    row["value"][0, 0], row["price_now"], row["leader"], row["day"], row["days_now"] = (
        100 * value, 100 * price, leader, day, days
    )  # fmt: skip
    row["maximum"][:3] = NOBODY
    row["maximum"][0] = 100 * mine if mine != NOBODY else NOBODY
    row["acting"][0], row["seat_key"][0] = 1, 77
    rule = next(each for each in ebay.BIDDERS if each.name == name.partition(",")[0])
    params = np.array([each.default for each in rule.parameters] + [0.0])
    for part in name.split(",")[1:]:
        key, _, text = part.partition("=")
        params[[each.name for each in rule.parameters].index(key)] = float(text)
    amount = int(ebay.decide(rule.kind, params, state, 0, 0))
    return amount if amount == WITHDRAW else amount / 100


@pytest.mark.parametrize(
    ("name", "arguments", "amount"),
    [
        ("truthful", {"value": 57}, 57),
        ("truthful", {"value": 57, "mine": 57, "price": 40}, WITHDRAW),
        ("truthful", {"value": 57, "price": 58, "leader": 1}, WITHDRAW),
        ("truthful", {"value": 57, "price": 57, "leader": 1}, 57),
        ("truthful", {"value": 40, "values": "cv", "value_range": (20, 79), "signal_error": 20}, 40),
        ("truthful", {"value": 30, "values": "cv", "value_range": (20, 79), "signal_error": 20}, 35),
        ("naive", {"value": 30, "values": "cv", "value_range": (20, 79), "signal_error": 20}, 30),
        ("sniper", {"value": 57}, WITHDRAW),
        ("sniper", {"value": 57, "day": 8}, WITHDRAW),
        ("sniper", {"value": 57, "day": 9}, 57),
        ("incremental", {"value": 57, "price": 30, "leader": 1}, 31),
        ("incremental,steps=5", {"value": 57, "price": 30, "leader": 1}, 35),
        ("incremental", {"value": 57, "price": 30, "mine": 31, "leader": 0}, WITHDRAW),
        ("incremental", {"value": 57, "price": 57, "leader": 1}, 57),
        ("incremental", {"value": 57, "price": 58, "leader": 1}, WITHDRAW),
        ("incremental", {"value": 57}, 1),
        ("shade,factor=0.5", {"value": 57}, 29),
        ("shade,factor=0.5", {"value": 57, "price": 30, "leader": 1}, WITHDRAW),
        ("random,chance=0", {"value": 57}, WITHDRAW),
    ],
)
def test_moves_by_hand(name, arguments, amount):
    assert move(name, **arguments) == amount


def test_random_draws_every_legal_maximum():
    drawn = set()
    for price in range(20, 90):
        amount = move("random,chance=1", 57, price=price, leader=1)
        assert price <= amount <= 99
        drawn.add(amount)
    assert len(drawn) > 20


def test_a_sniper_bids_on_the_last_day_alone_and_truthful_bidders_on_the_first():
    record = aucenv.play("ebay", "soft", ["truthful", "sniper", "incremental"], seed=3)
    raises = {seat: [each.day for each in moves_of(record, 0) if each.seat == seat and each.raised] for seat in ("bidder_0", "bidder_1", "bidder_2")}  # fmt: skip
    assert raises["bidder_0"] in ([], [1])
    assert all(day == record.outcome["prizes"][0]["days"] or day >= 10 for day in raises["bidder_1"])
    assert raises["bidder_2"][0] == 1
