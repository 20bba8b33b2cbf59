"""The files to which a command writes its results besides printing them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import typer

from aucenv.commands.terminal import check_writable
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically

STDOUT = Path("-")


@dataclasses.dataclass(frozen=True)
class Outputs:
    """The files of --json, --csv and --plot; `-` is standard output, to which tables are then not printed.

    They are checked at once, because a run may take hours.

    Raises:
        OSError: a file cannot be written.
        ValueError: two options name standard output, or the figure's name does not end with an image format.
        MissingExtra: a figure is wanted, but matplotlib is not installed.
    """

    json: Path | None = None
    csv: Path | None = None
    plot: Path | None = None

    def __post_init__(self) -> None:
        if self.json == self.csv == STDOUT:
            raise ValueError("--csv: expected a file, because --json writes to standard output, got '-'")
        for option, path in (("--json", self.json), ("--csv", self.csv), ("--plot", self.plot)):
            if path is not None and (path != STDOUT or option == "--plot"):
                check_writable(path, option)
        if self.plot is not None:
            from aucenv.analysis.ranking_figure import check_figure_file

            try:
                check_figure_file(self.plot)
            except ImportError:
                raise missing_extra("--plot", "plot") from None

    @property
    def tables_to_stderr(self) -> bool:
        """Whether standard output holds JSON or CSV, so that tables go to standard error."""
        return STDOUT in (self.json, self.csv)

    def write(self, rows: Sequence[JsonObject], draw: Callable[[Path], None] | None = None) -> None:
        """Write the files.

        Args:
            rows: the rows of the table.
            draw: writes the figure.
        """
        for path, text in ((self.json, to_pretty_json(list(rows))), (self.csv, to_csv(rows))):
            if path == STDOUT:
                typer.echo(text, nl=False)
            elif path is not None:
                write_atomically(path, text)
        if self.plot is not None and draw is not None:
            draw(self.plot)


def to_csv(rows: Sequence[JsonObject]) -> str:
    """Return rows as CSV: `head_to_head.rule.wins` is a column, None an empty cell, and a list JSON."""
    flat = [dict(_flatten(row)) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return buffer.getvalue()


def _flatten(row: JsonObject, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, list) else value
