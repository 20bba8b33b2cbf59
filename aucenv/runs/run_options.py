"""Options for how the games of a run are played."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aucenv.core.checks import number, whole_number
from aucenv.core.policy import Policy
from aucenv.runs.executors import Executor, InProcess, Processes
from aucenv.runs.model_calls.calls import CONCURRENCY
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import Match

if TYPE_CHECKING:
    from aucenv.runs.cluster.executor import Cluster


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """Options for how the games of a run are played; they do not change the games themselves.

    Attributes:
        workers: number of processes, for bidders that call no model.
        concurrency: number of games played at the same time, for bidders that wait for models; None is CONCURRENCY.
        forfeit: whether a bidder whose model cannot be called withdraws for the rest of the game; else the run stops.
        prices: token prices; None is the built-in list.
        max_cost: the run stops before its calls cost more dollars than this; None is no limit.
        cluster: address of a Ray cluster on whose nodes the games are played, "auto" or HOST:PORT; None plays on this
            machine.
        on_journal: called with the journal of the run's calls when it is opened.
    """

    workers: int = 1
    concurrency: int | None = None
    forfeit: bool = False
    prices: TokenPrices | None = None
    max_cost: float | None = None
    cluster: str | None = None
    on_journal: Callable[[CallJournal], None] = lambda journal: None

    def journal(self, path: Path | None = None) -> CallJournal:
        """Open a journal of model calls in a file, or in memory."""
        journal = CallJournal(path, self.prices, self.max_cost)
        self.on_journal(journal)
        return journal

    def fitting(self, matches: Sequence[Match]) -> RunOptions:
        """Return these options, with one process if a bidder of these games waits for a model."""
        waits = any(getattr(policy, "waits", False) for policy in policies_of(matches))
        return dataclasses.replace(self, workers=1) if waits else self

    def check(self, matches: Sequence[Match]) -> int | None:
        """Return how many of these games may be played at the same time, in threads; None if no bidder waits.

        Raises:
            ValueError: a number is out of range; there are several workers, but bidders wait for models; games would
                be concurrent, but a bidder learns from game to game; or there is a cost limit, but no price of a model.
        """
        whole_number("workers", self.workers, 1)
        if self.concurrency is not None:
            whole_number("concurrency", self.concurrency, 1)
        if self.cluster is not None:
            check_address(self.cluster)
            if self.workers > 1:
                raise ValueError(f"workers: expected 1 because a cluster is given, got {self.workers}")
        if self.max_cost is not None:
            number("max_cost", self.max_cost, 0, 1e9)
        waiting = [policy for policy in policies_of(matches) if getattr(policy, "waits", False)]
        if waiting and self.workers > 1:
            raise ValueError(
                f"workers: expected 1 because bidders wait for models, got {self.workers}; see concurrency"
            )
        prices = self.prices or TokenPrices()
        for model in (model for policy in waiting for model in getattr(policy, "models", ())):
            if self.max_cost is not None and not prices.of(model.endpoint, model.name):
                raise ValueError(
                    f"max_cost: expected a price of {model.name} at {model.endpoint}: give it with --prices"
                )
        if not waiting:
            return None
        reasons = {
            "in_order": "a bidder keeps a memory from game to game",
            "one_at_a_time": "a person plays one game at a time",
        }
        for attribute, reason in reasons.items():
            if any(getattr(policy, attribute, False) for policy in waiting):
                if self.cluster is not None:
                    raise ValueError(f"cluster: expected none because {reason}, got {self.cluster!r}")
                if self.concurrency not in (None, 1):
                    raise ValueError(f"concurrency: expected 1 because {reason}, got {self.concurrency}")
                return 1
        return CONCURRENCY if self.concurrency is None else self.concurrency

    @staticmethod
    def check_shards(matches: Sequence[Match]) -> None:
        """Check that the games may be played in separate parts.

        Raises:
            ValueError: a bidder learns from game to game.
        """
        if any(getattr(policy, "in_order", False) for policy in policies_of(matches)):
            raise ValueError("shard: expected no shards, because a bidder keeps a memory from game to game")

    def executor(self, matches: Sequence[Match]) -> Executor:
        """Return the executor for these games: a cluster, threads if a bidder waits, or `workers` processes.

        Raises:
            ValueError: as in `check`.
        """
        concurrency = self.check(matches)
        if self.cluster is not None:
            from aucenv.runs.cluster.executor import Cluster

            return Cluster(self.cluster, concurrency, self.forfeit, policies_of(matches))
        if concurrency is None and self.workers > 1:
            return Processes(self.workers)
        return InProcess(concurrency, self.forfeit)


def check_address(address: str) -> None:
    """Raise unless a text may be the address of a cluster.

    Raises:
        ValueError: it is not.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address != "auto" and not (host and colon and port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"cluster: expected auto, HOST:PORT or ray://HOST:PORT, got {address!r}")


def cluster_at(address: str | None) -> Cluster | None:
    """Return the cluster at an address; None if there is no address.

    Raises:
        ValueError: the text is no address of a cluster.
    """
    if address is None:
        return None
    check_address(address)
    from aucenv.runs.cluster.executor import Cluster

    return Cluster(address)


def policies_of(matches: Sequence[Match]) -> list[Policy]:
    """Return one policy for each name of a bidder in these games, and all bidders that are given as policies."""
    seated = [(match.guests, match.game, bidder) for match in matches for bidder in match.bidders]
    names = {(guests, game, name) for guests, game, name in seated if isinstance(name, str)}
    named = [guests.policy(game, name) for guests, game, name in names]
    return named + [policy for _, _, policy in seated if not isinstance(policy, str)]
