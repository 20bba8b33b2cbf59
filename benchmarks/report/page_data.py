"""The data of a page: games with what their views need, model calls, and the blocks that hold both compressed."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aucenv.benchmarks.report.redaction import redacted, redacted_view

from aucenv.analysis.transcript import transcript
from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.bidder_name import seat_label
from aucenv.core.choices import legal_choices
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game import Game
from aucenv.core.money import CURRENCIES
from aucenv.core.read_notes import mistakes_in, seat_notes
from aucenv.core.record import GameRecord
from aucenv.core.state import NOBODY
from aucenv.registration import find_family
from aucenv.runs.calls import Call
from aucenv.runs.journal import conversations
from aucenv.runs.records import retrace

BLOCK_SIZE = 400_000
"""The number of characters of JSON after which a block of games ends."""
TEXTS_PER_BLOCK = 200
MISTAKES = ("refused bids", "unreadable replies", "wrong beliefs", "other mistakes", "forfeits")
"""The kinds of mistakes by which a page filters games."""


def script_of(game: Game) -> Path | None:
    """Return the module that draws a game, `page.js` in its folder; None if it has none."""
    path = Path(str(files(game.package))) / "page.js"
    return path if path.is_file() else None


def game_data(record: GameRecord, is_redacted: bool = False) -> JsonObject:
    """Return a record as the page needs it: with labels, the texts of its scenario, and what its views cannot rebuild.

    `words` is the transcript of a game that has no `page.js`.

    Args:
        record: The record.
        is_redacted: Whether words and names are left out.
    """
    game = find_family(record.game).game
    shown = redacted(record) if is_redacted else record
    data: JsonObject = {
        "game": record.game,
        "index": record.index,
        "scenario": shown.scenario,
        "seed": [] if is_redacted else record.seed,
        "seats": [
            {**player, "label": seat_label(player), "cheats": original.get("notes", {}).get("cheats", False)}
            for player, original in zip(shown.seats, record.seats, strict=True)
        ],
        "deal": shown.deal,
        "decisions": shown.decisions,
        "outcome": shown.outcome,
        "items": shown.deal.get("items", []),
        "sign": CURRENCIES.get(record.scenario.get("currency", ""), "$"),
    }
    module = page_module(game.package)
    if module is not None and hasattr(module, "is_incomplete") and module.is_incomplete(record):
        data |= _retraced(record, module)
        if is_redacted and "end" in data:
            data["end"] = redacted_view(data["end"])
    if is_redacted:
        return data
    if module is None:
        return {**data, "words": list(transcript(record))}
    if hasattr(module, "texts"):
        data["texts"] = _texts(record.game, json.dumps(record.scenario, sort_keys=True))
    if hasattr(module, "beliefs") and (stated := module.beliefs(record)):
        data["beliefs"] = stated
    return data


@lru_cache
def page_module(package: str) -> Any:
    """Return the module `page` of a game, with `view_data`; None if the game has none."""
    return import_module(f"{package}.page") if find_spec(f"{package}.page") is not None else None


def choices_of(game: Game, view: Any) -> JsonObject:
    """Return what a seat that has to decide may do; see `core.choices`."""
    module = page_module(game.package)
    choices: JsonObject = module.choices(view) if hasattr(module, "choices") else legal_choices(game.rules, view)
    return choices


@lru_cache(256)
def _texts(game: str, scenario: str) -> JsonObject:
    loaded = find_family(game).game
    texts: JsonObject = page_module(loaded.package).texts(
        loaded.scenario_text(loaded.load_scenario(json.loads(scenario)))
    )
    return texts


def _retraced(record: GameRecord, module: Any) -> JsonObject:
    """Return who led after each round, and the view of a truncated game at its end, from the game's rules."""
    leaders: dict[str, int] = {}
    last = (-1, -1)
    for table, decision in retrace(record):
        if decision is None:
            break
        place = (decision["item"], decision["round"])
        if place != last and place[0] == last[0] and (leader := int(table.state["leader"][0])) != NOBODY:
            leaders[f"{last[0]},{last[1]}"] = leader
        last = place
    if record.outcome["status"] != "truncated":
        return {"leaders": leaders}
    return {"leaders": leaders, "end": module.view_data(table.view(0, reveal=True))}


def mistakes_of(record: GameRecord, beliefs: JsonMapping) -> dict[str, int]:
    """Return the number of mistakes of each kind in a game; kinds without any are left out."""
    errors = count_bid_errors(record).values()
    seats = [player["seat"] for player in record.seats]
    counts = (
        sum(each.illegal for each in errors),
        sum(each.failed.get("unreadable", 0) for each in errors),
        sum(len(one["wrong"]) for stated in beliefs.values() for one in stated),
        sum(len(mistakes_in(notes)) for seat in seats for notes in seat_notes(record, seat)),
        sum("forfeited" in player.get("notes", {}) for player in record.seats),
    )
    return {kind: number for kind, number in zip(MISTAKES, counts, strict=True) if number}


class Blocks:
    """The compressed blocks of a page by name. Each distinct text of model calls is stored once."""

    def __init__(self) -> None:
        self.blocks: dict[str, str] = {}
        self._texts: dict[str, int] = {}

    def add(self, name: str, data: object) -> None:
        """Add a block: JSON, compressed, in base64. Equal data give equal blocks."""
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        packed = gzip.compress(text.encode("utf-8", "backslashreplace"), 9, mtime=0)
        self.blocks[name] = base64.b64encode(packed).decode()

    def add_games(self, games: Iterable[JsonObject]) -> Iterator[tuple[int, int]]:
        """Add games, and yield the block of each and its place in it. Equal scenarios of a block are stored once."""
        number, size = 0, 0
        scenarios: dict[str, int] = {}
        held: list[JsonObject] = []
        for data in games:
            place = scenarios.setdefault(json.dumps(data["scenario"]), len(scenarios))
            held.append({**data, "scenario": place})
            size += len(json.dumps(data))
            yield number, len(held) - 1
            if size > BLOCK_SIZE:
                self._add_games(number, scenarios, held)
                number, size, scenarios, held = number + 1, 0, {}, []
        if held:
            self._add_games(number, scenarios, held)

    def _add_games(self, number: int, scenarios: dict[str, int], games: Sequence[JsonObject]) -> None:
        self.add(f"games-{number}", {"scenarios": [json.loads(each) for each in scenarios], "games": games})

    def add_calls(self, name: str, calls: Sequence[Call]) -> None:
        """Add the model calls of one game."""
        self.add(name, [self._call(call, messages) for call, messages in conversations(calls)])

    def _call(self, call: Call, messages: Sequence[JsonMapping]) -> JsonObject:
        kept = (
            "seat",
            "decision",
            "attempt",
            "purpose",
            "model",
            "finish",
            "tokens_in",
            "tokens_out",
            "cost",
            "seconds",
        )
        data = dataclasses.asdict(dataclasses.replace(call, messages=[]))
        new = messages[call.same :]
        return {
            **{name: data[name] for name in kept},
            "by_person": call.is_answer,
            "earlier": call.same,
            "messages": [[message["role"], self._text(message["content"])] for message in new],
            "reasoning": self._text(call.reasoning) if call.reasoning else None,
            "reply": self._text(call.reply),
        }

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def finish(self) -> None:
        """Add the texts of all calls."""
        texts = list(self._texts)
        for number, start in enumerate(range(0, len(texts), TEXTS_PER_BLOCK)):
            self.add(f"texts-{number}", texts[start : start + TEXTS_PER_BLOCK])
