"""Rank bidders: the schedule of a leaderboard's games, and the table of their results."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

from aucenv.benchmarks.rankings.aucarena import with_bidders_of_file
from aucenv.benchmarks.rankings.settings import Settings, base_scenario, chosen_scenario, with_changes
from aucenv.training.ppo.bidder import has_network
from aucenv.training.rlact.policy import is_installed

from aucenv.analysis.agents.model_figures import add_changed_models, model_figures
from aucenv.analysis.agents.people_figures import people_figures
from aucenv.analysis.ranking.by_setting import standings_by_setting
from aucenv.analysis.ranking.meta_game import add_meta_game, lineups_of
from aucenv.analysis.ranking.ratings import rating_kernels
from aucenv.analysis.ranking.tables import to_markdown
from aucenv.analysis.statistics.intervals import MIN_DEALS
from aucenv.analysis.statistics.metrics import game_of
from aucenv.core.checks import no_duplicates, one_of, whole_number
from aucenv.core.extras import check_packages
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.scenarios import Scenario, is_file
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.envs.english.game import resize_bidders
from aucenv.envs.english.rules import MAX_BIDDERS
from aucenv.policy.registry import NETWORK_KIND, playable_bidders, scripted_bidders
from aucenv.policy.user_code import file_digest
from aucenv.registration import find_family
from aucenv.runs.loop import THIS_PROCESS, OnGame, Report, ignore_progress, run_games
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.play import Match
from aucenv.runs.run_options import RunOptions

FORMATS = ("round-robin", "standard")
MAX_SETS = 1000
"""A round robin with more sets of bidders than this draws its lineups at random instead of listing all sets."""
STANDARD_BUDGETS = (20_000, 40_000)
STANDARD_ORDERS = ("random", "ascending", "descending")
STANDARD_SEATS = 3
STANDARD_RUNS = 10
"""AucArena's competition: 2 budgets x 3 orders = 6 settings, 10 runs each (arXiv 2310.05746, section 4)."""


def honest_bidders(game: str, scenario: Scenario | None = None) -> tuple[str, ...]:
    """Return the names of a game's built-in rule bidders that do not cheat, seek profit and can play the scenario.

    Args:
        scenario: None = the game's default scenario.
    """
    modules = find_family(game).game
    chosen = modules.load_scenario(modules.default_scenario) if scenario is None else scenario
    rules = scripted_bidders(game)
    return tuple(name for name in playable_bidders(game, chosen) if rules[name].objective is None)


def chosen_bidders(settings: Settings) -> tuple[str, ...]:
    """Return the names of the bidders that play."""
    settings = with_bidders_of_file(settings)
    if settings.bidders:
        return settings.bidders
    scenario = chosen_scenario(settings)
    networks = (NETWORK_KIND,) if has_network(settings.game, scenario) else ()
    trained = () if missing_trained_bidders(settings) else _trained(settings.game)
    return (*honest_bidders(settings.game, scenario), *networks, *trained)


def missing_trained_bidders(settings: Settings) -> tuple[str, ...]:
    """Return the finetuned bidders that would play by default but whose extra is not installed."""
    return () if settings.bidders or is_installed() else _trained(settings.game)


def _trained(game: str) -> tuple[str, ...]:
    """Return the finetuned bidders of a game that play by default if the extra rlact is installed."""
    learning = find_family(game).game.learning
    return () if learning is None else learning.TRAINED


def matches(settings: Settings) -> list[Match]:
    """Return the games of a leaderboard.

    Raises:
        ValueError: a game, format, scenario or bidder is unknown, or a number is out of range; or as in
            `with_bidders_of_file` and `seating`.
    """
    find_family(settings.game)
    settings = with_bidders_of_file(settings)
    one_of("format", settings.format, FORMATS)
    whole_number("seed", settings.seed, 0)
    if settings.games is not None:
        whole_number("games", settings.games, 1)
    names = chosen_bidders(settings)
    no_duplicates("bidders", [parse_bidder(name).label for name in names])
    one_of("roles", settings.roles, ROLES)
    return (_standard if settings.format == "standard" else _round_robin)(settings, names)


