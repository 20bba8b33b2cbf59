"""The limit on what the model calls of a run cost: a call is sent only if its highest possible cost still fits."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from aucenv.core.files import JsonMapping
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.runs.model_calls.calls import Call, Message, Model, Request
from aucenv.runs.model_calls.token_prices import ModelPrices, TokenPrices, dollars

TOKENS_PER_MESSAGE = 32
"""Upper bound on the tokens that a chat template adds to each message."""
TOKENS_PER_TOOL = 1_000
"""Upper bound on the tokens that an endpoint adds to a request which offers a tool, such as how tools are called."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Names of the parameter with the maximum of reply tokens."""
ROUNDING = 1e-9
"""Dollars by which the rounding of a cost may exceed its bound."""


ModelKey = tuple[str, str]
"""A model's endpoint and name."""
RAISE_LIMIT = "with a larger --max-cost"
DROP_LIMIT = "without --max-cost"
"""How a run that is stopped because of its costs has to be resumed, as the end of "to resume"."""


@dataclasses.dataclass
class _History:
    """The costs of the finished calls of one model at one endpoint.

    Attributes:
        measured: whether a call has reported its usage.
        factor: the largest ratio of a call's cost to the bound of its request; at least 1.
        floor: 0 until a call exceeds its bound, so that the bound holds for none; then the highest cost of a call.
        unbounded: whether the endpoint has accepted no maximum of reply tokens.
    """

    measured: bool = False
    factor: float = 1.0
    floor: float = 0.0
    unbounded: bool = False
    _highest: float = 0.0

    def worst_case(self, bound: float) -> float:
        """Return the highest cost to expect of a call whose request has this bound."""
        return max(bound * self.factor, self.floor)

    def learn(self, bound: float, cost: float) -> None:
        """Take the cost of a finished call into account."""
        self.measured = True
        self._highest = max(self._highest, cost)
        if cost > bound + ROUNDING and bound > 0:
            self.factor = max(self.factor, cost / bound)
        if self.floor or cost > bound + ROUNDING:
            self.floor = self._highest


@dataclasses.dataclass(eq=False, frozen=True)
class Reservation:
    """The part of the limit that a call in flight may use."""

    model: ModelKey
    dollars: float


@dataclasses.dataclass(frozen=True)
class Usage:
    """The part of a finished call that its costs depend on.

    Attributes:
        model: its endpoint and name.
        cost: in dollars; None if it is unknown.
        bound: the highest cost by the request; None if the endpoint has accepted no maximum of reply tokens.
        has_settings: whether the parameters that the endpoint has accepted, and the model's prices, are known.
        is_measured: whether the reply comes from the endpoint and states what was used, so not from a cache.
    """

    model: ModelKey
    cost: float | None
    bound: float | None = None
    has_settings: bool = False
    is_measured: bool = False

    @classmethod
    def of(cls, call: Call, messages: Sequence[Message], settings: JsonMapping | None, prices: TokenPrices) -> Usage:
        """Return the usage of a call.

        Args:
            call: the call.
            messages: all of its messages.
            settings: the parameters that the endpoint has accepted; None if they are unknown.
            prices: token prices.
        """
        model, price = (call.endpoint, call.model), prices.of(call.endpoint, call.model)
        if settings is None or price is None:
            return cls(model, call.cost)
        maxima = [settings[name] for name in LIMITS if type(settings.get(name)) is int]
        bound = cost_bound(price, messages, max(maxima)) if maxima else None
        return cls(model, call.cost, bound, True, bool(call.tokens_in or call.reported_cost))


@dataclasses.dataclass(frozen=True)
class LimitState:
    """The state of a `CostLimit`, which another process can take over; see its attributes."""

    max_cost: float | None
    spent: float
    num_unknown: int
    unknown_at: str
    histories: dict[ModelKey, _History]


