"""The command `aucenv study`, and the settings of `--set` that only some studies have."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import running
from aucenv.commands.options.cluster_option import ClusterOption
from aucenv.commands.options.completion import studies
from aucenv.commands.options.costs import RunCosts
from aucenv.commands.options.options import (
    MOST_GAMES,
    ConcurrencyOption,
    CsvOption,
    FailureOption,
    FolderOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    SeedOption,
    ShardOption,
    WideOption,
    WorkersOption,
    YesOption,
    make_run_options,
)
from aucenv.commands.options.outputs import Outputs
from aucenv.commands.options.parsers import flag, text_option, whole_option
from aucenv.commands.options.prices import check_prices, print_prices, refuse_paid
from aucenv.commands.papers import PaperArguments, run_paper
from aucenv.core.checks import MissingExtra, excerpt, one_of
from aucenv.core.extras import check_packages, missing_extra
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import check_path, public_name
from aucenv.runs.shard import Shard

if TYPE_CHECKING:
    from aucenv.benchmarks.studies.cells import Row
    from aucenv.benchmarks.studies.raters import Raters
    from aucenv.benchmarks.studies.study import Study


@dataclasses.dataclass(frozen=True)
class StudySettings:
    """The settings that only some studies have.

    Attributes:
        rivals: harbor/5: the bidder that plays both rivals.
        logs: labs and its studies: the folder of the logs of Synthetic Labs' program.
        ask_broke: aucarena: whether a bidder that cannot pay the least legal bid is asked.
        templates: prompts: the folders of templates with which the one bidder plays.
        judge: alympics/rubrics: the models that rate residents.
        form: alympics/rubrics and alympics/self-ratings: the file of the form to write.
        ratings: the same: the filled forms.
        full: all: whether the studies that train models are among them.
    """

    rivals: str | None = None
    logs: Path | None = None
    ask_broke: bool = True
    templates: tuple[Path, ...] = ()
    judge: tuple[str, ...] = ()
    form: Path | None = None
    ratings: tuple[Path, ...] = ()
    full: bool = False

    @classmethod
    def read(cls, texts: Sequence[str]) -> StudySettings:
        """Return the settings of the option.

        Raises:
            ValueError: A text is no assignment, a setting is unknown or stands twice, or its value is wrong.
        """
        values: dict[str, Any] = {}
        hints = get_type_hints(cls)
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals or not value:
                raise ValueError(f"--set: expected NAME=VALUE, got {excerpt(public_name(text))}")
            hint = hints[one_of("--set", name, hints)]
            kind = (get_args(hint) or (hint,))[0]
            if kind is bool:
                values[name] = one_of(f"--set {name}", value, ("true", "false")) == "true"
            elif get_origin(hint) is tuple:  # it may be repeated
                values[name] = (*values.get(name, ()), kind(value))
            elif name in values:
                raise ValueError(f"--set {name}: expected one value, got {values[name]} and {public_name(value)}")
            else:
                values[name] = kind(value)
        return cls(**values)

    def values(self) -> tuple[Any, ...]:
        """Return the values of all settings, in the order of the attributes."""
        return tuple(getattr(self, each.name) for each in dataclasses.fields(self))


def _complete(context: typer.Context, incomplete: str) -> list[str]:
    return [f"{name}=" for name in get_type_hints(StudySettings) if f"{name}=".startswith(incomplete)]


StudySetOption = Annotated[
    list[str] | None,
    text_option(
        "Change what only some studies have; repeatable.\n\nharbor/5: rivals=BIDDER plays both rivals; by default, a "
        "model's rivals are the model without profiles and strategy, if it plays as the agent harbor. aucarena: "
        "ask_broke=false does not ask a bidder that cannot pay the least legal bid. labs and its studies: logs=DIR has "
        "the logs of Synthetic Labs' program, whose models stand beside the bidders. prompts: templates=DIR, repeated "
        "for each, has templates with which the one --bidder plays. alympics/rubrics: judge=llm:openai:MODEL,..., "
        "repeated for several, rates residents. alympics/rubrics and alympics/self-ratings: form=FILE writes a form in "
        "CSV, in which people rate residents without knowing bidders, with the scales and a key beside it; "
        "ratings=FILE, repeated for several people, is a filled one. all: full=true also trains models.",
        "NAME=VALUE",
        "--set",
        autocompletion=_complete,
    ),
]


def study(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A study, a paper, all, or FILE.py, a study of your own; `aucenv studies` lists them.",
            autocompletion=studies,
        ),
    ],
    bidder: Annotated[
        list[str] | None,
        text_option(
            "A bidder to compare; repeatable.\n\nIt usually plays in all seats.",
            "BIDDER",
            "--bidder",
        ),
    ] = None,
    games: Annotated[
        int | None,
        whole_option(
            "Number of games.\n\nThose of each bidder in each setting. Default: that of the study.", 1, MOST_GAMES
        ),
    ] = None,
    changes: StudySetOption = None,
    seed: SeedOption = 0,
    from_records: Annotated[
        Path | None,
        text_option(
            "Read the games, instead of playing them.\n\nFrom a results folder or games.jsonl. Studies of Alympics "
            "also read a file in the format of `aucenv replay`, and those of Synthetic Labs the folder of its logs.",
            "PATH",
            "--from-records",
        ),
    ] = None,
    offline: Annotated[
        bool,
        flag(
            "For `study all`: call no models.\n\nRule bidders and the script llm:scripted play, for 40 minutes.",
            "--offline",
        ),
    ] = False,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    shard: ShardOption = None,
    yes: YesOption = False,
    out: FolderOption = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    wide: WideOption = False,
) -> None:
    """Play the games of a study, or read them from records; print its tables, and with --out draw its figure.

    aucarena, harbor, labs and alympics are papers: one run, from which all tables and figures of the paper are drawn.
    all: every study.
    """
    from aucenv.benchmarks.studies.registry import PAPERS, find_study
    from aucenv.benchmarks.studies.study_run import run

    rival, logs, ask_broke, folder, judge, form, ratings, full = StudySettings.read(changes or ()).values()
    of_single: JsonObject = {"--set rivals": rival, "--shard": shard}
    of_raters: JsonObject = {"--set judge": judge, "--set form": form, "--set ratings": ratings}
    of_all: JsonObject = {"--offline": offline, "--set full": full}
    if name == ALL:
        refused: JsonObject = {"--bidder": bidder, "--games": games, "--seed": seed, "--from-records": from_records}
        refused |= {"--set logs": logs, **of_single, **of_raters}
        _run_all(offline, full, out, workers, cluster, [option for option, value in refused.items() if value])
        return
    raters = _raters(judge, form, ratings, yes)
    if name in PAPERS:
        files: JsonObject = {"--json": json_file, "--csv": csv_file}
        _refuse(name, "single studies", {"--set templates": folder, **of_single, **of_all, **files})
        options = make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster)
        arguments = PaperArguments(tuple(bidder or ()), games, seed, ask_broke)
        run_paper(PAPERS[name], arguments, options, out, from_records, logs, raters, prices, yes, wide)
        return
    _refuse(name, "`aucenv study all`", of_all)
    _refuse(name, "`aucenv study PAPER`", {"--set ask_broke=false": not ask_broke})
    chosen = find_study(name).with_logs(logs)
    bidders, outputs, figure = _variants(chosen, bidder, folder), Outputs(json_file, csv_file), _folder(chosen, out)
    if chosen.trains:
        refused = {"--from-records": from_records, "--cluster": cluster, **of_single, **of_raters}
        trained = _train(chosen, bidders, games, seed, workers, out, refused)
        _draw(chosen, trained, figure)
        _show(chosen, trained, outputs, wide)
        return
    if from_records is None and not yes:
        check_prices(chosen.schedule(bidders, games, seed, rival), prices)
    costs = RunCosts()
    run_options = costs.followed(make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster))
    with costs.printed_if_stopped(), _kept(out), running(out, also_kept=costs.kept) as advance:
        rows = run(
            *(chosen, bidders, games, seed, run_options),
            out=out,
            from_records=from_records,
            shard=None if shard is None else Shard.parse(shard),
            raters=raters,
            rivals=rival,
            on_game=advance,
        )
    _draw(chosen, rows, figure)
    _show(chosen, rows, outputs, wide)
    costs.print()


def _variants(study: Study, bidders: list[str] | None, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the named bidders; if there are folders of templates, the variants of one bidder with each of them."""
    if not folders:
        return tuple(bidders or ())
    if study.variants is None or not bidders or len(bidders) > 1:
        raise ValueError(f"--set templates: expected the study prompts with one --bidder, got the study {study.name}")
    return study.variants(bidders[0], folders)


