"""Figures from the records of English auctions, and tables about agents: beliefs, plans, withdrawals, raises.

Sources: AucArena, arXiv 2310.05746, section 4; for the profit ratio HARBOR, arXiv 2502.12149.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal

from aucenv.core.checks import MissingExtra
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.play.bid_errors import BidErrors, count_bid_errors
from aucenv.core.records.figures import Counts, Rate, TextTable, as_percent, labeled_seats, or_dash
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.money import to_cents
from aucenv.envs.english.notes import Plans, Priorities, plans, priority_correlations
from aucenv.envs.english.rules import PPM, halved, least_raise
from aucenv.envs.english.stated_beliefs import KINDS, RIVAL_KINDS, SELF_KINDS, belief_failures, combined_rate

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


__all__ = [
    "ALSO_SHOWN",
    "COUNTS",
    "FIGURES",
    "REQUIRED",
    "SCORE",
    "SHOWN",
    "SeatFigures",
    "agent_tables",
    "deal_scenario",
    "seat_figures",
]

SCORE = "profit"


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """The figures of one seat in one game, in dollars.

    Attributes:
        bidder: the bidder's label.
        profit_ratio: profit divided by the sum of (true value - starting price) over all items; None if that sum is
            not positive.
        items: number of items won.
        engagement: number of bids for each item, in the auction's order.
        cursed: number of items won at more than their true value.
        withdrawals: number of withdrawals below the estimate, and of all; see `withdrawals`.
    """

    bidder: str
    seat: str
    profit: float
    profit_ratio: float | None
    items: int
    budget_left: float
    engagement: tuple[int, ...]
    bid_errors: BidErrors
    cursed: int
    withdrawals: tuple[int, int]


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """Return the figures of every seat of an English auction."""
    items = record.deal["items"]
    surplus = sum(item["true_value"] - item["starting_price"] for item in items)
    values = {item["id"]: item["true_value"] for item in items}
    bids = {player["seat"]: [0] * len(items) for player in record.seats}
    bid_errors, withdrawn = count_bid_errors(record), withdrawals(record)
    for decision in record.decisions:
        bids[decision["seat"]][decision["item"]] += decision["amount"] is not None
    return [
        SeatFigures(
            bidder=seat_label(player),
            seat=player["seat"],
            profit=result["profit"],
            profit_ratio=result["profit"] / surplus if surplus > 0 else None,
            items=len(result["won"]),
            budget_left=result["budget_left"],
            engagement=tuple(bids[player["seat"]]),
            bid_errors=bid_errors[player["seat"]],
            cursed=sum(price > values[item] for item, price in result["won"]),
            withdrawals=withdrawn[player["seat"]],
        )
        for player, result in zip(record.seats, record.outcome["seats"], strict=True)
    ]


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    "profit_mean": lambda s: (s.profit, 1),
    "profit_ratio": lambda s: (0, 0) if s.profit_ratio is None else (s.profit_ratio, 1),
    "items_mean": lambda s: (s.items, 1),
    "budget_left_mean": lambda s: (s.budget_left, 1),
    "engagement": lambda s: (sum(s.engagement), len(s.engagement)),
    "failed_bid_rate": lambda s: s.bid_errors.failed_bid_rate,
    "too_low_rate": lambda s: s.bid_errors.rate("too_low"),
    "over_budget_rate": lambda s: s.bid_errors.rate("over_budget"),
    "unreadable_rate": lambda s: s.bid_errors.unreadable_rate,
    "loss_rate": lambda s: (s.cursed, s.items),
    "below_estimate_rate": lambda s: s.withdrawals,
}
"""A bidder's figures: each is the ratio of two sums over the bidder's seats and games.

Means are per seat and game. The profit ratio is averaged over the games in which it is defined. Engagement is the
number of bids per item offered. Failed bids (CFR), in total and by kind, are shares of the readable replies, unreadable
replies a share of all replies. The loss rate is the share of the items won at more than their true value, the
below-estimate rate that of the withdrawals below the estimate that the budget did not require."""

REQUIRED: dict[str, Callable[[SeatFigures], float]] = dict.fromkeys(
    ("failed_bid_rate", "too_low_rate", "over_budget_rate"),
    lambda s: sum(s.engagement) + s.bid_errors.illegal,
)
"""Counts without which a figure is undefined: a bidder that never tries to bid has no rate of failed bids."""

SHOWN = {
    "profit_mean": ("mean profit, $", "{:,.0f}"),
    "profit_ratio": ("profit ratio", "{:.1%}"),
    "items_mean": ("items", "{:.2f}"),
    "failed_bid_rate": ("failed bids", "{:.1%}"),
}
"""The figures that printed tables show: heading and format."""

ALSO_SHOWN: tuple[str, dict[str, tuple[str, str]]] = (
    "withdrawals, and items won at a loss",
    {
        "below_estimate_rate": ("withdrew below estimate", "{:.1%}"),
        "loss_rate": ("won at a loss", "{:.1%}"),
    },
)
"""A second printed table: its title and figures."""

PRIVATE = ("name", "objective", "target")
"""Fields of a scenario's bidder that do not change what is drawn for a game."""


