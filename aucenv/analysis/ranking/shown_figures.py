"""The figures that printed tables show: those of the game, and the share of unreadable replies beside failed bids.

Failed bids are a share of the readable replies. Without the share of unreadable ones, a model that is rarely readable
would look like one that makes no mistakes. Tables of bidders that only send numbers do not need this column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.files import JsonMapping
from aucenv.core.words.outside_text import one_line

Columns = Mapping[str, tuple[str, str]]
"""The heading and the format of each figure, by its name."""

FAILED, UNREADABLE = "failed_bid_rate", "unreadable_rate"
UNREADABLE_COLUMN = ("unreadable", "{:.1%}")
NO_SHARE = '"-" under "failed bids": no reply of the bidder was readable, so there is no share of failed bids.'
NO_BID = '"-" under "failed bids": the bidder always withdrew, so there is no share of failed bids.'


def main_figures(game: str, in_words: bool) -> Columns:
    """Return the game's figures of the first table.

    Args:
        in_words: whether a bidder of the table replies in words.
    """
    return _with_unreadable(figures_of(game).SHOWN, game, in_words)


def second_figures(game: str, in_words: bool) -> tuple[str, Columns]:
    """Return the title and the figures of the second table; both are empty if the game has none."""
    title, figures = getattr(figures_of(game), "ALSO_SHOWN", ("", {}))
    return title, _with_unreadable(figures, game, in_words)


def _with_unreadable(shown: Columns, game: str, in_words: bool) -> Columns:
    if not in_words or UNREADABLE in shown or UNREADABLE not in figures_of(game).FIGURES:
        return shown
    columns: dict[str, tuple[str, str]] = {}
    for name, column in shown.items():
        columns[name] = column
        if name == FAILED:
            columns[UNREADABLE] = UNREADABLE_COLUMN
    return columns


def note_on_failed_bids(rates: Iterable[tuple[float | None, float | None]]) -> str:
    """Return the footnote of a column of failed bids: why bidders have no share; "" if all have one.

    Args:
        rates: the shares of failed bids and of unreadable replies of each bidder of the table.
    """
    undefined = [unreadable for failed, unreadable in rates if failed is None]
    readable = [unreadable is not None and unreadable < 1 for unreadable in undefined]
    return " ".join(note for note, is_readable in ((NO_SHARE, False), (NO_BID, True)) if is_readable in readable)


def note_on_bidders(rows: Iterable[JsonMapping]) -> str:
    """Return the footnote that has the notes of all rows on their bidders; "" if there are none."""
    notes = "; ".join(f"{row['bidder']}: {row['note']}" for row in rows if "note" in row)
    return notes and f"{one_line(notes)}."


def note_on_undefined(rows: Sequence[JsonMapping], game: str, shown: Columns) -> str:
    """Return the footnote of a table: why bidders do not have some of its figures; "" if it needs none."""
    failed = [(row[FAILED], row.get(UNREADABLE)) for row in rows if FAILED in row] if FAILED in shown else []
    notes = getattr(figures_of(game), "UNDEFINED", {})
    missing = [note for name, note in notes.items() if name in shown and any(row[name] is None for row in rows)]
    return " ".join(filter(None, [note_on_failed_bids(failed), *missing]))