def _refuse(name: str, of: str, options: JsonObject) -> None:
    """Raise ValueError if options have a value that have no meaning for a study.

    Args:
        of: The studies that have these options.
    """
    if given := [option for option, value in options.items() if value]:
        raise ValueError(f"study {name}: expected no options of {of}, got {', '.join(given)}")


def _train(
    study: Study,
    bidders: tuple[str, ...],
    games: int | None,
    seed: int,
    workers: int,
    out: Path | None,
    refused: JsonObject,
) -> list[Row]:
    """Train the models of a study, and return its rows.

    Args:
        refused: The options that have no meaning for it, with their values.

    Raises:
        ValueError: One of these has a value, or there is no results folder.
    """
    from aucenv.benchmarks.studies.study_run import train

    given = [option for option, value in refused.items() if value]
    if out is None or given:
        got = ", ".join(given) or "no --out"
        raise ValueError(f"{study.where}: expected --out and no {', '.join(refused)}, as it trains models; got {got}")
    check_path(out)
    with running(out, "arms") as advance:
        return train(study, bidders, games, seed, workers, out=out, on_arm=advance)


def _raters(judges: tuple[str, ...], form: Path | None, ratings: tuple[Path, ...], yes: bool) -> Raters:
    from aucenv.benchmarks.studies.raters import Raters

    return Raters(judges, ratings, form, approve=print_prices if yes else refuse_paid)


