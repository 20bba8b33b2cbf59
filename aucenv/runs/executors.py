"""Play many games: rule bidders in processes, bidders that wait for models in threads."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing.connection import wait as wait_for
from typing import Protocol

from aucenv.core.checks import whole_number
from aucenv.core.record import GameRecord
from aucenv.runs.journal import CallJournal, RunStopped
from aucenv.runs.play import Match

GAMES_PER_TASK = 8
"""Games that a worker plays before it reports: few enough to lose little, enough to make messages cheap."""
GRACE = 5.0
"""Seconds in which calls that are under way may still end when a run is broken off."""


class Executor(Protocol):
    """Something that plays games: here, in processes, on a cluster."""

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games; yields each record as soon as its game has ended, in any order.

        Raises:
            PolicyError, RunStopped: as `play`; what has ended until then is yielded before.
        """
        ...


@dataclasses.dataclass(frozen=True)
class InProcess:
    """Plays in this process.

    Attributes:
        concurrency: games in flight, each in a thread of its own: for bidders that wait for models. None: no threads.
        forfeit: as `play` takes it.
    """

    concurrency: int | None = None
    forfeit: bool = False

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """As `Executor.play`."""
        if self.concurrency is None:
            return (match.play(journal, self.forfeit) for match in matches)
        return _play_in_threads(matches, self.concurrency, journal, self.forfeit)


@dataclasses.dataclass(frozen=True)
class Processes:
    """Plays in worker processes, which end when this process does, however it ends; they ask no models.

    Attributes:
        workers: how many.
    """

    workers: int

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """As `Executor.play`."""
        schedule = iter(matches)
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_end_with_parent)
        try:
            running: set[Future[list[GameRecord]]] = set()
            while True:
                while len(running) < 2 * self.workers and (task := list(islice(schedule, GAMES_PER_TASK))):
                    running.add(pool.submit(_play_task, task))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def play_many(
    matches: Iterable[Match],
    workers: int = 1,
    *,
    concurrency: int | None = None,
    journal: CallJournal | None = None,
    forfeit: bool = False,
) -> Iterator[GameRecord]:
    """Play games, in this process or in several; yields each record as soon as its game has ended.

    What is played does not depend on `workers` and `concurrency`, but the order of the records does. Workers end when
    this process does, however it ends. They import the main module: a script guards with `__name__ == "__main__"`.

    Args:
        workers: processes, for bidders that think themselves.
        concurrency: games in flight, each in a thread of its own: for bidders that wait for models. None: no threads.
        journal, forfeit: as `play` takes them; the same for all games of this process.

    Raises:
        ValueError: `workers` or `concurrency` is not a whole number of at least 1, or there are several of both.
        PolicyError, RunStopped: as `play`; what has ended until then, in all threads, is yielded before.
    """
    whole_number("workers", workers, 1)
    if concurrency is not None:
        whole_number("concurrency", concurrency, 1)
        if workers > 1:
            raise ValueError(f"expected workers or concurrency, got {workers} and {concurrency}")
    executor: Executor = InProcess(concurrency, forfeit) if workers == 1 else Processes(workers)
    yield from executor.play(matches, journal or CallJournal())


def _play_in_threads(
    matches: Iterable[Match], concurrency: int, journal: CallJournal, forfeit: bool
) -> Iterator[GameRecord]:
    schedule = iter(matches)
    turn = threading.Lock()
    ended: queue.Queue[GameRecord | BaseException | None] = queue.Queue()

    def play_on() -> None:
        try:
            while True:
                journal.pause(0)
                with turn:
                    match = next(schedule, None)
                if match is None:
                    break
                ended.put(match.play(journal, forfeit))
        except BaseException as error:
            journal.stop("a game of the run has failed")
            ended.put(error)
        ended.put(None)

    threads = [threading.Thread(target=play_on, daemon=True) for _ in range(concurrency)]
    for thread in threads:
        thread.start()
    errors: list[BaseException] = []
    playing = concurrency
    try:
        while playing:
            made = ended.get()
            playing -= made is None
            if isinstance(made, BaseException):
                errors.append(made)
            elif made is not None:
                yield made
    finally:
        if playing:  # Ctrl-C
            journal.stop("the run was broken off")
            deadline = time.monotonic() + GRACE
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
    if errors:
        raise min(errors, key=lambda error: isinstance(error, RunStopped))


def _play_task(task: list[Match]) -> list[GameRecord]:
    return [match.play() for match in task]


def _end_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
