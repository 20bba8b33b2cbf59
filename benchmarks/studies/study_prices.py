"""The estimated price of a study that one model plays."""

from __future__ import annotations

from aucenv.benchmarks.model_prices import Price, prices_of_matches, total
from aucenv.benchmarks.studies.study import Study

from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.registration import find_family
from aucenv.runs.model_calls.token_prices import TokenPrices


def price_with_model(study: Study, model: str, prices: TokenPrices) -> Price | None:
    """Return the estimated price of a study that one model plays with the last agent of its game, that of the paper.

    None: the model plays nothing.

    Args:
        study: A study that plays games.
        model: A bidder without an agent, such as "llm:openai:gpt-4.1-mini".
        prices: Prices of tokens.

    Raises:
        ValueError: The bidder is not a model.
    """
    if parse_bidder(model).kind != "llm":
        raise ValueError(f"model: expected a bidder such as llm:openai:MODEL, got {model!r}")
    game = study.schedule((), 1, 0)[0].game
    bidder = f"{model},agent={find_family(game).game.agents[-1]}"
    estimated = prices_of_matches(study.schedule((*study.fixed_bidders, bidder), None, 0), prices, with_local=True)
    return total([price for price in estimated if price.bidder not in map(label_of, study.fixed_bidders)])
