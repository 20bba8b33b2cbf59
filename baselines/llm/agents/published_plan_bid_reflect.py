"""Synthetic Labs' agent as in the paper, or as in the paper's program.

Source: Synthetic Labs, arXiv 2507.09083, and github.com/KeHang-Zhu/llm-auction. It makes the calls of
`plan_bid_reflect`, with these differences:

- The instructions also ask to try out many ways of bidding, and to learn from the rounds. In the paper's program they
  are part of the task, and there is no system message.
- bid: the task has the value of the prize and the plan, which the agent must follow, but no results of earlier rounds,
  and it does not say that one may abstain. In the paper's program, it also has the reflection. After a refused reply,
  the same task is repeated with the reason.
- reflect: the task has the results of the last round, in the paper's program with common values also its plan; it asks
  to win with higher profits.
- replan: the task has the results of all rounds, each with the plan of that round, and the reflection.
- clock: each task has what has happened in this round, without earlier rounds, and asks for a plan of up to 50 words,
  an action and a reflection.

Only the rules are translated.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from aucenv.baselines.llm.agents.agent import chat_message
from aucenv.baselines.llm.agents.plan_bid_reflect import MAX_WORDS, PlanBidReflectAgent
from aucenv.baselines.llm.json_replies import without_thinking
from aucenv.baselines.llm.prompts import Prompts, Variables

from aucenv.core.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import money
from aucenv.core.reader.wording import acts_in_words
from aucenv.core.seat_view import GameView
from aucenv.envs.clock import text as clock
from aucenv.envs.sealed_bid import text as sealed
from aucenv.envs.single_item import text as single_item
from aucenv.envs.single_item.wording import clock_rules, rules, words
from aucenv.runs.calls import Message

ACTIONS = {"ascending": {"yes": "stay", "no": "leave"}, "descending": {"yes": "take", "no": "wait"}}
"""Direction of a clock -> the act of each answer."""
ANSWER = r"\W*(yes|no)\W*"
TAG = r"([/\\]?)(plan|action|reflection)"


class PublishedPlanBidReflectAgent(PlanBidReflectAgent):
    """Synthetic Labs' agent under a preset; the module's docstring describes its calls.

    Args:
        preset: "paper" or "program".
    """

    VARIABLES: Variables = (
        ("system", frozenset({"rules", "explores"})),
        ("plan", frozenset({"num_rounds", "max_words"})),
        ("bid", frozenset({"first_round", "reflection", "value", "plan", "refused", "example"})),
        ("reflect", frozenset({"round", "max_words"})),
        ("replan", frozenset({"rounds", "reflection", "max_words"})),
        ("tick", frozenset({"ticks", "value", "price", "next_price", "direction", "refused", "max_words"})),
    )

    def __init__(self, *agent_args: Any, preset: str, **arguments: Any) -> None:
        super().__init__(*agent_args, **arguments)
        self._as_program = preset == "program"

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        if game == "ebay":
            raise ValueError(f"preset: expected default in proxy auctions, got {options['preset']!r}")
        return {**super().init_arguments(game, options), "preset": options["preset"]}

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._plans: list[str] = []
        self._reflection = ""

    def prepare(self, view: GameView) -> None:
        self._reason, self._rules_language = None, self.language(view)
        if self.game == "clock" or view.item_number < len(self._plans):
            return
        worded_view = self._worded_view(view)
        if not self._plans:
            plan = self._write("plan", worded_view, num_rounds=view.num_rounds)
        else:
            results = self._results(worded_view)
            rounds = [{"results": text, "plan": plan} for text, plan in zip(results, self._plans, strict=True)]
            shows_plan = self._as_program and view.values == "cv"
            last = rounds[-1] if shows_plan else {**rounds[-1], "plan": ""}
            self._reflection = self._write("reflect", worded_view, round=last)
            plan = self._write("replan", worded_view, rounds=rounds, reflection=self._reflection)
        self._plans.append(plan)

    def answer(self, view: GameView, observation: JsonMapping) -> str:
        worded_view = self._worded_view(view)
        reason = None if view.refused is None else self._reason or view.refused
        variables = {
            "value": single_item.value_line(worded_view, worded_view.value),
            "refused": reason and words("english").refused.format(reason=reason),
        }
        if self.game == "clock":
            return self._answer_at_tick(worded_view, acts_in_words(view.scenario.language), variables)
        content = self.prompts.render(
            "bid",
            first_round=view.item_number == 0,
            reflection=self._reflection if self._as_program else "",
            plan=self._plans[-1],
            example=single_item.example(view, sealed.example_bids(view.scenario)),
            **variables,
        )
        return self._convert_reply(
            self.ask(self._request(worded_view, chat_message("user", content))), view, worded_view
        )

    def write_reply(self, amount: int, view: GameView, write: Callable[[int], str]) -> str:
        reply = super().write_reply(amount, view, write)
        if self.game != "clock":
            return reply
        answer = "no" if clock.at_this_tick(amount, view) < 0 else "yes"
        return f"<PLAN>{reply}</PLAN>\n<ACTION>{answer}</ACTION>\n<REFLECTION>{reply}</REFLECTION>"

    def _answer_at_tick(self, worded_view: Any, acts: JsonMapping, variables: JsonMapping) -> str:
        """Return what the model does at this price, in the words that the table expects."""
        scenario, sign = worded_view.scenario, worded_view.scenario_text.sign
        tick = scenario.tick if worded_view.direction == "ascending" else -scenario.tick
        limit = MAX_WORDS["replan"]
        content = self.prompts.render(
            "tick",
            ticks=_earlier_ticks(worded_view),
            price=money(worded_view.price, sign),
            next_price=None if worded_view.price == scenario.end else money(worded_view.price + tick, sign),
            direction=worded_view.direction,
            max_words=limit,
            **variables,
        )
        reply = self.ask(self._request(worded_view, chat_message("user", content)))
        if isinstance(reply, FailedReply):
            return reply
        tags = _tagged(reply)
        self.notes["plan"] = self._shorten(tags["plan"][-1], "plan", limit)
        self.notes["reflection"] = tags["reflection"][-1]
        matches = [re.fullmatch(ANSWER, text, re.IGNORECASE) for text in tags["action"]]
        answers = [match[1].lower() for match in matches if match]
        if not answers:
            self._reason = "expected yes or no between <ACTION> and </ACTION>"
            return FailedReply(reply, self._reason)
        return str(acts[ACTIONS[worded_view.direction][answers[-1]]])

    def _prompts_in(self, language: str) -> Prompts:
        return self.prompts

    def _worded_view(self, view: GameView) -> Any:
        """Return the view with the agent's currency; only the rules have the agent's language."""
        worded_view = super()._worded_view(view)
        scenario = worded_view.scenario.changed(language="english")
        scenario_text = dataclasses.replace(worded_view.scenario_text, scenario=scenario)
        return dataclasses.replace(worded_view, scenario_text=scenario_text)

    def _request(self, worded_view: GameView, *messages: Message) -> list[Message]:
        system = self._system(worded_view)
        if not self._as_program:
            return [system, *messages]
        first, *rest = messages
        return [chat_message("user", f"{system['content'].rstrip()}\n\n{first['content']}"), *rest]

    def _system(self, worded_view: GameView) -> Message:
        scenario = worded_view.scenario.changed(language=self._rules_language)
        if self.game == "clock":
            text, explores = clock_rules(scenario, worded_view.name, in_advance=False), False
        else:
            text, explores = rules(scenario, worded_view.name, abstaining=False), scenario.num_rounds > 1
        return chat_message("system", self.prompts.render("system", rules=text, explores=explores))

    def _results(self, worded_view: Any) -> list[str]:
        """Return what the agent knows of each closed round, and its profit after it."""
        results, profit, sign = [], 0.0, worded_view.scenario_text.sign
        for j, played in enumerate(worded_view.history):
            profit += played.profit
            total = words("english").total.format(profit=money(profit, sign))
            results.append(f"{sealed.closed_round(worded_view, j)}\n{total}")
        return results


def _earlier_ticks(view: Any) -> list[dict[str, Any]]:
    """Return each earlier price of an open clock, and how many bidders left at it; an empty list if that is hidden."""
    if view.left_at is None or view.direction != "ascending":
        return []
    start, tick, sign = view.scenario.start, view.scenario.tick, view.scenario_text.sign
    prices = [round(start + tick * k, 2) for k in range(view.tick_number)]
    return [{"price": money(price, sign), "left": view.left_at.count(price)} for price in prices]


def _tagged(reply: str) -> dict[str, list[str]]:
    """Return the texts after each tag of a reply, up to the next tag; the program's tags may close like they open."""
    text = without_thinking(re.sub(f"<{TAG}>", r"[[\1\2]]", reply, flags=re.IGNORECASE))  # <PLAN> counts as thinking
    tags: dict[str, list[str]] = {"plan": [""], "action": [""], "reflection": [""]}
    _, *parts = re.split(rf"\[\[{TAG}\]\]", text, flags=re.IGNORECASE)
    for closing, tag, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if content.strip() and not closing:
            tags[tag.lower()].append(content.strip())
    return tags
