"""Options of bidders that call a model, as in the name `llm:openai:MODEL,temperature=0.5,...`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from aucenv.baselines.llm.option_values import (
    REPLIES,
    SAMPLING,
    Option,
    choice,
    decimal,
    json_or_text,
    objective,
    or_none,
    seed_value,
    some_text,
    strategy,
    true_or_false,
    whole_value,
)
from aucenv.baselines.llm.script.script import SCRIPT_OPTIONS

from aucenv.core.checks import one_of
from aucenv.core.words.bidder_name import public_name
from aucenv.core.words.money import CURRENCIES
from aucenv.envs.sealed_bid.game import ADVICE
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.registration import find_family
from aucenv.runs.model_calls.token_prices import OPENAI

MOST_LEVELS = 3
"""The largest `k` of k-level reasoning."""
MOST_DAYS = 1000


def level_value(where: str, text: str) -> int:
    try:
        level: int = whole_value(1, MOST_LEVELS)(where, text)
    except ValueError as error:
        raise ValueError(f"{error}; each level of predictions is one more call before every bid") from None
    return level


def read_choice(where: str, text: str, words: tuple[str, ...], counted: Mapping[str, int] | None = None) -> str:
    """Return the value of an option that is one of `words`, `WORD:N`, or a class of the user's.

    Args:
        counted: word -> the largest N.

    Raises:
        ValueError: if it is none of these.
    """
    kind, colon, rest = text.partition(":")
    counted = counted or {}
    if kind in counted and colon:
        whole_value(1, counted[kind])(where, rest)
        return text
    if text in words or (kind == "py" and ":" in rest.strip(":")):
        return text
    forms = [*words, *(f"{word}:N" for word in counted), "py:MODULE:CLASS", "py:FILE.py:CLASS"]
    raise ValueError(f"{where}: expected {', '.join(forms[:-1])} or {forms[-1]}, got {public_name(text)!r}")


def reasoner_value(where: str, text: str) -> str:
    return read_choice(where, text, ("direct", "k-level"))


def memory_value(where: str, text: str) -> str:
    return read_choice(where, text, ("all",), counted={"last_days": MOST_DAYS})


REASONING = (
    Option(
        "reasoner",
        "direct",
        "direct: the model is asked for its bid at once; k-level: it predicts its rivals' bids first, and responds to "
        "them; py:FILE.py:CLASS: a class of your own",
        reasoner_value,
    ),
    Option(
        "k",
        None,
        f"with reasoner=k-level: the number of levels of predictions, 1 to {MOST_LEVELS}; by default 1",
        level_value,
    ),
)
CONVERSATION_MEMORY = Option(
    "memory",
    "all",
    "all: requests show all earlier days; last_days:N: the last N days in full, and a line on each earlier one; "
    "py:FILE.py:CLASS: a class of your own",
    memory_value,
)


@dataclasses.dataclass(frozen=True)
class AgentKind:
    """A kind of agent.

    Attributes:
        entry: its class, `module:Class`.
        about: a short description.
        options: the options that only this kind has.
        local_tokens: the default of `max_tokens` for local models, except SmolLM2, whose default is 64.
        presets: the values of the option `preset`, each with the values of other options that it sets.
        published: its class under a preset; None: the same class.
    """

    entry: str
    about: str
    options: tuple[Option, ...] = ()
    local_tokens: int = 512
    presets: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    published: str | None = None

    def class_of(self, preset: str) -> Any:
        """Return the class of this kind of agent under a preset."""
        entry = self.entry if preset == "default" or self.published is None else self.published
        module, _, class_name = entry.partition(":")
        return getattr(import_module(module), class_name)


_PROMPTS = Option(
    "prompts", None, "a folder of user-defined templates, with the names of the agent's built-in ones", some_text
)
PRESETS = {"default": (), "paper": ("paper",), "program": ("program", "paper")}
"""Value of the option `preset` -> the folders of templates that replace the agent's."""


def _preset(*names: str) -> Option:
    published = {"paper": "paper: as in the paper", "program": "program: as in the paper's program"}
    about = "; ".join(["default: improved prompts", *(published[name] for name in names)])
    return Option("preset", "default", about, choice("default", *names))


def _presets(*names: str, sampling: str, **others: Any) -> Mapping[str, Mapping[str, Any]]:
    return {name: {"prompts": None, **SAMPLING[sampling], **others} for name in names}


