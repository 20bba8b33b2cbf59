"""Export records and model calls for other tools: Inspect logs (inspect-ai) and Parquet tables (pyarrow)."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from aucenv.analysis.agents.call_times import start_of
from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, naming
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.runs.model_calls.calls import Call, Message
from aucenv.runs.model_calls.journal import conversations


def to_inspect(records: Sequence[GameRecord], calls: Iterable[Call], file: Path) -> None:
    """Write a log for `inspect view`, with one sample for each seat of each game.

    A sample's input is the transcript of the game. Its score is the seat's score, and its events are the calls of the
    seat's model, with generation settings, usage, cost and times. A role of a model is a bidder, by its label.

    Args:
        file: the file to write; its name ends with `.eval` or `.json`.

    Raises:
        ImportError: inspect-ai is not installed.
        ValueError: the file name has another ending, there are no records, or they are of several games.
    """
    if file.suffix not in (".eval", ".json"):
        raise ValueError(f"out: expected a file that ends with .eval or .json, got {str(file)!r}")
    if not records:
        raise ValueError("records: expected at least one game, got none")
    try:
        from inspect_ai.log import write_eval_log

        from aucenv.analysis.export.inspect_log import make_log
    except ImportError:
        raise missing_extra("records export", "export") from None
    log = make_log(records, list(calls))
    with naming(file), tempfile.TemporaryDirectory(dir=file.resolve().parent) as folder:
        partial = Path(folder) / file.name
        write_eval_log(log, str(partial))
        partial.replace(file)


def to_parquet(records: Sequence[GameRecord], calls: Iterable[Call], folder: Path) -> None:
    """Write seats, decisions, attempts (refused replies) and calls as `.parquet` tables into a new folder.

    Data without a fixed schema (outcomes, notes) become columns of JSON.

    Raises:
        ImportError: pyarrow is not installed.
        FileExistsError: the folder exists, or its parent folder does not.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_extra("records export", "export") from None
    if folder.exists() or not folder.resolve().parent.is_dir():
        raise FileExistsError(f"{folder}: expected a new folder in an existing one")
    partial = Path(tempfile.mkdtemp(dir=folder.resolve().parent))
    try:
        for name, (rows, columns) in _tables(pyarrow, records, calls).items():
            schema = pyarrow.schema(list(columns.items()))
            with naming(folder):
                parquet.write_table(pyarrow.Table.from_pylist(rows, schema), partial / f"{name}.parquet")
        partial.chmod(0o755)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


ColumnTypes = JsonObject


def _tables(
    arrow: Any, records: Sequence[GameRecord], calls: Iterable[Call]
) -> dict[str, tuple[list[dict], ColumnTypes]]:
    int64, float64, text = arrow.int64(), arrow.float64(), arrow.string()
    seat_columns = {"game": int64, "seat": text}
    round_columns = seat_columns | {"item": int64, "round": int64}
    names = [field.name for field in dataclasses.fields(Call)]
    call_columns = {
        name: int64 if name in _INTEGER_FIELDS else float64 if name in _FLOAT_FIELDS else text for name in names
    } | {"structured": arrow.bool_(), "started": arrow.timestamp("ms", "UTC")}
    return {
        "seats": (
            [row for record in records for row in _seat_rows(record)],
            seat_columns | {"env": text, "scenario": text, "seed": text, "name": text, "bidder": text, "label": text}
            | {"score": float64, "outcome": text, "notes": text},
        ),
        "decisions": (
            [row for record in records for row in _decision_rows(record)],
            round_columns | {"action": text, "amount": float64, "refused": int64, "notes": text},
        ),
        "attempts": (
            [row for record in records for row in _attempt_rows(record)],
            round_columns | {"attempt": int64, "action": text, "refused": text, "kind": text},
        ),
        "calls": ([_call_row(call, messages) for call, messages in conversations(calls)], call_columns),
    }  # fmt: skip


_INTEGER_FIELDS = (
    "game", "decision", "attempt", "same", "tokens_in", "tokens_out", "tokens_cached", "tokens_written",
    "tokens_reasoning", "tool_calls",
)  # fmt: skip
_FLOAT_FIELDS = ("cost", "seconds", "waited", "reported_cost")
_JSON_FIELDS = ("retries", "settings", "left_out")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _seat_rows(record: GameRecord) -> Iterator[JsonObject]:
    score = figures_of(record.game).SCORE
    for player, result in zip(record.seats, record.outcome["seats"], strict=True):
        yield {
            "game": record.index,
            "seat": player["seat"],
            "env": record.game,
            "scenario": record.scenario["name"],
            "seed": _json(record.seed),
            "name": player["name"],
            "bidder": player["bidder"],
            "label": seat_label(player),
            "score": float(result[score]),
            "outcome": _json(result),
            "notes": _json(player.get("notes", {})),
        }


def _decision_rows(record: GameRecord) -> Iterator[JsonObject]:
    for decision in record.decisions:
        action = decision["action"]
        yield {
            **{name: decision[name] for name in ("seat", "item", "round", "amount")},
            "game": record.index,
            "action": action if action is None or isinstance(action, str) else _json(action),
            "refused": len(decision["attempts"]),
            "notes": _json(decision["notes"]),
        }


def _attempt_rows(record: GameRecord) -> Iterator[JsonObject]:
    for decision in record.decisions:
        for number, attempt in enumerate(decision["attempts"]):
            action = attempt["action"]
            yield {
                **{name: decision[name] for name in ("seat", "item", "round")},
                **attempt,
                "game": record.index,
                "attempt": number,
                "action": action if isinstance(action, str) else _json(action),
            }


def _call_row(call: Call, messages: Sequence[Message]) -> JsonObject:
    columns = {name: _json(getattr(call, name)) for name in _JSON_FIELDS}
    return {**vars(call), **columns, "messages": _json(list(messages)), "started": start_of(call)}
