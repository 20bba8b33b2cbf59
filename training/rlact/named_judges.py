"""Judges by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.training.rlact.judges import Judge, MixedJudge, SimulatorJudge
from aucenv.training.rlact.model_judge import ModelJudge, asked_by
from aucenv.training.rlact.simulator import Simulator

from aucenv.core.checks import no_duplicates


def judge_named(names: Sequence[str], simulator: Simulator, phase: str) -> Judge:
    """The judge of a name, "simulator" or "llm:openai:MODEL,..."; of two: their mean.

    Raises:
        ValueError: another name, or more than two.
    """
    if not 1 <= len(names) <= 2:
        raise ValueError(f"judge: expected one or two, got {len(names)}")
    no_duplicates("judge", list(names))
    made: list[Any] = [
        SimulatorJudge(simulator, phase) if name == "simulator" else ModelJudge(asked_by(name), phase) for name in names
    ]
    return made[0] if len(made) == 1 else MixedJudge(*made)