def _round_robin(settings: Settings, names: Sequence[str]) -> list[Match]:
    scenario = chosen_scenario(settings)
    seats = len(scenario.bidders)
    seated = _seating(settings, scenario, names)
    chosen = lineups(names, seats, random.Random(settings.seed))
    games = settings.games or 300
    if settings.meta:
        every = lineups_of(names, seats)
        chosen = itertools.cycle(every)
        per_deal = sum(len({rotated(lineup, turn) for turn in range(seats)}) for lineup in every)
        games = settings.games or per_deal * MIN_DEALS
        if games < per_deal:
            raise ValueError(f"games: expected at least {per_deal}, one of each of {len(every)} lineups, got {games}")
    schedule: list[Match] = []
    for block, lineup in enumerate(chosen):
        if len(schedule) >= games:
            break
        # Rotations in which every seat has the same bidder as before would be the same game.
        for players in dict.fromkeys(rotated(lineup, turn) for turn in range(seats)):
            seed = (settings.seed, block)  # all rotations play the same deal, so that its luck cancels
            schedule.append(Match(settings.game, seated(players), players, seed, len(schedule), settings.guests))
    return schedule


def _seating(settings: Settings, scenario: Scenario, names: Sequence[str]) -> Seating:
    policies = [settings.guests.policy(settings.game, name) for name in names]
    return seating(scenario, names, settings.roles, any(getattr(policy, "in_order", False) for policy in policies))