ALL = "all"
"""The name with which the command runs every study."""


def _run_all(offline: bool, full: bool, out: Path | None, workers: int, cluster: str | None, given: list[str]) -> None:
    """Run every study, print its time, and where the page is.

    Args:
        given: The names of the given options that have no meaning here.

    Raises:
        ValueError: An option is missing, or has no meaning here.
    """
    from aucenv.benchmarks.studies.all_studies import run_all

    if given or not offline or out is None:
        got = f", and no options of single studies, got {', '.join(given)}" if given else ""
        raise ValueError(f"study all: expected --offline and --out DIR{got}")
    options = make_run_options(workers, None, OnModelFailure.stop, None, None, cluster)
    results = run_all(out, options, workers, full, lambda line: typer.echo(line, err=True))
    lines = [
        [
            result.name,
            "-" if result.games is None else f"{result.games:,}",
            f"{result.minutes:.1f}",
            result.error or "-",
        ]
        for result in results
    ]
    print_tables([TextTable("", ("study", "games", "minutes", "error"), lines)])
    typer.echo(f"{out / 'index.html'} has all tables and pictures")
    if any(result.error for result in results):
        raise typer.Exit(1)


def _folder(study: Study, out: Path | None) -> Path | None:
    """Return the folder of the figure; None: there is no folder, or no figure, as a message says before the start."""
    if study.draw is None:
        return None
    try:
        check_packages("the figure", "plot", "matplotlib")
    except MissingExtra as error:
        if out is not None:
            typer.echo(str(error), err=True)
        return None
    return out


def _show(study: Study, rows: list[Row], outputs: Outputs, wide: bool) -> None:
    """Write the rows of a study, and print its tables."""
    tables = [TextTable(title, tuple(headings), lines) for title, headings, lines in study.tables(rows)]
    tables[-1] = dataclasses.replace(tables[-1], note=study.meaning)
    outputs.show(tables, rows, wide=wide)


def _draw(study: Study, rows: list[Row], folder: Path | None) -> None:
    """Draw the figure of a study into a folder, if there is one."""
    from aucenv.benchmarks.studies.study_run import FIGURES

    if folder is None:
        return
    try:
        with _kept(folder):
            study.plot(rows, *(folder / name for name in FIGURES))
    except ImportError:
        typer.echo(str(missing_extra("the figure", "plot")), err=True)


@contextmanager
def _kept(out: Path | None) -> Iterator[None]:
    """Add to an error in a user's study that the games are kept, if they are."""
    from aucenv.benchmarks.studies.study import StudyError

    try:
        yield
    except StudyError as error:
        if out is None or not (out / "games.jsonl").is_file():
            raise
        way_out = f"the games are kept: once the file is repaired, --from-records {out} reads them"
        raise ValueError(f"{error} ({way_out})") from error
