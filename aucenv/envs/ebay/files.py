"""Proxy auctions that were recorded elsewhere, and logs of Synthetic Labs' program, under our rules.

A recorded auction is an object: id, closing ("hard" or "soft"), reserve (0: none), increment, seats (the names) and
days: a list of days, each a list of the day's moves in their order, {seat, bid (the seat's new maximum; null: it
holds), price, leader (both after the move)}. Optional in a move are price and leader, and in an auction winner (the
final leader, also where the prize is not sold), price (the final one), sold, `announced_days`, by default 10, values
(one for each seat) and the name of a scenario. Where maxima tie, a recorded leader that is among the tied leads. A
recorded bid below the price is taken, although a bidder may not make it here. What a record names as leader before the
first bid is not compared, as there is none.

Logs have the format of github.com/KeHang-Zhu/llm-auction: `single_item.files` describes the folders; a file
`result_*.csv` has a line for each move of an auction: the day, the bidder, whether it bids or holds, its maximum, in
newer files its value, and the price and the leader after the move. All bidders are GPT-4o.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aucenv.core.checks import field, no_duplicates, number, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, fields_only
from aucenv.core.play.table import Table
from aucenv.core.records.replay_result import BidRounding, ReplayDifference, ReplayResult
from aucenv.core.state import NOBODY
from aucenv.core.words.money import MAX_DOLLARS, checked_dollars, to_cents, to_dollars
from aucenv.core.words.names import MAX_ID, checked_name, scenario_name
from aucenv.envs.ebay.game import CLOSINGS, GAME, SCENARIOS, EbayScenario
from aucenv.envs.ebay.rules import MAX_DAYS, call_mover
from aucenv.envs.single_item.files import LOGGED, MODELS, NAMES, log_id, read_values, scenario_of, seat_of, write_values
from aucenv.envs.single_item.files import read_logs as read_files
from aucenv.envs.single_item.values import MAX_BIDDERS, MIN_BIDDERS

FIELDS = ("period_id", "current_price", "agent_selected", "action", "bid", "highest_bidder")
"""The columns that are read; the column `value` may be missing."""
ACTIONS = ("bid", "hold")


def read_auction(file: Path, game: str = "ebay") -> JsonObject:
    """Return a logged auction as a recorded one, with the model as its `bidder`.

    Raises:
        OSError: The file cannot be read.
        ValueError: The folder is of no experiment with proxy auctions, or the file is no log of one.
    """
    scenario = SCENARIOS[scenario_of(file, game)]
    with file.open(encoding="utf-8", errors="replace", newline="") as text:
        reader = csv.DictReader(text, strict=True)
        try:
            lines = list(reader)
        except csv.Error as error:
            raise ValueError(f"{file}:{reader.line_num}: {error}") from None
    missing = [name for name in FIELDS if name not in (reader.fieldnames or ())]
    if missing or not lines:
        raise ValueError(f"{file}: expected a line for each move with the columns {', '.join(FIELDS)}")
    numbered = [(f"{file}:{number}", line) for number, line in enumerate(lines, 2)]
    moves = [(_number(where, line, "period_id"), _move(where, line)) for where, line in numbered]
    names = NAMES[: 1 + max(NAMES.index(str(move["seat"])) for _, move in moves)]
    days = [[move for _, move in day] for _, day in itertools.groupby(moves, key=lambda each: each[0])]
    if len(days) < scenario.days:
        raise ValueError(f"{file}: expected at least {scenario.days} days, got {len(days)}")
    values = {
        _name(where, line, "agent_selected"): _number(where, line, "value")
        for where, line in numbered
        if line.get("value")
    }
    if values and (missing := [name for name in names if name not in values]):
        raise ValueError(f"{file}: value: expected one for each bidder, got none for {', '.join(missing)}")
    return {
        "id": log_id(file),
        "scenario": scenario.name,
        "closing": scenario.closing,
        "reserve": scenario.reserve,
        "increment": scenario.increment,
        "announced_days": scenario.days,
        "bidder": f"{MODELS[1]}{LOGGED}",
        "seats": list(names),
        "days": days,
        **({"values": [values[name] for name in names]} if values else {}),
    }


read_logs = functools.partial(read_files, game="ebay", pattern="result_*.csv", read=read_auction)
"""Yield the place of each auction below a path, and its recorded auction, or why it cannot be read."""


def _move(where: str, line: Mapping[str, str]) -> JsonObject:
    """Return a line as a recorded move."""
    action = one_of(f"{where}: action", line["action"] or "", ACTIONS)
    return {
        "seat": _name(where, line, "agent_selected"),
        "bid": _number(where, line, "bid") if action == "bid" else None,
        "price": _number(where, line, "current_price"),
        "leader": _name(where, line, "highest_bidder") if line["highest_bidder"] else None,
    }


def _name(where: str, line: Mapping[str, str], field: str) -> str:
    return NAMES[seat_of(line[field] or "", len(NAMES), f"{where}: {field}")]


def _number(where: str, line: Mapping[str, str], field: str) -> float:
    text: str | float = line[field] or ""
    with contextlib.suppress(ValueError):
        text = float(text)
    return number(f"{where}: {field}", text, 0, MAX_DOLLARS)


PAPERS_DAYS = 10
RECORDED = fields_only(
    *("id", "scenario", "bidder", "closing", "reserve", "increment", "seats", "winner", "price", "sold"),
    *("announced_days", "values"),
    days=ListOf(ListOf(fields_only("seat", "bid", "price", "leader"))),
)
"""The fields of a recorded auction."""


@dataclasses.dataclass(frozen=True)
class RecordedMove:
    """A recorded move.

    Attributes:
        seat: the number of the seat.
        bid: the seat's new maximum in dollars; None if it holds.
        price: the price after the move in dollars; None if it is not recorded.
        leader: the number of the seat that is named as leader after the move; None if none is, or before the first bid.
    """

    seat: int
    bid: float | None
    price: float | None
    leader: int | None


def replay_game(data: JsonMapping, where: str) -> ReplayResult:
    """Replay one recorded auction under our rules.

    Raises:
        ValueError: the record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    rounding = BidRounding()
    try:
        if data.get("id") is None:
            raise ValueError("expected the field 'id'")
        names = [checked_name("seats", name) for name in field(data, "seats", list)]
        if not MIN_BIDDERS <= len(names) <= MAX_BIDDERS:
            raise ValueError(f"seats: expected {MIN_BIDDERS} to {MAX_BIDDERS}, got {len(names)}")
        no_duplicates("seats", names)
        days: list[list[RecordedMove]] = []
        for k, day in enumerate(field(data, "days", list)):
            started = any(move.bid is not None for earlier in days for move in earlier)
            days.append(_read_day(day, f"days[{k}]", names, rounding, started))
        scenario = _scenario(data, len(names), days)
        has_values = data.get("values") is not None
        values = read_values([data], "ipv") if has_values else []
        if has_values and len(values[0].values) != len(names):
            raise ValueError(f"values: expected one for each of {len(names)} seats, got {len(values[0].values)}")
        for name in ("winner", "price", "sold"):
            _check_result(data, name, names)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(GAME, scenario, ["amount"] * len(names), illegal="raise")
    table.reset(0)
    write_values(table, values)
    ours: list[list[JsonObject]] = []
    difference = None
    try:
        for k, day in enumerate(days):
            ours.append([])
            _play_day(table, day, k, names, rounding, ours[-1])
        if not table.over:
            raise ReplayDifference(f"the record ends after day {len(days)}, our rules continue")
        _compare_results(table, data, names, rounding)
    except ReplayDifference as error:
        difference = str(error)
    compared = any(name in data for name in ("winner", "price", "sold")) or any(
        move.price is not None or move.leader is not None for day in days for move in day
    )
    output = {"id": data["id"], **_results(table, names), "days": ours}
    notes = tuple(rounding.notes)
    return ReplayResult(data["id"], output, difference, compared, table, notes, has_values=has_values)


