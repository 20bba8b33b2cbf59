"""Test cases for tests over all games: arguments, actions, scenarios and hidden state of each game."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tables import MIXED, TABLES, of_few_shapes, scenarios

import aucenv
from aucenv.core.state import RUNNING
from aucenv.core.words.money import to_dollars
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.english.game import Bidder, EnglishScenario, Item
from aucenv.envs.harbor.game import HarborBidder, HarborScenario
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.water_allocation.game import Resident, WaterScenario
from aucenv.policy.registry import scripted_bidders

SHARED = {
    **{name: {"interface": interface} for name, interface in TABLES.items()},
    "idle turns": {"idle_turns": True},
    "clip": {"illegal": "clip"},
    "flat": {"observation": "flat"},
    "shares": {"interface": "amount", "amount_scale": "share", "observation": "flat"},
    "full infos": {"infos": "full", "mask_in_info": True},
    "no infos": {"infos": "none"},
    "truncated": {"max_cycles": 3},
}


every_shape = pytest.mark.parametrize("shapes", ["few", pytest.param("all", marks=pytest.mark.slow)])


@dataclasses.dataclass(frozen=True)
class GameCase:
    """The test case of one game.

    Attributes:
        setups: the arguments with which conformance is tested.
        small: arguments for a short game.
        legal: returns a legal amount of the first round, in dollars.
        scenarios: a strategy for scenarios of all kinds.
        hide: overwrites all that a seat may not know with random numbers: (row, seat, rng).
        three: arguments for three bidders.
        strict: arguments with which the amount `illegal` is refused.
        one_moves: whether one seat moves at a time.
        golden: arguments of the recorded playthrough.
        short: a short scenario, for games of agents.
        agent: the agent that plays the game.
        rivals: names of built-in bidders, for the seats but the first of the default scenario.
        reply: a reply that can be read and is not refused.
        max_rounds: after how many rounds a game is long enough to compare replies.
        named: the paths of names in a scenario as JSON.
        score: the key of infos and outcomes whose value is the sum of the rewards, times the scenario's profit_scale.
    """

    name: str
    setups: dict[str, dict[str, Any]]
    small: dict[str, Any]
    legal: Callable[[Any], float]
    scenarios: st.SearchStrategy
    hide: Callable[[Any, int, np.random.Generator], None]
    golden: dict[str, Any]
    short: Any
    agent: str
    rivals: tuple[str, ...]
    reply: str = "I bid $1!"
    max_rounds: int = 12
    named: tuple[tuple[str | int, ...], ...] = (("name",),)
    three: dict[str, Any] = dataclasses.field(default_factory=dict)
    strict: dict[str, Any] = dataclasses.field(default_factory=dict)
    illegal: float = 0.5
    one_moves: bool = False
    score: str = "profit"

    @property
    def quick_scenarios(self) -> st.SearchStrategy:
        return of_few_shapes(self.scenarios)

    def scenarios_of(self, shapes: str) -> st.SearchStrategy:
        """Return the scenarios for a parameter of `every_shape`."""
        return self.quick_scenarios if shapes == "few" else self.scenarios

    @property
    def family(self) -> Any:
        return getattr(aucenv, f"{self.name}_v0")


def hide_in_english(row: Any, seat: int, rng: np.random.Generator) -> None:
    seats, items = int(row["num_seats"]), int(row["num_items"])
    row["key"] = rng.integers(2**62)
    row["forced_tie"] = rng.integers(seats)
    unsold = np.flatnonzero(row["winner"][:items] < 0)
    row["value"][unsold] = rng.integers(1, 10**7, len(unsold))
    for rival in range(seats):
        if rival != seat:
            row["estimate"][rival, :items] = rng.integers(1, 10**7, items)
            row["seat_key"][rival] = rng.integers(2**62)
    row["bias"][:seats] = rng.integers(10**6, size=seats)
    row["noise"][:seats] = rng.integers(10**6, size=seats)


def hide_in_harbor(row: Any, seat: int, rng: np.random.Generator) -> None:
    hide_in_english(row, seat, rng)
    row["house_value"] = rng.integers(1, 10**7, len(row["house_value"]))
    for rival in range(int(row["num_seats"])):
        if rival != seat:
            row["persona"][rival] = rng.integers(-1, NUM_PERSONAS)
            row["second"][rival] = rng.integers(-1, NUM_PERSONAS)
            row["wording"][rival] = rng.integers(2**32)


@st.composite
def housing_auctions(draw: st.DrawFn) -> HarborScenario:
    entry = st.one_of(st.just("drawn"), st.sampled_from(PERSONAS))
    personas = st.lists(entry, max_size=2).filter(lambda names: len(set(names)) == len(names) or "drawn" in names)
    return HarborScenario(
        "drawn",
        tuple(
            HarborBidder(
                f"b{seat}",
                draw(st.sampled_from([150_000, 400_000, 1_000_000])),
                tuple(draw(personas)),
                draw(st.sampled_from([-10, 0, 10])),
                draw(st.sampled_from([0, 5])),
            )
            for seat in range(draw(st.integers(2, 5)))
        ),
        draw(st.sampled_from(["train", "evaluation", "fresh-3"])),
        draw(st.integers(5, 8)),
        draw(st.integers(0, 1)),
        draw(st.sampled_from(["random", "ascending", "descending", "given"])),
        draw(st.sampled_from([0.1, 0.25])),
    )


def hide_prizes(row: Any, seat: int, rng: np.random.Generator) -> None:
    seats, rounds, now = int(row["num_seats"]), int(row["num_items"]), int(row["item"])
    reveals_all, reveals_price = row["reveal"] == 0, row["reveal"] < 2
    row["key"] = rng.integers(2**62)
    row["forced_tie"] = rng.integers(seats)
    for j in range(rounds):
        revealed = j < now and (reveals_all or row["winner"][j] == seat)
        if row["model"] and (not revealed or row["model"] != 2):
            row["common"][j] = rng.integers(1, 10**4)
        if j > now:
            row["value"][seat, j] = rng.integers(1, 10**4)
        if row["winner"][j] != seat and j < now:
            others = [rival for rival in range(seats) if rival != seat]
            sold = row["winner"][j] >= 0
            row["winner"][j] = rng.choice(others) if sold else -1
            if not reveals_price:
                row["price"][j] = rng.integers(1, 10**4)
            if not reveals_all:
                row["surplus"][j] = rng.integers(1, 10**4)
        if j >= now or not reveals_all:
            row["ranked"][j, :seats] = rng.integers(1, 10**4, seats)
    for rival in range(seats):
        if rival != seat:
            row["value"][rival, :rounds] = rng.integers(1, 10**4, rounds)
            row["bid"][rival, :rounds] = rng.integers(1, 10**4, rounds)
            for name in ("seat_key", "gain", "profit", "won"):
                row[name][rival] = rng.integers(1, 2**31)


def hide_on_the_clock(row: Any, seat: int, rng: np.random.Generator) -> None:
    now = min(int(row["item"]), len(row["ranked"]) - 1)
    ranked, prices, seats = row["ranked"].copy(), row["price"].copy(), int(row["num_seats"])
    hide_prizes(row, seat, rng)
    if row["open"]:
        row["ranked"][now] = ranked[now]
        for j in range(now if row["reveal"] else 0):  # seats have seen who left below the price where the clock stopped
            shown = (ranked[j, :seats] >= 0) & (ranked[j, :seats] < prices[j])
            if row["price"][j] != prices[j]:
                row["price"][j] = rng.integers(ranked[j, :seats].max(initial=-1, where=shown) + 1, 10**4)
            hidden = rng.integers(max(0, row["price"][j]), 10**4, seats)
            row["ranked"][j, :seats] = np.where(shown, ranked[j, :seats], hidden)
    else:
        row["still_in"] = rng.integers(1, 10)
    for rival in range(int(row["num_seats"])):
        if rival != seat:
            row["active"][rival] = rng.integers(2)
            row["acting"][rival] = rng.integers(2) if row["status"] == RUNNING else 0
            row["limit"][rival] = rng.integers(-1, 10**4)


@st.composite
def prizes(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the fields that scenarios of sealed-bid and clock auctions share."""
    values = draw(st.sampled_from(["ipv", "apv", "cv"]))
    step = draw(st.sampled_from([1, 7, 50, 100]))
    low = draw(st.integers(0, 20)) * step
    high = low + draw(st.integers(1, 60)) * step
    error = draw(st.integers(0, low // step)) * step
    return {
        "values": values,
        "num_bidders": draw(st.integers(2, 6)),
        "num_rounds": draw(st.integers(1, 20)),
        "value_range": (to_dollars(low), to_dollars(high)),
        "signal_error": to_dollars(error),
        "value_step": to_dollars(step),
        "reveal": draw(st.sampled_from(["all", "price", "none"])),
    }


@st.composite
def sealed_bid_scenarios(draw: st.DrawFn) -> SealedBidScenario:
    shared = draw(prizes())
    pricings = ["first", "second", "all_pay"] + ["third"] * (shared["num_bidders"] > 2)
    step = draw(st.sampled_from([5, 100, 300]))
    cap = draw(st.one_of(st.none(), st.integers(1, 40)))
    reserve = draw(st.sampled_from([0, 0, 1, 250])) if cap is None else 0
    return SealedBidScenario(
        "drawn",
        **shared,
        pricing=draw(st.sampled_from(pricings)),
        bid_cap=None if cap is None else to_dollars(cap * step),
        bid_step=to_dollars(step),
        reserve=to_dollars(reserve),
    )


@st.composite
def clock_scenarios(draw: st.DrawFn) -> ClockScenario:
    shared = draw(prizes())
    tick = draw(st.sampled_from([100, 300, 55]))
    lowest = draw(st.sampled_from([0, 0, 130]))
    return ClockScenario(
        "drawn",
        **{**shared, "num_rounds": min(shared["num_rounds"], 6)},
        direction=draw(st.sampled_from(["ascending", "descending"])),
        feedback=draw(st.sampled_from(["open", "blind"])),
        lowest_price=to_dollars(lowest),
        highest_price=to_dollars(lowest + tick * draw(st.integers(1, 25))),
        tick=to_dollars(tick),
    )


def hide_maxima(row: Any, seat: int, rng: np.random.Generator) -> None:
    hide_prizes(row, seat, rng)
    seats, turn = int(row["num_seats"]), int(row["turn"])
    others = [rival for rival in range(seats) if rival != seat]
    row["maximum"][others] = rng.integers(-1, 10**4, len(others))
    if row["reserve"]:
        row["reserve"] = rng.integers(1, 10**4)
    if row["status"] == RUNNING and row["day"] == row["days_now"] - 1:
        moved = turn + int(row["acting"][seat])
        row["order"][moved:seats] = rng.permutation(row["order"][moved:seats])
        row["acting"][others] = rng.integers(2, size=len(others))


@st.composite
def ebay_scenarios(draw: st.DrawFn) -> EbayScenario:
    shared = draw(prizes())
    step = draw(st.sampled_from([50, 100, 300]))
    highest = step * draw(st.integers(1, 40))
    return EbayScenario(
        "drawn",
        **{**shared, "num_rounds": min(shared["num_rounds"], 3), "reveal": draw(st.sampled_from(["all", "price"]))},
        days=draw(st.sampled_from([1, 2, 4, 20])),
        closing=draw(st.sampled_from(["hard", "soft"])),
        reserve=to_dollars(draw(st.sampled_from([0, highest // 2]))),
        lift_to_reserve=draw(st.booleans()),
        start_price=to_dollars(draw(st.sampled_from([0, 0, step, highest // 3]))),
        increment=to_dollars(draw(st.sampled_from([1, 100, 250]))),
        highest_maximum=to_dollars(highest),
        bid_step=to_dollars(step),
    )


def hide_supplies(row: Any, seat: int, rng: np.random.Generator) -> None:
    seats, days = int(row["num_seats"]), int(row["num_items"])
    row["key"] = rng.integers(2**62)
    row["forced_tie"] = rng.integers(seats)
    row["scheduled"] = rng.integers(2)
    later = slice(int(row["item"]) + 1, days)
    row["supplies"][later] = rng.integers(row["low"], row["high"] + 1, days)[later]
    row["seat_key"][[rival for rival in range(seats) if rival != seat]] = rng.integers(2**62)


@st.composite
def droughts(draw: st.DrawFn, most_seats: int = 6) -> WaterScenario:
    seats = draw(st.integers(2, most_seats))
    low = draw(st.integers(0, 20))
    high = low + draw(st.integers(0, 15))
    days = draw(st.integers(1, 25))
    cap = draw(st.integers(1, 15))
    scheduled = draw(st.booleans())
    endpoint = scheduled or low == high or draw(st.booleans())
    return WaterScenario(
        "drawn",
        tuple(
            Resident(f"r{seat}", draw(st.integers(1, 14)), to_dollars(draw(st.sampled_from([0, 5000, 7000, 12_345]))))
            for seat in range(seats)
        ),
        days,
        (low, high),
        tuple(draw(st.lists(st.integers(low, high), min_size=days, max_size=days))) if scheduled else None,
        draw(st.integers(1, cap)),
        cap,
        draw(st.sampled_from(["void", "refuse"])),
        endpoint,
    )


THREE = {"num_bidders": 3}
LAMP_DESK_CHAIR = EnglishScenario(
    "three",
    (Item(1, "Lamp", 1000, 2000), Item(2, "Desk", 3000, 6000), Item(3, "Chair", 2000, 4000)),
    (Bidder("Alex", 20000), Bidder("Blair", 20000), Bidder("Casey", 20000)),
    item_order="given",
)


def load(game: str, name: str, **changes: Any) -> Any:
    """Return a scenario of a game with changed fields."""
    return getattr(aucenv, f"{game}_v0").game.load_scenario(name).changed(**changes)


CASES = {
    case.name: case
    for case in (
        GameCase(
            "english",
            {
                **SHARED,
                "rivals": {"rivals": {"bidder_1": "rule|random"}},
                "sixteen bidders": {"num_bidders": 16},
                "niche": {"scenario": "niche-20k"},
                "broke bidders are asked": {"budget": 6000, "ask_broke": True, "interface": MIXED},
                "two items": {"num_items": 2, "item_order": "ascending", "ladder": 3},
            },
            {"num_items": 2},
            lambda env: env.table.view(0).starting_price,
            scenarios(max_bidders=5, max_items=5),
            hide_in_english,
            golden={"num_items": 4},
            short=LAMP_DESK_CHAIR,
            agent="bdi",
            rivals=("rule", "value"),
            named=(("bidders", 1, "name"), ("items", 2, "name"), ("items", 2, "id"), ("name",)),
        ),
        GameCase(
            "harbor",
            {
                **SHARED,
                "rivals": {"rivals": {"bidder_1": "value|random"}},
                "sixteen bidders": {"num_bidders": 16, "num_items": 16},
                "mixed, in words": {"scenario": "train-mixed", "interface": "text", "num_items": 6, "matches": 1},
                "no personas, fresh houses": {"scenario": "fresh-7-none", "item_order": "ascending", "ladder": 3},
            },
            {"num_items": 3, "matches": 1},
            lambda env: env.table.view(0).starting_price,
            housing_auctions(),
            hide_in_harbor,
            golden={"num_items": 4, "matches": 1},
            short=load("harbor", "evaluation-single", num_items=5),
            agent="harbor",
            rivals=("rule", "expact"),
            named=(("bidders", 1, "name"), ("houses", 2, "name"), ("kinds", 3, "name"), ("name",)),
        ),
        GameCase(
            "sealed_bid",
            {
                **SHARED,
                "rivals": {"rivals": {"bidder_1": "equilibrium|random"}},
                "ten bidders, third price": {"num_bidders": 10, "pricing": "third", "bid_cap": None},
                "common values": {"scenario": "second-cv-4"},
                "all-pay, prices revealed": {"scenario": "all-pay-ipv", "reveal": "price", "num_rounds": 3},
                "hindi": {"scenario": "first-ipv-hindi", "interface": "text", "num_rounds": 2},
            },
            {"num_rounds": 2},
            lambda env: 10,
            sealed_bid_scenarios(),
            hide_prizes,
            golden={"num_rounds": 5},
            short=load("sealed_bid", "first-ipv", num_rounds=3),
            agent="plan-bid-reflect",
            rivals=("truthful", "shade"),
            max_rounds=2,
        ),
        GameCase(
            "clock",
            {
                **SHARED,
                "rivals": {"rivals": {"bidder_1": "truthful|random"}},
                "ten bidders": {"num_bidders": 10},
                "blind, common values": {"scenario": "ascending-cv-blind", "num_rounds": 2},
                "descending": {"scenario": "descending-ipv", "num_rounds": 2, "tick": 3},
                "descending, in words": {"scenario": "descending-apv", "num_rounds": 2, "interface": "text"},
            },
            {"num_rounds": 2},
            lambda env: 10,
            clock_scenarios(),
            hide_on_the_clock,
            golden={"num_rounds": 3, "tick": 2},
            short=load("clock", "ascending-apv", num_rounds=2),
            agent="plan-bid-reflect",
            rivals=("truthful", "truthful"),
            reply="I leave.",
        ),
        GameCase(
            "ebay",
            {
                **SHARED,
                "rivals": {"rivals": {"bidder_1": "incremental|random"}},
                "ten bidders": {"num_bidders": 10, "days": 2},
                "soft close, hidden reserve": {"scenario": "soft-50", "days": 2},
                "common values, several rounds": {"values": "cv", "num_rounds": 3, "days": 2, "reveal": "all"},
                "lifted, in words": {"reserve": 30, "lift_to_reserve": True, "days": 2, "interface": "text"},
            },
            {"num_rounds": 2, "days": 2},
            lambda env: 10,
            ebay_scenarios(),
            hide_maxima,
            golden={"num_rounds": 2, "days": 3, "reserve": 40, "closing": "soft"},
            short=load("ebay", "soft", num_rounds=2, days=3),
            agent="plan-bid-reflect",
            rivals=("truthful", "incremental"),
            reply="I hold.",
            one_moves=True,
        ),
        GameCase(
            "water_allocation",
            {
                **{name: {**THREE, **arguments} for name, arguments in SHARED.items()},
                "rivals": {**THREE, "rivals": {"bidder_1": "share|random"}},
                "personas, in words": {"scenario": "high-personas", "interface": "text", "days": 5},
                "the dead leave": {"on_death": "terminate"},
                "the dead leave, idle turns": {"on_death": "terminate", "idle_turns": True},
                "over the balance": {**THREE, "over_balance": "refuse", "interface": "amount"},
            },
            {"days": 2},
            lambda env: 10,
            droughts(),
            hide_supplies,
            golden={"days": 9},
            short=load("water_allocation", "low-personas"),
            agent="resident",
            rivals=("thirst", "share", "outbid", "saver"),
            max_rounds=2,
            named=(("residents", 1, "name"), ("name",)),
            three=THREE,
            strict={**THREE, "over_balance": "refuse"},
            illegal=99_999.5,
            score="days_lived",
        ),
    )
}


def playable_bidders(game: str, scenario: Any = None) -> dict[str, Any]:
    """Return the scripted bidders by name that can play a scenario, by default that of the game."""
    declared = getattr(aucenv, f"{game}_v0").game
    chosen = declared.load_scenario(declared.default_scenario) if scenario is None else scenario
    return {name: each for name, each in scripted_bidders(game).items() if each.why_unplayable(chosen) is None}


every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
all_move = pytest.mark.parametrize(
    "case", [pytest.param(case, id=name) for name, case in CASES.items() if not case.one_moves]
)


def every_case_slow_except(*games: str) -> pytest.MarkDecorator:
    """Return a parameter of all cases; `make test` runs only those of `games`, and so compiles fewer kernels."""
    cases = [
        pytest.param(case, id=name, marks=() if name in games else pytest.mark.slow) for name, case in CASES.items()
    ]
    return pytest.mark.parametrize("case", cases)
