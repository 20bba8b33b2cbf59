"""The data of a page: games with what their views need, model calls, and the blocks that hold both compressed."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from aucenv.benchmarks.report.redaction import redacted, redacted_texts, without_notes

from aucenv.core.boards.board import Board
from aucenv.core.boards.choices import legal_choices
from aucenv.core.boards.series import other_columns, pack
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game import Game
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.read_notes import mistakes_in, seat_notes
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import conversations
from aucenv.runs.recorded.boards import rounds_of

BLOCK_SIZE = 400_000
"""The number of characters of JSON after which a block of games ends."""
TEXTS_PER_BLOCK = 200
MISTAKES = ("refused bids", "unreadable replies", "wrong beliefs", "other mistakes", "forfeits")
"""The kinds of mistakes by which a page filters games."""


def game_data(record: GameRecord, is_redacted: bool = False) -> JsonObject:
    """Return a record as the page needs it: with labels, its boards, and how decisions are said.

    Args:
        record: The record.
        is_redacted: Whether words and names are left out.
    """
    module = find_family(record.game).game.board
    shown = redacted(record) if is_redacted else record
    boards, text = _boards(record, is_redacted)
    data: JsonObject = {
        "game": record.game,
        "index": record.index,
        "scenario": shown.scenario,
        "seed": [] if is_redacted else record.seed,
        "seats": [
            {**player, "label": seat_label(player), "cheats": original.get("notes", {}).get("cheats", False)}
            for player, original in zip(shown.seats, record.seats, strict=True)
        ],
        "decisions": shown.decisions,
        "outcome": {"status": record.outcome["status"]},
        "items": [{"name": item["name"]} for item in shown.deal.get("items", ()) if "name" in item],
        "sign": boards[0].sign,
        "said": dataclasses.asdict(module.said(text)),
        "boards": pack(boards),
    }
    if is_redacted:
        return data
    if personas := [persona.id for persona in getattr(text, "personas", ()) if hasattr(persona, "id")]:
        data["personas"] = personas  # to which profiles of rivals refer
    if hasattr(module, "beliefs") and (stated := module.beliefs(record)):
        data["beliefs"] = stated
    return data


def _boards(record: GameRecord, is_redacted: bool) -> tuple[list[Board], Any]:
    """Return the boards of a game, which show everything, and the texts of its scenario."""
    boards: list[Board] = []
    for table in rounds_of(record):
        if is_redacted and not boards:
            table.scenario_text = redacted_texts(table.scenario_text, record)
        board = table.game.board.board(table.view(0, reveal=True))
        boards.append(without_notes(board) if is_redacted else board)
    return boards, table.scenario_text


def choices_of(game: Game, view: Any) -> JsonObject:
    """Return what a seat that has to decide may do; see `core.boards.choices`."""
    choices: JsonObject = (
        game.board.choices(view) if hasattr(game.board, "choices") else legal_choices(game.rules, view)
    )
    return choices


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


class _GamesBlock:
    """A block of games.

    Attributes:
        size: The number of characters of its games.
    """

    def __init__(self) -> None:
        self.size = 0
        self._scenarios: dict[str, int] = {}
        self._shapes: dict[str, int] = {}
        self._columns: list[list[Any]] = []
        self._games: list[JsonObject] = []

    def add(self, data: JsonObject) -> int:
        """Add a game, and return its place."""
        boards = data["boards"]
        shape = self._shapes.setdefault(json.dumps(boards["shape"]), len(self._shapes))
        if shape == len(self._columns):
            self._columns.append(boards["columns"])
        columns = other_columns(boards["columns"], self._columns[shape])
        scenario = self._scenarios.setdefault(json.dumps(data["scenario"]), len(self._scenarios))
        packed = {"shape": shape, "columns": columns, "lists": boards["lists"]}
        self._games.append({**data, "scenario": scenario, "boards": packed})
        self.size += len(json.dumps(self._games[-1]))
        return len(self._games) - 1

    def data(self) -> JsonObject:
        """Return the block."""
        shapes = zip(map(json.loads, self._shapes), self._columns, strict=True)
        return {
            "scenarios": [json.loads(each) for each in self._scenarios],
            "shapes": [{"shape": shape, "columns": columns} for shape, columns in shapes],
            "games": self._games,
        }


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
        """Add games, and yield the block of each and its place in it.

        Equal scenarios of a block are stored once, and so are equal shapes of boards, with the columns of the first
        game that has them.
        """
        block = _GamesBlock()
        number = 0
        for data in games:
            yield number, block.add(data)
            if block.size > BLOCK_SIZE:
                self.add(f"games-{number}", block.data())
                number, block = number + 1, _GamesBlock()
        if block.size:
            self.add(f"games-{number}", block.data())

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
