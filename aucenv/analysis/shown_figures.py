"""The figures that printed tables show: those of the game, and the share of unreadable replies beside failed bids.

Failed bids are a share of the readable replies. Without the share of unreadable ones, a model that is rarely readable
would look like one that makes no mistakes. Tables of bidders that only send numbers do not need this column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aucenv.analysis.metrics import figures_of

Columns = Mapping[str, tuple[str, str]]
"""The heading and the format of each figure, by its name."""

FAILED, UNREADABLE = "failed_bid_rate", "unreadable_rate"
UNREADABLE_COLUMN = ("unreadable", "{:.1%}")
NO_SHARE = '"-" under "failed bids": the bidder sent no readable bid, so there is no share of failed bids.'


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


def note_on_failed_bids(failed_bid_rates: Iterable[float | None]) -> str:
    """Return the footnote of a column of failed bids: why a bidder has no share; "" if all have one.

    Args:
        failed_bid_rates: the shares of the bidders of the table.
    """
    return NO_SHARE if any(rate is None for rate in failed_bid_rates) else ""
