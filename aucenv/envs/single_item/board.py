"""The parts that boards of auctions of one prize per round share: a row for each bidder, and the closed rounds.

Values, bids, profits and prizes are private; `reveal` decides what all seats see of a closed round.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from aucenv.core.boards.board import (
    Board,
    Cell,
    Chart,
    Column,
    Mark,
    Row,
    Scale,
    Series,
    Table,
    Tone,
    hidden,
    round_up,
    visible,
)
from aucenv.core.state import NOBODY, RUNNING
from aucenv.core.words.money import format_dollars, money, to_dollars
from aucenv.core.words.phrases import best_seats, count, ended, listed
from aucenv.envs.single_item.view import SingleItemView

MODELS = {"ipv": "independent private values", "apv": "affiliated private values", "cv": "common values"}

Columns = Sequence[tuple[Column, Sequence[Cell]]]
"""Columns, with a cell for each row."""
Point = tuple[int, float] | tuple[int, float, bool]


def board(
    view: SingleItemView,
    kind: str,
    states: Sequence[Cell],
    columns: Columns,
    lines: Sequence[Cell] = (),
    scale: Scale | None = None,
    charts: Sequence[Chart] = (),
    tables: Sequence[Table] = (),
) -> Board:
    """Return the board of a View.

    Args:
        view: the View.
        kind: the kind of auction in words.
        states: what each seat does while the game is running.
        columns: the columns before those of profit and prizes.
        lines, scale: those of a running game, after the result of the last round.
        charts, tables: see Board.
    """
    row, text, running = view.row[0], view.scenario_text, view._get("status") == RUNNING
    profits, prizes = (row[name][: len(text.seats)].tolist() for name in ("profit", "won"))
    lines = [*_last_round(view), *lines]
    if running:
        title = f"Round {view.item_number + 1} of {view.num_rounds}"
        if view.values == "cv":
            worth = format_dollars(int(row["common"][view.item_number]), text.sign)
            lines = [*lines, hidden(view, f"The prize is worth {worth}.")]
    else:
        title = f"The game {ended(view.status)} after {view.item_number} of {count(view.num_rounds, 'round')}"
        best = best_seats(view.status, dict(zip(text.names, profits, strict=True)))
        lines.append(hidden(view, f"{_highest_profit(best, format_dollars(max(profits), text.sign))}.", "won"))
        states = [hidden(view, "winner", "won") if name in best else hidden(view, None) for name in text.names]
    profit = Column("profit", "money"), private(view, [to_dollars(cents) for cents in profits])
    all_columns = [*columns, profit, (Column("prizes", "count"), private(view, prizes))]
    cells = zip(*(each for _, each in all_columns), strict=True)
    rows = zip(text.names, states, cells, strict=True)
    return Board(
        title=title,
        place=f"{kind}, {MODELS[view.values]}",
        lines=tuple(lines),
        columns=tuple(column for column, _ in all_columns),
        rows=tuple(Row(seat, name, "", state, each) for seat, (name, state, each) in enumerate(rows)),
        scale=scale if running else None,
        charts=tuple(charts),
        tables=tuple(tables),
        seat=None if view.reveals else view.seat_number,
        sign=text.sign,
    )


def private(
    view: SingleItemView, values: Sequence[str | float | None], marks: Sequence[float | None] = ()
) -> list[Cell]:
    """Return a cell for each seat that it alone may see, with a mark if there are any."""
    return [visible(view, seat, each, mark=marks[seat] if marks else None) for seat, each in enumerate(values)]


def dollars(cents: Iterable[int]) -> list[float | None]:
    """Return amounts in dollars; None for those that do not exist."""
    return [to_dollars(amount) if amount >= 0 else None for amount in cents]


def values(
    view: SingleItemView, j: int, marks: Sequence[float | None] = (), word: str = ""
) -> tuple[Column, list[Cell]]:
    """Return the column of the values (with cv, the signals) in round `j`, from 0, with bars and with marks on them.

    Args:
        view: the View.
        j: the round, from 0; there are no values in one that has not begun.
        marks: an amount for each seat.
        word: comes before the label.
    """
    is_open, seats = 0 <= j < view.item_number + (view._get("status") == RUNNING), len(view.scenario_text.seats)
    amounts = dollars(view.row["value"][0, :seats, j].tolist()) if is_open else [None] * seats
    label, most = value_word(view.values), max(view.scenario.highest_signal, view.scenario.highest_bid)
    return Column(f"{word}{label}", "money", most), private(view, amounts, marks)


def value_word(model: str) -> str:
    """Return what a seat knows of a prize: its "value"; with cv, a "signal" of it."""
    return "signal" if model == "cv" else "value"


def scale(view: SingleItemView, most: float, marks: Iterable[Mark]) -> Scale:
    """Return a scale that reaches `most` and the values, which are marked after the first mark."""
    first, *others = marks
    word, cells = value_word(view.values), values(view, view.item_number)[1]
    known = [Mark(word, cell, seat) for seat, cell in enumerate(cells)]
    return Scale(0, round_up(max(most, view.scenario.highest_signal)), (first, *known, *others))


def result(view: SingleItemView, j: int) -> Iterator[str]:
    """Yield what the seat knows of the result of closed round `j`, from 0, as sentences without full stops."""
    played, winner, sign = view.round_at(j), int(view.row["winner"][0, j]), view.scenario_text.sign
    if winner != NOBODY:
        profit = money(played.winner_profit or 0, sign)
        sold = f"{view.scenario_text.names[winner]} won at {money(played.price or 0, sign)}, with a profit of {profit}"
    elif played.price is not None:
        sold = f"sold at {money(played.price, sign)}"
    else:
        sold = f"{view.name} did not win" if view.reveal == "none" and not view.reveals else "not sold"
    yield f"Round {j + 1}: {sold}"
    if played.bids and not view.reveals:
        yield f"All bids: {', '.join(money(bid, sign) for bid in played.bids)}"
    if played.prize_value is not None:
        yield f"The prize was worth {money(played.prize_value, sign)}"


def _last_round(view: SingleItemView) -> Iterator[Cell]:
    """Yield the price of the round that closed last, and with cv the value of its prize."""
    last, row, sign = view.item_number - 1, view.row[0], view.scenario_text.sign
    if last < 0:
        return
    price = int(row["price"][last])
    sold = f"sold at {format_dollars(price, sign)}" if price >= 0 else "not sold"
    text = f"Round {last + 1}: {sold}."
    yield Cell(text) if view.reveal != "none" else hidden(view, text)
    if view.values == "cv":
        worth = f"Its prize was worth {format_dollars(int(row['common'][last]), sign)}."
        yield Cell(worth) if view.reveal == "all" else hidden(view, worth)


def known_seats(view: SingleItemView) -> Sequence[int]:
    """Return the seats whose bids a View shows."""
    return range(len(view.scenario_text.seats)) if view.reveals else (view.seat_number,)


def _highest_profit(best: Sequence[str], profit: str) -> str:
    return f"Highest profit: {listed(best)}, {profit}" if best else f"All bidders have the same profit, {profit}"


class _Form(NamedTuple):
    """The form of all closed rounds of a game: who looks (None: at everything), and how amounts are written."""

    looks: int | None
    names: tuple[str, ...]
    sign: str
    reveal: str
    has_common: bool
    all_pay: bool


def closed(view: SingleItemView, bid: str, more: Columns = (), now: float | None = None) -> tuple[Chart, Table]:
    """Return the closed rounds as a chart and as a table.

    Args:
        view: the View.
        bid: what a bid is called.
        more: columns of the table with a cell for each round.
        now: the place of decisions in the chart.
    """
    row, text, played = view.row[0], view.scenario_text, view.item_number
    seats, looks = len(text.seats), None if view.reveals else view.seat_number
    form = _Form(looks, text.names, text.sign, view.reveal, view.values == "cv", view.all_pay)
    whole = zip(*(row[name][:played].tolist() for name in ("winner", "price", "surplus", "common")), strict=True)
    ranked = map(tuple, row["ranked"][:played, :seats].tolist())
    by_seat = [map(tuple, row[name][:seats, :played].T.tolist()) for name in ("value", "bid")]
    rounds = [_round(form, j, *each) for j, each in enumerate(zip(whole, ranked, *by_seat, strict=True))]
    further = zip(*(cells for _, cells in more), strict=True) if more else [()] * played
    entries = tuple((*public, *each, *private) for (public, private, _), each in zip(rounds, further, strict=True))
    columns = _columns(form, bid, value_word(view.values), tuple(column for column, _ in more))
    chart = Chart(
        "Closed rounds", "round", 0.5, view.num_rounds + 0.5, _series(form, [each for *_, each in rounds]), now
    )
    return chart, Table("closed rounds", columns, entries)


@functools.lru_cache
def _columns(form: _Form, bid: str, value: str, more: tuple[Column, ...]) -> tuple[Column, ...]:
    columns = [Column("round", "count"), Column("winner"), Column("price", "money")]
    if form.reveal == "all":
        columns += [Column("all bids"), Column("winner's profit", "money")]
    if form.has_common:
        columns.append(Column("prize's value", "money"))
    return (*columns, *more, *(Column(f"{name}: {bid} ({value})") for name in form.names))


@functools.lru_cache(4096)
def _round(
    form: _Form,
    j: int,
    whole: tuple[int, int, int, int],
    ranked: tuple[int, ...],
    values: tuple[int, ...],
    bids: tuple[int, ...],
) -> tuple[list[Cell], list[Cell], list[Point | None]]:
    """Return the cells of a closed round that are not a seat's, a cell for each seat, and its points in the chart.

    Args:
        form: see _Form.
        j: the round, from 0.
        whole: its winner, price, surplus and common value.
        ranked: the bids in descending order.
        values, bids: those of each seat.
    """
    winner, price, surplus, common = whole
    of_price, of_others = (None if is_public else NOBODY for is_public in (form.reveal != "none", form.reveal == "all"))

    def shows(only: int | None) -> bool:
        return only is None or form.looks in (None, only)

    def cell(value: str | float | None, only: int | None, tone: Tone = "") -> Cell:
        return Cell(value, only, tone) if shows(only) else Cell(None, only)

    paid = to_dollars(price) if price >= 0 else None
    public = [Cell(j + 1), cell(form.names[winner] if winner != NOBODY else "not sold", NOBODY), cell(paid, of_price)]
    if form.reveal == "all":
        written = [format_dollars(bid, form.sign) for bid in ranked if bid >= 0]
        public += [Cell(", ".join(written) or "none"), Cell(to_dollars(surplus) if price >= 0 else None)]
    if form.has_common:
        public.append(cell(to_dollars(common), of_others))
    by_seat, points = list[Cell](), list[Point | None]()
    points.append((j + 1, paid) if paid is not None and shows(of_price) else None)
    for seat, (value, bid) in enumerate(zip(values, bids, strict=True)):
        tone: Tone = "won" if seat == winner else ""
        by_seat.append(cell(_in_words(form, seat == winner, price, common, value, bid), seat, tone))
        point: Point = (j + 1, to_dollars(bid)) if seat == winner else (j + 1, to_dollars(bid), False)
        points.append(point if bid >= 0 and shows(seat) else None)
    return public, by_seat, points + [(j + 1, to_dollars(values[k])) if shows(k) else None for k in range(len(values))]


def _in_words(form: _Form, is_won: bool, price: int, common: int, value: int, bid: int) -> str:
    """Return a seat's bid and value in a closed round in words, and what it paid and gained."""
    text = f"{format_dollars(bid, form.sign) if bid >= 0 else '-'} ({format_dollars(value, form.sign)})"
    paid = price if is_won else max(0, bid) if form.all_pay else 0
    if is_won and form.reveal == "none":
        text += f", paid {format_dollars(paid, form.sign)}"
    if is_won and form.has_common and form.reveal != "all":
        text += f", worth {format_dollars(common, form.sign)}"
    if is_won or paid:
        worth = common if form.has_common else value
        text += f", profit {format_dollars((worth if is_won else 0) - paid, form.sign)}"
    return text


def _series(form: _Form, rounds: Sequence[Sequence[Point | None]]) -> tuple[Series, ...]:
    """Return the prices by round, the bids of each seat, and its values."""
    columns = zip(*rounds, strict=True) if rounds else [()] * (1 + 2 * len(form.names))
    price, *others = (tuple(point for point in column if point is not None) for column in columns)
    series = [Series("price", price, only=None if form.reveal != "none" else NOBODY)]
    seats = range(len(form.names))
    series += [Series(form.names[seat], others[seat], "marks", seat, seat) for seat in seats]
    word = "signal" if form.has_common else "value"
    return (*series, *(Series(f"{word} of {form.names[k]}", others[len(seats) + k], "line", k, k) for k in seats))
