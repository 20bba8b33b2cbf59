"""A run of `aucenv host`: the games in their threads, and the server beside them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import ipaddress
import socket
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from urllib.parse import quote

from aucenv.benchmarks.people import PeopleGames, run_people
from aucenv.benchmarks.report.page import live_page
from aucenv.commands.hosting.feedback import Feedback
from aucenv.commands.hosting.links import Links
from aucenv.commands.hosting.ratings import Ratings
from aucenv.commands.hosting.room import HOST, OBSERVER, SEAT, Room
from aucenv.commands.hosting.server import LiveServer, bind, origin_of
from aucenv.core.records.record import GameRecord
from aucenv.runs.loop import OnGame
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.records import read_records
from aucenv.runs.run_options import RunOptions

OUTSIDE: dict[int, str] = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of no machine, outside of every network, by the family of their sockets."""


def is_open(listening: socket.socket) -> bool:
    """Return whether other machines may reach a listening socket."""
    return not ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def outside_address(family: int) -> str:
    """Return the address under which other machines reach this one; its name if it is in no network.

    Args:
        family: that of the listening socket; one for IPv6 that listens at all networks accepts IPv4, too.
    """
    for kind in dict.fromkeys((family, socket.AF_INET)):
        with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.connect((OUTSIDE[kind], 9))  # the socket is one for datagrams: nothing is sent
            return str(probe.getsockname()[0])
    return socket.gethostname()


def address_of(listening: socket.socket, is_secure: bool) -> str:
    """Return the address of the page of a listening socket; at all networks, one that other machines reach."""
    host, port = listening.getsockname()[:2]
    shown = outside_address(listening.family) if ipaddress.ip_address(host.partition("%")[0]).is_unspecified else host
    return f"{'https' if is_secure else 'http'}://{f'[{shown}]' if ':' in shown else shown}:{port}/"


OPEN = (
    "warning: the connection is plain HTTP, so that everybody on the network can read the links and the answers: use "
    "--certificate and --key, or a proxy with TLS and --origin"
)
LOCAL = "Only this machine can open these links: `--host 0.0.0.0` opens them to its network."
NEXT = "Send each person the link of their seat. Ctrl-C ends the run; the same command resumes it from {}."
PAUSE = 0.5
"""Seconds between checks whether the games are over."""
END = 6.0
"""Seconds that the tables have to end when the run is interrupted."""


class Session:
    """A run with people in browsers.

    Args:
        games: the games.
        options: how they are played.
        out: the results folder.
        rubrics: whether people rate their play.
        origins: further origins of the page.
        feedback: what people see of a game before the next one.

    Raises:
        ValueError: the games have no rubrics, or an origin is none.
    """

    def __init__(
        self,
        games: PeopleGames,
        options: RunOptions,
        out: Path,
        rubrics: bool,
        origins: Collection[str],
        feedback: Feedback = Feedback.none,
    ) -> None:
        self._games = games
        self._options = options
        self._out = out
        self._origins = [origin_of(origin) for origin in origins]
        self._ratings = Ratings(out, games.settings.game) if rubrics else None
        self._print: Callable[[list[str]], None] = lambda lines: None
        self._room = Room(games, self._changed, lambda line: self._print([line]), feedback)
        if self._ratings is not None:
            self._ratings.check(key for keys in self._room.people.values() for key in keys)
        self._server: LiveServer | None = None
        self._journal: CallJournal | None = None
        self._links: Links | None = None
        self._opened = threading.Event()
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def _changed(self, link: str) -> None:
        if self._server is not None:
            self._server.changed(link)

    def run(
        self,
        host: str,
        port: int,
        certificate: Path | None,
        key: Path | None,
        ends: bool,
        print_lines: Callable[[list[str]], None],
        on_game: OnGame,
    ) -> list[GameRecord]:
        """Serve until all games are over, if `ends`, and otherwise until the process is interrupted.

        Args:
            host, port: the address to listen on.
            certificate, key: the files of TLS; None: no TLS.
            ends: whether to return when all games are over.
            print_lines: prints the links.
            on_game: as in `run_games`.

        Returns:
            All games of the run.

        Raises:
            OSError: the address cannot be used, or the results folder cannot be written.
            ValueError, PolicyError, RunStopped: as in `run_people`.
        """
        self._print = print_lines
        for file in filter(None, (certificate, key)):
            file.open("rb").close()
        listening = bind(host, port)
        thread = threading.Thread(target=self._play, args=(on_game,), daemon=True, name="games")
        try:
            thread.start()
            self._opened.wait()
            self._raise_error()
            if not self._ended.is_set():
                self._serve(listening, certificate, key, ends)
        except KeyboardInterrupt:
            if not self._ended.is_set():  # otherwise the host has closed the room
                raise
        finally:
            listening.close()
            if self._journal is not None and not self._ended.is_set():
                self._journal.stop("the run was interrupted")
                thread.join(END)
            self._room.close()
        self._raise_error()
        return sorted(read_records(self._out), key=lambda record: record.index)

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _play(self, on_game: OnGame) -> None:
        """Play the games, in a thread of their own."""
        first = self._options.on_journal

        def on_journal(journal: CallJournal) -> None:
            first(journal)
            self._journal = journal
            self._links = Links.open(self._out, self._room.link_names)  # the folder is known to be that of the run
            self._room.restore({record.index: record for record in read_records(self._out)})
            self._opened.set()

        options = dataclasses.replace(self._options, on_journal=on_journal)
        try:
            run_people(self._games, options, self._room.hooks, self._out, on_game)
        except BaseException as error:
            self._error = error
        self._ended.set()
        self._opened.set()
        if self._error is None:
            self._print(["All games are over."])

    def _serve(
        self,
        listening: socket.socket,
        certificate: Path | None,
        key: Path | None,
        ends: bool,
    ) -> None:
        assert self._links is not None
        page, policy = live_page(self._games.settings.game)
        self._server = LiveServer(self._room, self._links, page, policy, self._ratings, self._origins)
        tls = {
            name: None if file is None else str(file)
            for name, file in (("ssl_certfile", certificate), ("ssl_keyfile", key))
        }
        is_secure = certificate is not None
        note, is_needed = (OPEN, not is_secure) if is_open(listening) else (LOCAL, not self._origins)
        lines = [*self._lines(address_of(listening, is_secure)), *([note] if is_needed else [])]
        self._print([*lines, NEXT.format(self._out)])
        asyncio.run(self._until_over(listening, tls, ends))

    async def _until_over(self, listening: socket.socket, tls: dict[str, str | None], ends: bool) -> None:
        assert self._server is not None
        serving = asyncio.create_task(self._server.serve(listening, tls))
        while not serving.done():
            has_ended = self._ended.is_set() and (self._error is not None or (ends and not self._is_rating()))
            await asyncio.wait([serving], timeout=PAUSE)  # in which the last frames are sent
            if has_ended:
                self._server.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await serving

    def _is_rating(self) -> bool:
        """Return whether somebody who is here has not yet rated their play."""
        ratings, keys = self._ratings, [key for keys in self._room.people.values() for key in keys]
        return ratings is not None and any(self._room.is_here(key) and ratings.is_due(key) for key in keys)

    def _lines(self, address: str) -> list[str]:
        assert self._links is not None
        lines = []
        for name, token in self._links.tokens.items():
            kind, _, rest = name.partition(" ")
            observers = "observers" if self._games.tables == 1 else f"observers of table {rest}"
            who = {HOST: "host", OBSERVER: observers, SEAT: rest}[kind]
            lines.append(f"{who}: {address}#token={quote(token)}")
        return lines
