"""Agents that hold one conversation per game: the plain agent, and Alympics' residents."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from aucenv.baselines.llm.agents.agent import Agent, chat_message, message_content
from aucenv.baselines.llm.agents.conversation_memory import ConversationMemory, PastDay, make_memory
from aucenv.baselines.llm.agents.reasoning import Reasoner, Situation, make_reasoner
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.views.seat_view import GameView
from aucenv.envs.water_allocation import words as water
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Message


class PlainAgent(Agent):
    """A model that gets the text interface's observations and replies in free text."""

    VARIABLES: Variables = (("system", frozenset()),)
    observes = True

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._messages: list[Message] = []

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        if not self._messages:
            self._messages.append(chat_message("system", self.instructions(view)))
        self._messages += self.new_messages(view, observation)
        reply = self.ask(self.request_messages(view))
        self._messages.append(chat_message("assistant", message_content(reply)))
        return reply

    def request_messages(self, view: GameView) -> Sequence[Message]:
        """Return the messages of the next request, those of the conversation or some of them."""
        return self._messages

    def instructions(self, view: GameView) -> str:
        """Return the system message."""
        return self.prompts.render("system")

    def new_messages(self, view: GameView, observation: JsonMapping) -> list[Message]:
        """Return the messages that ask for the next reply."""
        text = observation["text"] if view.refused is None else self.describe_since(view, view.item_number)
        return [self.bid_message(text)]

    def describe_since(self, view: GameView, since: int) -> str:
        """Describe what has happened since item or day `since`, and the decision to make, without rules and history."""
        return find_family(self.game).game.words.describe(view, (sys.maxsize, since))


class Resident(PlainAgent):
    """A resident of the water allocation challenge.

    Source: Alympics, arXiv 2311.03220. The system message has the rules and the persona. Each day's message reports
    what happened and the resident's state, and the model replies with its reasoning and a bid. The conversation keeps
    all days and replies.

    Args:
        preset: "default", "paper" or "program". In the paper's program, the results of a day and the question for the
            next bid are system messages.
        memory: selects what requests show of earlier days.
        reasoner: reasons before each bid.
    """

    VARIABLES: Variables = (
        ("system", frozenset({"rules", "persona"})),
        (
            "day",
            frozenset({"observation", "refused", "resident", "day", "num_days", "supply", "resource"})
            | {"status", "results"},
        ),
    )
    observes = False

    def __init__(self, *agent_args: Any, preset: str, memory: ConversationMemory, reasoner: Reasoner) -> None:
        super().__init__(*agent_args)
        self._as_system = preset == "program"
        self._memory, self._reasoner = memory, reasoner

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        return {
            "preset": options["preset"],
            "memory": make_memory(options["memory"]),
            "reasoner": make_reasoner(options),
        }

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._day = 0
        self._start = 0  # the index of today's first message
        self._past: list[PastDay] = []
        self._reasoning = ""

    def prepare(self, view: GameView) -> None:
        if not self._messages:
            self._messages.append(chat_message("system", self.instructions(view)))
        else:
            messages = tuple(self._messages[self._start :])
            self._past.append(PastDay(water.day_summary(view, view.day_at(view.item_number - 1)), messages))
        self._start = len(self._messages)
        rivals = tuple(resident.name for resident in view.residents if resident.alive and resident.seat != view.seat)
        text = "\n\n".join([*water.results(view, self._day), water.situation(view)])
        context = tuple(self.request_messages(view))
        self._reasoning = self._reasoner.prepare(Situation(view, text, rivals, "$", self, context))

    def request_messages(self, view: GameView) -> list[Message]:
        return [self._messages[0], *self._memory.recall(self._past), *self._messages[self._start :]]

    def instructions(self, view: GameView) -> str:
        rules = water.rules(view, with_persona=False)
        return self.prompts.render("system", rules=rules, persona=view.persona)

    def new_messages(self, view: GameView, observation: JsonMapping) -> list[Message]:
        results = water.results(view, self._day)
        variables = {
            "observation": self.describe_since(view, self._day),
            "results": [] if self._as_system else results,
            "status": water.status(view),
            "resident": view.name,
            "day": view.day,
            "num_days": view.days,
            "supply": view.supply,
            "resource": view.wording.resource,
        }
        self._day = view.item_number
        content = self.prompts.render("day", refused=view.refused, **variables)
        reasoning = "" if view.refused else self._reasoning
        question = self.bid_message(f"{content}\n\n{reasoning}" if reasoning else content)
        if not self._as_system:
            return [question]
        return [chat_message("system", text) for text in results] + [{**question, "role": "system"}]
