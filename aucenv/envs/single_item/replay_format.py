"""What the replays of games that sell one prize a round share: reading their rounds, comparing what came of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from aucenv.core.checks import field, number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import MAX_DOLLARS, to_cents, to_dollars, whole_cents
from aucenv.core.table import Table
from aucenv.envs.single_item.values import MAX_BIDDERS, MIN_BIDDERS


@dataclasses.dataclass(frozen=True)
class Worth:
    """What a recorded prize was worth to each seat (in cv, their signals), and the common part or value; dollars."""

    values: tuple[float, ...]
    common: float


def read_worths(rounds: Sequence[Any], model: str) -> list[Worth]:
    """What the prizes of recorded rounds were worth.

    Raises:
        ValueError: malformed, or not the same number of seats in all; names the round.
    """
    if not rounds:
        raise ValueError("rounds: expected at least 1, got none")
    worths: list[Worth] = []
    for j, played in enumerate(rounds):
        where = f"rounds[{j}]"
        if not isinstance(played, dict):
            raise ValueError(f"{where}: expected an object, got {played!r:.80}")
        values = field(played, "values", list, where)
        most = MAX_BIDDERS if not worths else len(worths[0].values)
        least = MIN_BIDDERS if not worths else most
        if not least <= len(values) <= most:
            raise ValueError(f"{where}: values: expected {least} to {most}, got {len(values)}")
        seen = tuple(number(f"{where}: values", value, -MAX_DOLLARS, MAX_DOLLARS) for value in values)
        common = number(f"{where}: common", played.get("common"), 0, MAX_DOLLARS) if model == "cv" else 0
        worths.append(Worth(seen, common))
    return worths


def write_worths(table: Table, worths: Sequence[Worth]) -> None:
    """Let the prizes of a game that has just been dealt be worth what was recorded."""
    row = table.state[0]
    for j, worth_ in enumerate(worths):
        row["common"][j] = to_cents(worth_.common)
        for seat, value in enumerate(worth_.values):
            row["value"][seat, j] = to_cents(value)
    table.restore(table.snapshot())  # tell it anew


def read_bids(played: JsonMapping, where: str, seats: int) -> list[float]:
    """The dollars of a recorded round, -1 = abstained, of as many as there are seats."""
    bids = field(played, "bids", list, where)
    if len(bids) != seats:
        raise ValueError(f"{where}: bids: expected one for each of {seats} bidders, got {len(bids)}")
    return [-1 if bid is None else to_dollars(whole_cents(f"{where}: bids", bid, 0)) for bid in bids]


def read_result(played: JsonMapping, where: str, seats: int) -> JsonObject:
    """What a recorded round says of its result: winner, price, profits, as far as it does."""
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
        result["profits"] = [number(f"{where}: profits", gain, -MAX_DOLLARS, MAX_DOLLARS) for gain in profits]
    return result


def rounds_of(prizes: Sequence[JsonMapping]) -> list[JsonObject]:
    """Closed rounds as records have them: winners by number."""
    numbered = [None if prize["winner"] is None else int(prize["winner"].removeprefix("bidder_")) for prize in prizes]
    return [
        {"winner": winner, "price": prize["price"], "profits": prize["profits"]}
        for prize, winner in zip(prizes, numbered, strict=True)
    ]


def first_difference(ours: Sequence[JsonMapping], results: Sequence[JsonMapping]) -> str | None:
    """Where what our rules made and what was recorded first differ."""
    if len(ours) < len(results):
        return f"round {len(ours)}: our rules end, the record goes on"
    for j, (made, said) in enumerate(zip(ours, results, strict=True)):
        for name, value in said.items():
            if _cents(name, value) != _cents(name, made[name]):
                return f"round {j}: {name} recorded {value}, our rules say {made[name]}"
    return None


def _cents(name: str, value: Any) -> Any:
    if value is None or name == "winner":
        return value
    return [to_cents(part) for part in value] if isinstance(value, list) else to_cents(value)
