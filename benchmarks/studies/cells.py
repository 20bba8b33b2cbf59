"""Functions shared by studies: the same deals for every bidder, and figures per cell with intervals over deals.

A cell is the group of records behind one row of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from aucenv.analysis.statistics import metrics
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import Estimate
from aucenv.analysis.statistics.metrics import Figure, figures_of, game_of
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.registration import find_family
from aucenv.runs.play import Match

T = TypeVar("T")
Row = JsonObject
Table = tuple[str, list[str], list[list[str]]]
"""The title, headings and formatted cells of a table."""
Columns = Mapping[str, tuple[str, str]]
"""The names of a row's figures -> the heading and the format of their column."""
DIFFERENCES = "Difference from the published values"


def estimates(
    records: Sequence[GameRecord], figures: Mapping[str, Figure], seat: int | None = None
) -> dict[str, float | None]:
    """Return each figure over all games, with a 95% interval over deals.

    Args:
        figures: name -> figure.
        seat: use only this seat; None = all seats.

    Returns:
        The keys NAME, NAME_low and NAME_high for each figure.

    Example:
        >>> import aucenv  # after: aucenv leaderboard --bidder llm:scripted --bidder rule --games 3 --out run
        >>> from aucenv.benchmarks.studies import estimates
        >>> records = list(aucenv.read_records("run"))
        >>> estimates(records, {"profit": lambda seat: (seat.profit, 1)})
        {'profit': 4411.111111, 'profit_low': None, 'profit_high': None}
    """
    seat_figures = figures_of(game_of(records)).seat_figures
    design = Design.of_records(records)
    seats = [
        (deal, result)
        for record, deal in zip(records, design.deals.tolist(), strict=True)
        for result in seat_figures(record)[slice(seat, None if seat is None else seat + 1)]
    ]
    return flattened(metrics.estimates(seats, figures, design))


def flattened(estimates: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Return estimates as the entries NAME, NAME_low and NAME_high of a row."""
    entries: dict[str, float | None] = {}
    for name, estimate in estimates.items():
        for key, value in ((name, estimate.value), (f"{name}_low", estimate.low), (f"{name}_high", estimate.high)):
            entries[key] = None if value is None else round(value, 6)
    return entries


def bidders_of(record: GameRecord) -> str:
    """Return the sorted labels of a game's bidders, each once, without regard to seats.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.play("english", "standard-10k-random", lineup, seed=0)
        >>> from aucenv.benchmarks.studies import bidders_of
        >>> bidders_of(record)
        'drain, pace, rule'
    """
    return ", ".join(sorted({seat_label(player) for player in record.seats}))


def same_in_all_seats(
    cells: Iterable[tuple[str, Any]], bidders: Sequence[str], games: int, seed: int
) -> Iterator[Match]:
    """Yield games of each (game, scenario) and bidder, in which the bidder plays all seats. All have the same deals.

    Example:
        >>> from aucenv.benchmarks.studies import same_in_all_seats
        >>> cells = [("sealed_bid", "first-ipv"), ("sealed_bid", "second-ipv")]
        >>> [(match.scenario.name, match.bidders) for match in same_in_all_seats(cells, ["shade"], games=1, seed=0)]
        [('first-ipv', ('shade', 'shade', 'shade')), ('second-ipv', ('shade', 'shade', 'shade'))]
    """
    index = 0
    for game, named in cells:
        scenario = find_family(game).game.load_scenario(named)
        for bidder in bidders:
            for number in range(games):
                yield Match(game, scenario, (bidder,) * len(scenario.bidders), (seed, number), index)
                index += 1


def group_by(members: Iterable[T], key: Callable[[T], Any]) -> dict[Any, list[T]]:
    """Group members, such as records, by `key`, in the order in which the keys first appear.

    Example:
        >>> from aucenv.benchmarks.studies import group_by
        >>> group_by(["rule", "pace", "ridge"], key=lambda name: name[0])
        {'r': ['rule', 'ridge'], 'p': ['pace']}
    """
    cells: dict[Any, list[T]] = {}
    for member in members:
        cells.setdefault(key(member), []).append(member)
    return cells


def distinct(rows: Iterable[Row], name: str) -> list[Any]:
    """Return the different values of a column, in the order in which they first appear."""
    return list(dict.fromkeys(row[name] for row in rows))


def with_published(row: Row, published: Mapping[str, float | None]) -> Row:
    """Return a row with published values beside its figures.

    Args:
        row: the row, with the figures and perhaps their intervals NAME_low and NAME_high.
        published: the published value of each figure; None: there is none.

    Returns:
        The row with NAME_published and NAME_difference, ours less the published value. The interval of the difference
        is that of our figure, because the published values have none.
    """
    compared = dict(row)
    for name, value in published.items():
        compared[f"{name}_published"] = value
        for end in ("", "_low", "_high"):
            ours = row.get(f"{name}{end}")
            compared[f"{name}_difference{end}"] = None if ours is None or value is None else round(ours - value, 6)
    return compared


def published_columns(name: str, heading: str, form: str) -> dict[str, tuple[str, str]]:
    """Return the columns of a figure, its published value and their difference; see `with_published`.

    Args:
        name: the figure.
        heading: the heading of its column.
        form: its format, such as "{:.2f}".
    """
    signed = form.replace("{:", "{:+")
    return {
        name: (heading, form),
        f"{name}_published": ("published", form),
        f"{name}_difference": ("difference", signed),
    }


def differences_table(rows: Sequence[Row], heads: Mapping[str, str], figures: Columns) -> Table:
    """Return the table of the differences in rows of `with_published`; other rows have none and are left out.

    Args:
        heads: the first columns, which name a row -> their headings.
        figures: the figures -> their heading and format.
    """
    columns = {name: (heading, "{}") for name, heading in heads.items()}
    for name, (heading, form) in figures.items():
        columns[f"{name}_difference"] = (heading, form.replace("{:", "{:+"))
    compared = [row for row in rows if any(row.get(f"{name}_difference") is not None for name in figures)]
    return table_of(DIFFERENCES, columns, compared)


def table_of(title: str, columns: Columns, rows: Sequence[Row]) -> Table:
    """Return a table of rows; see `cells`.

    Raises:
        ValueError: A figure does not have the format of its column.
    """
    return title, [heading for heading, _ in columns.values()], cells(rows, columns)


def cells(rows: Sequence[Row], columns: Columns) -> list[list[str]]:
    """Format the rows of a table: `-` for a missing figure, and `±` with half the width of the interval.

    Raises:
        ValueError: A figure does not have the format of its column.
    """
    return [[_shown(row, names.split(), form) for names, (_, form) in columns.items()] for row in rows]


def _shown(row: Row, names: Sequence[str], form: str) -> str:
    values = [row.get(name) for name in names]
    if any(value is None for value in values):
        return "-"
    low, high = (row.get(f"{names[0]}_{end}") for end in ("low", "high"))
    try:
        half = "" if low is None or high is None else f" ±{form.format((high - low) / 2).lstrip('+')}"
        return form.format(*values) + half
    except (ValueError, TypeError, LookupError) as error:
        got = ", ".join(map(repr, values))
        raise ValueError(f"column {' '.join(names)!r}: cannot format {got} as {form!r}: {error}") from None
