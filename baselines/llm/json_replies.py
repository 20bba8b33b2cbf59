"""JSON in replies: found leniently (in code fences, between words), read strictly."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aucenv.core.files import JsonObject
from aucenv.envs.english.stated_beliefs import plain_name

LONGEST = 50_000
"""Characters read, from the end."""
MOST_DOLLARS = 1e12


class Malformed(ValueError):
    """A reply without the JSON that it should hold; says why, for the model that is asked again."""


class _Object(dict):
    """A JSON object that knows which of its keys stood twice."""

    twice: list[str]


class _NoNumber(float):
    """NaN or an infinity, which JSON does not have."""


def _pairs(pairs: list[tuple[str, Any]]) -> _Object:
    found = _Object(pairs)
    times = Counter(key for key, _ in pairs) if len(found) < len(pairs) else Counter()
    found.twice = sorted(key for key, count in times.items() if count > 1)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_NoNumber)


def without_thinking(reply: str) -> str:
    """A reply without what a model that reasons thinks first."""
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "", reply, flags=re.DOTALL | re.IGNORECASE)
    return text.rpartition("</think>")[2].strip()  # its beginning may lie before what is read


def last_object(reply: str, fits: Callable[[JsonObject], bool]) -> JsonObject:
    """The last JSON object of a reply that fits; as a whole, or as the value of one of its fields.

    Raises:
        Malformed: there is no object at all, a key stands twice in it, or a number is none.
    """
    text = without_thinking(reply[-LONGEST:])
    last, found = None, None
    at = text.find("{")
    while at >= 0:
        try:
            data, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            last = data
            inner = [value for value in data.values() if isinstance(value, dict)]
            found = next((candidate for candidate in (data, *inner) if fits(candidate)), found)
        at = text.find("{", end)
    chosen = last if found is None else found
    if chosen is None:
        raise Malformed("there is no JSON object in it")
    try:
        _check(chosen)
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    return chosen


def _names_any(names: Iterable[str]) -> Callable[[JsonObject], bool]:
    """Whether an object has one of these names as a key."""
    known = {plain_name(name) for name in names}
    return lambda data: any(plain_name(key) in known for key in data)


def _check(value: Any) -> None:
    if isinstance(value, _Object):
        if value.twice:
            raise Malformed(f"the field {value.twice[0]!r} stands twice")
        for inner in value.values():
            _check(inner)
    elif isinstance(value, list):
        for inner in value:
            _check(inner)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Malformed(f"{value} is no number")


def shown(value: Any) -> str:
    """A value as JSON, cut short."""
    return json.dumps(value)[:60] if not isinstance(value, (dict, list)) else f"{value!s:.60}"


def as_number(what: str, value: Any, least: float = -MOST_DOLLARS, most: float = MOST_DOLLARS) -> float:
    """`value`, if it is a number in this range.

    Raises:
        Malformed: it is not; a number in quotation marks is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Malformed(f"{what}: expected a number, got {shown(value)}")
    if not least <= value <= most:
        raise Malformed(f"{what}: expected a number from {least:g} to {most:g}, got {value!s:.30}")
    return value


def as_object(what: str, value: Any) -> JsonObject:
    """`value`, if it is an object; raises Malformed."""
    if not isinstance(value, dict):
        raise Malformed(f"{what}: expected an object, got {shown(value)}")
    return value


def by_name(what: str, pairs: Iterable[tuple[str, Any]], names: Sequence[str]) -> JsonObject:
    """Values by key, each of which is one of `names`, without regard to case and spaces; the keys as `names` has them.

    Raises:
        Malformed: a key that is no such name, or two that are the same.
    """
    known = {plain_name(name): name for name in names}
    found: JsonObject = {}
    for key, inner in pairs:
        name = known.get(plain_name(key))
        if name is None:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else f", expected some of {', '.join(names)}"
            raise Malformed(f"{what}: {key!r:.60} is not known{hint}")
        if name in found:
            raise Malformed(f"{what}: {name!r} stands twice")
        found[name] = inner
    return found


STATUS = ("remaining_budget", "total_profits", "winning_bids")