_BDI = (
    _PROMPTS,
    Option(
        "plan",
        "adaptive",
        "adaptive: replan after each item; static: plan once; none: do not plan",
        choice("adaptive", "static", "none"),
    ),
    Option("objective", None, "profit, items or item:NAME; by default the scenario's", objective),
    Option(
        "correct_beliefs",
        True,
        "true: the model sees its wrong beliefs and revises them; false: they are only counted",
        true_or_false,
    ),
    Option("max_corrections", 4, "maximum number of revisions of a belief update", whole_value(0, 100)),
    Option("previous_plan", True, "false: the model does not see its previous plan when it replans", true_or_false),
    Option(
        "goal",
        "absolute",
        "absolute: as much profit, or as many items, as possible; relative: more than every other bidder",
        choice("absolute", "relative"),
    ),
    Option(
        "memory",
        None,
        "a file that keeps lessons for later auctions; games are then played one after another",
        some_text,
    ),
)
AGENTS = {
    "plain": AgentKind(
        "aucenv.baselines.llm.agents.conversation:PlainAgent",
        "Gets the observations of the text interface, and replies in free text",
        (_PROMPTS,),
        local_tokens=64,
    ),
    "bdi": AgentKind(
        "aucenv.baselines.llm.agents.bdi:BdiAgent",
        "AucArena's agent: it plans, bids, updates and corrects its beliefs, and replans",
        (*_BDI, _preset("paper", "program")),
        presets=_presets(
            "paper", "program", sampling="aucarena", goal="relative", previous_plan=True, max_corrections=4
        ),
    ),
    "harbor": AgentKind(
        "aucenv.baselines.llm.agents.harbor:HarborAgent",
        "HARBOR's agent: it works like bdi, with a persona, profiles of rivals, and a strategy",
        (
            *_BDI,
            Option(
                "tom",
                "inferred",
                "what it knows of rivals. none: nothing; true: their true personas (it cheats); inferred: inferred "
                "profiles; second: also what rivals think of it",
                choice("none", "true", "inferred", "second"),
            ),
            Option(
                "strategy",
                "expact",
                "none, expact, or adviser:BIDDER; in BIDDER, write ; instead of each comma",
                strategy,
            ),
            Option(
                "follow",
                False,
                "true: the agent must bid or leave as its adviser does, with an amount of its choice",
                true_or_false,
            ),
            _preset("paper"),
        ),
        presets=_presets(
            "paper", sampling="aucarena", goal="relative", previous_plan=True, max_corrections=4, follow=True
        ),
    ),
    "plan-bid-reflect": AgentKind(
        "aucenv.baselines.llm.agents.plan_bid_reflect:PlanBidReflectAgent",
        "Synthetic Labs' agent: it plans, bids, reflects and replans; on a clock it decides at each tick without plans",
        (
            _PROMPTS,
            Option("intervention", None, f"{', '.join(ADVICE)}; by default the scenario's", choice(*ADVICE)),
            Option("currency", None, f"{', '.join(CURRENCIES)}; by default the scenario's", choice(*CURRENCIES)),
            Option("language", None, f"{', '.join(LANGUAGES)}; by default the scenario's", choice(*LANGUAGES)),
            *REASONING,
            _preset("paper", "program"),
        ),
        presets=_presets("paper", "program", sampling="labs", reply="words", reasoner="direct"),
        published="aucenv.baselines.llm.agents.published_plan_bid_reflect:PublishedPlanBidReflectAgent",
    ),
    "resident": AgentKind(
        "aucenv.baselines.llm.agents.conversation:Resident",
        "Alympics' agent: it gets the rules and its persona, keeps one conversation over all days, and gives reasons "
        "before each bid",
        (_PROMPTS, CONVERSATION_MEMORY, *REASONING, _preset("paper", "program")),
        presets=_presets("paper", "program", sampling="alympics", memory="all", reasoner="direct"),
    ),
}
"""The kinds of agents by name. Each game lists those that play it; "plain" plays all games."""


def agents_of(game: str) -> list[str]:
    """Return the names of the agents that play a game."""
    supported = ("plain", *find_family(game).game.agents)
    return [name for name in AGENTS if name in supported]


def read_agent(game: str, given: Mapping[str, str], where: str) -> str:
    """Return the name of the agent in a bidder's parameters.

    Raises:
        ValueError: if there is no such agent, or it does not play the game.
    """
    name = one_of(f"{where}, agent", given.get("agent", "plain"), AGENTS)
    if name not in agents_of(game):
        raise ValueError(f"{where}, agent: expected one that plays {game}: {', '.join(agents_of(game))}; got {name!r}")
    return name


