"""Value models of sealed-bid and clock auctions: the values and signals of each round's prize.

Sources: the three settings of Synthetic Labs, arXiv 2507.09083; Krishna, Auction Theory, chapters 2 and 6. All draws
are uniform on a grid with step `value_step`:

- ipv, independent private values: each seat's value is drawn independently from `value_range`;
- apv, affiliated private values: the sum of a common part and a private part, each drawn from `value_range`;
- cv, common values: one value for all seats, drawn from `value_range`; each seat observes a signal, the value plus an
  error of at most `signal_error`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypeVar

from aucenv.core.checks import build, excerpt, field, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.money import CURRENCIES, to_cents, to_dollars, whole_cents
from aucenv.core.names import checked_name
from aucenv.core.state import NOBODY, VALUE

MODELS = ("ipv", "apv", "cv")
IPV, APV, CV = range(3)
MIN_BIDDERS, MAX_BIDDERS = 2, 10
MAX_ROUNDS = 10_000
MAX_VALUES = 1_000_000
"""The maximum number of values on the grid of a value range."""
T = TypeVar("T", bound="SingleItemScenario")
NAMES = ("Andy", "Betty", "Charles", "David", "Ethel", "Florian", "Gina", "Henry", "Iris", "Jack")
REVEALS = ("all", "price", "none")
REVEAL_ALL, REVEAL_PRICE, REVEAL_NONE = range(3)
LANGUAGES = ("english", "chinese", "spanish", "hindi", "russian")


@kernel
def deal_values(g, key):
    """Draw the values and signals of all rounds.

    Writes `common` (apv: the common part; cv: the common value) and `value` (each seat's value; cv: its signal).
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
        seat_key = subkey(key, VALUE, seat)  # a subkey, as a seat could infer `key` from its values
        for j in range(g["num_items"]):
            if model == CV:
                error = grid * draw_below(errors, seat_key, VALUE, j, 0, 0) - g["error"]
                g["value"][seat][j] = g["common"][j] + error
            else:
                value = g["low"] + grid * draw_below(count, seat_key, VALUE, j, 0, 0)
                g["value"][seat][j] = value + g["common"][j] if model == APV else value


@inlined
def prize_value(g, seat, j):
    """Return the value of round `j`'s prize to `seat`."""
    return g["common"][j] if g["model"] == CV else g["value"][seat][j]


@kernel
def resample_values(g, seat, j, observed, revealed, key, purpose):
    """Resample the values of round `j` that are hidden from `seat`, conditional on the value that it has observed.

    The posterior is exact: values, parts and errors are uniform, so hidden ones are uniform over all possible ones.

    Args:
        observed: whether the seat has observed its value or signal; if not, these are resampled, too.
        revealed: whether the common value of cv is known to the seat.
    """
    model, grid, low, high = g["model"], g["grid"], g["low"], g["high"]
    seats = g["num_seats"]
    signal = g["value"][seat][j]
    width = g["error"] if model == CV else high
    if model != IPV and not revealed:
        least, most = low, high
        if observed:
            least = max(low, signal - width)
            most = min(high, signal + width) if model == CV else min(high, signal - low)
        g["common"][j] = least + grid * draw_below((most - least) // grid + 1, key, purpose, j, 1, seats)
    for s in range(seats):
        if s != seat or not observed:
            if model == CV:
                error = grid * draw_below(2 * (width // grid) + 1, key, purpose, j, 1, s) - width
                g["value"][s][j] = g["common"][j] + error
            else:
                value = low + grid * draw_below((high - low) // grid + 1, key, purpose, j, 1, s)
                g["value"][s][j] = value + g["common"][j] if model == APV else value


@dataclasses.dataclass(frozen=True)
class SingleItemScenario:
    """The fields that scenarios of sealed-bid and clock auctions share; amounts in dollars.

    Attributes:
        name: the scenario's name in records, tables and errors; one line of at most 60 characters.
        values: the value model: "ipv" (independent private values), "apv" (affiliated private values) or "cv" (common
            values); see the module `aucenv.envs.single_item.values`.
        num_bidders: number of seats, 2 to 10.
        num_rounds: number of rounds, each of which sells one prize; 1 to 10,000.
        value_range: the (least, highest) value; with apv that of each part, with cv that of the prize.
        signal_error: the largest error of a signal; only used with cv.
        value_step: the step between two values.
        currency: "dollar", "euro", "ruble", "rupee" or "yen", in which amounts are written; they are not converted.
        language: the language of the rules: "english", "chinese", "spanish", "hindi" or "russian".
        reveal: what each seat learns after a round besides its own result: "all" (all bids without names, the winner's
            profit and, with cv, the prize's value), the "price", or "none".
    """

    HIGHEST_BID: ClassVar[str]  # the name of the field that limits bids
    MAY_BE_NONE: ClassVar[tuple[str, ...]] = ()  # names of the fields whose value may be None

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
        checked_name("scenario, name", self.name)
        one_of(self._at("values"), self.values, MODELS)
        one_of(self._at("currency"), self.currency, CURRENCIES)
        one_of(self._at("language"), self.language, LANGUAGES)
        one_of(self._at("reveal"), self.reveal, REVEALS)
        self._put("num_bidders", whole_number(self._at("num_bidders"), self.num_bidders, MIN_BIDDERS, MAX_BIDDERS))
        self._put("num_rounds", whole_number(self._at("num_rounds"), self.num_rounds, 1, MAX_ROUNDS))
        if not isinstance(self.value_range, (tuple, list)) or len(self.value_range) != 2:
            raise ValueError(f"{self._at('value_range')}: expected (least, highest), got {excerpt(self.value_range)}")
        low, high = (whole_cents(self._at("value_range"), value, 0) for value in self.value_range)
        if not low < high:
            raise ValueError(f"{self._at('value_range')}: expected the least below the highest, got {self.value_range}")
        self._put("value_range", (to_dollars(low), to_dollars(high)))
        step = self._cents("value_step", 0.01)
        self._check_divides("value_step", step, "value_range", high - low)
        if (high - low) // step >= MAX_VALUES:
            raise ValueError(f"{self._at('value_range')}: expected at most {MAX_VALUES:,} steps of {self.value_step}")
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
        """Return a field's amount in cents, and replace the field by a plain Python number."""
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
        """The displayed names, by seat."""
        return NAMES[: self.num_bidders]

    @property
    def num_items(self) -> int:
        """The number of prizes: one per round."""
        return self.num_rounds

    @property
    def highest_value(self) -> float:
        """The highest possible value of a prize, in dollars."""
        return self.value_range[1] * (2 if self.values == "apv" else 1)

    @property
    def highest_signal(self) -> float:
        """The highest possible signal, in dollars; with private values the highest value."""
        return self.highest_value + (self.signal_error if self.values == "cv" else 0)

    @property
    def profit_scale(self) -> float:
        """The divisor of profit in rewards, in dollars: the highest possible value of a prize."""
        return self.highest_value

    def changed(self: T, **changes: Any) -> T:
        """Return this scenario with other fields.

        Changing `values` also sets the published value range, number of rounds and highest bid of that value model.

        Args:
            changes: new values by field; `num_items` is the number of rounds. The value None keeps a field; for fields
                that may be None, the value "scenario" keeps it.

        Raises:
            ValueError: a value is out of range, or there is no such field.
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
        names = [part.name for part in dataclasses.fields(self)]
        for name in chosen:
            one_of(f"scenario {self.name!r}, field", name, names)
        values = chosen.get("values", self.values)
        return dataclasses.replace(self, **{**(self.published(values) if values != self.values else {}), **chosen})

    @classmethod
    def published(cls, values: str) -> JsonObject:
        """Return the fields of Synthetic Labs' setting with this value model."""
        setting = PUBLISHED[one_of("values", values, PUBLISHED)]
        return {"values": values, cls.HIGHEST_BID: PUBLISHED_CAPS[values], **setting}

    def write_constants(self, row: Any) -> None:
        """Write this scenario's shared fields into a row of the state."""
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
        """Return plain data from which `from_dict` restores this scenario."""
        return {**{part.name: getattr(self, part.name) for part in dataclasses.fields(self)},
                "value_range": list(self.value_range)}  # fmt: skip

    @classmethod
    def from_dict(cls: type[T], data: JsonMapping, where: str = "scenario") -> T:
        """Return the scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value is out of range; the message names `where`.
        """
        if "value_range" in data:
            data = {**data, "value_range": tuple(field(data, "value_range", list, where))}
        return build(cls, data, where)


PUBLISHED: dict[str, JsonObject] = {
    "ipv": {"value_range": (0, 99), "num_rounds": 15},
    "apv": {"value_range": (0, 20), "num_rounds": 10},
    "cv": {"value_range": (20, 79), "signal_error": 20, "num_rounds": 10},
}
"""Synthetic Labs' settings by value model."""

PUBLISHED_CAPS = {"ipv": 99, "apv": 40, "cv": 99}
"""The highest bids in Synthetic Labs' settings, in dollars."""
