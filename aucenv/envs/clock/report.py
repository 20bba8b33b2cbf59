"""A game as plain data: what infos carry at every tick, what records keep of the deal and of the outcome."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.kernel import kernel
from aucenv.core.state import NOBODY, RUNNING
from aucenv.envs.single_item import report as prizes
from aucenv.envs.single_item.report import dealt, outcome, quote_prizes
from aucenv.envs.single_item.view import Catalogue

__all__ = ["dealt", "facts", "num_quoted", "numbers", "outcome", "quote"]

PER_GAME, PER_SEAT = 3, 2


@kernel
def quote(state, b, out):
    """Write the numbers of a tick's facts.

    Args:
        out: (num_quoted,) int64, written: the clock's price, or NOBODY; how many are in as far as it is told, or
            NOBODY; the tick; then of each seat whether it is in and the price that it has named, or NOBODY; then
            `prizes.report.quote_prizes`.
    """
    g = state[b]
    running = g["status"] == RUNNING
    out[0] = g["price_now"] if running else NOBODY
    out[1] = g["still_in"] if running and g["open"] != 0 else NOBODY
    out[2] = g["round"]
    seats = g["num_seats"]
    for seat in range(seats):
        out[PER_GAME + PER_SEAT * seat] = running and g["active"][seat] != 0
        out[PER_GAME + PER_SEAT * seat + 1] = g["limit"][seat] if running else NOBODY
    quote_prizes(g, out[PER_GAME + PER_SEAT * seats :])


def num_quoted(num_seats: int) -> int:
    return PER_GAME + PER_SEAT * num_seats + prizes.num_quoted(num_seats)


def numbers(quoted: list[int], seat: int) -> dict[str, float]:
    """A seat's info in numbers: the clock, in dollars, and see `prizes.report.prize_numbers`."""
    price, still_in, tick = quoted[:PER_GAME]
    in_, named = quoted[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    return {
        "price": price / 100 if price != NOBODY else 0.0,
        "tick": tick,
        "still_in": still_in,
        "in": in_,
        "named": named / 100 if named != NOBODY else -1.0,
        **prizes.prize_numbers(_of_prizes(quoted), seat),
    }


def facts(quoted: list[int], seat: int, catalogue: Catalogue) -> JsonObject:
    """The same; None where there is none, True or False for whether the seat is in."""
    price, still_in, _ = quoted[:PER_GAME]
    in_, named = quoted[PER_GAME + PER_SEAT * seat :][:PER_SEAT]
    facts: JsonObject = numbers(quoted, seat) | prizes.prize_facts(_of_prizes(quoted), seat)
    facts["in"] = in_ == 1
    if price == NOBODY:
        facts["price"] = None
    if still_in == NOBODY:
        facts["still_in"] = None
    if named == NOBODY:
        facts["named"] = None
    return facts


def _of_prizes(quoted: list[int]) -> list[int]:
    """The prizes' numbers, which come last."""
    seats = (len(quoted) - num_quoted(0)) // (PER_SEAT + prizes.PER_SEAT)
    return quoted[PER_GAME + PER_SEAT * seats :]
