"""The board of an English auction: the item on a scale of prices, a row for each bidder, the items, and the bids."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from aucenv.core.boards.board import (
    EMPTY,
    Board,
    Cell,
    Chart,
    Column,
    Item,
    ItemState,
    Mark,
    Row,
    Said,
    Scale,
    Series,
    Tone,
)
from aucenv.core.boards.choices import amount, choice, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import NOBODY, RUNNING
from aucenv.core.words.money import money, to_dollars
from aucenv.core.words.phrases import best_seats, count, ended, listed
from aucenv.envs.english.stated_beliefs import beliefs
from aucenv.envs.english.view import ItemView, ScenarioText, View

__all__ = ["beliefs", "board", "choices", "events", "said"]

LEAST_ROUNDS = 4
"""The least number of rounds for which the chart of bids has room."""


def board(
    view: View, more: Sequence[tuple[Column, Sequence[Cell]]] = (), facts: Sequence[tuple[Mark, ...]] = ()
) -> Board:
    """Return the board of a View.

    Args:
        view: the View.
        more: further columns, with a cell for each seat.
        facts: further facts of each item.
    """
    item = _current(view)
    columns, cells = zip(*_columns(view), *more, strict=True)
    return Board(
        title=item.name if item else f"The auction {ended(view.status)}",
        place=_place(view, item),
        lines=tuple(Cell(text, tone=tone) for text, tone in _lines(view, item)),
        columns=columns,
        rows=tuple(_row(view, seat, each) for seat, each in enumerate(zip(*cells, strict=True))),
        note=Cell(item.description) if item and item.description else EMPTY,
        scale=_scale(view) if item else None,
        items=_items(view, facts),
        charts=(_chart(view),) if item else (),
        seat=None if view.reveals else view.seat_number,
    )


def said(scenario_text: ScenarioText) -> Said:
    """Return how decisions are said."""
    return Said("withdraws", "bids {}")


def events(before: View, after: View) -> list[str]:
    """Return the bids between two Views of a game, and what became of the items that closed, as sentences."""
    text = after.scenario_text
    new = after._history[len(before._history) :]
    bids = [f"{text.names[seat]} {said(text).of(to_dollars(cents) if cents >= 0 else None)}" for *_, seat, cents in new]
    sales = [_sale(after, j) for j in range(before.item_number, after.item_number)]
    return [f"{sentence}." for sentence in (*bids, *sales)]


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.boards.choices.choices_of`."""
    least, budget, withdraw = view.least_bid or 0.0, view.budget, no_bid("Withdraw")
    if least > budget:
        return choices_of([withdraw], None)
    return choices_of([choice(f"Bid {money(least)}", least), withdraw], amount("Bid", least, budget, 0.01))


def _current(view: View) -> ItemView | None:
    return view.item if view._get("status") == RUNNING else None


def _place(view: View, item: ItemView | None) -> str:
    total = view._get("num_items")
    if item is None:
        return f"after {view.item_number} of {count(total, 'item')}"
    return f"item {view.item_number + 1} of {total}, round {view.round + 1}"


def _lines(view: View, item: ItemView | None) -> Iterator[tuple[str, Tone]]:
    if item is None:
        yield f"{_highest_profit(view)}.", "won"
    else:
        names = dict(zip(view.scenario_text.seats, view.scenario_text.names, strict=True))
        standing, leader = view.standing_bid, view.leader
        if standing is None or leader is None:
            yield f"No bid yet. Least bid {money(view.least_bid or 0)}.", ""
        else:
            yield f"Standing bid {money(standing)} by {names[leader]}. Least bid {money(view.least_bid or 0)}.", "leads"
        if view.starting_price != item.starting_price:
            yield f"Starting price {money(view.starting_price)}, at first {money(item.starting_price)}.", ""


def _sale(view: View, j: int) -> str:
    """Return what became of a closed item: `Gadget B, sold to Alex for $2,000`."""
    row, name = view.row[0], view.scenario_text.item_names[view.row["lot"][0, j]]
    winner = int(row["winner"][j])
    if winner == NOBODY:
        return f"{name}, not sold"
    return f"{name}, sold to {view.scenario_text.names[winner]} for {money(to_dollars(int(row['hammer'][j])))}"


def _highest_profit(view: View) -> str:
    names = dict(zip(view.scenario_text.seats, view.scenario_text.names, strict=True))
    best = best_seats(view.status, view.profits)
    if not best:
        return f"All bidders have the same profit, {money(view.profits[view.seat])}"
    return f"Highest profit: {listed([names[seat] for seat in best])}, {money(view.profits[best[0]])}"


def _columns(view: View) -> Iterator[tuple[Column, list[Cell]]]:
    row, seats = view.row[0], len(view.scenario_text.seats)
    endowments, budgets, profits = (
        list(map(to_dollars, row[name][:seats].tolist())) for name in ("endowment", "budget", "profit")
    )
    is_equal = len(set(endowments)) == 1
    label = f"budget left of {money(endowments[0])}" if is_equal else "budget left"
    yield Column(label, "money", max(endowments)), list(map(Cell, budgets))
    if not is_equal:
        yield Column("budget at first", "money"), list(map(Cell, endowments))
    yield Column("profit", "money"), list(map(Cell, profits))
    yield Column("items", "count"), list(map(Cell, row["won"][:seats].tolist()))


