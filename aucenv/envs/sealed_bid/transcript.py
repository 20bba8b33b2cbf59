"""Transcripts of sealed-bid auctions, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import CURRENCIES, money
from aucenv.core.words.transcript import describe_decision
from aucenv.envs.single_item import transcript as single_item


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: values, bids, refused replies, prices and profits."""
    sign = CURRENCIES[record.scenario["currency"]]

    def describe_bid(bid: float | None) -> str:
        return "abstains" if bid is None else money(bid, sign)

    def describe_replies(decisions: list[JsonObject], names: Mapping[str, str]) -> Iterator[str]:
        yield "  bids: " + "; ".join(describe_decision(decision, names, describe_bid) for decision in decisions)

    return single_item.transcript(record, describe_replies)
