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
from typing import Annotated, Any, ClassVar

from aucenv.core.checks import one_of
from aucenv.core.declared import Money, OneOf, Range, Whole
from aucenv.core.files import JsonObject
from aucenv.core.kernel import draw_below, inlined, kernel, subkey
from aucenv.core.scenarios import Scenario
from aucenv.core.state import NOBODY, VALUE
from aucenv.core.words.money import CURRENCIES, to_cents, to_dollars

MODELS = ("ipv", "apv", "cv")
IPV, APV, CV = range(3)
MIN_BIDDERS, MAX_BIDDERS = 2, 10
MAX_ROUNDS = 10_000
MAX_VALUES = 1_000_000
"""The maximum number of values on the grid of a value range."""
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
class SingleItemScenario(Scenario):
    """The fields that scenarios of sealed-bid, clock and proxy auctions share; amounts in dollars.

    Class Attributes:
        HIGHEST_BID: The name of the field that limits bids.
    """

    ITEMS: ClassVar[str] = "num_rounds"
    HIGHEST_BID: ClassVar[str]

    values: Annotated[
        str,
        OneOf(MODELS),
        "The value model: independent private, affiliated private, or common values. Another one also brings its "
        "published value range, number of rounds and highest bid.",
    ] = "ipv"
    num_bidders: Annotated[int, Whole(MIN_BIDDERS, MAX_BIDDERS), "Number of seats."] = 3
    num_rounds: Annotated[int, Whole(1, MAX_ROUNDS), "Number of rounds, each of which sells one prize."] = 15
    value_range: Annotated[
        tuple[float, float],
        Range(Money(0, exact=True), distinct=True),
        "The (least, highest) value: with apv that of each part, with cv that of the prize.",
    ] = (0, 99)
    signal_error: Annotated[float, Money(0, exact=True), "With cv, the largest error of a signal."] = 20
    value_step: Annotated[float, Money(exact=True), "The step between values."] = 1
    currency: Annotated[
        str, OneOf(CURRENCIES), "The currency in which amounts are written; they are not converted."
    ] = "dollar"
    language: Annotated[str, OneOf(LANGUAGES), "The language of the rules."] = "english"
    reveal: Annotated[
        str,
        OneOf(REVEALS),
        "What a seat learns after a round besides its own result: all bids without names, the winner's profit and, "
        "with cv, the prize's value; or the price; or nothing.",
    ] = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = map(to_cents, self.value_range)
        step, error = to_cents(self.value_step), to_cents(self.signal_error)
        self._check_divides("value_step", "value_range", high - low)
        if (high - low) // step >= MAX_VALUES:
            raise ValueError(f"{self._at('value_range')}: expected at most {MAX_VALUES:,} steps of {self.value_step}")
        if self.values == "cv":
            self._check_divides("value_step", "signal_error", error)
            if error > low:
                raise ValueError(f"{self._at('signal_error')}: expected at most the least value, {to_dollars(low)}, "
                                 f"got {self.signal_error}: signals would be negative")  # fmt: skip

    def _check_divides(self, step: str, name: str, cents: int) -> None:
        if cents % to_cents(getattr(self, step)):
            raise ValueError(
                f"{self._at(step)}: expected one that divides {name} ({getattr(self, name)}), got {getattr(self, step)}"
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

    def adapt(self, **fields: Any) -> JsonObject:
        values = fields.get("values", self.values)
        return {**(self.published(values) if values != self.values else {}), **fields}

    @classmethod
    def published(cls, values: str) -> JsonObject:
        """Return the fields of Synthetic Labs' setting with this value model."""
        setting = PUBLISHED[one_of("values", values, PUBLISHED)]
        return {"values": values, cls.HIGHEST_BID: PUBLISHED_CAPS[values], **setting}

    def write_constants(self, row: Any) -> None:
        """Write this scenario's shared fields into a row of the state."""
        row["model"] = MODELS.index(self.values)
        row["low"], row["high"] = (to_cents(value) for value in self.value_range)
        row["grid"] = to_cents(self.value_step)
        row["error"] = to_cents(self.signal_error) if self.values == "cv" else 0
        row["top"] = to_cents(self.highest_value)
        row["reveal"] = REVEALS.index(self.reveal)
        row["winner"] = row["price"] = NOBODY


PUBLISHED: dict[str, JsonObject] = {
    "ipv": {"value_range": (0, 99), "num_rounds": 15},
    "apv": {"value_range": (0, 20), "num_rounds": 10},
    "cv": {"value_range": (20, 79), "signal_error": 20, "num_rounds": 10},
}
"""Synthetic Labs' settings by value model."""

PUBLISHED_CAPS = {"ipv": 99, "apv": 40, "cv": 99}
"""The highest bids in Synthetic Labs' settings, in dollars."""
