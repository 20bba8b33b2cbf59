"""Play many games: in processes for rule bidders, in threads for bidders that wait for models."""

from __future__ import annotations

import dataclasses
import multiprocessing
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import ClassVar, Protocol

from aucenv.core.checks import whole_number
from aucenv.core.records.record import GameRecord
from aucenv.registration import registered_games, restore_games
from aucenv.runs.child_processes import GRACE, end_with_parent
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.play import Match

GAMES_PER_TASK = 8
"""Number of games that a worker plays before it returns them. A larger number costs less communication, a smaller one
loses fewer games if the worker is killed."""


class Executor(Protocol):
    """Something that plays games, for example in this process, in worker processes or on a cluster.

    Attributes:
        compiles_here: whether the kernels of games have to be compiled on this machine.
        status: where the games are played, for the progress of a run; "" if that is here.
    """

    @property
    def compiles_here(self) -> bool: ...
    @property
    def status(self) -> str: ...

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games and yield each record as soon as its game is over, in any order.

        Raises:
            PolicyError, RunStopped: as in `play`; the records of finished games are yielded before.
        """
        ...


@dataclasses.dataclass(frozen=True)
class InProcess:
    """An executor that plays in this process.

    Attributes:
        concurrency: number of games played at the same time, one in each thread, for bidders that wait for models;
            None plays one after another without threads.
        forfeit: as in `play`.
    """

    concurrency: int | None = None
    forfeit: bool = False
    compiles_here: ClassVar[bool] = True
    status: ClassVar[str] = ""

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games as in `Executor.play`."""
        if self.concurrency is None:
            return (match.play(journal, self.forfeit) for match in matches)
        return _play_in_threads(matches, self.concurrency, journal, self.forfeit)


@dataclasses.dataclass(frozen=True)
class Processes:
    """An executor that plays in worker processes, without model calls.

    The workers end when this process does, even if it is killed.

    Attributes:
        workers: number of processes.
    """

    workers: int
    compiles_here: ClassVar[bool] = True
    status: ClassVar[str] = ""

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games as in `Executor.play`."""
        schedule = iter(matches)
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_start_worker, initargs=(registered_games(),)
        )
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
        except BrokenProcessPool:
            raise RunStopped("a worker process was killed, as happens without enough memory") from None
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
    """Play games in one or several processes, and yield each record as soon as its game is over.

    The games do not depend on `workers` and `concurrency`, but the order of the records does. Workers end when this
    process does, even if it is killed. They import the main module, so a script needs `if __name__ == "__main__":`.

    Args:
        matches: the games to play.
        workers: number of processes, for bidders that call no model.
        concurrency: number of games played at the same time, one in each thread, for bidders that wait for models;
            None plays without threads.
        journal, forfeit: as in `play`, for all games of this process.

    Raises:
        ValueError: `workers` or `concurrency` is not a whole number of at least 1, or `workers` exceeds 1 and
            `concurrency` is given.
        PolicyError, RunStopped: as in `play`. With `concurrency`, the records of the games that all threads have
            finished are yielded before the error is raised.

    Example:
        >>> import aucenv
        >>> lineup = ("rule", "pace", "drain")
        >>> games = [aucenv.Match("english", "standard-10k-random", lineup, (0, i), i) for i in range(3)]
        >>> [record.index for record in aucenv.play_many(games)]
        [0, 1, 2]
    """
    whole_number("workers", workers, 1)
    if concurrency is not None:
        whole_number("concurrency", concurrency, 1)
        if workers > 1:
            raise ValueError(
                f"workers: expected 1 because concurrency is given, got {workers} and concurrency {concurrency}"
            )
    executor: Executor = InProcess(concurrency, forfeit) if workers == 1 else Processes(workers)
    yield from executor.play(matches, journal or CallJournal())


def _play_in_threads(
    matches: Iterable[Match], concurrency: int, journal: CallJournal, forfeit: bool
) -> Iterator[GameRecord]:
    schedule = iter(matches)
    schedule_lock = threading.Lock()
    results: queue.Queue[GameRecord | BaseException | None] = queue.Queue()  # None: a thread is done

    def play_games() -> None:
        try:
            while True:
                journal.pause(0)
                with schedule_lock:
                    match = next(schedule, None)
                if match is None:
                    break
                results.put(match.play(journal, forfeit))
        except BaseException as error:
            journal.stop("a game of the run has failed")
            results.put(error)
        results.put(None)

    threads = [threading.Thread(target=play_games, daemon=True) for _ in range(concurrency)]
    for thread in threads:
        thread.start()
    errors: list[BaseException] = []
    running = concurrency
    try:
        while running:
            result = results.get()
            running -= result is None
            if isinstance(result, BaseException):
                errors.append(result)
            elif result is not None:
                yield result
    finally:
        if running:  # Ctrl-C
            journal.stop("the run was interrupted")
            deadline = time.monotonic() + GRACE
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
    if errors:
        raise min(errors, key=lambda error: isinstance(error, RunStopped))


def _start_worker(games: list[tuple[str, str]]) -> None:
    end_with_parent()
    restore_games(games)


def _play_task(task: list[Match]) -> list[GameRecord]:
    return [match.play() for match in task]
