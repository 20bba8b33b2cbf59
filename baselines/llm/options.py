"""What can be said of a model in its bidder's name: `llm:openai:MODEL,temperature=0.5,...`."""

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
"""(what, text) -> value; raises ValueError."""


@dataclasses.dataclass(frozen=True)
class Option:
    """One thing that can be said.

    Attributes:
        default: the value where it is not said.
        about: what it is, in a few words.
        read: its text as a value.
    """

    name: str
    default: Any
    about: str
    read: Reader

    def __str__(self) -> str:
        shown = "" if self.default is None else str(self.default).replace("True", "true").replace("False", "false")
        return f"{self.name}={shown}  ({self.about})"


def _whole(least: int, most: int) -> Reader:
    def read(what: str, text: str) -> int:
        return whole_number(what, int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text, least, most)

    return read


def _decimal(least: float, most: float) -> Reader:
    def read(what: str, text: str) -> float:
        try:
            return float(number(what, float(text), least, most))
        except ValueError:
            raise ValueError(f"{what}: expected a number from {least:g} to {most:g}, got {text!r}") from None

    return read


def _or_none(inner: Reader) -> Reader:
    return lambda what, text: None if text == "none" else inner(what, text)


def _a_seed(what: str, text: str) -> int | str | None:
    return text if text == "drawn" else _or_none(_whole(0, 2**31 - 1))(what, text)


def _text(what: str, text: str) -> str:
    if not text.strip():
        raise ValueError(f"{what}: expected some text, got {text!r}")
    return text


def _true_or_false(what: str, text: str) -> bool:
    return one_of(what, text, ("true", "false", "yes", "no")) in ("true", "yes")


def _choice(*options: str) -> Reader:
    return lambda what, text: one_of(what, text, options)


def _objective(what: str, text: str) -> str:
    kind, colon, item = text.partition(":")
    if (kind == "item" and item.strip()) or (kind in ("profit", "items") and not colon):
        return text
    raise ValueError(f"{what}: expected profit, items or item:NAME, got {text!r}")


def _strategy(what: str, text: str) -> str:
    kind, colon, adviser = text.partition(":")
    if (kind == "adviser" and adviser) or (kind in ("none", "expact") and not colon):
        return text
    raise ValueError(f"{what}: expected none, expact or adviser:BIDDER, got {text!r}")


@dataclasses.dataclass(frozen=True)
class AgentKind:
    """A way to think.

    Attributes:
        entry: its class, `module:Class`.
        options: its own.
        local_tokens: of a reply of a model in this process, where it is not said; SmolLM2 gets 64.
    """

    entry: str
    about: str
    options: tuple[Option, ...] = ()
    local_tokens: int = 512


_PROMPTS = Option("prompts", None, "a folder of templates of your own, named as the agent's", _text)
_BDI = (
    _PROMPTS,
    Option("plan", "adaptive", "adaptive, static: made once, or none", _choice("adaptive", "static", "none")),
    Option("objective", None, "profit, items or item:NAME; the scenario's, where it is not said", _objective),
    Option("correct_beliefs", True, "wrong beliefs are told; false: only counted", _true_or_false),
    Option("max_corrections", 4, "revisions of a belief update", _whole(0, 100)),
    Option("previous_plan", False, "true: it sees its plan when it plans again", _true_or_false),
    Option("memory", None, "a file of lessons for the next auction; games are then played one by one", _text),
)
AGENTS = {
    "plain": AgentKind(
        "aucenv.baselines.llm.agents.conversation:PlainAgent",
        "told what the text interface tells",
        (_PROMPTS,),
        local_tokens=64,
    ),
    "bdi": AgentKind(
        "aucenv.baselines.llm.agents.bdi:BdiAgent",
        "AucArena's: plan, bid, belief update with correction, replan",
        _BDI,
    ),
    "harbor": AgentKind(
        "aucenv.baselines.llm.agents.harbor:HarborAgent",
        "HARBOR's: bdi with its persona, profiles of rivals, and a strategy",
        (
            *_BDI,
            Option(
                "tom",
                "inferred",
                "rivals' personas: none, true (it cheats), inferred, or second: and how they read it",
                _choice("none", "true", "inferred", "second"),
            ),
            Option("strategy", "expact", "none, expact, or adviser:BIDDER, with ; for the commas in BIDDER", _strategy),
        ),
    ),
    "plan-bid-reflect": AgentKind(
        "aucenv.baselines.llm.agents.plan_bid_reflect:PlanBidReflectAgent",
        "Synthetic Labs': plan, bid, reflection, new plan; on the clock one call per tick",
        (
            _PROMPTS,
            Option("intervention", None, f"{', '.join(ADVICE)}; the scenario's, where not said", _choice(*ADVICE)),
            Option("currency", None, f"{', '.join(CURRENCIES)}; the scenario's, where not said", _choice(*CURRENCIES)),
            Option("language", None, f"{', '.join(LANGUAGES)}; the scenario's, where not said", _choice(*LANGUAGES)),
        ),
    ),
    "resident": AgentKind(
        "aucenv.baselines.llm.agents.conversation:Resident",
        "Alympics': rules and persona, all days, a bid with its reasoning",
        (_PROMPTS,),
    ),
}
"""By name. Which of them play a game, its folder says; "plain" plays all."""


