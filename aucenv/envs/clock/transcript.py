"""Transcripts of clock auctions; consecutive ticks with the same actions are one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import CURRENCIES, money
from aucenv.core.words.transcript import describe_decision
from aucenv.envs.single_item import transcript as single_item

ACTIONS = {"ascending": ("leaves", "stays", "stays until"), "descending": ("waits", "takes it", "takes it at")}


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: values, actions at each tick, refused replies, prices and profits."""
    scenario = record.scenario
    sign = CURRENCIES[scenario["currency"]]
    withdraw, now, named = ACTIONS[scenario["direction"]]
    rising = scenario["direction"] == "ascending"
    start = scenario["lowest_price" if rising else "highest_price"]
    step = scenario["tick"] if rising else -scenario["tick"]

    def describe_action(price: float, amount: float | None) -> str:
        if amount is None:
            return withdraw
        acts_now = amount == 0 if rising else amount >= price
        return now if acts_now else f"{named} {money(amount, sign)}"

    def describe_replies(decisions: list[JsonObject], names: Mapping[str, str]) -> Iterator[str]:
        prices, actions = [], []
        for number, in_tick in groupby(decisions, key=lambda decision: decision["round"]):
            prices.append(start + number * step)
            describe = partial(describe_action, prices[-1])
            actions.append("; ".join(describe_decision(decision, names, describe) for decision in in_tick))
        for action, same in groupby(range(len(actions)), key=actions.__getitem__):
            ticks = list(same)
            ends = [money(prices[tick], sign) for tick in dict.fromkeys((ticks[0], ticks[-1]))]
            yield f"  at {' to '.join(ends)}: {action}"

    return single_item.transcript(record, describe_replies)
