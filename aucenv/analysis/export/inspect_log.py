"""Logs of Inspect with one sample for each seat of each game, and its model calls as events."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from inspect_ai.event import Event, ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageBase,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.scorer import Score
from inspect_ai.viewer import ViewerConfig
from pydantic import ValidationError

from aucenv.analysis.agents.call_times import EPOCH, Times, longest_seat, span_of
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.statistics.metrics import figures_of, game_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, seat_label
from aucenv.runs.model_calls.calls import Call, Message
from aucenv.runs.model_calls.journal import conversations

NO_MODEL = "none/none"
"""Inspect's name of the model of a task that calls none."""


def make_log(records: Sequence[GameRecord], calls: Sequence[Call]) -> EvalLog:
    """Return the log of these games and of the calls of their models."""
    by_seat: dict[tuple[int, str], list[Any]] = {}
    for call, messages in conversations(calls):
        by_seat.setdefault((call.game, call.seat), []).append((call, messages))
    game = game_of(records)
    samples = [
        _sample(record, seat, by_seat.get((record.index, player["seat"]), []))
        for record in records
        for seat, player in enumerate(record.seats)
    ]
    played = {record.index for record in records}
    shown = [call for call in calls if call.game in played]  # those of unfinished games are in no sample
    roles = _by_role(records, shown)
    return EvalLog(
        status="success",
        eval=_spec(game, records, roles, len(samples)),
        results=_results(game, samples),
        stats=_stats(shown, roles),
        samples=samples,
    )


def _by_role(records: Sequence[GameRecord], calls: Iterable[Call]) -> dict[str, list[Call]]:
    """Return the calls of each bidder, by its label."""
    labels = {(record.index, player["seat"]): seat_label(player) for record in records for player in record.seats}
    roles: dict[str, list[Call]] = {}
    for call in calls:
        if (call.game, call.seat) in labels:
            roles.setdefault(labels[call.game, call.seat], []).append(call)
    return roles


def _spec(game: str, records: Sequence[GameRecord], roles: dict[str, list[Call]], samples: int) -> EvalSpec:
    calls = [call for role in roles.values() for call in role]
    models = list(dict.fromkeys(call.model for call in calls))
    endpoints = {call.endpoint for call in calls}
    span = span_of(calls)
    return EvalSpec(
        created=(span[0] if span else EPOCH).isoformat(),
        task=f"aucenv/{game}",
        dataset=EvalDataset(name=records[0].scenario["name"], samples=samples),
        model=", ".join(models) or NO_MODEL,
        model_base_url=endpoints.pop() if len(endpoints) == 1 else None,
        model_generate_config=common_config(calls),
        model_roles={role: _model_configs(role_calls) for role, role_calls in roles.items()} or None,
        config=EvalConfig(),
        viewer=ViewerConfig(trust_content=False),  # models wrote it: plain text, with invisible characters made visible
    )


def _model_configs(calls: Sequence[Call]) -> ModelConfig | list[ModelConfig]:
    """Return the model of a bidder, or its models, with their generation settings."""
    by_model: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        by_model.setdefault((call.model, call.endpoint), []).append(call)
    configs = [
        ModelConfig(model=model, base_url=endpoint, config=common_config(part))
        for (model, endpoint), part in by_model.items()
    ]
    return configs[0] if len(configs) == 1 else configs


def _stats(calls: Sequence[Call], roles: dict[str, list[Call]]) -> EvalStats:
    start, end = span_of(calls) or (EPOCH, EPOCH + longest_seat(calls))  # without times, the viewer shows "NaN days"
    return EvalStats(
        started_at=start.isoformat(),
        completed_at=end.isoformat(),
        model_usage=usage_by_model(calls),
        role_usage={role: total_usage(part) for role, part in roles.items()},
    )


