"""Games with people: their schedule, and tables that play at the same time."""

from __future__ import annotations

import dataclasses
import functools
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from aucenv.baselines.human.inbox import Inbox, inbox_of
from aucenv.benchmarks.rankings.leaderboard import honest_bidders, report, rotated
from aucenv.benchmarks.rankings.settings import Settings, chosen_scenario

from aucenv.core.checks import no_duplicates
from aucenv.core.files import JsonObject
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.core.scenarios import assigned
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.core.words.outside_text import one_line
from aucenv.policy.registry import HUMAN_KIND
from aucenv.policy.user_code import file_digest
from aucenv.runs.executors import Executor
from aucenv.runs.loop import OnGame, Report, ignore_progress, run_games
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.people import at_table, people_in
from aucenv.runs.play import Match
from aucenv.runs.recorded.forget import is_forgotten
from aucenv.runs.results import read_run
from aucenv.runs.run_options import RunOptions, policies_of


@dataclasses.dataclass(frozen=True)
class PeopleGames:
    """Games in which people have seats.

    Attributes:
        settings: the settings of a leaderboard: the game, its scenario, the seed and the bidders of a table; the
            number of seats is that of the bidders, and `games` the number of games at each table.
        tables: the number of tables, each with people of its own.
    """

    settings: Settings
    tables: int = 1

    def bidders_at(self, table: int) -> tuple[str, ...]:
        """Return the names of the bidders at a table, from 1."""
        return tuple(self._named(name, table) for name in self.settings.bidders)

    def _named(self, name: str, table: int) -> str:
        """Return the name of a bidder; that of a person at one of several tables has the number of its table."""
        is_one_of_many = self.tables > 1 and parse_bidder(name).kind == HUMAN_KIND
        return f"{name},table={table}" if is_one_of_many else name

    def people_at(self, table: int) -> list[str]:
        """Return the names of the inboxes of the people at a table; see `runs.people.person_of`."""
        return people_in(self.bidders_at(table))

    def matches(self) -> list[Match]:
        """Return all games, those of the first table first. Seats rotate from game to game; each has a new deal.

        Raises:
            ValueError: nobody of the bidders is a person, a person has two seats, or as in `chosen_scenario`.
        """
        names = self.settings.bidders
        if not self.people_at(1):
            raise ValueError("bidders: expected a person, such as human:Ann, got none")
        for name in names:
            if parse_bidder(name).kind == HUMAN_KIND and "table" in parse_bidder(name).params:
                raise ValueError(
                    f"bidder {public_name(name)!r}: expected no table, which follows from the number of tables"
                )
        no_duplicates("bidders, people", [key for table in range(1, self.tables + 1) for key in self.people_at(table)])
        scenario = chosen_scenario(self.settings)
        if len(scenario.bidders) != len(names):
            if "num_bidders" in assigned(self.settings.changes, "--set"):
                got = len(scenario.bidders)
                raise ValueError(f"num_bidders: expected {len(names)}, the number of bidders at a table, got {got}")
            scenario = scenario.changed(num_bidders=len(names))
        return [
            Match(
                self.settings.game,
                scenario,
                rotated(self.bidders_at(table), number),
                (self.settings.seed, index),
                index,
            )
            for table in range(1, self.tables + 1)
            for number, index in enumerate(self.indices_at(table))
        ]

    @property
    def games_per_table(self) -> int:
        """The number of games at each table."""
        return self.settings.games or 1

    def indices_at(self, table: int) -> range:
        """Return the indices of the games at a table, from 1."""
        return range((table - 1) * self.games_per_table, table * self.games_per_table)

    def table_of(self, match: Match) -> int:
        """Return the number of the table of a game, from 1."""
        return match.index // self.games_per_table + 1

    def to_dict(self) -> JsonObject:
        """Return the settings that determine the games."""
        fixed = self.settings
        chosen = {"scenario": fixed.scenario, "changes": list(fixed.changes)}
        files = {public_name(name): digest for name in fixed.bidders if (digest := file_digest(name))}
        return {
            "game": fixed.game,
            **{name: value for name, value in chosen.items() if value},
            "seed": fixed.seed,
            "format": "people",
            "bidders": [public_name(name) for name in self.bidders_at(1)],
            "games": self.games_per_table * self.tables,
            "tables": self.tables,
            "bidder_files": files,
        }


