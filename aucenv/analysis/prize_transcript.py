"""A sealed-bid or clock auction's record, told round by round."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from aucenv.analysis.english_transcript import answer
from aucenv.core.money import CURRENCIES, money
from aucenv.core.record import GameRecord

CLOCK_SAYS = {"ascending": ("leaves", "stays", "stays until"), "descending": ("waits", "takes it", "takes it at")}


def transcript(record: GameRecord) -> Iterator[str]:
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
        yield from _answers(told, record.game, scenario, short, sign)
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


def _answers(
    decisions: list[dict[str, Any]], game: str, scenario: dict[str, Any], names: dict[str, str], sign: str
) -> Iterator[str]:
    if game == "sealed_bid":
        said = "; ".join(
            answer(decision, names, lambda bid: "abstains" if bid is None else money(bid, sign))
            for decision in decisions
        )
        yield f"  {said}"
        return
    none, zero, limit = CLOCK_SAYS[scenario["direction"]]
    rising = scenario["direction"] == "ascending"
    start = scenario["lowest_price" if rising else "highest_price"]
    step = scenario["tick"] if rising else -scenario["tick"]
    for number, of_tick in groupby(decisions, key=lambda decision: decision["round"]):
        price = start + number * step

        def say(amount: float | None, price: float = price) -> str:
            if amount is None:
                return none
            now = amount == 0 if rising else amount >= price
            return zero if now else f"{limit} {money(amount, sign)}"

        yield f"  at {money(price, sign)}: " + "; ".join(answer(decision, names, say) for decision in of_tick)
