"""Synthetic Labs' agent for prizes sold round after round: it plans, bids, looks back, and plans anew.

Source: Synthetic Labs, arXiv 2507.09083. The calls of a round of sealed bids, each with the rules as system message:

- plan, in the first round: -> a plan in 100 words.
- bid: what earlier rounds told, the plan, what the prize is worth -> one number; as often as the table asks again (the
  paper: 3 tries).
- reflect, after each round but the last: what all rounds told -> what a lower and a higher bid would have brought, in
  100 words.
- replan: the same, with the reflection and the plan before -> a new plan in 50 words.

On the clock there is one call per tick and no plan: stay or leave (wait or take). A text that is longer than agreed is
a mistake; what is carried on of it is what was agreed.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.agents.agent import Agent, said, spoken
from aucenv.baselines.llm.prompts import Prompts, Variables, prompts

from aucenv.core.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.reply import Unreadable
from aucenv.core.seat_view import GameView
from aucenv.envs.clock import text as clock
from aucenv.envs.sealed_bid import text as sealed
from aucenv.envs.single_item import text as prizes
from aucenv.envs.single_item.wording import clock_rules, rules
from aucenv.registration import find_family
from aucenv.runs.calls import Message

AGENT = "plan-bid-reflect"
LIMITS = {"plan": 100, "reflect": 100, "replan": 50}
"""Words of each text; of Chinese, characters."""
WORD = "[\u3400-\u9fff]|[^\\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+"


@dataclasses.dataclass(frozen=True)
class Wording:
    """How the rules are put; None: as the scenario puts them.

    Attributes:
        intervention: one of `sealed_bid.scenario.ADVICE`.
        currency, language: as in scenarios.
    """

    intervention: str | None
    currency: str | None
    language: str | None

    def of(self, scenario: Any) -> Any:
        """The scenario, put so.

        Raises:
            ValueError: it cannot be.
        """
        put = {"advice": self.intervention, "currency": self.currency, "language": self.language}
        chosen = {name: value for name, value in put.items() if value is not None}
        if not hasattr(scenario, "advice") and chosen.pop("advice", "none") != "none":
            raise ValueError(f"intervention: expected none on the clock, got {self.intervention!r}")
        return dataclasses.replace(scenario, **chosen) if chosen else scenario


class PlanBidReflectAgent(Agent):
    """See the module."""

    VARIABLES: Variables = (
        ("system", frozenset({"rules"})),
        ("plan", frozenset({"words"})),
        ("bid", frozenset({"history", "plan", "call"})),
        ("reflect", frozenset({"history", "words"})),
        ("replan", frozenset({"history", "plan", "reflection", "words"})),
    )

    def __init__(self, *asked: GameView, wording: Wording) -> None:
        super().__init__(*asked)
        self.wording = wording
        self._game = find_family(self.game).game
        self._text = clock if self.game == "clock" else sealed

    @classmethod
    def made_with(cls, game: str, options: JsonMapping) -> JsonObject:
        return {"wording": Wording(**{part.name: options[part.name] for part in dataclasses.fields(Wording)})}

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Why the rules of a scenario cannot be put so."""
        try:
            self._in(self.wording.of(scenario).language)
        except ValueError as error:
            return str(error)
        return None

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._round = -1
        self._plan = ""
        self._dialogue: list[Message] = []  # this decision's calls and replies
        self._reason: str | None = None  # why the last reply was refused, in the agent's own wording

    def prepare(self, view: GameView) -> None:
        self._dialogue, self._reason = [], None
        if self.game == "clock" or view.item_number == self._round:
            return
        seen = self._as_put(view)
        if self._round < 0:
            self._plan = self._write("plan", seen)
        else:
            history = f"{self._history(seen)}\n\n{prizes.total(seen)}"
            reflection = self._write("reflect", seen, history=history)
            self._plan = self._write("replan", seen, history=history, plan=self._plan, reflection=reflection)
        self._round = view.item_number

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        refused = None if view.refused is None else self._reason or view.refused
        seen = self._as_put(dataclasses.replace(view, refused=refused))
        call = clock.call(seen, in_advance=False) if self.game == "clock" else sealed.call(seen)
        told = {"history": self._history(seen), "plan": self._plan, "call": call}
        content = self._in(seen.scenario.language).render("bid", **told)
        self._dialogue.append(said("user", content))
        reply = self.ask([self._system(seen), *self._dialogue])
        self._dialogue.append(said("assistant", spoken(reply)))
        return self._as_table_reads(reply, view, seen)

    def _in(self, language: str) -> Prompts:
        """The prompts in a language."""
        if language == "english":
            return self.prompts
        if self.prompts.own is None:
            return prompts(f"{AGENT}/{language}", self.VARIABLES, None)
        return prompts(AGENT, self.VARIABLES, str(Path(self.prompts.own) / language))

    def _as_put(self, view: GameView) -> Any:
        """The view, in the agent's own wording."""
        scenario_text = dataclasses.replace(view.scenario_text, scenario=self.wording.of(view.scenario))
        return dataclasses.replace(view, scenario_text=scenario_text)

    def _system(self, seen: GameView) -> Message:
        put = seen.scenario
        told = clock_rules(put, seen.name, in_advance=False) if self.game == "clock" else rules(put, seen.name)
        return said("system", self._in(put.language).render("system", rules=told))

    def _history(self, seen: GameView) -> str:
        return "\n\n".join(self._text.closed_round(seen, j) for j in range(seen.item_number))

    def _write(self, phase: str, seen: GameView, **told: Any) -> str:
        """A text of the model's, no longer than agreed."""
        task = said("user", self._in(seen.scenario.language).render(phase, words=LIMITS[phase], **told))
        noted = len(self.notes.get("mistakes", []))
        text = self.ask_text([self._system(seen), task], phase)
        found = list(re.finditer(WORD, text))
        if len(found) > LIMITS[phase]:
            text = text[: found[LIMITS[phase] - 1].end()]
            if len(self.notes.get("mistakes", [])) == noted:  # or it was cut off, and is counted already
                self.mistake(phase, "too long", f"{len(found)} words, of {LIMITS[phase]} at most")
        self.notes["reflection" if phase == "reflect" else "plan"] = text
        return text

    def _as_table_reads(self, reply: str, view: GameView, seen: GameView) -> str:
        """The reply; where its currency is not the table's, its decision in plain words."""
        self._reason = None
        if seen.scenario == view.scenario or isinstance(reply, FailedReply):
            return reply
        text, row, seat = self._game.text, view.row, view.seat_number
        rivals = [name for name in view.scenario_text.names if name != view.name]
        try:
            amount = text.read(reply, rivals, seen.scenario_text, row)
        except Unreadable as error:
            self._reason = str(error)
            return FailedReply(reply, str(error))
        code = self._game.rules.check(row, 0, seat, amount)
        self._reason = text.refusal(row, seat, amount, code, seen.scenario_text) if code else None
        return reply if seen.scenario.currency == view.scenario.currency else text.reply_writer(view.scenario)(amount)