def with_rule_bidders(settings: Settings) -> Settings:
    """Return settings in which rule bidders have the seats that are left of the game's scenario."""
    scenario = chosen_scenario(settings)
    rules = honest_bidders(settings.game, scenario)
    missing = max(0, len(scenario.bidders) - len(settings.bidders))
    others = [rules[k % len(rules)] if k < len(rules) else f"{rules[k % len(rules)]}-{k}={rules[k % len(rules)]}"
              for k in range(missing)]  # fmt: skip
    return dataclasses.replace(settings, bidders=(*settings.bidders, *others))


@dataclasses.dataclass(frozen=True)
class Hooks:
    """Functions that tables call, each in the thread of its table.

    Attributes:
        before: called with the number of a table before its first game; it may wait.
        on_round: called with the game and its table at the beginning of each round, and at the end.
        on_record: called with a finished game and its record.
        on_error: called with the number of a table that has failed, and its error.
    """

    before: Callable[[int, CallJournal], None] = lambda table, journal: None
    on_round: Callable[[Match, Table], None] = lambda match, table: None
    on_record: Callable[[Match, GameRecord], None] = lambda match, record: None
    on_error: Callable[[int, BaseException], None] = lambda table, error: None


@dataclasses.dataclass(frozen=True)
class Tables:
    """An executor that plays at several tables at the same time, the games of each one after another.

    If a table fails, the others play on; its error is raised at the end.
    """

    games: PeopleGames
    hooks: Hooks
    forfeit: bool = True
    compiles_here: ClassVar[bool] = True
    status: ClassVar[str] = ""

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games as in `Executor.play`."""
        by_table: dict[int, list[Match]] = {}
        for match in matches:
            by_table.setdefault(self.games.table_of(match), []).append(match)
        results: queue.SimpleQueue[GameRecord | BaseException | None] = queue.SimpleQueue()

        def play_table(number: int) -> None:
            try:
                self.hooks.before(number, journal)
                for match in by_table[number]:
                    record = match.play(journal, self.forfeit, functools.partial(self.hooks.on_round, match))
                    results.put(record)
                    self._show(match, record)
            except BaseException as error:
                results.put(error)
                self.hooks.on_error(number, error)
            results.put(None)

        for number in by_table:
            threading.Thread(target=play_table, args=(number,), daemon=True, name=f"table {number}").start()
        errors, running = [], len(by_table)
        while running:
            result = results.get()
            running -= result is None
            if isinstance(result, BaseException):
                errors.append(result)
            elif result is not None:
                yield result
        if errors:
            raise errors[0]

    def _show(self, match: Match, record: GameRecord) -> None:
        for inbox in people_of(match):
            inbox.show_record(record)
        self.hooks.on_record(match, record)


def people_of(match: Match) -> list[Inbox]:
    """Return the inboxes of the people in a game."""
    return [inbox_of(name) for name in people_in(match.bidders)]


@dataclasses.dataclass(frozen=True)
class TableOptions(RunOptions):
    """Options of a run whose games are played at tables."""

    make_executor: Callable[[], Executor] | None = None
    tables: int = 1

    def executor(self, matches: Sequence[Match]) -> Executor:
        """Return the tables.

        Raises:
            ValueError: as in `check`; or a bidder at several tables learns from game to game.
        """
        self.check(matches)
        if self.tables > 1 and any(getattr(policy, "in_order", False) for policy in policies_of(matches)):
            raise ValueError("tables: expected 1, because a bidder keeps a memory from game to game")
        assert self.make_executor is not None
        return self.make_executor()


def _check_names(games: PeopleGames, out: Path) -> None:
    """Raise ValueError if a person of the run in a folder has another name since its words were removed."""
    recorded = read_run(out)["settings"].get("bidders", ())
    for name, old in zip(games.to_dict()["bidders"], recorded, strict=False):
        if name != old and is_forgotten(old):
            raise ValueError(
                f"bidder {one_line(at_table(name))!r}: expected {at_table(old)!r} to resume the run in {out}, because "
                "this person's words and name were removed with `aucenv records forget`"
            )


def run_people(
    games: PeopleGames,
    options: RunOptions,
    hooks: Hooks,
    out: Path | None,
    on_game: OnGame = ignore_progress,
) -> Report:
    """Play games with people, and rank all bidders; with a results folder, an interrupted run is resumed.

    Raises:
        ValueError, OSError, PolicyError, RunStopped: as in `run_games`.
    """
    if out is not None and (out / "run.json").exists():
        _check_names(games, out)
    fields = {field.name: getattr(options, field.name) for field in dataclasses.fields(RunOptions)}
    table_options = TableOptions(
        **fields, make_executor=lambda: Tables(games, hooks, options.forfeit), tables=games.tables
    )
    return run_games(games.matches(), games.to_dict(), report, table_options, out=out, on_game=on_game)
