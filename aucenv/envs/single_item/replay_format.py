"""Parse recorded rounds of sealed-bid and clock auctions, and compare their results with those under our rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from aucenv.core.checks import field, number, one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import MAX_DOLLARS, checked_dollars, to_cents
from aucenv.core.replay_result import BidRounding
from aucenv.core.schema import ListOf, fields_only
from aucenv.core.table import Table
from aucenv.envs.single_item.values import MAX_BIDDERS, MIN_BIDDERS

S = TypeVar("S")

RECORDED = fields_only(
    *("id", "pricing", "values", "scenario", "bidder"),
    rounds=ListOf(fields_only("values", "common", "bids", "winner", "price", "profits")),
)
"""The fields of a recorded game."""


@dataclasses.dataclass(frozen=True)
class RecordedValues:
    """The values of one recorded prize, in dollars.

    Attributes:
        values: the value of each seat; with cv, its signal.
        common: with cv, the prize's common value; else 0.
    """

    values: tuple[float, ...]
    common: float


def read_values(rounds: Sequence[Any], model: str) -> list[RecordedValues]:
    """Return the values of the prizes in recorded rounds.

    Raises:
        ValueError: a round is malformed, or the rounds differ in their number of seats; the message names the round.
    """
    if not rounds:
        raise ValueError("rounds: expected at least 1, got none")
    recorded_values: list[RecordedValues] = []
    for j, played in enumerate(rounds):
        where = f"rounds[{j}]"
        if not isinstance(played, dict):
            raise ValueError(f"{where}: expected an object, got {played!r:.80}")
        values = field(played, "values", list, where)
        most = MAX_BIDDERS if not recorded_values else len(recorded_values[0].values)
        least = MIN_BIDDERS if not recorded_values else most
        if not least <= len(values) <= most:
            raise ValueError(f"{where}: values: expected {least} to {most}, got {len(values)}")
        dollars = tuple(number(f"{where}: values", value, -MAX_DOLLARS, MAX_DOLLARS) for value in values)
        common = number(f"{where}: common", played.get("common"), 0, MAX_DOLLARS) if model == "cv" else 0
        recorded_values.append(RecordedValues(dollars, common))
    return recorded_values


def write_values(table: Table, recorded_values: Sequence[RecordedValues]) -> None:
    """Replace the values of a game that has just been dealt by recorded ones."""
    row = table.state[0]
    for j, prize in enumerate(recorded_values):
        row["common"][j] = to_cents(prize.common)
        for seat, value in enumerate(prize.values):
            row["value"][seat, j] = to_cents(value)
    table.restore(table.snapshot())  # recomputes the observations


def named_scenario(data: JsonMapping, scenarios: Mapping[str, S]) -> S | None:
    """Return the scenario that a recorded game names; None if it names none.

    Raises:
        ValueError: There is no such scenario.
    """
    if "scenario" not in data:
        return None
    return scenarios[one_of("scenario", field(data, "scenario", str), scenarios)]


def read_bids(played: JsonMapping, j: int, seats: int, rounding: BidRounding) -> list[float]:
    """Return the bids of recorded round `j` by seat, in dollars; -1 = the seat abstained."""
    where = f"rounds[{j}]"
    bids = field(played, "bids", list, where)
    if len(bids) != seats:
        raise ValueError(f"{where}: bids: expected one for each of {seats} bidders, got {len(bids)}")
    return [
        -1
        if bid is None
        else rounding.round(f"{where}: bid {seat}", checked_dollars(bid, f"{where}: bids", least=0), j)
        for seat, bid in enumerate(bids)
    ]


def read_result(played: JsonMapping, where: str, seats: int) -> JsonObject:
    """Return the recorded results of a round: those of winner, price and profits that are present."""
    result: JsonObject = {}
    if "winner" in played:
        winner = played["winner"]
        if winner is not None and (type(winner) is not int or not 0 <= winner < seats):
            raise ValueError(f"{where}: winner: expected null or a number from 0 to {seats - 1}, got {winner!r}")
        result["winner"] = winner
    if "price" in played:
        price = played["price"]
        result["price"] = None if price is None else number(f"{where}: price", price, 0, MAX_DOLLARS)
    if "profits" in played:
        profits = field(played, "profits", list, where)
        if len(profits) != seats:
            raise ValueError(f"{where}: profits: expected one for each of {seats} bidders, got {len(profits)}")
        result["profits"] = [number(f"{where}: profits", profit, -MAX_DOLLARS, MAX_DOLLARS) for profit in profits]
    return result


def to_recorded_rounds(prizes: Sequence[JsonMapping]) -> list[JsonObject]:
    """Return closed rounds in the format of recorded games, with winners as numbers."""
    numbered = [None if prize["winner"] is None else int(prize["winner"].removeprefix("bidder_")) for prize in prizes]
    return [
        {"winner": winner, "price": prize["price"], "profits": prize["profits"]}
        for prize, winner in zip(prizes, numbered, strict=True)
    ]


def first_difference(ours: Sequence[JsonMapping], results: Sequence[JsonMapping], rounding: BidRounding) -> str | None:
    """Describe the first difference between our results and the recorded ones; None if there is none."""
    if len(ours) < len(results):
        return f"round {len(ours)}: our rules end the game, the record continues"
    for j, (played, recorded) in enumerate(zip(ours, results, strict=True)):
        for name, value in recorded.items():
            if not _agree(value, played[name], j, rounding):
                return f"round {j}: {name} recorded {value}, our rules give {played[name]}"
    return None


def _agree(recorded: Any, ours: Any, j: int, rounding: BidRounding) -> bool:
    """Return whether a winner, a price or profits of round `j` are ours, but for the rounding of bids."""
    if isinstance(recorded, list):
        return all(rounding.agrees(*pair, j) for pair in zip(recorded, ours, strict=True))
    return recorded == ours if None in (recorded, ours) else rounding.agrees(recorded, ours, j)
