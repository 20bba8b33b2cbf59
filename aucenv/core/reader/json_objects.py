"""JSON objects in replies: where they stand, and which of their fields decide."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from typing import Any

FIRST_OBJECT = 0xE000
"""The character code that stands for the first object; the others follow."""
MAX_OBJECTS = 200
UNREAD = "\ue8fd"
"""The character that stands for what begins like an object but is none."""
MAX_CHARACTERS = 20_000
"""The longest object that is read."""


class JsonReply(dict):
    """A JSON object, with the list of its duplicate keys."""

    duplicates: list[str]


class NonFinite(float):
    """NaN or an infinity, which are not valid JSON."""


def _to_object(pairs: list[tuple[str, Any]]) -> JsonReply:
    data = JsonReply(pairs)
    times = Counter(key for key, _ in pairs) if len(data) < len(pairs) else Counter()
    data.duplicates = sorted(key for key, count in times.items() if count > 1)
    return data


_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
DECODER = json.JSONDecoder(object_pairs_hook=_to_object, parse_constant=NonFinite)

_MARK = "[\"'\u201c\u201d\u2018\u2019]"
_BEGINS = re.compile(rf"\{{\s*(?:{_MARK}\w[\w \-]{{0,60}}{_MARK}\s*:|\}})|(?<![A-Za-z])\{{\s*\w{{1,40}}\s*:")
_BRACE = re.compile(r"[{}]|\"(?:[^\"\\\n]|\\.)*\"")


_CALL = re.compile(
    r"""^(?P<before>[^\w\n]*(?:[a-z\ ]{1,20}:\s*)?)(?:\w+\.)?(?P<name>[a-z]+(?:_[a-z]+)*)
    (?P<arguments>\([^()\n]{0,200}\))(?=[^\w\n]*$)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def calls_as_objects(text: str) -> str:
    """Return a text with a JSON object for each function call that stands alone in its line: "place_bid(amount=5)"."""
    return _CALL.sub(_call_as_object, text) if "(" in text else text


def _call_as_object(match: re.Match[str]) -> str:
    try:
        call = ast.parse(f"f{match['arguments'].replace('$', '')}", mode="eval").body
        if not isinstance(call, ast.Call):
            return match[0]
        fields = {"action": match["name"].replace("_", " ")}
        if call.args:
            values = [ast.literal_eval(value) for value in call.args]
            fields["amount"] = values[0] if len(values) == 1 else str(values)
        fields |= {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return f"{match['before']}\n{json.dumps(fields)}"
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return match[0]


def take_objects(text: str) -> tuple[str, list[JsonReply]]:
    """Return a text in which one character on a line of its own stands for each JSON object, and the objects.

    Objects with usual mistakes (single quotation marks, a comma before the closing brace) are read too. What begins
    like an object but is none, such as one that was cut off, is left out of the text.
    """
    objects: list[JsonReply] = []
    pieces: list[str] = []
    at = 0
    while len(objects) < MAX_OBJECTS:
        opening = _BEGINS.search(text, at)
        if opening is None:
            break
        start = opening.start()
        data, end = _decode(text, start)
        pieces.append(text[at:start])
        if data is None:
            pieces.append(UNREAD)
        else:
            pieces.append(f"\n{chr(FIRST_OBJECT + len(objects))}\n")
            objects.append(data)
        at = end
    return "".join(pieces) + text[at:], objects


def _decode(text: str, start: int) -> tuple[JsonReply | None, int]:
    """Return the object that begins at `start`, None if it cannot be read, and where it ends."""
    try:
        data, end = DECODER.raw_decode(text[start : start + MAX_CHARACTERS])
        return data, start + end
    except (ValueError, RecursionError):
        pass
    end = _closing_brace(text, start)
    repaired = re.sub("[\u201c\u201d]", '"', text[start:end])
    repaired = re.sub(r",(\s*[}\]])", r"\1", repaired)
    repaired = re.sub(r":\s*(True|False|None)\b", lambda m: f": {_CONSTANTS[m[1]]}", repaired)
    double_marks = re.sub("['\u2018\u2019]", '"', repaired)
    marked_fields = re.sub(r"([{,]\s*)([A-Za-z_]\w*)\s*:", r'\1"\2":', repaired)
    return next((data for data in map(_parse, (repaired, double_marks, marked_fields)) if data is not None), None), end


def _parse(text: str) -> JsonReply | None:
    """Return the JSON object that a text is; None if it is none."""
    try:
        data = DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, JsonReply) else None


