"""A game as plain data: what infos carry in every round, what records keep of the deal and of the outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.envs.single_item.report import dealt, num_quoted, outcome, prize_facts, prize_numbers, quote_prizes
from aucenv.envs.single_item.view import Catalogue

__all__ = ["dealt", "facts", "num_quoted", "numbers", "outcome", "quote"]


@kernel
def quote(state, b, out):
    """Write the numbers of a round's facts: see `prizes.report.quote_prizes`."""
    quote_prizes(state[b], out)


def numbers(quoted: list[int], seat: int) -> dict[str, float]:
    """A seat's info in numbers: see `prizes.report.prize_numbers`."""
    return prize_numbers(quoted, seat)


def facts(quoted: list[int], seat: int, catalogue: Catalogue) -> JsonObject:
    """A seat's info, in dollars: see `prizes.report.prize_facts`."""
    return prize_facts(quoted, seat)
