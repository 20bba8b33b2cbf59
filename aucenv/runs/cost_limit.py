"""The limit on what the model calls of a run cost: a call is sent only if its highest possible cost still fits."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from aucenv.core.files import JsonMapping
from aucenv.core.structured_reply import ReplyForm
from aucenv.runs.calls import Call, Message, Model, Request
from aucenv.runs.token_prices import ModelPrices, TokenPrices, dollars

TOKENS_PER_MESSAGE = 32
"""Upper bound on the tokens that a chat template adds to each message."""
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Names of the parameter with the maximum of reply tokens."""
ROUNDING = 1e-9
"""Dollars by which the rounding of a cost may exceed its bound."""


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
class _Reservation:
    """The part of the limit that a call in flight may use."""

    model: tuple[str, str]
    dollars: float


class CostLimit:
    """The costs of a run's calls, and the limit on their sum; threads share it.

    A call reserves its highest possible cost before it is sent, and waits while calls in flight may use what it needs.
    Because an endpoint may count more tokens than the bytes of a request, the first call of a model is sent alone, and
    the costs that calls report correct the bound of later calls upwards.

    Args:
        prices: token prices.
        max_cost: the limit in dollars; None is no limit.
        stop: stops the run, so that `check` raises an error; called with the reason and with how to resume the run.

    Attributes:
        spent: the known costs of finished calls in dollars.
        num_unknown: the number of finished calls of unknown cost.
    """

    def __init__(self, prices: TokenPrices, max_cost: float | None, stop: Callable[[str, str], None]) -> None:
        self.spent = 0.0
        self.num_unknown = 0
        self._unknown_at = ""
        self._prices = prices
        self._max_cost = max_cost
        self._stop = stop
        self._changed = threading.Condition()
        self._histories: defaultdict[tuple[str, str], _History] = defaultdict(_History)
        self._in_flight: set[_Reservation] = set()

    def add(self, call: Call, messages: Sequence[Message], settings: JsonMapping | None) -> None:
        """Take a finished call into account.

        Args:
            call: the call.
            messages: all of its messages.
            settings: the parameters that the endpoint has accepted; None if they are unknown.
        """
        with self._changed:
            self.spent += call.cost or 0.0
            self.num_unknown += call.cost is None
            if call.cost is None:
                self._unknown_at = call.endpoint
            prices = self._prices.of(call.endpoint, call.model)
            if self._max_cost is None or settings is None or prices is None:
                return
            history = self._histories[call.endpoint, call.model]
            maxima = [settings[name] for name in LIMITS if type(settings.get(name)) is int]
            history.unbounded = not maxima
            if maxima and call.cost is not None and (call.tokens_in or call.reported_cost):  # not from a cache
                history.learn(cost_bound(prices, messages, max(maxima)), call.cost)

    @contextlib.contextmanager
    def reserved(self, model: Model, request: Request, check: Callable[[], None]) -> Iterator[None]:
        """Wait until a call of a model fits into the limit, and reserve its highest possible cost in this context.

        Args:
            model: the model.
            request: the request of the call.
            check: raises an error if the call must not be sent; called again after every wait.

        Raises:
            RunStopped: no call is in flight, and the call may still exceed the limit.
        """
        check()
        if self._max_cost is None:
            yield
            return
        reservation = self._reserve(model, request, self._max_cost, check)
        try:
            yield
        finally:
            with self._changed:
                self._in_flight.remove(reservation)
                self._changed.notify_all()

    def wake(self) -> None:
        """Let waiting calls check again whether they may be sent."""
        with self._changed:
            self._changed.notify_all()

    def _reserve(self, model: Model, request: Request, max_cost: float, check: Callable[[], None]) -> _Reservation:
        key = (model.endpoint, model.name)
        prices = self._prices.of(*key)
        bound = 0.0 if prices is None else cost_bound(prices, request.messages, request.max_tokens, request.reply_form)
        with self._changed:
            while True:
                check()
                history = self._histories[key]
                reservation = _Reservation(key, history.worst_case(bound))
                total = self.spent + sum(call.dollars for call in self._in_flight) + reservation.dollars
                if reason := self._why_unlimited(model, prices):
                    self._stop(reason, DROP_LIMIT)
                elif self._must_wait_for_first(key) or (self._in_flight and round(total, 9) > max_cost):
                    self._changed.wait()
                elif round(total, 9) > max_cost:
                    spent = f"spent {dollars(self.spent)} of at most ${max_cost:,.9g}"
                    self._stop(f"{spent}; the next call may cost up to {dollars(reservation.dollars)}", RAISE_LIMIT)
                else:
                    self._in_flight.add(reservation)
                    return reservation

    def _must_wait_for_first(self, model: tuple[str, str]) -> bool:
        """Return whether the first call of a model is in flight; local models count tokens as this bound does."""
        unmeasured = model[0] != "local" and not self._histories[model].measured
        return unmeasured and any(call.model == model for call in self._in_flight)

    def _why_unlimited(self, model: Model, prices: ModelPrices | None) -> str:
        """Return the reason why the cost of a call cannot be limited; "" if it can."""
        if prices is None:
            return f"cost unknown: {model.name} at {model.endpoint} has no price; give it with --prices"
        if self.num_unknown:
            return f"cost unknown: {self._unknown_at} does not report token counts, so the cost cannot be limited"
        if self._histories[model.endpoint, model.name].unbounded:
            return (
                f"cost unlimited: {model.endpoint} accepts no maximum of reply tokens for {model.name} under any of "
                f"the names {', '.join(LIMITS)}, so a call has no highest cost"
            )
        return ""


def cost_bound(
    prices: ModelPrices, messages: Sequence[Message], max_tokens: int, reply_form: ReplyForm | None = None
) -> float:
    """Return an upper bound on the cost of a request in dollars, if no token is shorter than a byte."""
    texts = [message["content"] for message in messages]
    if reply_form is not None:
        texts.append(json.dumps(reply_form.json_schema()))
    num_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return prices.highest_cost(num_bytes + TOKENS_PER_MESSAGE * len(messages), max_tokens)
