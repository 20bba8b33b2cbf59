"""The files to which a command writes its results besides printing them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import CSV_ROWS, IMAGE, JSON_ROWS, check_writable
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, to_csv, to_pretty_json, write_atomically
from aucenv.core.records.figures import TextTable

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
        files = (("--json", self.json, JSON_ROWS), ("--csv", self.csv, CSV_ROWS), ("--plot", self.plot, IMAGE))
        for option, path, again in files:
            if path is not None and (path != STDOUT or option == "--plot"):
                check_writable(path, option, again)
        if self.plot is not None:
            from aucenv.analysis.ranking.figure import check_figure_file

            try:
                check_figure_file(self.plot)
            except ImportError:
                raise missing_extra("--plot", "plot") from None

    @property
    def tables_to_stderr(self) -> bool:
        """Whether standard output holds JSON or CSV, so that tables go to standard error."""
        return STDOUT in (self.json, self.csv)

    def show(
        self,
        tables: Iterable[TextTable],
        rows: Sequence[JsonObject],
        *,
        wide: bool | None = None,
        draw: Callable[[Path], None] | None = None,
    ) -> None:
        """Write the files, and then print the tables; a file that cannot be written keeps back none of the others.

        Args:
            tables: the tables.
            rows: what the files hold.
            wide: as in `print_tables`.
            draw: writes the figure.

        Raises:
            OSError: a file cannot be written.
        """
        texts = ((self.json, to_pretty_json(list(rows))), (self.csv, to_csv(rows)))
        with contextlib.ExitStack() as steps:  # the last one comes first, and each comes after an error, too
            for path, text in texts:
                if path == STDOUT:
                    steps.callback(typer.echo, text, nl=False)
            steps.callback(print_tables, tables, wide=wide, stderr=self.tables_to_stderr)
            if self.plot is not None and draw is not None:
                steps.callback(draw, self.plot)
            for path, text in texts:
                if path is not None and path != STDOUT:
                    steps.callback(write_atomically, path, text)