def agents_of(game: str) -> list[str]:
    """The names of the agents that play a game."""
    able = ("plain", *find_family(game).game.agents)
    return [name for name in AGENTS if name in able]


def read_agent(game: str, given: Mapping[str, str], where: str) -> str:
    """The agent that is named.

    Raises:
        ValueError: there is none of this name, or it does not play this game.
    """
    name = one_of(f"{where}, agent", given.get("agent", "plain"), AGENTS)
    if name not in agents_of(game):
        raise ValueError(f"{where}, agent: expected one that plays {game}: {', '.join(agents_of(game))}; got {name!r}")
    return name


def _shared(max_tokens: int) -> tuple[Option, ...]:
    return (
        Option("agent", "plain", "how it thinks: " + ", ".join(AGENTS), _choice(*AGENTS)),
        Option("temperature", 0.0, "of the draw of tokens; none leaves it to the endpoint", _or_none(_decimal(0, 2))),
        Option("max_tokens", max_tokens, "of a reply", _whole(1, 1_000_000)),
        Option("seed", "drawn", "of the replies; drawn: from the game's; none sends none", _a_seed),
    )


def openai_options(agent: str, model: str) -> tuple[Option, ...]:
    """What can be said of a model behind an endpoint."""
    return (
        *_shared(max_tokens=1024),
        Option("cache", None, "folder of replies for all runs; temperature 0 only", _text),
        Option("base_url", OPENAI, "the endpoint", _text),
        Option("key_env", None, "the variable with its key; OPENAI_API_KEY where base_url is not given", _text),
        Option("timeout", 180.0, "seconds for an attempt", _decimal(0.01, 86400)),
        Option("attempts", 15, "then it counts as out of reach", _whole(1, 10_000)),
        Option("backoff", 1.0, "seconds, about, before the second attempt; doubles from there on", _decimal(0, 3600)),
        Option("in_flight", 256, "calls of this endpoint at once", _whole(1, 100_000)),
        Option("stream", False, "true: ask for replies piece by piece", _true_or_false),
    )


def local_options(agent: str, model: str) -> tuple[Option, ...]:
    """What can be said of a model in this process."""
    return (
        *_shared(max_tokens=64 if model == "smollm2" else AGENTS[agent].local_tokens),
        Option("adapter", None, "folder of a LoRA adapter", _text),
        Option("batch", 16, "replies written at the same time", _whole(1, 4096)),
        Option("device", "auto", "cpu, cuda, cuda:1, ...", _text),
    )


MODELS = {
    "llm:openai:MODEL": (openai_options, "A model behind an endpoint that speaks OpenAI's protocol."),
    "llm:local:smollm2\nllm:local:DIR": (
        local_options,
        "A chat model in this process, by transformers (extra transformers): SmolLM2-135M, or one in a folder.",
    ),
}
"""By name: the options with an agent, and what it is."""


def read_options(known: tuple[Option, ...], given: Mapping[str, str], where: str) -> JsonObject:
    """The value of every option.

    Raises:
        ValueError: unknown, or out of range; names `where`.
    """
    by_name = {option.name: option for option in known}
    for name in given:
        one_of(f"{where}, parameter", name, by_name)
    return {
        name: option.read(f"{where}, {name}", given[name]) if name in given else option.default
        for name, option in by_name.items()
    }
