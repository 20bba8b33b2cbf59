"""The command `aucenv benchmark`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import check_writable, print_first, print_safely, running
from aucenv.commands.options.cluster_option import ClusterOption
from aucenv.commands.options.completion import bidders, games
from aucenv.commands.options.costs import RunCosts, print_cost
from aucenv.commands.options.guest_options import SaltOption, chosen_guests
from aucenv.commands.options.help_pages import ADVANCED, OUTPUT
from aucenv.commands.options.options import (
    ConcurrencyOption,
    CsvOption,
    FailureOption,
    JsonOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    ResumeOption,
    WideOption,
    WorkersOption,
    make_run_options,
)
from aucenv.commands.options.outputs import Outputs
from aucenv.commands.options.parsers import choice_option, flag, text_option, whole_option
from aucenv.core.files import write_atomically
from aucenv.core.words.phrases import count

if TYPE_CHECKING:
    from aucenv.benchmarks.benchmark.plan import Plan
    from aucenv.benchmarks.benchmark.private_deals import PrivateDeals
    from aucenv.benchmarks.benchmark.references import References
    from aucenv.benchmarks.benchmark.suite import Suite
    from aucenv.runs.model_calls.token_prices import TokenPrices


class Size(enum.StrEnum):
    """The sizes of the benchmark."""

    XS = "XS"
    S = "S"
    M = "M"
    L = "L"


BiddersOption = Annotated[
    list[str] | None,
    text_option(
        "A bidder; repeat the option for several.\n\nLABEL=KIND:ARG,key=value...; `aucenv bidders` lists the kinds. "
        "Each bidder plays the same deals, in the games that it can play.",
        "BIDDER",
        "--bidder",
        autocompletion=bidders,
    ),
]
SizeOption = Annotated[
    Size,
    choice_option(
        "The number of deals.\n\nS has 20 at each table, M 100 and L 400, and water allocation three times as many; XS "
        "has 5 at some tables. A larger size has all deals of a smaller one, so a run in --out is extended.",
        Size,
        "--size",
    ),
]
GamesOption = Annotated[
    list[str] | None,
    text_option("Play only this game; repeatable.\n\nDefault: all games.", "GAME", "--game", autocompletion=games),
]
OutOption = Annotated[
    Path | None,
    text_option(
        "Folder to keep the run in.\n\nIt is a submission once the run is finished. A stopped run in it is resumed.",
        "DIR",
        "--out",
        group=OUTPUT,
    ),
]
DealsOption = Annotated[
    Path | None,
    text_option(
        "Private deals in place of the suite's.\n\nJSON Lines of "
        '{"game": ..., "seed": ...}, optionally with "scenario" and "table", as `aucenv benchmark draw-deals` writes '
        "them. Their references are computed first, and kept in --out.",
        "FILE",
        "--deals",
        group=ADVANCED,
    ),
]
SuiteOption = Annotated[
    Path | None,
    text_option(
        "A suite of your own.\n\nA JSON file, which replaces aucenv-1. Its references are computed first, and kept "
        "beside it, for mine.json in mine.references.json.",
        "FILE",
        "--suite",
        group=ADVANCED,
    ),
]
TrainingOption = Annotated[
    list[Path] | None,
    text_option(
        "What a bidder was trained on; repeatable.\n\nStates or a checkpoint. A run whose deals are among those of "
        "training is refused.",
        "FILE",
        "--training",
        group=ADVANCED,
    ),
]
AllowCheatsOption = Annotated[
    bool,
    flag(
        "Admit bidders that cheat.\n\nThey know what is hidden from their seats; tables mark them.",
        "--allow-cheats",
        ADVANCED,
    ),
]
DryRunOption = Annotated[
    bool,
    flag(
        "Print the price, and play no game.\n\nPrint the games, the expected intervals and the price of models for "
        "each size.",
        "--dry-run",
    ),
]
ByTableOption = Annotated[bool, flag("Print the scores at each table, too.", "--by-table", OUTPUT)]


def benchmark(
    context: typer.Context,
    bidder: BiddersOption = None,
    size: SizeOption = Size.S,
    game: GamesOption = None,
    out: OutOption = None,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    suite: SuiteOption = None,
    deals: DealsOption = None,
    training: TrainingOption = None,
    salt: SaltOption = None,
    allow_cheats: AllowCheatsOption = False,
    resume: ResumeOption = False,
    dry_run: DryRunOption = False,
    by_table: ByTableOption = False,
    concurrency: ConcurrencyOption = None,
    on_model_failure: FailureOption = OnModelFailure.stop,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    json_file: JsonOption = None,
    csv_file: CsvOption = None,
    wide: WideOption = False,
) -> None:
    """Score bidders at fixed tables of held-out rivals: 0 is `random`, 1 the reference of each table."""
    if context.invoked_subcommand is not None:
        return
    from aucenv.benchmarks.benchmark.plan import games_of
    from aucenv.benchmarks.benchmark.prices import sizes_table
    from aucenv.benchmarks.benchmark.references import suite_references
    from aucenv.benchmarks.benchmark.run import make_plan, run
    from aucenv.benchmarks.benchmark.suite import load_suite
    from aucenv.benchmarks.benchmark.tables import text_tables
    from aucenv.benchmarks.benchmark.training_deals import check_no_overlap, checkpoint_digests, training_digests
    from aucenv.benchmarks.benchmark.user_suites import read_user_suite
    from aucenv.benchmarks.rankings.leaderboard import rows_with_models
    from aucenv.runs.model_calls.token_prices import TokenPrices

    if not bidder:
        raise ValueError("--bidder: expected at least one, got none; for example --bidder value")
    outputs, costs = Outputs(json_file, csv_file), RunCosts()
    run_options = costs.followed(make_run_options(workers, concurrency, on_model_failure, prices, max_cost, cluster))
    chosen = [*dict.fromkeys(game or ())]
    played = load_suite() if suite is None else read_user_suite(suite)
    guests = chosen_guests(True, salt, out)
    games_of(bidder, played, chosen, guests, allow_cheats)
    digests = {**training_digests(training or []), **checkpoint_digests(bidder)}
    references = suite_references() if suite is None else _user_references(played, suite, workers)
    private = None if deals is None else _private_deals(deals, played, references, out, workers, digests)
    plan = make_plan(bidder, size.value, chosen, private, played, references, guests, allow_cheats)
    check_no_overlap(plan.deals, digests)
    known_prices = run_options.prices or TokenPrices()
    _announce(plan, known_prices)
    if dry_run:
        if private is None:
            print_tables([sizes_table(plan, known_prices)], wide=wide)
        _print_notes(plan)
        return
    with costs.printed_if_stopped(), running(out, also_kept=costs.kept) as advance:
        report = run(plan, run_options, out=out, resume=resume, on_game=advance)
    rows = rows_with_models(report)
    outputs.show(text_tables(plan, rows, by_table), rows, wide=wide)
    _print_notes(plan)
    costs.print()


def _print_notes(plan: Plan) -> None:
    """Print, on standard error, which games are left out."""
    from aucenv.benchmarks.benchmark.tables import notes_on_games

    for note in notes_on_games(plan):
        print_safely(note, err=True)


def print_saved(folder: Path, outputs: Outputs, wide: bool) -> None:
    """Print and write the tables of a run of the benchmark that is in a results folder; of its finished deals."""
    from aucenv.benchmarks.benchmark.run import make_report
    from aucenv.benchmarks.benchmark.saved_plan import read_plan
    from aucenv.benchmarks.benchmark.tables import text_tables
    from aucenv.benchmarks.rankings.leaderboard import rows_with_models
    from aucenv.runs.model_calls.journal import read_calls
    from aucenv.runs.records import read_records
    from aucenv.runs.results import read_run

    plan, _ = read_plan(read_run(folder), folder)
    records, calls = {record.index: record for record in read_records(folder)}, read_calls(folder)
    plan = plan.finished(records)
    rows = rows_with_models(make_report(plan, list(records.values()), calls))
    outputs.show(text_tables(plan, rows, by_table=True), rows, wide=wide)
    print_cost(calls, set(records))


def _user_references(suite: Suite, path: Path, workers: int) -> References:
    """Return the references of the suite of a file, computed if they are not beside it."""
    from aucenv.benchmarks.benchmark.user_suites import (
        all_deals,
        compute_user_references,
        references_file,
        saved_references,
        seconds_needed,
    )

    references = saved_references(suite, path)
    if references is None:
        replaces = "again, because the suite or a game has changed" if references_file(path).exists() else "first"
        deals = count(len(all_deals(suite)), "deal")
        _say_computed(f"the references of {deals} of {suite.name}", replaces, seconds_needed(suite, workers))
        references = compute_user_references(suite, path, workers)
    return references


def _say_computed(references: str, replaces: str, seconds: float) -> None:
    """Print, on standard error, that references are computed, and about how long that takes."""
    about = count(max(1, round(seconds)), "second")
    print_safely(f"{references} are computed {replaces}: about {about}", err=True)


def _private_deals(
    path: Path, suite: Suite, of_suite: References, out: Path | None, workers: int, training: Mapping[str, str]
) -> PrivateDeals:
    """Return the private deals of a file with their references, computed if the results folder does not have them.

    Args:
        of_suite: The references of the suite.
        training: the digests of the deals of training, each with its place.
    """
    from aucenv.benchmarks.benchmark.private_deals import (
        PrivateDeals,
        cached_references,
        compute_references,
        deals_by_table,
        guessable_seeds,
        read_private_deals,
        seconds_needed,
    )
    from aucenv.benchmarks.benchmark.training_deals import check_no_overlap

    data = read_private_deals(path, suite)
    if guessable := guessable_seeds(data):
        print_safely(
            f"{path}: {count(len(guessable), 'seed')} can be guessed, such as {guessable[0]}; "
            "`aucenv benchmark draw-deals` draws private ones",
            err=True,
        )
    deals = deals_by_table(data, suite)
    check_no_overlap(deals, training)
    references = cached_references(data, suite, out)
    if references is None:
        deals_at_tables = f"the references of {count(len(data), 'private deal')} at tables"
        _say_computed(deals_at_tables, "first", seconds_needed(data, workers))
        references = compute_references(data, suite, of_suite, out, workers)
    return PrivateDeals(str(path), data, deals, references)


def _announce(plan: Plan, prices: TokenPrices) -> None:
    """Print, on standard error, what will be played, how exact the scores will be, and what it will cost."""
    from aucenv.benchmarks.benchmark.prices import half_widths, prices_of
    from aucenv.benchmarks.benchmark.tables import title_of

    number = sum(len(plan.tables(name)) for name in plan.played)
    total = count(len(plan.entries()), "game")
    typer.echo(f"{title_of(plan)}: {total} at {count(number, 'table')} of {', '.join(plan.played)}", err=True)
    widths = ", ".join(f"{name} ±{width:.2f}" for name, width in half_widths(plan).items())
    if widths:
        typer.echo(f"expected 95% intervals, about: {widths}", err=True)
    for price in prices_of(plan, prices):
        print_safely(str(price), err=True)


class ReferencesToCompute(enum.StrEnum):
    """The references that `verify` computes again."""

    sample = "sample"
    all = "all"


ReferencesOption = Annotated[
    ReferencesToCompute,
    choice_option(
        "References to compute again.\n\nThose of private deals, or of a suite of one's own: of two deals of each "
        "table, or of all.",
        ReferencesToCompute,
        "--references",
    ),
]
DrawnGameOption = Annotated[
    list[str], text_option("The game of the deals; repeatable.", "GAME", "--game", autocompletion=games)
]
DealsFileOption = Annotated[Path, text_option("The file to write, which must be new.", "FILE", "--out")]
NumberOption = Annotated[int, whole_option("Number of deals of each game.", 1, 100_000, "--games")]


def draw_deals(game: DrawnGameOption, out: DealsFileOption, number: NumberOption = 50) -> None:
    """Draw private deals, whose seeds of 63 bits cannot be guessed, and write them for `aucenv benchmark --deals`."""
    from aucenv.benchmarks.benchmark.private_deals import draw_private_deals
    from aucenv.benchmarks.benchmark.suite import load_suite

    check_writable(out)
    write_atomically(out, draw_private_deals(game, load_suite(), number))
    print_safely(f"{out}: {count(number * len(set(game)), 'deal')}; run aucenv benchmark --deals {out}")


def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The results folder of a finished run.")],
    references: ReferencesOption = ReferencesToCompute.sample,
) -> None:
    """Verify a submission: its suite, deals and references, each decision of rule bidders, its tables and digests."""
    from aucenv.benchmarks.benchmark.tables import title_of
    from aucenv.benchmarks.benchmark.verify import verify as verify_submission

    verification = verify_submission(folder, references is ReferencesToCompute.all)
    print_first(verification.problems, err=True)
    for sentence in verification.unproved:
        print_safely(sentence, err=True)
    if verification.problems:
        raise typer.Exit(1)
    assert verification.plan is not None  # a plan that cannot be read is a problem
    print_safely(f"{folder}: {title_of(verification.plan)}: {count(verification.games, 'game')}, no problem")
