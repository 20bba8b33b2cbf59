"""Transcripts of housing auctions, bid by bid: those of English auctions, with personas and abbreviated notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.english import transcript as english
from aucenv.envs.harbor.divergence import persona_ids

SHOWN = 0.1
"""The least weight of a profile that a transcript shows."""


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: personas, deal, bids, refused replies, sales, budgets and profits."""
    for player, dealt in zip(record.seats, record.deal["seats"], strict=True):
        yield f"{player['seat']}: {player['name']} is {' and '.join(dealt['personas']) or 'nobody in particular'}."
    for number, item in enumerate(record.deal["items"], start=1):
        yield f"{number}. {item['name']} suits {item['persona']}."
    ids = persona_ids(record)
    names = {player["seat"]: player["name"] for player in record.seats}
    decisions = [{**d, "notes": _abbreviate(d["notes"], ids, names)} for d in record.decisions]
    yield from english.transcript(dataclasses.replace(record, decisions=decisions))


def _abbreviate(notes: JsonObject, ids: list[str], names: dict[str, str]) -> JsonObject:
    """Return the notes with each profile replaced by its highest persona, if that has at least weight SHOWN."""
    short = dict(notes)
    for rival, weights in short.pop("profiles", {}).items():
        best = max(range(len(weights)), key=lambda k: weights[k])
        if weights[best] >= SHOWN:
            short[f"reads {names[rival]}"] = f"{ids[best]} {weights[best]:.2f}"
    return short
