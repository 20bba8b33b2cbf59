"""Features of each rival of a View: what its bids so far reveal about its limits, and whom it bids against."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate
from aucenv.training.rlact.judges.ties import tie_winner

from aucenv.core.state import NOBODY, WITHDRAW
from aucenv.envs.english.view import View

RIVAL_FEATURES = ("reached/start", "left/worth", "left/last", "passed", "against/me", "against/others")
"""The names of the features of a rival.

- `reached/start`: its highest bid for an item, as a multiple of the starting price; the mean over closed items.
- `left/worth`: the price at which it withdrew, as a multiple of the item's worth; the mean over closed items. The price
  is the standing bid, or the starting price before the first bid. The worth is the true value if the item is sold, and
  otherwise the viewer's estimate, corrected by the true values revealed so far.
- `left/last`: the same of the last closed item from which it withdrew.
- `passed`: the share of closed items for which it did not bid.
- `against/me`, `against/others`: how many of its bids raised a standing bid of the viewer, or of another rival; per
  item, the current one included.

A feature is NaN as long as no item reveals it.
"""


@dataclasses.dataclass
class _Bids:
    """A rival's bids: the multiples of prices at closed items, and numbers of raises at all items."""

    reached: list[float] = dataclasses.field(default_factory=list)
    left: list[float] = dataclasses.field(default_factory=list)
    against_me: int = 0
    against_others: int = 0


def ranked_rivals(view: View) -> list[int]:
    """Return the numbers of the other seats: active ones first, and among them those with the highest budgets."""
    g = view.row[0]
    rivals = [s for s in range(len(view.scenario_text.seats)) if s != view.seat_number]
    return sorted(rivals, key=lambda s: (-int(g["active"][s]), -int(g["budget"][s])))


def rival_features(view: View) -> dict[int, dict[str, float]]:
    """Return `RIVAL_FEATURES` of each rival, by seat, in a View of an English or a housing auction."""
    g, me, closed = view.row[0], view.seat_number, view.item_number
    bids: defaultdict[int, _Bids] = defaultdict(_Bids)
    for item, rounds in _rounds_by_item(view):
        start, worth = float(g["start"][item]), _worth(view, item)
        tops: dict[int, int] = {}
        prices: dict[int, float] = {}
        for standing, leader, entries in _with_standing_bids(g, item, rounds):
            for seat, amount in entries:
                if amount == WITHDRAW:
                    prices[seat] = standing or start
                    continue
                tops[seat] = amount
                prices.pop(seat, None)  # an item without bids is offered again to bidders that had withdrawn
                bids[seat].against_me += leader == me
                bids[seat].against_others += leader not in (me, NOBODY)
        if item < closed:
            for seat, amount in tops.items():
                bids[seat].reached.append(amount / start)
            for seat, price in prices.items() if worth else ():
                bids[seat].left.append(price / worth)
    return {s: _features(bids[s], closed) for s in range(len(view.scenario_text.seats)) if s != me}


def _features(bids: _Bids, closed: int) -> dict[str, float]:
    values = (
        float(np.mean(bids.reached)) if bids.reached else np.nan,
        float(np.mean(bids.left)) if bids.left else np.nan,
        bids.left[-1] if bids.left else np.nan,
        1 - len(bids.reached) / closed if closed else np.nan,
        bids.against_me / (closed + 1),
        bids.against_others / (closed + 1),
    )
    return dict(zip(RIVAL_FEATURES, values, strict=True))


def _worth(view: View, item: int) -> float:
    """Return the true value of an item if it is public, and otherwise the viewer's corrected estimate, in cents."""
    g, me = view.row[0], view.seat_number
    if g["winner"][item] != NOBODY:
        return float(g["value"][item])
    return float(value_per_estimate(g, me, OVERESTIMATE)) * float(g["estimate"][me][item])


Entries = Sequence[tuple[int, int]]
"""The actions of a round: seats and amounts in cents, or WITHDRAW."""


def _rounds_by_item(view: View) -> Iterator[tuple[int, list[Entries]]]:
    """Yield each item with its closed rounds."""
    for item, entries in groupby(view._history, key=lambda entry: entry[0]):
        rounds = groupby(entries, key=lambda entry: entry[1])
        yield item, [[(seat, amount) for _, _, seat, amount in round_] for _, round_ in rounds]


def _with_standing_bids(g: Any, item: int, rounds: Sequence[Entries]) -> Iterator[tuple[int, int, Entries]]:
    """Yield the standing bid of an item before each round, the seat that holds it, and the round."""
    standing, leader = 0, NOBODY
    for number, entries in enumerate(rounds):
        yield standing, leader, entries
        best = max(amount for _, amount in entries)
        if best != WITHDRAW:
            following = {seat for seat, _ in rounds[number + 1]} if number + 1 < len(rounds) else set()
            highest = [seat for seat, amount in entries if amount == best]
            standing, leader = best, tie_winner(g, item, highest, following)