def _read_day(
    moves: Sequence[JsonMapping], where: str, names: Sequence[str], rounding: BidRounding, started: bool
) -> list[RecordedMove]:
    """Return the moves of a day, in which every seat moves once.

    Args:
        moves: the recorded moves.
        where: the place of the day, for errors.
        names: the names of the seats.
        rounding: rounds bids to whole cents.
        started: whether somebody has bid on an earlier day; before the first bid, no leader is read.
    """
    day = []
    for place, move in enumerate(moves):
        path = f"{where}[{place}]"
        seat = names.index(one_of(f"{path}.seat", field(move, "seat", str, path), names))
        bid, leader, price = move.get("bid"), move.get("leader"), move.get("price")
        if bid is not None:
            bid = rounding.round(f"{path}.bid", checked_dollars(bid, f"{path}.bid", least=0), 0)
        started = started or bid is not None
        leader = names.index(one_of(f"{path}.leader", leader, names)) if started and leader is not None else None
        if price is not None:
            price = number(f"{path}.price", price, 0, MAX_DOLLARS)
        day.append(RecordedMove(seat, bid, price, leader))
    order = [names[move.seat] for move in day]
    if sorted(order) != sorted(names):
        raise ValueError(f"{where}: expected one move of each of {', '.join(names)}, got {', '.join(order) or 'none'}")
    return day


