"""Bidders of AucArena's files: each line of `bidders.jsonl` names a model and how it plans, learns and samples.

The names of models are those of the paper's program, so a bidder of aucenv is given for each: `MODEL=BIDDER`. The rule
bidder needs none. A bidder that calls a model plays as the agent `bdi` with the line's options, unless BIDDER says
otherwise. The line's name, budget, objective and overestimate belong to it, in whichever seat it plays.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.rankings.settings import Settings, chosen_scenario

from aucenv.core.checks import one_of
from aucenv.core.words.bidder_name import label_of, parse_bidder, public_name
from aucenv.envs.english.files import Agent, aucarena_files, read_agents

KNOWN = {"rule": "rule"}
"""Names of models in AucArena's files that are no models -> the bidders that play them."""
SAMPLING = ("temperature", "sampling", "preset")
"""Options of which one sets the temperature."""


def with_bidders_of_file(settings: Settings) -> Settings:
    """Return settings whose bidders are those of AucArena's file, if the scenario is AucArena's and names no others.

    Raises:
        ValueError: a line has a wrong value or a model without a bidder, or a setting does not fit.
        OSError: the file cannot be read.
    """
    files = aucarena_files(settings.scenario) if settings.game == "english" else None
    agents = read_agents(files[1]) if files is not None and not settings.bidders else []
    if not agents:
        for name in ("models", "memories"):
            if getattr(settings, name):
                raise ValueError(
                    f"{name}: expected a scenario items.jsonl,bidders.jsonl whose bidders have a model_name, and no "
                    f"other bidders, got the scenario {settings.scenario!r}"
                )
        return settings
    seats = len(chosen_scenario(settings).bidders)
    if seats != len(agents):
        raise ValueError(f"num_bidders: expected {len(agents)}, the number of bidders in the file, got {seats}")
    models = _read_models(settings.models, agents)
    names = [
        _bidder(agent, label, models, settings.memories) for agent, label in zip(agents, _labels(agents), strict=True)
    ]
    return dataclasses.replace(settings, bidders=tuple(names), roles="bidders", models=(), memories=None)


def _read_models(models: Sequence[str], agents: Sequence[Agent]) -> dict[str, str]:
    """Return the bidder for each model."""
    bidders = dict(KNOWN)
    for text in models:
        model, equals, bidder = text.partition("=")
        if not (model and equals and bidder):
            raise ValueError(f"models: expected MODEL=BIDDER, got {public_name(text)!r}")
        one_of("models, MODEL", model, list(dict.fromkeys(agent.model for agent in agents)))
        parse_bidder(bidder)
        if label_of(bidder) != public_name(bidder):
            shown = public_name(bidder)
            raise ValueError(f"models: expected a bidder without a label, which is the name in the file, got {shown!r}")
        bidders[model] = bidder
    return bidders


def _labels(agents: Sequence[Agent]) -> list[str]:
    """Return a distinct label for each bidder: its name, in the characters of labels."""
    labels: list[str] = []
    for agent in agents:
        label = re.sub(r"[^A-Za-z0-9_.-]+", "-", agent.name).strip("-.") or "bidder"
        labels.append(label if label not in labels else f"{label}-{len(labels) + 1}")
    return labels


def _bidder(agent: Agent, label: str, models: Mapping[str, str], memories: str | None) -> str:
    """Return the name of the bidder that plays an agent."""
    if agent.model not in models:
        raise ValueError(
            f"{agent.where}: model_name: expected {' or '.join(models)}, or a model that --model gives a bidder, got "
            f"{agent.model!r}; for example --model {agent.model!r}=llm:openai:MODEL"
        )
    bidder = models[agent.model]
    spec = parse_bidder(bidder)
    options: dict[str, object] = {}
    if spec.kind == "llm":
        options["agent"] = "bdi"
        if not any(name in spec.params for name in SAMPLING):
            options["temperature"] = f"{agent.temperature:g}"
        if spec.params.get("agent", "bdi") == "bdi":
            options["plan"], options["correct_beliefs"] = agent.plan, str(agent.corrects_beliefs).lower()
            if agent.learns and "memory" not in spec.params:
                options["memory"] = _memory(agent, label, memories)
    added = [f",{name}={value}" for name, value in options.items() if name not in spec.params]
    return f"{label}={bidder}{''.join(added)}"


def _memory(agent: Agent, label: str, memories: str | None) -> Path:
    if memories is None:
        raise ValueError(
            f"{agent.where}: enable_learning: expected --memories FOLDER for the lessons of {agent.name!r}"
        )
    path = Path(memories)
    if "," in memories or not path.is_dir():
        raise ValueError(f"memories: expected an existing folder without a comma in its name, got {memories!r}")
    return path / f"{label}.json"
