"""Read the logs of proxy auctions of Synthetic Labs' program as recorded auctions.

Source: the format of github.com/KeHang-Zhu/llm-auction: `single_item.logs` describes the folders; a file
`result_*.csv` has a line for each move of an auction: the day, the bidder, whether it bids or holds, its maximum, in
newer files its value, and the price and the leader after the move. All bidders are GPT-4o.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import itertools
from collections.abc import Mapping
from pathlib import Path

from aucenv.core.checks import number, one_of
from aucenv.core.files import JsonObject
from aucenv.core.money import MAX_DOLLARS
from aucenv.envs.ebay.game import SCENARIOS
from aucenv.envs.single_item.logs import LOGGED, MODELS, NAMES, log_id, read_logs, scenario_of, seat_of

__all__ = ["read_auction", "read_auctions"]

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


read_auctions = functools.partial(read_logs, game="ebay", pattern="result_*.csv", read=read_auction)
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
