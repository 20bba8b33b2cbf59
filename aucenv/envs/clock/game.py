"""Clock auctions: one prize per round, with an ascending or a descending (Dutch) price clock.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(2); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 14 + 2 * bidders features (20 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the round's common part (apv) or common value (cv) (61 by default) |
| Rewards | change in profit / highest possible value of a prize |

**The auction** (Synthetic Labs, arXiv 2507.09083). The same bidders play several rounds, each of which sells one prize. In
each round every bidder observes its value of the prize (with `cv`, an estimate of it).

On an `ascending` clock the price rises in ticks. At each price, every bidder that is still in either stays, or leaves for the
rest of the round. The last bidder wins, at the price at which the last of its rivals left. If the last bidders leave at the
same price, one of them wins at that price, chosen uniformly at random; but if all bidders leave at the clock's first price
and it is above $0, the prize is not sold. If several bidders are still in at the clock's last price, one of them wins at that
price, chosen uniformly at random. With `open` feedback all bidders see at each tick how many are still in and
at which prices seats have left, without names; with `blind` feedback they see neither.

On a `descending` clock, the Dutch auction, the price falls in ticks. The first bidder that takes the prize pays the current
price. If several take it at the same price, one of them wins, chosen uniformly at random. If nobody takes it, the prize is
not sold.

With `ipv` values are independent private values. With `apv` a value is the sum of a common and a private part. With `cv` all
bidders have the same value, and each observes an estimate with an error. `reveal` determines what every bidder learns after a
round: "all" reveals the leaving prices without names, the winner's profit and, with `cv`, the value; "price" reveals the
price; "none" reveals nothing. What open feedback has shown while the clock ran stays known. The winner's name and other
bidders' values are never revealed.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules, later only the news since the seat's last
decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders. Amounts are
divided by the highest possible value of a prize, and all features are clipped to [-10, 10]. Features that are not revealed
are 0. `feature_names(N)` of the module `aucenv.envs.clock.features` returns their names:

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
| 12 | the clock's price |
| 13 | share of the seats that are still in, if revealed |
| 14 | 1 while the seat is still in |
| 15 | the price that the seat has named; 0 if there is none |
| 16 + k ... | for k = 0 ... N-1: the last round's bid of this rank, the highest first, if revealed; 0 if there is none |
| 16 + N + k ... | for k = 0 ... N-3: a price at which a seat has left in this round, the highest first, if revealed; 0 if there is none |

In this table, a bid is the price at which a seat left or took the prize.

**Actions.** `vector`: on an ascending clock, 0 leaves and 1 stays; on a descending clock, 0 waits and 1 takes the prize.
`amount` on an ascending clock: a negative amount leaves now, 0 stays at this tick, and an amount above the clock's price
names the price at which the seat will leave. `amount` on a descending clock: a negative amount waits at this tick, an amount
of at least the clock's price takes the prize now, at the clock's price, and a lower amount names the price at which the seat
will take it. `text`: the same decisions in words, read by `aucenv.envs.clock.reply`: "I stay", "I leave",
"I leave at $36"; "I wait", "I take it", "I take it at $36". A seat that has named a price has no more decisions in the round.

An action is refused, with the reason, if its text is unreadable, or if it names a price that an ascending clock has already
reached, that lies between two ticks or that is beyond the clock's last price. The bidder may then try again up to `max_retries`
times; after that it leaves (ascending) or waits (descending).

With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's value (with `cv`, of its signal). The product,
rounded to the nearest tick, is the price at which the seat leaves or takes the prize; if the clock has already passed
that price, the seat does so now.

**Rewards** are the change in profit when a round closes, divided by the highest possible value of a prize.

**Infos** are numbers, with amounts in dollars: `price` (the clock's price; 0 at the end), `tick`, `still_in` (how many
bidders; -1 if it is not revealed), `in` (whether the seat is still in, 0 or 1), `named` (the price that it has named; -1 if
none), `round`, `value`, `last_won` (0 or 1), `last_paid`, `last_price` (0 if it is not revealed), `last_profit`, `profit`,
`prizes_won`, and `refused` (1 if the last reply was refused, else 0). With `infos="full"`, None replaces missing values, and
`refused` is the reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last round. They are truncated after `max_cycles` ticks at which a seat had a
decision.

**Differences from the paper and its program** (github.com/KeHang-Zhu/llm-auction).

- A seat may name a price in advance. A bidder may try again 3 times after its first try.
- Open feedback lists the prices at which bidders left; the program's prompts list every tick with its price and the number that
  left at it, which is the same information. The program's prompts also name the rivals that are still in, on blind clocks, too,
  so that its blind clock reveals how many are left. Here a blind clock is blind.
- The published rules announce that all leaving prices and the winner's profit are displayed after a round. This is `reveal="all"`.
  The named scenarios have `reveal="price"`; the program's prompts on clocks carry nothing over from earlier rounds.
- The Dutch auction and clocks with `ipv` and `cv` are not in the paper. Its proxy auctions with many days, as on eBay,
  are `aucenv.ebay_v0`.

**Batch.** `aucenv.clock_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned environment
describes it. In a batch nobody may try again: by default, an illegal action leaves (ascending) or waits (descending) at once;
`illegal` can also clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its
next game.

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

from aucenv.core.declared import Money, OneOf
from aucenv.core.game import Game
from aucenv.core.scenarios import MOST_ROUNDS
from aucenv.core.words.money import to_cents
from aucenv.envs.clock.rules import DIRECTIONS, State
from aucenv.envs.forms import env_forms
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.single_item.values import PUBLISHED, SingleItemScenario

FEEDBACKS = ("open", "blind")


@dataclasses.dataclass(frozen=True)
class ClockScenario(SingleItemScenario):
    """A clock auction before the deal. `SingleItemScenario` has the fields shared with other auctions of an item.

    Source: Synthetic Labs, arXiv 2507.09083: ascending clocks, open and blind, with affiliated private values. The
    other scenarios are the same clocks with the paper's other value models, and Dutch auctions. All of them reveal the
    price after a round; the paper's rules announce what `reveal="all"` reveals.
    """

    HIGHEST_BID: ClassVar[str] = "highest_price"

    direction: Annotated[str, OneOf(DIRECTIONS), "The direction of the clock: descending is the Dutch auction."] = (
        "ascending"
    )
    feedback: Annotated[
        str,
        OneOf(FEEDBACKS),
        "Whether all seats see at each tick how many are still in and at which prices seats have left; only for "
        "ascending clocks.",
    ] = "open"
    lowest_price: Annotated[
        float, Money(0, exact=True), "The first price of an ascending clock, or the last price of a descending clock."
    ] = 0
    highest_price: Annotated[
        float, Money(0, exact=True), "The last price of an ascending clock, or the first price of a descending clock."
    ] = 99
    tick: Annotated[float, Money(exact=True), "The step between two prices."] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        lowest, highest = to_cents(self.lowest_price), to_cents(self.highest_price)
        if not lowest < highest:
            raise ValueError(
                f"{self._at('highest_price')}: expected more than lowest_price {self.lowest_price}, "
                f"got {self.highest_price}"
            )
        self._check_divides("tick", "highest_price", highest - lowest)
        if (highest - lowest) // to_cents(self.tick) > MOST_ROUNDS:
            raise ValueError(f"{self._at('tick')}: expected at most {MOST_ROUNDS:,} ticks, got {self.tick}")

    @property
    def start(self) -> float:
        """The clock's first price, in dollars."""
        return self.lowest_price if self.direction == "ascending" else self.highest_price

    @property
    def end(self) -> float:
        """The clock's last price, in dollars."""
        return self.highest_price if self.direction == "ascending" else self.lowest_price

    @property
    def highest_bid(self) -> float:
        return self.highest_price

    @property
    def solved_as_sealed(self) -> bool:
        """Whether the equilibrium is that of `as_sealed`.

        The equilibria differ if open feedback reveals information about a common value to three or more bidders.
        """
        return not (self.values == "cv" and self.direction == "ascending" and self.feedback == "open") or (
            self.num_bidders == 2
        )

    def as_sealed(self) -> SealedBidScenario:
        """Return the sealed-bid auction with the same outcomes if all seats name their prices at the start.

        An ascending clock is equivalent to a second-price auction, a descending clock to a first-price auction
        (Krishna, Auction Theory, section 1.2). With apv and cv, open feedback gives bidders additional information.
        """
        shared = {part.name: getattr(self, part.name) for part in dataclasses.fields(SingleItemScenario)}
        pricing = "second" if self.direction == "ascending" else "first"
        return SealedBidScenario(
            **shared, pricing=pricing, bid_cap=self.highest_price, bid_step=self.tick, reserve=self.lowest_price
        )

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = self.template_of(State)
        row = template[0]
        self.write_constants(row)
        row["falling"] = self.direction == "descending"
        row["open"] = self.feedback == "open" and self.direction == "ascending"
        row["start"], row["end"], row["tick"] = (to_cents(price) for price in (self.start, self.end, self.tick))
        return template


def _setting(name: str, values: str, **fields: Any) -> ClockScenario:
    return ClockScenario(name, reveal="price", **{**ClockScenario.published(values), **fields})


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_setting(f"ascending-{values}", values) for values in PUBLISHED),
        *(_setting(f"ascending-{values}-blind", values, feedback="blind") for values in PUBLISHED),
        *(_setting(f"descending-{values}", values, direction="descending") for values in PUBLISHED),
    )
}
DEFAULT_SCENARIO = "ascending-apv"


def num_actions(scenario: ClockScenario) -> int:
    """Return the number of vector actions: leave and stay, or wait and take the prize."""
    return 2


GAME = Game(
    "clock",
    0,
    "aucenv.envs.clock",
    ClockScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.clock",
    population="aucenv.baselines.population.clock",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
