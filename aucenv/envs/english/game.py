"""English auctions: items are sold one after another by open, ascending bidding.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + 7 * bidders + 5 * items features (83 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (259 by default) |
| Rewards | change in profit / sum of the starting prices; or items won / number of items; or 1 for the target item |

**The auction** (AucArena, arXiv 2310.05746). Items are sold one after another. The items, their order and their starting
prices are public. Each bidder has a private estimate of each item's true value, by default 10% too high. Bidding rounds are
simultaneous. A bidder has a decision if it has not withdrawn from the item, does not hold the standing bid and can afford the
least legal bid (with `ask_broke`, also if it cannot: withdrawing is then its only legal action): it either bids, or withdraws from this item for good. The least legal bid is the starting price; once there
is a standing bid, it is that bid plus 10% of the item's current starting price. No bid may exceed the bidder's remaining
budget. The highest bid of a round becomes the standing bid; ties are broken uniformly at random. If only one bidder bids in
the first round that has a bid, that bidder wins at once; otherwise the item is sold as soon as nobody bids in a round. The
winner pays its bid and receives the true value, which is then revealed to all bidders. The true value may be less than the
price. If the scenario has `discount`, a starting price that receives no bid is halved, and rounded down
to whole dollars, up to three times; every bidder may then bid again.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules and items, later only the news since the
seat's last decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders and
M items. Prices are divided by the item's starting price before discounts, sums of money by the sum of the starting prices,
and all features are clipped to [-10, 10]. `feature_names(N, M)` of the module `aucenv.envs.english.features` returns their
names:

| index | feature |
|---|---|
| 0 | share of the items that are closed |
| 1 | round of the current item, divided by 10 |
| 2 | halvings of the starting price, divided by 3 |
| 3 | current starting price |
| 4 | standing bid; 0 if there is none |
| 5 | least legal bid |
| 6 | least raise over the standing bid |
| 7 | the seat's estimate of the true value |
| 8 | r / (r + 10), where r is the number of increments above the least legal bid that the budget allows |
| 9, 10, 11 | 1 if the seat's objective is profit; the number of items; the current item |
| 12 + 7k ... | for k = 0 ... N-1, the bidder k seats further: active, leads, last bid, bids / 10, budget, profit, items won |
| 12 + 7N + 5j ... | for item j: starting price / sum of all, the seat's estimate, 1 won / -1 lost / 0 open, h / (h + starting price) for the hammer price h, true value |

**Actions.** `vector`: 0 withdraws, and a in 1 ... ladder bids the least legal bid plus a - 1 increments. `amount`: dollars,
rounded to cents; a negative amount withdraws. `text`: a free-text reply, read by `aucenv.core.words.reply`. The
final decision of the reply counts, such as "I bid $1,500!" or "I'm out!". The reasoning before it may contain any numbers,
but a reply that ends with two different decisions is refused as ambiguous. The legality of bids is the same in all
interfaces. An illegal bid or an unreadable reply is refused with the reason, and the bidder may try again up to `max_retries`
times; after that it withdraws. A seat without a decision has one legal action, 0, and its submitted actions are ignored.
With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's estimate (of its remaining budget if its objective
is not profit), rounded to cents. A share below the least legal bid withdraws, and a share above the budget bids the whole
budget, so no share is illegal.

**Rewards** follow each bidder's objective in the scenario. For "profit", the reward is the change in profit divided by the
sum of all starting prices, which is public. On AucArena's items, whose true value is twice the starting price, these rewards
add up to the profit ratio: profit / sum of (true value - starting price). For "items", each item won gives 1 / number of
items. For "item", winning the target item gives 1. Rewards are paid when an item is sold.

**Infos** are numbers: `item` (its index in the scenario; -1 at the end), `round`, `standing_bid` and `least_bid` (dollars; 0
if there is none), `leader` (the seat's number; -1 if there is none), `budget`, `profit`, `items_won`, and `refused` (1 if the
last reply was refused, else 0). With `infos="full"`, names replace indices, None replaces missing values, and `refused` is
the reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together when the last item is closed. After `max_cycles` rounds they are truncated; a bid that
is standing then is not paid. A scenario with which an item could take more than 100,000 rounds is refused.

**Differences from the paper's program** (github.com/jiangjiechen/auction-arena). Ties are fair (the program flips a coin
between pairs repeatedly, which favors the later seat). A bidder may try again at most `max_retries` times after a refusal
(the program sets no limit). An item whose starting price would be halved to $0 stays unsold. The least raise keeps its cents
and is at least one cent (the program drops the cents: at a starting price of $175, the least raise is $17.50 here and $17
there). The true value of an unsold item is never revealed. Estimates keep their cents (the program drops them) and may have
noise.

By default, a bidder that cannot afford the least legal bid withdraws without a decision. The program asks it, and so do games
with `ask_broke=True`, which comparisons with the paper's results need: without it, the rate of failed bids (CFR) is too low,
because bids over the budget lose their main occasion. In AucArena's competition of the built-in rule bidders, 12.6% of all
pairs of a bidder and an item have no decision for this reason (19.0% at budgets of $20,000, 6.1% at $40,000). A bidder that
raises up to its estimate without regard to its budget has 0.0% failed bids by default, and 7.1% with `ask_broke=True`. Prices,
winners and profits of rule bidders are the same in both cases.

**Batch.** `aucenv.english_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid withdraws at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version.

```bibtex
@article{chen2023aucarena,
  title   = {Put Your Money Where Your Mouth Is: Evaluating Strategic Planning and Execution of LLM Agents in an Auction Arena},
  author  = {Chen, Jiangjie and Yuan, Siyu and Ye, Rong and Majumder, Bodhisattwa Prasad and Richardson, Kyle},
  journal = {arXiv:2310.05746},
  year    = {2023}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np

from aucenv.core.checks import FieldError, excerpt, no_duplicates, one_of, whole_number
from aucenv.core.declared import (
    BidderName,
    Declared,
    Description,
    Flag,
    Id,
    Money,
    Name,
    OneOf,
    OrNone,
    Parts,
    Real,
    Whole,
)
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.scenarios import MOST_ROUNDS, Scenario
from aucenv.core.state import NOBODY
from aucenv.core.words.money import format_dollars, to_cents, to_dollars
from aucenv.core.words.names import are_of_records, check_distinct
from aucenv.envs.english.rules import (
    MAX_BIDDERS,
    MAX_DISCOUNTS,
    MIN_BIDDERS,
    OBJECTIVES,
    PPM,
    TARGET,
    State,
    halved,
    least_raise,
)
from aucenv.envs.forms import env_forms

T = TypeVar("T", bound=Any)  # the Bidder of a game: a dataclass with a name

LADDER, LADDERS = 10, Whole(1, 1000)
SEATS = Whole(MIN_BIDDERS, MAX_BIDDERS)
ITEM_ORDERS = ("random", "ascending", "descending", "given")
NAMES = (
    *("Alex", "Blair", "Casey", "Devon", "Emery", "Flynn", "Gray", "Harper"),
    *("Indigo", "Jules", "Kai", "Logan", "Morgan", "Noel", "Oakley", "Parker"),
)


_half = getattr(halved, "py_func", halved)  # a scenario compiles nothing
_raise = getattr(least_raise, "py_func", least_raise)


def check_length(
    where: str, starting_prices: Sequence[float], budgets: Sequence[float], increment: float, discount: bool = False
) -> None:
    """Check that no item can take more than MOST_ROUNDS rounds; games of records have been played.

    Args:
        where: the scenario, for the error.
        starting_prices, budgets: in dollars.
        increment: the least raise, as a share of the starting price.
        discount: whether a starting price that receives no bid is halved.

    Raises:
        FieldError: an item can; the message names the bids, and how many rounds there may be.
    """
    if are_of_records():
        return
    price, halvings = min(map(to_cents, starting_prices)), 0  # the longest sale is that of the cheapest item
    while discount and halvings < MAX_DISCOUNTS and _half(price) > 0:
        price, halvings = _half(price), halvings + 1
    *_, second, _ = sorted(map(to_cents, budgets))  # from there on, only one bidder can raise, and only once
    least = _raise(price, round(increment * PPM))
    rounds = halvings + max(0, second - price) // least + 3  # the first bid, the last raise, a round without bids
    if rounds > MOST_ROUNDS:
        bids = f"{format_dollars(price)} to {format_dollars(second)}, each {format_dollars(least)} higher"
        raise FieldError(
            f"{where}, increment",
            f"expected at most {MOST_ROUNDS:,} rounds an item, got {increment:g}, with which there may be {rounds:,}: "
            f"bids from {bids}; raise the increment, or lower the budgets",
        )


def longest_budget(starting_prices: Sequence[float], increment: float = 0.1) -> float:
    """Return the highest budget in dollars with which no item can take more than MOST_ROUNDS rounds, without discounts.

    Args:
        starting_prices: in dollars.
        increment: the least raise, as a share of the starting price.
    """
    price = min(map(to_cents, starting_prices))
    return to_dollars(price + (MOST_ROUNDS - 3) * _raise(price, round(increment * PPM)))


@dataclasses.dataclass(frozen=True)
class Item(Declared):
    """An item for sale."""

    KIND: ClassVar[str] = "item"
    KEY: ClassVar[str] = "id"

    id: Annotated[int | str, Id(), "A number or text, unique in its scenario."]
    name: Annotated[str, Name(), "What bidders read, unlike the names of the scenario's other items."]
    starting_price: Annotated[float, Money(), "The least legal first bid."]
    true_value: Annotated[float, Money(0), "The resale value, the same for all bidders and unknown to them."]
    description: Annotated[str, Description(), 'Text that bidders read besides the name; "" for none.'] = ""


@dataclasses.dataclass(frozen=True)
class Bidder(Declared):
    """A bidder: its budget, objective and estimates."""

    KIND: ClassVar[str] = "bidder"

    name: Annotated[str, BidderName(), "The displayed name, unlike those of other bidders."]
    budget: Annotated[float, Money(), "The budget for all items together."]
    objective: Annotated[str, OneOf(OBJECTIVES), "Profit, the number of items won, or winning one target item."] = (
        "profit"
    )
    target: Annotated[str | None, OrNone(Name()), 'The name of the target item; only with objective "item".'] = None
    overestimate_percent: Annotated[
        float,
        Real(-100, 500, "percent"),
        "How much the bidder's estimates exceed the true values; negative for underestimates.",
    ] = 10
    noise_percent: Annotated[
        float,
        Real(0, 100, "percent"),
        "Half-width of the uniform error of the estimate of each item, as a share of its true value.",
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.objective == "item") != (self.target is not None):
            got = excerpt(self.target)
            raise FieldError(self._at("target"), f"expected a target with objective 'item' and only then, got {got}")


def resize_bidders(bidders: tuple[T, ...], num_bidders: int) -> tuple[T, ...]:
    """Return the first `num_bidders` of these bidders; if there are fewer, repeat them under new names.

    Raises:
        ValueError: The number is out of range.
    """
    SEATS.check("num_bidders", num_bidders)
    taken = {bidder.name for bidder in bidders}
    new_names = (name for name in NAMES if name not in taken)
    added_seats = range(len(bidders), num_bidders)
    added = [dataclasses.replace(bidders[i % len(bidders)], name=next(new_names)) for i in added_seats]
    return (*bidders, *added)[:num_bidders]


@dataclasses.dataclass(frozen=True)
class EnglishScenario(Scenario):
    """An English auction before the deal.

    Source: AucArena, arXiv 2310.05746: the standard items and budgets (section 3), the scarce budget of 10,000 in its
    plots of bidders' behavior, and the niche scenario (two bidders for profit and two for items, 20 items).
    """

    items: Annotated[tuple[Item, ...], Parts(Item), "The items for sale; at least 1."]
    bidders: Annotated[tuple[Bidder, ...], Parts(Bidder), "The bidders by seat; 2 to 16."]
    item_order: Annotated[
        str, OneOf(ITEM_ORDERS), "The order of the items: random in each deal, by starting price, or as given."
    ] = "random"
    increment: Annotated[
        float,
        Real(0, 10),
        "The least raise as a share of the item's current starting price; with it and the budgets, no item may take "
        "more than 100,000 rounds.",
    ] = 0.1
    discount: Annotated[bool, Flag(), "Whether a starting price that receives no bid is halved, up to 3 times."] = False
    ask_broke: Annotated[
        bool,
        Flag(),
        "Whether a bidder that cannot pay the least legal bid is asked, too, as in AucArena's program, whose rates of "
        "failed bids need it; otherwise it withdraws without being asked.",
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self._where
        if not self.items:
            raise ValueError(f"{where}: expected at least 1 item, got none")
        whole_number(f"{where}, number of bidders", len(self.bidders), MIN_BIDDERS, MAX_BIDDERS)
        no_duplicates(f"{where}, item ids", [item.id for item in self.items])
        check_distinct(where, "items", [item.name for item in self.items], equal_in_records=True)
        check_distinct(where, "bidders", [bidder.name for bidder in self.bidders])
        for bidder in self.bidders:
            if bidder.target is not None:
                names = [item.name for item in self.items]
                one_of(f"bidder {bidder.name!r}, target", bidder.target, names)
                no_duplicates(f"{where}, items with the name of a target", [n for n in names if n == bidder.target])
        starting_prices = [item.starting_price for item in self.items]
        check_length(where, starting_prices, [b.budget for b in self.bidders], self.increment, self.discount)

    def adapt(
        self,
        num_bidders: Annotated[
            int | None,
            SEATS,
            "Number of seats; additional bidders are copies of the scenario's under new names.",
        ] = None,
        num_items: Annotated[int | None, Whole(1), "How many items to keep, from the first."] = None,
        budget: Annotated[float | None, Money(), "The budget of every bidder."] = None,
        overestimate: Annotated[
            float | None, Real(-100, 500, "percent"), "How much every bidder's estimates exceed the true values."
        ] = None,
        **fields: Any,
    ) -> JsonObject:
        items, bidders = fields.get("items", self.items), fields.get("bidders", self.bidders)
        if num_items is not None:
            items = items[: whole_number("num_items", num_items, 1, len(items))]
        if num_bidders is not None:
            bidders = resize_bidders(bidders, num_bidders)
        if budget is not None:
            bidders = tuple(dataclasses.replace(bidder, budget=budget) for bidder in bidders)
        if overestimate is not None:
            bidders = tuple(dataclasses.replace(bidder, overestimate_percent=overestimate) for bidder in bidders)
        return {**fields, "items": items, "bidders": bidders}

    @property
    def num_items(self) -> int:
        return len(self.items)

    @property
    def highest_bid(self) -> float:
        """The highest possible bid of any bidder, in dollars."""
        return max(bidder.budget for bidder in self.bidders)

    @property
    def profit_scale(self) -> float:
        """The divisor of profit in rewards, in dollars: the sum of the starting prices."""
        return sum(to_cents(item.starting_price) for item in self.items) / 100

    @property
    def listing(self) -> tuple[Item, ...]:
        """The items in the auction's order; if the order is random, the order before the deal shuffles them."""
        if self.item_order in ("random", "given"):
            return self.items
        descending = self.item_order == "descending"
        return tuple(sorted(self.items, key=lambda item: item.starting_price, reverse=descending))

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game.

        `lot` is an item's index in `items`.
        """
        template = self.template_of(State)
        row = template[0]
        row["total"] = sum(to_cents(item.starting_price) for item in self.items)
        row["shuffled"] = self.item_order == "random"
        row["winner"] = NOBODY
        lot_by_id = {item.id: lot for lot, item in enumerate(self.items)}
        lot_by_name = {item.name: lot for lot, item in enumerate(self.items)}
        for j, item in enumerate(self.listing):
            row["lot"][j] = lot_by_id[item.id]
            row["start"][j] = to_cents(item.starting_price)
            row["value"][j] = to_cents(item.true_value)
        for seat, bidder in enumerate(self.bidders):
            row["endowment"][seat] = row["budget"][seat] = to_cents(bidder.budget)
            row["bias"][seat] = round(bidder.overestimate_percent * PPM / 100)
            row["noise"][seat] = round(bidder.noise_percent * PPM / 100)
            row["objective"][seat] = OBJECTIVES.index(bidder.objective)
            row["target"][seat] = lot_by_name[bidder.target] if bidder.target is not None else NOBODY
        assert not (row["objective"] == TARGET)[row["target"] == NOBODY].any()
        return template


EnglishScenario = EnglishScenario
"""The scenario class, under the name that all games share."""

STANDARD_ITEMS = tuple(
    Item(id=number_, name=name, starting_price=price, true_value=2 * price)
    for number_, (name, price) in enumerate(
        [
            ("Widget A", 1000),
            ("Gadget B", 3000),
            ("Thingamajig C", 4000),
            ("Doodad D", 2000),
            ("Equipment E", 5000),
            ("Gizmo F", 3000),
            ("Implement G", 2000),
            ("Apparatus H", 4000),
            ("Contraption I", 1000),
            ("Mechanism J", 5000),
        ],
        start=1,
    )
)
"""AucArena's ten items; the true value is twice the starting price."""

