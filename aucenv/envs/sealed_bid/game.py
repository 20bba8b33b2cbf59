"""Sealed-bid auctions: one prize per round, one bid per seat; first-price, second-price, third-price or all-pay.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(highest bid / bid_step + 2); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + bidders features (15 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the round's common part (apv) or common value (cv) (46 by default) |
| Rewards | change in profit / highest possible value of a prize |

**The auction** (Synthetic Labs, arXiv 2507.09083). The same bidders play several rounds, each of which sells one prize. In
each round every bidder observes its value of the prize (with `cv`, an estimate of it), and all bid once, simultaneously. The
highest bid wins if it is at least the reserve; ties are broken uniformly at random. The winner pays its bid (`first`), the
second-highest (`second`) or the third-highest (`third`) bid, but at least the reserve; with `all_pay`, every bidder pays its
bid. A bid of 0 counts as a bid. A seat that abstains or bids below the reserve cannot win; with `all_pay`, a bid below the
reserve is paid all the same.

Values are uniform on a grid. With `ipv` they are independent private values. With `apv` a value is the sum of a common and a
private part. With `cv` all bidders have the same value, and each observes an estimate with an error. `reveal` determines what
every bidder learns after a round: "all", as in the paper, reveals all bids without names, the winner's profit and, with `cv`,
the value; "price" reveals the price; "none" reveals nothing. The winner's name and other bidders' values are never revealed.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules, later only the news since the seat's last
decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders. Amounts are
divided by the highest possible value of a prize, and all features are clipped to [-10, 10]. Features that are not revealed
are 0. `feature_names(N)` of the module `aucenv.envs.sealed_bid.features` returns their names:

| index | feature |
|---|---|
| 0 | round, from 1, divided by the number of rounds; 1 at the end |
| 1 | the seat's value of this round's prize; with cv, its signal |
| 2 | the seat's profit so far |
| 3 | share of the closed rounds that the seat has won |
| 4 | the seat's value, or signal, in the last round |
| 5 | the seat's bid in the last round; 0 if there is none |
| 6 | 1 if the seat bid in the last round |
| 7 | 1 if the seat won the last round |
| 8 | the seat's profit in the last round |
| 9 | the last winner's payment, if revealed |
| 10 | the last winner's profit, if revealed |
| 11 | with cv, the last prize's value, if revealed; its winner can infer it in any case |
| 12 + k ... | for k = 0 ... N-1: the last round's bid of this rank, the highest first, if revealed; 0 if there is none |

**Actions.** `vector`: 0 abstains, and a >= 1 bids (a - 1) * `bid_step`, up to the cap; without a cap, up to twice the highest
signal. `amount`: dollars, rounded to cents; a negative amount abstains. `text`: a free-text reply, read by
`aucenv.core.words.reply`, such as "I bid $36" or "I abstain", in the scenario's currency. The text shows the format of a reply by a
bid that is drawn in every round and differs from the seat's value, so that it suggests no bid. A bid above the cap or between
steps, or an unreadable reply, is refused with the reason, and the bidder may try again up to `max_retries` times; after that
it abstains.
With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's value (with `cv`, of its signal). The product is
rounded to the nearest step and limited to the cap. Such an amount is always legal and never abstains.

**Rewards** are the change in profit when a round closes, divided by the highest possible value of a prize.

**Infos** are numbers, with amounts in dollars: `round`, `value` (0 at the end), `last_won` (0 or 1), `last_paid`, `last_price`
(0 if it is not revealed) and `last_profit` of the last round, `profit`, `prizes_won`, and `refused` (1 if the last reply was
refused, else 0). With `infos="full"`, None replaces missing values, and `refused` is the reason for the refusal, which text
observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last round. After `max_cycles` rounds they are truncated.

The environment warns if the cap is below the highest bid of the equilibrium. For example, with three bidders and values up to
$99, equilibrium bids in the third-price auction reach $198, but the published cap is $99.

**Differences from the paper's program** (github.com/KeHang-Zhu/llm-auction). An amount is read from the sentence that states
it; the program takes the first whole number of a reply. A bidder may try again 3 times after its first try. With `all_pay`,
losers pay their bids in every game (in the program's logs, only in half of the games). A seat may abstain. With `third` and
fewer than three bids, the highest bid wins and pays the reserve (in the program, nobody wins). Steps, reserves, caps and the
revealed results can be configured.

The published cap of $99 was announced to bidders but not enforced: outside common values, 54 logged bids are above it, up to
$136. `bid_cap=99` refuses them. The paper's appendix prints a bid of $36.50, which `bid_step=1` refuses and `bid_step=0.5`
accepts.

**Batch.** `aucenv.sealed_bid_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid abstains at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version.

```bibtex
@article{zhu2025syntheticlabs,
  title   = {Learning from Synthetic Labs: Language Models as Auction Participants},
  author  = {Shah, Anand and Zhu, Kehang and Jiang, Yanchen and Wang, Jeffrey G. and Dayi, Arif K. and Horton, John J. and Parkes, David C.},
  journal = {arXiv:2507.09083},
  year    = {2025}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np

from aucenv.core.declared import Money, OneOf, OrNone
from aucenv.core.game import Game
from aucenv.core.words.money import CURRENCIES, MAX_DOLLARS, to_cents, to_dollars
from aucenv.envs.forms import env_forms
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
    """A sealed-bid auction before the deal. `SingleItemScenario` has the fields shared with other auctions of an item.

    Source: Synthetic Labs, arXiv 2507.09083: its settings, one-shot variants, numbers of bidders, interventions,
    currencies and languages.
    """

    HIGHEST_BID: ClassVar[str] = "bid_cap"
    MAY_BE_NONE: ClassVar[tuple[str, ...]] = ("bid_cap",)

    pricing: Annotated[
        str,
        OneOf(PRICINGS),
        "What is paid: the winner pays the first, second or third price (with at least 3 bidders), or every seat pays "
        "its bid.",
    ] = "first"
    bid_cap: Annotated[float | None, OrNone(Money(exact=True)), "The highest legal bid; None = no limit."] = 99
    bid_step: Annotated[float, Money(exact=True), "The step between legal bids."] = 1
    reserve: Annotated[float, Money(0, exact=True), "The least bid that wins, and the least price."] = 0
    advice: Annotated[
        str, OneOf(ADVICE), 'The paper\'s intervention in the rules; "none" unless the pricing is "second".'
    ] = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.advice != "none" and self.pricing != "second":
            raise ValueError(
                f"{self._at('advice')}: expected 'none' unless the pricing is 'second', got {self.advice!r}"
            )
        if self.pricing == PRICINGS[THIRD] and self.num_bidders < 3:
            raise ValueError(f"{self._at('num_bidders')}: expected at least 3 for the third price, got 2")
        if self.bid_cap is not None:
            self._check_divides("bid_step", "bid_cap", to_cents(self.bid_cap))
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

    @property
    def warnings(self) -> list[str]:
        """Whether the bid cap is below the highest bid of the equilibrium, if its closed form is known."""
        n, top = self.num_bidders, self.highest_value
        highest = {"first": (n - 1) / n * top, "second": top, "all_pay": (n - 1) / n * top}.get(self.pricing)
        if self.pricing == "third":
            highest = (n - 1) / (n - 2) * top
        uniform = self.values == "ipv" and self.value_range[0] == 0
        truthful = self.values != "cv" and self.pricing == "second"
        if self.bid_cap is None or highest is None or not (uniform or truthful) or self.bid_cap >= highest:
            return []
        return [
            f"scenario {self.name!r}: bid_cap {self.bid_cap:g} is below {highest:g}, the highest equilibrium bid "
            f"with pricing {self.pricing}: the equilibrium cannot be played, and revenue and efficiency differ from "
            "the theory; bid_cap=None removes the cap"
        ]

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = self.template_of(State)
        row = template[0]
        self.write_constants(row)
        row["step"] = step = to_cents(self.bid_step)
        row["cap"] = to_cents(MAX_DOLLARS if self.bid_cap is None else self.bid_cap) // step * step
        return template


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


def num_actions(scenario: SealedBidScenario) -> int:
    """Return the number of vector actions: abstaining and every bid of the grid."""
    return scenario.num_bids + 1


GAME = Game(
    "sealed_bid",
    0,
    "aucenv.envs.sealed_bid",
    SealedBidScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.sealed_bid",
    population="aucenv.baselines.population.sealed_bid",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
