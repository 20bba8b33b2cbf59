"""Scenarios of English auctions: frozen dataclasses for items, bidders and rules, and the published scenarios by name.

Source: AucArena, arXiv 2310.05746: the standard items and budgets (section 3), the scarce budget of 10,000 in its plots
of bidders' behavior, and the niche scenario (two bidders for profit and two for items, 20 items).
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np

from aucenv.core.checks import FieldError, boolean, build, excerpt, field, no_duplicates, number, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import checked_dollars, to_cents
from aucenv.core.names import check_distinct, checked_bidder_name, checked_description, checked_name
from aucenv.core.state import NOBODY
from aucenv.envs.english.prices import PPM, check_length
from aucenv.envs.english.rules import MAX_BIDDERS, MIN_BIDDERS, OBJECTIVES, TARGET, State

T = TypeVar("T", bound=Any)  # the Bidder of a game: a dataclass with a name

ITEM_ORDERS = ("random", "ascending", "descending", "given")
NAMES = (
    *("Alex", "Blair", "Casey", "Devon", "Emery", "Flynn", "Gray", "Harper"),
    *("Indigo", "Jules", "Kai", "Logan", "Morgan", "Noel", "Oakley", "Parker"),
)


@dataclasses.dataclass(frozen=True)
class Item:
    """An item for sale.

    Attributes:
        id: a number or text, unique in its scenario.
        name: the name that bidders read, unlike those of the scenario's other items; one line of at most 60 characters.
        starting_price: the least legal first bid, in dollars, above 0.
        true_value: the resale value in dollars, the same for all bidders and unknown to them.
        description: text that bidders read besides the name, at most 2,000 characters; "" for none.
    """

    id: int | str
    name: str
    starting_price: float
    true_value: float
    description: str = ""

    def __post_init__(self) -> None:
        where = f"item {excerpt(self.id)}"
        if isinstance(self.id, bool) or not isinstance(self.id, (int, str)):
            raise FieldError(f"item {excerpt(self.name)}, id", f"expected a number or text, got {excerpt(self.id)}")
        if isinstance(self.id, str):
            checked_name(f"{where}, id", self.id)
        checked_name(f"{where}, name", self.name)
        if self.description != "":
            checked_description(f"{where}, description", self.description)
        put = object.__setattr__  # replaces numpy numbers by Python numbers, which JSON can encode
        put(self, "starting_price", checked_dollars(self.starting_price, f"{where}, starting_price"))
        put(self, "true_value", checked_dollars(self.true_value, f"{where}, true_value", least=0))


@dataclasses.dataclass(frozen=True)
class Bidder:
    """A bidder: its budget, objective and estimates.

    Attributes:
        name: the displayed name, one line of at most 60 characters; not like "you" or the name of another bidder.
        budget: dollars, above 0, for all items together.
        objective: "profit", "items" (the number of items won) or "item" (winning one target item).
        target: the name of the target item; only with objective "item".
        overestimate_percent: how much the bidder's estimates exceed the true values; negative for underestimates.
        noise_percent: half-width of the uniform error of the estimate of each item, in percent of its true value.
    """

    name: str
    budget: float
    objective: str = "profit"
    target: str | None = None
    overestimate_percent: float = 10
    noise_percent: float = 0

    def __post_init__(self) -> None:
        where = f"bidder {excerpt(self.name)}"
        checked_bidder_name(f"{where}, name", self.name)
        one_of(f"{where}, objective", self.objective, OBJECTIVES)
        put = object.__setattr__
        put(self, "budget", checked_dollars(self.budget, f"{where}, budget"))
        over = number(f"{where}, overestimate_percent", self.overestimate_percent, -100, 500)
        put(self, "overestimate_percent", over)
        put(self, "noise_percent", number(f"{where}, noise_percent", self.noise_percent, 0, 100))
        if (self.objective == "item") != (self.target is not None):
            got = excerpt(self.target)
            raise FieldError(f"{where}, target", f"expected a target with objective 'item' and only then, got {got}")


def resize_bidders(bidders: tuple[T, ...], num_bidders: int) -> tuple[T, ...]:
    """Return the first `num_bidders` of these bidders; if there are fewer, repeat them under new names.

    Raises:
        ValueError: the number is out of range.
    """
    whole_number("num_bidders", num_bidders, MIN_BIDDERS, MAX_BIDDERS)
    taken = {bidder.name for bidder in bidders}
    new_names = (name for name in NAMES if name not in taken)
    added_seats = range(len(bidders), num_bidders)
    added = [dataclasses.replace(bidders[i % len(bidders)], name=next(new_names)) for i in added_seats]
    return (*bidders, *added)[:num_bidders]


RULES = ("item_order", "increment", "discount", "ask_broke")
"""Fields of a scenario that are neither its items nor its bidders."""


@dataclasses.dataclass(frozen=True)
class EnglishScenario:
    """An English auction before the deal.

    Attributes:
        name: the scenario's name in records, tables and errors.
        items: the items for sale; at least 1.
        bidders: the bidders by seat; 2 to 16.
        item_order: "random"; "ascending" or "descending" by starting price; or as "given".
        increment: the least raise as a share of the item's current starting price, 0 to 10; with it and these budgets,
            no item may take more than 100,000 rounds.
        discount: whether a starting price that receives no bid is halved, up to 3 times.
        ask_broke: whether a bidder that cannot pay the least legal bid has a decision, too, as in AucArena's program;
            otherwise it withdraws without being asked.
    """

    name: str
    items: tuple[Item, ...]
    bidders: tuple[Bidder, ...]
    item_order: str = "random"
    increment: float = 0.1
    discount: bool = False
    ask_broke: bool = False

    def __post_init__(self) -> None:
        where = f"scenario {checked_name('scenario, name', self.name)!r}"
        one_of(f"{where}, item_order", self.item_order, ITEM_ORDERS)
        object.__setattr__(self, "increment", number(f"{where}, increment", self.increment, 0, 10))
        for name in ("discount", "ask_broke"):
            object.__setattr__(self, name, boolean(f"{where}, {name}", getattr(self, name)))
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

    def changed(
        self,
        *,
        num_bidders: int | None = None,
        num_items: int | None = None,
        budget: float | None = None,
        overestimate: float | None = None,
        **others: Any,
    ) -> EnglishScenario:
        """Return this scenario with other sizes; additional bidders are copies of its bidders under new names.

        Args:
            num_items: number of items to keep, from the first.
            budget, overestimate: the budget in dollars, and the overestimate in percent, of every bidder.
            others: new values of RULES, by field; None keeps a field.

        Raises:
            ValueError: an argument is out of range.
        """
        items, bidders = self.items, self.bidders
        if num_items is not None:
            items = items[: whole_number("num_items", num_items, 1, len(items))]
        if num_bidders is not None:
            bidders = resize_bidders(bidders, num_bidders)
        if budget is not None:
            bidders = tuple(dataclasses.replace(bidder, budget=budget) for bidder in bidders)
        if overestimate is not None:
            bidders = tuple(dataclasses.replace(bidder, overestimate_percent=overestimate) for bidder in bidders)
        chosen = {one_of("field", name, RULES): value for name, value in others.items() if value is not None}
        return dataclasses.replace(self, items=items, bidders=bidders, **chosen)

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
        template = np.zeros(1, State.dtype(seat=len(self.bidders), item=len(self.items)))
        row = template[0]
        row["num_seats"], row["num_items"] = len(self.bidders), len(self.items)
        row["forced_tie"] = NOBODY
        row["discount"], row["ask_broke"] = self.discount, self.ask_broke
        row["increment"] = round(self.increment * PPM)
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

    def to_dict(self) -> JsonObject:
        """Return plain data from which `from_dict` restores this scenario."""
        parts = {"items": [dict(vars(item)) for item in self.items], "bidders": [dict(vars(b)) for b in self.bidders]}
        return {part.name: parts.get(part.name, getattr(self, part.name)) for part in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, data: JsonMapping, where: str = "scenario") -> EnglishScenario:
        """Return the scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value is out of range; the message names `where`.
        """
        items = [build(Item, item, where, ("items", j)) for j, item in enumerate(field(data, "items", list, where))]
        bidders = field(data, "bidders", list, where)
        built = [build(Bidder, bidder, where, ("bidders", seat)) for seat, bidder in enumerate(bidders)]
        return build(cls, {**data, "items": tuple(items), "bidders": tuple(built)}, where)


Scenario = EnglishScenario
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
