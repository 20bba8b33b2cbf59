"""The board of a clock auction: the clock's price, who is still in, and the closed rounds."""

from __future__ import annotations

from collections.abc import Iterator

from aucenv.core.boards.board import Board, Cell, Column, Mark, Said, Scale, hidden, visible
from aucenv.core.boards.choices import amount, choice, choices_of, no_bid
from aucenv.core.files import JsonObject
from aucenv.core.state import NOBODY, RUNNING
from aucenv.core.words.money import format_dollars, money, to_cents, to_dollars
from aucenv.envs.clock.view import ScenarioText, View
from aucenv.envs.single_item import board as single_item
from aucenv.envs.single_item.values import REVEAL_ALL


def board(view: View) -> Board:
    """Return the board of a View."""
    seats, rises = range(len(view.scenario_text.seats)), view.direction == "ascending"
    running, last = view._get("status") == RUNNING, view.item_number - 1
    named = single_item.dollars(_named(view, seat) if running else NOBODY for seat in seats)
    ended = [_ended(view, seat, last) if last >= 0 else None for seat in seats]
    values = single_item.values(view, view.item_number, named)
    columns = [values, (Column("last round"), single_item.private(view, ended))]
    exits = []
    if view._get("open") and view._get("reveal") != REVEAL_ALL:
        exits.append((Column("left at"), [Cell(_exits(view, j)) for j in range(view.item_number)]))
    chart, table = single_item.closed(view, "left at" if rises else "took it at", exits)
    return single_item.board(
        view,
        f"{'blind ' if rises and not view._get('open') else ''}{view.direction} clock",
        [_state(view, seat) for seat in seats],
        columns,
        list(_lines(view)) if running else [],
        _scale(view) if running else None,
        [chart],
        [table],
    )


def said(scenario_text: ScenarioText) -> Said:
    """Return how decisions are said."""
    if scenario_text.scenario.direction == "ascending":
        return Said("leaves", "stays until {}", "stays", scenario_text.sign)
    return Said("waits", "takes it at {}", sign=scenario_text.sign)


def events(before: View, after: View) -> list[str]:
    """Return who has left between two Views of a game, how closed rounds ended, and the price, as sentences."""
    names, sentences = after.scenario_text.names, list[str]()
    for j in range(before.item_number, after.item_number + (after.value is not None)):
        is_closed = j < after.item_number
        for seat in single_item.known_seats(after):
            was_in = j > before.item_number or before.row["active"][0, seat]
            did = _ended(after, seat, j) if was_in and (is_closed or not after.row["active"][0, seat]) else "won"
            if did != "won":
                sentences.append(f"{names[seat]} {did}")
        if is_closed:
            sentences += single_item.result(after, j)
    if after.price is not None and (after.item_number, after.price) != (before.item_number, before.price):
        shows = after._get("falling") == 0 and after.still_in is not None
        still_in = f", and {after.still_in} of {len(names)} bidders are in" if shows else ""
        sentences.append(f"The clock is at {money(after.price, after.scenario_text.sign)}{still_in}")
    return [f"{sentence}." for sentence in sentences]


def choices(view: View) -> JsonObject:
    """Return what a seat that has to decide may do: `core.boards.choices.choices_of`."""
    sign, price = view.scenario_text.sign, view.price or 0.0
    tick, end = view.scenario.tick, view.scenario.end
    if view.direction == "ascending":
        later = amount("Leave at", price + tick, end, tick) if price + tick <= end else None
        return choices_of([choice(f"Stay at {money(price, sign)}", 0.0), no_bid("Leave")], later)
    now, step = to_cents(price), to_cents(tick)
    lowest = to_dollars(now - (now - max(to_cents(end), 1)) // step * step)  # 0 means now
    later = amount("Take it at", lowest, to_dollars(now - step), tick) if lowest < price else None
    return choices_of([choice(f"Take it at {money(price, sign)}", price), no_bid("Wait")], later)


def _lines(view: View) -> Iterator[Cell]:
    yield Cell(f"The clock is at {money(view.price or 0, view.scenario_text.sign)}.", tone="leads")
    if view.direction == "ascending":  # nobody leaves a falling clock
        text = f"{view._get('still_in')} of {len(view.scenario_text.seats)} bidders are in."
        yield Cell(text) if view._get("open") else hidden(view, text)


def _scale(view: View) -> Scale:
    """Return the price as a bar, with marks at the values and at the prices at which bidders have left."""
    exits = [*reversed(view.left_at or ()), *[None] * len(view.scenario_text.seats)]
    only = None if view._get("open") else NOBODY
    marks = [Mark("left at", Cell(price, only)) for price in exits[: len(view.scenario_text.seats) - 2]]
    price = Mark("price", Cell(view.price, tone="leads"))
    return single_item.scale(view, view.scenario.highest_price, (price, *marks))


def _exits(view: View, j: int) -> str:
    """Return the prices at which bidders left closed round `j`, from 0, before the clock stopped."""
    row, sign = view.row[0], view.scenario_text.sign
    ranked = row["ranked"][j, : len(view.scenario_text.seats)].tolist()
    shown = [cents for cents in ranked if cents >= 0 and (not view.reveals or cents < row["price"][j])]
    return ", ".join(format_dollars(cents, sign) for cents in shown) or "none"


def _named(view: View, seat: int) -> int:
    """Return the price that a seat has named, or at which it has left, in cents; NOBODY if there is none."""
    row = view.row[0]
    return int(row["limit"][seat] if row["active"][seat] else row["bid"][seat, view.item_number])


def _ended(view: View, seat: int, j: int) -> str:
    """Return what a seat did in round `j`, from 0: `won`, `left at $42`; on a descending clock, `waited`."""
    bid, falls = int(view.row["bid"][0, seat, j]), view.direction == "descending"
    if int(view.row["winner"][0, j]) == seat:
        return "won"
    if bid == NOBODY:
        return "waited" if falls else "stayed"
    return f"{'took it at' if falls else 'left at'} {format_dollars(bid, view.scenario_text.sign)}"


def _state(view: View, seat: int) -> Cell:
    """Return whether a seat is still in, and the price that it has named: `in`, `until $70`, `left at $30`."""
    row = view.row[0]
    if view._get("status") != RUNNING:
        return visible(view, seat, None)
    if not row["active"][seat]:
        return visible(view, seat, _ended(view, seat, view.item_number), "out")
    limit = int(row["limit"][seat])
    if limit == NOBODY:
        return visible(view, seat, "in", "acting" if row["acting"][seat] else "in")
    words = "takes it at" if view.direction == "descending" else "until"
    return visible(view, seat, f"{words} {format_dollars(limit, view.scenario_text.sign)}", "in")
