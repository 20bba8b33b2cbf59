"""Agents that hold one conversation per game: the plain agent, and Alympics' residents."""

from __future__ import annotations

import sys

from aucenv.baselines.llm.agents.agent import Agent, chat_message, message_content
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping
from aucenv.core.seat_view import GameView
from aucenv.envs.water_allocation import text as water
from aucenv.registration import find_family
from aucenv.runs.calls import Message


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
        self._messages.append(self.bid_message(self.user_message(view, observation)))
        reply = self.ask(self._messages)
        self._messages.append(chat_message("assistant", message_content(reply)))
        return reply

    def instructions(self, view: GameView) -> str:
        """Return the system message."""
        return self.prompts.render("system")

    def user_message(self, view: GameView, observation: JsonMapping) -> str:
        """Return the user message that asks for the next reply."""
        return observation["text"] if view.refused is None else self.describe_since(view, view.item_number)

    def describe_since(self, view: GameView, since: int) -> str:
        """Describe what has happened since item or day `since`, and the decision to make, without rules and history."""
        return find_family(self.game).game.text.describe(view, (sys.maxsize, since))


class Resident(PlainAgent):
    """A resident of the water allocation challenge.

    Source: Alympics, arXiv 2311.03220. The system message has the rules and the persona. Each day's message reports
    what happened and the resident's state, and the model replies with its reasoning and a bid. The conversation keeps
    all days and replies.
    """

    VARIABLES: Variables = (("system", frozenset({"rules", "persona"})), ("day", frozenset({"observation", "refused"})))
    observes = False

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._day = 0

    def instructions(self, view: GameView) -> str:
        rules = water.rules(view, with_persona=False)
        return self.prompts.render("system", rules=rules, persona=view.persona)

    def user_message(self, view: GameView, observation: JsonMapping) -> str:
        observation_text = self.describe_since(view, self._day)
        self._day = view.item_number
        return self.prompts.render("day", observation=observation_text, refused=view.refused)
