"""Memories of a conversation: what an agent's requests show of the days that are over.

A memory is any object with the method of `ConversationMemory`. `memory=py:FILE.py:CLASS` in a bidder's name selects one
of the user.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from aucenv.baselines.llm.prompts import Variables, prompts

from aucenv.policy.user_code import load_user_object
from aucenv.runs.model_calls.calls import Message


@dataclasses.dataclass(frozen=True)
class PastDay:
    """A day of a conversation that is over.

    Attributes:
        summary: its events in one line.
        messages: its requests and replies, in order; the first one begins with the results of the day before.
    """

    summary: str
    messages: tuple[Message, ...]


class ConversationMemory(Protocol):
    """Selects what a request shows of past days."""

    def recall(self, days: Sequence[PastDay]) -> Sequence[Message]:
        """Return the messages between the system message and those of today.

        Args:
            days: all past days, in order.
        """
        ...


class WholeConversation:
    """Shows every message of all days, as in Alympics."""

    def recall(self, days: Sequence[PastDay]) -> list[Message]:
        return [message for day in days for message in day.messages]


class LastDays:
    """Shows the messages of the last days, and before them a line on each earlier day.

    Args:
        days: the number of days whose messages are shown; at least 1.
    """

    VARIABLES: Variables = (("earlier", frozenset({"summaries"})),)

    def __init__(self, days: int) -> None:
        self.days = days
        self._prompts = prompts("last-days", self.VARIABLES, None)

    def recall(self, days: Sequence[PastDay]) -> list[Message]:
        earlier, last = days[: -self.days], days[-self.days :]
        messages = [message for day in last for message in day.messages]
        if earlier:  # in the first message, because some models accept no two messages of one role in a row
            text = self._prompts.render("earlier", summaries=[day.summary for day in earlier])
            messages[0] = {**messages[0], "content": f"{text}\n\n{messages[0]['content']}"}
        return messages


def make_memory(option: str) -> ConversationMemory:
    """Return the memory of an option's value: `all`, `last_days:N` or `py:FILE.py:CLASS`.

    Raises:
        ValueError: if a user-defined class cannot be loaded or has no method `recall`.
    """
    kind, _, rest = option.partition(":")
    if kind == "py":
        memory: ConversationMemory = load_user_object(rest, "memory", ("recall",))
        return memory
    return LastDays(int(rest)) if kind == "last_days" else WholeConversation()
