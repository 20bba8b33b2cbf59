"""Synthetic Labs' agent as in the paper, or as in the paper's program.

Source: Synthetic Labs, arXiv 2507.09083, and github.com/KeHang-Zhu/llm-auction. It makes the calls of
`plan_bid_reflect`, with these differences:

- In the paper's program the instructions are part of the task, without a system message. In sealed bids they also ask
  to try out many ways of bidding, and to learn from the rounds.
- bid: the task has the value of the prize and the plan, which the agent must follow, but no results of earlier rounds,
  and it does not say that one may abstain. In the paper's program, it also has the reflection. After a refused reply,
  the same task is repeated with the reason.
- reflect: the task has the results of the last round, in the paper's program with common values also its plan; it asks
  to win with higher profits.
- replan: the task has the results of all rounds, each with the plan of that round, and the reflection.
- clock: each task has what has happened in this round, without earlier rounds, and asks for a plan of up to 50 words,
  an action and a reflection.
- proxy auction: as on a clock, with the day, the price after each move and the agent's maximum; the action is to bid,
  with an amount, or to hold. No move shows who made it, or who leads.

Only the rules are translated.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any

from aucenv.baselines.llm.agents.agent import chat_message
from aucenv.baselines.llm.agents.plan_bid_reflect import MAX_WORDS, PlanBidReflectAgent
from aucenv.baselines.llm.json_replies import without_thinking
from aucenv.baselines.llm.prompts import Prompts, Variables

from aucenv.core.adapters.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.reader.wording import acts_in_words
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import money, to_cents
from aucenv.envs.clock import words as clock
from aucenv.envs.ebay import words as ebay
from aucenv.envs.ebay.reply import HOLD
from aucenv.envs.ebay.wording import proxy_rules
from aucenv.envs.sealed_bid import words as sealed
from aucenv.envs.single_item import words as single_item
from aucenv.envs.single_item.wording import clock_rules, rules, words
from aucenv.runs.model_calls.calls import Message

ACTIONS = {"ascending": {"yes": "stay", "no": "leave"}, "descending": {"yes": "take", "no": "wait"}}
"""Direction of a clock -> the act of each answer."""
ANSWER = r"\W*(yes|no)\W*"
MOVE = r"\W*(bid|hold)\W*"
AMOUNT = r"[^\w\s.,%\u00a2-]?\s*([0-9]{1,9}(?:,[0-9]{3}){0,3}(?:\.[0-9]{1,9})?)\s*(?:dollars|[^\w\s.,%\u00a2-])?\.?"
TAG = r"([/\\]?)(plan|check|action|amount|reflection)"
TICK, PROXY_MOVE = "tick", "move"
"""The templates whose replies have tags."""


class PublishedPlanBidReflectAgent(PlanBidReflectAgent):
    """Synthetic Labs' agent under a preset; the module's docstring describes its calls.

    Args:
        preset: "paper" or "program".
    """

    VARIABLES: Variables = (
        ("system", frozenset({"rules", "repeats", "explores"})),
        ("plan", frozenset({"num_rounds", "max_words"})),
        ("bid", frozenset({"first_round", "reflection", "value", "plan", "refused", "example"})),
        ("reflect", frozenset({"round", "max_words"})),
        ("replan", frozenset({"rounds", "reflection", "max_words"})),
        (TICK, frozenset({"ticks", "value", "price", "next_price", "direction", "refused", "max_words"})),
        (
            PROXY_MOVE,
            frozenset(
                {"value", "day", "days", "order", "maximum", "moves", "price", "example", "refused", "max_words"}
            ),
        ),
    )

    def __init__(self, *agent_args: Any, preset: str, **arguments: Any) -> None:
        super().__init__(*agent_args, **arguments)
        self._as_program = preset == "program"

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        return {**super().init_arguments(game, options), "preset": options["preset"]}

    def reset(self, seat: str, seed: int) -> None:
        super().reset(seat, seed)
        self._plans: list[str] = []
        self._reflection = ""

    def prepare(self, view: GameView) -> None:
        self._reason, self._rules_language = None, self.language(view)
        if self.game != "sealed_bid" or view.item_number < len(self._plans):
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
        if self.game == "ebay":
            return self._answer_at_move(view, worded_view, variables)
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
        if self.game == "clock":
            answer = "no" if clock.at_this_tick(amount, view) < 0 else "yes"
            return f"<PLAN>{reply}</PLAN>\n<ACTION>{answer}</ACTION>\n<REFLECTION>{reply}</REFLECTION>"
        if self.game == "ebay":
            move, dollars = ("HOLD", 0) if amount < 0 else ("BID", amount / 100)
            return f"<PLAN>{reply}</PLAN>\n<ACTION>{move}</ACTION>\n<AMOUNT>{dollars:g}</AMOUNT>"
        return reply

    def _answer_at_tick(self, worded_view: Any, acts: JsonMapping, variables: JsonMapping) -> str:
        """Return what the model does at this price, in the words that the table expects."""
        scenario, sign = worded_view.scenario, worded_view.scenario_text.sign
        tick = scenario.tick if worded_view.direction == "ascending" else -scenario.tick
        reply, tags = self._ask_tagged(
            worded_view,
            TICK,
            ticks=_earlier_ticks(worded_view),
            price=money(worded_view.price, sign),
            next_price=None if worded_view.price == scenario.end else money(worded_view.price + tick, sign),
            direction=worded_view.direction,
            **variables,
        )
        if isinstance(reply, FailedReply):
            return reply
        self.notes["reflection"] = tags["reflection"][-1]
        answer = last_match(ANSWER, tags["action"])
        if answer is None:
            return self._refuse(reply, "expected yes or no between <ACTION> and </ACTION>")
        return str(acts[ACTIONS[worded_view.direction][answer.lower()]])

    def _answer_at_move(self, view: GameView, worded_view: Any, variables: JsonMapping) -> str:
        """Return the maximum that the model sets in a proxy auction, or its hold, in the words of the table."""
        sign, maximum = worded_view.scenario_text.sign, worded_view.maximum
        reply, tags = self._ask_tagged(
            worded_view,
            PROXY_MOVE,
            day=worded_view.day + 1,
            days=worded_view.day + 1 + worded_view.days_left,
            order=ebay.order_of_day(worded_view),
            maximum=None if maximum is None else money(maximum, sign),
            moves=[{"day": move.day + 1, "price": money(move.price, sign)} for move in worded_view.moves],
            price=money(worded_view.price or 0, sign),
            example=None if view.least_raise is None else single_item.example(view, ebay.maxima(view)),
            **variables,
        )
        if isinstance(reply, FailedReply):
            return reply
        move, amount = last_match(MOVE, tags["action"]), last_match(AMOUNT, tags["amount"])
        if move is None:
            return self._refuse(reply, "expected BID or HOLD between <ACTION> and </ACTION>")
        write = ebay.reply_writer(worded_view.scenario)
        if move.lower() == "hold":
            return self._convert_reply(write(HOLD), view, worded_view)
        if amount is None:
            return self._refuse(reply, "expected a number between <AMOUNT> and </AMOUNT>")
        return self._convert_reply(write(to_cents(float(amount.replace(",", "")))), view, worded_view)

    def _ask_tagged(self, worded_view: Any, template: str, **variables: Any) -> tuple[str, dict[str, list[str]]]:
        """Return the reply to a task, and its parts between tags, of which the plan is noted."""
        limit = MAX_WORDS["replan"]
        content = self.prompts.render(template, max_words=limit, **variables)
        reply = self.ask(self._request(worded_view, chat_message("user", content)))
        tags = tagged("" if isinstance(reply, FailedReply) else reply)
        self.notes["plan"] = self._shorten(tags["plan"][-1], "plan", limit)
        return reply, tags

    def _refuse(self, reply: str, reason: str) -> FailedReply:
        self._reason = reason
        return FailedReply(reply, reason)

    def _prompts_in(self, language: str) -> Prompts:
        return self.prompts

    def _worded_view(self, view: GameView) -> Any:
        """Return the view with the agent's currency; only the rules have the agent's language."""
        worded_view = super()._worded_view(view)
        scenario = worded_view.scenario.changed(language="english")
        scenario_text = dataclasses.replace(worded_view.scenario_text, scenario=scenario)
        return worded_view.replace(scenario_text=scenario_text)

    def _request(self, worded_view: GameView, *messages: Message) -> list[Message]:
        system = self._system(worded_view)
        if not self._as_program:
            return [system, *messages]
        first, *rest = messages
        return [chat_message("user", f"{system['content'].rstrip()}\n\n{first['content']}"), *rest]

    def _system(self, worded_view: GameView) -> Message:
        scenario, name = worded_view.scenario.changed(language=self._rules_language), worded_view.name
        repeats = False
        if self.game == "ebay":
            text = proxy_rules(scenario, worded_view.scenario_text.has_reserve, name, only_prices=True)
        elif self.game == "clock":
            text = clock_rules(scenario, name, in_advance=False)
        else:
            text, repeats = rules(scenario, name, abstaining=False), scenario.num_rounds > 1
        content = self.prompts.render("system", rules=text, repeats=repeats, explores=repeats and self._as_program)
        return chat_message("system", content)

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


def last_match(pattern: str, texts: Sequence[str]) -> str | None:
    """Return what the pattern's group matches in the last text that it matches whole; None if there is none."""
    matches = [re.fullmatch(pattern, text, re.IGNORECASE) for text in texts]
    return next((match[1] for match in reversed(matches) if match), None)


def tagged(reply: str) -> dict[str, list[str]]:
    """Return the texts after each tag of a reply, up to the next tag; the program's tags may close like they open."""
    text = without_thinking(re.sub(f"<{TAG}>", r"[[\1\2]]", reply, flags=re.IGNORECASE))  # <PLAN> counts as thinking
    tags: dict[str, list[str]] = {tag: [""] for tag in ("plan", "check", "action", "amount", "reflection")}
    _, *parts = re.split(rf"\[\[{TAG}\]\]", text, flags=re.IGNORECASE)
    for closing, tag, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if content.strip() and not closing:
            tags[tag.lower()].append(content.strip())
    return tags
