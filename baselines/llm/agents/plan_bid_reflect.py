"""Synthetic Labs' agent for auctions of one prize per round: it plans, bids, reflects, and replans.

Source: Synthetic Labs, arXiv 2507.09083. A round of sealed bids has these calls, each with the rules as system message:

- plan, in the first round: the reply is a plan of up to 100 words.
- bid: the task has the results of earlier rounds, the plan, and the value of the prize; the reply is one number.
  After a refused reply, the call is repeated as often as the table allows (in the paper, 3 times).
- reflect, after each round but the last: the task has the results of all rounds; the reply states what a lower and a
  higher bid would have earned, in up to 100 words.
- replan: the task also has the reflection and the previous plan; the reply is a new plan of up to 50 words.

In Chinese, the limits are 170 and 85 characters, which say about as much.

A clock auction has one call per tick and no plan: stay or leave (on a descending clock, wait or take). In a proxy
auction the agent plans once a round, and each of its moves is a `bid` call with all moves so far. A text above its
limit is noted as a mistake, and the agent keeps only the words within the limit.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.agents.agent import Agent, chat_message, message_content
from aucenv.baselines.llm.agents.reasoning import Reasoner, Situation, make_reasoner
from aucenv.baselines.llm.prompts import Prompts, Variables, prompts

from aucenv.core.adapters.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.phrases import listed
from aucenv.core.words.reply import Unreadable
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.envs.clock import words as clock
from aucenv.envs.ebay import words as ebay
from aucenv.envs.sealed_bid import words as sealed
from aucenv.envs.single_item import words as single_item
from aucenv.envs.single_item.wording import clock_rules, rules
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Message

AGENT = "plan-bid-reflect"
MAX_WORDS = {"plan": 100, "reflect": 100, "replan": 50}
"""The maximum number of words of each text."""
TEXTS = {"sealed_bid": sealed, "clock": clock, "ebay": ebay}
"""The texts of each game that the agent plays."""
CHARACTERS_PER_WORD = 1.7
"""The number of Chinese characters that say as much as a word of the other languages."""
WORD_PATTERN = "[\u3400-\u9fff]|[^\\s\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+"


@dataclasses.dataclass(frozen=True)
class WordingOptions:
    """How the prompts word the rules; None: as the scenario does.

    Attributes:
        intervention: one of `sealed_bid.game.ADVICE`.
        currency, language: see the scenario's fields.
    """

    intervention: str | None
    currency: str | None
    language: str | None

    def apply_to(self, scenario: Any) -> Any:
        """Return the scenario with this wording.

        Raises:
            ValueError: if the scenario cannot have it.
        """
        settings = {"advice": self.intervention, "currency": self.currency, "language": self.language}
        changes = {name: value for name, value in settings.items() if value is not None}
        if not hasattr(scenario, "advice") and changes.pop("advice", "none") != "none":
            raise ValueError(f"intervention: expected none except in sealed bids, got {self.intervention!r}")
        return dataclasses.replace(scenario, **changes) if changes else scenario


def word_limit(phase: str, language: str) -> int:
    """Return the maximum number of words of a text; in Chinese, of characters."""
    return round(MAX_WORDS[phase] * (CHARACTERS_PER_WORD if language == "chinese" else 1))


class PlanBidReflectAgent(Agent):
    """Synthetic Labs' agent; the module's docstring describes its calls."""

    VARIABLES: Variables = (
        ("system", frozenset({"rules"})),
        ("plan", frozenset({"num_rounds", "max_words"})),
        ("bid", frozenset({"history", "plan", "call"})),
        ("reflect", frozenset({"history", "max_words"})),
        ("replan", frozenset({"history", "plan", "reflection", "max_words"})),
    )

    def __init__(self, *agent_args: Any, wording: WordingOptions, reasoner: Reasoner) -> None:
        super().__init__(*agent_args)
        self.wording = wording
        self._reasoner = reasoner
        self._game = find_family(self.game).game
        self._text: Any = TEXTS[self.game]

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        if game != "sealed_bid" and options["reasoner"] != "direct":
            raise ValueError(f"reasoner: expected direct except in sealed bids, got {options['reasoner']!r}")
        return {
            "wording": WordingOptions(
                **{option.name: options[option.name] for option in dataclasses.fields(WordingOptions)}
            ),
            "reasoner": make_reasoner(options),
        }

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return why the rules of a scenario cannot be worded as the options require; None if they can."""
        try:
            language = self.wording.apply_to(scenario).language
            self._prompts_in(language)
        except ValueError as error:
            return str(error)
        languages = getattr(self._reasoner, "languages", (language,))
        if language not in languages:
            return f"reasoner: its prompts are in {listed(languages)}, and the rules in {language}"
        return None

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._round = -1
        self._plan = ""
        self._reasoning = ""
        self._dialogue: list[Message] = []  # the calls and replies of this decision
        self._reason: str | None = None  # why the last reply was refused, in the agent's currency and language

    def prepare(self, view: GameView) -> None:
        self._dialogue, self._reason = [], None
        if self.game == "clock" or view.item_number == self._round:
            return
        worded_view = self._worded_view(view)
        if self._round < 0:
            self._plan = self._write("plan", worded_view, num_rounds=worded_view.num_rounds)
        else:
            history = f"{self._history(worded_view)}\n\n{single_item.total(worded_view)}"
            reflection = self._write("reflect", worded_view, history=history)
            self._plan = self._write("replan", worded_view, history=history, plan=self._plan, reflection=reflection)
        self._round = view.item_number
        self._reasoning = self._reasoner.prepare(self._situation(worded_view))

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        refused = None if view.refused is None else self._reason or view.refused
        worded_view = self._worded_view(view.replace(refused=refused))
        call = clock.call(worded_view, in_advance=False) if self.game == "clock" else self._text.call(worded_view)
        variables = {"history": self._history(worded_view), "plan": self._plan, "call": call}
        content = self._prompts_in(worded_view.scenario.language).render("bid", **variables)
        if self._reasoning and view.refused is None:
            content = f"{content}\n\n{self._reasoning}"
        self._dialogue.append(self.bid_message(content))
        reply = self.ask(self._request(worded_view, *self._dialogue))
        self._dialogue.append(chat_message("assistant", message_content(reply)))
        return self._convert_reply(reply, view, worded_view)

    def write_reply(self, amount: int, view: GameView, write: Callable[[int], str]) -> str:
        return write(amount if self.game != "clock" else clock.at_this_tick(amount, view))

    def reply_form(self, view: GameView) -> ReplyForm:
        if self.game == "clock":
            return clock.reply_form(view.scenario_text, in_advance=False)
        return super().reply_form(view)

    def language(self, view: GameView) -> str:
        language: str = self.wording.apply_to(view.scenario).language
        return language

    def _prompts_in(self, language: str) -> Prompts:
        """Return the prompts in a language."""
        if language == "english":
            return self.prompts
        if self.prompts.user_folder is None:
            return prompts(f"{AGENT}/{language}", self.VARIABLES, None)
        return prompts(AGENT, self.VARIABLES, str(Path(self.prompts.user_folder) / language))

    def _worded_view(self, view: GameView) -> Any:
        """Return the view with the agent's wording of the rules."""
        scenario_text = dataclasses.replace(view.scenario_text, scenario=self.wording.apply_to(view.scenario))
        return view.replace(scenario_text=scenario_text)

    def _request(self, worded_view: GameView, *messages: Message) -> list[Message]:
        return [self._system(worded_view), *messages]

    def _system(self, worded_view: GameView) -> Message:
        scenario, name = worded_view.scenario, worded_view.name
        if self.game == "ebay":
            text = ebay.described_rules(worded_view)
        else:
            text = clock_rules(scenario, name, in_advance=False) if self.game == "clock" else rules(scenario, name)
        return chat_message("system", self._prompts_in(scenario.language).render("system", rules=text))

    def _situation(self, worded_view: Any) -> Situation:
        """Return the decision that is about to be made, without the question for it."""
        text = "\n\n".join(filter(None, [self._history(worded_view), "\n".join(single_item.call(worded_view))]))
        rivals = tuple(name for name in worded_view.scenario_text.names if name != worded_view.name)
        context = (self._system(worded_view),)
        return Situation(worded_view, text, rivals, worded_view.scenario_text.sign, self, context)

    def _history(self, worded_view: GameView) -> str:
        return "\n\n".join(self._text.closed_round(worded_view, j) for j in range(worded_view.item_number))

    def _write(self, phase: str, worded_view: GameView, **variables: Any) -> str:
        """Return a text that the model writes, cut to the phase's maximum number of words."""
        language = worded_view.scenario.language
        templates, limit = self._prompts_in(language), word_limit(phase, language)
        task = chat_message("user", templates.render(phase, max_words=limit, **variables))
        num_mistakes = len(self.notes.get("mistakes", []))
        text = self.ask_text(self._request(worded_view, task), phase)
        was_noted = len(self.notes.get("mistakes", [])) > num_mistakes  # a reply that was cut off
        text = self._shorten(text, phase, limit, was_noted)
        self.notes["reflection" if phase == "reflect" else "plan"] = text
        return text

    def _shorten(self, text: str, phase: str, max_words: int, was_noted: bool = False) -> str:
        """Return the words of a text within its limit; a longer one is a mistake, unless it has been noted already."""
        words = list(re.finditer(WORD_PATTERN, text))
        if len(words) <= max_words:
            return text
        if not was_noted:
            self.note_mistake(phase, "too long", f"{len(words)} words, of {max_words} at most")
        return text[: words[max_words - 1].end()]

    def _convert_reply(self, reply: str, view: GameView, worded_view: GameView) -> str:
        """Return the reply for the table, rewritten if its currency is not the table's."""
        self._reason = None
        if worded_view.scenario == view.scenario or isinstance(reply, FailedReply):
            return reply
        text, row, seat = self._game.words, view.row, view.seat_number
        rivals = [name for name in view.scenario_text.names if name != view.name]
        try:
            amount = text.read(reply, rivals, worded_view.scenario_text, row)
        except Unreadable as error:
            self._reason = str(error)
            return FailedReply(reply, str(error))
        code = self._game.rules.check(row, 0, seat, amount)
        self._reason = text.refusal(row, seat, amount, code, worded_view.scenario_text) if code else None
        return (
            reply
            if worded_view.scenario.currency == view.scenario.currency
            else text.reply_writer(view.scenario)(amount)
        )
