"""Export records and model calls for other tools: Inspect logs (inspect-ai) and Parquet tables (pyarrow)."""

from __future__ import annotations

import dataclasses
import datetime
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from aucenv.analysis.metrics import figures_of, game_of
from aucenv.analysis.transcript import transcript
from aucenv.core.bidder_name import label_of
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.calls import Call, Message
from aucenv.runs.journal import conversations

START_TIME = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
"""The start of the time stamps of calls in logs, because a journal holds durations but no dates."""


def to_inspect(records: Sequence[GameRecord], calls: Iterable[Call], file: Path) -> None:
    """Write a log for `inspect view`, with one sample for each seat of each game.

    A sample's input is the transcript of the game. Its score is the seat's score, and its events are the calls of the
    seat's model.

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
        from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, write_eval_log
    except ImportError:
        raise missing_extra("records export", "export") from None
    by_seat: dict[tuple[int, str], list[tuple[Call, Sequence[Message]]]] = {}
    for call, messages in conversations(calls):
        by_seat.setdefault((call.game, call.seat), []).append((call, messages))
    game = game_of(records)
    samples = [
        _sample(record, seat, by_seat.get((record.index, player["seat"]), []))
        for record in records
        for seat, player in enumerate(record.seats)
    ]
    spec = EvalSpec(
        created=START_TIME.isoformat(),
        task=f"aucenv/{game}",
        dataset=EvalDataset(name=records[0].scenario["name"], samples=len(samples)),
        model="several",
        config=EvalConfig(),
    )
    log = EvalLog(status="success", eval=spec, results=_results(game, samples), samples=samples)
    with tempfile.TemporaryDirectory(dir=file.resolve().parent) as folder:
        partial = Path(folder) / file.name
        write_eval_log(log, str(partial))
        partial.replace(file)


def _sample(record: GameRecord, seat: int, calls: Sequence[tuple[Call, Sequence[Message]]]) -> Any:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    player, score = record.seats[seat], figures_of(record.game).SCORE
    result = record.outcome["seats"][seat]
    decisions = [decision for decision in record.decisions if decision["seat"] == player["seat"]]
    score_text = f"{score}: {result[score]}"
    return EvalSample(
        id=f"{record.index}-{player['seat']}",
        epoch=1,
        input="\n".join(transcript(record)),
        target="",
        output=ModelOutput.from_content(label_of(player["bidder"]), score_text),
        scores={score: Score(value=result[score], answer=score_text)},
        metadata={
            "bidder": player["bidder"],
            "scenario": record.scenario["name"],
            "seed": record.seed,
            "seat": player["seat"],
            "outcome": result,
            "decisions": decisions,
            "notes": player.get("notes", {}),
        },
        messages=_messages(*calls[-1]) if calls else [],
        events=list(_events(calls)),
    )


def _messages(call: Call, prompt: Sequence[Message]) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant

    return [*map(_message, prompt), ChatMessageAssistant(content=call.reply, model=call.model)]


def _message(message: Message) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    message_classes = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return message_classes[message["role"]](content=message["content"])


def _events(calls: Iterable[tuple[Call, Sequence[Message]]]) -> Iterator[Any]:
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage

    clock = 0.0
    for call, prompt in calls:
        output = ModelOutput.from_content(call.model, call.reply, stop_reason=_STOP_REASONS.get(call.finish, "unknown"))
        if call.tokens_in is not None and call.tokens_out is not None:
            total = call.tokens_in + call.tokens_out
            output.usage = ModelUsage(input_tokens=call.tokens_in, output_tokens=call.tokens_out, total_tokens=total)
        clock += call.waited
        completed = START_TIME + datetime.timedelta(seconds=clock + call.seconds)
        yield ModelEvent(
            model=call.model,
            role=call.purpose,
            input=[_message(message) for message in prompt],
            tools=[],
            tool_choice="none",
            config=GenerateConfig(),
            output=output,
            retries=len(call.retries),
            timestamp=START_TIME + datetime.timedelta(seconds=clock),
            working_start=clock,
            working_time=call.seconds,
            completed=completed,
            metadata={"decision": call.decision, "attempt": call.attempt, "cost": call.cost},
        )
        clock += call.seconds


_STOP_REASONS: JsonMapping = {
    "stop": "stop",
    "length": "max_tokens",
    "refusal": "content_filter",
    "content_filter": "content_filter",
    "context": "model_length",
}


def _results(game: str, samples: Sequence[Any]) -> Any:
    """Return the mean score of every bidder as Inspect results."""
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    name = figures_of(game).SCORE
    scores_by_bidder: dict[str, list[float]] = {}
    for sample in samples:
        scores_by_bidder.setdefault(label_of(sample.metadata["bidder"]), []).append(sample.scores[name].value)
    metrics = {
        label: EvalMetric(name=label, value=sum(scores) / len(scores)) for label, scores in scores_by_bidder.items()
    }
    return EvalResults(
        total_samples=len(samples),
        completed_samples=len(samples),
        scores=[EvalScore(name=name, scorer=name, metrics=metrics)],
    )


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
    } | {"structured": arrow.bool_()}
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


_INTEGER_FIELDS = ("game", "decision", "attempt", "same", "tokens_in", "tokens_out")
_FLOAT_FIELDS = ("cost", "seconds", "waited")


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
            "label": label_of(player["bidder"]),
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
    return {**vars(call), "messages": _json(list(messages)), "retries": _json(call.retries)}
