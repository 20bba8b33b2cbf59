"""Proxy auctions with many days, as on eBay: one prize per round, a hidden maximum for each bidder.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(highest maximum / step + 2), 101 by default; `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes; one bidder moves in each step, the others have a single action |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 17 + 5 * bidders features (32 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features, the round's common part (apv) or common value (cv), and the reserve (98 by default) |
| Rewards | change in profit / highest possible value of a prize |

**The auction** (Synthetic Labs, arXiv 2507.09083). Each round sells one prize, in an auction of `days` days. On each day the
bidders move one after another, in an order that is drawn for the day and announced when the day begins; on the last day it is
not announced. A move raises the bidder's own maximum, or holds. A proxy bids for each bidder up to its maximum: with a single
maximum the price is the start price, otherwise it is the lower of the highest maximum and the second-highest one plus the
increment. The highest maximum leads; of equal ones, the one that was set first. After every move all bidders see who moved,
whether its maximum was raised, the price, and who leads. Nobody sees the maxima of others.

With the `hard` close the round ends after the announced number of days. With the `soft` close, each time the last day is about to
begin, a day is added if anybody has raised a maximum since the last addition (at first, since the start), up to 20 days. The
leader then wins and pays the price. A hidden reserve decides only whether the prize is sold: the highest maximum has to reach it.
With `lift_to_reserve` the winner also pays at least the reserve, as in textbooks.

With `ipv` values are independent private values. With `apv` a value is the sum of a common and a private part. With `cv` all
bidders have the same value, and each observes an estimate with an error. `reveal` determines what every bidder learns after a
round besides the price and the leader: "all" reveals the final maxima without names, the winner's profit and, with `cv`, the
value.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules and all moves, later only the news since the
seat's last move; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders. Amounts are
divided by the highest possible value of a prize, and all features are clipped to [-10, 10]. Features that are not revealed
are 0. `feature_names(N)` of the module `aucenv.envs.ebay.features` returns their names:

| index | feature |
|---|---|
| 0 | round, from 1, divided by the number of rounds; 1 at the end |
| 1 | the seat's value of this round's prize; with cv, its signal |
| 2 | the seat's profit so far |
| 3 | share of the closed rounds that the seat has won |
| 4 | the seat's value, or signal, in the last round |
| 5 | the seat's final maximum in the last round; 0 if there is none |
| 6 | 1 if the seat set a maximum in the last round |
| 7 | 1 if the seat won the last round |
| 8 | the seat's profit in the last round |
| 9 | the last winner's payment |
| 10 | the last winner's profit, if revealed |
| 11 | with cv, the last prize's value, if revealed; its winner can infer it in any case |
| 12 | the price |
| 13 | the seat's maximum; 0 before its first bid |
| 14 | 1 if the seat leads |
| 15 | 1 if any seat leads |
| 16 | day, from 1, divided by 20 |
| 17 | the number of days after this one, divided by 20 |
| 18 | 1 on the last day, on which no order is announced |
| 19 | 1 if anybody has bid since the last day was added, or since the start |
| 20 | 1 if the seat moves now |
| 21 + k ... | for k = 0 ... N-1: the last round's final maximum of this rank, the highest first, if revealed; 0 if there is none |
| 21 + N + 4 k ... | for k = 0 ... N-2, the rivals from the next seat on: 1 if the rival leads; 1 if it has bid in this round; the day on which it set its maximum, from 1, divided by 20, or 0; 1 if it moves later on this day, if the order is announced |

**Actions.** `vector`: 0 holds, and action a >= 1 sets the maximum to a - 1 steps. `amount`: the maximum; a negative amount, or the
seat's earlier maximum, holds. `text`: the same decisions in words, read by `aucenv.envs.ebay.reply`: "I hold", "I raise my maximum
to $45", "I bid $45". A maximum takes effect at once, so that a reply with a condition ("I go to $50 if I am outbid") is refused.

An action is refused, with the reason, if its text is unreadable, or if its maximum is below the seat's earlier maximum or below the
price, above the highest possible maximum, or between two steps. The bidder may then try again up to `max_retries` times; after that
it holds.

With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's value (with `cv`, of its signal). The product,
rounded to the nearest step, is the maximum; if it does not raise the seat's maximum, the seat holds.

**Rewards** are the change in profit when a round closes, divided by the highest possible value of a prize.

**Infos** are numbers, with amounts in dollars: `price` (0 at the end), `leads` (whether the seat leads, 0 or 1), `leader` (the number of
the seat that leads; -1 if none does), `day` (from 0), `days_left`, `maximum` (the seat's; -1 if none), `round`, `value`, `last_won` (0 or 1), `last_paid`,
`last_price`, `last_profit`, `profit`, `prizes_won`, and `refused` (1 if the last reply was refused, else 0). With
`infos="full"`, None replaces missing values, `leader` is the name of the seat, and `refused` is the reason for the refusal, which text
observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last round. They are truncated after `max_cycles` moves.

**Differences from the paper and its program** (github.com/KeHang-Zhu/llm-auction).

- Of equal maxima the one that was set first leads; in the program it is that of the earlier name. On about half of the moves
  with equal maxima in its logs, this is another bidder.
- Before the first bid there is no leader; the program's logs may name one.
- A maximum below the price is refused; the program accepts it, and a few logged bids are below the price.
- The program's prompts give the price, the bidder's last bid and the moves so far without amounts. Texts here also state the bidder's
  value, day and order, as the paper's rules do.
- Reserves that lift the price, several rounds, and `apv` and `cv` values are not in the paper.

**Batch.** `aucenv.ebay_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned environment
describes it. In a batch nobody may try again: by default, an illegal action holds; `illegal` can also clip it or raise an error.
The step after the end of a row's game ignores the row's actions and starts its next game.

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

from aucenv.core.checks import one_of
from aucenv.core.declared import Flag, Money, OneOf, Whole
from aucenv.core.game import Game
from aucenv.core.state import NOBODY
from aucenv.core.words.money import to_cents
from aucenv.envs.ebay.rules import MAX_DAYS, State
from aucenv.envs.forms import env_forms
from aucenv.envs.single_item.values import MAX_ROUNDS, REVEALS, SingleItemScenario

CLOSINGS = ("hard", "soft")
MAX_BIDS = 100_000
"""The maximum number of possible maxima of a seat."""


@dataclasses.dataclass(frozen=True)
class EbayScenario(SingleItemScenario):
    """A proxy auction before the deal. `SingleItemScenario` has the fields shared with other auctions of an item.

    `reveal` is "all" or "price": all seats see the price and the leader after every move in any case.

    Source: Synthetic Labs, arXiv 2507.09083: independent private values, ten days, hard and soft close, without a
    reserve and with hidden reserves of $40, $50 and $60.
    """

    HIGHEST_BID: ClassVar[str] = "highest_maximum"

    num_rounds: Annotated[int, Whole(1, MAX_ROUNDS), "Number of rounds, each of which sells one prize."] = 1
    reveal: Annotated[
        str, OneOf(REVEALS[:2]), "What a seat learns after a round besides its own result; see sealed bids."
    ] = "price"
    days: Annotated[
        int, Whole(1, MAX_DAYS), "The announced number of days, on each of which every seat moves once."
    ] = 10
    closing: Annotated[
        str,
        OneOf(CLOSINGS),
        "The end: soft adds a day each time the last day is about to begin, if anybody has bid since the last "
        f"addition, up to {MAX_DAYS} days.",
    ] = "hard"
    reserve: Annotated[
        float,
        Money(0, exact=True),
        "A hidden price that the highest maximum must reach for the prize to be sold; 0: none.",
    ] = 0
    lift_to_reserve: Annotated[
        bool,
        Flag(),
        "Whether the winner pays at least the reserve, as in textbooks; otherwise the reserve does not change the "
        "price, as in the paper.",
    ] = False
    start_price: Annotated[float, Money(0, exact=True), "The price before there are two maxima."] = 0
    increment: Annotated[float, Money(exact=True), "How far the price exceeds the second-highest maximum."] = 1
    highest_maximum: Annotated[float, Money(exact=True), "The highest maximum that a seat may state."] = 99
    bid_step: Annotated[float, Money(exact=True), "The step between two maxima."] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self._at("language"), self.language, ("english",))
        step, highest = to_cents(self.bid_step), to_cents(self.highest_maximum)
        for name in ("reserve", "start_price"):
            if to_cents(getattr(self, name)) > highest:
                raise ValueError(
                    f"{self._at(name)}: expected at most highest_maximum {self.highest_maximum}, "
                    f"got {getattr(self, name)}"
                )
        self._check_divides("bid_step", "highest_maximum", highest)
        if highest // step > MAX_BIDS:
            raise ValueError(f"{self._at('bid_step')}: expected at most {MAX_BIDS:,} steps, got {self.bid_step}")

    @property
    def highest_bid(self) -> float:
        return self.highest_maximum

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = self.template_of(State)
        row = template[0]
        self.write_constants(row)
        row["soft"], row["days"], row["lift"] = self.closing == "soft", self.days, self.lift_to_reserve
        row["led"] = NOBODY
        row["reserve"], row["start"] = to_cents(self.reserve), to_cents(self.start_price)
        row["increment"], row["step"], row["cap"] = map(to_cents, (self.increment, self.bid_step, self.highest_maximum))
        return template


def _condition(closing: str, reserve: float, **fields: Any) -> EbayScenario:
    name = closing if not reserve else f"{closing}-{reserve:g}"
    return EbayScenario(name, closing=closing, reserve=reserve, **fields)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_condition(closing, reserve) for closing in CLOSINGS for reserve in (0, 40, 50, 60)),
        EbayScenario("short", days=3, num_rounds=5),
    )
}
DEFAULT_SCENARIO = "hard"


def num_actions(scenario: EbayScenario) -> int:
    """Return the number of vector actions: a hold, and each maximum."""
    return to_cents(scenario.highest_maximum) // to_cents(scenario.bid_step) + 2


GAME = Game(
    "ebay",
    0,
    "aucenv.envs.ebay",
    EbayScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.ebay",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
