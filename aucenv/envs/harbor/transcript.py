"""Transcripts of housing auctions, bid by bid: those of English auctions, with personas and abbreviated notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.phrases import listed
from aucenv.envs.english.transcript import bid_by_bid
from aucenv.envs.harbor.notes import persona_ids

SHOWN = 0.1
"""The least weight of a profile that a transcript shows."""


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: personas, deal, bids, refused replies, sales, budgets and profits."""
    ids = persona_ids(record)
    names = {player["seat"]: player["name"] for player in record.seats}
    decisions = [{**d, "notes": _abbreviate(d["notes"], ids, names)} for d in record.decisions]
    yield from bid_by_bid(
        dataclasses.replace(record, decisions=decisions),
        [_personas(dealt["personas"]) for dealt in record.deal["seats"]],
        [f" (matches {item['persona']})" for item in record.deal["items"]],
    )


def _personas(personas: list[str]) -> str:
    """Return a bidder's personas in words."""
    if not personas:
        return ", no persona"
    return f", {'persona' if len(personas) == 1 else 'personas'} {listed(personas)}"


def _abbreviate(notes: JsonObject, ids: list[str], names: dict[str, str]) -> JsonObject:
    """Return the notes with each profile replaced by its highest personas, if they have at least weight SHOWN."""
    short = dict(notes)
    profiles = {f"reads {names[rival]} as": weights for rival, weights in short.pop("profiles", {}).items()}
    if isinstance(short.get("read_as"), list):
        profiles["is read as"] = short.pop("read_as")
    for words, weights in profiles.items():
        best = max(weights, default=0)
        if best >= SHOWN:
            likely = listed([name for name, weight in zip(ids, weights, strict=False) if weight == best])
            short[f"{words} {likely}"] = f"{best:.2f}"
    return short
