"""A housing auction's record, told bid by bid: as English auctions, with personas, and notes in short."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord
from aucenv.envs.english import transcript as english
from aucenv.envs.harbor.divergence import persona_ids

SHOWN = 0.1


def transcript(record: GameRecord) -> Iterator[str]:
    """A housing auction, bid by bid: who is who, who knew what, refused answers, hammers, budgets and profits."""
    for who, dealt in zip(record.seats, record.deal["seats"], strict=True):
        yield f"{who['seat']}: {who['name']} is {' and '.join(dealt['personas']) or 'nobody in particular'}."
    for number, item in enumerate(record.deal["items"], start=1):
        yield f"{number}. {item['name']} suits {item['persona']}."
    ids = persona_ids(record)
    names = {who["seat"]: who["name"] for who in record.seats}
    told = [{**d, "notes": _in_short(d["notes"], ids, names)} for d in record.decisions]
    yield from english.transcript(dataclasses.replace(record, decisions=told))


def _in_short(notes: JsonObject, ids: list[str], names: dict[str, str]) -> JsonObject:
    """Of a profile the persona with the most weight, if it has at least SHOWN."""
    short = dict(notes)
    for rival, weights in short.pop("profiles", {}).items():
        best = max(range(len(weights)), key=lambda k: weights[k])
        if weights[best] >= SHOWN:
            short[f"reads {names[rival]}"] = f"{ids[best]} {weights[best]:.2f}"
    return short