def _standard(settings: Settings, names: Sequence[str]) -> list[Match]:
    if len(names) < STANDARD_SEATS:
        shown = ", ".join(map(public_name, names))
        raise ValueError(f"format standard: expected two baselines and at least 1 challenger, got {shown}")
    named = {text.partition("=")[0] for text in settings.changes}
    chosen = ["scenario"] if settings.scenario is not None else []
    chosen += sorted(named & {"budget", "bidders", "item_order", "items", "name", "num_bidders"})
    if chosen:
        raise ValueError(f"format standard: {', '.join(chosen)} cannot be chosen, because its 6 settings are fixed")
    if settings.game != "english":
        raise ValueError(f"format standard: expected the game english, got {settings.game}")
    load = find_family(settings.game).game.load_scenario
    scenarios = [
        with_changes(load(f"standard-{budget // 1000}k-{order}"), settings)
        for budget in STANDARD_BUDGETS
        for order in STANDARD_ORDERS
    ]
    seated = [_seating(settings, scenario, names) for scenario in scenarios]
    baselines, challengers = names[:2], names[2:]
    games = settings.games or STANDARD_RUNS * len(scenarios) * len(challengers)
    runs = -(-games // (len(scenarios) * len(challengers)))  # each run rotates the 3 seats over the 6 settings, twice
    schedule: list[Match] = []
    for run in range(runs):
        for number, scenario_of in enumerate(seated):
            deal = run * len(scenarios) + number
            for challenger in challengers:
                lineup = rotated((*baselines, challenger), run + number)
                seed = (settings.seed, deal)
                match = Match(settings.game, scenario_of(lineup), lineup, seed, len(schedule), settings.guests)
                schedule.append(match)
    return schedule


def lineups(names: Sequence[str], seats: int, rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Yield lineups without end. The bidders who have played least play next; ties are broken at random.

    Each set of bidders occurs once before any set occurs again, unless there are more than MAX_SETS sets. If there are
    fewer bidders than seats, all of them play, some in several seats.
    """
    everyone = len(names) if len(names) < seats else 0
    rest = seats - everyone
    sets = math.comb(len(names) + rest - 1, rest) if everyone else math.comb(len(names), rest)
    while sets > MAX_SETS:
        if everyone:
            yield (*names, *rng.choices(names, k=rest))
        else:
            shuffled = rng.sample(names, len(names))
            yield from (tuple(shuffled[i : i + seats]) for i in range(0, len(names) - seats + 1, seats))
    choose = combinations_with_replacement if everyone else combinations
    while True:
        waiting = [(*names[:everyone], *others) for others in choose(names, rest)]
        rng.shuffle(waiting)
        played = dict.fromkeys(names, 0)
        while waiting:
            lineup = min(waiting, key=lambda lineup: sum(played[name] for name in lineup))
            waiting.remove(lineup)
            for name in lineup:
                played[name] += 1
            yield lineup


def rotated(lineup: Sequence[str], by: int) -> tuple[str, ...]:
    by %= len(lineup)
    return (*lineup[by:], *lineup[:by])


def run(
    settings: Settings,
    run_options: RunOptions = THIS_PROCESS,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    on_game: OnGame = ignore_progress,
) -> list[JsonObject]:
    """Play a leaderboard's games and rank its bidders.

    Args:
        out: a results folder, new or of a run to resume. A run with fewer games and otherwise the same settings is
            extended.
        resume: do not start a new run; `out` must hold a run.
        on_game: called after each game and each model call.

    Returns:
        The rows of `rows_with_models`.

    Raises:
        ValueError: `out` holds a run with other settings; also for the reasons given in `matches` and `run_games`.
        OSError: `out` cannot be written, or holds files that do not belong to a run.
        PolicyError, RunStopped: raised by `play`; all games and calls until then are in `out`.
    """
    settings = with_bidders_of_file(settings)
    schedule = matches(settings)
    if settings.meta:
        check_packages("--meta", "stats", "scipy")
    return rows_with_models(
        run_games(
            schedule,
            _fixed(settings, len(schedule)),
            report_with_meta_game if settings.meta else report,
            run_options,
            out=out,
            resume=resume,
            shard=settings.shard,
            grows=True,
            kernels=[rating_kernels()],
            on_game=on_game,
        )
    )


def report(records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
    """Rank the bidders of these games, also by setting if there are several."""
    return _report(standings_by_setting(records), records, calls)


def report_with_meta_game(records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
    """Rank the bidders of these games, which have all lineups, and evaluate their meta-game."""
    rows = standings_by_setting(records)
    add_meta_game(rows, records)
    return _report(rows, records, calls)


def _report(rows: list[JsonObject], records: Sequence[GameRecord], calls: Sequence[Call]) -> Report:
    models, people = model_figures(records, calls), people_figures(records, calls)
    add_changed_models(rows, models)
    return Report(rows, to_markdown(rows, game_of(records), models, people), models, people)


def rows_with_models(report: Report) -> list[JsonObject]:
    """Return the rows of a ranking with how their bidders decided.

    Rows of bidders that call models have `model`, their row of `model_figures`, and rows of people `person`, their
    row of `people_figures`.
    """
    figures = {"model": report.models, "person": report.people}
    return [
        row | {name: by_bidder[row["bidder"]] for name, by_bidder in figures.items() if row["bidder"] in by_bidder}
        for row in report.rows
    ]


def _fixed(settings: Settings, games: int) -> JsonObject:
    """Return the settings with all defaults filled in, and with the contents or digests of files, which may change.

    Args:
        games: the number of games of the schedule.
    """
    fixed = {**vars(settings), "games": games}
    for name in ("shard", "models", "memories"):
        del fixed[name]
    fixed["guests"] = dataclasses.asdict(settings.guests)
    fixed["bidders"] = [public_name(name) for name in chosen_bidders(settings)]
    fixed["bidder_files"] = {
        public_name(name): digest for name in chosen_bidders(settings) if (digest := file_digest(name))
    }
    if is_file(settings.scenario):
        fixed["scenario"] = base_scenario(settings).to_dict()
    return fixed


if __name__ == "__main__":
    (command,) = entry_points(group="console_scripts", name="aucenv")
    command.load()(["leaderboard", *sys.argv[1:]])


ROLES = ("seats", "bidders")
Seating = Callable[[tuple[str, ...]], Any]
"""A function from the bidders of a game, in the order of its seats, to the game's scenario."""


def seating(scenario: Any, names: Sequence[str], roles: str, remembers: bool) -> Seating:
    """Return the function that gives the bidders of a game their entries.

    Args:
        scenario: the scenario of all games, with its entries in the order of the seats.
        names: all bidders. With `roles="bidders"`, the first ones get the entries in this order, and further ones get
            copies of them under new names.
        roles: one of ROLES.
        remembers: whether a bidder keeps a memory from game to game; names then belong to bidders in any case.

    Raises:
        ValueError: entries belong to bidders, but the game has none, or there are too few or too many bidders.
    """
    by_bidder = roles == "bidders"
    entries: tuple[Any, ...] = getattr(scenario, "bidders", ())
    if by_bidder:
        if not entries or not all(map(dataclasses.is_dataclass, entries)):
            raise ValueError(f"roles: expected 'seats' in a game whose bidders have no entries, got {roles!r}")
        whole_number("roles: number of bidders", len(names), len(entries), MAX_BIDDERS)
    elif not remembers or not entries:
        return lambda lineup: scenario
    else:
        whole_number("number of bidders beside one with a memory", len(names), 1, MAX_BIDDERS)
    roles_of_all = resize_bidders(entries, max(len(entries), len(names)))

    @cache  # games share scenario objects
    def seated(lineup: tuple[str, ...]) -> Any:
        spare = [entry.name for entry in roles_of_all[len(names) :]]
        taken: dict[str, str] = {}
        chosen = []
        for seat, bidder in enumerate(lineup):
            role = roles_of_all[names.index(bidder)]
            name = role.name if bidder not in taken else spare.pop(0)  # a bidder in two seats has a second name
            taken[bidder] = name
            chosen.append(role if by_bidder else dataclasses.replace(entries[seat], name=name))
        return dataclasses.replace(scenario, bidders=tuple(chosen))

    return seated
