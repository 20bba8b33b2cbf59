"""The journal of one game on a node: its earlier calls, and the way of new ones to the run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from aucenv.core.files import JsonMapping
from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Call, Model, Request
from aucenv.runs.model_calls.cost_limit import Usage, request_bound
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.model_calls.token_prices import TokenPrices

Ask = Callable[..., Any]
"""Calls a method of the `Ledger` for this node and returns its result: ask("enter", url, most)."""
Notify = Callable[..., None]
"""The same without waiting for a result."""


class RemoteJournal(CallJournal):
    """A journal whose calls are written by the run, on another machine.

    Args:
        ask, notify: the way to the `Ledger`.
        prices: token prices.
        is_limited: whether there is a cost limit.
        file: the file in which the run keeps its calls, if any.
        calls: the earlier calls of the game.
        failures: the models that have failed on this node.
    """

    def __init__(
        self,
        ask: Ask,
        notify: Notify,
        prices: TokenPrices,
        is_limited: bool,
        file: Path | None,
        calls: Iterable[Call],
        failures: dict[tuple, ModelFailure],
    ) -> None:
        super().__init__(None, prices)
        self._ask, self._notify, self._is_limited, self._run_file = ask, notify, is_limited, file
        self._failures = failures
        for call in calls:
            self._add(call, call.settings or None)

    @property
    def file(self) -> Path | None:
        return self._run_file

    def show(self, status: str) -> None:
        """Let the run show for what a call waits."""
        self._notify("waits", status)

    def reserved(self, model: Model, request: Request) -> AbstractContextManager[None]:
        """Return the context in which a model may be called, as in `CallJournal.reserved`."""
        return self._reserved(model, request)

    @contextlib.contextmanager
    def _reserved(self, model: Model, request: Request) -> Iterator[None]:
        with super().reserved(model, request):  # without a limit, but it checks what else may be wrong
            if not self._is_limited:
                yield
                return
            bound = request_bound(model, request, self.prices)
            number = self._ask("reserve", (model.endpoint, model.name), bound)
            if not isinstance(number, int):
                raise RunStopped(*number)
            try:
                yield
            finally:
                self._notify("release", number)

    def _save(self, call: Call, settings: JsonMapping | None) -> None:
        with self._lock:
            known = self._last_messages.get((call.game, call.seat), ())[: call.same]
            usage = Usage.of(call, (*known, *call.messages), settings, self.prices)
        stopped = self._ask("keep", call, usage)
        if stopped is not None:
            raise RunStopped(*stopped)
        with self._lock:
            self._add(call, settings)


class RemoteSlots:
    """The limit on simultaneous calls of an endpoint, over all nodes."""

    def __init__(self, ask: Ask, notify: Notify, url: str, most: int) -> None:
        self._ask, self._notify, self._limit = ask, notify, (url, most)

    def __enter__(self) -> None:
        stopped = self._ask("enter", *self._limit)
        if stopped is not None:
            raise RunStopped(*stopped)

    def __exit__(self, *_: object) -> None:
        self._notify("leave", *self._limit)


class OpenJournals:
    """The journals of the games that a node plays now, which all stop together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: set[RemoteJournal] = set()
        self._stop: tuple[str, str] | None = None

    @contextlib.contextmanager
    def opened(self, journal: RemoteJournal) -> Iterator[RemoteJournal]:
        """Let a journal be stopped in this context."""
        with self._lock:
            self._open.add(journal)
        if self._stop is not None:
            journal.stop(*self._stop)
        try:
            yield journal
        finally:
            with self._lock:
                self._open.discard(journal)

    def stop(self, why: str, way_out: str) -> None:
        """Stop all."""
        self._stop = why, way_out
        with self._lock:
            journals = list(self._open)
        for journal in journals:
            journal.stop(why, way_out)
