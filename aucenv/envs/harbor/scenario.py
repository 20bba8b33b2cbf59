"""Scenarios of housing auctions: frozen dataclasses for bidders, houses and rules.

Source: HARBOR, arXiv 2502.12149: a budget of $1,000,000, estimates that are 10% too high, and ten houses, with two
that match the personas of each bidder that has any.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from aucenv.core.checks import FieldError, build, excerpt, field, no_duplicates, nonempty_text, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import to_cents
from aucenv.core.names import check_distinct, checked_name, names_of_records
from aucenv.core.state import NOBODY
from aucenv.envs.english import scenario as english
from aucenv.envs.english.prices import check_length
from aucenv.envs.english.rules import MAX_BIDDERS, MIN_BIDDERS
from aucenv.envs.english.scenario import resize_bidders
from aucenv.envs.harbor.generate import listings_of
from aucenv.envs.harbor.houses import House, Listing, best_persona, likings
from aucenv.envs.harbor.personas import PERSONAS, SPLITS, Persona, personas
from aucenv.envs.harbor.rules import ANY, DRAWN, LIKING, NUM_PERSONAS, State

BUDGET = 1_000_000
NUM_ITEMS = 10
MATCHES = 2
MAX_MATCHES = 1000
ORDERS = ("random", "ascending", "descending", "given")


@dataclasses.dataclass(frozen=True)
class Bidder:
    """A bidder: its budget, personas and estimates.

    Attributes:
        name: the displayed name, one line of at most 60 characters; not like "you" or the name of another bidder.
        budget: dollars, above 0, for all houses together.
        personas: none, one, or a mix of two; each is an id, or "drawn" for one that the deal draws.
        overestimate_percent: how much the bidder's estimates exceed the true values; negative for underestimates.
        noise_percent: half-width of the uniform error of the estimate of each house, in percent of its true value.
    """

    name: str
    budget: float = BUDGET
    personas: tuple[str, ...] = ("drawn",)
    overestimate_percent: float = 10
    noise_percent: float = 0

    def __post_init__(self) -> None:
        where = f"bidder {excerpt(self.name)}"
        self.to_english()
        if isinstance(self.personas, str) or not isinstance(self.personas, Sequence):
            raise FieldError(f"{where}, personas", f"expected a list of none, one or two, got {excerpt(self.personas)}")
        if len(self.personas) > 2:
            got = f"{', '.join(map(str, self.personas)):.80}"
            raise FieldError(f"{where}, personas", f"expected none, one or two, got {got}")
        for name in self.personas:
            nonempty_text(f"{where}, personas", name)
        no_duplicates(f"{where}, personas", [name for name in self.personas if name != "drawn"])
        object.__setattr__(self, "personas", tuple(self.personas))

    def to_english(self) -> english.Bidder:
        """Return the bidder without personas, with its fields validated."""
        over, noise = self.overestimate_percent, self.noise_percent
        return english.Bidder(self.name, self.budget, overestimate_percent=over, noise_percent=noise)


@dataclasses.dataclass(frozen=True)
class HarborScenario:
    """A housing auction before the deal.

    Attributes:
        name: the scenario's name in records, tables and errors.
        bidders: the bidders by seat; 2 to 16.
        houses: the houses of a split, "train" or "evaluation"; "fresh-N", generated from seed N; or listings.
        num_items: how many of the houses are sold. If not all are sold, the deal draws them.
        matches: how many houses the deal draws for each bidder that has a persona (half for each of two personas). The
            other houses match no bidder, as long as there are such houses. None draws uniformly among all houses.
        item_order: "random"; "ascending" or "descending" by starting price; or as "given" in `houses`.
        increment: the least raise as a share of the item's starting price.
        split: the split of the descriptions of personas, "train" or "evaluation".
        kinds: ten custom personas; empty for those of HARBOR.
    """

    name: str
    bidders: tuple[Bidder, ...]
    houses: str | tuple[Listing, ...] = "evaluation"
    num_items: int = NUM_ITEMS
    matches: int | None = MATCHES
    item_order: str = "random"
    increment: float = 0.1
    split: str = "evaluation"
    kinds: tuple[Persona, ...] = ()

    def __post_init__(self) -> None:
        where = f"scenario {checked_name('scenario, name', self.name)!r}"
        one_of(f"{where}, split", self.split, SPLITS)
        one_of(f"{where}, item_order", self.item_order, ORDERS)
        whole_number(f"{where}, number of bidders", len(self.bidders), MIN_BIDDERS, MAX_BIDDERS)
        if self.kinds and len(self.kinds) != NUM_PERSONAS:
            raise ValueError(f"{where}, kinds: expected {NUM_PERSONAS} personas, got {len(self.kinds)}")
        ids = self.persona_ids
        no_duplicates(f"{where}, kinds", list(ids))
        check_distinct(where, "kinds", [persona.name for persona in self.kinds], equal_in_records=True)
        check_distinct(where, "bidders", [bidder.name for bidder in self.bidders])
        for bidder in self.bidders:
            for name in bidder.personas:
                one_of(f"bidder {bidder.name!r}, personas", name, (*ids, "drawn"))
        listings = self.items
        if not listings:
            raise ValueError(f"{where}, houses: expected some, got none")
        check_distinct(where, "houses", [listing.name for listing in listings])
        whole_number(f"{where}, num_items", self.num_items, 1, len(listings))
        if self.matches is not None:
            whole_number(f"{where}, matches", self.matches, 0, MAX_MATCHES)
        for listing in () if isinstance(self.houses, str) and not self.kinds else listings:
            best = best_persona(listing, self.personas)
            if listing.persona != best:
                problem = f"expected {best!r}, got {excerpt(listing.persona)}"
                raise ValueError(f"house {listing.name!r}, persona: {problem}")
        if self.num_items < len(listings):
            self._check_matches(where)
        object.__setattr__(self, "increment", self.auction.increment)  # `auction` validates all other fields
        check_length(where, [x.starting_price for x in listings], [b.budget for b in self.bidders], self.increment)

    def _check_matches(self, where: str) -> None:
        """Raise unless there are enough items, and enough houses for all personas that may be drawn."""
        if self.matches is None:
            return
        needed = items_needed(self.bidders, self.matches)
        if needed > self.num_items:
            raise ValueError(
                f"{where}: expected at least {needed} items for {self.matches} matches each, got {self.num_items}"
            )
        shares = matches_per_persona(self.bidders, self.matches)
        counts = Counter(listing.persona for listing in self.items)
        for name in self.persona_ids:
            needed = max([share for persona, share in shares if persona in (name, "drawn")], default=0)
            if counts[name] < needed:
                raise ValueError(f"{where}, houses: expected at least {needed} that match {name!r}, got {counts[name]}")

    def changed(
        self,
        *,
        num_bidders: int | None = None,
        num_items: int | None = None,
        budget: float | None = None,
        item_order: str | None = None,
        personas: str | Sequence[str] | None = None,
        matches: int | None = None,
        houses: str | None = None,
    ) -> HarborScenario:
        """Return this scenario with other sizes; additional bidders are copies of its bidders under new names.

        Args:
            budget: the budget of every bidder, in dollars.
            personas: an entry for all bidders or one for each: "none", "drawn", an id, or two joined by a plus.
            matches: by default the scenario's, or fewer if there are not enough items for all matches.
            houses: "train", "evaluation" or "fresh-N".

        Raises:
            ValueError: an argument is out of range.
        """
        bidders = self.bidders
        if num_bidders is not None:
            bidders = resize_bidders(bidders, num_bidders)
        if budget is not None:
            bidders = tuple(dataclasses.replace(bidder, budget=budget) for bidder in bidders)
        if personas is not None:
            if not isinstance(personas, (str, list, tuple)):
                raise ValueError(f"personas: expected some text or a list, got {excerpt(personas)}")
            entries = [personas] * len(bidders) if isinstance(personas, str) else list(personas)
            if len(entries) != len(bidders):
                raise ValueError(f"personas: expected one entry for each of {len(bidders)} bidders, got {len(entries)}")
            pairs = zip(bidders, entries, strict=True)
            bidders = tuple(dataclasses.replace(b, personas=parse_personas(entry)) for b, entry in pairs)
        if matches is None and self.matches is not None:
            items = self.num_items if num_items is None else whole_number("num_items", num_items, 1)
            matches = next(m for m in range(self.matches, -1, -1) if m == 0 or items_needed(bidders, m) <= items)
        changes: JsonObject = {"num_items": num_items, "item_order": item_order, "matches": matches, "houses": houses}
        return dataclasses.replace(
            self, bidders=bidders, **{name: value for name, value in changes.items() if value is not None}
        )

    @property
    def personas(self) -> tuple[Persona, ...]:
        """The ten personas, in the order that all arrays with one number for each persona use."""
        return self.kinds or personas()

    @property
    def persona_ids(self) -> tuple[str, ...]:
        return tuple(persona.id for persona in self.kinds) or PERSONAS

    @property
    def items(self) -> tuple[Listing, ...]:
        """All houses, from which the deal takes `num_items`."""
        return listings_of(self.houses)

    @property
    @names_of_records()  # this scenario's fields have the rules of names
    def auction(self) -> english.EnglishScenario:
        """The English auction of the first `num_items` houses, without personas."""
        listings = self.items[: self.num_items]
        items = tuple(english.Item(x.name, x.name, x.starting_price, x.true_value, x.description) for x in listings)
        order = "random" if self.item_order == "random" else "given"
        bidders = tuple(bidder.to_english() for bidder in self.bidders)
        return english.EnglishScenario(self.name, items, bidders, order, self.increment)

    @property
    def highest_bid(self) -> float:
        """The highest possible bid of any bidder, in dollars."""
        return max(bidder.budget for bidder in self.bidders)

    @property
    def profit_scale(self) -> float:
        """The divisor of profit in rewards, in dollars: `num_items` times the mean starting price of all houses."""
        return self._total() / 100

    def _total(self) -> int:
        return round(sum(to_cents(x.starting_price) for x in self.items) * self.num_items / len(self.items))

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game.

        `lot` is a house's index in `houses`.
        """
        listings, ids = self.items, self.persona_ids
        english_template = self.auction.template()
        template = np.zeros(1, State.dtype(seat=len(self.bidders), item=self.num_items, house=len(listings)))
        row = template[0]
        for name in english_template.dtype.names or ():
            row[name] = english_template[name][0]
        row["total"] = self._total()
        row["num_houses"] = len(listings)
        row["matches"] = ANY if self.matches is None else self.matches
        row["item_order"] = ORDERS.index(self.item_order)
        row["persona"] = row["second"] = NOBODY
        row["drawn"][: len(self.bidders)] = [bidder.personas.count("drawn") for bidder in self.bidders]
        for seat, bidder in enumerate(self.bidders):
            for key, name in zip(("persona", "second"), bidder.personas, strict=False):
                row[key][seat] = DRAWN if name == "drawn" else ids.index(name)
        row["liking"][: len(listings)] = liking_table(listings, self.personas)
        for lot, listing in enumerate(listings):
            row["house_start"][lot] = to_cents(listing.starting_price)
            row["house_value"][lot] = to_cents(listing.true_value)
            row["house_kind"][lot] = ids.index(listing.persona)
        return template

    def to_dict(self) -> JsonObject:
        """Return plain data from which `from_dict` restores this scenario."""
        data: JsonObject = {part.name: getattr(self, part.name) for part in dataclasses.fields(self)}
        data["bidders"] = [{**vars(bidder), "personas": [*bidder.personas]} for bidder in self.bidders]
        data["kinds"] = [persona.to_dict() for persona in self.kinds]
        if not isinstance(self.houses, str):
            data["houses"] = [{**vars(listing), "house": dict(vars(listing.house))} for listing in self.houses]
        return data

    @classmethod
    def from_dict(cls, data: JsonMapping, where: str = "scenario") -> HarborScenario:
        """Return the scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value is out of range; the message names `where`.
        """
        bidders = field(data, "bidders", list, where)
        fields = {**data, "bidders": tuple(build(Bidder, x, where, ("bidders", i)) for i, x in enumerate(bidders))}
        if "kinds" in data:
            kinds = field(data, "kinds", list, where)
            fields["kinds"] = tuple(build(Persona, x, where, ("kinds", i)) for i, x in enumerate(kinds))
        if not isinstance(data.get("houses", ""), str):
            houses = field(data, "houses", list, where)
            fields["houses"] = tuple(_build_listing(x, where, i) for i, x in enumerate(houses))
        return build(cls, fields, where)


