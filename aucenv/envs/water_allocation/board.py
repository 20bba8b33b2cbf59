"""The board of a water allocation challenge: the supply of the day, the residents, and the closed days."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from aucenv.core.boards.board import (
    Board,
    Cell,
    Chart,
    Column,
    Mark,
    Row,
    Said,
    Scale,
    Series,
    Table,
    round_up,
    visible,
)
from aucenv.core.boards.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import IDLE, WITHDRAW
from aucenv.core.words.money import format_dollars, to_dollars
from aucenv.core.words.phrases import count, ended, listed
from aucenv.envs.water_allocation.view import Day, ScenarioText, View

MOST_NAMES = 5
"""The largest number of names in a line."""


def board(view: View) -> Board:
    """Return the board of a View."""
    text, supply, closed = view.scenario_text, view.supply, view.item_number
    days = [_day(text.wording.resource, j, *each) for j, each in enumerate(_closed(view))]
    columns = (
        Column(f"health of {view.health_cap}", "count", view.health_cap),
        Column("balance", "money"),
        Column("need", "count"),
        Column("salary", "money"),
        Column(text.wording.days_without, "count"),
        Column("last bid"),
    )
    if supply is None:
        alive = [name for name, gone in zip(text.names, view.row["gone"][0].tolist(), strict=False) if not gone]
        title = f"The game {ended(view.status)} after {closed} of {count(view.days, 'day')}"
        place, line = "", Cell(f"Survivors: {_listed_or_counted(alive)}.", tone="won")
    else:
        title, place = f"Day {view.day} of {view.days}", "{} to {} units".format(*view.supply_range)
        line = Cell(f"{count(supply, 'unit')} of {text.wording.resource} today; all who live need {_need(view)}.")
    last = days[-1][0][2:] if days else [Cell(None)] * len(text.seats)
    return Board(
        title=title,
        place=place,
        lines=(*([Cell(f"{_served(view, view.day_at(closed - 1))}.")] if closed else []), line),
        columns=columns,
        rows=tuple(_rows(view, last)),
        heading="resident",
        scale=None if supply is None else _scale(view, supply),
        charts=(_chart(view, [points for _, points in days]),),
        tables=(Table("closed days", _headings(text.names), tuple(cells for cells, _ in days)),),
        seat=None if view.reveals else view.seat_number,
    )


def said(scenario_text: ScenarioText) -> Said:
    """Return how decisions are said."""
    return Said("makes no bid", "bids {}")


def events(before: View, after: View) -> list[str]:
    """Return the bids, the winners and the deaths of the days that closed between two Views of a game, as sentences."""
    text, sentences = after.scenario_text, list[str]()
    for day in map(after.day_at, range(before.item_number, after.item_number)):
        for seat, bid in day.bids.items():
            void = ", which is void" if seat in day.void else ""
            sentences.append(f"{after.name_of(seat)} {said(text).of(bid)}{void}")
        sentences.append(_served(after, day))
        sentences += [f"{after.name_of(seat)} died" for seat in day.died]
    return [f"{sentence}." for sentence in sentences]


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.boards.choices.choices_of`."""
    return choices_of([no_bid("Make no bid")], amount("Bid", 0.0, view.resident.balance, 0.01))


def _served(view: View, day: Day) -> str:
    """Return who got the resource on a closed day: `Day 3: 20 units, water for Bob and Alex`."""
    served = _listed_or_counted([view.name_of(seat) for seat in day.winners])
    return f"Day {day.number}: {count(day.supply, 'unit')}, {view.scenario_text.wording.resource} for {served}"


def _need(view: View) -> int:
    """Return the sum of the needs of all who live."""
    return int((view.row["need"][0] * (1 - view.row["gone"][0])).sum())


def _listed_or_counted(names: Sequence[str]) -> str:
    """Return names in words; only their number if there are many."""
    return count(len(names), "resident") if len(names) > MOST_NAMES else listed(names) or "nobody"


def _rows(view: View, last: Sequence[Cell]) -> Iterator[Row]:
    """Yield the rows of the residents; `last` are their bids of the last day."""
    row, text, over = view.row[0], view.scenario_text, view.supply is None
    fields = (row[name].tolist() for name in ("gone", "health", "balance", "need", "salary", "thirst"))
    for seat, (name, gone, health, balance, need, salary, thirst) in enumerate(zip(text.names, *fields, strict=False)):
        bid = last[seat]
        if gone:
            state = Cell("dead", tone="out")
        elif over:
            state = Cell("survived", tone="won")
        else:
            state = Cell(
                text.wording.resource if bid.tone else "void" if str(bid.value).endswith("(void)") else None,
                tone=bid.tone,
            )
        cells = (max(0, health), to_dollars(balance), need, to_dollars(salary), thirst)
        note = visible(view, seat, text.personas[seat] or None)
        yield Row(seat, name, "", state, (*map(Cell, cells), bid), note)


def _scale(view: View, supply: int) -> Scale:
    """Return the supply as a bar, with marks at what all who live need, and at the least and the highest supply."""
    low, high = view.supply_range
    limits = (Mark("least", Cell(low)), Mark("highest", Cell(high)))
    most = max(int(view.row["need"][0].sum()), high)
    return Scale(
        0,
        round_up(most),
        (Mark("supply", Cell(supply, tone="in")), Mark("total need", Cell(_need(view))), *limits),
        "count",
    )


def _chart(view: View, points: Sequence[Sequence[tuple[int, int] | None]]) -> Chart:
    """Return the health of each resident at the end of each day."""
    names = view.scenario_text.names
    columns = zip(*points, strict=True) if points else [()] * len(names)
    series = tuple(
        Series(name, tuple(point for point in column if point is not None), "both", seat)
        for seat, (name, column) in enumerate(zip(names, columns, strict=True))
    )
    title = "Health at the end of each day"
    return Chart(title, "day", 0.5, view.days + 0.5, series, bottom=0, top=view.health_cap, unit="count")


@functools.lru_cache
def _headings(names: tuple[str, ...]) -> tuple[Column, ...]:
    return (Column("day", "count"), Column("supply", "count"), *map(Column, names))


def _closed(view: View) -> Iterator[tuple[Any, ...]]:
    """Yield the supply of each closed day with the bids, places, balances and healths of the residents after it."""
    row, closed, seats = view.row[0], view.item_number, len(view.scenario_text.seats)
    by_seat = [
        map(tuple, row[name][:seats, :closed].T.tolist()) for name in ("bid", "place", "balance_after", "health_after")
    ]
    return zip(row["supplies"][:closed].tolist(), *by_seat, strict=True)


@functools.lru_cache(4096)
def _day(
    resource: str,
    j: int,
    supply: int,
    bids: tuple[int, ...],
    places: tuple[int, ...],
    balances: tuple[int, ...],
    healths: tuple[int, ...],
) -> tuple[tuple[Cell, ...], list[tuple[int, int] | None]]:
    """Return the cells of a closed day, and the health of each resident as a point of the chart."""
    cells = [Cell(j + 1), Cell(supply)]
    for bid, place, balance in zip(bids, places, balances, strict=True):
        if bid < 0:
            cells.append(Cell("no bid" if bid == WITHDRAW else None))
        elif place:
            cells.append(Cell(f"{format_dollars(bid)} ({resource})", tone="won"))
        else:
            cells.append(Cell(f"{format_dollars(bid)}{' (void)' * (bid > balance)}"))
    return tuple(cells), [
        None if bid == IDLE else (j + 1, max(0, health)) for bid, health in zip(bids, healths, strict=True)
    ]
