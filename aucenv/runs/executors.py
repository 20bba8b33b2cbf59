"""Play many games: rule bidders in processes, bidders that wait for models in threads."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing.connection import wait as wait_for
from pathlib import Path

from aucenv.core.checks import number, whole_number
from aucenv.core.record import GameRecord
from aucenv.policy.registry import make_policy
from aucenv.runs.calls import CONCURRENCY
from aucenv.runs.journal import CallJournal, RunStopped
from aucenv.runs.play import Match
from aucenv.runs.prices import Prices

GAMES_PER_TASK = 8
"""Games that a worker plays before it reports: few enough to lose little, enough to make messages cheap."""
GRACE = 5.0
"""Seconds in which calls that are under way may still end when a run is broken off."""


@dataclasses.dataclass(frozen=True)
class Conduct:
    """How a run's games are played; it changes nothing about what is played.

    Attributes:
        workers: processes, for bidders that think themselves.
        concurrency: games in flight, for bidders that wait for models; None: CONCURRENCY of them.
        forfeit: a bidder whose model cannot be asked withdraws from there on, instead of ending the run.
        prices: of models' tokens; None: the built-in list.
        max_cost: dollars after which no model is asked any more; None: no limit.
    """

    workers: int = 1
    concurrency: int | None = None
    forfeit: bool = False
    prices: Prices | None = None
    max_cost: float | None = None

    def journal(self, path: Path | None = None) -> CallJournal:
        """A journal in a file, or in memory."""
        return CallJournal(path, self.prices, self.max_cost)

    def check(self, matches: Sequence[Match]) -> int | None:
        """How many of these games may be in flight at once, in threads; None where no bidder waits.

        Raises:
            ValueError: a number out of range, or workers for bidders that wait, or several games at once for those
                that learn from one for the next, or a limit of cost without a price.
        """
        whole_number("workers", self.workers, 1)
        if self.concurrency is not None:
            whole_number("concurrency", self.concurrency, 1)
        if self.max_cost is not None:
            number("max_cost", self.max_cost, 0, 1e9)
        seated = [(match.game, bidder) for match in matches for bidder in match.bidders]
        names = {(game, name) for game, name in seated if isinstance(name, str)}
        policies = [make_policy(game, name) for game, name in names] + [p for _, p in seated if not isinstance(p, str)]
        waiting = [policy for policy in policies if getattr(policy, "waits", False)]
        if waiting and self.workers > 1:
            raise ValueError(f"workers: expected 1 where bidders wait for models, got {self.workers}; see concurrency")
        prices = self.prices or Prices()
        for model in (model for policy in waiting for model in getattr(policy, "models", ())):
            if self.max_cost is not None and not prices.of(model.endpoint, model.name):
                raise ValueError(f"max_cost: expected a price of {model.name} at {model.endpoint}: name it by --prices")
        if not waiting:
            return None
        if not any(getattr(policy, "in_order", False) for policy in waiting):
            return CONCURRENCY if self.concurrency is None else self.concurrency
        if self.concurrency not in (None, 1):
            raise ValueError(
                f"concurrency: expected 1 where a bidder carries a memory from game to game, got {self.concurrency}"
            )
        return 1

    def play(self, matches: Sequence[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games as `play_many` does: in threads where a bidder waits, else in processes."""
        at_once = self.check(matches)
        if at_once is None:
            return play_many(matches, self.workers)
        return play_many(matches, concurrency=at_once, journal=journal, forfeit=self.forfeit)


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
        yield from _play_in_threads(matches, concurrency, journal or CallJournal(), forfeit)
    elif workers == 1:
        yield from (match.play(journal, forfeit) for match in matches)
    else:
        yield from _play_in_processes(matches, workers)


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


def _play_in_processes(matches: Iterable[Match], workers: int) -> Iterator[GameRecord]:
    schedule = iter(matches)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
    try:
        running: set[Future[list[GameRecord]]] = set()
        while True:
            while len(running) < 2 * workers and (task := list(islice(schedule, GAMES_PER_TASK))):
                running.add(pool.submit(_play_task, task))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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
