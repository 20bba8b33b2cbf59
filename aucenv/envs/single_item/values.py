"""What a prize is worth to whom: the value models of games that sell one prize a round.

Source: Synthetic Labs, arXiv 2507.09083, its three settings; Krishna, Auction Theory, chapters 2 and 6. Values lie on
a grid of `value_step`, and are uniform on it:

- ipv, independent private values: every seat's is drawn by itself from `value_range`;
- apv, affiliated private values: a common part and a private part, each drawn from `value_range`, added;
- cv, a common value: drawn from `value_range`, the same for all; a seat sees it with an error, uniform within
  `signal_error`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypeVar

from aucenv.core.checks import build, field, one_of, some_text, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.money import CURRENCIES, to_cents, to_dollars, whole_cents
from aucenv.core.state import NOBODY, VALUE

MODELS = ("ipv", "apv", "cv")
IPV, APV, CV = range(3)
MIN_BIDDERS, MAX_BIDDERS = 2, 10
MOST_ROUNDS = 10_000
MOST_VALUES = 1_000_000
"""On the grid of a value range."""
T = TypeVar("T", bound="SingleItemScenario")
NAMES = ("Andy", "Betty", "Charles", "David", "Ethel", "Florian", "Gina", "Henry", "Iris", "Jack")
REVEALS = ("all", "price", "none")
ALL, PRICE, NONE = range(3)
LANGUAGES = ("english", "chinese", "spanish", "hindi", "russian")


@kernel
def deal_values(g, key):
    """Draw what the prizes of all rounds are worth, and what every seat sees of it.

    Writes `common` (apv: the common part; cv: the value) and `value` (what the seat sees: its value, in cv its signal).
    """
    model, grid = g["model"], g["grid"]
    count = (g["high"] - g["low"]) // grid + 1
    errors = 2 * (g["error"] // grid) + 1
    seats = g["num_seats"]
    common_key = subkey(key, VALUE, seats)
    for j in range(g["num_items"]):
        if model != IPV:
            g["common"][j] = g["low"] + grid * draw_below(count, common_key, VALUE, j, 0, 0)
    for seat in range(seats):
        own_key = subkey(key, VALUE, seat)  # of its own: a seat must not get to the game's key by its values
        for j in range(g["num_items"]):
            if model == CV:
                error = grid * draw_below(errors, own_key, VALUE, j, 0, 0) - g["error"]
                g["value"][seat][j] = g["common"][j] + error
            else:
                value = g["low"] + grid * draw_below(count, own_key, VALUE, j, 0, 0)
                g["value"][seat][j] = value + g["common"][j] if model == APV else value


@inlined
def worth(g, seat, j):
    """What the prize of round `j` is worth to `seat`."""
    return g["common"][j] if g["model"] == CV else g["value"][seat][j]


@kernel
def redraw_values(g, seat, j, seen, known, key, purpose):
    """Draw anew what `seat` may not know of round `j`, given what it sees; all of it where it has not `seen` its value.

    The posterior is exact: values, parts and errors are uniform, so what is hidden is uniform over what fits.

    Args:
        seen: whether the seat has seen its value or signal.
        known: whether it was told what the prize was worth, in cv.
    """
    model, grid, low, high = g["model"], g["grid"], g["low"], g["high"]
    seats = g["num_seats"]
    own = g["value"][seat][j]
    width = g["error"] if model == CV else high
    if model != IPV and not known:
        least, most = low, high
        if seen:
            least = max(low, own - width)
            most = min(high, own + width) if model == CV else min(high, own - low)
        g["common"][j] = least + grid * draw_below((most - least) // grid + 1, key, purpose, j, 1, seats)
    for s in range(seats):
        if s != seat or not seen:
            if model == CV:
                error = grid * draw_below(2 * (width // grid) + 1, key, purpose, j, 1, s) - width
                g["value"][s][j] = g["common"][j] + error
            else:
                value = low + grid * draw_below((high - low) // grid + 1, key, purpose, j, 1, s)
                g["value"][s][j] = value + g["common"][j] if model == APV else value


@dataclasses.dataclass(frozen=True)
class SingleItemScenario:
    """What games that sell one prize a round have in common; dollars.

    Attributes:
        name: what records, tables and errors call it.
        values: "ipv", independent private; "apv", affiliated private; or "cv", common values; see this module.
        num_bidders: seats, 2 to 10.
        num_rounds: prizes, one sold a round; 1 to 10,000.
        value_range: least and highest value, dollars (apv: of either part; cv: of the prize).
        signal_error: how far a signal may be off, dollars; only in cv.
        value_step: values are the least one and whole steps of so many dollars.
        currency: "dollar", "euro", "ruble", "rupee" or "yen": how amounts are written; they are not converted.
        language: of the rules in words: "english", "chinese", "spanish", "hindi" or "russian".
        reveal: what a seat is told after a round, besides what it won and paid: "all" bids without names, the winner's
            profit and, in cv, what the prize was worth; the "price"; or "none".
    """

    HIGHEST_BID: ClassVar[str]  # the field that limits bids
    MAY_BE_NONE: ClassVar[tuple[str, ...]] = ()

    name: str
    values: str = "ipv"
    num_bidders: int = 3
    num_rounds: int = 15
    value_range: tuple[float, float] = (0, 99)
    signal_error: float = 20
    value_step: float = 1
    currency: str = "dollar"
    language: str = "english"
    reveal: str = "all"

    def __post_init__(self) -> None:
        some_text("scenario, name", self.name)
        one_of(self._at("values"), self.values, MODELS)
        one_of(self._at("currency"), self.currency, CURRENCIES)
        one_of(self._at("language"), self.language, LANGUAGES)
        one_of(self._at("reveal"), self.reveal, REVEALS)
        self._put("num_bidders", whole_number(self._at("num_bidders"), self.num_bidders, MIN_BIDDERS, MAX_BIDDERS))
        self._put("num_rounds", whole_number(self._at("num_rounds"), self.num_rounds, 1, MOST_ROUNDS))
        if not isinstance(self.value_range, (tuple, list)) or len(self.value_range) != 2:
            raise ValueError(f"{self._at('value_range')}: expected (least, highest), got {self.value_range!r}")
        low, high = (whole_cents(self._at("value_range"), value, 0) for value in self.value_range)
        if not low < high:
            raise ValueError(f"{self._at('value_range')}: expected the least below the highest, got {self.value_range}")
        self._put("value_range", (to_dollars(low), to_dollars(high)))
        step = self._cents("value_step", 0.01)
        self._check_divides("value_step", step, "value_range", high - low)
        if (high - low) // step >= MOST_VALUES:
            raise ValueError(f"{self._at('value_range')}: expected at most {MOST_VALUES:,} steps of {self.value_step}")
        error = self._cents("signal_error", 0)
        if self.values == "cv":
            self._check_divides("value_step", step, "signal_error", error)
            if error > low:
                raise ValueError(f"{self._at('signal_error')}: expected at most the least value, {to_dollars(low)}, "
                                 f"got {self.signal_error}: signals would be negative")  # fmt: skip

    def _at(self, field_name: str) -> str:
        return f"scenario {self.name!r}, {field_name}"

    def _put(self, field_name: str, value: Any) -> None:
        object.__setattr__(self, field_name, value)

    def _cents(self, field_name: str, least: float) -> int:
        """A field's amount as cents; the field becomes Python's own number."""
        cents = whole_cents(self._at(field_name), getattr(self, field_name), least)
        self._put(field_name, to_dollars(cents))
        return cents

    def _check_divides(self, step_name: str, step: int, name: str, cents: int) -> None:
        if cents % step:
            raise ValueError(
                f"{self._at(step_name)}: expected one that divides {name} ({getattr(self, name)}), "
                f"got {to_dollars(step)}"
            )

    @property
    def bidders(self) -> tuple[str, ...]:
        """The names that people see."""
        return NAMES[: self.num_bidders]

    @property
    def num_items(self) -> int:
        """One prize a round."""
        return self.num_rounds

    @property
    def highest_value(self) -> float:
        """The most that a prize can be worth."""
        return self.value_range[1] * (2 if self.values == "apv" else 1)

    @property
    def highest_signal(self) -> float:
        """The most that a seat can see."""
        return self.highest_value + (self.signal_error if self.values == "cv" else 0)

    @property
    def profit_scale(self) -> float:
        """What rewards are shares of, dollars: the top of the value range."""
        return self.highest_value

    def changed(self: T, **changes: Any) -> T:
        """This scenario with other fields. Other `values` bring their published range, rounds and highest bid.

        Args:
            changes: None changes nothing; for a field that may be None, "scenario" does not.
            num_items: the number of rounds.

        Raises:
            ValueError: out of range, or there is no such field.
        """
        chosen = {
            name: value
            for name, value in changes.items()
            if (value is not None or name in self.MAY_BE_NONE)
            and not (name in self.MAY_BE_NONE and value == "scenario")
        }
        if "num_items" in chosen:
            chosen["num_rounds"] = whole_number("num_items", chosen.pop("num_items"), 1)
        if "budget" in chosen:
            raise ValueError(f"budget: these auctions have none, got {chosen['budget']}")
        known = [part.name for part in dataclasses.fields(self)]
        for name in chosen:
            one_of(f"scenario {self.name!r}, field", name, known)
        values = chosen.get("values", self.values)
        return dataclasses.replace(self, **{**(self.published(values) if values != self.values else {}), **chosen})

    @classmethod
    def published(cls, values: str) -> JsonObject:
        """The fields of Synthetic Labs' setting with these values."""
        setting = PUBLISHED[one_of("values", values, PUBLISHED)]
        return {"values": values, cls.HIGHEST_BID: PUBLISHED_CAPS[values], **setting}

    def write_constants(self, row: Any) -> None:
        """Write what all games that sell prizes have in their state."""
        row["num_seats"], row["num_items"] = self.num_bidders, self.num_rounds
        row["forced_tie"] = NOBODY
        row["model"] = MODELS.index(self.values)
        row["low"], row["high"] = (to_cents(value) for value in self.value_range)
        row["grid"] = to_cents(self.value_step)
        row["error"] = to_cents(self.signal_error) if self.values == "cv" else 0
        row["top"] = to_cents(self.highest_value)
        row["reveal"] = REVEALS.index(self.reveal)
        row["winner"] = row["price"] = NOBODY

    def to_dict(self) -> JsonObject:
        """Plain data from which `from_dict` makes this scenario again."""
        return {**{part.name: getattr(self, part.name) for part in dataclasses.fields(self)},
                "value_range": list(self.value_range)}  # fmt: skip

    @classmethod
    def from_dict(cls: type[T], data: JsonMapping, where: str = "scenario") -> T:
        """The scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value out of range; names `where`.
        """
        if "value_range" in data:
            data = {**data, "value_range": tuple(field(data, "value_range", list, where))}
        return build(cls, data, where)


PUBLISHED: dict[str, JsonObject] = {
    "ipv": {"value_range": (0, 99), "num_rounds": 15},
    "apv": {"value_range": (0, 20), "num_rounds": 10},
    "cv": {"value_range": (20, 79), "signal_error": 20, "num_rounds": 10},
}
"""Synthetic Labs' settings."""

PUBLISHED_CAPS = {"ipv": 99, "apv": 40, "cv": 99}
"""Synthetic Labs' bids are $0 to these."""