def _sample(record: GameRecord, seat: int, conversation: Conversation) -> EvalSample:
    player, score = record.seats[seat], figures_of(record.game).SCORE
    label, calls = seat_label(player), [call for call, _ in conversation]
    result = record.outcome["seats"][seat]
    decisions = [decision for decision in record.decisions if decision["seat"] == player["seat"]]
    score_text = f"{score}: {result[score]}"
    span = span_of(calls)
    return EvalSample(
        id=f"{record.index}-{player['seat']}",
        epoch=1,
        input="\n".join(transcript(record)),
        target="",
        output=ModelOutput.from_content(label, score_text),
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
        messages=messages_of(*conversation[-1]) if conversation else [],
        events=list(events_of(conversation, label, decisions)),
        model_usage=usage_by_model(calls),
        role_usage={label: total_usage(calls)} if calls else {},
        started_at=span[0].isoformat() if span else None,
        completed_at=span[1].isoformat() if span else None,
        total_time=(span[1] - span[0]).total_seconds() if span else None,
        working_time=sum(call.seconds for call in calls) if span else None,
    )


def _results(game: str, samples: Sequence[EvalSample]) -> EvalResults:
    """Return the mean score of every bidder as Inspect results."""
    name = figures_of(game).SCORE
    scores_by_bidder: dict[str, list[float]] = {}
    for sample in samples:
        scores = sample.scores or {}
        scores_by_bidder.setdefault(label_of(sample.metadata["bidder"]), []).append(scores[name].as_float())
    metrics = {
        label: EvalMetric(name=label, value=sum(scores) / len(scores)) for label, scores in scores_by_bidder.items()
    }
    return EvalResults(
        total_samples=len(samples),
        completed_samples=len(samples),
        scores=[EvalScore(name=name, scorer=name, metrics=metrics)],
    )


STOP_REASONS: Mapping[str, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "refusal": "content_filter",
    "content_filter": "content_filter",
    "context": "model_length",
}
"""`Call.finish` -> Inspect's name of it."""
CONFIG_FIELDS = {
    **{
        name: name
        for name in (
            "temperature", "top_p", "top_k", "max_tokens", "seed", "frequency_penalty", "presence_penalty",
            "logprobs", "top_logprobs", "reasoning_effort", "verbosity", "parallel_tool_calls",
        )
    },
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "n": "num_choices",
}  # fmt: skip
"""Parameters of a request -> the fields of Inspect's `GenerateConfig` for them."""

Conversation = Sequence[tuple[Call, Sequence[Message]]]
"""The calls of a seat, each with all of its messages."""


def config_of(settings: JsonMapping) -> GenerateConfig:
    """Return generation settings; `extra_body` holds the parameters that do not fit a field of Inspect."""
    known: JsonObject = {}
    others: JsonObject = {}
    for name, value in settings.items():
        field = CONFIG_FIELDS.get(name)
        if field is not None and field not in known and _fits(field, value):
            known[field] = value
        else:
            others[name] = value
    return GenerateConfig(**known, extra_body=others or None)


def _fits(field: str, value: object) -> bool:
    try:
        GenerateConfig.model_validate({field: value}, strict=True)
    except ValidationError:
        return False
    return True


def common_config(calls: Iterable[Call]) -> GenerateConfig:
    """Return the generation settings that all of these calls have."""
    first, *others = [call.settings for call in calls] or [{}]
    return config_of({
        name: value for name, value in first.items() if all(name in one and one[name] == value for one in others)
    })  # fmt: skip


def usage_of(call: Call) -> ModelUsage | None:
    """Return the tokens and the cost of a call; None if its endpoint does not report tokens."""
    if call.tokens_in is None or call.tokens_out is None:
        return None
    return ModelUsage(
        input_tokens=max(0, call.tokens_in - (call.tokens_cached or 0) - (call.tokens_written or 0)),
        output_tokens=call.tokens_out,
        total_tokens=call.tokens_in + call.tokens_out,
        input_tokens_cache_read=call.tokens_cached,  # Inspect counts these two apart
        input_tokens_cache_write=call.tokens_written,
        reasoning_tokens=call.tokens_reasoning,
        total_cost=call.cost,
    )


