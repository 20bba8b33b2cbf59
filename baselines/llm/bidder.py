"""Bidders that ask a model: `llm:openai:MODEL` and `llm:local:MODEL`, each with one of the agents."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from aucenv.baselines.llm.agents.agent import Agent, Manner
from aucenv.baselines.llm.cache import CachedModel
from aucenv.baselines.llm.options import AGENTS, local_options, openai_options, read_agent, read_options
from aucenv.baselines.llm.prompts import prompts

from aucenv.core.bidder_name import BidderSpec
from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.runs.calls import Model

PLACES = {
    "openai": ("aucenv.baselines.llm.client", openai_options),
    "local": ("aucenv.baselines.llm.local", local_options),
}
"""Where models are asked: the module whose `make_model(name, options, where)` makes one, and its bidders' options."""
_EXTRAS = {"openai": "llm", "local": "transformers"}


def make(game: str, spec: BidderSpec) -> Agent:
    """A bidder that asks a model.

    Raises:
        ValueError: an agent of another game, prompts that will not do, or as `make_model`.
    """
    agent = read_agent(game, spec.params, f"bidder {spec.label!r}")
    with _told_what_to_install(spec):
        model, options = make_model(spec, f"bidder {spec.label!r}", agent)
        manner = Manner(options["temperature"], options["max_tokens"], options["seed"])
        return _make_agent(agent, game, model, manner, options, f"bidder {spec.label!r}")


def make_model(spec: BidderSpec, where: str, agent: str = "plain") -> tuple[Model, JsonObject]:
    """The model that a name names, and all options, its agent's too.

    Raises:
        ValueError: no such place, parameter or model, a missing key, or a package that is not installed.
    """
    place, _, name = (spec.arg or "").partition(":")
    one_of(f"{where}, llm:PLACE:MODEL, place", place, PLACES)
    if not name:
        raise ValueError(f"{where}: expected llm:{place}:MODEL, got llm:{spec.arg}")
    module, known = PLACES[place]
    options = read_options((*known(agent, name), *AGENTS[agent].options), spec.params, where)
    with _told_what_to_install(spec):
        model: Model = import_module(module).make_model(name, options, where)
    if options.get("cache") is not None:
        if options["temperature"] != 0:
            raise ValueError(f"{where}, cache: expected temperature 0, got {options['temperature']}")
        model = CachedModel(model, Path(options["cache"]))
    return model, options


@contextlib.contextmanager
def _told_what_to_install(spec: BidderSpec) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        extra = _EXTRAS[(spec.arg or "").partition(":")[0]]
        where = f"bidder {spec.label!r}"
        raise ValueError(f"{where}: {error.name} is not installed: pip install 'aucenv[{extra}]'") from None


def _make_agent(name: str, game: str, model: Model, manner: Manner, options: JsonMapping, where: str) -> Agent:
    module, _, kind = AGENTS[name].entry.partition(":")
    agent: type[Agent] = getattr(import_module(module), kind)
    try:
        chosen = prompts(name, agent.VARIABLES, options["prompts"])
        return agent(game, model, manner, chosen, **agent.made_with(game, options))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