def _closing_brace(text: str, start: int) -> int:
    """Return the index after the brace that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for mark in _BRACE.finditer(text, start, start + MAX_CHARACTERS):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.end()
    return len(text)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ACT_WORDS = _words("action decision move choice answer act verb command output result verdict final recommendation")
_SPEECH_WORDS = _words("response reply message content say speech utterance statement text")
_AMOUNT_WORDS = _words(
    """amount bid offer raise price limit at input usd dollars dollar eur euros inr rupees rub rubles jpy yen value"""
)
_NOT_MINE = _words(
    """current min minimum max maximum least highest last previous standing estimate estimated budget starting
    start expected rival rivals history true reason reasoning why because explanation step increment count
    number id total remaining other others opponent opponents their possible available confidence time item
    options past winning round private base reserve"""
)
STAKES = frozenset(("bid", "offer", "raise"))
"""Words of fields whose amount is a bid on its own; other amounts need an act beside them."""


_NAMES = ("name", "type", "tool", "function", "tool_name", "function_name", "kind")
_INSIDE = (
    "arguments",
    "parameters",
    "args",
    "params",
    "function",
    "tool_call",
    "tool_calls",
    "function_call",
    "data",
    "input",
)
_NEUTRAL = re.compile(
    r"(?:(?:submit|make|give|send|take|record|return|final|my)\s+)*"
    r"(?:decision|answer|response|reply|move|action|result|output|function|object|json)"
)
"""The names of tools that say nothing about the decision."""
_SPEAKERS = ("speaker", "bidder", "player", "agent", "seat", "who", "from")
_LEAVES = ("withdraw", "abstain", "fold", "pass", "leave", "out", "drop_out", "quit")
_STAYS = ("still_in", "stay_in", "stay", "in", "active", "participate", "participating", "continue")
"""Fields that state with true or false whether the bidder leaves, or stays."""


class Fields:
    """The fields of a JSON object that decide.

    Attributes:
        acts: words of acts, such as "bid" or "I'm out!".
        speeches: words that are said, such as "I bid $5. Good luck!".
        amounts: values of the fields that hold amounts, by field.
        leaves: the value of a field such as {"withdraw": true}; None without one.
        stays: whether no field such as {"still_in": false} says otherwise.
        currency: the currency that is named; None without one.
        speaker: the bidder that is named; None without one.
        has_duplicates: whether a field stands twice.
    """

    def __init__(self, data: JsonReply) -> None:
        self.acts: list[str] = []
        self.amounts: dict[str, Any] = {}
        self.leaves: bool | None = None
        self.stays = True
        self.currency: str | None = None
        self.speeches: list[str] = []
        self.speaker: str | None = None
        self.has_duplicates = False
        self._add(data, 0)
        bids = {key: value for key, value in self.amounts.items() if (STAKES | {"amount"}) & set(key.split("_"))}
        self.amounts = bids or self.amounts
        if len(self.amounts) > 1:
            self.amounts.pop("value", None)  # what the item is worth to the bidder

    def _add(self, data: JsonReply, depth: int) -> None:
        fields = {re.sub(r"[\s-]+", "_", str(key).strip().lower()): value for key, value in data.items()}
        self.has_duplicates |= bool(getattr(data, "duplicates", ())) or len(fields) < len(data)
        if "properties" in fields:  # the schema of an answer
            return
        for key, value in fields.items():
            if key in _SPEAKERS:
                self.speaker = str(value)
            elif key in ("currency", "unit"):
                self.currency = str(value)
            elif key in _LEAVES and isinstance(value, bool):
                self.leaves = value
            elif key in _STAYS and value is False:
                self.stays = False
            elif key == "to" and isinstance(value, (int, float)):
                self.amounts[key] = value
            elif isinstance(value, (dict, list)) or (key in _INSIDE and _looks_like_object(value)):
                self._enter(key, value, depth)
            elif key in _NAMES:
                if isinstance(value, str) and not _NEUTRAL.fullmatch(name := _words_of_name(value)):
                    self.acts.append(name)
            elif _names(key, _ACT_WORDS) and isinstance(value, str) and not _names(key, _AMOUNT_WORDS - {"bid"}):
                self.acts.append(value.replace("_", " "))
            elif _names(key, _SPEECH_WORDS) and isinstance(value, str):
                self.speeches.append(value)
            elif _names(key, _AMOUNT_WORDS):
                self.amounts[key] = value

    def _enter(self, key: str, value: Any, depth: int) -> None:
        """Add the fields of an object inside the object."""
        if isinstance(value, str):
            value = _parse(value)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if (
            isinstance(value, JsonReply)
            and depth < 4
            and (key in _INSIDE or _names(key, _ACT_WORDS | _SPEECH_WORDS | _AMOUNT_WORDS))
        ):
            self._add(value, depth + 1)
        elif _names(key, _AMOUNT_WORDS):
            self.amounts[key] = value


def _names(key: str, words: frozenset[str]) -> bool:
    """Return whether a field's name has one of these words and none that makes it something else than a decision."""
    parts = frozenset(key.split("_"))
    return bool(parts & words) and not parts & _NOT_MINE


def _words_of_name(name: str) -> str:
    """Return the words of a function's name: "functions.PlaceBid" is "place bid"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", re.sub(r"^(?:\w+\.)+(?=\w+$)", "", name)).lower()


def _looks_like_object(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith("{")
