"""Agents that hold one conversation a game: the plain one, and Alympics' residents."""

from __future__ import annotations

import sys

from aucenv.baselines.llm.agents.agent import Agent, said, spoken
from aucenv.baselines.llm.prompts import Variables

from aucenv.core.files import JsonMapping
from aucenv.core.seat_view import GameView
from aucenv.envs.water_allocation import text as water
from aucenv.registration import find_family
from aucenv.runs.calls import Message


class PlainAgent(Agent):
    """A model that is told what the env's text interface tells, and answers in its own words."""

    VARIABLES: Variables = (("system", frozenset()),)
    observes = True

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._messages: list[Message] = []

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        if not self._messages:
            self._messages.append(said("system", self.instructions(view)))
        self._messages.append(said("user", self.told(view, observation)))
        reply = self.ask(self._messages)
        self._messages.append(said("assistant", spoken(reply)))
        return reply

    def instructions(self, view: GameView) -> str:
        """What it is told before all else."""
        return self.prompts.render("system")

    def told(self, view: GameView, observation: JsonMapping) -> str:
        """What it is told before an answer."""
        return observation["text"] if view.refused is None else self.news(view, view.item_number)

    def news(self, view: GameView, since: int) -> str:
        """What has happened since item or day `since`, and what is asked; of the rules and the history, nothing."""
        return find_family(self.game).game.text.describe(view, (sys.maxsize, since))


class Resident(PlainAgent):
    """A resident of the water allocation challenge.

    Source: Alympics, arXiv 2311.03220: rules and persona as the system message; each day what happened and how it
    stands, then a bid with its reasoning; all days and own replies are kept.
    """

    VARIABLES: Variables = (("system", frozenset({"rules", "persona"})), ("day", frozenset({"news", "refused"})))
    observes = False

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._day = 0

    def instructions(self, view: GameView) -> str:
        rules = water.rules(view, with_persona=False)
        return self.prompts.render("system", rules=rules, persona=view.persona)

    def told(self, view: GameView, observation: JsonMapping) -> str:
        news = self.news(view, self._day)
        self._day = view.item_number
        return self.prompts.render("day", news=news, refused=view.refused)
