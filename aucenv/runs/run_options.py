"""How a run's games are played."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from aucenv.core.checks import number, whole_number
from aucenv.policy.registry import make_policy
from aucenv.runs.calls import CONCURRENCY
from aucenv.runs.executors import Executor, InProcess, Processes
from aucenv.runs.journal import CallJournal
from aucenv.runs.play import Match
from aucenv.runs.token_prices import TokenPrices


@dataclasses.dataclass(frozen=True)
class RunOptions:
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
    prices: TokenPrices | None = None
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
        prices = self.prices or TokenPrices()
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

    def executor(self, matches: Sequence[Match]) -> Executor:
        """What plays these games: threads where a bidder waits, else processes, if there are to be several.

        Raises:
            ValueError: as `check`.
        """
        at_once = self.check(matches)
        if at_once is None and self.workers > 1:
            return Processes(self.workers)
        return InProcess(at_once, self.forfeit)
