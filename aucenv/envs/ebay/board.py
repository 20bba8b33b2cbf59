"""The board of a proxy auction: the price and the maxima, the moves of this round, and the closed rounds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from aucenv.core.boards.board import (
    Board,
    Cell,
    Chart,
    Column,
    Mark,
    Said,
    Scale,
    Series,
    Table,
    hidden,
    visible,
)
from aucenv.core.boards.choices import amount, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import NOBODY, RUNNING
from aucenv.core.words.money import money, to_dollars
from aucenv.envs.ebay.view import ScenarioText, View
from aucenv.envs.single_item import board as single_item
from aucenv.envs.single_item.board import Point

MOVE = (Column("day", "count"), Column("bidder"), Column("move"), Column("price", "money"), Column("leader"))


def board(view: View) -> Board:
    """Return the board of a View."""
    row, text, running = view.row[0], view.scenario_text, view._get("status") == RUNNING
    seats = range(len(text.seats))
    maxima = single_item.dollars(row["maximum"][: len(seats)].tolist() if running else [NOBODY] * len(seats))
    columns = [
        single_item.values(view, view.item_number, maxima),
        (Column("maximum", "money"), single_item.private(view, maxima)),
        (Column("turn", "count"), _order(view) if running else [Cell(None)] * len(seats)),
    ]
    led, days = (row[name][: view.item_number].tolist() for name in ("led", "days_run"))
    leaders = [Cell(text.names[seat] if seat != NOBODY else "nobody") for seat in led]
    more = [(Column("leader"), leaders), (Column("days", "count"), [Cell(number) for number in days])]
    chart, table = single_item.closed(view, "maximum", more)
    charts, tables, scale = [chart], [table], _scale(view, maxima)
    if running:
        moves = _moves(view, 0, view._get("round"))
        charts.insert(0, _move_chart(view, moves, scale.end))
        tables.insert(0, Table("moves of this round", MOVE, tuple(move.cells for move in moves)))
    return single_item.board(
        view,
        f"proxy auction, {view.scenario.closing} close",
        [_state(view, seat) for seat in seats],
        columns,
        list(_lines(view)) if running else [],
        scale,
        charts,
        tables,
    )


def said(scenario_text: ScenarioText) -> Said:
    """Return how decisions are said."""
    return Said("holds", "sets its maximum to {}", sign=scenario_text.sign)


def events(before: View, after: View) -> list[str]:
    """Return the moves between two Views of a game, and the results of the rounds that closed, as sentences."""
    return [f"{sentence}." for sentence in _events(before, after)]


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.boards.choices.choices_of`."""
    scenario, least = view.scenario, view.least_raise
    field = None if least is None else amount("Set maximum", least, scenario.highest_maximum, scenario.bid_step)
    return choices_of([no_bid("Hold")], field)


def _events(before: View, after: View) -> Iterator[str]:
    """Yield sentences without full stops. The moves of an auction are lost when the next one has as many."""
    j, first = before.item_number, before._get("round")
    if after.item_number == j + 1:
        number = int(after.row["days_run"][0, j]) * len(after.scenario_text.seats)
        yield from _said_moves(after, j, max(first, after._get("round")), number)
        first = 0
    for closed in range(j, after.item_number):
        yield from single_item.result(after, closed)
    yield from _said_moves(after, after.item_number, first, after._get("round"))


def _said_moves(view: View, j: int, first: int, end: int) -> Iterator[str]:
    """Yield the moves of auction `j` as sentences, with the maxima that the seat knows."""
    row, text = view.row[0], view.scenario_text
    maxima = single_item.dollars((row["bid"][:, j] if j < view.item_number else row["maximum"]).tolist())
    moves = _moves(view, first, end)
    for k, move in enumerate(moves):
        _, name, did, _, leader = (cell.value for cell in move.cells)
        is_latest = not any(later.raises and later.seat == move.seat for later in moves[k + 1 :])
        if move.raises and is_latest and move.seat in single_item.known_seats(view):
            did = said(text).of(maxima[move.seat])
        yield f"{name} {did}; the price is {money(move.price[1], text.sign)}, and {leader} leads"