def _row(view: View, seat: int, cells: tuple[Cell, ...]) -> Row:
    name = view.scenario_text.seats[seat]
    objective = view.objectives[name]
    wants = "" if objective == "profit" else f"wants {view.targets[name] or objective}"
    return Row(seat, view.scenario_text.names[seat], wants, _state(view, seat, name), cells)


def _state(view: View, seat: int, name: str) -> Cell:
    if view._get("status") != RUNNING:
        return Cell("winner", tone="won") if name in best_seats(view.status, view.profits) else EMPTY
    if view._get("leader") == seat:
        return Cell("leads", tone="leads")
    if view.row["acting"][0, seat]:
        return Cell("decides", tone="acting")
    return Cell("in", tone="in") if view.row["active"][0, seat] else Cell("out", tone="out")


def _scale(view: View) -> Scale:
    """Return the standing bid as a bar, with marks at the starting price, the least bid, the value and estimates."""
    standing = view.standing_bid
    bid = (
        Mark("standing bid", Cell(standing, tone="leads"))
        if standing is not None
        else Mark("least bid", Cell(view.least_bid))
    )
    marks = bid, Mark("start", Cell(view.starting_price)), *_values(view, view.item_number)
    return Scale(0, None, marks)


def _values(view: View, j: int) -> tuple[Mark, ...]:
    """Return the true value of an item and the estimates of it."""
    row, seats = view.row[0], len(view.scenario_text.seats)
    looks = None if view.reveals else view.seat_number
    return _known(
        int(row["value"][j]), bool(row["winner"][j] != NOBODY), tuple(row["estimate"][:seats, j].tolist()), looks
    )


@functools.lru_cache(512)
def _known(value: int, is_sold: bool, estimates: tuple[int, ...], looks: int | None) -> tuple[Mark, ...]:
    """Return the marks of a value and of estimates, in cents, as a seat sees them; None sees everything."""
    shown = to_dollars(value) if is_sold or looks is None else None
    marks = [Mark("true value", Cell(shown, None if is_sold else NOBODY))]
    for seat, cents in enumerate(estimates):
        marks.append(Mark("estimate", Cell(to_dollars(cents) if looks in (None, seat) else None, seat), seat))
    return tuple(marks)


def _items(view: View, facts: Sequence[tuple[Mark, ...]]) -> tuple[Item, ...]:
    row, seats, number = view.row[0], len(view.scenario_text.seats), view._get("num_items")
    columns = (tuple(row[name][:number].tolist()) for name in ("lot", "winner", "start", "hammer", "value"))
    estimates = tuple(map(tuple, row["estimate"][:seats, :number].T.tolist()))
    items = tuple(zip(*columns, estimates, facts or [()] * number, strict=True))
    now = view.item_number if _current(view) else None
    return _listed(
        items, view.scenario_text.item_names, view.item_number, now, None if view.reveals else view.seat_number
    )


@functools.lru_cache(64)
def _listed(
    items: tuple[tuple[Any, ...], ...], names: tuple[str, ...], closed: int, now: int | None, looks: int | None
) -> tuple[Item, ...]:
    """Return the items, which only change when one closes.

    Args:
        items: the lot, winner, starting price, price, value, estimates and further facts of each.
        names: the name of each lot.
        closed: the number of closed items.
        now: the current item.
        looks: the seat that looks; None: at everything.
    """
    all_items = []
    for j, (lot, winner, start, price, value, estimates, facts) in enumerate(items):
        is_sold = winner != NOBODY
        state: ItemState = "closed" if j < closed else "now" if j == now else "later"
        paid = Mark("price", Cell(to_dollars(price))) if is_sold else Mark("start", Cell(to_dollars(start)))
        marks = (paid, *_known(value, is_sold, estimates, looks), *facts)
        all_items.append(Item(names[lot], state, winner if is_sold else None, marks))
    return tuple(all_items)


def _chart(view: View) -> Chart:
    """Return the closed bids for the current item by round."""
    seats = range(len(view.scenario_text.seats))
    bids: list[list[tuple[int, float]]] = [[] for _ in seats]
    highest: dict[int, float] = {}
    for number, round_, seat, cents in view._history:
        if number == view.item_number and cents >= 0:
            dollars = to_dollars(cents)
            bids[seat].append((round_ + 1, dollars))
            highest[round_ + 1] = max(highest.get(round_ + 1, 0), dollars)
    series = [Series("standing bid", tuple(highest.items()))]
    series += [Series(view.scenario_text.names[seat], tuple(bids[seat]), "marks", seat) for seat in seats]
    last = max(view.round + 1, LEAST_ROUNDS)
    return Chart("Bids for this item", "round", 0.5, last + 0.5, tuple(series), view.round + 1, has_levels=True)
