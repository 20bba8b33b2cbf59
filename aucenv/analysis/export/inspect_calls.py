"""Model calls as events of Inspect: messages, generation settings, token usage and times."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from inspect_ai.event import Event, ModelEvent, SpanBeginEvent, SpanEndEvent
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
    ModelOutput,
    ModelUsage,
    StopReason,
)
from pydantic import ValidationError

from aucenv.analysis.agents.call_times import Times
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.runs.model_calls.calls import Call, Message

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
