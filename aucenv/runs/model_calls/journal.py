"""The journal of a run's model calls, `calls.jsonl` in a results folder; a resumed run does not repeat these calls."""

from __future__ import annotations

import dataclasses
import datetime
import json
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from aucenv.core.files import AppendedFile, JsonMapping, parse_object, read_lines
from aucenv.core.formats.schema import whole
from aucenv.core.policy import ModelFailure
from aucenv.core.words.phrases import count
from aucenv.runs.model_calls.calls import CALL, Call, Completion, Message, Model, Request
from aucenv.runs.model_calls.cost_limit import CostLimit, Usage, request_bound
from aucenv.runs.model_calls.token_prices import TokenPrices, dollars


class RunStopped(Exception):
    """The run was stopped on purpose; its finished calls and games are kept.

    Attributes:
        way_out: how the run has to be resumed, as the end of "to resume"; "" if the same command resumes it.
    """

    def __init__(self, why: str, way_out: str = "") -> None:
        super().__init__(why)
        self.way_out = way_out


class CallJournal:
    """The finished calls of a run; a resumed run uses them instead of calling the models again.

    Args:
        path: the file to read earlier calls from and to append new ones to; None keeps them in memory only.
        prices: token prices, also applied to the calls in the file whose cost is not recorded.
        max_cost: the run stops before its calls cost more dollars than this; None is no limit.

    Attributes:
        calls: all calls, in the order in which they finished.
        on_call: a function that is called after each call, and when a call starts to wait.

    Raises:
        ValueError: a line of the file is not a call.
    """

    def __init__(
        self, path: Path | None = None, prices: TokenPrices | None = None, max_cost: float | None = None
    ) -> None:
        self.prices = prices or TokenPrices()
        self.calls: list[Call] = []
        self._num_answers = 0
        self.on_call: Callable[[], None] = lambda: None
        self._costs = CostLimit(max_cost, self.stop)
        self._path = path
        self._file: AppendedFile | None = None
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._stop_reason = self._way_out = ""
        self._status = ""
        self._closed = False
        self._calls_by_key: dict[tuple, Call] = {}
        self._last_messages: dict[tuple[int, str], tuple[Message, ...]] = {}
        self._failures: dict[tuple, ModelFailure] = {}
        if path is not None and path.exists():
            for where, line in read_lines(path, grows=True):
                if line.endswith("\n"):  # otherwise it is still being written
                    call = Call(**CALL.check(parse_object(line, where), where))
                    known = len(self._last_messages.get((call.game, call.seat), ()))
                    whole(0, known).check(call.same, where, "same")
                    self._add(dataclasses.replace(call, cost=self._cost(call)), call.settings or None)

    def at(self, game: int, seat: str) -> SeatCalls:
        """Return the calls of one seat in one game."""
        return SeatCalls(self, game, seat)

    @property
    def file(self) -> Path | None:
        """The file that holds the calls; None if they are in memory only."""
        return self._path

    @property
    def spent(self) -> float:
        """The known cost of all calls in dollars."""
        return self._costs.spent

    @property
    def limit(self) -> CostLimit:
        """The costs of the calls, and the limit on them."""
        return self._costs

    def show(self, status: str) -> None:
        """Let `str(journal)` show for what the run waits."""
        self._status = status
        self.on_call()

    def stop(self, why: str, way_out: str = "") -> None:
        """Stop the run: every wait and every new call raises RunStopped from now on.

        Args:
            why: the reason; that of the first stop counts.
            way_out: as in `RunStopped`.
        """
        if not self._stop_reason:
            self._stop_reason, self._way_out = why, way_out
        self._status = f"ending: {self._stop_reason}"
        self._stopped.set()
        self._costs.wake()

    def pause(self, seconds: float, why: str = "") -> None:
        """Wait, and let `str(journal)` show the reason.

        Raises:
            RunStopped: as soon as the run is stopped.
        """
        if why:
            self.show(why)
        if self._stopped.wait(seconds):
            raise RunStopped(self._stop_reason, self._way_out)

    def find(self, key: tuple, request: str) -> Call | None:
        """Return the call with that key if its request was the same, else None."""
        call = self._calls_by_key.get(key)
        return call if call is not None and call.request == request else None

    def reserved(self, model: Model, request: Request) -> AbstractContextManager[None]:
        """Return the context in which a model may be called; it waits until the call fits into the cost limit.

        Raises:
            RunStopped: the run is stopped, or the call may exceed the cost limit.
            ModelFailure: the model has failed before with the same sampling options.
        """

        def check() -> None:
            self.pause(0)
            failure = self._failures.get((model, request.sampling))
            if failure is not None:
                raise failure

        bound = request_bound(model, request, self.prices)
        return self._costs.reserved((model.endpoint, model.name), bound, check)

    def fail(self, model: Model, request: Request, failure: ModelFailure) -> None:
        """Fail all later calls of this model with these sampling options in this run."""
        self._failures[model, request.sampling] = failure

    def keep(self, key: tuple, model: Model, digest: str, request: Request, completion: Completion) -> Call:
        """Record a finished call; it is written to the file before its reply is used."""
        game, seat, decision, attempt, purpose = key
        same = 0
        for old, new in zip(self._last_messages.get((game, seat), ()), request.messages, strict=False):
            if old != new:
                break
            same += 1
        fields = dataclasses.asdict(completion)
        text = fields.pop("text")
        fields |= {name: list(fields[name]) for name in ("retries", "left_out")}
        fields |= {name: round(fields[name], 4) for name in ("seconds", "waited")}
        fields["settings"] = request.settings if completion.settings is None else completion.settings
        fields["started"] = _iso_time(completion.started)
        call = Call(
            game, seat, decision, attempt, purpose, model.endpoint, model.name, digest, same,
            list(request.messages[same:]), text, cost=None, **fields,
        )  # fmt: skip
        call = dataclasses.replace(call, cost=self._cost(call))
        self._save(call, call.settings)
        self.on_call()
        return call

    def append(self, call: Call) -> None:
        """Add a finished call of another journal."""
        self._save(call, call.settings or None)

    def _save(self, call: Call, settings: JsonMapping | None) -> None:
        with self._lock:
            self._write(call)
            self._add(call, settings)

    def _cost(self, call: Call) -> float | None:
        """Return the recorded cost, else the one that the endpoint reports, else that by prices.

        A reported cost of $0 counts only if prices say nothing else.
        """
        cost = (call.reported_cost or None) if call.cost is None else call.cost
        if cost is None and self.prices.of(call.endpoint, call.model) is None:
            cost = call.reported_cost
        elif cost is None:
            tokens = (call.tokens_in, call.tokens_out, call.tokens_cached, call.tokens_reasoning, call.tokens_written)
            cost = self.prices.cost(call.endpoint, call.model, *tokens)
        return None if cost is None else round(cost, 9)

    def _write(self, call: Call) -> None:
        if self._path is None:
            return
        if self._closed:
            raise RunStopped(self._stop_reason, self._way_out)
        if self._file is None:
            self._file = AppendedFile(self._path)
        data = {field.name: getattr(call, field.name) for field in dataclasses.fields(call)}
        self._file.append(json.dumps(data, ensure_ascii=False, separators=(",", ":")))

    def _add(self, call: Call, settings: JsonMapping | None) -> None:
        seat = (call.game, call.seat)
        self._calls_by_key[call.key] = call
        self._last_messages[seat] = (*self._last_messages.get(seat, ())[: call.same], *call.messages)
        self.calls.append(call)
        self._num_answers += call.is_answer
        self._costs.add(Usage.of(call, self._last_messages[seat], settings, self.prices))
        self._status = ""

    def close(self) -> None:
        """Stop the run and close the file."""
        self.stop("the run has ended")
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._closed = True

    def __str__(self) -> str:
        """Return the number of people's answers and of calls, their cost and the reason for which the run waits."""
        cost = "cost unknown" if self._costs.num_unknown else dollars(self.spent)
        num_calls = len(self.calls) - self._num_answers
        parts = [count(self._num_answers, "answer")] if self._num_answers else []
        if num_calls:
            parts.append(f"{count(num_calls, 'call')}, {cost}")
        return "; ".join([*parts, self._status] if self._status else parts)


