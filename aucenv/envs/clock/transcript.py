"""A clock auction's record, price by price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES, money
from aucenv.core.record import GameRecord
from aucenv.core.transcript import answer
from aucenv.envs.single_item import transcript as prizes

SAYS = {"ascending": ("leaves", "stays", "stays until"), "descending": ("waits", "takes it", "takes it at")}


def transcript(record: GameRecord) -> Iterator[str]:
    """A game, answer by answer: values, refused answers, leaving prices, prices and profits."""
    scenario = record.scenario
    sign = CURRENCIES[scenario["currency"]]
    none, zero, limit = SAYS[scenario["direction"]]
    rising = scenario["direction"] == "ascending"
    start = scenario["lowest_price" if rising else "highest_price"]
    step = scenario["tick"] if rising else -scenario["tick"]

    def say_at(price: float, amount: float | None) -> str:
        if amount is None:
            return none
        now = amount == 0 if rising else amount >= price
        return zero if now else f"{limit} {money(amount, sign)}"

    def answers(decisions: list[JsonObject], names: Mapping[str, str]) -> Iterator[str]:
        for number, of_tick in groupby(decisions, key=lambda decision: decision["round"]):
            price = start + number * step
            said = "; ".join(answer(decision, names, partial(say_at, price)) for decision in of_tick)
            yield f"  at {money(price, sign)}: {said}"

    return prizes.transcript(record, answers)
