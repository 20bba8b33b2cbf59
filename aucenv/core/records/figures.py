"""Types for the figures of all games: rates, tables, and the contract of a game's `figures.py`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.phrases import singular

if TYPE_CHECKING:
    from aucenv.core.records.record import GameRecord

Rate = tuple[int, int]
"""(failures, opportunities to fail); the failure rate (CFR) is the first divided by the second."""
AMOUNTS = ("amount", "bid", "budget", "cost", "payment", "price", "profit", "reserve", "revenue", "value")
"""Fields of a record whose names end with one of these words, or with its plural, are taken for dollars."""


class Figures(Protocol):
    """The contract of a game's `figures.py`.

    The module may also have POOLED, a `PooledFigure` by name, which rows have like those of FIGURES; ALSO_SHOWN, a
    second table's title and its figures in the form of SHOWN; UNDEFINED, by figure, the footnote of a table in which a
    bidder does not have it; COUNTS, a `Counts`; REQUIRED, a function of an entry of `seat_figures` by figure, which
    counts what a bidder must have done for the figure to be defined; ASKS_TO_BID, whether each rule that bidders may
    note asks to bid (otherwise it asks to leave); `agent_tables(records)`, which returns this game's tables about the
    reasoning of agents; and `deal_scenario(scenario)`, which returns the part of a recorded scenario that games of one
    deal share.
    """

    SCORE: str
    """The name of the field of an outcome's seats by which bidders are ranked in a game."""
    FIGURES: Mapping[str, Callable[[Any], tuple[float, float]]]
    """Functions of an entry of `seat_figures`, by figure: each returns a numerator and a denominator.

    A figure is the sum of its numerators over seats and games, divided by the sum of its denominators.
    """
    SHOWN: Mapping[str, tuple[str, str]]
    """The heading and the format of each figure that printed tables show."""

    def seat_figures(self, record: GameRecord, /) -> Sequence[Any]:
        """Return one entry per seat, whose `bidder` is the label of its bidder."""
        ...


@dataclasses.dataclass(frozen=True)
class PooledFigure:
    """A figure that is computed from observations of all seats and games together, and is no ratio of two sums.

    Attributes:
        observe: A function from an entry of `seat_figures` to its observations: tuples of numbers, equally long.
        estimator: A function from all observations, (observations, numbers), to a function from their weights,
            (observations,), to the figure, which is NaN if it is not defined.
    """

    observe: Callable[[Any], Sequence[tuple[float, ...]]]
    estimator: Callable[[np.ndarray], Callable[[np.ndarray], float]]


@dataclasses.dataclass(frozen=True)
class Counts:
    """A figure that counts the bids of each bidder by kind.

    Attributes:
        name: The name of the figure in the rows of a ranking.
        title: The title of its table.
        kinds: The kinds of bids in order, which are the headings of the table.
        count: A function from records to the counts by bidder's label and kind.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    count: Callable[[Iterable[GameRecord]], dict[str, dict[str, int]]]


class ShownFigure(str):
    """A figure as the cell of a table shows it, and its numbers, which are saved with a report's table.

    Attributes:
        value: The figure.
        low, high: The ends of its interval; None if it has none.
    """

    value: float
    low: float | None
    high: float | None

    def __new__(cls, text: str, value: float, low: float | None = None, high: float | None = None) -> Self:
        """Return the text of a figure with its numbers."""
        figure = super().__new__(cls, text)
        figure.value, figure.low, figure.high = value, low, high
        return figure


@dataclasses.dataclass(frozen=True)
class TextTable:
    """A table whose cells are text, for printing.

    Attributes:
        lines: The cells of each row; those that are more than a number in words may be a ShownFigure.
        note: A sentence that is printed below the table; empty for none.
    """

    title: str
    headings: tuple[str, ...]
    lines: list[list[str]]
    note: str = ""


def labeled_seats(records: Iterable[GameRecord]) -> Iterator[tuple[str, GameRecord, str]]:
    """Yield (label of the bidder, record, seat) for every seat of every game."""
    for record in records:
        for player in record.seats:
            yield seat_label(player), record, player["seat"]


def is_amount(name: str) -> bool:
    """Return whether a field of a record is an amount of money."""
    return singular(name.rpartition("_")[2]) in AMOUNTS


def score_unit(figures: Figures) -> str:
    """Return the unit of a game's scores: "$", or the words of a score that is no money, such as "days lived"."""
    return "$" if is_amount(figures.SCORE) else figures.SCORE.replace("_", " ")


def as_percent(rate: Rate) -> str:
    """Return a rate as text: the percentage and both counts, or a dash."""
    failed, total = rate
    return ShownFigure(f"{failed / total:.2%} ({failed} of {total})", failed / total) if total else "-"


def or_dash(value: float | None, form: str) -> str:
    """Return a figure as text in this format, or a dash if it is None."""
    return "-" if value is None else ShownFigure(form.format(value), value)
