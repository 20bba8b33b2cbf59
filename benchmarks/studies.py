"""Studies: each plays games, or reads records, to answer one question with a table and a figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType

from aucenv.benchmarks.other_games import other_games
from aucenv.benchmarks.reproduce.cells import Row, Table, cells
from aucenv.benchmarks.reproduce.raters import NOBODY, Raters
from aucenv.benchmarks.study_records import read_games, read_logs

from aucenv.analysis.markdown import from_text, table
from aucenv.analysis.model_figures import model_figures, text_table
from aucenv.analysis.plots import SIZE, write_figure
from aucenv.core.bidder_name import label_of, parse_bidder, public_name
from aucenv.core.checks import no_duplicates, one_of, whole_number
from aucenv.core.extras import check_packages, missing_extra
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.folders import check_folder, check_unused
from aucenv.core.record import GameRecord
from aucenv.policy.user_code import file_digest
from aucenv.runs.calls import Call
from aucenv.runs.journal import read_calls
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.play import Match
from aucenv.runs.run_options import RunOptions
from aucenv.runs.shard import Shard

STUDIES = {
    "aucarena/standard": "aucenv.benchmarks.reproduce.aucarena.standard",
    "aucarena/mistakes": "aucenv.benchmarks.reproduce.aucarena.mistakes",
    "aucarena/priorities": "aucenv.benchmarks.reproduce.aucarena.priorities",
    "aucarena/raises": "aucenv.benchmarks.reproduce.aucarena.raises",
    "aucarena/adherence": "aucenv.benchmarks.reproduce.aucarena.adherence",
    "aucarena/ablation": "aucenv.benchmarks.reproduce.aucarena.ablation",
    "aucarena/niche": "aucenv.benchmarks.reproduce.aucarena.niche",
    "aucarena/behaviour": "aucenv.benchmarks.reproduce.aucarena.behaviour",
    "aucarena/overestimate": "aucenv.benchmarks.reproduce.aucarena.overestimate",
    "aucarena/people": "aucenv.benchmarks.reproduce.aucarena.people",
    "alympics/settings": "aucenv.benchmarks.reproduce.alympics.settings",
    "alympics/prices": "aucenv.benchmarks.reproduce.alympics.prices",
    "alympics/curves": "aucenv.benchmarks.reproduce.alympics.curves",
    "alympics/curse": "aucenv.benchmarks.reproduce.alympics.curse",
    "alympics/rubrics": "aucenv.benchmarks.reproduce.alympics.rubrics",
    "alympics/self-ratings": "aucenv.benchmarks.reproduce.alympics.self_ratings",
    "alympics/words": "aucenv.benchmarks.reproduce.alympics.words",
    "alympics/price-model": "aucenv.benchmarks.reproduce.alympics.price_model",
    "harbor/1": "aucenv.benchmarks.reproduce.harbor.engagement",
    "harbor/2": "aucenv.benchmarks.reproduce.harbor.competition",
    "harbor/3": "aucenv.benchmarks.reproduce.harbor.matching_houses",
    "harbor/4": "aucenv.benchmarks.reproduce.harbor.rivals",
    "harbor/5": "aucenv.benchmarks.reproduce.harbor.strategies",
    "harbor/rlact": "aucenv.benchmarks.reproduce.harbor.rlact",
    "harbor/audit": "aucenv.benchmarks.reproduce.harbor.rules_followed",
    "labs/ratios": "aucenv.benchmarks.reproduce.labs.ratios",
    "labs/one-shot": "aucenv.benchmarks.reproduce.labs.one_shot",
    "labs/revenue": "aucenv.benchmarks.reproduce.labs.revenue",
    "labs/winners-curse": "aucenv.benchmarks.reproduce.labs.winners_curse",
    "labs/ebay": "aucenv.benchmarks.reproduce.labs.ebay",
    "labs/bid-functions": "aucenv.benchmarks.reproduce.labs.bid_functions",
    "prompts": "aucenv.benchmarks.reproduce.prompts",
}
"""Study name -> module, of the studies that play games.