Scenario = HarborScenario
"""The scenario class, under the name that all games share."""


def _build_listing(data: Any, where: str, number: int) -> Listing:
    path = ("houses", number)
    house = build(House, data.get("house"), where, (*path, "house")) if isinstance(data, Mapping) else None
    return build(Listing, {**data, "house": house} if isinstance(data, Mapping) else data, where, path)


@lru_cache(maxsize=1024)
def liking_table(listings: tuple[Listing, ...], kinds: tuple[Persona, ...]) -> np.ndarray:
    """Return how well each house suits each persona, (houses, 10), as integer multiples of 1 / LIKING."""
    rows = [likings(listing.house, listing.starting_price, kinds).values() for listing in listings]
    return np.array([[round(LIKING * value) for value in row] for row in rows])


def matches_per_persona(bidders: Sequence[Bidder], matches: int) -> list[tuple[str, int]]:
    """Return each bidder's personas and the number of houses that match each: half the matches for each of two."""
    shares: list[tuple[str, int]] = []
    for bidder in bidders:
        halves = [(matches + 1) // 2, matches // 2]
        shares += zip(bidder.personas, [matches] if len(bidder.personas) == 1 else halves, strict=False)
    return shares


def items_needed(bidders: Sequence[Bidder], matches: int) -> int:
    """Return the most items that a deal may need for all matches; bidders that share a persona share its items."""
    shares = matches_per_persona(bidders, matches)
    named = {name for name, _ in shares if name != "drawn"}
    distinct = min(NUM_PERSONAS, len(named) + sum(name == "drawn" for name, _ in shares))
    return sum(sorted((share for _, share in shares), reverse=True)[:distinct])


def parse_personas(entry: str) -> tuple[str, ...]:
    """Parse an entry of `personas` in `HarborScenario.changed`: "none", "drawn", an id, or two joined by a plus."""
    return () if entry == "none" else tuple(nonempty_text("personas", entry).split("+"))
