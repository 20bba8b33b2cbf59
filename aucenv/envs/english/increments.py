"""Compute how far bidders raise. Source: AucArena, arXiv 2310.05746, its bid increment percentage (BIP)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from aucenv.core.bidder_name import label_of
from aucenv.core.money import to_cents
from aucenv.core.record import GameRecord
from aucenv.envs.english.rules import halved

RANGES = ("[0, 10)", "10", "(10, 10.5]", "(10.5, 11)", "[11, inf)")
"""Ranges of a raise, in percent of the current starting price. A first bid raises the starting price; a later bid
raises the standing bid, by at least 10%. The paper names five ranges and gives the bounds of two; the bounds of the
other three are ours."""


def bid_increments(records: Iterable[GameRecord]) -> dict[str, dict[str, int]]:
    """Count each bidder's bids in each of RANGES, by bidder label in order of first appearance."""
    counts: dict[str, dict[str, int]] = {}
    for record in records:
        labels = {player["seat"]: label_of(player["bidder"]) for player in record.seats}
        for label in labels.values():
            counts.setdefault(label, dict.fromkeys(RANGES, 0))
        for seat, percent in percentages(record):
            counts[labels[seat]][range_of(percent)] += 1
    return counts


def percentages(record: GameRecord) -> Iterator[tuple[str, float]]:
    """Yield (seat, percentage) for every bid of an English auction, in order."""
    for j, item_decisions in groupby(record.decisions, key=itemgetter("item")):
        price = to_cents(record.deal["items"][j]["starting_price"])
        standing, halvings = None, 0
        for number, decisions in groupby(item_decisions, key=itemgetter("round")):
            while standing is None and halvings < number:  # every round before the first bid halved the price
                price, halvings = int(halved(price)), halvings + 1
            bids = [(decision["seat"], to_cents(decision["amount"])) for decision in decisions if decision["amount"]]
            for seat, cents in bids:
                yield seat, 100 * (cents - (price if standing is None else standing)) / price
            standing = max((cents for _, cents in bids), default=standing)


def range_of(percent: float) -> str:
    """Return the one of RANGES that contains a percentage."""
    return RANGES[(percent >= 10) + (percent > 10) + (percent > 10.5) + (percent >= 11)]