def read_status(reply: str, bidders: Sequence[str], own: str) -> JsonObject:
    """The status of a belief update, see `aucenv.analysis.beliefs`. Items may have any names.

    Raises:
        Malformed: a field missing or unknown, or not of its kind.
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
    if own not in profits:
        raise Malformed(f"{STATUS[1]}: your own, of {own}, is missing")
    won = by_name(STATUS[2], as_object(STATUS[2], data[STATUS[2]]).items(), bidders)
    return {
        STATUS[0]: budget,
        STATUS[1]: {name: as_number(f"{STATUS[1]} of {name}", profit) for name, profit in profits.items()},
        STATUS[2]: {name: _prices(f"{STATUS[2]} of {name}", prices) for name, prices in won.items()},
    }


def _prices(what: str, prices: Any) -> dict[str, float]:
    items = list(as_object(what, prices))
    return {item: as_number(f"{what}, {item}", price) for item, price in by_name(what, prices.items(), items).items()}


def read_priorities(reply: str, items: Sequence[str], through: int) -> tuple[dict[str, int], list[str]]:
    """The priorities of a plan.

    Args:
        items: all items' names, in order; the first `through` of them are through.

    Returns:
        The priority of every item to come; and the past items that were given one, too, which count as errors.

    Raises:
        Malformed: no priorities, those of an item to come missing, an unknown item, or not 1, 2 or 3.
    """
    priorities = by_name("priorities", last_object(reply, _names_any(items)).items(), items)
    past = [item for item in items[:through] if item in priorities]
    for item in (item for item in items[through:] if item in priorities):
        priority = priorities[item]
        if type(priority) is not int or not 1 <= priority <= 3:
            raise Malformed(f"priority of {item!r}: expected 1, 2 or 3, got {shown(priority)}")
    missing = [item for item in items[through:] if item not in priorities]
    if missing:
        raise Malformed(f"there is no priority of {missing[0]!r}")
    return {item: priorities[item] for item in items[through:]}, past


def read_profile(reply: str, personas: Mapping[str, str]) -> list[float]:
    """The weights of a profile.

    Args:
        personas: name by id, in the order of the weights.

    Raises:
        Malformed: not exactly one weight from -1 to 1 for each persona.
    """
    data = last_object(reply, _names_any([*personas, *personas.values()]))
    ids = {plain_name(name): key for key, name in personas.items()}
    by_id = [(ids.get(plain_name(key), key), weight) for key, weight in data.items()]
    weights = by_name("weights", by_id, list(personas))
    if len(weights) < len(personas):
        missing = next(key for key in personas if key not in weights)
        raise Malformed(
            f"weights: expected exactly {len(personas)}, got {len(weights)}; that of {missing!r} is missing"
        )
    return [float(as_number(f"weight of {key!r}", weights[key], -1, 1)) for key in personas]


def read_choice(reply: str, field: str, options: Sequence[str]) -> tuple[str, str]:
    """One of `options`, in capitals, and the reason, of an object like {"rule": "A", "reason": "..."}.

    Raises:
        Malformed: none of them.
    """
    data = last_object(reply, lambda data: field in data)
    if field not in data:
        raise Malformed(f"there is no field {field!r} in it")
    choice = data[field]
    if not isinstance(choice, str) or choice.strip().upper() not in options:
        raise Malformed(f"{field}: expected one of {', '.join(options)}, got {shown(choice)}")
    return choice.strip().upper(), reason.strip() if isinstance(reason := data.get("reason"), str) else ""


def read_sentences(reply: str, names: Sequence[str]) -> dict[str, str]:
    """A sentence for some of `names`.

    Raises:
        Malformed: an unknown name, or no text.
    """
    said = by_name("sentences", last_object(reply, _names_any(names)).items(), names)
    for name, sentence in said.items():
        if not isinstance(sentence, str) or not sentence.strip():
            raise Malformed(f"sentence on {name}: expected some text, got {shown(sentence)}")
    return {name: sentence.strip() for name, sentence in said.items()}


def read_numbered(reply: str) -> list[str]:
    """The entries of a numbered list.

    Raises:
        Malformed: there is none.
    """
    text = without_thinking(reply[-LONGEST:])
    entries = [entry.strip() for entry in re.findall(r"(?m)^[^\S\n]*[0-9]{1,3}[.)][^\S\n]+(\S.*)$", text)]
    if not entries:
        raise Malformed("there is no numbered list in it")
    return entries
