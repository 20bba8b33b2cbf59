"""The calls of a run, kept as they finish, and not made again where it goes on: a results folder's `calls.jsonl`."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aucenv.core.checks import build
from aucenv.core.files import parse_object, read_lines
from aucenv.core.policy import ModelFailure
from aucenv.runs.calls import Call, Completion, Message, Model, Request
from aucenv.runs.token_prices import TokenPrices


class RunStopped(Exception):
    """The run ends here, on purpose: what has been asked and played is kept."""


class CallJournal:
    """The calls of a run, as they finish; a run that goes on finds there what it need not ask again.

    Args:
        path: of the file to keep them in, and to go on from; None: they are kept in memory only.
        prices: what tokens cost; of calls in the file, too.
        max_cost: dollars after which nothing more is asked.

    Attributes:
        calls: all of them, in the order in which they finished.
        on_call: called after each, and when one is waited for.

    Raises:
        ValueError: a line of the file is no call.
    """

    def __init__(
        self, path: Path | None = None, prices: TokenPrices | None = None, max_cost: float | None = None
    ) -> None:
        self.prices = prices or TokenPrices()
        self.calls: list[Call] = []
        self.on_call: Callable[[], None] = lambda: None
        self._max_cost = max_cost
        self._path = path
        self._file: Any = None
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._why = ""
        self._waiting = ""
        self._closed = False
        self._unknown = 0
        self._known: dict[tuple, Call] = {}
        self._last: dict[tuple[int, str], tuple[Message, ...]] = {}
        self._failed: dict[tuple, ModelFailure] = {}
        self.spent = 0.0
        if path is not None and path.exists():
            for where, line in read_lines(path):
                if line.endswith("\n"):  # or else it is being written
                    call = build(Call, parse_object(line, where), where)
                    self._learn(dataclasses.replace(call, cost=self._cost(call)))

    def at(self, game: int, seat: str) -> SeatCalls:
        """The calls of one seat in one game."""
        return SeatCalls(self, game, seat)

    @property
    def file(self) -> Path | None:
        """Where the calls are kept; None: in memory only."""
        return self._path

    def stop(self, why: str) -> None:
        """End the run: whoever waits or asks from now on gets RunStopped."""
        self._why = self._why or why
        self._waiting = f"ending: {self._why}"
        self._ended.set()

    def pause(self, seconds: float, why: str = "") -> None:
        """Wait, and let `str` tell why; raises RunStopped as soon as the run has ended."""
        if why:
            self._waiting = why
            self.on_call()
        if self._ended.wait(seconds):
            raise RunStopped(self._why)

    def find(self, key: tuple, request: str) -> Call | None:
        """The call of that key, if it asked the same."""
        call = self._known.get(key)
        return call if call is not None and call.request == request else None

    def check(self, model: Model, request: Request) -> None:
        """Nothing, if the model may be asked.

        Raises:
            RunStopped: the run has ended, or has spent what it may.
            ModelFailure: it has failed before, asked in the same manner.
        """
        self.pause(0)
        failure = self._failed.get((model, request.manner))
        if failure is not None:
            raise failure
        if self._max_cost is None:
            return
        if self._unknown:
            self.stop(f"cost unknown: {model.endpoint} does not say how many tokens calls take, so no limit can hold")
        elif self.spent >= self._max_cost:
            self.stop(f"spent ${self.spent:.4f} of at most ${self._max_cost:g}")
        self.pause(0)

    def fail(self, model: Model, request: Request, failure: ModelFailure) -> None:
        """Do not ask this model in this manner any more in this run."""
        self._failed[model, request.manner] = failure

    def keep(self, key: tuple, model: Model, digest: str, asked: Request, completion: Completion) -> Call:
        """Note a finished call; it is in the file before its reply is used."""
        game, seat, decision, attempt, purpose = key
        with self._lock:
            before = self._last.get((game, seat), ())
            same = 0
            for old, new in zip(before, asked.messages, strict=False):
                if old != new:
                    break
                same += 1
            answer = dataclasses.asdict(completion)
            text = answer.pop("text")
            answer |= {"retries": list(completion.retries)}
            answer |= {name: round(answer[name], 4) for name in ("seconds", "waited")}
            call = Call(
                game, seat, decision, attempt, purpose, model.endpoint, model.name, digest, same,
                list(asked.messages[same:]), text, cost=None, **answer,
            )  # fmt: skip
            call = dataclasses.replace(call, cost=self._cost(call))
            self._write(call)
            self._learn(call)
        self.on_call()
        return call

    def _cost(self, call: Call) -> float | None:
        cost = self.prices.cost(call.endpoint, call.model, call.tokens_in, call.tokens_out)
        return None if cost is None else round(cost, 9)

    def _write(self, call: Call) -> None:
        if self._path is None:
            return
        if self._closed:
            raise RunStopped(self._why)
        if self._file is None:
            self._file = self._path.open("a", encoding="utf-8")
        data = {part.name: getattr(call, part.name) for part in dataclasses.fields(call)}
        self._file.write(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()

    def _learn(self, call: Call) -> None:
        seat = (call.game, call.seat)
        self._known[call.key] = call
        self._last[seat] = (*self._last.get(seat, ())[: call.same], *call.messages)
        self.calls.append(call)
        self.spent += call.cost or 0.0
        self._unknown += call.cost is None
        self._waiting = ""

    def close(self) -> None:
        """End the run and let go of the file."""
        self.stop("the run has ended")
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._closed = True

    def __str__(self) -> str:
        """How many calls, what they cost, and what is waited for."""
        cost = "cost unknown" if self._unknown else f"${self.spent:.4f}"
        asked = [f"{len(self.calls)} calls, {cost}"] if self.calls else []
        return "; ".join([*asked, self._waiting] if self._waiting else asked)


@dataclasses.dataclass(frozen=True)
class SeatCalls:
    """The calls of one seat in one game.

    Attributes:
        prefix: of every purpose: tells the calls of a bidder that another one asks from that one's.
    """

    journal: CallJournal
    game: int
    seat: str
    prefix: str = ""

    @property
    def place(self) -> str | None:
        """What tells the seat from all others of runs that go on; None where the run cannot."""
        file = self.journal.file
        return None if file is None else f"{file.resolve()}, game {self.game}, {self.seat}"

    def ask(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call:
        """Ask a model; a call that the journal has is not made again.

        Raises:
            ModelFailure: it cannot be asked.
            RunStopped: the run has ended, or has spent what it may.
        """
        key = (self.game, self.seat, decision, attempt, self.prefix + purpose)
        digest = request.digest(model.name)
        call = self.journal.find(key, digest)
        if call is not None:
            return call
        self.journal.check(model, request)
        try:
            completion = model.complete(request, self.journal.pause)
        except ModelFailure as failure:
            self.journal.fail(model, request, failure)
            raise
        return self.journal.keep(key, model, digest, request, completion)


def conversations(calls: Iterable[Call]) -> Iterable[tuple[Call, Sequence[Message]]]:
    """Each call of a game with all of its messages."""
    last: dict[tuple[int, str], tuple[Message, ...]] = {}
    for call in calls:
        seat = (call.game, call.seat)
        last[seat] = (*last.get(seat, ())[: call.same], *call.messages)
        yield call, last[seat]


def read_calls(path: str | Path) -> list[Call]:
    """The calls of a results folder, or of the one that a `games.jsonl` lies in; none where no model was asked.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is no call; names file and line.
    """
    path = Path(path)
    return CallJournal(path / "calls.jsonl" if path.is_dir() else path.with_name("calls.jsonl")).calls
