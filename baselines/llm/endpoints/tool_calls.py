"""Calls of tools: the tool that takes a decision, and the calls of a response as text for the reader of replies."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Collection
from typing import Any

from aucenv.baselines.llm.endpoints.errors import CHOICE, STRICT, TOOLS, TransportFailure

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.reader.speech import MAX_READ
from aucenv.core.words.structured_reply import ReplyForm

NAME = "decision"
"""The name of the tool."""
MAX_CALLS = 8
"""The number of calls of tools in one response that are read."""
MAX_NAME = 64
"""The number of characters of a tool's name that are kept; APIs allow no longer ones."""
KEPT = 2_000
"""The number of characters that are kept of the arguments of calls that cannot be read."""


_FIELD = re.compile(r"\w[\w -]{0,60}")
"""Pattern of the names of fields, other than those with which a text only resembles a JSON object."""


def function(form: ReplyForm, left_out: Collection[str]) -> JsonObject:
    """Return the tool, as all APIs describe a function, without the parameters that the endpoint has refused."""
    strict = {} if STRICT in left_out else {STRICT: True}
    description = "Gives the answer for which the last message asks, as the JSON object that it describes."
    return {"name": NAME, "description": description, "parameters": form.json_schema(), **strict}


def forced(tool: JsonMapping | None, left_out: Collection[str]) -> JsonObject:
    """Return the parameters of a request that offers one tool, and forces the model to call it; None: no tool."""
    if tool is None or TOOLS in left_out:
        return {}
    return {TOOLS: [tool], **({} if CHOICE in left_out else {CHOICE: "required"})}


@dataclasses.dataclass
class _Call:
    id: str
    name: str = ""
    pieces: list[str] = dataclasses.field(default_factory=list)

    def text(self) -> str | None:
        """Return the call as a JSON object; None if its arguments are not one."""
        arguments = "".join(self.pieces).strip() or "{}"
        try:
            fields = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
        if not isinstance(fields, dict):
            return None
        is_decision = self.name.rpartition(".")[2] in (NAME, "") and all(map(_FIELD.fullmatch, fields))
        return arguments if is_decision else f'{{"name": {_json(self.name)}, "arguments": {arguments}}}'


class ToolCalls:
    """The calls of tools in a response, whole or in the pieces of a stream."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._open: dict[int | str | None, _Call] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add_message(self, message: JsonMapping, is_whole: bool) -> None:
        """Add the calls of a message of the Chat Completions API: `tool_calls`, and `function_call`, their old form.

        Args:
            is_whole: whether the message is a whole one, and not a piece of a stream.
        """
        entries = message.get("tool_calls")
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict):
                place = entry["index"] if type(entry.get("index")) is int else None
                called = entry["function"] if isinstance(entry.get("function"), dict) else entry
                begins = is_whole or (place is None and number > 0)
                self.add(called, place, entry["id"] if isinstance(entry.get("id"), str) else "", begins)
        if isinstance(message.get("function_call"), dict):
            self.add(message["function_call"], "function_call", begins=is_whole)

    def add(self, called: JsonMapping, place: int | str | None = None, call_id: str = "", begins: bool = True) -> None:
        """Add a call, or a piece of one.

        Args:
            called: the `name` and the `arguments`; an object with neither is no call.
            place: the place of the call among those of a stream; None: that of the last piece without a place.
            call_id: its id; "" if the piece has none. A piece with another id begins another call.
            begins: whether the call begins here, at any place.
        """
        name, arguments = called.get("name"), called.get("arguments")
        if name is None and arguments is None:
            return
        call = self._open.get(place)
        if begins or call is None or (call_id and call.id and call_id != call.id):
            call = self._open[place] = _Call(call_id)
            self._calls.append(call)
        if isinstance(name, str) and name != call.name:  # some endpoints repeat it in each piece
            call.name = (call.name + name)[:MAX_NAME]
        if arguments is not None:
            call.pieces.append(arguments if isinstance(arguments, str) else _json(arguments))

    def text(self) -> str:
        """Return the calls as JSON objects, a line each; "" if there are none.

        The arguments of the tool for decisions stand for themselves. If a call cannot be read, none is: the text is
        then an object that states no decision.
        """
        texts = [call.text() for call in self._calls[:MAX_CALLS]]
        read = [text for text in texts if text is not None]
        if len(read) == len(self._calls) and sum(map(len, read)) + len(read) <= MAX_READ:
            return "\n".join(read)
        room = KEPT // len(texts)
        kept = [{"name": call.name, "arguments": "".join(call.pieces)[:room]} for call in self._calls[:MAX_CALLS]]
        return _json({"unreadable_tool_calls": kept})


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise TransportFailure("malformed") from None
