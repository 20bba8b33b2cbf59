"""Create judges by name. This is not part of `judges`, because `model_judge` imports that module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aucenv.training.rlact.judges.judges import AgreeingJudge, Judge, MixedJudge, SimulatorJudge
from aucenv.training.rlact.judges.model_judge import ModelJudge, model_client
from aucenv.training.rlact.judges.simulator import Simulator

from aucenv.core.checks import no_duplicates
from aucenv.core.words.bidder_name import public_name


def judge_named(names: Sequence[str], simulator: Simulator, phase: str) -> Judge:
    """Create the judge with a name, "simulator" or "llm:openai:MODEL,..."; for two names, the mean of both judges.

    Of replies whose decisions agree, which tie under the simulator, the model alone judges.

    Raises:
        ValueError: A name is unknown, or there are more than two.
    """
    if not 1 <= len(names) <= 2:
        raise ValueError(f"judge: expected one or two names, got {len(names)}")
    no_duplicates("judge", list(map(public_name, names)))
    judges: list[Any] = [
        SimulatorJudge(simulator, phase) if name == "simulator" else ModelJudge(model_client(name), phase)
        for name in names
    ]
    if len(judges) == 1:
        return judges[0]
    simulators = [judge for judge in judges if isinstance(judge, SimulatorJudge)]
    models = [judge for judge in judges if judge not in simulators]
    return AgreeingJudge(simulators[0], models[0], phase=phase) if simulators else MixedJudge(*models)
