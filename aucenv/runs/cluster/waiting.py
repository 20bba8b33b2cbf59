"""Play games whose bidders wait for models on the nodes of a cluster: many in each process."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import time
from collections import Counter, deque
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from aucenv.runs.cluster.computing import RETRIES, TICK, Send
from aucenv.runs.cluster.job import ClusterFailure, Outcome, WaitingGames
from aucenv.runs.cluster.ledger import Event, Ledger
from aucenv.runs.cluster.nodes import Nodes, failure_of, on
from aucenv.runs.cluster.worker import GameHost
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import RunStopped
from aucenv.runs.play import Match

GAMES_PER_HOST = 8
"""Number of games that share a process, if there are enough processors; a lost process interrupts them all."""
MOST_THREADS = 512
"""The maximum number of games that share a process."""
PATIENCE = 15.0
"""Seconds after which games no longer wait for processes that have not started."""
MOST_CALLS = 100_000
"""The maximum number of requests to the ledger at a time."""


@dataclasses.dataclass
class _Host:
    """A process that plays games.

    Attributes:
        name: its name in the ledger.
        actor: the process.
        ready: the reference of its preparation; None when it is ready.
        games: its games, by the references of their outcomes.
    """

    name: str
    actor: Any
    ready: Any
    games: dict[Any, Match] = dataclasses.field(default_factory=dict)


class WaitingRun:
    """A run of waiting games.

    Args:
        job: the games.
        send: sends ("results", number of the match, results), ("call", call), ("waits", why) and ("nodes", text).
    """

    def __init__(self, job: WaitingGames, send: Send) -> None:
        self._job, self._send = job, send
        self._errors: list[Exception] = []
        self._is_ending = False
        self._nodes = Nodes()
        self._box = (job.setup.run, ray.put(pickle.dumps(job.setup)))
        self._nodes.prepare(self._box, job.setup, lambda text: send("nodes", text))
        self._models = dataclasses.replace(job.models, secrets={}, calls={})  # Ray may store arguments
        actor: Any = ray.remote(Ledger).options(
            num_cpus=0, max_concurrency=MOST_CALLS, scheduling_strategy=on(self._nodes.head)
        )
        self.ledger = actor.remote()
        ray.get(self.ledger.open.remote(job.models.limit, job.models.secrets))
        self._left = deque(range(len(job.matches)))
        self._numbers = {id(match): number for number, match in enumerate(job.matches)}
        self._losses: Counter[int] = Counter()
        self._calls: dict[int, list[Call]] = {index: list(calls) for index, calls in job.models.calls.items()}
        self._hosts: list[_Host] = []
        self._names = itertools.count(1)
        self._started = time.monotonic()
        self._has_begun = False
        self._events: Any = None

    def run(self) -> None:
        """Play all games.

        Raises:
            NodesDiffer: a node has another version of aucenv or Python.
            ClusterFailure: a game was interrupted too often.
            PolicyError, RunStopped: as in `aucenv.play`.
        """
        try:
            while True:
                self._nodes.refresh()
                self._send("nodes", str(self._nodes) if self._has_begun else f"starting on {self._nodes}")
                if not self._is_ending:
                    self._start_hosts()
                    self._start_games()
                if (self._is_ending or not self._left) and not any(host.games for host in self._hosts):
                    break
                self._wait()
        finally:
            for host in self._hosts:
                ray.kill(host.actor)
            ray.kill(self.ledger)
        if self._errors:
            raise min(self._errors, key=lambda error: isinstance(error, RunStopped))

    def stop(self, why: str, way_out: str = "") -> None:
        """Start no further game or call; the calls in flight are still finished and recorded."""
        self._is_ending = True
        self.ledger.stop.remote(why, way_out)

    def _start_hosts(self) -> None:
        unfinished = len(self._left) + sum(len(host.games) for host in self._hosts)
        games = min(self._job.concurrency, unfinished)
        number = max(1, min(self._nodes.processors, -(-games // GAMES_PER_HOST)))
        while len(self._hosts) < number:
            name = f"host {next(self._names)}"
            threads = min(self._job.concurrency, MOST_THREADS) + 1
            kind: Any = ray.remote(GameHost)
            actor = kind.options(
                num_cpus=1, max_restarts=0, max_concurrency=threads, scheduling_strategy="SPREAD"
            ).remote(name, self.ledger, self._models, self._job.forfeit)
            self._hosts.append(_Host(name, actor, actor.prepare.remote(self._box)))
            self._started = time.monotonic()

    def _start_games(self) -> None:
        ready = [host for host in self._hosts if host.ready is None]
        is_late = time.monotonic() - self._started > PATIENCE
        if not (is_late or self._has_begun or len(ready) == len(self._hosts)):
            return
        self._has_begun = self._has_begun or bool(ready)
        expected = len(ready) if is_late else len(self._hosts)
        share = min(MOST_THREADS, -(-self._job.concurrency // max(1, expected)))
        free = self._job.concurrency - sum(len(host.games) for host in self._hosts)
        while self._left and free > 0 and ready:
            host = min(ready, key=lambda host: len(host.games))
            if len(host.games) >= share:
                return
            match = self._job.matches[self._left.popleft()]
            host.games[host.actor.play.remote(pickle.dumps((match, self._calls.get(match.index, []))))] = match
            free -= 1

    def _wait(self) -> None:
        if self._events is None:
            self._events = self.ledger.take.remote(60.0)
        references = [self._events, *(host.ready for host in self._hosts if host.ready is not None)]
        references += [reference for host in self._hosts for reference in host.games]
        finished = set(ray.wait(references, num_returns=1, timeout=TICK)[0])
        if finished:
            finished |= set(ray.wait(references, num_returns=len(references), timeout=0)[0])
        if self._events in finished:
            events = self._events
            self._events = self.ledger.take.remote(60.0)
            for event in ray.get(events):
                self._pass_on(event)
        for host in list(self._hosts):
            self._collect(host, finished)

    def _pass_on(self, event: Event) -> None:
        name, value = event
        if isinstance(value, Call):
            self._calls.setdefault(value.game, []).append(value)
        self._send(name, value)

    def _collect(self, host: _Host, finished: set[Any]) -> None:
        try:
            if host.ready in finished:
                ray.get(host.ready)
                host.ready = None
            for reference in [reference for reference in host.games if reference in finished]:
                outcome: Outcome = ray.get(reference)
                match = host.games.pop(reference)
                self._calls.pop(match.index, None)
                self._send("results", self._numbers[id(match)], outcome.results)
                if outcome.error is not None:
                    outcome.error.__cause__ = outcome.cause
                    self._errors.append(outcome.error)
                    self.stop("a game of the run has failed")
        except RayTaskError as error:
            raise failure_of(error) from None
        except RayError as error:
            self._give_up(host, error)

    def _give_up(self, host: _Host, error: RayError) -> None:
        """Play the games of a lost process again."""
        self._hosts.remove(host)
        self.ledger.give_up.remote(host.name)
        ray.kill(host.actor)
        for match in host.games.values():
            self._losses[match.index] += 1
            if self._losses[match.index] > RETRIES:
                why = str(error).strip().splitlines()[0]
                raise ClusterFailure(f"game {match.index} was interrupted {RETRIES + 1} times; the last time: {why}")
        self._left.extendleft(self._numbers[id(match)] for match in host.games.values())
