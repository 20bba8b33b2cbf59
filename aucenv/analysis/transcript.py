"""Records -> a game told line by line, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aucenv.analysis import english_transcript, harbor_transcript, prize_transcript, water_transcript
from aucenv.records import GameRecord

OF_GAME: dict[str, Any] = {
    "english": english_transcript,
    "harbor": harbor_transcript,
    "sealed_bid": prize_transcript,
    "clock": prize_transcript,
    "water_allocation": water_transcript,
}
"""The module of each game: `transcript(record)`, its lines."""


def transcript(record: GameRecord) -> Iterator[str]:
    """A game, answer by answer: who knew what, refused answers, who won and paid what."""
    yield f"Game {record.index} of {record.game}, scenario {record.scenario['name']}, seed {record.seed}."
    yield from OF_GAME[record.game].transcript(record)
