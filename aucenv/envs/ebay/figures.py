"""Compute figures from the records of proxy auctions.

Source: Synthetic Labs, arXiv 2507.09083, the third format. A bid is a raise of a seat's maximum; bid / value compares
the final maximum with the value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from aucenv.core.records.figures import TextTable, or_dash
from aucenv.core.records.record import GameRecord
from aucenv.envs.single_item import figures as single_item
from aucenv.envs.single_item.figures import SCORE, by_setting, table_by_setting

__all__ = [
    "ALSO_SHOWN",
    "FIGURES",
    "SCORE",
    "SHOWN",
    "Move",
    "SeatFigures",
    "agent_tables",
    "moves_of",
    "seat_figures",
]

PAPERS_LAST_DAY = 10
"""The last day that the paper's auctions announce."""


@dataclasses.dataclass(frozen=True)
class Move:
    """A move of a recorded auction.

    Attributes:
        day: the day, from 1.
        seat: the seat that moved.
        maximum: the seat's maximum after the move, in dollars; None if it has none.
        raised: whether it raised its maximum; otherwise it held.
        price: the price after the move, in dollars.
        leader: the seat that led after the move; None before the first bid.
    """

    day: int
    seat: str
    maximum: float | None
    raised: bool
    price: float
    leader: str | None


def moves_of(record: GameRecord, j: int) -> list[Move]:
    """Return the moves of auction `j`, from 0, of a record; `rules.set_price` defines the price and the leader."""
    scenario, moves = record.scenario, []
    maxima: dict[str, tuple[float, int]] = {}  # the maximum of a seat, and the number of the move that set it
    decisions = [decision for decision in record.decisions if decision["item"] == j]
    for number, decision in enumerate(decisions):
        seat, amount = decision["seat"], decision["amount"]
        raised = amount is not None and amount != maxima.get(seat, (None, 0))[0]
        if raised:
            maxima[seat] = amount, number
        ranked = sorted(maxima, key=lambda each: (-maxima[each][0], maxima[each][1]))
        price = scenario["start_price"]
        if len(ranked) > 1:
            top, second = (maxima[each][0] for each in ranked[:2])
            price = min(top, round(second + scenario["increment"], 2))
        maximum = maxima[seat][0] if seat in maxima else None
        leader = ranked[0] if ranked else None
        moves.append(Move(number // len(record.seats) + 1, seat, maximum, raised, price, leader))
    return moves


@dataclasses.dataclass(frozen=True)
class SeatFigures(single_item.SeatFigures):
    """The figures of one seat in one game.

    Attributes:
        sold: number of prizes that were sold.
        bid_days: the day of each of its bids, from 1, as (day, last day of the auction).
    """

    sold: int
    bid_days: tuple[tuple[int, int], ...]


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """Return the figures of every seat of a record."""
    prizes = record.outcome["prizes"]
    sold = sum(prize["winner"] is not None for prize in prizes)
    bids = [
        (move.seat, (move.day, prize["days"]))
        for j, prize in enumerate(prizes)
        for move in moves_of(record, j)
        if move.raised
    ]
    return [
        SeatFigures(
            **{part.name: getattr(shared, part.name) for part in dataclasses.fields(shared)},
            sold=sold,
            bid_days=tuple(days for seat, days in bids if seat == shared.seat),
        )
        for shared in single_item.seat_figures(record, None)
    ]


def _share_of_bids(counts: Callable[[int, int], bool]) -> Callable[[SeatFigures], tuple[float, float]]:
    return lambda seat: (sum(counts(day, last) for day, last in seat.bid_days), len(seat.bid_days))


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    **{name: figure for name, figure in single_item.FIGURES.items() if name != "revenue_ratio"},
    "sold": lambda seat: (seat.sold, seat.rounds),
    "price_mean": lambda seat: (seat.revenue, seat.sold),
    "bids_per_round": lambda seat: (len(seat.bid_days), seat.rounds),
    "bids_on_last_day": _share_of_bids(lambda day, last: day == last),
    "bids_on_day_10": _share_of_bids(lambda day, last: day == PAPERS_LAST_DAY),
}
"""A bidder's figures: see `single_item.figures.FIGURES`. `sold` is the share of the prizes that were sold, and
`price_mean` the mean price of these, in all games in which the bidder sat. Shares of bids are of the bidder's own."""

SHOWN: Mapping[str, tuple[str, str]] = single_item.SHOWN
ALSO_SHOWN = (
    "bids, and results of the games with this bidder and its rivals",
    {
        "bid_per_value": ("final maximum / value", "{:.2f}"),
        "bids_above_value": ("above value", "{:.1%}"),
        "bids_per_round": ("bids per round", "{:.2f}"),
        "bids_on_last_day": ("bids on the last day", "{:.1%}"),
        "efficiency": ("efficiency", "{:.1%}"),
        "sold": ("sold", "{:.1%}"),
        "price_mean": ("mean price, $", "{:.1f}"),
    },
)
"""A second printed table: its title and its figures."""


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return tables by bidder and scenario: final maximum / value, and the number of bids per auction on each day."""
    ratios = by_setting(records, seat_figures, lambda seat: seat.ratios)
    means = {key: sum(values) / len(values) for key, values in ratios.items() if values}
    days = by_setting(records, seat_figures, lambda seat: [day for day, _ in seat.bid_days])
    rounds = by_setting(records, seat_figures, lambda seat: [seat.rounds])
    most = max((day for each in days.values() for day in each), default=0)
    lines = [
        [
            bidder,
            setting,
            *(or_dash(each.count(day) / sum(rounds[bidder, setting]), "{:.2f}") for day in range(1, most + 1)),
        ]
        for (bidder, setting), each in days.items()
        if sum(rounds[bidder, setting])
    ]
    by_day = TextTable("bids per round and seat, by day", ("bidder", "scenario", *map(str, range(1, most + 1))), lines)
    return [table_by_setting("final maximum / value, by setting", means), *([by_day] if most else [])]
