"""What the engines ask of a game's kernels at once: a call from Python costs more than most kernels do.

The functions are templates: `Rows` binds them to one game's kernels, which have the names below.
"""

from __future__ import annotations

from typing import Any

from aucenv.core.kernel import bind
from aucenv.core.state import IDLE


def _unbound(*args: Any) -> Any:
    raise TypeError("a template must be bound to a game's kernels first: see aucenv.core.kernel.bind")


deal = step = check = payoff = features = mask = amount = quote = tell = _unbound

MOMENT = 6
"""A moment is told in int64 numbers: item, round, rounds, status, whether a score has changed, who is acting (bit s for
seat s); then what the game quotes."""


def tell_moment(state, b, scores, scratch, out):
    """Write a row's moment, and its scores.

    Args:
        scores: (seats,) float64, the scores so far, written.
        scratch: (seats,) float64.
        out: (MOMENT + quoted numbers,) int64, written.
    """
    g = state[b]
    payoff(state, b, scratch)
    changed = 0
    acting = 0
    for seat in range(len(scores)):
        if scratch[seat] != scores[seat]:
            changed = 1
        scores[seat] = scratch[seat]
        acting |= g["acting"][seat] << seat
    out[0] = g["item"]
    out[1] = g["round"]
    out[2] = g["rounds"]
    out[3] = g["status"]
    out[4] = changed
    out[5] = acting
    quote(state, b, out[MOMENT:])


def deal_row(state, b, template, key, scores, scratch, out):
    """Start a game; tell its moment."""
    deal(state, b, template, key)
    tell(state, b, scores, scratch, out)


def close_row(state, b, amounts, scores, scratch, out):
    """Close a round with the acting seats' amounts; tell the moment after it."""
    step(state, b, amounts)
    tell(state, b, scores, scratch, out)


def observe_row(state, b, seat, numbers, legal):
    """Write a seat's features, and its action mask unless `legal` is empty."""
    features(state, b, seat, numbers)
    if len(legal) > 0:
        mask(state, b, seat, legal)


def bid_row(state, b, seat, action):
    """The amount of a vector action; IDLE where the rules refuse it."""
    bid = amount(state, b, seat, action)
    return bid if check(state, b, seat, bid) == 0 else IDLE


class Rows:
    """One game's bound templates: `deal`, `close`, `observe`, `bid`."""

    def __init__(self, name: str, rules: Any, vector: Any, report: Any) -> None:
        told = bind(tell_moment, f"{name}_tell", payoff=rules.payoff, quote=report.quote)
        self.deal = bind(deal_row, f"{name}_deal", deal=rules.deal, tell=told)
        self.close = bind(close_row, f"{name}_close", step=rules.step, tell=told)
        self.observe = bind(observe_row, f"{name}_observe", features=vector.features, mask=vector.mask)
        self.bid = bind(bid_row, f"{name}_bid", amount=vector.amount, check=rules.check)
