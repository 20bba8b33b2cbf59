"""Scenarios of sealed-bid auctions: a frozen dataclass, and the published scenarios by name.

Source: Synthetic Labs, arXiv 2507.09083: its settings, one-shot variants, numbers of bidders, interventions, currencies
and languages.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.money import CURRENCIES, MAX_DOLLARS, to_cents, to_dollars
from aucenv.envs.sealed_bid.rules import PRICINGS, THIRD, State
from aucenv.envs.single_item.values import LANGUAGES, SingleItemScenario

ADVICE = ("none", "menu", "proxy_clock", "nash", "dominant", "wrong", "risk_neutral")
"""The paper's interventions on second-price auctions.

As in the paper, "menu" and "proxy_clock" describe the payment in other words, which replace the payment rule; the
others add advice to the rules. "dominant" and "wrong" differ only in the strategy that they name.
"""

MAX_BIDS = 100_000
"""The maximum number of bids of the vector interface."""


@dataclasses.dataclass(frozen=True)
class SealedBidScenario(SingleItemScenario):
    """A sealed-bid auction before the deal. `SingleItemScenario` documents the fields shared with clock auctions.

    Attributes:
        pricing: "first", "second", "third" or "all_pay" (the highest bid wins, and every seat pays its bid).
        bid_cap: the highest legal bid, in dollars; None = no limit.
        bid_step: the step between legal bids, in dollars.
        reserve: the least bid that wins, and the least price, in dollars.
        advice: the paper's intervention in the rules, "menu", "proxy_clock", "nash", "dominant", "wrong" or
            "risk_neutral", or "none", the only choice unless the pricing is "second".
    """

    HIGHEST_BID: ClassVar[str] = "bid_cap"
    MAY_BE_NONE: ClassVar[tuple[str, ...]] = ("bid_cap",)

    pricing: str = "first"
    bid_cap: float | None = 99
    bid_step: float = 1
    reserve: float = 0
    advice: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self._at("pricing"), self.pricing, PRICINGS)
        one_of(self._at("advice"), self.advice, ADVICE)
        if self.advice != "none" and self.pricing != "second":
            raise ValueError(
                f"{self._at('advice')}: expected 'none' unless the pricing is 'second', got {self.advice!r}"
            )
        if self.pricing == PRICINGS[THIRD] and self.num_bidders < 3:
            raise ValueError(f"{self._at('num_bidders')}: expected at least 3 for the third price, got 2")
        step = self._cents("bid_step", 0.01)
        self._cents("reserve", 0)
        if self.bid_cap is not None:
            cap = self._cents("bid_cap", 0.01)
            self._check_divides("bid_step", step, "bid_cap", cap)
            if self.reserve > self.bid_cap:
                raise ValueError(
                    f"{self._at('reserve')}: expected at most the cap {self.bid_cap}, got {self.reserve}: "
                    "nobody could win"
                )
        if self.num_bids > MAX_BIDS:
            raise ValueError(f"{self._at('bid_step')}: expected at most {MAX_BIDS:,} steps up to the highest bid")

    @property
    def highest_bid(self) -> float:
        """The highest bid of the vector interface, in dollars: the cap; if there is none, twice the highest signal."""
        if self.bid_cap is not None:
            return self.bid_cap
        step = to_cents(self.bid_step)
        return to_dollars(-(-2 * to_cents(self.highest_signal) // step) * step)

    @property
    def num_bids(self) -> int:
        """The number of bids of the vector interface: 0 and every step up to the highest bid."""
        return to_cents(self.highest_bid) // to_cents(self.bid_step) + 1

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = np.zeros(1, State.dtype(seat=self.num_bidders, item=self.num_rounds))
        row = template[0]
        self.write_constants(row)
        row["pricing"] = PRICINGS.index(self.pricing)
        row["reserve"] = to_cents(self.reserve)
        row["step"] = step = to_cents(self.bid_step)
        row["cap"] = to_cents(MAX_DOLLARS if self.bid_cap is None else self.bid_cap) // step * step
        return template


Scenario = SealedBidScenario
"""The scenario class, under the name that all games share."""


def _setting(name: str, pricing: str, values: str, **fields: Any) -> SealedBidScenario:
    return SealedBidScenario(name, pricing=pricing, **{**SealedBidScenario.published(values), **fields})


IPV_NAMES = {pricing: f"{pricing.replace('_', '-')}-ipv" for pricing in PRICINGS}

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_setting(name, pricing, "ipv") for pricing, name in IPV_NAMES.items()),
        *(_setting(f"{name}-once", pricing, "ipv", num_rounds=1) for pricing, name in IPV_NAMES.items()),
        *(_setting(f"first-ipv-{n}", "first", "ipv", num_bidders=n) for n in (4, 5)),
        _setting("second-apv", "second", "apv"),
        *(_setting(f"second-cv-{n}", "second", "cv", num_bidders=n) for n in range(2, 7)),
        *(_setting(f"second-ipv-{advice.replace('_', '-')}", "second", "ipv", advice=advice) for advice in ADVICE[1:]),
        *(
            _setting(f"{pricing}-ipv-{word}", pricing, "ipv", **{kind: word})
            for pricing in ("first", "second")
            for kind, words in (("currency", list(CURRENCIES)[1:]), ("language", LANGUAGES[1:]))
            for word in words
        ),
    )
}
DEFAULT_SCENARIO = "first-ipv"


def cap_warning(scenario: SealedBidScenario) -> str | None:
    """Return a warning if the bid cap is below the highest bid of the equilibrium; else None.

    The result is also None if no closed form of the equilibrium is known.
    """
    n, top = scenario.num_bidders, scenario.highest_value
    highest = {"first": (n - 1) / n * top, "second": top, "all_pay": (n - 1) / n * top}.get(scenario.pricing)
    if scenario.pricing == "third":
        highest = (n - 1) / (n - 2) * top
    uniform = scenario.values == "ipv" and scenario.value_range[0] == 0
    truthful = scenario.values != "cv" and scenario.pricing == "second"
    if scenario.bid_cap is None or highest is None or not (uniform or truthful) or scenario.bid_cap >= highest:
        return None
    return (
        f"scenario {scenario.name!r}: bid_cap {scenario.bid_cap:g} is below {highest:g}, the highest equilibrium bid "
        f"with pricing {scenario.pricing}: the equilibrium cannot be played, and revenue and efficiency differ from "
        "the theory; bid_cap=None removes the cap"
    )
