"""Run the benchmark: play the games of a plan, and score the tested bidders."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.plan import ISOLATED, Plan, games_of
from aucenv.benchmarks.benchmark.private_deals import PrivateDeals, write_references
from aucenv.benchmarks.benchmark.references import References, suite_references
from aucenv.benchmarks.benchmark.scores import score_rows
from aucenv.benchmarks.benchmark.submissions import SUBMISSION_FILE, write_submission
from aucenv.benchmarks.benchmark.suite import Deal, Suite, load_suite
from aucenv.benchmarks.benchmark.tables import to_markdown

from aucenv.analysis.agents.model_figures import add_changed_models, model_figures
from aucenv.core.checks import whole_number
from aucenv.core.records.record import GameRecord
from aucenv.policy.guests import Guests
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.results import FILES
from aucenv.runs.run_options import RunOptions


def make_plan(
    bidders: Sequence[str],
    size: str | int = "S",
    games: Sequence[str] = (),
    private: PrivateDeals | None = None,
    suite: Suite | None = None,
    references: References | None = None,
    guests: Guests = ISOLATED,
    allow_cheats: bool = False,
) -> Plan:
    """Return the plan of a run.

    Args:
        bidders: The names of the tested bidders.
        size: "XS", "S", "M" or "L", or the number of rounds of deals.
        games: The games to play; none are all games of the suite.
        private: Private deals, which replace those of the suite, and their references.
        suite: The suite; None is the one that aucenv includes.
        references: The references of the suite's deals; None are those of the suite that aucenv includes.
        guests: How the bidders of users play.
        allow_cheats: Whether bidders may know what is hidden from their seats.

    Raises:
        ValueError: A size, a game or a bidder is not one; see `games_of`.
    """
    suite = load_suite() if suite is None else suite
    if private is not None:
        games = [game for game in games or suite.games if private.of_game(game)]
        if not games:
            raise ValueError(f"{private.where}: expected deals of the chosen games, got those of other games")
    left_out, played = games_of(bidders, suite, games, guests, allow_cheats)
    if private is not None:
        deals: Mapping[str, tuple[Deal, ...]] = {
            key: dealt for key, dealt in private.deals.items() if suite.table(key).game in played
        }
        chosen = private.references
        return Plan(suite, tuple(bidders), left_out, played, deals, chosen, private.data, guests, allow_cheats)
    if isinstance(size, str):
        deals = suite.deals_of_size(played, size)
    else:
        deals = suite.deals(played, whole_number("size", size, 1, max(suite.sizes.values())))
    references = references or suite_references()
    in_sizes = isinstance(size, str)
    return Plan(suite, tuple(bidders), left_out, played, deals, references, None, guests, allow_cheats, in_sizes)


def run(
    plan: Plan,
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    on_game: OnGame = ignore_progress,
) -> Report:
    """Play the games of a plan, and score its bidders.

    Args:
        out: A results folder, new or of a run to resume. A run of a smaller size and with otherwise the same settings
            is extended. The folder of a finished run is a submission.
        resume: Whether `out` must hold a run.
        on_game: Called after each game and each model call.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: As in `run_games`.
    """
    entries = plan.entries()
    if out is not None and not resume and not plan.suite.is_included:
        _keep_references(Path(out), plan)

    def report(records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
        return make_report(plan, records, calls)

    reported = run_games(
        [dataclasses.replace(entry.match, guests=plan.guests) for entry in entries],
        plan.settings(),
        report,
        run_options,
        out=out,
        resume=resume,
        grows=True,
        on_game=on_game,
        writes=(SUBMISSION_FILE,),
    )
    if out is not None:
        write_submission(Path(out), plan)
    return reported


def _keep_references(folder: Path, plan: Plan) -> None:
    """Write the references of a suite of one's own into a results folder, unless it has a run or other files."""
    if plan.private is None and not any((folder / name).exists() for name in FILES):
        write_references(folder, plan.references.data)


def make_report(plan: Plan, records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
    """Return the scores of the bidders of a plan in these games."""
    rows, models = score_rows(plan, records), model_figures(records, calls)
    add_changed_models(rows, models)
    return Report(rows, to_markdown(plan, rows, models), models)
