"""What can be said of a model in its bidder's name: `llm:openai:MODEL,temperature=0.5,...`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from aucenv.core.checks import number, one_of, whole_number
from aucenv.prices import OPENAI

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
        shown = "" if self.default is None else {"True": "yes", "False": "no"}.get(str(self.default), self.default)
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


def _text(what: str, text: str) -> str:
    if not text.strip():
        raise ValueError(f"{what}: expected some text, got {text!r}")
    return text


def _yes_or_no(what: str, text: str) -> bool:
    return one_of(what, text, ("yes", "no")) == "yes"


AGENTS = ("plain",)


def _shared(max_tokens: int) -> tuple[Option, ...]:
    a_seed = _or_none(_whole(0, 2**31 - 1))
    return (
        Option("agent", "plain", "how it thinks: " + ", ".join(AGENTS), lambda what, text: one_of(what, text, AGENTS)),
        Option("temperature", 0.0, "of the draw of tokens; none leaves it to the endpoint", _or_none(_decimal(0, 2))),
        Option("max_tokens", max_tokens, "of a reply", _whole(1, 1_000_000)),
        Option("seed", "drawn", "of the replies; drawn: from the game's; none sends none", a_seed),
    )


OPENAI_OPTIONS = (
    *_shared(max_tokens=1024),
    Option("cache", None, "folder of replies for all runs; temperature 0 only", _text),
    Option("base_url", OPENAI, "the endpoint", _text),
    Option("key_env", None, "the variable with its key; OPENAI_API_KEY where base_url is not given", _text),
    Option("timeout", 180.0, "seconds for an attempt", _decimal(0.01, 86400)),
    Option("attempts", 15, "then it counts as out of reach", _whole(1, 10_000)),
    Option("backoff", 1.0, "seconds, about, before the second attempt; doubles from there on", _decimal(0, 3600)),
    Option("in_flight", 256, "calls of this endpoint at once", _whole(1, 100_000)),
    Option("stream", False, "yes: ask for replies piece by piece", _yes_or_no),
)
LOCAL_OPTIONS = (
    *_shared(max_tokens=64),
    Option("adapter", None, "folder of a LoRA adapter", _text),
    Option("batch", 16, "replies written at the same time", _whole(1, 4096)),
    Option("device", "auto", "cpu, cuda, cuda:1, ...", _text),
)
MODELS = {
    "llm:openai:MODEL": (
        OPENAI_OPTIONS,
        "A model behind an endpoint that speaks OpenAI's protocol; it is told what the text interface tells.",
    ),
    "llm:local:smollm2\nllm:local:DIR": (
        LOCAL_OPTIONS,
        "A chat model in this process, by transformers (extra transformers): SmolLM2-135M, or one in a folder.",
    ),
}
"""By name: the options, and what it is."""


def read_options(known: tuple[Option, ...], given: Mapping[str, str], where: str) -> dict[str, Any]:
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
