"""Token prices of models."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from aucenv.core.checks import field, number
from aucenv.core.files import JsonMapping, parse_object

OPENAI = "https://api.openai.com/v1"
"""The endpoint whose list prices are built in."""


class TokenPrices:
    """Dollars per million tokens, by model. The built-in list holds OpenAI's prices of 2025-08, without discounts.

    Args:
        overrides: {model: {"input": dollars, "output": dollars}}; these prices replace the built-in ones and apply at
            every endpoint.
        where: the name of `overrides` in error messages.

    Raises:
        ValueError: `overrides` has another form.
    """

    def __init__(self, overrides: JsonMapping | None = None, where: str = "prices") -> None:
        overrides = overrides or {}
        self._overrides = {model: _pair(overrides, model, where) for model in overrides}
        text = resources.files("aucenv").joinpath("data/model_prices.json").read_text(encoding="utf-8")
        listed = json.loads(text)
        self._listed = {model: _pair(listed, model, "model_prices.json") for model in listed}

    @classmethod
    def read(cls, path: str | Path) -> TokenPrices:
        """Read prices from a JSON file; they override the built-in list.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not a price list; the message names the file.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not UTF-8: {error.reason}") from None
        return cls(parse_object(text, str(path)), str(path))

    def of(self, endpoint: str, model: str) -> tuple[float, float] | None:
        """Return a model's prices of prompt and reply tokens, in dollars per million; None if unknown."""
        if endpoint == "local":
            return 0.0, 0.0
        listed = self._listed.get(model) if endpoint == OPENAI else None
        return self._overrides.get(model, listed)

    def cost(self, endpoint: str, model: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return the cost of a call in dollars; None if the price or the number of tokens is unknown."""
        pair = self.of(endpoint, model)
        if pair is None or tokens_in is None or tokens_out is None:
            return None
        return (pair[0] * tokens_in + pair[1] * tokens_out) / 1e6


def _pair(prices: JsonMapping, model: str, where: str) -> tuple[float, float]:
    entry = field(prices, model, dict, where)
    first, second = (
        number(f"{where}: {model}, {name}", field(entry, name, object, f"{where}: {model}"), 0, 1e6)
        for name in ("input", "output")
    )
    return first, second
