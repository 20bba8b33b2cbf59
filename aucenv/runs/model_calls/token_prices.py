"""Token prices of models."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from importlib import resources
from pathlib import Path

from aucenv.core.files import JsonMapping, read_object
from aucenv.core.formats.schema import MISFIT, MapOf, Object, Value
from aucenv.runs.provider_prices import provider_prices

OPENAI = "https://api.openai.com/v1"
"""The endpoint whose list prices are built in."""


PRICE = Value("a number from 0 to 1,000,000, in dollars per million tokens", int, float, least=0, most=1e6)
PRICES_OF_MODEL = Object(
    {"input": PRICE, "output": PRICE}, dict.fromkeys(("cached_input", "written_input", "reasoning"), PRICE)
)
PRICES = MapOf(PRICES_OF_MODEL)
"""The format of a file of prices."""


def dollars(amount: float, decimals: int = 4) -> str:
    """Return a cost as text: with these decimals; with two significant digits if it is less than a cent; or `$0`."""
    if amount == 0:
        return "$0"
    return f"${amount:,.{decimals if amount >= 0.01 else 1 - math.floor(math.log10(amount))}f}"


@dataclasses.dataclass(frozen=True)
class ModelPrices:
    """The prices of one model, in dollars per million tokens.

    Attributes:
        input: tokens of the prompt.
        output: tokens of the reply, with its reasoning.
        cached_input: tokens of the prompt that were read from the endpoint's cache; None: as `input`.
        written_input: tokens of the prompt that were written to that cache; None: as `input`.
        reasoning: tokens of the reasoning; None: as `output`.
    """

    input: float
    output: float
    cached_input: float | None = None
    written_input: float | None = None
    reasoning: float | None = None

    @property
    def is_free(self) -> bool:
        """Whether all prices are $0."""
        return not any(dataclasses.astuple(self))

    def cost(
        self,
        tokens_in: int,
        tokens_out: int,
        tokens_cached: int = 0,
        tokens_reasoning: int = 0,
        tokens_written: int = 0,
    ) -> float:
        """Return the cost of a call in dollars.

        Args:
            tokens_in: tokens of the prompt.
            tokens_out: tokens of the reply.
            tokens_cached: how many of `tokens_in` were read from a cache.
            tokens_reasoning: how many of `tokens_out` are reasoning.
            tokens_written: how many of the other tokens of the prompt were written to a cache.
        """
        cached, reasoning = min(tokens_cached, tokens_in), min(tokens_reasoning, tokens_out)
        written = min(tokens_written, tokens_in - cached)
        prompt = self.input * (tokens_in - cached - written)
        prompt += _or(self.cached_input, self.input) * cached + _or(self.written_input, self.input) * written
        reply = self.output * (tokens_out - reasoning) + _or(self.reasoning, self.output) * reasoning
        return (prompt + reply) / 1e6

    def highest_cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the cost of a call in dollars if its tokens are of the most expensive kinds."""
        prompt = max(self.input, _or(self.cached_input, 0), _or(self.written_input, 0)) * tokens_in
        return (prompt + max(self.output, _or(self.reasoning, 0)) * tokens_out) / 1e6


def _or(price: float | None, other: float) -> float:
    return other if price is None else price


class TokenPrices:
    """Dollars per million tokens, by model. The built-in list holds OpenAI's prices of 2025-08;
    for models that LiteLLM calls, the prices are those in its package.

    Args:
        overrides: {model: {"input": dollars, "output": dollars}}, and the optional prices of `ModelPrices`; they
            replace all built-in prices of these models and apply at every endpoint.
        where: the name of `overrides` in error messages.

    Raises:
        ValueError: `overrides` has another form.
    """

    def __init__(self, overrides: JsonMapping | None = None, where: str = "prices") -> None:
        self._overrides = _read(overrides or {}, where)
        text = resources.files("aucenv").joinpath("data/model_prices.json").read_text(encoding="utf-8")
        self._listed = _read(json.loads(text), "model_prices.json")

    @classmethod
    def read(cls, path: str | Path) -> TokenPrices:
        """Read prices from a JSON file; they override the built-in list.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not a price list; the message names the file, the line if it is found, and the
                field.
        """
        prices = read_object(path)
        where = str(path)
        if PRICES.count_fields([prices]) == MISFIT:
            line = _line_of_misfit(Path(path).read_text(encoding="utf-8-sig"), prices)
            where += f":{line}" if line else ""
        return cls(prices, where)

    def of(self, endpoint: str, model: str) -> ModelPrices | None:
        """Return a model's prices; None if they are unknown."""
        if endpoint == "local":
            return FREE
        if model in self._overrides:
            return self._overrides[model]
        if endpoint == OPENAI:
            return self._listed.get(model)
        prices = provider_prices(endpoint, model)
        return None if prices is None else ModelPrices(**prices)

    def cost(
        self,
        endpoint: str,
        model: str,
        tokens_in: int | None,
        tokens_out: int | None,
        tokens_cached: int | None = None,
        tokens_reasoning: int | None = None,
        tokens_written: int | None = None,
    ) -> float | None:
        """Return the cost of a call in dollars; None if the price or the number of tokens is unknown.

        A model whose prices are all $0 costs nothing, also if the number of tokens is unknown. If the number of cached
        or written tokens or of tokens of reasoning is None, none are priced as such.
        """
        prices = self.of(endpoint, model)
        if prices is not None and prices.is_free:
            return 0.0
        if prices is None or tokens_in is None or tokens_out is None:
            return None
        return prices.cost(tokens_in, tokens_out, tokens_cached or 0, tokens_reasoning or 0, tokens_written or 0)


FREE = ModelPrices(0.0, 0.0)
"""The prices of local models."""


def _read(prices: JsonMapping, where: str) -> dict[str, ModelPrices]:
    PRICES.check(prices, where)
    return {model: ModelPrices(**fields) for model, fields in prices.items()}


def _line_of_misfit(text: str, prices: JsonMapping) -> int | None:
    """Return the number of the line with the first model, or its field, that does not fit; None if it is not found."""
    model, fields = next(item for item in prices.items() if PRICES_OF_MODEL.count_fields([item[1]]) == MISFIT)
    names = [model]
    if isinstance(fields, dict) and {"input", "output"} <= set(fields):
        names += [name for name, value in fields.items() if not _fits(name, value)][:1]
    position = 0
    for name in names:
        match = re.compile(rf"{re.escape(json.dumps(name, ensure_ascii=False))}\s*:").search(text, position)
        if match is None:
            return None
        position = match.end()
    return text.count("\n", 0, position) + 1


def _fits(name: str, price: object) -> bool:
    return name in PRICES_OF_MODEL.names and PRICE.count_fields([price]) != MISFIT
