"""Compute how far bidders of English auctions raise (BIP), and when they withdraw below their estimates.

Source: AucArena, arXiv 2310.05746, section 4.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Literal

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.money import to_cents
from aucenv.envs.english.prices import PPM, halved, least_raise

RANGES = ("[0, 10)", "10", "(10, 10.5]", "(10.5, 11)", "[11, inf)")
"""Ranges of a raise, in percent of the current starting price. A first bid raises the starting price; a later bid
raises the standing bid, by at least 10%. The paper names five ranges and gives the bounds of two; the bounds of the
other three are ours."""

Base = Literal["standing", "own"]
"""The bid that a later bid raises: the standing bid, or the bidder's own highest bid for the item so far.

The paper measures raises over a preceding highest offer, which can be read in both ways. A first bid for the item, or
with "own" the bidder's first bid for it, raises the starting price.
"""


@dataclasses.dataclass(frozen=True)
class Round:
    """A round of a recorded auction, with amounts in cents.

    Attributes:
        item: the item's number in the auction's order.
        price: the current starting price, after discounts.
        standing: the standing bid; None if there is none.
        least: the least legal bid.
        decisions: the decisions of the round.
    """

    item: int
    price: int
    standing: int | None
    least: int
    decisions: tuple[JsonObject, ...]


def rounds_of(record: GameRecord) -> Iterator[Round]:
    """Yield the rounds of an English auction in which a seat has a decision, in order."""
    increment = round(record.scenario["increment"] * PPM)
    for j, item_decisions in groupby(record.decisions, key=itemgetter("item")):
        price = to_cents(record.deal["items"][j]["starting_price"])
        standing, halvings = None, 0
        for number, decisions in groupby(item_decisions, key=itemgetter("round")):
            while standing is None and halvings < number:  # every round before the first bid halved the price
                price, halvings = int(halved(price)), halvings + 1
            least = price if standing is None else standing + int(least_raise(price, increment))
            played = Round(j, price, standing, least, tuple(decisions))
            yield played
            amounts = [to_cents(one["amount"]) for one in played.decisions if one["amount"]]
            standing = max(amounts, default=standing)


def bid_increments(records: Iterable[GameRecord], base: Base = "standing") -> dict[str, dict[str, int]]:
    """Count each bidder's bids in each of RANGES, by bidder label in order of first appearance."""
    counts: dict[str, dict[str, int]] = {}
    for record in records:
        labels = {player["seat"]: seat_label(player) for player in record.seats}
        for label in labels.values():
            counts.setdefault(label, dict.fromkeys(RANGES, 0))
        for seat, percent in percentages(record, base):
            counts[labels[seat]][range_of(percent)] += 1
    return counts


def percentages(record: GameRecord, base: Base = "standing") -> Iterator[tuple[str, float]]:
    """Yield (seat, percentage) for every bid of an English auction, in order."""
    highest: dict[tuple[int, str], int] = {}  # by item and seat
    for played in rounds_of(record):
        for decision in played.decisions:
            if decision["amount"]:
                seat, cents = decision["seat"], to_cents(decision["amount"])
                raised = highest.get((played.item, seat)) if base == "own" else played.standing
                yield seat, 100 * (cents - (played.price if raised is None else raised)) / played.price
                highest[played.item, seat] = cents


def range_of(percent: float) -> str:
    """Return the one of RANGES that contains a percentage."""
    return RANGES[(percent >= 10) + (percent > 10) + (percent > 10.5) + (percent >= 11)]


def withdrawals(record: GameRecord) -> dict[str, tuple[int, int]]:
    """Count each seat's withdrawals below its estimate, and all its withdrawals.

    The least legal bid was then below the seat's estimate of the item, and within its budget.
    Decisions that a seat did not make, because its retries were exhausted or it forfeited, are not counted.
    """
    seats = [player["seat"] for player in record.seats]
    dealt = dict(zip(seats, record.deal["seats"], strict=True))
    paid = {
        seat: [to_cents(sold["price"]) if sold["winner"] == seat else 0 for sold in record.outcome["items"]]
        for seat in seats
    }
    counts = dict.fromkeys(seats, (0, 0))
    for played in rounds_of(record):
        for decision in played.decisions:
            if decision["amount"] is None and decision["action"] is not None:
                seat = decision["seat"]
                budget = to_cents(dealt[seat]["budget"]) - sum(paid[seat][: played.item])
                below = played.least < to_cents(dealt[seat]["estimates"][played.item]) and played.least <= budget
                counts[seat] = counts[seat][0] + below, counts[seat][1] + 1
    return counts
