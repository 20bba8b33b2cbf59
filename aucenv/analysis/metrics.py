"""Records -> figures. Definitions: AucArena, arXiv 2310.05746; the profit ratio: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from aucenv.policy import label_of
from aucenv.records import GameRecord


@dataclasses.dataclass(frozen=True)
class SeatFigures:
    """One seat's game; dollars.

    Attributes:
        bidder: its label.
        profit_ratio: profit over the sum of all items' (true value - starting price); None where that is not positive.
        items: items won.
        engagement: bids made, by item in the auction's order.
        correct, failed: answers that were accepted (withdrawals too), and bids that the rules refused.
        unreadable: answers that were no bid at all; the paper does not count them.
        cursed: items won above their true value.
    """

    bidder: str
    seat: str
    profit: float
    profit_ratio: float | None
    items: int
    budget_left: float
    engagement: tuple[int, ...]
    correct: int
    failed: int
    unreadable: int
    cursed: int


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """The figures of every seat of an English auction."""
    items = record.deal["items"]
    surplus = sum(item["true_value"] - item["starting_price"] for item in items)
    values = {item["id"]: item["true_value"] for item in items}
    bids = {seat["seat"]: [0] * len(items) for seat in record.seats}
    correct = dict.fromkeys(bids, 0)
    refused = {seat: {"illegal": 0, "unreadable": 0} for seat in bids}
    for decision in record.decisions:
        seat = decision["seat"]
        bids[seat][decision["item"]] += decision["amount"] is not None
        correct[seat] += decision["action"] is not None
        for attempt in decision["attempts"]:
            refused[seat][attempt["kind"]] += 1
    return [
        SeatFigures(
            bidder=label_of(who["bidder"]),
            seat=who["seat"],
            profit=result["profit"],
            profit_ratio=result["profit"] / surplus if surplus > 0 else None,
            items=len(result["won"]),
            budget_left=result["budget_left"],
            engagement=tuple(bids[who["seat"]]),
            correct=correct[who["seat"]],
            failed=refused[who["seat"]]["illegal"],
            unreadable=refused[who["seat"]]["unreadable"],
            cursed=sum(price > values[item] for item, price in result["won"]),
        )
        for who, result in zip(record.seats, record.outcome["seats"], strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class BidderFigures:
    """One bidder's figures over all of its seats and games; means are per seat and game.

    Attributes:
        games: games it sat in.
        profit_ratio: mean over the games where it is defined; None where it never is.
        engagement: bids per item offered.
        failed_bid_rate: refused bids over accepted answers and refused bids (CFR).
        unreadable_rate: unreadable answers over all answers.
        winners_curse_rate: items won above their true value over items won; None where it won none.
    """

    bidder: str
    games: int
    profit_mean: float
    profit_ratio: float | None
    items_mean: float
    budget_left_mean: float
    engagement: float
    failed_bid_rate: float
    unreadable_rate: float
    winners_curse_rate: float | None


def bidder_figures(records: Iterable[GameRecord]) -> dict[str, BidderFigures]:
    """Every bidder's figures, by label, in order of first appearance."""
    seats: dict[str, list[SeatFigures]] = {}
    games: dict[str, int] = {}
    for record in records:
        figures = seat_figures(record)
        for figure in figures:
            seats.setdefault(figure.bidder, []).append(figure)
        for bidder in {figure.bidder: None for figure in figures}:
            games[bidder] = games.get(bidder, 0) + 1
    return {bidder: _summary(bidder, games[bidder], played) for bidder, played in seats.items()}


def _summary(bidder: str, games: int, seats: list[SeatFigures]) -> BidderFigures:
    def total(of: Callable[[SeatFigures], float]) -> float:
        return sum(of(seat) for seat in seats)

    ratios = [seat.profit_ratio for seat in seats if seat.profit_ratio is not None]
    items = total(lambda s: s.items)
    failed, unreadable = total(lambda s: s.failed), total(lambda s: s.unreadable)
    readable = total(lambda s: s.correct) + failed
    return BidderFigures(
        bidder=bidder,
        games=games,
        profit_mean=total(lambda s: s.profit) / len(seats),
        profit_ratio=sum(ratios) / len(ratios) if ratios else None,
        items_mean=items / len(seats),
        budget_left_mean=total(lambda s: s.budget_left) / len(seats),
        engagement=total(lambda s: sum(s.engagement)) / total(lambda s: len(s.engagement)),
        failed_bid_rate=failed / readable if readable else 0.0,
        unreadable_rate=unreadable / (readable + unreadable) if readable + unreadable else 0.0,
        winners_curse_rate=total(lambda s: s.cursed) / items if items else None,
    )