A module has `matches(bidders, games, seed)`, `rows(records)`, `draw(rows, figure)`, ABOUT, the defaults BIDDERS and
GAMES, and COLUMNS: names of a row's figures -> heading and format. It may also have SIZE, the size of the figure in
inches, or `size(rows)`, if it depends on the number of panels; `more_tables(rows)`; MEANING, a sentence on the meaning
of the comparison with published values, and its limits; OFFLINE, an `Offline`; FIXED, the bidders that play in any
case; `matches(bidders, games, seed, rivals=None)`, if the user may choose the rivals; `count_games(bidders, games)`, if
that is much faster than `matches`; MODEL_GAMES, the default of games if a bidder is a model; RECORDED, the games whose
published records it can read; and RATED: its function is then
`rows(records, raters)`, the user may name `Raters`, and `check_raters(raters)` refuses those that it cannot have.
"""


TABLES, FIGURES = ("table.json", "table.md"), ("figure.png", "figure.svg")
"""The files of a study in a folder, besides those of its games."""
TRAINED_STUDIES = {
    "rl/closed-forms": "aucenv.benchmarks.reproduce.rl.closed_forms",
    "rl/small-games": "aucenv.benchmarks.reproduce.rl.small_games",
    "rlact/ablation": "aucenv.benchmarks.reproduce.rlact.ablation",
}
"""Study name -> module, of the studies that train models.