class CostLimit:
    """The costs of a run's calls, and the limit on their sum; threads share it.

    A call reserves its highest possible cost before it is sent, and waits while calls in flight may use what it needs.
    Because an endpoint may count more tokens than the bytes of a request, the first call of a model is sent alone, and
    the costs that calls report correct the bound of later calls upwards.

    Args:
        max_cost: the limit in dollars; None is no limit.
        stop: stops the run, so that `check` raises an error; called with the reason and with how to resume the run.

    Attributes:
        spent: the known costs of finished calls in dollars.
        num_unknown: the number of finished calls of unknown cost.
    """

    def __init__(self, max_cost: float | None, stop: Callable[[str, str], None]) -> None:
        self.spent = 0.0
        self.num_unknown = 0
        self._unknown_at = ""
        self._max_cost = max_cost
        self._stop = stop
        self._changed = threading.Condition(threading.RLock())
        self._histories: defaultdict[ModelKey, _History] = defaultdict(_History)
        self._in_flight: set[Reservation] = set()

    def add(self, usage: Usage) -> None:
        """Take a finished call into account."""
        with self._changed:
            self.spent += usage.cost or 0.0
            self.num_unknown += usage.cost is None
            if usage.cost is None:
                self._unknown_at = usage.model[0]
            if self._max_cost is None or not usage.has_settings:
                return
            history = self._histories[usage.model]
            history.unbounded = usage.bound is None
            if usage.bound is not None and usage.cost is not None and usage.is_measured:
                history.learn(usage.bound, usage.cost)

    @contextlib.contextmanager
    def reserved(self, model: ModelKey, bound: float | None, check: Callable[[], None]) -> Iterator[None]:
        """Wait until a call of a model fits into the limit, and reserve its highest possible cost in this context.

        Args:
            model: the model.
            bound: the highest cost of the call, by `request_bound`; None if the model has no price.
            check: raises an error if the call must not be sent; called again after every wait.

        Raises:
            RunStopped: no call is in flight, and the call may still exceed the limit.
        """
        reservation = self.reserve(model, bound, check)
        try:
            yield
        finally:
            self.release(reservation)

    def reserve(self, model: ModelKey, bound: float | None, check: Callable[[], None]) -> Reservation | None:
        """Reserve as in `reserved`, until `release`; None if there is no limit."""
        check()
        if self._max_cost is None:
            return None
        with self._changed:
            while (reservation := self.try_to_reserve(model, bound)) is None:
                check()  # it may have stopped the run
                self._changed.wait()
                check()
        return reservation

    def release(self, reservation: Reservation | None) -> None:
        """End a reservation."""
        if reservation is not None:
            with self._changed:
                self._in_flight.discard(reservation)
                self._changed.notify_all()

    def state(self) -> LimitState:
        """Return the state, without calls in flight."""
        with self._changed:
            histories = {model: dataclasses.replace(history) for model, history in self._histories.items()}
            return LimitState(self._max_cost, self.spent, self.num_unknown, self._unknown_at, histories)

    @classmethod
    def from_state(cls, state: LimitState, stop: Callable[[str, str], None]) -> CostLimit:
        """Return a limit in this state."""
        limit = cls(state.max_cost, stop)
        limit.spent, limit.num_unknown, limit._unknown_at = state.spent, state.num_unknown, state.unknown_at
        limit._histories.update(state.histories)
        return limit

    def wake(self) -> None:
        """Let waiting calls check again whether they may be sent."""
        with self._changed:
            self._changed.notify_all()

    def try_to_reserve(self, model: ModelKey, bound: float | None) -> Reservation | None:
        """Reserve as in `reserved`; return None if the call has to wait, or if this has stopped the run."""
        assert self._max_cost is not None
        with self._changed:
            reservation = Reservation(model, self._histories[model].worst_case(bound or 0.0))
            total = self.spent + sum(call.dollars for call in self._in_flight) + reservation.dollars
            if reason := self._why_unlimited(model, bound):
                self._stop(reason, DROP_LIMIT)
            elif self._must_wait_for_first(model, bound) or (self._in_flight and round(total, 9) > self._max_cost):
                return None
            elif round(total, 9) > self._max_cost:
                spent = f"spent {dollars(self.spent)} of at most ${self._max_cost:,.9g}"
                self._stop(f"{spent}; the next call may cost up to {dollars(reservation.dollars)}", RAISE_LIMIT)
            else:
                self._in_flight.add(reservation)
                return reservation
        return None

    def _must_wait_for_first(self, model: ModelKey, bound: float | None) -> bool:
        """Return whether the first call of a model is in flight whose costs the bound may not hold for.

        It holds for models without a price, and for local models, which count tokens as it does.
        """
        unmeasured = bound != 0 and model[0] != "local" and not self._histories[model].measured
        return unmeasured and any(call.model == model for call in self._in_flight)

    def _why_unlimited(self, model: ModelKey, bound: float | None) -> str:
        """Return the reason why the cost of a call cannot be limited; "" if it can."""
        endpoint, name = model
        if bound is None:
            return f"cost unknown: {name} at {endpoint} has no price; give it with --prices"
        if self.num_unknown:
            return f"cost unknown: {self._unknown_at} does not report token counts, so the cost cannot be limited"
        if self._histories[model].unbounded:
            return (
                f"cost unlimited: {endpoint} accepts no maximum of reply tokens for {name} under any of "
                f"the names {', '.join(LIMITS)}, so a call has no highest cost"
            )
        return ""


def request_bound(model: Model, request: Request, prices: TokenPrices) -> float | None:
    """Return the highest cost of a request to a model in dollars; None if the model has no price."""
    price = prices.of(model.endpoint, model.name)
    if price is None:
        return None
    return cost_bound(price, request.messages, request.max_tokens, request.reply_form, request.as_tool)


def cost_bound(
    prices: ModelPrices,
    messages: Sequence[Message],
    max_tokens: int,
    reply_form: ReplyForm | None = None,
    as_tool: bool = False,
) -> float:
    """Return an upper bound on the cost of a request in dollars, if no token is shorter than a byte."""
    texts = [message["content"] for message in messages]
    if reply_form is not None:
        texts.append(json.dumps(reply_form.json_schema()))
    num_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    added = TOKENS_PER_MESSAGE * len(messages) + TOKENS_PER_TOOL * as_tool
    return prices.highest_cost(num_bytes + added, max_tokens)