def deal_scenario(scenario: JsonMapping) -> JsonObject:
    """Return what determines the draws of a game: a scenario without PRIVATE fields, and its bidders in any order.

    The entries of a scenario's bidders may rotate through the seats with those who play them.
    """
    bidders = [{name: value for name, value in b.items() if name not in PRIVATE} for b in scenario["bidders"]]
    return {**scenario, "bidders": sorted(bidders, key=json.dumps)}


COUNTS: Counts = Counts(
    "bid_increments", "bids by their raise, in percent of the starting price", RANGES, bid_increments
)


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return the tables of wrong beliefs, plans, withdrawals and raises; without scipy, plans have no correlations."""
    raises = "bids by their raise, in percent of the starting price (BIP)"
    return [
        _beliefs(records),
        _plans(records),
        _withdrawals(records),
        _increments(records, raises, "standing"),
        _increments(records, f"{raises}, over the bidder's own highest bid", "own"),
    ]


def _beliefs(records: Sequence[GameRecord]) -> TextTable:
    lines, by_program = [], belief_failures(records, "program")
    for bidder, rates in belief_failures(records).items():
        sums = [combined_rate(rates, kinds) for kinds in (KINDS, SELF_KINDS, RIVAL_KINDS)]
        program = as_percent(combined_rate(by_program[bidder], KINDS))
        lines.append([bidder, *map(as_percent, sums), *(as_percent(rates[kind]) for kind in KINDS), program])
    headings = ("bidder", "all", "own", "others", *KINDS, "all, as the program counts")
    return TextTable("wrong beliefs (CFR)", headings, lines)


def _plans(records: Sequence[GameRecord]) -> TextTable:
    lines = []
    by_bidder: dict[str, list[Plans]] = {}
    for bidder, record, seat in labeled_seats(records):
        if (planned := plans(record, seat)) is not None:
            by_bidder.setdefault(bidder, []).append(planned)
    title = "plans: changed priorities, and Spearman's rho of priorities"
    try:
        correlations = priority_correlations(records)
    except MissingExtra as error:
        correlations = {}
        title += f" ({error})"
    for bidder, games in by_bidder.items():
        rho = correlations.get(bidder, Priorities(None, None, None, None))
        replans = sum(planned.num_plans - 1 for planned in games)
        changes = sum(len(planned.changes) for planned in games)
        per_plan = or_dash(changes / replans if replans else None, "{:.2f}")
        rhos = [or_dash(value, "{:.4f}") for value in dataclasses.astuple(rho)]
        lines.append([bidder, str(sum(planned.num_plans for planned in games)), per_plan, *rhos])
    headings = (
        *("bidder", "plans", "changes a new plan", "initial, with bids", "initial, with wins"),
        *("current, with bids", "current, with wins"),
    )
    return TextTable(title, headings, lines)


def _withdrawals(records: Sequence[GameRecord]) -> TextTable:
    rates: dict[str, Rate] = {}
    for record in records:
        counts = withdrawals(record)
        for bidder, _, seat in labeled_seats([record]):
            below, total = rates.get(bidder, (0, 0))
            rates[bidder] = below + counts[seat][0], total + counts[seat][1]
    lines = [[bidder, as_percent(rate)] for bidder, rate in rates.items()]
    return TextTable("withdrawals below the estimate with enough budget", ("bidder", "withdrew below estimate"), lines)


def _increments(records: Sequence[GameRecord], title: str, base: Base) -> TextTable:
    lines = []
    for bidder, counts in bid_increments(records, base).items():
        bids = sum(counts.values())
        lines.append([bidder, *(f"{count / bids:.1%}" if bids else "-" for count in counts.values())])
    return TextTable(title, ("bidder", *RANGES), lines)
