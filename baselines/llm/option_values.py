"""Options in bidders' names: their descriptions, the parsers of their values, and the reading of all of a bidder."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

from aucenv.core.checks import number, one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.words.bidder_name import public_name

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


def whole_value(least: int, most: int) -> Reader:
    def read(where: str, text: str) -> int:
        return whole_number(where, int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text, least, most)

    return read


def decimal(least: float, most: float) -> Reader:
    def read(where: str, text: str) -> float:
        try:
            return float(number(where, float(text), least, most))
        except ValueError:
            raise ValueError(f"{where}: expected a number from {least:g} to {most:g}, got {text!r}") from None

    return read


def or_none(inner: Reader) -> Reader:
    return lambda where, text: None if text == "none" else inner(where, text)


def seed_value(where: str, text: str) -> int | str | None:
    return text if text == "drawn" else or_none(whole_value(0, 2**31 - 1))(where, text)


def some_text(where: str, text: str) -> str:
    if not text.strip():
        raise ValueError(f"{where}: expected some text, got {text!r}")
    return text


def true_or_false(where: str, text: str) -> bool:
    return one_of(where, text, ("true", "false", "yes", "no")) in ("true", "yes")


def choice(*options: str) -> Reader:
    return lambda where, text: one_of(where, text, options)


def json_or_text(where: str, text: str) -> Any:
    try:
        return parse_json(text, where)
    except ValueError:
        return text


def objective(where: str, text: str) -> str:
    kind, colon, item = text.partition(":")
    if (kind == "item" and item.strip()) or (kind in ("profit", "items") and not colon):
        return text
    raise ValueError(f"{where}: expected profit, items or item:NAME, got {text!r}")


def strategy(where: str, text: str) -> str:
    kind, colon, adviser = text.partition(":")
    if (kind == "adviser" and adviser) or (kind in ("none", "expact") and not colon):
        return text
    raise ValueError(f"{where}: expected none, expact or adviser:BIDDER, got {public_name(text)!r}")


REPLIES = {
    "words": "decisions in free text",
    "json": "decisions as JSON objects with a reasoning, an action and an amount, which the model is forced to write",
    "tools": "such an object as the arguments of a tool that the model is forced to call",
}
"""Form of a model's decisions -> its description."""
SAMPLING = {
    "aucarena": {"temperature": 0.0},
    "labs": {"temperature": 0.5},
    "alympics": {"temperature": 0.7, "top_p": 0.95},
}
"""Paper -> the sampling options of its models."""


Sets = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Option -> its value -> the values of other options that it sets."""


def refuse_options_of_agents(given: Mapping[str, str], where: str, role: str) -> None:
    """Raise ValueError if a model that plays no seat, such as a judge, has an option that only bidders have.

    Args:
        given: the text of the options that are given.
        where: the model, for the error.
        role: what the model is.
    """
    for option in ("agent", "prompts", "seed", "reply"):
        if option in given:
            raise ValueError(f"{where}: expected no {option}, a {role} has none")


def full_name(name: str, adapter: str | None) -> str:
    """Return the name of a model in records, with its adapter if it has one."""
    return f"{name}+{adapter}" if adapter else name


def read_options(known: tuple[Option, ...], given: Mapping[str, str], where: str, sets: Sets) -> JsonObject:
    """Return the value of every option.

    Args:
        known: the options that the bidder has.
        given: the text of the options that are given.
        where: the bidder, for errors.
        sets: the options that set others.

    Raises:
        ValueError: if an option is unknown, its value is invalid, or contradicts another option; the message begins
            with `where`.
    """
    named = {option.name: option for option in known}
    groups = {name.removesuffix(GROUP): named.pop(name) for name in list(named) if name.endswith(GROUP)}
    options: JsonObject = {group.removesuffix("."): {} for group in groups}
    for name in given:
        group, dot, rest = name.partition(".")
        if dot and rest and group in groups:
            options[group][rest] = groups[group].read(f"{where}, {name}", given[name])
        else:
            one_of(f"{where}, parameter", name, [*named, *(option.name for option in groups.values())])
    options |= {
        name: option.read(f"{where}, {name}", given[name]) if name in given else option.default
        for name, option in named.items()
    }
    _set_others(options, given, where, {name: values for name, values in sets.items() if name in given})
    return options


def _set_others(options: JsonObject, given: Mapping[str, str], where: str, sets: Sets) -> None:
    """Set the options that others set.

    Raises:
        ValueError: if one of them has another value already; the message names both options.
    """
    setters = {name: f"{name}={given[name]}" for name in given}
    for setter, values in sets.items():
        for name, value in values.get(options[setter], {}).items():
            if name in setters and options[name] != value:
                other = "" if setters[name].startswith(f"{name}=") else f" from {setters[name]}"
                raise ValueError(
                    f"{where}, {name}: expected {_shown(value)}, which {setter}={given[setter]} sets, got "
                    f"{given.get(name, _shown(options[name]))!r}{other}; leave one of the two out"
                )
            options[name] = value
            setters.setdefault(name, f"{setter}={given[setter]}")


def _shown(value: Any) -> str:
    """Return the value of an option as a user types it."""
    return (
        {True: "true", False: "false", None: "none"}.get(value, str(value))
        if not isinstance(value, float)
        else f"{value:g}"
    )


GROUP = ".NAME"
"""The end of the name of an option that stands for a group of options, whose names begin in the same way."""
