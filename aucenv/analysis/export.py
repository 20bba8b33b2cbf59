"""Records and calls -> files of other tools: Inspect's logs (inspect-ai), Parquet tables (pyarrow)."""

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
from aucenv.core.checks import MissingExtra
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.record import GameRecord
from aucenv.runs.calls import Call, Message
from aucenv.runs.journal import conversations

BEGINNING = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
"""Calls are timed from here: journals say how long they took, not when they were."""


def _needs(error: ImportError) -> MissingExtra:
    return MissingExtra(f"{error.name} is not installed: pip install 'aucenv[export]'")


def to_inspect(records: Sequence[GameRecord], calls: Iterable[Call], file: Path) -> None:
    """Write a log that `inspect view` shows: a sample for each seat of each game.

    A sample's input is the game, told bid by bid; its score, what the seat made; its events, the calls of its model.

    Args:
        file: its name ends with `.eval` or `.json`.

    Raises:
        ImportError: inspect-ai is not installed.
        ValueError: another ending, no records, or records of several games.
    """
    if file.suffix not in (".eval", ".json"):
        raise ValueError(f"out: expected a file that ends with .eval or .json, got {str(file)!r}")
    if not records:
        raise ValueError("records: expected at least one game, got none")
    try:
        from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, write_eval_log
    except ImportError as error:
        raise _needs(error) from None
    by_seat: dict[tuple[int, str], list[tuple[Call, Sequence[Message]]]] = {}
    for call, messages in conversations(calls):
        by_seat.setdefault((call.game, call.seat), []).append((call, messages))
    game = game_of(records)
    samples = [
        _sample(record, seat, by_seat.get((record.index, who["seat"]), []))
        for record in records
        for seat, who in enumerate(record.seats)
    ]
    spec = EvalSpec(
        created=BEGINNING.isoformat(),
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

    who, score = record.seats[seat], figures_of(record.game).SCORE
    made = record.outcome["seats"][seat]
    decisions = [decision for decision in record.decisions if decision["seat"] == who["seat"]]
    told = f"{score}: {made[score]}"
    return EvalSample(
        id=f"{record.index}-{who['seat']}",
        epoch=1,
        input="\n".join(transcript(record)),
        target="",
        output=ModelOutput.from_content(label_of(who["bidder"]), told),
        scores={score: Score(value=made[score], answer=told)},
        metadata={
            "bidder": who["bidder"],
            "scenario": record.scenario["name"],
            "seed": record.seed,
            "seat": who["seat"],
            "outcome": made,
            "decisions": decisions,
            "notes": who.get("notes", {}),
        },
        messages=_messages(*calls[-1]) if calls else [],
        events=list(_events(calls)),
    )


def _messages(call: Call, asked: Sequence[Message]) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant

    return [*map(_message, asked), ChatMessageAssistant(content=call.reply, model=call.model)]


def _message(message: Message) -> Any:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return kinds[message["role"]](content=message["content"])


def _events(calls: Iterable[tuple[Call, Sequence[Message]]]) -> Iterator[Any]:
    from inspect_ai.event import ModelEvent
    from inspect_ai.model import GenerateConfig, ModelOutput, ModelUsage

    clock = 0.0
    for call, asked in calls:
        output = ModelOutput.from_content(call.model, call.reply, stop_reason=_STOPS.get(call.finish, "unknown"))
        if call.tokens_in is not None and call.tokens_out is not None:
            all_ = call.tokens_in + call.tokens_out
            output.usage = ModelUsage(input_tokens=call.tokens_in, output_tokens=call.tokens_out, total_tokens=all_)
        clock += call.waited
        ended = BEGINNING + datetime.timedelta(seconds=clock + call.seconds)
        yield ModelEvent(
            model=call.model,
            role=call.purpose,
            input=[_message(message) for message in asked],
            tools=[],
            tool_choice="none",
            config=GenerateConfig(),
            output=output,
            retries=len(call.retries),
            timestamp=BEGINNING + datetime.timedelta(seconds=clock),
            working_start=clock,
            working_time=call.seconds,
            completed=ended,
            metadata={"decision": call.decision, "attempt": call.attempt, "cost": call.cost},
        )
        clock += call.seconds


_STOPS: JsonMapping = {
    "stop": "stop",
    "length": "max_tokens",
    "refusal": "content_filter",
    "content_filter": "content_filter",
    "context": "model_length",
}


def _results(game: str, samples: Sequence[Any]) -> Any:
    """The mean score of every bidder."""
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    name = figures_of(game).SCORE
    of_bidder: dict[str, list[float]] = {}
    for sample in samples:
        of_bidder.setdefault(label_of(sample.metadata["bidder"]), []).append(sample.scores[name].value)
    metrics = {label: EvalMetric(name=label, value=sum(made) / len(made)) for label, made in of_bidder.items()}
    return EvalResults(
        total_samples=len(samples),
        completed_samples=len(samples),
        scores=[EvalScore(name=name, scorer=name, metrics=metrics)],
    )


def to_parquet(records: Sequence[GameRecord], calls: Iterable[Call], folder: Path) -> None:
    """Write tables into a new folder: seats, decisions, attempts (refused answers) and calls, each `.parquet`.

    What has no fixed form (outcomes, notes) is a column of JSON.

    Raises:
        ImportError: pyarrow is not installed.
        FileExistsError: the folder is there already.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise _needs(error) from None
    if folder.exists() or not folder.resolve().parent.is_dir():
        raise FileExistsError(f"{folder}: expected a new folder, in one that there is")
    partial = Path(tempfile.mkdtemp(dir=folder.resolve().parent))
    try:
        for name, (rows, kinds) in _tables(pyarrow, records, calls).items():
            schema = pyarrow.schema(list(kinds.items()))
            parquet.write_table(pyarrow.Table.from_pylist(rows, schema), partial / f"{name}.parquet")
        partial.chmod(0o755)
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


Kinds = JsonObject


def _tables(arrow: Any, records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, tuple[list[dict], Kinds]]:
    whole, real, text = arrow.int64(), arrow.float64(), arrow.string()
    place = {"game": whole, "seat": text}
    moment = place | {"item": whole, "round": whole}
    names = [part.name for part in dataclasses.fields(Call)]
    of_call = {name: whole if name in _WHOLE else real if name in _REAL else text for name in names}
    return {
        "seats": (
            [row for record in records for row in _seat_rows(record)],
            place | {"env": text, "scenario": text, "seed": text, "name": text, "bidder": text, "label": text}
            | {"score": real, "outcome": text, "notes": text},
        ),
        "decisions": (
            [row for record in records for row in _decision_rows(record)],
            moment | {"action": text, "amount": real, "refused": whole, "notes": text},
        ),
        "attempts": (
            [row for record in records for row in _attempt_rows(record)],
            moment | {"attempt": whole, "action": text, "refused": text, "kind": text},
        ),
        "calls": ([_call_row(call, messages) for call, messages in conversations(calls)], of_call),
    }  # fmt: skip


_WHOLE = ("game", "decision", "attempt", "same", "tokens_in", "tokens_out")
_REAL = ("cost", "seconds", "waited")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _seat_rows(record: GameRecord) -> Iterator[JsonObject]:
    score = figures_of(record.game).SCORE
    for who, made in zip(record.seats, record.outcome["seats"], strict=True):
        yield {
            "game": record.index,
            "seat": who["seat"],
            "env": record.game,
            "scenario": record.scenario["name"],
            "seed": _json(record.seed),
            "name": who["name"],
            "bidder": who["bidder"],
            "label": label_of(who["bidder"]),
            "score": float(made[score]),
            "outcome": _json(made),
            "notes": _json(who.get("notes", {})),
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
