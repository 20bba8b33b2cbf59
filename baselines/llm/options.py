"""Options of bidders that call a model, as in the name `llm:openai:MODEL,temperature=0.5,...`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.money import CURRENCIES
from aucenv.envs.sealed_bid.scenario import ADVICE
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.registration import find_family
from aucenv.runs.token_prices import OPENAI

Reader = Callable[[str, str], Any]
"""A parser: (where, text) -> value; it raises ValueError with `where` in the message."""


@dataclasses.dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        default: the value if the option is not given.
        about: a short description.
        read: the parser of its text.
    """

    name: str
    default: Any
    about: str
    read: Reader

    def __str__(self) -> str:
        default = "" if self.default is None else str(self.default).replace("True", "true").replace("False", "false")
        return f"{self.name}={default}  ({self.about})"


def _whole(least: int, most: int) -> Reader:
    def read(where: str, text: str) -> int:
        return whole_number(where, int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text, least, most)

    return read


def _decimal(least: float, most: float) -> Reader:
    def read(where: str, text: str) -> float:
        try:
            return float(number(where, float(text), least, most))
        except ValueError:
            raise ValueError(f"{where}: expected a number from {least:g} to {most:g}, got {text!r}") from None

    return read


def _or_none(inner: Reader) -> Reader:
    return lambda where, text: None if text == "none" else inner(where, text)


def _seed(where: str, text: str) -> int | str | None:
    return text if text == "drawn" else _or_none(_whole(0, 2**31 - 1))(where, text)


def _text(where: str, text: str) -> str:
    if not text.strip():
        raise ValueError(f"{where}: expected some text, got {text!r}")
    return text


def _true_or_false(where: str, text: str) -> bool:
    return one_of(where, text, ("true", "false", "yes", "no")) in ("true", "yes")


def _choice(*options: str) -> Reader:
    return lambda where, text: one_of(where, text, options)


def _objective(where: str, text: str) -> str:
    kind, colon, item = text.partition(":")
    if (kind == "item" and item.strip()) or (kind in ("profit", "items") and not colon):
        return text
    raise ValueError(f"{where}: expected profit, items or item:NAME, got {text!r}")


def _strategy(where: str, text: str) -> str:
    kind, colon, adviser = text.partition(":")
    if (kind == "adviser" and adviser) or (kind in ("none", "expact") and not colon):
        return text
    raise ValueError(f"{where}: expected none, expact or adviser:BIDDER, got {text!r}")


@dataclasses.dataclass(frozen=True)
class AgentKind:
    """A kind of agent.

    Attributes:
        entry: its class, `module:Class`.
        about: a short description.
        options: the options that only this kind has.
        local_tokens: the default of `max_tokens` for local models, except SmolLM2, whose default is 64.
    """

    entry: str
    about: str
    options: tuple[Option, ...] = ()
    local_tokens: int = 512


