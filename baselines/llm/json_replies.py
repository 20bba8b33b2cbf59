"""Parse JSON in replies. It may be anywhere in a reply, such as in a code fence, but must be strictly valid."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.core.reader.json_objects import DECODER, JsonReply
from aucenv.core.reader.speech import spoken
from aucenv.envs.english.notes import normalized_name

MAX_CHARACTERS = 50_000
"""Only this many characters at the end of a reply are read."""
MAX_NUMBER = 1e12


class Malformed(ValueError):
    """A reply without the expected JSON. The message states the reason, which the model sees in the next request."""


def without_thinking(reply: str) -> str:
    """Return a reply without the thinking of a reasoning model."""
    return spoken(reply, drafts_are_thought=False).strip()


def last_object(reply: str, fits: Callable[[JsonObject], bool]) -> JsonObject:
    """Return the last JSON object of a reply for which `fits` is true; if there is none, the last object.

    An object inside it, as the value of a field, is considered too.

    Raises:
        Malformed: if there is no object, or the object has a duplicate key or a number that is not finite.
    """
    text = without_thinking(reply)[-MAX_CHARACTERS:]
    last, last_fitting = None, None
    at = text.find("{")
    while at >= 0:
        try:
            data, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            last = data
            inner = [value for value in data.values() if isinstance(value, dict)]
            last_fitting = next((candidate for candidate in (data, *inner) if fits(candidate)), last_fitting)
        at = text.find("{", end)
    chosen = last if last_fitting is None else last_fitting
    if chosen is None:
        raise Malformed("there is no JSON object in it")
    try:
        _check(chosen)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    return chosen


def _names_any(names: Iterable[str]) -> Callable[[JsonObject], bool]:
    """Return a predicate that is true for objects with one of these names as a key."""
    known = {normalized_name(name) for name in names}
    return lambda data: any(normalized_name(key) in known for key in data)


def _check(value: Any) -> None:
    if isinstance(value, JsonReply):
        if value.duplicates:
            raise Malformed(f"the field {value.duplicates[0]!r} stands twice")
        for inner in value.values():
            _check(inner)
    elif isinstance(value, list):
        for inner in value:
            _check(inner)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Malformed(f"{value} is no number")


def json_excerpt(value: Any) -> str:
    """Return a value as JSON, shortened to 60 characters."""
    return json.dumps(value)[:60] if not isinstance(value, (dict, list)) else f"{value!s:.60}"


def as_number(where: str, value: Any, least: float = -MAX_NUMBER, most: float = MAX_NUMBER) -> float:
    """Return `value` if it is a number in this range.

    Raises:
        Malformed: if it is not; a number in quotation marks is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(f"{where}: expected a number, got {json_excerpt(value)}")
    if not least <= value <= most:
        raise Malformed(f"{where}: expected a number from {least:g} to {most:g}, got {value!s:.30}")
    return value


def as_object(where: str, value: Any) -> JsonObject:
    """Return `value` if it is an object; raise Malformed if it is not."""
    if not isinstance(value, dict):
        raise Malformed(f"{where}: expected an object, got {json_excerpt(value)}")
    return value


def by_name(where: str, pairs: Iterable[tuple[str, Any]], names: Sequence[str]) -> JsonObject:
    """Return the values by name. Keys are matched to `names` ignoring case and spaces.

    Raises:
        Malformed: if a key is not one of the names, or two keys match the same name.
    """
    known = {normalized_name(name): name for name in names}
    values: JsonObject = {}
    for key, inner in pairs:
        name = known.get(normalized_name(key))
        if name is None:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else f", expected some of {', '.join(names)}"
            raise Malformed(f"{where}: {key!r:.60} is not known{hint}")
        if name in values:
            raise Malformed(f"{where}: {name!r} stands twice")
        values[name] = inner
    return values


STATUS = ("remaining_budget", "total_profits", "winning_bids")


def read_status(reply: str, bidders: Sequence[str], bidder: str) -> JsonObject:
    """Return the status of a belief update, see `aucenv.envs.english.stated_beliefs`. Items may have any names.

    Raises:
        Malformed: if a field is missing, unknown, or of the wrong type.
    """
    data = last_object(reply, lambda data: STATUS[0] in data)
    for field in STATUS:
        if field not in data:
            raise Malformed(f"the field {field!r} is missing")
    for field in data:
        if field not in STATUS:
            raise Malformed(f"{field!r:.60} is not known, expected the fields {', '.join(STATUS)}")
    budget = as_number(STATUS[0], data[STATUS[0]])
    profits = by_name(STATUS[1], as_object(STATUS[1], data[STATUS[1]]).items(), bidders)
    if bidder not in profits:
        raise Malformed(f"{STATUS[1]}: your own, of {bidder}, is missing")
    won = by_name(STATUS[2], as_object(STATUS[2], data[STATUS[2]]).items(), bidders)
    return {
        STATUS[0]: budget,
        STATUS[1]: {name: as_number(f"{STATUS[1]} of {name}", profit) for name, profit in profits.items()},
        STATUS[2]: {name: _prices(f"{STATUS[2]} of {name}", prices) for name, prices in won.items()},
    }


