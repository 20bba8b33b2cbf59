"""Bidders that call a model, with an agent: `llm:openai:MODEL`, `llm:litellm:PROVIDER/MODEL` and `llm:local:MODEL`.

`llm:scripted` has a script in place of a model.
"""

from __future__ import annotations

import dataclasses
import json
import warnings
from importlib import import_module
from pathlib import Path

from aucenv.baselines.llm.agents.agent import Agent, SamplingOptions
from aucenv.baselines.llm.option_values import SAMPLING, full_name, read_options
from aucenv.baselines.llm.options import (
    AGENTS,
    PRESETS,
    litellm_options,
    local_options,
    openai_options,
    read_agent,
    scripted_options,
)
from aucenv.baselines.llm.prompts import prompts

from aucenv.core.checks import one_of
from aucenv.core.extras import explain_missing_package
from aucenv.core.files import JsonMapping, JsonObject, read_object, write_atomically
from aucenv.core.formats.schema import BOOLEAN, TEXT, Object, choice, whole
from aucenv.core.policy import ModelFailure
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import FAILED, Completion, Model, Pause, Request

SCRIPTED = "scripted"
PROVIDERS = {
    "openai": ("aucenv.baselines.llm.endpoints.client", openai_options),
    "litellm": ("aucenv.baselines.llm.endpoints.litellm_model", litellm_options),
    "local": ("aucenv.baselines.llm.local_models.local", local_options),
    SCRIPTED: ("aucenv.baselines.llm.script.script", scripted_options),
}
"""Provider of models -> its module, with `make_model(name, options, where)`, and a function that lists its options."""
EXTRAS = {"openai": "llm", "litellm": "litellm", "local": "transformers", SCRIPTED: "llm"}
"""Provider -> the extra that contains its packages."""
LEAST_TOKENS = 64
"""The least `max_tokens` of structured replies: with it, even a model whose tokens are bytes can write all bids."""


def make(game: str, spec: BidderSpec) -> Agent:
    """Return a bidder that calls a model.

    Raises:
        ValueError: if the agent does not play the game, or its prompts are invalid; also for the reasons given in
            `make_model`; or if its replies are structured, and the game has no form for them, or too few tokens are
            allowed.
    """
    agent = read_agent(game, spec.params, f"bidder {spec.label!r}")
    model, options = make_model(spec, f"bidder {spec.label!r}", agent)
    return _make(game, spec, agent, model, options)


@dataclasses.dataclass(frozen=True)
class RecordedModel:
    """A model whose calls have all been recorded: it needs neither a key nor weights, and answers nothing."""

    name: str
    endpoint: str = "recorded"

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Raise, because there is no model."""
        raise ModelFailure("expected a recorded call, got none")


def make_recorded(game: str, spec: BidderSpec) -> Agent:
    """Return the same bidder as `make`, for a journal that has all of its calls.

    Raises:
        ValueError: as in `make`, except for what the model needs.
    """
    where = f"bidder {spec.label!r}"
    agent = read_agent(game, spec.params, where)
    _, name, options = _read_model(spec, where, agent)
    return _make(game, spec, agent, RecordedModel(full_name(name, options.get("adapter"))), options)


def _make(game: str, spec: BidderSpec, agent: str, model: Model, options: JsonMapping) -> Agent:
    where = f"bidder {spec.label!r}"
    if options["reply"] != "words":
        _check_structured(game, options, where)
    try:
        with explain_missing_package(where, EXTRAS["openai"]):
            return make_agent(agent, game, model, SamplingOptions.of(options), options)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check_structured(game: str, options: JsonMapping, where: str) -> None:
    max_tokens, reply = options["max_tokens"], options["reply"]
    if not hasattr(find_family(game).game.words, "reply_form"):
        raise ValueError(f"{where}, reply: expected words, because {game} has no form of structured replies")
    if max_tokens < LEAST_TOKENS:
        raise ValueError(f"{where}, max_tokens: expected at least {LEAST_TOKENS} with reply={reply}, got {max_tokens}")


def make_model(spec: BidderSpec, where: str, agent: str = "plain") -> tuple[Model, JsonObject]:
    """Return the model of a bidder's name, and the values of all options, including the agent's.

    Raises:
        ValueError: if the provider, a parameter or the model is unknown, the key is missing, or a package is not
            installed.
    """
    provider, name, options = _read_model(spec, where, agent)
    with explain_missing_package(where, EXTRAS[provider]):
        model: Model = import_module(PROVIDERS[provider][0]).make_model(name, options, where)
    if options.get("cache") is not None:
        model = CachedModel(model, Path(options["cache"]))
    return model, options


def _read_model(spec: BidderSpec, where: str, agent: str) -> tuple[str, str, JsonObject]:
    """Return the provider, the name of the model, and the values of all options."""
    provider, _, name = (spec.arg or "").partition(":")
    one_of(f"{where}, llm:PROVIDER:MODEL, provider", provider, PROVIDERS)
    if bool(name) == (provider == SCRIPTED):
        form = f"llm:{provider}" if provider == SCRIPTED else f"llm:{provider}:MODEL"
        raise ValueError(f"{where}: expected {form}, got llm:{spec.arg}")
    known = (*PROVIDERS[provider][1](agent, name), *AGENTS[agent].options)
    options = read_options(known, spec.params, where, {"sampling": SAMPLING, "preset": AGENTS[agent].presets})
    return provider, name, options


def make_agent(name: str, game: str, model: Model, sampling: SamplingOptions, options: JsonMapping) -> Agent:
    """Return an agent, from the values of its options.

    Raises:
        ValueError: if an option is invalid for the game.
    """
    preset = options.get("preset", "default")
    agent: type[Agent] = AGENTS[name].class_of(preset)
    templates = prompts(name, agent.VARIABLES, options["prompts"], PRESETS[preset])
    return agent(game, model, sampling, templates, **agent.init_arguments(game, options))


ENTRY = Object(
    {"model": TEXT, "text": TEXT, "finish": choice("stop", *FAILED)},
    {"structured": BOOLEAN, "reasoning": TEXT, "tool_calls": whole()},
)
"""The format of a file of the cache."""
KEPT = ("structured", "reasoning", "tool_calls")
"""The further fields of a completion that a file holds unless they are empty."""


@dataclasses.dataclass(frozen=True)
class CachedModel:
    """A model with a cache: a folder with one file per request, and above temperature 0 one per sample of its replies.

    Cached replies count no tokens, so they cost nothing.
    """

    model: Model
    folder: Path

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def endpoint(self) -> str:
        return self.model.endpoint

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the model reads."""
        return getattr(self.model, "variables", ())

    @property
    def identity(self) -> str:
        """Text that identifies everything besides the request that a reply depends on."""
        return getattr(self.model, "identity", f"{self.endpoint} {self.name}")

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the cached reply; if there is none, call the model and cache its reply."""
        sample = f"-{request.sample}" if request.temperature != 0 else ""
        file = self.folder / f"{request.digest(self.identity)}{sample}.json"
        if file.is_file():
            entry = ENTRY.check(read_object(file), str(file))
            more = {name: entry[name] for name in KEPT if name in entry}
            return Completion(entry["text"], entry["finish"], 0, 0, **more)
        completion = self.model.complete(request, pause)
        entry = {"model": self.name, "text": completion.text, "finish": completion.finish}
        entry |= {name: value for name in KEPT if (value := getattr(completion, name))}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(file, json.dumps(entry, ensure_ascii=False) + "\n")
        except OSError as error:  # the game can use the reply even if it is not cached
            warnings.warn(f"cache {self.folder}: {error}", stacklevel=2)
        return completion
