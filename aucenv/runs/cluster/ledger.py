"""The limits on model calls over a whole cluster, and the way of finished calls to the run: an actor."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict

from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.cost_limit import CostLimit, LimitState, ModelKey, Reservation, Usage

Stop = tuple[str, str]
"""The arguments of a RunStopped."""
Event = tuple[str, Call | str]
"""("call", a finished call) or ("waits", the reason why a call waits)."""
GIVEN_UP: Stop = ("this node was given up because it did not answer", "")


class Ledger:
    """The calls of all nodes.

    A node that is given up has no further calls, and what it had reserved is free again.
    """

    async def open(self, limit: LimitState, secrets: dict[str, str]) -> None:
        """Start, with the state of the cost limit, and environment variables with keys, which only nodes get."""
        self._limit = CostLimit.from_state(limit, self._set_stop)
        self._secrets = secrets
        self._stop: Stop | None = None
        self._stopped = asyncio.Event()
        self._reserved: defaultdict[str, dict[int, Reservation]] = defaultdict(dict)
        self._num_reserved = 0
        self._freed = asyncio.Condition()
        self._slots: dict[tuple[str, int], asyncio.Semaphore] = {}
        self._held: defaultdict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
        self._hosts: set[str] = set()
        self._events: list[Event] = []
        self._happened = asyncio.Event()
        self._unwritten: dict[int, asyncio.Future[None]] = {}
        self._num_calls = 0

    async def admit(self, host: str) -> dict[str, str]:
        """Let a host call models, and return the environment variables."""
        self._hosts.add(host)
        return self._secrets

    async def give_up(self, host: str) -> None:
        """Refuse further calls of a host, and free what it has reserved."""
        self._hosts.discard(host)
        for slots, number in self._held.pop(host, Counter()).items():
            for _ in range(number):
                self._slots[slots].release()
        for reservation in self._reserved.pop(host, {}).values():
            self._limit.release(reservation)
        async with self._freed:
            self._freed.notify_all()

    async def stop(self, why: str, way_out: str = "") -> None:
        """Stop the run: no further call starts."""
        self._set_stop(why, way_out)
        async with self._freed:
            self._freed.notify_all()

    async def watch(self) -> Stop:
        """Wait until the run is stopped, and return why."""
        await self._stopped.wait()
        assert self._stop is not None
        return self._stop

    async def reserve(self, host: str, model: ModelKey, bound: float | None) -> int | Stop:
        """Reserve the highest cost of a call, as in `CostLimit.reserved`; return a number with which to release it."""
        async with self._freed:
            while (stop := self._why_stopped(host)) is None:
                reservation = self._limit.try_to_reserve(model, bound)
                if reservation is not None:
                    self._num_reserved += 1
                    self._reserved[host][self._num_reserved] = reservation
                    return self._num_reserved
                if self._stop is None:
                    await self._freed.wait()
        return stop

    async def release(self, host: str, number: int) -> None:
        """End a reservation."""
        reservation = self._reserved[host].pop(number, None)
        if reservation is not None:
            self._limit.release(reservation)
            async with self._freed:
                self._freed.notify_all()

    async def enter(self, host: str, url: str, most: int) -> Stop | None:
        """Wait until fewer than `most` calls to an endpoint are in flight, and count one more."""
        slots = self._slots.setdefault((url, most), asyncio.Semaphore(most))
        await slots.acquire()
        stop = self._why_stopped(host)
        if stop is None:
            self._held[host][url, most] += 1
        else:
            slots.release()
        return stop

    async def leave(self, host: str, url: str, most: int) -> None:
        """Count one call less."""
        if self._held[host][url, most] > 0:
            self._held[host][url, most] -= 1
            self._slots[url, most].release()

    async def keep(self, host: str, call: Call, usage: Usage) -> Stop | None:
        """Pass a finished call on to the run, and wait until it is written."""
        if host not in self._hosts:
            return GIVEN_UP
        self._limit.add(usage)
        self._num_calls += 1
        written = self._unwritten[self._num_calls] = asyncio.get_running_loop().create_future()
        self._note(("call", call))
        await written
        return None

    async def waits(self, why: str) -> None:
        """Let the run show for what a call waits."""
        self._note(("waits", why))

    async def take(self, seconds: float) -> list[Event]:
        """Return what has happened since the last time; wait at most some seconds for it."""
        try:
            await asyncio.wait_for(self._happened.wait(), seconds)
        except TimeoutError:
            return []
        events, self._events = self._events, []
        self._happened.clear()
        return events

    async def written(self, number: int) -> None:
        """Let the calls up to this number, counted from 1, be used, because they are written."""
        for each in [each for each in self._unwritten if each <= number]:
            self._unwritten.pop(each).set_result(None)

    def _note(self, event: Event) -> None:
        self._events.append(event)
        self._happened.set()

    def _set_stop(self, why: str, way_out: str) -> None:
        self._stop = self._stop or (why, way_out)
        self._stopped.set()

    def _why_stopped(self, host: str) -> Stop | None:
        return self._stop or (None if host in self._hosts else GIVEN_UP)