def _scenario(data: JsonMapping, num_bidders: int, days: Sequence[Sequence[RecordedMove]]) -> EbayScenario:
    """Return the scenario of a record; its step is $1, or $0.01 if any amount has cents."""
    closing = one_of("closing", field(data, "closing", str), CLOSINGS)
    if not 1 <= len(days) <= MAX_DAYS:
        raise ValueError(f"days: expected 1 to {MAX_DAYS}, got {len(days)}")
    announced = len(days) if closing == "hard" else min(len(days), PAPERS_DAYS)
    if data.get("announced_days") is not None:
        announced = whole_number("announced_days", data["announced_days"], 1, len(days))
    bids = [to_cents(move.bid) for day in days for move in day if move.bid is not None]
    step = 100 if all(bid % 100 == 0 for bid in bids) else 1
    reserve = number("reserve", data.get("reserve", 0), 0, MAX_DOLLARS)
    highest = -(-max([9900, to_cents(reserve), *bids]) // step) * step
    name = scenario_name(checked_name("id", str(data["id"]), MAX_ID))
    return EbayScenario(
        name if data.get("scenario") is None else one_of("scenario", data["scenario"], SCENARIOS),
        num_bidders=num_bidders,
        days=announced,
        closing=closing,
        reserve=reserve,
        increment=number("increment", data.get("increment", 1), 0.01, MAX_DOLLARS),
        highest_maximum=to_dollars(highest),
        bid_step=step / 100,
    )


def _check_result(data: JsonMapping, name: str, names: Sequence[str]) -> None:
    value = data.get(name)
    if value is None:
        return
    if name == "winner":
        one_of(name, value, names)
    elif name == "sold":
        one_of(name, value, (False, True))
    else:
        number(name, value, 0, MAX_DOLLARS)


def _play_day(
    table: Table,
    day: Sequence[RecordedMove],
    k: int,
    names: Sequence[str],
    rounding: BidRounding,
    ours: list[JsonObject],
) -> None:
    """Make the moves of day `k`, from 0, in their recorded order, and add our prices and leaders to `ours`.

    Raises:
        ReplayDifference: our rules end the auction earlier, refuse a move, or give another price or leader.
    """
    where = f"day {k + 1}"
    if table.over:
        raise ReplayDifference(f"{where}: our rules end the auction, the record continues")
    row = table.state[0]
    row["order"][: len(day)] = [move.seat for move in day]
    for place, move in enumerate(day):
        call_mover(row)
        _allow_bid(row, move, f"{where}, {names[move.seat]}")
        table.restore(table.snapshot())  # recomputes who moves
        table.force_tie(NOBODY if move.leader is None else move.leader)
        number_of_move = k * len(day) + place
        table.submit_all({move.seat: -1 if move.bid is None else move.bid})
        row = table.state[0]
        price, leader = to_dollars(int(row["price_after"][number_of_move])), int(row["leader_after"][number_of_move])
        ours.append({"price": price, "leader": None if leader == NOBODY else names[leader]})
        if move.price is not None and not rounding.agrees(move.price, price, 0):
            raise ReplayDifference(
                f"{where}, {names[move.seat]}: price recorded {move.price:g}, our rules give {price:g}"
            )
        if None not in (move.leader, ours[-1]["leader"]) and move.leader != leader:
            recorded = names[move.leader or 0]
            raise ReplayDifference(
                f"{where}, {names[move.seat]}: leader recorded {recorded}, our rules give {names[leader]}"
            )


def _allow_bid(row: np.ndarray, move: RecordedMove, where: str) -> None:
    """Let a recorded bid be below the price, which is computed again after the move.

    Raises:
        ReplayDifference: the bid is below the seat's earlier maximum.
    """
    if move.bid is None:
        return
    earlier = int(row["maximum"][move.seat])
    if to_cents(move.bid) < earlier:
        raise ReplayDifference(
            f"{where}: bid recorded {move.bid:g}, which our rules refuse: it is below the earlier maximum "
            f"{to_dollars(earlier):g}"
        )
    row["price_now"] = min(int(row["price_now"]), to_cents(move.bid))


def _results(table: Table, names: Sequence[str]) -> JsonObject:
    """Return our results of an auction that is over; None: it is not."""
    if not table.over:
        return {"sold": None, "winner": None, "price": None}
    row = table.state[0]
    leader, moves = int(row["led"][0]), int(row["days_run"][0]) * len(names)
    sold = int(row["winner"][0]) != NOBODY
    price = int(row["price"][0]) if sold else int(row["price_after"][moves - 1])
    return {"sold": sold, "winner": None if leader == NOBODY else names[leader], "price": to_dollars(price)}


def _compare_results(table: Table, data: JsonMapping, names: Sequence[str], rounding: BidRounding) -> None:
    ours = _results(table, names)
    for name, value in ours.items():
        recorded = data.get(name)
        if recorded is None or (name == "winner" and value is None):
            continue
        agree = rounding.agrees(recorded, value, 0) if name == "price" else recorded == value
        if not agree:
            raise ReplayDifference(f"{name} recorded {recorded}, our rules give {value}")