def _prices(where: str, prices: Any) -> dict[str, float]:
    items = list(as_object(where, prices))
    return {item: as_number(f"{where}, {item}", price) for item, price in by_name(where, prices.items(), items).items()}


def read_priorities(
    reply: str, items: Sequence[str], num_past: int, partial: bool = False
) -> tuple[dict[str, int], JsonObject]:
    """Return the priorities of a plan.

    Args:
        reply: the reply.
        items: the names of all items, in order.
        num_past: how many of these items are already closed.
        partial: whether the priorities of remaining items may be missing, but not all of them.

    Returns:
        The priorities of the remaining items; and those that the plan gives to past items, which count as mistakes.

    Raises:
        Malformed: if an item is unknown, the priority of a remaining item is missing, or one is not 1, 2 or 3.
    """
    priorities = by_name("priorities", last_object(reply, _names_any(items)).items(), items)
    past = {item: priorities[item] for item in items[:num_past] if item in priorities}
    for item in (item for item in items[num_past:] if item in priorities):
        priority = priorities[item]
        if type(priority) is not int or not 1 <= priority <= 3:
            raise Malformed(f"priority of {item!r}: expected 1, 2 or 3, got {json_excerpt(priority)}")
    missing = [item for item in items[num_past:] if item not in priorities]
    if missing and (not partial or len(missing) == len(items) - num_past):
        raise Malformed(f"there is no priority of {missing[0]!r}")
    return {item: priorities[item] for item in items[num_past:] if item in priorities}, past


def read_profile(reply: str, personas: Mapping[str, str]) -> list[float]:
    """Return the weights of a profile.

    Args:
        personas: the personas' names by id, in the order of the weights.

    Raises:
        Malformed: unless each persona has exactly one weight from -1 to 1.
    """
    data = last_object(reply, _names_any([*personas, *personas.values()]))
    ids = {normalized_name(name): key for key, name in personas.items()}
    by_id = [(ids.get(normalized_name(key), key), weight) for key, weight in data.items()]
    weights = by_name("weights", by_id, list(personas))
    if len(weights) < len(personas):
        missing = next(key for key in personas if key not in weights)
        raise Malformed(
            f"weights: expected exactly {len(personas)}, got {len(weights)}; that of {missing!r} is missing"
        )
    return [float(as_number(f"weight of {key!r}", weights[key], -1, 1)) for key in personas]


def read_choice(reply: str, field: str, options: Sequence[str]) -> tuple[str, str]:
    """Return the chosen option in capitals, and the reason, from an object like {"rule": "A", "reason": "..."}.

    Raises:
        Malformed: if the choice is not one of `options`.
    """
    data = last_object(reply, lambda data: field in data)
    if field not in data:
        raise Malformed(f"there is no field {field!r} in it")
    choice = data[field]
    if not isinstance(choice, str) or choice.strip().upper() not in options:
        raise Malformed(f"{field}: expected one of {', '.join(options)}, got {json_excerpt(choice)}")
    return choice.strip().upper(), reason.strip() if isinstance(reason := data.get("reason"), str) else ""


def read_sentences(reply: str, names: Sequence[str]) -> dict[str, str]:
    """Return the sentences of an object by name; names may be missing.

    Raises:
        Malformed: if a name is unknown, or a sentence is not a string or is blank.
    """
    sentences = by_name("sentences", last_object(reply, _names_any(names)).items(), names)
    for name, sentence in sentences.items():
        if not isinstance(sentence, str) or not sentence.strip():
            raise Malformed(f"sentence on {name}: expected some text, got {json_excerpt(sentence)}")
    return {name: sentence.strip() for name, sentence in sentences.items()}


def read_numbered(reply: str) -> list[str]:
    """Return the entries of a numbered list.

    Raises:
        Malformed: if there is no entry.
    """
    text = without_thinking(reply)[-MAX_CHARACTERS:]
    entries = [entry.strip() for entry in re.findall(r"(?m)^[^\S\n]*[0-9]{1,3}[.)][^\S\n]+(\S.*)$", text)]
    if not entries:
        raise Malformed("there is no numbered list in it")
    return entries
