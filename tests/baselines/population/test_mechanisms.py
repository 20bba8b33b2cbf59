"""Families bid as their descriptions state, in states made by hand with amounts computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from harbor_tables import house_table
from tables import amount_table, scenario_of
from water_tables import drought, table_of

from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.envs.clock.game import SCENARIOS as CLOCKS
from aucenv.envs.clock.rules import STAY
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.envs.sealed_bid.game import SCENARIOS
from aucenv.policy.registry import rule_bidders
from aucenv.registration import find_family

ALL, PRICE, NONE = range(3)


def amount(game: str, name: str, row: np.ndarray, seat: int = 0) -> float:
    """Return the bid in dollars, or -1."""
    spec = parse_bidder(name)
    bidder = rule_bidders(game)[spec.kind]
    cents = bidder.decide(bidder.kind, bidder.read_parameters(spec), row, 0, seat)
    return cents / 100 if cents >= 0 else cents


def limit(name: str, row: np.ndarray, game: str = "english") -> float:
    """Return the highest least bid at which the bidder bids, in dollars; -1 if there is none."""
    probe, low, high = row.copy(), 0, 10**9
    while low < high:
        probe["least"] = (low + high + 1) // 2
        low, high = (
            (int(probe["least"][0]), high) if amount(game, name, probe) >= 0 else (low, int(probe["least"][0]) - 1)
        )
    return low / 100 or -1


def items(*prices: float) -> np.ndarray:
    """Return the state of an English auction; true values are twice the prices, and estimates 10% above them."""
    return amount_table(scenario_of(prices)).state.copy()


def sell(row: np.ndarray, winners: list[int], hammer: float = 1000) -> None:
    """Let rivals or seat 0 win the first items."""
    row["winner"][0, : len(winners)] = winners
    row["hammer"][0, : len(winners)] = round(hammer * 100)
    row["item"] = len(winners)


def near(dollars: float) -> object:
    return pytest.approx(dollars, abs=0.011)


def test_shader_lowers_its_share_as_it_spends():
    row = items(1000)
    assert limit("shader,full=0.9,empty=0.5", row) == near(1800)
    row["budget"][0, 0] //= 2
    assert limit("shader,full=0.9,empty=0.5", row) == near(1400)


def test_fickle_withdraws_the_more_likely_the_less_a_bid_saves():
    row = items(1000)

    def chance(dollars: float) -> float:
        row["least"] = round(dollars * 100)
        bids = []
        for row["round"] in range(2000):
            bids.append(amount("english", "fickle,caution=0.5", row))
        assert set(bids) <= {dollars, WITHDRAW}
        return np.mean(np.array(bids) > 0)

    assert chance(999) == 1
    assert chance(1500) == pytest.approx(0.5, abs=0.04)  # it saves a quarter of the value, half of `caution`
    assert chance(1900) == pytest.approx(0.1, abs=0.03)
    assert chance(2001) == 0


def test_sunk_goes_higher_with_each_bid():
    row = items(1000)
    assert limit("sunk,base=0.5,step=0.05", row) == near(1000)
    row["bids"][0, 0] = 4
    assert limit("sunk,base=0.5,step=0.05", row) == near(1400)


def test_jump_bids_several_increments_at_once():
    row = items(1000)  # the increment is 100
    assert amount("english", "jump,steps=3,share=0.81", row) == 1300
    for least, budget, bid in ((1300, 20_000, 1600), (1400, 20_000, 1400), (1700, 20_000, -1), (1000, 1200, 1000)):
        row["least"], row["budget"][0, 0] = least * 100, budget * 100
        assert amount("english", "jump,steps=3,share=0.81", row) == bid


def test_favorite_bids_only_for_the_most_valuable_items():
    row = items(1000, 3000, 2000)
    assert limit("favorite,number=2,margin=0.1", row) == -1
    for item, value in ((1, 6000), (2, 4000)):
        row["item"] = item
        assert limit("favorite,number=2,margin=0.1", row) == near(0.9 * value)
    assert limit("favorite,number=1", row) == -1


def test_late_sits_out_the_first_items():
    row = items(1000, 1000, 1000, 1000)
    limits = []
    for row["item"] in range(4):
        limits.append(limit("late,wait=0.4,share=0.9", row))
    assert limits == [-1, -1, near(1800), near(1800)]


def test_imitator_pays_what_others_have_paid():
    row = items(1000, 2000)
    assert limit("imitator,factor=1.1,first=0.6", row) == near(1320)  # of its estimate of 2200
    sell(row, [2], 1100)
    assert limit("imitator,factor=1.1,first=0.6", row) == near(2420)  # half of 4400, and a tenth more


def test_dumper_spends_its_budget_on_the_last_items():
    row = items(1000, 1000, 1000, 1000)
    limits = []
    for row["item"] in range(4):
        limits.append(limit("dumper,last=2,early=0.6", row))
    assert limits == [near(1200), near(1200), 10_000, 20_000]


def test_grudge_fights_the_most_successful_leader():
    row = items(1000)
    row["profit"][0, :3] = 100, 500, 300
    for leader, bound in ((NOBODY, 1200), (1, 2200), (2, 1200)):
        row["leader"] = leader
        assert limit("grudge,push=1.1,keep=0.6", row) == near(bound)
    row["leader"], row["profit"][0, 0] = 1, 500
    assert limit("grudge,push=1.1,keep=0.6", row) == near(1200)


@pytest.mark.parametrize(("winners", "share"), [([], 0.5), ([1, 2], 0.7), ([1, 0], 0.5), ([0, 2, NOBODY], 0.6)])
def test_chaser_goes_higher_with_each_lost_item(winners, share):
    row = items(1000, 1000, 1000, 1000)
    sell(row, winners)
    assert limit("chaser,base=0.5,step=0.1", row) == near(2000 * share)


def test_spoiler_raises_what_a_rival_has_fought_for():
    kind, other = list(PERSONAS)[:2]
    row = house_table(["", "", ""], [kind, other, kind]).state.copy()
    name = "spoiler,push=0.9,keep=0.5"
    low, high = (limit(f"spoiler,push={share},keep={share}", row, "harbor") for share in (0.5, 0.9))
    assert limit(name, row, "harbor") == low < high
    row["item"] = 2
    limits = {share: limit(f"spoiler,push={share},keep={share}", row, "harbor") for share in (0.5, 0.9)}
    for item, seat, raises, active, share in (
        (0, 1, 1, 1, 0.5), (0, 1, 2, 1, 0.9), (1, 1, 2, 1, 0.5), (0, 0, 2, 1, 0.5), (0, 1, 2, 0, 0.5)
    ):  # fmt: skip
        state = row.copy()
        state["raises"][0, seat, item], state["active"][0, seat] = raises, active
        assert limit(name, state, "harbor") == limits[share]


def test_harbor_has_the_drain_of_english_auctions():
    row = house_table(["", "", ""], list(PERSONAS)[:2]).state.copy()
    share = {name: limit(f"drain,push={name},keep={name}", row, "harbor") for name in (0.7, 0.9)}
    assert limit("drain,push=0.9,keep=0.7", row, "harbor") == share[0.7] < share[0.9]
    row["budget"][0, 1] += 1
    assert limit("drain,push=0.9,keep=0.7", row, "harbor") == share[0.9]


def prize(scenario, value: float, item: int = 0, reveal: int = ALL, **fields: object) -> np.ndarray:
    """Return a state of a sealed bid or a clock in which seat 0 values the current prize at `value` dollars."""
    game = "clock" if hasattr(scenario, "tick") else "sealed_bid"
    table = Table(find_family(game).game, scenario, ["amount"] * 3)
    table.reset(0)
    row = table.state.copy()
    row["item"], row["value"][0, 0, item], row["reveal"] = item, round(value * 100), reveal
    for name, values in fields.items():
        if name in ("winner", "price"):
            row[name][0, : len(values)] = values
        else:
            row[name] = values
    return row


FIRST, RISING = SCENARIOS["first-ipv"], CLOCKS["ascending-ipv"]  # values are at most 99, three bidders, 15 rounds


def test_noisy_draws_its_share_for_each_prize():
    row = prize(FIRST, 80, step=1)
    bids = []
    for row["seat_key"] in range(500):
        bids.append(amount("sealed_bid", "noisy,share=0.75,spread=0.1", row))
    assert 52 <= min(bids) < 53
    assert 67 < max(bids) <= 68
    assert np.mean(bids) == pytest.approx(60, abs=0.7)


@pytest.mark.parametrize(
    ("name", "row", "bid"),
    [
        ("threshold,least=0.35,share=0.8", prize(FIRST, 34), -1),  # 0.35 * 99 = 34.65
        ("threshold,least=0.35,share=0.8", prize(FIRST, 35), 28),
        ("rounder,parts=9,share=0.8", prize(FIRST, 60), 44),  # 48 is 4.4 times 11
        ("follower,step=0.1,first=0.7", prize(FIRST, 60), 42),
        ("follower,step=0.1,first=0.7", prize(FIRST, 60, 1, PRICE, winner=[2], price=[3000]), 40),  # 30 + 9.9
        ("follower,step=0.1,first=0.7", prize(FIRST, 35, 1, PRICE, winner=[2], price=[3000]), 35),
        ("follower,step=0.1,first=0.7", prize(FIRST, 60, 1, NONE, winner=[2], price=[3000]), 42),
        ("follower,step=0.1,first=0.7", prize(FIRST, 60, 1, NONE, winner=[0], price=[2000]), 30),
        ("follower,step=0.1,first=0.7", prize(FIRST, 60, 2, ALL, winner=[1, NOBODY], price=[2000, NOBODY]), 30),
        ("adaptive,start=0.6,step=0.1", prize(FIRST, 50), 30),
        ("adaptive,start=0.6,step=0.1", prize(FIRST, 50, 2, winner=[1, 2]), 40),
        ("adaptive,start=0.6,step=0.1", prize(FIRST, 50, 2, winner=[1, 0]), 25),  # 0.7, then 0.2 less
        ("adaptive,start=0.6,step=0.1", prize(FIRST, 50, 6, winner=[1] * 6), 50),
        ("adaptive,start=0.3,step=0.1", prize(FIRST, 50, 2, winner=[0, 1]), 15),  # 0.2 is the least, then 0.1 more
        ("quota,goal=0.2,eager=0.9,calm=0.4", prize(FIRST, 50, 9, won=2), 45),
        ("quota,goal=0.2,eager=0.9,calm=0.4", prize(FIRST, 50, 9, won=3), 20),
        ("turns,eager=0.9,calm=0.2", prize(FIRST, 50, 3), 45),
        ("turns,eager=0.9,calm=0.2", prize(FIRST, 50, 4), 10),
        ("turns,eager=0.9,calm=0.2", prize(RISING, 50, 3), 45),
        ("follower,step=0.1,first=0.7", prize(RISING, 60, 1, PRICE, winner=[2], price=[3000]), 40),
        ("threshold,least=0.35,share=0.8", prize(RISING, 34), -1),
        ("threshold,least=0.35,share=0.8", prize(CLOCKS["descending-ipv"], 35), 28),
    ],
)  # fmt: skip
def test_what_families_pay_for_a_prize(name, row, bid):
    game = "clock" if "tick" in row.dtype.names else "sealed_bid"
    assert amount(game, name, row) == bid


def rounds(value: float, *pairs: tuple[float, float], reveal: int = ALL) -> np.ndarray:
    """Return a state after rounds with these bids of seat 0 and of the better of two rivals, which wins ties."""
    row = prize(FIRST, value, len(pairs), reveal)
    for j, pair in enumerate(pairs):
        bid, rival = (round(x * 100) for x in pair)
        row["bid"][0, 0, j] = bid
        row["ranked"][0, j, :3] = sorted((bid, rival, 0), reverse=True)
        row["winner"][0, j] = 0 if bid > rival else 1
        row["price"][0, j] = max(bid, rival)
    return row


@pytest.mark.parametrize(
    ("memory", "row", "bid"),
    [
        (3, rounds(60, (5, 10), (50, 40), (15, 20)), 21),  # 11 earns 49 once, 41 earns 19 thrice, 21 earns 39 twice
        (3, rounds(90, (5, 10), (50, 40), (15, 20)), 41),  # 49 thrice, but 21 earns 69 only twice
        (2, rounds(90, (50, 40), (5, 10), (15, 20)), 21),  # the first round is forgotten: 69 twice, 11 earns 79 once
        (3, rounds(9, (5, 10), (50, 40), (15, 20)), -1),
        (3, rounds(60), 42),
        (3, rounds(60, (5, 10), (15, 20), reveal=PRICE), 21),
        (3, rounds(60, (5, 10), (15, 20), reveal=NONE), 42),
        (3, rounds(60, (5, 10), (25, 20), reveal=NONE), 26),
    ],
)
def test_replier_bids_what_would_have_earned_most(memory, row, bid):
    assert amount("sealed_bid", f"replier,memory={memory},first=0.7", row) == bid


@pytest.mark.parametrize(
    ("name", "still_in", "price", "action"),
    [
        ("herd,share=0.9,leavers=1", 3, 44, STAY),
        ("herd,share=0.9,leavers=1", 2, 1, WITHDRAW),
        ("herd,share=0.9,leavers=2", 2, 1, STAY),
        ("herd,share=0.9,leavers=1", 3, 45, WITHDRAW),
        ("fighter,share=0.8,push=1.2", 3, 39, STAY),
        ("fighter,share=0.8,push=1.2", 3, 40, WITHDRAW),
        ("fighter,share=0.8,push=1.2", 2, 59, STAY),
        ("fighter,share=0.8,push=1.2", 2, 60, WITHDRAW),
    ],
)
def test_families_that_watch_a_rising_clock(name, still_in, price, action):
    assert amount("clock", name, prize(RISING, 50, open=1, still_in=still_in, price_now=price * 100)) == action


def test_families_that_see_no_rivals_name_their_price():
    for row in (prize(RISING, 50, open=0, still_in=2), prize(CLOCKS["descending-ipv"], 50, open=1, still_in=2)):
        assert amount("clock", "herd,share=0.9,leavers=1", row) == 45
        assert amount("clock", "fighter,share=0.8,push=1.2", row) == 40


def dry(**fields: object) -> np.ndarray:
    """Return a state of three residents with needs of 10 and salaries of $100 over ten days of 10 to 30 units."""
    row = table_of(drought([(10, 100)] * 3, [10, *[30] * 9])).state.copy()
    row["balance"] = 20_000
    for name, value in fields.items():
        row[name] = value
    return row


def after_a_day(*bids: tuple[float, int]) -> np.ndarray:
    """Return the state after a day with these bids, and the place in which each was served; 0 = not."""
    row = dry(item=1)
    for seat, (bid, place) in enumerate(bids):
        row["bid"][0, seat, 0], row["place"][0, seat, 0] = bid * 100, place
    return row


@pytest.mark.parametrize(
    ("name", "row", "seat", "bid"),
    [
        ("panic,level=4,calm=0.2", dry(health=5), 0, 40),
        ("panic,level=4,calm=0.2", dry(health=4), 0, 200),
        ("copycat,extra=5", dry(), 0, 105),
        ("copycat,extra=5", after_a_day((90, 0), (60, 1), (30, 2)), 0, 65),
        ("copycat,extra=5", after_a_day((90, 0), (60, 0), (30, 0)), 0, 105),
        ("copycat,extra=500", after_a_day((90, 0), (60, 1), (30, 2)), 0, 200),
        ("hoarder,wait=0.4,early=0.6,late=0.5", dry(item=3), 0, 60),
        ("hoarder,wait=0.4,early=0.6,late=0.5", dry(item=4), 0, 100),
        ("alternator,period=2,share=0.7", dry(item=1), 0, 0),
        ("alternator,period=2,share=0.7", dry(item=1), 1, 140),
        ("alternator,period=3,share=0.7", dry(item=1), 2, 140),
        ("scarcity,scarce=0.7,plenty=0.2", dry(supply=10), 0, 140),
        ("scarcity,scarce=0.7,plenty=0.2", dry(supply=30), 0, 40),
        ("scarcity,scarce=0.7,plenty=0.2", dry(supply=20), 0, 90),
    ],
)  # fmt: skip
def test_what_families_bid_for_water(name, row, seat, bid):
    assert amount("water_allocation", name, row, seat) == bid


@pytest.mark.parametrize(("thirst", "chance"), [(0, 0.3), (1, 0.6), (3, 1)])
def test_fitful_bids_more_often_when_thirsty(thirst, chance):
    row, bids = dry(thirst=thirst), []
    for row["seat_key"] in range(1000):
        bids.append(amount("water_allocation", "fitful,chance=0.3,share=0.6", row))
    assert set(bids) <= {0, 120}
    assert np.mean(np.array(bids) > 0) == pytest.approx(chance, abs=0.05)