NICHE_ITEMS = tuple(
    Item(id=i + 1, name=f"Lot {i + 1}", starting_price=price, true_value=2 * price)
    for i, price in enumerate([5000] * 4 + [1000] * 16)
)
"""The items of AucArena's niche study: 4 at 5000 and 16 at 1000."""


def _standard(budget: int, order: str) -> EnglishScenario:
    bidders = tuple(Bidder(name, budget) for name in NAMES[:3])
    return EnglishScenario(f"standard-{budget // 1000}k-{order}", STANDARD_ITEMS, bidders, order)


def _niche(budget: int) -> EnglishScenario:
    objectives = ("profit", "profit", "items", "items")
    bidders = tuple(Bidder(name, budget, objective) for name, objective in zip(NAMES, objectives, strict=False))
    return EnglishScenario(f"niche-{budget // 1000}k", NICHE_ITEMS, bidders)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_standard(budget, order) for budget in (10_000, 20_000, 40_000) for order in ITEM_ORDERS[:3]),
        *(_niche(budget) for budget in (10_000, 20_000, 30_000)),
    )
}
DEFAULT_SCENARIO = "standard-20k-random"


def num_actions(
    scenario: EnglishScenario, ladder: Annotated[int, LADDERS, "The number of vector bids."] = LADDER
) -> int:
    """Return the number of vector actions: withdrawing and `ladder` bids."""
    return LADDERS.check("ladder", ladder) + 1


GAME = Game(
    "english",
    0,
    "aucenv.envs.english",
    EnglishScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.english",
    population="aucenv.baselines.population.english",
    agents=("bdi",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
