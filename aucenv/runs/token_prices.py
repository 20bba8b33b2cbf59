"""Token prices of models."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from aucenv.core.files import JsonMapping, read_object
from aucenv.core.schema import MapOf, Object, number
from aucenv.runs.provider_prices import provider_prices

OPENAI = "https://api.openai.com/v1"
"""The endpoint whose list prices are built in."""


PRICES = MapOf(Object({"input": number(0, 1e6), "output": number(0, 1e6)}))
"""The format of a file of prices."""


class TokenPrices:
    """Dollars per million tokens, by model. The built-in list holds OpenAI's prices of 2025-08, without discounts;
    those of models called by LiteLLM are in its package.

    Args:
        overrides: {model: {"input": dollars, "output": dollars}}; these prices replace the built-in ones and apply at
            every endpoint.
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
            ValueError: the file is not a price list; the message names the file.
        """
        return cls(read_object(path), str(path))

    def of(self, endpoint: str, model: str) -> tuple[float, float] | None:
        """Return a model's prices of prompt and reply tokens, in dollars per million; None if unknown."""
        if endpoint == "local":
            return 0.0, 0.0
        if model in self._overrides:
            return self._overrides[model]
        if endpoint == OPENAI:
            return self._listed.get(model)
        prices = provider_prices(endpoint, model)
        return None if prices is None else (prices["input"], prices["output"])

    def cost(self, endpoint: str, model: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return the cost of a call in dollars; None if the price or the number of tokens is unknown."""
        pair = self.of(endpoint, model)
        if pair is None or tokens_in is None or tokens_out is None:
            return None
        return (pair[0] * tokens_in + pair[1] * tokens_out) / 1e6


def _read(prices: JsonMapping, where: str) -> dict[str, tuple[float, float]]:
    PRICES.check(prices, where)
    return {model: (pair["input"], pair["output"]) for model, pair in prices.items()}
