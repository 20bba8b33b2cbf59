"""Scenarios, tables and bidders for tests of English auctions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from aucenv.core.play.table import Table
from aucenv.envs.english.game import GAME, Bidder, EnglishScenario, Item
from aucenv.envs.english.rules import MAX_DISCOUNTS

MIXED = {"bidder_0": "vector", "bidder_1": "amount", "bidder_2": "vector"}
WORDED = {"bidder_0": "text", "bidder_1": "vector", "bidder_2": "amount"}
TABLES = {
    "vector and amount": MIXED,
    "amount and text": {"bidder_0": "amount", "bidder_1": "text", "bidder_2": "amount"},
    "all three": WORDED,
}
"""Tables of mixed interfaces; `check_game` runs PettingZoo's tests with each interface alone."""


def scenario_of(
    prices: Sequence[float], num_bidders: int = 3, budget: float = 20_000, values: Sequence[float] = (), **kwargs: Any
) -> EnglishScenario:
    """Return a scenario that sells items in the given order at these starting prices.

    Args:
        values: the true values; by default twice the starting prices.
    """
    true_values = values or [2 * price for price in prices]
    items = tuple(
        Item(j, f"item {j}", price, value) for j, (price, value) in enumerate(zip(prices, true_values, strict=True))
    )
    bidders = tuple(Bidder(f"b{seat}", budget) for seat in range(num_bidders))
    return EnglishScenario("test", items, bidders, **{"item_order": "given", **kwargs})


def amount_table(scenario: EnglishScenario, seed: int = 0, **kwargs: Any) -> Table:
    table = Table(GAME, scenario, ["amount"] * len(scenario.bidders), **kwargs)
    table.reset(seed)
    return table


def play_rounds(table: Table, rounds: Sequence[Mapping[int, float | None]]) -> None:
    """Submit rounds of {seat: dollars, None = withdraw}; each round must name exactly the pending seats."""
    for bids in rounds:
        assert table.pending == sorted(bids)
        for seat, bid in bids.items():
            assert table.submit(seat, -1 if bid is None else bid) is None


class Player:
    """A bidder whose `act` is that of a test."""

    interface = "amount"

    def reset(self, seat: str, seed: int) -> None:
        pass

    def close_game(self, view: Any) -> Any:
        pass


class Wild(Player):
    """A bidder that bids amounts of all kinds, most of them illegal."""

    def reset(self, seat: str, seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, view: Any, observation: Any) -> float:
        near = view.least_bid + self.random.choice([-0.01, 0, 0, 0.01, 5, view.starting_price])
        return self.random.choice([near, near, near, -1, 0, view.budget, view.budget + 0.01, float("nan"), 1e300])


@st.composite
def scenarios(draw: st.DrawFn, max_bidders: int = 16, max_items: int = 16) -> EnglishScenario:
    """Draw scenarios of all kinds whose games are short, because no raise is tiny compared with an item's value."""
    num_items = draw(st.integers(1, max_items))
    names = [f"item {j}" for j in range(num_items)]
    prices = [draw(st.integers(1, 5_000_00)) for _ in names]
    values = [price * draw(st.integers(0, 40)) // 10 for price in prices]
    items = tuple(Item(j, names[j], prices[j] / 100, values[j] / 100) for j in range(num_items))
    least = min(prices)
    for _ in range(MAX_DISCOUNTS):
        least = least // 200 * 100 or least  # halved, rounded down to whole dollars
    most = 90_000 * max(1, least // 20)  # of raises by a twentieth
    bidders = []
    for seat in range(draw(st.integers(2, max_bidders))):
        objective = draw(st.sampled_from(["profit", "profit", "items", "item"]))
        bidders.append(
            Bidder(
                f"b{seat}",
                min(draw(st.integers(1, 20_000_00)), most) / 100,
                objective,
                draw(st.sampled_from(names)) if objective == "item" else None,
                draw(st.integers(-50, 50)),
                draw(st.integers(0, 30)),
            )
        )
    return EnglishScenario(
        "drawn",
        items,
        tuple(bidders),
        draw(st.sampled_from(["random", "ascending", "descending", "given"])),
        draw(st.sampled_from([0.05, 0.1, 0.333, 0.5])),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def of_few_shapes(drawn: st.SearchStrategy) -> st.SearchStrategy:
    """Exclude scenarios of more than 16 rounds, whose states have another shape, to compile fewer kernels."""
    return drawn.filter(lambda scenario: getattr(scenario, "num_rounds", 0) <= 16)