@dataclasses.dataclass(frozen=True)
class SeatCalls:
    """The calls of one seat in one game.

    Attributes:
        journal: the journal of the run.
        game, seat: the game's index and the seat.
        prefix: text before every purpose; it distinguishes the calls of an adviser from those of its bidder.
    """

    journal: CallJournal
    game: int
    seat: str
    prefix: str = ""

    @property
    def place(self) -> str | None:
        """Text that identifies the seat across all runs that can be resumed; None if this run cannot be resumed."""
        file = self.journal.file
        return None if file is None else f"{file.resolve()}, game {self.game}, {self.seat}"

    def ask(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call:
        """Call a model, unless the journal already holds the call.

        Raises:
            ModelFailure: the model cannot be called.
            RunStopped: the run is stopped, or the call may exceed its cost limit.
        """
        call = self.find(model, request, decision, attempt, purpose)
        if call is not None:
            return call
        if request.temperature != 0:
            place = json.dumps(self._key(decision, attempt, purpose))
            request = dataclasses.replace(request, sample=zlib.crc32(place.encode()))
        with self.journal.reserved(model, request):
            try:
                completion = model.complete(request, self.journal.pause)
            except ModelFailure as failure:
                self.journal.fail(model, request, failure)
                raise
            return self.keep(model, request, completion, decision, attempt, purpose)

    def find(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call | None:
        """Return the call if the journal holds it, else None."""
        return self.journal.find(self._key(decision, attempt, purpose), request.digest(model.name))

    def keep(
        self, model: Model, request: Request, completion: Completion, decision: int, attempt: int, purpose: str = "bid"
    ) -> Call:
        """Record a finished call; it is in the file before this returns."""
        key = self._key(decision, attempt, purpose)
        return self.journal.keep(key, model, request.digest(model.name), request, completion)

    def _key(self, decision: int, attempt: int, purpose: str) -> tuple[int, str, int, int, str]:
        return self.game, self.seat, decision, attempt, self.prefix + purpose


def _iso_time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")


def conversations(calls: Iterable[Call]) -> Iterable[tuple[Call, Sequence[Message]]]:
    """Yield each call with all of its messages."""
    last_messages: dict[tuple[int, str], tuple[Message, ...]] = {}
    for call in calls:
        seat = (call.game, call.seat)
        last_messages[seat] = (*last_messages.get(seat, ())[: call.same], *call.messages)
        yield call, last_messages[seat]


def read_calls(path: str | Path) -> list[Call]:
    """Return the model calls of a results folder, or of the folder of a `games.jsonl`; empty if there are none.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is not a call; the message names file and line.

    Example:
        >>> import aucenv  # after: aucenv leaderboard --bidder llm:scripted --bidder rule --games 3 --out run
        >>> calls = aucenv.read_calls("run")
        >>> calls[0].model, calls[0].reply
        ('scripted', 'I bid $4,000!')
    """
    path = Path(path)
    return CallJournal(path / "calls.jsonl" if path.is_dir() else path.with_name("calls.jsonl")).calls
