"""The state of a host: its tables, the clients that are connected, and what the host may do."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Mapping

from aucenv.baselines.human.inbox import inbox_of
from aucenv.benchmarks.people import Hooks, PeopleGames
from aucenv.benchmarks.rankings.leaderboard import honest_bidders
from aucenv.commands.hosting.feedback import Feedback
from aucenv.commands.hosting.frames import public_board, replay_frame, result_frame, seat_frame
from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.registration import find_family
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.people import people_in
from aucenv.runs.play import Match

HOST, OBSERVER, SEAT = "host", "observer", "seat"
PAUSE = 0.25


class Room:
    """The tables of a run with people.

    Args:
        games: the games.
        changed: called with the name of each link whose frames have changed, in any thread.
        announce: called with a line for the host's terminal.
        feedback: what people see of a game before the next one.

    Attributes:
        people: the names of the inboxes of the people at each table.
    """

    def __init__(
        self,
        games: PeopleGames,
        changed: Callable[[str], None],
        announce: Callable[[str], None] = lambda line: None,
        feedback: Feedback = Feedback.none,
    ) -> None:
        self.games = games
        self._feedback = feedback
        self.game = find_family(games.settings.game).game
        self._changed = changed
        self._announce = announce
        self._replacement = honest_bidders(games.settings.game, games.matches()[0].scenario)[0]
        self.people = {table: games.people_at(table) for table in range(1, games.tables + 1)}
        self._connections: dict[str, int] = {}
        self._started: set[int] = set()
        self._over: set[int] = set()
        self._failed: set[int] = set()
        self._public: dict[int, JsonObject] = {}
        self._ends: dict[tuple[str, str], tuple[GameRecord, JsonObject]] = {}  # by person and type of frame
        self._lock = threading.Lock()
        for keys in self.people.values():
            for key in keys:
                inbox_of(key).clear()
                inbox_of(key).asks_ready = True
        self._unsubscribe = [
            inbox_of(key).subscribe(functools.partial(self._notify, key))
            for keys in self.people.values()
            for key in keys
        ]
        self._table_of = {key: table for table, keys in self.people.items() for key in keys}

    @property
    def link_names(self) -> list[str]:
        """The name of each link of the run."""
        seats = [f"{SEAT} {key}" for keys in self.people.values() for key in keys]
        return [HOST, *seats, *(f"{OBSERVER} {table}" for table in self.people)]

    @property
    def hooks(self) -> Hooks:
        """The functions that the tables call."""
        return Hooks(self._wait_for_people, self._on_round, self._on_record, self._on_error)

    def close(self) -> None:
        """Stop listening to the inboxes."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def connect(self, link: str) -> None:
        """Take note of a client that has opened a link."""
        with self._lock:
            self._connections[link] = self._connections.get(link, 0) + 1
        self._changed(HOST)

    def disconnect(self, link: str) -> None:
        """Take note of a client that has left."""
        with self._lock:
            self._connections[link] -= 1
        self._changed(HOST)

    def is_here(self, key: str) -> bool:
        """Return whether a client of a person's link is connected."""
        return self._connections.get(f"{SEAT} {key}", 0) > 0

    @staticmethod
    def _is_ready(key: str) -> bool:
        """Return whether a person's time runs, or there is nothing to decide."""
        request = inbox_of(key).request
        return request is None or request.is_ready

    def frames(self, link: str) -> list[JsonObject]:
        """Return what a client of a link shows now."""
        kind, _, name = link.partition(" ")
        if kind == HOST:
            return [self._host_frame()]
        table = int(name) if kind == OBSERVER else self._table_of[name]
        lobby = self._lobby(table)
        if kind == OBSERVER:
            return [{"type": OBSERVER, "phase": self._phase(table), "board": self._public.get(table), **lobby}]
        inbox = inbox_of(name)
        frame = {**seat_frame(self.game, inbox, time.time(), self._phase(table), self.games.games_per_table), **lobby}
        return [*self._end_of(name), frame]

    def _end_of(self, key: str) -> list[JsonObject]:
        """Return what a person sees of the last finished game: with a further game to play, what `feedback` allows."""
        record = inbox_of(key).record
        if record is None:
            return []
        is_last = record.index == self.games.indices_at(self._table_of[key])[-1]
        if self._feedback is Feedback.none and not is_last:
            return []
        kind = "replay" if is_last or self._feedback is Feedback.all else "result"
        if (key, kind) not in self._ends or self._ends[key, kind][0] is not record:
            games = self.games.games_per_table
            frame = replay_frame(record, key) if kind == "replay" else result_frame(record, key, games)
            self._ends[key, kind] = record, frame
        return [self._ends[key, kind][1]]

    def _phase(self, table: int) -> str:
        if table in self._failed:
            return "failed"
        return "over" if table in self._over else "playing" if table in self._started else "lobby"

    def _lobby(self, table: int) -> JsonObject:
        people = self.people[table]
        return {"people": len(people), "here": sum(map(self.is_here, people))} if self._phase(table) == "lobby" else {}

    def _host_frame(self) -> JsonObject:
        tables = [
            {
                "table": table,
                "phase": self._phase(table),
                "people": [
                    {
                        "name": key,
                        "here": self.is_here(key),
                        "decides": inbox_of(key).request is not None,
                        "ready": self._is_ready(key),
                        "replaced_by": inbox_of(key).replaced_by,
                    }
                    for key in people
                ],
            }
            for table, people in self.people.items()
        ]
        return {"type": HOST, "tables": tables, "bidder": self._replacement}

    def act(self, action: JsonMapping) -> None:
        """Do what the host asks for: start a table, or replace a person by a bidder.

        A table starts although somebody is missing; at one that plays, the time of those starts who are not ready.

        Raises:
            ValueError: there is no such table, person or bidder.
        """
        if action.get("do") == "start":
            table = one_of("table", _whole(action.get("table")), self.people)
            for key in self.people[table] if table in self._started else ():
                inbox_of(key).start_clock()
            self._start(table)
            return
        key = one_of("person", str(action.get("person")), self._table_of)
        inbox_of(key).replace(str(action.get("bidder", "")))

    def _start(self, table: int) -> None:
        with self._lock:
            self._started.add(table)
        self._notify_table(table)

    def _wait_for_people(self, table: int, journal: CallJournal) -> None:
        """Wait in the lobby until everybody is here, the host starts the table, or a game of it is resumed."""
        if any(call.game in self.games.indices_at(table) for call in journal.calls):
            self._start(table)
        while table not in self._started:
            if all(map(self.is_here, self.people[table])):
                self._start(table)
            else:
                self._notify_table(table)
                journal.pause(PAUSE)

    def _on_round(self, match: Match, table: Table) -> None:
        number = self.games.table_of(match)
        self._public[number] = public_board(self.game, table)
        self._changed(f"{OBSERVER} {number}")
        self._changed(HOST)

    def _on_record(self, match: Match, record: GameRecord) -> None:
        number = self.games.table_of(match)
        if match.index == self.games.indices_at(number)[-1]:
            self._over.add(number)
        self._notify_table(number)

    def _on_error(self, table: int, error: BaseException) -> None:
        self._failed.add(table)
        if not isinstance(error, RunStopped):
            self._announce(f"table {table} has failed: {error}")
        self._notify_table(table)

    def restore(self, records: Mapping[int, GameRecord]) -> None:
        """Take note of the games that are finished already, by index, when a run is resumed."""
        for match in self.games.matches():
            if match.index in records:
                for key in people_in(match.bidders):
                    inbox_of(key).show_record(records[match.index])
        for table in self.people:
            if all(index in records for index in self.games.indices_at(table)):
                self._over.add(table)

    def _notify(self, key: str) -> None:
        self._changed(f"{SEAT} {key}")
        self._changed(HOST)

    def _notify_table(self, table: int) -> None:
        for key in self.people[table]:
            self._changed(f"{SEAT} {key}")
        self._changed(f"{OBSERVER} {table}")
        self._changed(HOST)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else -1
