"""Housing auctions: houses are sold one after another to bidders whose personas prefer some houses.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 3 by default |
| Actions | `vector`: Discrete(ladder + 1); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 22 + 7 * bidders + 15 * items + 3 * bidders * items features (283 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the true values (859 by default) |
| Rewards | change in profit / (number of items * mean starting price of all houses) |

**The auction** (HARBOR, arXiv 2502.12149). The mechanism is that of `english_v0`, described on its page: simultaneous rounds
of ascending bids, a least raise of 10% of the starting price, and only the winner pays. A house has structured features and a
description of about 100 words that states these features and nothing else. Starting prices are $150,000 to $240,000, and true
values 2.22 to 2.75 times as high; every bidder overestimates them by 10%. A bidder may have a persona (eco-conscious buyer,
urban dweller, ...) or a mix of two. Each bidder is given a description of its own personas; rivals' personas are private. The
preferences of a persona (`data/personas.json`) and a house's features and starting price determine how well the house suits
the persona, as a number from 0 to 1; these numbers are public. A house *matches* the persona that it suits best. Profit
remains the objective: preferences change no payoff, but a bidder that bids according to its persona reveals it.

**Deal.** There are forty houses, four for each persona; ten of them are sold. In named scenarios the deal draws the bidders'
personas (those whose names end in "-none" have no personas); no persona is drawn a second time before all ten have been
drawn. For each bidder that has a persona the deal then draws `matches` houses that match this persona; if the bidder has two
personas, half of these houses match each. Bidders that share a persona share its houses. The remaining houses are drawn among
those that match no bidder, as long as there are any. "evaluation" and "train" have different houses and different
descriptions of personas. "fresh-N" generates its houses from seed N, so that no bidder can have memorized them;
`aucenv new houses` lets a model write a file of houses.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`, which before the first decision also describes the bidder's personas. The table lists the
indices of `observation` for N bidders and M items, with F = 12 + 7N + 5M and H = F + 10 + 10M. Prices are divided by the
item's starting price, and all features are clipped to [-10, 10]. `feature_names(N, M)` of the module
`aucenv.envs.harbor.features` returns their names:

| index | feature |
|---|---|
| 0 ... F - 1 | as in `english_v0` |
| F ... F + 9 | for each persona: 1 if the seat has it |
| F + 10 + 10j ... | for item j: how well it suits each persona, from 0 to 1 |
| H + 3Nj + 3k ... | for item j and the bidder k seats further: number of its bids / 10, its highest bid, the least legal bid at which it withdrew |

**Actions.** Actions are those of `english_v0`. `vector`: 0 withdraws, and a in 1 ... ladder bids the least legal bid plus
a - 1 increments. `amount`: dollars; a negative amount withdraws. `text`: "I bid $250,000!" or "I'm out!". An illegal bid is
refused with the reason, and the bidder may try again. With `amount_scale="share"`, an amount is a share from 0 to 1 of the
seat's estimate: a share below the least legal bid withdraws, and a share above the budget bids the whole budget.

**Rewards** are the change in profit when an item is sold, divided by the number of items times the mean starting price of all
houses in the scenario.

**Infos** are numbers: `item` (its index in the scenario; -1 at the end), `round`, `standing_bid` and `least_bid` (dollars; 0
if there is none), `leader` (the seat's number; -1 if there is none), `budget`, `profit`, `items_won`, and `refused` (1 if the
last reply was refused, else 0). With `infos="full"`, names replace indices, None replaces missing values, and `refused` is
the reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together when the last item is closed. After `max_cycles` rounds they are truncated.

**Views.** `env.view(agent)` is that of `english_v0` with `personas` and `about_me`: the seat's personas and their
descriptions. Its items have `house` (the features), `likings` (how well the house suits each persona) and `suits` (the
persona that it suits best). The module `aucenv.envs.harbor.profile` infers the probabilities of personas from bids, and
`resample_hidden` draws rivals' personas with these probabilities.

**Differences from the paper.** The houses, preferences, descriptions and wording are ours; the paper's are free text without
a license. Here, numbers state how well a house suits each persona, and they are public. The environment draws
personas and houses for each game; the paper and aucenv's studies rotate personas over the seats. The differences of the
English auction also apply: ties are fair, retries are limited, and bidders that cannot afford the least legal bid withdraw
without a decision.

**Batch.** `aucenv.harbor_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid withdraws at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version.

```bibtex
@article{harbor2025,
  title   = {HARBOR: Exploring Persona Dynamics in Multi-Agent Competition},
  author  = {Jiang, Kenan and Xiong, Li and Liu, Fei},
  journal = {arXiv:2502.12149},
  year    = {2025}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from aucenv.core.checks import FieldError, Path, excerpt, no_duplicates, nonempty_text, one_of, whole_number
from aucenv.core.declared import Accepts, BidderName, Declared, Money, OneOf, OrNone, Parts, Real, Whole
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.scenarios import Scenario
from aucenv.core.state import NOBODY
from aucenv.core.words.money import to_cents
from aucenv.core.words.names import check_distinct, names_of_records
from aucenv.envs.english import game as english
from aucenv.envs.english.game import ITEM_ORDERS, NAMES, SEATS, check_length, num_actions, resize_bidders
from aucenv.envs.english.rules import MAX_BIDDERS, MIN_BIDDERS
from aucenv.envs.forms import env_forms
from aucenv.envs.harbor.houses.generate import listings_of
from aucenv.envs.harbor.houses.house import Listing, best_persona, likings
from aucenv.envs.harbor.houses.personas import PERSONAS, SPLITS, Persona, personas
from aucenv.envs.harbor.rules import ANY, DRAWN, LIKING, NUM_PERSONAS, State

BUDGET = 1_000_000
NUM_ITEMS = 10
MATCHES = 2
MAX_MATCHES = 1000


class Entries(Accepts):
    """None, one or two of the entries of a bidder's personas."""

    words = 'a list of none, one or two, each an id or "drawn"'

    def check(self, place: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise FieldError(place, f"expected a list of none, one or two, got {excerpt(value)}")
        if len(value) > 2:
            raise FieldError(place, f"expected none, one or two, got {', '.join(map(str, value)):.80}")
        for name in value:
            nonempty_text(place, name)
        no_duplicates(place, [name for name in value if name != "drawn"])
        return tuple(value)

    def to_json(self, value: Any) -> Any:
        return list(value)


class Houses(Accepts):
    """The houses of a split, generated houses, or listings."""

    words = '"train", "evaluation", "fresh-N", or a list of `Listing`'
    listings = Parts(Listing)
    kinds = (Listing,)

    def check(self, place: str, value: Any) -> str | tuple[Listing, ...]:
        if not isinstance(value, (str, list, tuple)):
            raise FieldError(place, f"expected some text or a list, got {excerpt(value)}")
        return value if isinstance(value, str) else self.listings.check(place, value)

    def to_json(self, value: Any) -> Any:
        return value if isinstance(value, str) else self.listings.to_json(value)

    def of_json(self, value: Any, where: str, path: Path) -> Any:
        return value if isinstance(value, str) else self.listings.of_json(value, where, path)


class PersonasOfAll(Accepts):
    """The personas of all bidders, in text."""

    words = '"none", "drawn", an id, or two of these joined by a plus; or a list with such an entry for each bidder'

    def check(self, place: str, value: Any) -> str | list[str]:
        if not isinstance(value, (str, list, tuple)):
            raise FieldError(place, f"expected some text or a list, got {excerpt(value)}")
        return value if isinstance(value, str) else list(value)


@dataclasses.dataclass(frozen=True)
class HarborBidder(Declared):
    """A bidder: its budget, personas and estimates."""

    KIND: ClassVar[str] = "bidder"

    name: Annotated[str, BidderName(), "The displayed name, unlike those of other bidders."]
    budget: Annotated[float, Money(), "The budget for all houses together."] = BUDGET
    personas: Annotated[
        tuple[str, ...], Entries(), 'The personas, or a mix of two; the deal draws one for each "drawn".'
    ] = ("drawn",)
    overestimate_percent: Annotated[
        float,
        Real(-100, 500, "percent"),
        "How much the bidder's estimates exceed the true values; negative for underestimates.",
    ] = 10
    noise_percent: Annotated[
        float,
        Real(0, 100, "percent"),
        "Half-width of the uniform error of the estimate of each house, as a share of its true value.",
    ] = 0

    def to_english(self) -> english.Bidder:
        """Return the bidder without personas."""
        over, noise = self.overestimate_percent, self.noise_percent
        return english.Bidder(self.name, self.budget, overestimate_percent=over, noise_percent=noise)


@dataclasses.dataclass(frozen=True)
class HarborScenario(Scenario):
    """A housing auction before the deal.

    Source: HARBOR, arXiv 2502.12149: a budget of $1,000,000, estimates that are 10% too high, and ten houses, with two
    that match the personas of each bidder that has any.
    """

    bidders: Annotated[tuple[HarborBidder, ...], Parts(HarborBidder), "The bidders by seat; 2 to 16."]
    houses: Annotated[
        str | tuple[Listing, ...], Houses(), "The houses: of a split, generated from seed N, or listed."
    ] = "evaluation"
    num_items: Annotated[int, Whole(1), "How many of the houses are sold; if not all are, the deal draws them."] = (
        NUM_ITEMS
    )
    matches: Annotated[
        int | None,
        OrNone(Whole(0, MAX_MATCHES)),
        "How many houses the deal draws for each bidder that has a persona (half for each of two personas); fewer if "
        "there are not enough items. The other houses match no bidder, as long as there are such houses. None draws "
        "uniformly among all houses.",
    ] = MATCHES
    item_order: Annotated[
        str, OneOf(ITEM_ORDERS), "The order of the houses: random in each deal, by starting price, or as given."
    ] = "random"
    increment: Annotated[float, Real(0, 10), "The least raise as a share of the house's starting price."] = 0.1
    split: Annotated[str, OneOf(SPLITS), "The split of the descriptions of personas."] = "evaluation"
    kinds: Annotated[tuple[Persona, ...], Parts(Persona), "Ten custom personas; empty for those of HARBOR."] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        where = self._where
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
        for listing in () if isinstance(self.houses, str) and not self.kinds else listings:
            best = best_persona(listing, self.personas)
            if listing.persona != best:
                problem = f"expected {best!r}, got {excerpt(listing.persona)}"
                raise ValueError(f"house {listing.name!r}, persona: {problem}")
        if self.num_items < len(listings):
            self._check_matches(where)
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

    def adapt(
        self,
        num_bidders: Annotated[
            int | None,
            SEATS,
            "Number of seats; additional bidders are copies of the scenario's under new names.",
        ] = None,
        budget: Annotated[float | None, Money(), "The budget of every bidder."] = None,
        personas: Annotated[str | Sequence[str] | None, PersonasOfAll(), "The personas of the bidders."] = None,
        **fields: Any,
    ) -> JsonObject:
        bidders = fields.get("bidders", self.bidders)
        if num_bidders is not None:
            bidders = resize_bidders(bidders, num_bidders)
        if budget is not None:
            bidders = tuple(dataclasses.replace(bidder, budget=budget) for bidder in bidders)
        if personas is not None:
            personas = PersonasOfAll().check("personas", personas)
            entries = [personas] * len(bidders) if isinstance(personas, str) else personas
            if len(entries) != len(bidders):
                raise ValueError(f"personas: expected one entry for each of {len(bidders)} bidders, got {len(entries)}")
            pairs = zip(bidders, entries, strict=True)
            bidders = tuple(dataclasses.replace(b, personas=parse_personas(entry)) for b, entry in pairs)
        if "matches" not in fields and self.matches is not None:
            items = whole_number("num_items", fields.get("num_items", self.num_items), 1)
            possible = range(self.matches, -1, -1)
            fields["matches"] = next(m for m in possible if m == 0 or items_needed(bidders, m) <= items)
        return {**fields, "bidders": bidders}

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

    @cached_property
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
        row["item_order"] = ITEM_ORDERS.index(self.item_order)
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


@lru_cache(maxsize=1024)
def liking_table(listings: tuple[Listing, ...], kinds: tuple[Persona, ...]) -> np.ndarray:
    """Return how well each house suits each persona, (houses, 10), as integer multiples of 1 / LIKING."""
    rows = [likings(listing.house, listing.starting_price, kinds).values() for listing in listings]
    return np.array([[round(LIKING * value) for value in row] for row in rows])


def matches_per_persona(bidders: Sequence[HarborBidder], matches: int) -> list[tuple[str, int]]:
    """Return each bidder's personas and the number of houses that match each: half the matches for each of two."""
    shares: list[tuple[str, int]] = []
    for bidder in bidders:
        halves = [(matches + 1) // 2, matches // 2]
        shares += zip(bidder.personas, [matches] if len(bidder.personas) == 1 else halves, strict=False)
    return shares


def items_needed(bidders: Sequence[HarborBidder], matches: int) -> int:
    """Return the most items that a deal may need for all matches; bidders that share a persona share its items."""
    shares = matches_per_persona(bidders, matches)
    named = {name for name, _ in shares if name != "drawn"}
    distinct = min(NUM_PERSONAS, len(named) + sum(name == "drawn" for name, _ in shares))
    return sum(sorted((share for _, share in shares), reverse=True)[:distinct])


def parse_personas(entry: str) -> tuple[str, ...]:
    """Parse an entry of `personas` in `HarborScenario.changed`: "none", "drawn", an id, or two joined by a plus."""
    return () if entry == "none" else tuple(nonempty_text("personas", entry).split("+"))


PERSONA_COUNTS = {"single": 1, "mixed": 2, "none": 0}
"""The number of personas that the deal draws for each bidder."""
FRESH = re.compile(rf"(fresh-\d{{1,18}})(?:-({'|'.join(PERSONA_COUNTS)}))?")


class _NamedScenarios(Mapping[str, HarborScenario]):
    """The named scenarios of both splits, and `fresh-N`, `fresh-N-mixed`, `fresh-N-none`, generated from seed N.

    They are created on access, so that importing this module reads no houses.
    """

    patterns = ("fresh-N",)
    _names: ClassVar = {
        f"{split}-{kind}": (split, kind) for split in ("evaluation", "train") for kind in PERSONA_COUNTS
    }

    def __getitem__(self, name: str) -> HarborScenario:
        fresh = FRESH.fullmatch(name) if name not in self._names else None
        split, kind = (fresh[1], fresh[2] or "single") if fresh else self._names[name]
        return drawn_scenario(name, split, kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


SCENARIOS = _NamedScenarios()
DEFAULT_SCENARIO = "evaluation-single"


@lru_cache(maxsize=64)
def drawn_scenario(name: str, houses: str, kind: str) -> HarborScenario:
    """Return a scenario with three bidders, whose personas are drawn, and ten of these houses.

    Args:
        houses: "train", "evaluation" or "fresh-N"; "fresh-N" uses the descriptions of personas of "evaluation".
        kind: the number of personas of each bidder: "single", "mixed" (two) or "none".
    """
    personas = ("drawn",) * PERSONA_COUNTS[one_of("kind", kind, PERSONA_COUNTS)]
    split = houses if houses in SPLITS else "evaluation"
    return HarborScenario(
        name, tuple(HarborBidder(bidder, personas=personas) for bidder in NAMES[:3]), houses, split=split
    )


GAME = Game(
    "harbor",
    0,
    "aucenv.envs.harbor",
    HarborScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.harbor",
    population="aucenv.baselines.population.harbor",
    agents=("bdi", "harbor"),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