def _shared(max_tokens: int, *replies: str) -> tuple[Option, ...]:
    return (
        Option("agent", "plain", "the kind of agent: " + ", ".join(AGENTS), choice(*AGENTS)),
        Option(
            "sampling",
            None,
            f"a paper's sampling, which sets temperature and top_p: {', '.join(SAMPLING)}",
            choice(*SAMPLING),
        ),
        Option("temperature", 0.0, "sampling temperature; none: the endpoint's default", or_none(decimal(0, 2))),
        Option(
            "top_p",
            None,
            "the probability of the most likely tokens from which each token is sampled; by default the endpoint's",
            decimal(0.000001, 1),
        ),
        Option("max_tokens", max_tokens, "maximum number of tokens of a reply", whole_value(1, 1_000_000)),
        Option("seed", "drawn", "seed of the replies; drawn: derived from the game's seed; none: no seed", seed_value),
        Option("reply", "words", "; ".join(f"{reply}: {REPLIES[reply]}" for reply in replies), choice(*replies)),
    )


def openai_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of a model behind an endpoint."""
    return (
        *_shared(1024, *REPLIES),
        Option("cache", None, "folder of cached replies, so that a repeated run costs nothing", some_text),
        Option("base_url", OPENAI, "the endpoint", some_text),
        Option(
            "key_env", None, "the environment variable with the key; OPENAI_API_KEY if base_url is not given", some_text
        ),
        Option("timeout", 180.0, "seconds per attempt", decimal(0.01, 86400)),
        Option("attempts", 15, "failed attempts after which the model counts as unreachable", whole_value(1, 10_000)),
        Option(
            "backoff",
            1.0,
            "approximate seconds before the second attempt; doubles with each further one",
            decimal(0, 3600),
        ),
        Option("in_flight", 256, "maximum number of simultaneous calls to this endpoint", whole_value(1, 100_000)),
        Option("stream", False, "true: request replies as streams", true_or_false),
        Option("api", "chat", "OpenAI's API to use: Chat Completions or Responses", choice("chat", "responses")),
        Option(
            "api_version",
            None,
            "the version of an API of Azure in which the model is a deployment of base_url, such as 2024-10-21",
            some_text,
        ),
        Option(
            "reasoning_effort",
            None,
            "how much a reasoning model may think: low, medium, high, or a value of the endpoint",
            some_text,
        ),
        Option(
            "token_limit",
            None,
            "the parameter with the maximum number of tokens; by default max_completion_tokens at OpenAI's endpoint",
            choice("max_completion_tokens", "max_tokens"),
        ),
        Option(
            "body.NAME",
            None,
            "a further parameter of requests, as JSON or text; a dot begins a field of it",
            json_or_text,
        ),
        Option(
            "header.NAME",
            None,
            "a further header of requests; the value is masked like a key. env:VARIABLE: a variable's value",
            some_text,
        ),
    )


def litellm_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of a model behind the API of a provider that LiteLLM translates."""
    changed = {
        "base_url": Option("base_url", None, "another endpoint with the provider's API", some_text),
        "key_env": Option(
            "key_env",
            None,
            "the environment variable with the key; ANTHROPIC_API_KEY or GEMINI_API_KEY if base_url is not given",
            some_text,
        ),
    }
    options = openai_options(agent, model)
    absent = ("stream", "api", "api_version", "token_limit")
    return tuple(changed.get(each.name, each) for each in options if each.name not in absent)


def local_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of a model that runs in this process."""
    return (
        *_shared(64 if model == "smollm2" else AGENTS[agent].local_tokens, "words", "json"),
        Option("adapter", None, "folder of a LoRA adapter", some_text),
        Option("batch", 16, "maximum number of replies generated at the same time", whole_value(1, 4096)),
        Option("device", "auto", "cpu, cuda, cuda:1, ...", some_text),
    )


def scripted_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of the script that replies in place of a model."""
    return (*_shared(1024, "words", "json"), *SCRIPT_OPTIONS)


MODELS = {
    "llm:openai:MODEL": (openai_options, "A model behind an endpoint with OpenAI's API."),
    "llm:litellm:anthropic/MODEL\nllm:litellm:gemini/MODEL": (
        litellm_options,
        "A model behind Anthropic's or Google's own API, by LiteLLM (needs the extra litellm).",
    ),
    "llm:local:smollm2\nllm:local:DIR": (
        local_options,
        "A chat model that runs in this process (needs the extra transformers): SmolLM2-135M, or the model in DIR.",
    ),
    "llm:scripted": (
        scripted_options,
        "A script in place of a model, which reads the prompts of all agents: an instrument for tests, whose results "
        "say nothing about models. Tables mark it.",
    ),
}
"""Form of a bidder's name -> a function (agent, model) that returns its options, and a short description."""
