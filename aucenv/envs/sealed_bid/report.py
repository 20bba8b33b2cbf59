"""A game as plain data: what infos carry in every round, what records keep of the deal and of the outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.envs.prizes.report import dealt, num_quoted, outcome, prize_facts, quote_prizes
from aucenv.envs.prizes.view import Catalogue

__all__ = ["dealt", "facts", "num_quoted", "outcome", "quote"]


@kernel
def quote(state, b, out):
    """Write the numbers of a round's facts: see `prizes.report.quote_prizes`."""
    quote_prizes(state[b], out)


def facts(quoted: list[int], seat: int, catalogue: Catalogue) -> JsonObject:
    """A seat's info, in dollars: see `prizes.report.prize_facts`."""
    return prize_facts(quoted, seat)
