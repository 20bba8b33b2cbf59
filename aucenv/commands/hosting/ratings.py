"""Ratings that people give their own play after a game, on the scales of `alympics/rubrics`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from aucenv.baselines.human.inbox import inbox_of
from aucenv.benchmarks.studies.alympics.droughts import GAME
from aucenv.benchmarks.studies.alympics.forms import NO_SCORE
from aucenv.benchmarks.studies.alympics.scales import HIGHEST, LOWEST, SCALES, scales_of
from aucenv.benchmarks.studies.alympics.subjects import Subject, subjects
from aucenv.core.checks import excerpt, whole_number
from aucenv.core.files import JsonMapping, JsonObject, write_atomically
from aucenv.runs.people import people_in
from aucenv.runs.recorded.forget import file_part


class Ratings:
    """The ratings of a run: a form in CSV for each person, which `aucenv study alympics/self-ratings` reads.

    Args:
        folder: the results folder.
        game: the name of the game.

    Raises:
        ValueError: the game has no scales.
    """

    def __init__(self, folder: Path, game: str) -> None:
        if game != GAME:
            raise ValueError(f"--rubrics: expected the game {GAME}, whose scales they are, got {game}")
        self._folder = folder
        self._scores: dict[str, dict[str, dict[str, int]]] = {}

    def _subject(self, key: str) -> Subject | None:
        """Return a person in the last finished game; None without a game, or if its setting is no published one."""
        record = inbox_of(key).record
        if record is None:
            return None
        seats = [people_in([player["bidder"]]) for player in record.seats]
        return next((subject for subject in subjects([record]) if seats[subject.number] == [key]), None)

    def check(self, keys: Iterable[str]) -> None:
        """Raise ValueError if the file of a person is damaged."""
        for key in keys:
            self._load(key)

    def is_due(self, key: str) -> bool:
        """Return whether a person has not rated the last finished game."""
        subject = self._subject(key)
        return subject is not None and subject.id not in self._load(key)

    def frames(self, key: str) -> list[JsonObject]:
        """Return the form of a person, after a game."""
        subject = self._subject(key)
        if subject is None:
            return []
        scales = [{"name": name, "levels": SCALES[name].levels} for name in scales_of(subject.persona)]
        done = self._load(key).get(subject.id)
        return [{"type": "rubrics", "scales": scales, "least": LOWEST, "most": HIGHEST, "scores": done}]

    def rate(self, key: str, message: JsonMapping) -> None:
        """Keep the scores of a person.

        Raises:
            ValueError: there is no game to rate, or a score is missing or out of range.
            OSError: the form cannot be written.
        """
        subject = self._subject(key)
        if subject is None:
            raise ValueError("scores: expected a finished game to rate, got none")
        scores = message.get("scores")
        if not isinstance(scores, dict):
            raise ValueError(f"scores: expected a number for each scale, got {excerpt(scores)}")
        rated = {
            name: whole_number(f"scores.{name}", scores.get(name), LOWEST, HIGHEST)
            for name in scales_of(subject.persona)
        }
        self._load(key)[subject.id] = rated
        self._write(key)

    def _file(self, key: str) -> Path:
        return self._folder / f"ratings-{file_part(key)}.csv"

    def _load(self, key: str) -> dict[str, dict[str, int]]:
        """Return a person's scores, those of an earlier process included."""
        if key not in self._scores:
            file = self._file(key)
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            try:
                self._scores[key] = {
                    row["id"]: {name: int(row[name]) for name in SCALES if row[name] != NO_SCORE}
                    for row in csv.DictReader(io.StringIO(text))
                }
            except (KeyError, ValueError, TypeError) as error:
                raise ValueError(f"{file}: expected ratings that aucenv has written: {error}") from None
        return self._scores[key]

    def _write(self, key: str) -> None:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(["id", *SCALES])
        for subject, scores in self._scores[key].items():
            writer.writerow([subject, *(scores.get(name, NO_SCORE) for name in SCALES)])
        write_atomically(self._file(key), buffer.getvalue())
