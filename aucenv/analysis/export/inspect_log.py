"""Logs of Inspect with one sample for each seat of each game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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
from inspect_ai.model import ModelConfig, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.viewer import ViewerConfig

from aucenv.analysis.agents.call_times import EPOCH, longest_seat, span_of
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.export.inspect_calls import (
    Conversation,
    common_config,
    events_of,
    messages_of,
    total_usage,
    usage_by_model,
)
from aucenv.analysis.statistics.metrics import figures_of, game_of
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, seat_label
from aucenv.runs.model_calls.calls import Call
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
