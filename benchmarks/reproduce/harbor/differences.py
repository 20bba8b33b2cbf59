"""The table of differences from published values that HARBOR's studies of profit share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucenv.benchmarks.reproduce.cells import Row, Table, cells

TITLE = "Difference from the published values"


def differences_table(rows: Sequence[Row], heads: Mapping[str, str], figures: Mapping[str, tuple[str, str]]) -> Table:
    """Return the table of the differences in rows of `cells.with_published`; other rows have none and are left out.

    Args:
        heads: the first columns, which name a row -> their headings.
        figures: the figures -> their heading and format.
    """
    columns = {name: (heading, "{}") for name, heading in heads.items()}
    for name, (heading, form) in figures.items():
        columns[f"{name}_difference"] = (heading, form.replace("{:", "{:+"))
    compared = [row for row in rows if any(row.get(f"{name}_difference") is not None for name in figures)]
    return TITLE, [heading for heading, _ in columns.values()], cells(compared, columns)