def total_usage(calls: Iterable[Call]) -> ModelUsage:
    """Return the sum of the usage of these calls. The cost is None if that of a call is unknown."""
    total, costs = ModelUsage(), []
    for call in calls:
        total += usage_of(call) or ModelUsage()
        costs.append(call.cost)
    known = [cost for cost in costs if cost is not None]
    return total.model_copy(update={"total_cost": round(sum(known), 9) if len(known) == len(costs) else None})


def usage_by_model(calls: Iterable[Call]) -> dict[str, ModelUsage]:
    """Return the total usage of each model."""
    by_model: dict[str, list[Call]] = {}
    for call in calls:
        by_model.setdefault(call.model, []).append(call)
    return {model: total_usage(part) for model, part in by_model.items()}


def messages_of(call: Call, prompt: Sequence[Message]) -> list[ChatMessage]:
    """Return a call's messages and its reply."""
    return [*map(_message, prompt), _reply(call)]


def _reply(call: Call) -> ChatMessageAssistant:
    parts: list[Content] = [ContentReasoning(reasoning=call.reasoning)] if call.reasoning else []
    content = [*parts, ContentText(text=call.reply)] if parts else call.reply
    return ChatMessageAssistant(content=content, model=call.answered_by or call.model, source="generate")


def _message(message: Message) -> ChatMessage:
    kinds: dict[str, type[ChatMessageBase]] = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return kinds[message["role"]](content=message["content"])  # type: ignore[return-value]  # each is a ChatMessage


def events_of(conversation: Conversation, role: str, decisions: Sequence[JsonMapping]) -> Iterator[Event]:
    """Yield an event for each call of a seat, in spans of calls for one decision and one purpose.

    Args:
        conversation: the calls of the seat.
        role: the label of its bidder.
        decisions: the decisions of the seat, as in its record.
    """
    calls = [call for call, _ in conversation]
    times = Times.of(calls)
    groups = groupby(range(len(calls)), key=lambda index: (calls[index].decision, calls[index].purpose))
    for number, (_, group) in enumerate(groups):
        indices, span = list(group), f"span-{number}"
        start, working = times.starts[indices[0]], times.working[indices[0]]
        name = _name_of_span(calls[indices[0]], decisions)
        yield SpanBeginEvent(id=span, span_id=span, name=name, timestamp=start, working_start=working)
        for index in indices:
            call, prompt = conversation[index]
            end = times.starts[index] + datetime.timedelta(seconds=call.seconds)
            yield ModelEvent(
                span_id=span,
                model=call.model,
                role=role,
                input=[_message(message) for message in prompt],
                tools=[],
                tool_choice="none",
                config=config_of(call.settings),
                output=_output(call),
                retries=len(call.retries),
                timestamp=times.starts[index],
                working_start=times.working[index],
                working_time=call.seconds,
                completed=end,
                metadata=_metadata(call),
            )
        working = times.working[indices[-1]] + call.seconds
        yield SpanEndEvent(id=span, span_id=span, timestamp=end, working_start=working)


def _name_of_span(call: Call, decisions: Sequence[JsonMapping]) -> str:
    """Return the place of a call in its game, and its purpose, such as "item 1, round 2: plan"."""
    if call.decision >= len(decisions):
        return f"after the last decision: {call.purpose}"
    decision = decisions[call.decision]
    return f"item {decision['item'] + 1}, round {decision['round'] + 1}: {call.purpose}"


def _output(call: Call) -> ModelOutput:
    choice = ChatCompletionChoice(message=_reply(call), stop_reason=STOP_REASONS.get(call.finish, "unknown"))
    return ModelOutput(
        model=call.answered_by or call.model,
        choices=[choice],
        usage=usage_of(call),
        time=call.seconds,
        response_id=call.request_id or None,
    )


def _metadata(call: Call) -> JsonObject:
    """Return what Inspect has no field for; fields that the endpoint did not report are left out."""
    always = {name: getattr(call, name) for name in ("purpose", "decision", "attempt", "cost", "endpoint")}
    reported = (
        *("reported_cost", "fingerprint", "finish_reason", "left_out", "retries", "waited", "structured"),
        "tool_calls",
    )
    return always | {name: value for name in reported if (value := getattr(call, name))}
