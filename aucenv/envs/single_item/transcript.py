"""A sealed-bid or clock auction's record, round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES, money
from aucenv.core.record import GameRecord

BidErrors = Callable[[list[JsonObject], Mapping[str, str]], Iterator[str]]
"""(decisions of a round, names by seat) -> lines that say what was answered."""


def transcript(record: GameRecord, answers: BidErrors) -> Iterator[str]:
    """A game, answer by answer: values, refused answers, bids, prices and profits."""
    scenario = record.scenario
    sign = CURRENCIES[scenario["currency"]]
    short = {who["seat"]: who["name"] for who in record.seats}
    for who in record.seats:
        yield f"{who['seat']}: {who['name']} ({who['bidder']})."
    for j, decisions in groupby(record.decisions, key=lambda decision: decision["item"]):
        told = list(decisions)
        if j >= len(record.outcome["prizes"]):
            break  # truncated in the middle of a round
        prize = record.outcome["prizes"][j]
        values = ", ".join(
            f"{name} {money(dealt['values'][j], sign)}"
            for name, dealt in zip(short.values(), record.deal["seats"], strict=True)
        )
        yield ""
        worth = f"worth {money(record.deal['common'][j], sign)}; signals" if scenario["values"] == "cv" else "values"
        yield f"Round {j + 1}, {worth}: {values}."
        yield from answers(told, short)
        if prize["winner"] is None:
            yield "  not sold"
        else:
            yield f"  {short[prize['winner']]} wins at {money(prize['price'], sign)}"
        yield "  profits: " + ", ".join(
            f"{short[seat]} {money(profit, sign)}" for seat, profit in zip(short, prize["profits"], strict=True)
        )
    yield ""
    yield f"The game {record.outcome['status']} after {len(record.outcome['prizes'])} rounds."
    for who, result in zip(record.seats, record.outcome["seats"], strict=True):
        yield f"{who['name']} ({who['bidder']}): profit {money(result['profit'], sign)}, {result['prizes_won']} prizes."
