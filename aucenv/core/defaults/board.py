"""The board of a game without one, from the fields that its State declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aucenv.core.boards.board import Board, Cell, Chart, Column, Row, Said, Series, Table, Unit, written
from aucenv.core.defaults.features import shown_fields
from aucenv.core.defaults.view import words_of
from aucenv.core.fields import ALL, ALL_BY_ITEM, ITEM, OWNER, OWNER_BY_ITEM, SEAT, Field
from aucenv.core.game_modules import RulesModule
from aucenv.core.state import NOBODY
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.phrases import count, ended


class DefaultBoard:
    """The board module of a game without one.

    The fields of the whole game are sentences, those of a seat, and those of a seat in the current item, are columns.
    Closed items are a table, and amounts of theirs a chart.

    Args:
        rules: The game's rules.
        said: How decisions are said.
    """

    def __init__(self, rules: RulesModule, said: Said) -> None:
        self._said = said
        fields = [field for field in rules.State.FIELDS.values() if field in shown_fields(rules.State)]
        self._score = rules.RESULT[0]
        self._game = [field for field in fields if field.per == ()]
        self._seat = [field for field in fields if field.per == (SEAT,) and field.name != "acting"]
        self._item = [field for field in fields if field.per == (ITEM,)]
        self._seat_item = [field for field in fields if field.per == (SEAT, ITEM)]

    def board(self, view: GameView) -> Board:
        """Return the board of a View."""
        items, running = int(view.row["num_items"][0]), view.status == "running"
        now = [field for field in (*self._item, *self._seat_item) if running and not field.at_close]
        columns = [Column(words_of(field), _unit(field)) for field in self._columns(now)]
        return Board(
            title=f"Round {view.item_number + 1} of {items}" if running else f"The game {ended(view.status)}",
            place="" if running else f"after {count(view.item_number, 'round')}",
            lines=tuple(self._lines(view, [field for field in now if field.per == (ITEM,)])),
            columns=tuple(columns),
            rows=tuple(self._row(view, seat, now) for seat in range(len(view.scenario_text.seats))),
            charts=self._charts(view, items),
            tables=self._tables(view),
            seat=None if view.reveals else view.seat_number,
        )

    def said(self, scenario_text: Any) -> Said:
        """Return how decisions are said."""
        return self._said

    def events(self, before: GameView, after: GameView) -> list[str]:
        """Return the items that closed between two Views, with what all or the seat may know of them."""
        board = self.board(after)
        labels = [column.label for table in board.tables for column in table.columns[1:]]
        return [
            f"Round {j + 1}: {', '.join(self._facts(board, labels, board.tables[0].entries[j][1:]))}."
            for j in range(before.item_number, after.item_number)
        ]

    def _facts(self, board: Board, labels: Sequence[str], cells: Sequence[Cell]) -> Iterator[str]:
        for label, cell, column in zip(labels, cells, board.tables[0].columns[1:], strict=True):
            if not board.is_hidden(cell):
                yield f"{label} {board.text(cell, column.unit)}"

    def _columns(self, now: Sequence[Field[Any]]) -> list[Field[Any]]:
        return [*(field for field in now if SEAT in field.per), *self._seat]

    def _lines(self, view: GameView, now: Sequence[Field[Any]]) -> Iterator[Cell]:
        for field in (*self._game, *now):
            cell = _cell(field, view, (view.item_number,) if field.per else ())
            if cell.value is not None:
                yield Cell(f"{words_of(field)}: {written(cell.value, _unit(field))}", cell.only)

    def _row(self, view: GameView, seat: int, now: Sequence[Field[Any]]) -> Row:
        acting = bool(view.row["acting"][0, seat])
        is_best = view.status != "running" and self._is_best(view, seat)
        state = Cell("decides", tone="acting") if acting else Cell("winner", tone="won") if is_best else Cell(None)
        fields = self._columns(now)
        cells = (_cell(field, view, (seat, view.item_number) if ITEM in field.per else (seat,)) for field in fields)
        return Row(seat, view.scenario_text.names[seat], "", state, tuple(cells))

    def _is_best(self, view: GameView, seat: int) -> bool:
        """Return whether a seat has the highest score, if all seats see the scores and these differ."""
        field = next((field for field in self._seat if field.name == self._score and field.visible_to is ALL), None)
        if field is None:
            return False
        scores = view.row[field.name][0, : len(view.scenario_text.seats)]
        return bool(scores[seat] == scores.max() > scores.min())

    def _tables(self, view: GameView) -> tuple[Table, ...]:
        """Return what is known of each closed item."""
        seats, names = range(len(view.scenario_text.seats)), view.scenario_text.names
        columns = [Column(words_of(field), _unit(field)) for field in self._item]
        columns += [Column(f"{names[k]}: {words_of(field)}", _unit(field)) for field in self._seat_item for k in seats]
        if not columns or not view.item_number:
            return ()
        entries = []
        for j in range(view.item_number):
            cells = [_cell(field, view, (j,)) for field in self._item]
            cells += [_cell(field, view, (seat, j)) for field in self._seat_item for seat in seats]
            entries.append((Cell(j + 1), *cells))
        return (Table("closed rounds", (Column("round", "count"), *columns), tuple(entries)),)

    def _charts(self, view: GameView, items: int) -> tuple[Chart, ...]:
        """Return the amounts of closed items: those of the whole item, and the first kind of each seat."""
        series = [self._series(field, view, None) for field in self._item if _unit(field) == "money"]
        amounts = [field for field in self._seat_item if _unit(field) == "money" and field.at_close]
        for field in amounts[:1]:
            series += [self._series(field, view, seat) for seat in range(len(view.scenario_text.seats))]
        if not series or not view.item_number:
            return ()
        now = view.item_number + 1 if view.status == "running" else None
        return (Chart("Closed rounds", "round", 0.5, items + 0.5, tuple(series), now),)

    def _series(self, field: Field[Any], view: GameView, seat: int | None) -> Series:
        index = () if seat is None else (seat,)
        cells = [_cell(field, view, (*index, j)) for j in range(view.item_number)]
        only = {cell.only for cell in cells}
        points = tuple((j + 1, cell.value) for j, cell in enumerate(cells) if cell.value is not None)
        label = words_of(field) if seat is None else view.scenario_text.names[seat]
        return Series(
            label, points, "line" if seat is None else "marks", seat, only.pop() if len(only) == 1 else NOBODY
        )


def _unit(field: Field[Any]) -> Unit:
    return "money" if field.unit.divisor == 100 else "count" if field.unit.names is None else "text"


def _cell(field: Field[Any], view: GameView, index: tuple[int, ...]) -> Cell:
    """Return the value of a field, for the seats that see it."""
    only = _viewer(field, index)
    if not view.reveals and only not in (None, view.seat_number):
        return Cell(None, only)
    number, text = int(view.row[field.name][0][index]), view.scenario_text
    value = field.unit.public(number, text)
    if field.is_seat and value is not None:
        value = text.names[number]
    return Cell(("yes" if value else "no") if isinstance(value, bool) else value, only)


def _viewer(field: Field[Any], index: tuple[int, ...]) -> int | None:
    """Return the seat that alone sees a value of the current item or a closed one; None if all do.

    Values for which a kernel of the game decides are shown to nobody, because it may depend on what is hidden.
    """
    if field.visible_to in (ALL, ALL_BY_ITEM):
        return None
    return index[0] if field.visible_to in (OWNER, OWNER_BY_ITEM) else NOBODY
