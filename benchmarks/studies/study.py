"""The value `Study`: a question, the games that answer it, and the tables and the figure of the answer."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from aucenv.benchmarks.studies.cells import Columns, Row, Table, table_of
from aucenv.benchmarks.studies.raters import NOBODY, Raters
from aucenv.benchmarks.studies.study_records import read_logs

from aucenv.analysis.agents.model_figures import model_figures, text_table
from aucenv.analysis.markdown import from_text, table
from aucenv.analysis.plots import SIZE, Drawing, write_figure
from aucenv.core.checks import no_duplicates, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.core.words.outside_text import one_line
from aucenv.envs.single_item.files import EXPERIMENTS
from aucenv.registration import find_family
from aucenv.runs.loop import Report
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.play import Match

Size = tuple[float, float]
"""The width and the height of a figure in inches."""
MOST_SCENARIOS = 6
"""The largest number of scenarios that an error lists."""


class StudyError(ValueError):
    """A function of a study raises, or does not return what it should; for a user's file, the message names it."""


def no_tables(rows: Sequence[Row]) -> list[Table]:
    """Return no tables."""
    return []


def accept_all(raters: Raters) -> None:
    """Refuse no raters."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """A study: functions and constants that say how it is played and shown.

    It either plays games, and then has `matches` and either `rows` or `rate`; or it trains models, and has `train`.

    Attributes:
        name: The name, such as "labs/revenue".
        about: The title of the table: what it shows, in a sentence.
        columns: The names of a row's figures -> the heading and the format of their column.
        bidders: The bidders if the user names none.
        games: The number of games if the user gives none.
        matches: Returns the games for these bidders, this number of games and this seed, numbered from 0.
        rows: Returns the rows of the table from records, which may hold games of other studies; none: no game is its.
        rate: In place of `rows` if the results are ratings: it also gets who rates.
        train: In place of these functions if models are trained: it gets the results folder, the named bidders, the
            number of games (None: not given), the seed, the number of processes, and a function to call with the
            numbers of finished and of all arms; it returns the rows.
        extra: The extra that `train` needs.
        draw: Draws the rows on a matplotlib figure; None: the study has no figure.
        size: The size of the figure, or a function that returns it for the rows.
        more_tables: Returns the tables after the first one.
        meaning: Sentences on the meaning of the comparison with published values, and its limits.
        model_games: The number of games if a bidder is a model; None: `games`.
        offline_games: The number of games of each bidder for `aucenv study all --offline`; None: `games`.
        offline_bidders: The bidders there, none of which needs a network; none: `bidders`.
        fixed_bidders: The bidders that play in any case, beside a model whose price is estimated.
        has_rivals: Whether `matches` has a fourth argument, the bidder of `--set rivals`; None: the study chooses.
        count_games: Returns the number of games for bidders and games, if that is much faster than `matches`.
        variants: Returns the bidders for the one bidder and the folders of `--set templates`; None: it has no variants.
        recorded: The games whose published records it can read.
        check_raters: Raises ValueError for raters that it cannot have, before a game is played.
        beside: Published games that its tables and its figure show beside those of the run.
        file: The user's file that defines it; None: it belongs to aucenv.
    """

    name: str
    about: str
    columns: Columns
    bidders: tuple[str, ...] = ()
    games: int = 10
    matches: Callable[..., list[Match]] | None = None
    rows: Callable[[Sequence[GameRecord]], list[Row]] | None = None
    rate: Callable[[Sequence[GameRecord], Raters], list[Row]] | None = None
    train: Callable[[Path, Sequence[str], int | None, int, int, Callable[[int, int], None]], list[Row]] | None = None
    extra: str = ""
    draw: Callable[[Sequence[Row], Drawing], None] | None = None
    size: Size | Callable[[Sequence[Row]], Size] = SIZE
    more_tables: Callable[[Sequence[Row]], list[Table]] = no_tables
    meaning: str = ""
    model_games: int | None = None
    offline_games: int | None = None
    offline_bidders: tuple[str, ...] = ()
    fixed_bidders: tuple[str, ...] = ()
    has_rivals: bool = False
    count_games: Callable[[Sequence[str], int], int] | None = None
    variants: Callable[[str, Sequence[Path]], tuple[str, ...]] | None = None
    recorded: tuple[str, ...] = ()
    check_raters: Callable[[Raters], None] = accept_all
    beside: tuple[GameRecord, ...] = ()
    file: Path | None = None

    def __post_init__(self) -> None:
        if (self.matches is None) == (self.train is None):
            raise ValueError(f"{self.where}: expected either matches, to play games, or train")
        if sum(function is not None for function in (self.rows, self.rate, self.train)) != 1:
            raise ValueError(f"{self.where}: expected one of rows, rate and train")
        if self.matches is not None and (not self.bidders or isinstance(self.bidders, str)):
            raise ValueError(f"{self.where}: expected a tuple of bidders, got {self.bidders!r}")

    @property
    def where(self) -> str:
        """The name for errors: that of the user's file, if there is one."""
        return f"study {self.file or self.name}"

    @property
    def trains(self) -> bool:
        """Whether the study trains models."""
        return self.train is not None

    @property
    def is_rated(self) -> bool:
        """Whether the results are ratings."""
        return self.rate is not None

    def with_logs(self, logs: Path | None) -> Study:
        """Return the study with the games of Synthetic Labs' logs beside its own; None: without.

        Raises:
            ValueError, OSError: The study is of another paper; or as in `read_logs`.
        """
        if logs is None:
            return self
        if not set(self.recorded) & set(EXPERIMENTS):
            raise ValueError(f"{self.where}: expected no --set logs, which only studies of Synthetic Labs have")
        return dataclasses.replace(self, beside=tuple(read_logs(logs, self.recorded)))

    def schedule(self, bidders: Sequence[str], games: int | None, seed: int, rivals: str | None = None) -> list[Match]:
        """Return the games that the study plays.

        Args:
            bidders: The bidders; none: those of the study.
            games: The number of games; None: that of the study.
            rivals: The bidder that plays the rivals of each bidder, in place of those of the study.

        Raises:
            ValueError: A bidder is unknown or cannot play the games, a number is out of range, or the study has no
                rivals to choose.
        """
        assert self.matches is not None
        no_duplicates("bidders", [label_of(name) for name in bidders])
        calls_model = any(parse_bidder(name).kind == "llm" for name in bidders)
        usual = self.model_games if calls_model and self.model_games is not None else self.games
        number = usual if games is None else whole_number("games", games, 1)
        chosen = bidders or self.bidders, number, whole_number("seed", seed, 0)
        if rivals is not None and not self.has_rivals:
            raise ValueError(f"{self.where}: expected no --set rivals, because its bidders play all seats")
        return self.matches(*chosen, rivals) if self.has_rivals else self.matches(*chosen)

    @property
    def num_games(self) -> int:
        """The number of games that the study plays by default."""
        if self.count_games is not None:
            return self.count_games(self.bidders, self.games)
        return len(self.schedule((), None, 0))

    def rows_of(self, records: Sequence[GameRecord], raters: Raters = NOBODY) -> list[Row]:
        """Return the rows of the study's table.

        Raises:
            ValueError: The records hold no games of the study.
        """
        records = [*records, *self.beside]
        if self.rate is not None:
            rows = self.rate(records, raters)
        else:
            assert self.rows is not None
            rows = self.rows(records)
        if not rows:
            others = f": {other_games(records, self.schedule((), 1, 0))}" if records else ""
            raise ValueError(f"{self.where}: expected records of its games, got {len(records)} others{others}")
        return rows

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Return the title, headings and formatted cells of each table.

        Raises:
            StudyError: A figure does not have the format of its column.
        """
        try:
            first = table_of(self.about, self.columns, rows)
        except ValueError as error:
            raise StudyError(f"{self.where}: {error}") from None
        return [first, *self.more_tables(rows)]

    def to_markdown(self, rows: Sequence[Row]) -> str:
        text = "\n".join(table(headings, lines) for _, headings, lines in self.tables(rows))
        return f"{text}\n{self.meaning}\n" if self.meaning else text

    def report(self, records: Sequence[GameRecord], calls: Sequence[Call], raters: Raters = NOBODY) -> Report:
        """Return the results of these games.

        Raises:
            ValueError: As in `rows_of` and `tables`.
        """
        rows = self.rows_of(records, dataclasses.replace(raters, played=tuple(calls)))
        models = model_figures(records, calls)
        model_table = f"\n{from_text(text_table(models))}" if models else ""
        return Report(rows, self.to_markdown(rows) + model_table, models)

    def plot(self, rows: Sequence[Row], *paths: Path) -> None:
        """Write the figure, if the study has one, to files, whose names end with those of image formats.

        Raises:
            ImportError: matplotlib is not installed.
        """
        if self.draw is not None:
            write_figure(paths, partial(self.draw, rows), self.size(rows) if callable(self.size) else self.size)


def other_games(records: Sequence[GameRecord], expected: Iterable[Match]) -> str:
    """Return which scenarios some games have, and which ones a study expects.

    Args:
        records: the games, none of which is one of the study's.
        expected: games of the study.
    """
    scenarios: dict[str, list[JsonObject]] = {}
    for match in expected:
        scenario = find_family(match.game).game.load_scenario(match.scenario)
        scenarios.setdefault(f"{match.game}, {scenario.name}", []).append(json.loads(json.dumps(scenario.to_dict())))
    played = (_described(record, scenarios) for record in records)
    return f"{_listed(played)}. Its games have the scenarios: {_listed(scenarios)}"


def _described(record: GameRecord, scenarios: JsonMapping) -> str:
    """Return the game and scenario of a record, and the fields in which it differs from the scenario of this name."""
    name = f"{record.game}, {one_line(str(record.scenario.get('name')))}"
    known = scenarios.get(name, [])
    if not known or record.scenario in known:
        return name
    changed = [field for field in known[0] if record.scenario.get(field) != known[0][field]]
    return f"{name} with other {' and '.join(changed)}"


def _listed(names: Iterable[str]) -> str:
    different = list(dict.fromkeys(names))
    more = f"; and {len(different) - MOST_SCENARIOS} more" if len(different) > MOST_SCENARIOS else ""
    return "; ".join(different[:MOST_SCENARIOS]) + more
