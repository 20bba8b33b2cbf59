"""Studies: games played to answer one question, or found in records, their table and their figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from aucenv.core.checks import no_duplicates, one_of, whole_number
from aucenv.play import Match, play_many
from aucenv.policy import file_digest, label_of
from aucenv.records import GameRecord, read_records
from aucenv.results import ResultsFolder

Row = dict[str, Any]

STUDIES = {
    "labs/revenue": "aucenv.benchmarks.reproduce.labs.revenue",
    "labs/winners-curse": "aucenv.benchmarks.reproduce.labs.winners_curse",
}
"""The module of each: `matches(bidders, games, seed)`, `rows(records)`, `draw(rows, axes)`, ABOUT, BIDDERS and GAMES by
default, and COLUMNS: the names of a row's figures, their heading and format."""


@dataclasses.dataclass(frozen=True)
class Study:
    """One study, by name."""

    name: str

    @property
    def module(self) -> Any:
        return import_module(STUDIES[one_of("study", self.name, STUDIES)])

    @property
    def about(self) -> str:
        return self.module.ABOUT

    def matches(self, bidders: Sequence[str], games: int | None, seed: int) -> list[Match]:
        """The games that it needs.

        Raises:
            ValueError: a bidder that is unknown or cannot play them, or a number out of range.
        """
        no_duplicates("bidders", [label_of(name) for name in bidders])
        wanted = self.module.GAMES if games is None else whole_number("games", games, 1)
        return self.module.matches(bidders or self.module.BIDDERS, wanted, whole_number("seed", seed, 0))

    def rows(self, records: Sequence[GameRecord]) -> list[Row]:
        """Its table.

        Raises:
            ValueError: the records hold none of its games.
        """
        rows = self.module.rows(records)
        if not rows:
            raise ValueError(f"study {self.name}: expected records of its games, got {len(records)} others")
        return rows

    def cells(self, rows: Sequence[Row]) -> list[list[str]]:
        """The table as people read it, in the order of its COLUMNS: `-` for nothing, `±` half an interval."""
        return [[_shown(row, names.split(), form) for names, (_, form) in self.module.COLUMNS.items()] for row in rows]

    def headings(self) -> list[str]:
        return [heading for heading, _ in self.module.COLUMNS.values()]

    def to_markdown(self, rows: Sequence[Row]) -> str:
        lines = [self.headings(), ["---"] * len(self.headings()), *self.cells(rows)]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def plot(self, rows: Sequence[Row], path: Path) -> None:
        """Write the figure as a PNG.

        Raises:
            ImportError: matplotlib is not installed.
        """
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        self.module.draw(rows, figure.subplots())
        figure.savefig(path, dpi=150)


def _shown(row: Row, names: Sequence[str], form: str) -> str:
    values = [row.get(name) for name in names]
    if any(value is None for value in values):
        return "-"
    low, high = (row.get(f"{names[0]}_{end}") for end in ("low", "high"))
    half = "" if low is None or high is None else f" ±{form.format((high - low) / 2)}"
    return form.format(*values) + half


def run(
    study: Study,
    bidders: Sequence[str] = (),
    games: int | None = None,
    seed: int = 0,
    *,
    workers: int = 1,
    out: Path | None = None,
    from_records: Path | None = None,
    on_game: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """Play a study's games, or read them, and return its table.

    Args:
        out: results folder; a run that was cut off there goes on.
        from_records: a results folder whose games are taken instead of playing any.

    Raises:
        ValueError, OSError: as `Study.matches`, `Study.rows`, `ResultsFolder` and `read_records`.
    """
    if from_records is not None:
        if bidders or games is not None or out is not None:
            raise ValueError("study: expected --from-records alone; nothing is played")
        return study.rows(list(read_records(from_records)))
    schedule = {match.index: match for match in study.matches(bidders, games, seed)}
    files = {name: digest for name in bidders if (digest := file_digest(name))}
    settings: Mapping[str, Any] = {
        "study": study.name, "bidders": list(bidders), "bidder_files": files, "games": games, "seed": seed
    }  # fmt: skip
    folder = ResultsFolder(out, settings) if out is not None else None
    records: dict[int, GameRecord] = {} if folder is None else folder.records
    try:
        missing = [match for index, match in schedule.items() if index not in records]
        on_game(len(schedule) - len(missing), len(schedule))
        for record in play_many(missing, workers):
            if folder is not None:
                folder.append(record)
            records[record.index] = record
            on_game(len(records), len(schedule))
        rows = study.rows([records[index] for index in sorted(records)])
        if folder is not None:
            folder.finish(rows, study.to_markdown(rows))
    finally:
        if folder is not None:
            folder.close()
    return rows
