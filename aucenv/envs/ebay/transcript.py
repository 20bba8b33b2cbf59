"""Transcripts of proxy auctions, day by day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import CURRENCIES, money
from aucenv.core.words.transcript import describe_decision
from aucenv.envs.ebay.figures import moves_of
from aucenv.envs.single_item import transcript as single_item


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: values, moves by day with maxima, prices and leaders, and profits."""
    sign = CURRENCIES[record.scenario["currency"]]

    def describe_move(maximum: float | None) -> str:
        return "holds" if maximum is None else money(maximum, sign)

    def describe_replies(decisions: list[JsonObject], names: Mapping[str, str]) -> Iterator[str]:
        moves = zip(decisions, moves_of(record, decisions[0]["item"]), strict=True)
        for day, on_day in groupby(moves, key=lambda pair: pair[1].day):
            texts = []
            for decision, move in on_day:
                leads = "nobody leads" if move.leader is None else f"{names[move.leader]} leads"
                did = describe_decision(decision, names, describe_move)
                texts.append(f"{did} (price {money(move.price, sign)}, {leads})")
            yield f"  day {day}: {'; '.join(texts)}"

    return single_item.transcript(record, describe_replies)
