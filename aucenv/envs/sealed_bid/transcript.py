"""A sealed-bid auction's record, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES, money
from aucenv.core.record import GameRecord
from aucenv.core.transcript import answer
from aucenv.envs.single_item import transcript as prizes


def transcript(record: GameRecord) -> Iterator[str]:
    """A game, answer by answer: values, refused answers, bids, prices and profits."""
    sign = CURRENCIES[record.scenario["currency"]]

    def say(bid: float | None) -> str:
        return "abstains" if bid is None else money(bid, sign)

    def answers(decisions: list[JsonObject], names: Mapping[str, str]) -> Iterator[str]:
        yield "  " + "; ".join(answer(decision, names, say) for decision in decisions)

    return prizes.transcript(record, answers)