class _Move(NamedTuple):
    """A move: its cells in the table, and the price after it as a point of the chart."""

    seat: int
    raises: bool
    cells: tuple[Cell, ...]
    price: Point
    mark: Point


def _moves(view: View, first: int, end: int) -> list[_Move]:
    """Return the moves with these numbers."""
    row, names = view.row[0], view.scenario_text.names
    fields = (row[name][first:end].tolist() for name in ("moved", "raised", "price_after", "leader_after"))
    return [_move(names, first + k, *each) for k, each in enumerate(zip(*fields, strict=True))]


@functools.lru_cache(4096)
def _move(names: tuple[str, ...], number: int, seat: int, raised: int, price: int, leader: int) -> _Move:
    after = to_dollars(price)
    leads = names[leader] if leader != NOBODY else "nobody"
    values = number // len(names) + 1, names[seat], "raises its maximum" if raised else "holds", after, leads
    point = number + 1, after
    return _Move(seat, raised != 0, tuple(map(Cell, values)), point, point if leader == seat else (*point, False))


def _lines(view: View) -> Iterator[Cell]:
    leads = "Nobody" if view.leader is None else view.name_of(view.leader)
    day = f"Day {view.day + 1} of {view.day + 1 + view.days_left}"
    yield Cell(f"{day}, price {money(view.price or 0, view.scenario_text.sign)}. {leads} leads.", tone="leads")
    if view.scenario_text.has_reserve:
        yield Cell("There is a hidden reserve.")
    if view.is_last_day:
        yield Cell("On the last day no order is announced.")


def _order(view: View) -> list[Cell]:
    """Return the place of each seat in the order of the day, which is hidden on the last day."""
    order = view.row["order"][0].tolist()
    places = [order.index(seat) + 1 if seat in order else None for seat in range(len(view.scenario_text.seats))]
    return [hidden(view, place) if view.is_last_day else Cell(place) for place in places]


def _state(view: View, seat: int) -> Cell:
    """Return whether a seat leads or moves now; on the last day, only a seat that does not lead knows that it moves."""
    leads, moves = view._get("leader") == seat, bool(view.row["acting"][0, seat])
    if view._get("status") != RUNNING:
        return Cell(None)
    if view.is_last_day:
        return (
            Cell("leads", tone="leads") if leads else visible(view, seat, *(("moves", "acting") if moves else (None,)))
        )
    moves = view.row["order"][0, view._get("turn")] == seat
    words = [word for word, true in (("leads", leads), ("moves", moves)) if true]
    return Cell(", ".join(words) or None, tone="leads" if leads else "acting" if moves else "")


def _scale(view: View, maxima: list[float | None]) -> Scale:
    """Return the price as a bar, with marks at the values, the maxima and the hidden reserve."""
    marks = [Mark("price", Cell(view.price, tone="leads"))]
    marks += [Mark("maximum", cell, seat) for seat, cell in enumerate(single_item.private(view, maxima))]
    if view.scenario_text.has_reserve:
        marks.append(Mark("reserve", hidden(view, to_dollars(view._get("reserve")))))
    return single_item.scale(view, view.scenario.highest_maximum, marks)


def _move_chart(view: View, moves: list[_Move], top: float) -> Chart:
    """Return the price after each move, with the raises as marks, which are hollow if another seat leads."""
    names = view.scenario_text.names
    marks: list[list[Point]] = [[] for _ in names]
    for move in moves:
        if move.raises:
            marks[move.seat].append(move.mark)
    series = [Series("price", tuple(move.price for move in moves))]
    series += [Series(name, tuple(marks[seat]), "marks", seat) for seat, name in enumerate(names)]
    now = len(moves) + 1
    last = max(now, (view.day + 1) * len(names))
    return Chart("The price after each move", "move", 0.5, last + 0.5, tuple(series), now, True, 0, top)
