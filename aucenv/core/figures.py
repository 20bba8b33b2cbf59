"""What figures of all games are made of: rates, tables, and what a game's `figures.py` has."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from aucenv.core.bidder_name import label_of
from aucenv.core.record import GameRecord

Rate = tuple[int, int]
"""(failures, all that could fail); CFR is the first over the second."""


class Figures(Protocol):
    """A game's `figures.py`.

    It may also have ALSO_SHOWN, a second table's title and SHOWN; COUNTS, a `Counts`; and `agent_tables(records)`, the
    tables on how agents think that only this game has.
    """

    SCORE: str
    """The figure of an outcome's seats by which bidders rank in a game."""
    FIGURES: Mapping[str, Callable[[Any], tuple[float, float]]]
    """By name, of what `seat_figures` gives: the two sums, over seats and games, whose ratio the figure is."""
    SHOWN: Mapping[str, tuple[str, str]]
    """The figures that tables for people show: heading and format."""

    def seat_figures(self, record: GameRecord, /) -> Sequence[Any]:
        """One for each seat, with its `bidder`, a label."""
        ...


@dataclasses.dataclass(frozen=True)
class Counts:
    """How many of a bidder's bids are of each kind.

    Attributes:
        name: of the figure in a ranking's rows.
        title: of its table.
        kinds: headings, in order.
        count: the counts by bidder's label and kind.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    count: Callable[[Iterable[GameRecord]], dict[str, dict[str, int]]]


@dataclasses.dataclass(frozen=True)
class Shown:
    """A table for people."""

    title: str
    headings: tuple[str, ...]
    lines: list[list[str]]


def labelled_seats(records: Iterable[GameRecord]) -> Iterator[tuple[str, GameRecord, str]]:
    """(label of the bidder, record, seat) of every seat of every game."""
    for record in records:
        for who in record.seats:
            yield label_of(who["bidder"]), record, who["seat"]


def as_percent(rate: Rate) -> str:
    """A rate as people read it."""
    failed, all_ = rate
    return f"{failed / all_:.2%} ({failed} of {all_})" if all_ else "-"


def or_dash(value: float | None, form: str) -> str:
    """A figure by its format; a dash where it is not defined."""
    return "-" if value is None else form.format(value)
