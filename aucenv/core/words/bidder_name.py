"""Parsing of bidder names, `[LABEL=]KIND[:ARG][,key=value...]`."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping
from typing import Any

from aucenv.core.words.outside_text import MASK


@dataclasses.dataclass(frozen=True)
class BidderSpec:
    """The parts of a bidder's name, `[LABEL=]KIND[:ARG][,key=value...]`.

    Attributes:
        label: The bidder's name in tables; the whole name, with secrets masked, if it has no label.
        kind: The kind of bidder, such as "rule" or "llm".
        arg: The kind's argument, such as a model, or None.
        params: The parameters by name.
    """

    label: str
    kind: str
    arg: str | None
    params: Mapping[str, str]


_KEY = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""Pattern of the name of a parameter, such as `temperature` and `header.X-Api-Key`."""
LABEL = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
"""Pattern of a label, such as `gpt-4.1`."""
_SPEC = re.compile(
    rf"(?:(?P<label>{LABEL})=)?(?P<kind>[A-Za-z0-9_-]+)(?::(?P<arg>[^,]+))?"
    rf"(?P<params>(?:,{_KEY}=[^,]*)*)"
)


def parse_bidder(name: str) -> BidderSpec:
    """Parse a bidder's name.

    Raises:
        ValueError: The name does not have the form, or has a parameter twice.
    """
    match = _SPEC.fullmatch(name)
    if match is None:
        raise ValueError(
            "bidder: expected [LABEL=]KIND[:ARG][,key=value...], LABEL of A-Za-z0-9_ and, not first, '.' and '-', got "
            f"{public_name(name)!r}; "
            "examples of single bidders: value,margin=0.1 and gpt=llm:openai:gpt-4.1-mini and py:FILE.py:CLASS"
            f"{'; a path in it has no comma' if ',' in name else ''}"
        )
    pairs = [pair.split("=", 1) for pair in match["params"].split(",") if pair]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise ValueError(f"bidder {public_name(name)!r}: expected each parameter once")
    arg = match["arg"]
    if arg is not None and public_name(arg) != arg:  # otherwise it is recorded as part of a model's name
        raise ValueError(f"bidder {public_name(name)!r}: expected a comma before header.NAME, got another character")
    return BidderSpec(label_of(name), match["kind"], arg, params)


def check_path(path: str | os.PathLike[str], separators: str = ",") -> None:
    """Check that a file or a folder can be part of a bidder's name, such as `ppo:PATH`.

    Args:
        path: The file or the folder.
        separators: The characters that it cannot have.

    Raises:
        ValueError: It has one.
    """
    for each in separators:
        if each in os.fspath(path):
            raise ValueError(f"{path}: expected a path without {each!r}, which ends a path in the name of a bidder")


def with_options(name: str, label: str | None = None, **options: str) -> str:
    """Return a bidder's name with another label and with these options, which replace its own.

    Args:
        name: The bidder.
        label: The label; None: none.
        options: The options by name.

    Raises:
        ValueError: As in `parse_bidder`.
    """
    spec = parse_bidder(name)
    kind = spec.kind if spec.arg is None else f"{spec.kind}:{spec.arg}"
    params = "".join(f",{key}={value}" for key, value in {**spec.params, **options}.items())
    return f"{'' if label is None else f'{label}='}{kind}{params}"


REPLACED_BY = "replaced_by"
"""The note of a person's seat in a record that names the bidder which has replaced the person."""


def label_of(name: str) -> str:
    """Return the name of a bidder in tables: its label, or its public name if it has none or is the name of a class.

    The labels of a person and of a script in place of a model, `llm:scripted`, are marked.
    """
    match = _SPEC.fullmatch(name)
    if match is None:
        return public_name(name)
    if match["kind"] == "llm" and match["arg"] == "scripted":
        return f"{match['label'] or public_name(name)} (script)"
    if not match["label"]:
        return public_name(name)
    return f"{match['label']} (person)" if match["kind"] == "human" else match["label"]


def seat_label(player: Mapping[str, Any]) -> str:
    """Return the name in tables of the bidder of a seat in a record.

    A person whom a bidder has replaced has the name of both: `human:Ann, then rule`. What such a seat has earned
    cannot be divided between the two, so it counts neither for the person nor for the bidder.

    Args:
        player: an entry of a record's `seats`.
    """
    label, successor = label_of(player["bidder"]), successor_of(player)
    return label if successor is None else f"{label}, then {successor}"


def successor_of(player: Mapping[str, Any]) -> str | None:
    """Return the name of the bidder that has replaced the person in a seat of a record; None if none has."""
    match = _SPEC.fullmatch(player["bidder"])
    successor = player.get("notes", {}).get(REPLACED_BY)  # a bidder that is no person may note anything
    return successor if match is not None and match["kind"] == "human" and isinstance(successor, str) else None


_SHOWN = r"""(?:\*\*\*|VALUE|env:[A-Za-z_][A-Za-z0-9_]*)(?:[].,:;'"\s)]|\Z)"""
_HEADER = re.compile(
    rf"(?:\A|(?<=[,:\s]))(?P<name>header[^=,;]*=)(?!{_SHOWN})(?P<value>.+?)(?=,{_KEY}=|\Z)"
    rf"|(?<=;)(?P<inner_name>header[^=,;]*=)(?!{_SHOWN})(?P<inner_value>.+?)(?=[,;]{_KEY}=|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""A parameter `header.NAME=VALUE` whose value is a secret, in the name of a bidder or, after `;`, of its adviser."""


def public_name(name: str) -> str:
    """Return the name of a bidder as it may be shown and recorded: with the value of each HTTP header masked.

    The value `env:VARIABLE` stays, because it is only the name of an environment variable. The text may also be a
    misspelled name, or one in an error: all that could be part of a value is masked.
    """
    if "header" not in name.lower():  # most names, of which there may be millions
        return name
    return _HEADER.sub(lambda match: f"{match['name'] or match['inner_name']}{MASK}", name)


def header_secrets(name: str) -> list[str]:
    """Return the values of HTTP headers that `public_name` masks in a name."""
    return [match["value"] or match["inner_value"] for match in _HEADER.finditer(name)]


def inner_name(name: str) -> str:
    """Return the name of a bidder that is an argument of another bidder's name, where `;` replaces its commas."""
    return name.replace(";", ",")


def joined_names(text: str) -> list[str]:
    """Return the names of the bidders in an option of another bidder, which are separated by `+`."""
    return [inner_name(name) for name in text.split("+")]