_PROMPTS = Option(
    "prompts", None, "a folder of user-defined templates, with the names of the agent's built-in ones", _text
)
_BDI = (
    _PROMPTS,
    Option(
        "plan",
        "adaptive",
        "adaptive: replan after each item; static: plan once; none: do not plan",
        _choice("adaptive", "static", "none"),
    ),
    Option("objective", None, "profit, items or item:NAME; by default the scenario's", _objective),
    Option(
        "correct_beliefs",
        True,
        "true: the model sees its wrong beliefs and revises them; false: they are only counted",
        _true_or_false,
    ),
    Option("max_corrections", 4, "maximum number of revisions of a belief update", _whole(0, 100)),
    Option("previous_plan", False, "true: the model sees its previous plan when it replans", _true_or_false),
    Option(
        "memory", None, "a file that keeps lessons for later auctions; games are then played one after another", _text
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
        _BDI,
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
                _choice("none", "true", "inferred", "second"),
            ),
            Option(
                "strategy",
                "expact",
                "none, expact, or adviser:BIDDER; in BIDDER, write ; instead of each comma",
                _strategy,
            ),
        ),
    ),
    "plan-bid-reflect": AgentKind(
        "aucenv.baselines.llm.agents.plan_bid_reflect:PlanBidReflectAgent",
        "Synthetic Labs' agent: it plans, bids, reflects and replans; on a clock it decides at each tick without plans",
        (
            _PROMPTS,
            Option("intervention", None, f"{', '.join(ADVICE)}; by default the scenario's", _choice(*ADVICE)),
            Option("currency", None, f"{', '.join(CURRENCIES)}; by default the scenario's", _choice(*CURRENCIES)),
            Option("language", None, f"{', '.join(LANGUAGES)}; by default the scenario's", _choice(*LANGUAGES)),
        ),
    ),
    "resident": AgentKind(
        "aucenv.baselines.llm.agents.conversation:Resident",
        "Alympics' agent: it gets the rules and its persona, keeps one conversation over all days, and gives reasons "
        "before each bid",
        (_PROMPTS,),
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


def _shared(max_tokens: int) -> tuple[Option, ...]:
    return (
        Option("agent", "plain", "the kind of agent: " + ", ".join(AGENTS), _choice(*AGENTS)),
        Option("temperature", 0.0, "sampling temperature; none: the endpoint's default", _or_none(_decimal(0, 2))),
        Option("max_tokens", max_tokens, "maximum number of tokens of a reply", _whole(1, 1_000_000)),
        Option("seed", "drawn", "seed of the replies; drawn: derived from the game's seed; none: no seed", _seed),
        Option(
            "reply",
            "words",
            "words: decisions in free text; json: decisions as JSON objects with a reasoning, an action and an amount, "
            "which the model is forced to write",
            _choice("words", "json"),
        ),
    )


def openai_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of a model behind an endpoint."""
    return (
        *_shared(max_tokens=1024),
        Option("cache", None, "folder of cached replies, shared by runs; temperature 0 only", _text),
        Option("base_url", OPENAI, "the endpoint", _text),
        Option(
            "key_env", None, "the environment variable with the key; OPENAI_API_KEY if base_url is not given", _text
        ),
        Option("timeout", 180.0, "seconds per attempt", _decimal(0.01, 86400)),
        Option("attempts", 15, "failed attempts after which the model counts as unreachable", _whole(1, 10_000)),
        Option(
            "backoff",
            1.0,
            "approximate seconds before the second attempt; doubles with each further one",
            _decimal(0, 3600),
        ),
        Option("in_flight", 256, "maximum number of simultaneous calls to this endpoint", _whole(1, 100_000)),
        Option("stream", False, "true: request replies as streams", _true_or_false),
    )


def local_options(agent: str, model: str) -> tuple[Option, ...]:
    """Return the options of a model that runs in this process."""
    return (
        *_shared(max_tokens=64 if model == "smollm2" else AGENTS[agent].local_tokens),
        Option("adapter", None, "folder of a LoRA adapter", _text),
        Option("batch", 16, "maximum number of replies generated at the same time", _whole(1, 4096)),
        Option("device", "auto", "cpu, cuda, cuda:1, ...", _text),
    )


MODELS = {
    "llm:openai:MODEL": (openai_options, "A model behind an endpoint with OpenAI's API."),
    "llm:local:smollm2\nllm:local:DIR": (
        local_options,
        "A chat model that runs in this process (needs the extra transformers): SmolLM2-135M, or the model in DIR.",
    ),
}
"""Form of a bidder's name -> a function (agent, model) that returns its options, and a short description."""


def read_options(known: tuple[Option, ...], given: Mapping[str, str], where: str) -> JsonObject:
    """Return the value of every option.

    Args:
        known: the options that the bidder has.
        given: the text of the options that are given.

    Raises:
        ValueError: if an option is unknown, or its value is invalid; the message begins with `where`.
    """
    by_name = {option.name: option for option in known}
    for name in given:
        one_of(f"{where}, parameter", name, by_name)
    return {
        name: option.read(f"{where}, {name}", given[name]) if name in given else option.default
        for name, option in by_name.items()
    }
