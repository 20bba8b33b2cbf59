"""Structured replies: one JSON object with the reasoning, the action and its amount."""

from __future__ import annotations

import dataclasses
from typing import Literal

from aucenv.core.files import JsonObject

AmountUse = Literal["number", "null", "either"]
"""The amount of an action: "number"; "null"; "either", a number or null."""


@dataclasses.dataclass(frozen=True)
class ReplyForm:
    """The form of a structured reply: `{"reasoning": text, "action": one of the actions, "amount": number or null}`.

    Attributes:
        actions: the actions, each with the use of its amount.
    """

    actions: tuple[tuple[str, AmountUse], ...]

    def json_schema(self) -> JsonObject:
        """Return the form as a JSON schema. It cannot express that the use of the amount depends on the action."""
        uses = {use for _, use in self.actions}
        types = ["null"] if uses == {"null"} else ["number"] if uses == {"number"} else ["number", "null"]
        properties = {
            "reasoning": {"type": "string"},
            "action": {"type": "string", "enum": [action for action, _ in self.actions]},
            "amount": {"type": types[0] if len(types) == 1 else types},
        }
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }


BID_OR_WITHDRAW = ReplyForm((("bid", "number"), ("withdraw", "null")))
"""The form of replies that `core.words.reply` reads."""
