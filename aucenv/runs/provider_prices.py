"""Prices of Anthropic's and Google's models, from the list in the package of LiteLLM."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from pathlib import Path

from aucenv.core.files import JsonMapping, read_object

PROVIDERS = {
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}
"""LiteLLM's name of a provider -> the provider's endpoint."""
PRICE_LIST = "model_prices_and_context_window_backup.json"
"""The file with the prices, which LiteLLM uses if it does not download a newer one."""
FIELDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached_input": "cache_read_input_token_cost",
    "written_input": "cache_creation_input_token_cost",
    "reasoning": "output_cost_per_reasoning_token",
}
"""A price in a file of prices -> the field with it in LiteLLM's list, in dollars per token."""


def provider_prices(endpoint: str, model: str) -> Mapping[str, float] | None:
    """Return the prices of a model, `provider/name`, at its provider's endpoint, in dollars per million tokens.

    Providers take more for very long prompts, from 100,000 tokens on. This is not counted.

    Returns:
        "input", "output", and "cached_input", "written_input" and "reasoning" if the list has them; None if the price
        is unknown, or LiteLLM is not installed.
    """
    provider, _, name = model.partition("/")
    if PROVIDERS.get(provider) != endpoint:
        return None
    listed = _listed()
    entry: JsonMapping = next((listed[key] for key in (model, name) if key in listed), {})
    if entry.get("litellm_provider") != provider:
        return None
    prices = {ours: round(entry[theirs] * 1e6, 6) for ours, theirs in FIELDS.items() if _is_price(entry.get(theirs))}
    return prices if {"input", "output"} <= prices.keys() else None


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value < 1


@functools.cache
def _listed() -> JsonMapping:
    """Return LiteLLM's list; empty if it is not installed. The list is a file because importing LiteLLM is slow."""
    package = importlib.util.find_spec("litellm")
    places = list(package.submodule_search_locations or ()) if package else []
    file = Path(places[0], PRICE_LIST) if places else None
    return read_object(file) if file and file.is_file() else {}
