"""Transcripts of sealed-bid and clock auctions, round by round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import CURRENCIES, money
from aucenv.core.words.phrases import count, ended

DescribeReplies = Callable[[list[JsonObject], Mapping[str, str]], Iterator[str]]
"""A function from a round's decisions and the names by seat to the lines about the replies."""


def transcript(record: GameRecord, describe_replies: DescribeReplies) -> Iterator[str]:
    """Yield the lines of a record's transcript: values, replies, refused replies, prices and profits.

    Args:
        describe_replies: returns the lines about a round's replies.
    """
    scenario = record.scenario
    sign = CURRENCIES[scenario["currency"]]
    names = {player["seat"]: player["name"] for player in record.seats}
    for player in record.seats:
        yield f"{player['seat']}: {player['name']} ({player['bidder']})."
    for j, group in groupby(record.decisions, key=lambda decision: decision["item"]):
        decisions = list(group)
        values = ", ".join(
            f"{name} {money(dealt['values'][j], sign)}"
            for name, dealt in zip(names.values(), record.deal["seats"], strict=True)
        )
        yield ""
        worth = f"prize worth {money(record.deal['common'][j], sign)}, " if scenario["values"] == "cv" else ""
        kind = f"{worth}{'signals' if worth else 'values'}"
        yield f"Round {j + 1}, {kind}: {values}."
        yield from describe_replies(decisions, names)
        if j >= len(record.outcome["prizes"]):
            yield "  not decided when the game was truncated"
            break
        prize = record.outcome["prizes"][j]
        if prize["winner"] is None:
            yield "  not sold"
        else:
            yield f"  {names[prize['winner']]} wins at {money(prize['price'], sign)}"
        yield "  profits: " + ", ".join(
            f"{names[seat]} {money(profit, sign)}" for seat, profit in zip(names, prize["profits"], strict=True)
        )
    yield ""
    rounds = count(len(record.outcome["prizes"]), "round")
    yield f"The game {ended(record.outcome['status'])} after {rounds}."
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        yield (
            f"{player['name']} ({player['bidder']}): profit {money(result['profit'], sign)}, "
            f"{count(result['prizes_won'], 'prize')}."
        )