A module has `run(out, bidders, games, seed, workers, advance)`, which returns the rows, `draw(rows, figure)`, ABOUT,
EXTRA, the extra that it needs, and COLUMNS. It may also have SIZE, and `more_tables(rows)`.
"""


@dataclasses.dataclass(frozen=True)
class Study:
    """One study.

    Attributes:
        beside: Published games that its tables and figures show beside those of the run.
    """

    name: str
    beside: tuple[GameRecord, ...] = ()

    def with_logs(self, logs: Path | None) -> Study:
        """Return the study with the games of Synthetic Labs' logs beside its own; None: without.

        Raises:
            ValueError, OSError: The study is of another paper; or as in `read_logs`.
        """
        if logs is None:
            return self
        if not self.name.startswith("labs/"):
            raise ValueError(f"study {self.name}: expected no --set logs, which only studies of Synthetic Labs have")
        return dataclasses.replace(self, beside=tuple(read_logs(logs, self.module.RECORDED)))

    @property
    def module(self) -> ModuleType:
        """The module of the study."""
        known = STUDIES | TRAINED_STUDIES
        return import_module(known[one_of("study", self.name, known)])

    @property
    def trains(self) -> bool:
        """Whether the study trains models."""
        return self.name in TRAINED_STUDIES

    @property
    def about(self) -> str:
        return self.module.ABOUT

    @property
    def meaning(self) -> str:
        """The meaning of the comparison with published values, and its limits; "": there is none."""
        return getattr(self.module, "MEANING", "")

    def matches(self, bidders: Sequence[str], games: int | None, seed: int, rivals: str | None = None) -> list[Match]:
        """Return the games that the study plays.

        Args:
            rivals: The bidder that plays the rivals of each bidder, in place of those of the study.

        Raises:
            ValueError: a bidder is unknown or cannot play the games, a number is out of range, or the study has no
                rivals to choose.
        """
        no_duplicates("bidders", [label_of(name) for name in bidders])
        calls_model = any(parse_bidder(name).kind == "llm" for name in bidders)
        usual = getattr(self.module, "MODEL_GAMES", self.module.GAMES) if calls_model else self.module.GAMES
        number = usual if games is None else whole_number("games", games, 1)
        chosen = bidders or self.module.BIDDERS, number, whole_number("seed", seed, 0)
        if rivals is None:
            return self.module.matches(*chosen)
        if "rivals" not in signature(self.module.matches).parameters:
            raise ValueError(f"study {self.name}: expected no --set rivals, because its bidders play all seats")
        return self.module.matches(*chosen, rivals=rivals)

    @property
    def num_games(self) -> int:
        """The number of games that the study plays by default."""
        if hasattr(self.module, "count_games"):
            return self.module.count_games(self.module.BIDDERS, self.module.GAMES)
        return len(self.matches((), None, 0))

    @property
    def is_rated(self) -> bool:
        """Whether the results are ratings."""
        return getattr(self.module, "RATED", False)

    def check_raters(self, raters: Raters) -> None:
        """Raise ValueError if the study cannot have these raters, before a game is played."""
        getattr(self.module, "check_raters", lambda raters: None)(raters)

    def rows(self, records: Sequence[GameRecord], raters: Raters = NOBODY) -> list[Row]:
        """Return the rows of the study's table.

        Raises:
            ValueError: the records hold no games of the study.
        """
        records = [*records, *self.beside]
        rows = self.module.rows(records, raters) if self.is_rated else self.module.rows(records)
        if not rows:
            others = f": {other_games(records, self.matches((), 1, 0))}" if records else ""
            raise ValueError(f"study {self.name}: expected records of its games, got {len(records)} others{others}")
        return rows

    def tables(self, rows: Sequence[Row]) -> list[Table]:
        """Return the title, headings and formatted cells of each table."""
        columns = self.module.COLUMNS
        first = (self.about, [heading for heading, _ in columns.values()], cells(rows, columns))
        more = getattr(self.module, "more_tables", None)
        return [first, *(more(rows) if more else [])]

    def to_markdown(self, rows: Sequence[Row]) -> str:
        text = "\n".join(table(headings, lines) for _, headings, lines in self.tables(rows))
        return f"{text}\n{self.meaning}\n" if self.meaning else text

    def report(self, records: Sequence[GameRecord], calls: Sequence[Call], raters: Raters = NOBODY) -> Report:
        """Return the results of these games.

        Raises:
            ValueError: as in `rows`.
        """
        rows = self.rows(records, dataclasses.replace(raters, played=tuple(calls)))
        models = model_figures(records, calls)
        model_table = f"\n{from_text(text_table(models))}" if models else ""
        return Report(rows, self.to_markdown(rows) + model_table, models)

    def plot(self, rows: Sequence[Row], *paths: Path) -> None:
        """Write the figure to files, whose names end with those of image formats.

        Raises:
            ImportError: matplotlib is not installed.
        """
        size = getattr(self.module, "size", lambda rows: getattr(self.module, "SIZE", SIZE))
        write_figure(paths, partial(self.module.draw, rows), size(rows))


def run(
    study: Study,
    bidders: Sequence[str] = (),
    games: int | None = None,
    seed: int = 0,
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: Path | None = None,
    from_records: Path | None = None,
    shard: Shard | None = None,
    raters: Raters = NOBODY,
    rivals: str | None = None,
    on_game: OnGame = ignore_progress,
) -> list[Row]:
    """Play a study's games, or read them, and return its table.

    Args:
        out: results folder; an interrupted run in it resumes. With `from_records`, only the tables are written to it.
        from_records: read the games from here and play none; see `read_games`.
        shard: the part of the games to play; None plays all.
        raters: who rates, if the results are ratings; the rest of it follows from the other arguments.
        rivals: see `Study.matches`.

    Raises:
        ValueError, OSError: see `Study.matches`, `Study.rows`, `run_games`, `read_games` and `Raters.of_run`.
    """
    raters = raters.of_run(study.name, study.is_rated, bidders or study.module.BIDDERS, run_options, out)
    study.check_raters(raters)
    if shard is not None and study.is_rated:
        raise ValueError(f"study {study.name}: expected no --shard, because raters need all games")
    if from_records is not None:
        if bidders or games is not None or shard is not None or rivals is not None:
            raise ValueError(
                "study: expected --from-records alone, without --bidder, --set rivals, --games and --shard, since no "
                "game is played"
            )
        if out is not None:
            check_folder(out)
            check_unused(out, TABLES, (*TABLES, *FIGURES))
        raters = dataclasses.replace(raters, played=tuple(read_calls(from_records)) if study.is_rated else ())
        rows = study.rows(read_games(from_records, getattr(study.module, "RECORDED", ())), raters)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            write_atomically(out / "table.json", to_pretty_json(rows))
            write_atomically(out / "table.md", study.to_markdown(rows))
        return rows
    files = {public_name(name): digest for name in bidders if (digest := file_digest(name))}
    settings: JsonObject = {
        "study": study.name,
        "bidders": [public_name(name) for name in bidders],
        "bidder_files": files,
        "games": games,
        "seed": seed,
        **({} if rivals is None else {"rivals": public_name(rivals)}),
    }

    schedule, report = study.matches(bidders, games, seed, rivals), partial(study.report, raters=raters)
    return run_games(
        schedule, settings, report, run_options, out=out, shard=shard, on_game=on_game, writes=FIGURES
    ).rows


def train(
    study: Study,
    bidders: Sequence[str],
    games: int | None,
    seed: int,
    workers: int,
    *,
    out: Path,
    on_arm: OnGame = ignore_progress,
) -> list[Row]:
    """Train and play the arms of a study that trains models, and write its table; an interrupted run resumes.

    Args:
        bidders, games: see the study.
        out: results folder.
        on_arm: called with the numbers of finished and of all arms.

    Raises:
        ValueError, OSError: an argument is invalid, or the folder has results with other settings.
        MissingExtra: the extra that the study needs is not installed.
    """
    check_folder(out, "ablation.json")
    check_unused(out, TABLES, (*TABLES, *FIGURES))
    check_packages(f"study {study.name}", study.module.EXTRA, "torch")
    try:
        rows: list[Row] = study.module.run(out, bidders, games, seed, workers, lambda done, of: on_arm(done, of, ""))
    except ImportError as error:
        raise missing_extra(f"study {study.name} ({error.name})", study.module.EXTRA) from None
    write_atomically(out / "table.json", to_pretty_json(rows))
    write_atomically(out / "table.md", study.to_markdown(rows))
    return rows
