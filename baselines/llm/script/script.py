"""A script in place of a model: `llm:scripted` reads the prompts of all agents and replies by rules.

It is an instrument that tests agents, studies and tables without a model. It is no language model, and its results say
nothing about language models.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial

import numpy as np
from aucenv.baselines.llm.option_values import Option, choice, decimal
from aucenv.baselines.llm.script import ascending, ratings, rounds
from aucenv.baselines.llm.script.tasks import Task, task_of

from aucenv.core.files import JsonMapping
from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Completion, Pause, Request

NAME = "scripted"
TEXTS = {
    "second_order": "They take me for somebody in a hurry, and will wait.",
    "lessons": "1. Wait for the cheap ones.\n2. Others overbid early.",
    "first plan": "Bid a fixed share of the value.",
    "new plan": "Keep to a fixed share of the value.",
    "reflect": "A lower bid would have lost, a higher one would have cost more.",
}
"""The reply to each task that asks for a text."""
PHRASINGS = ("plain", "markdown", "thinking", "wordy")
"""How replies are written: as they are; with headings and bold type; after reasoning between tags; or after a
sentence with other amounts."""
MISTAKES = {
    "over_budget": "bids over the budget",
    "too_low": "bids of $1",
    "unreadable": "replies without a decision or a rating",
    "wrong_belief": "belief updates in which the budget left or a rival's profit is wrong, or an item is missing",
}
"""Options with the share of replies that have a mistake."""
SCRIPT_OPTIONS = (
    Option("limit", 0.8, "the share of its estimate, or of its value, up to which it bids", decimal(0, 100)),
    Option(
        "minor",
        None,
        "the same for items worth less than a third of the best one that it can afford; by default `limit`",
        decimal(0, 100),
    ),
    Option("phrasing", "plain", f"how it writes: {', '.join(PHRASINGS)}", choice(*PHRASINGS)),
    *(Option(name, 0.0, f"the share of {about}", decimal(0, 1)) for name, about in MISTAKES.items()),
)
ACTIONS = {
    "abstain": "abstain", "out!": "withdraw", "I stay": "stay", "I leave": "leave", "I wait": "wait", "I take": "take",
    "I hold": "hold", "Yes.": "yes", "No.": "no",
}  # fmt: skip
"""Words in replies -> the action of a structured reply."""
BIDS = ("bid", "plain bid", "sealed", "day", "proxy", "any sale")
"""The tasks that a mistaken bid answers."""
RATINGS = ("rating", "self-rating")


@dataclasses.dataclass(frozen=True)
class ScriptedModel:
    """A script with the interface of a model. Its replies depend only on the request.

    Attributes:
        limit: The share of its estimate, or of its value, up to which it bids.
        minor: The same in English and housing auctions, for items that are worth less than a third of the best one that
            it can afford.
        phrasing: One of PHRASINGS.
        mistakes: Some of MISTAKES, each with the share of replies that have it.
    """

    limit: float = 0.8
    minor: float | None = None
    phrasing: str = "plain"
    mistakes: tuple[tuple[str, float], ...] = ()
    name: str = NAME
    endpoint: str = "local"

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the reply of the script."""
        task = task_of(request.messages)
        if task is None:
            raise ModelFailure(f"llm:scripted: expected one of the tasks of agents, got {request.messages[-1]!r:.200}")
        reply = self.answer(task)
        rng = np.random.default_rng(int(request.digest(self.name)[:16], 16))
        for mistake, rate in self.mistakes:
            if rng.random() < rate:
                reply = _mistaken(mistake, task, reply, rng)
        if request.reply_form is not None:
            return Completion(structured(reply), "stop", tokens_in=0, tokens_out=0, structured=True)
        return Completion(self.phrased(task, reply), "stop", tokens_in=0, tokens_out=0)

    def answer(self, task: Task) -> str:
        """Return the competent reply to a task."""
        return TEXTS[task.phase] if task.phase in TEXTS else self._answers[task.phase](task)

    @cached_property
    def _answers(self) -> Mapping[str, Callable[[Task], str]]:
        bidding = ascending.Bidding(self.limit, self.limit if self.minor is None else self.minor)
        return {
            "plan": bidding.plan,
            "replan": bidding.plan,
            "bid": bidding.bid,
            "plain bid": bidding.plain_bid,
            "rule": bidding.rule,
            "belief": ascending.belief,
            "profile": ascending.profile,
            "rivals": ascending.rivals,
            "sealed": partial(rounds.sealed, share=self.limit),
            "any sale": lambda task: f"I bid ${rounds.sealed(task, self.limit)}!",
            "any offer": partial(rounds.offer, share=self.limit),
            "proxy": partial(rounds.proxy, share=self.limit),
            "only hold": lambda task: rounds.HOLD,
            "tick": rounds.tick,
            "falling tick": rounds.falling_tick,
            "tagged tick": rounds.tagged_tick,
            "tagged move": partial(rounds.tagged_move, share=self.limit),
            "predict": rounds.predict,
            "predict deeper": rounds.predict,
            "day": rounds.day,
            "rating": ratings.rating,
            "self-rating": ratings.self_rating,
        }

    def phrased(self, task: Task, reply: str) -> str:
        """Return a reply to a task in the words of the phrasing; the decision is the same."""
        if self.phrasing == "plain" or task.phase not in (*BIDS, "tick", "falling tick"):
            return reply
        reply = f"I bid {reply}!" if reply.isdigit() else reply
        if self.phrasing == "thinking":
            return f"<think>\nAt $1 I would gain, at $999,999 I would not.\n</think>\n\n{reply}"
        if self.phrasing == "wordy":
            return f"Let me think. A bid of $1 would be too low, and $999,999 too much. So, in the end: {reply}"
        before, _, decision = reply.rpartition(". ")
        return f"### Analysis\n{before or 'I compare the price with its value.'}\n\n### Decision\n**{decision}**"


def _mistaken(mistake: str, task: Task, reply: str, rng: np.random.Generator) -> str:
    """Return a reply with a mistake, or the reply itself if the mistake does not fit the task."""
    if mistake == "wrong_belief":
        return _wrong_belief(task, rng) if task.phase == "belief" else reply
    if mistake == "unreadable" and task.phase in (*BIDS, *RATINGS):
        return "Let me think about it."
    if task.phase not in BIDS:
        return reply
    amount = {"too_low": "1", "over_budget": "999999999"}[mistake]
    return amount if task.phase == "sealed" else f"I bid ${amount}!"


def _wrong_belief(task: Task, rng: np.random.Generator) -> str:
    """Return beliefs with one mistake: a wrong budget left, a missing item, or a wrong profit of a rival."""
    status, name = ascending.true_status(task), ascending.bidder_name(task)
    own, rivals = status["winning_bids"].get(name, {}), [each for each in status["total_profits"] if each != name]
    kind = rng.integers(3)
    if kind == 1 and own:
        del own[next(iter(own))]
    elif kind == 2 and rivals:
        status["total_profits"][rivals[0]] += 1
    else:
        status["remaining_budget"] += 1
    return f"They bid with care.\n{json.dumps(status)}"


def structured(reply: str) -> str:
    """Return a reply in words as a structured one; its last sentence is the decision."""
    decision = reply.rpartition(". ")[2]
    action = next((action for words, action in ACTIONS.items() if words in decision), "bid")
    amount = re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", decision) if action == "bid" else []
    dollars = float(amount[-1].replace(",", "")) if amount else None
    return json.dumps({"reasoning": "The script says so.", "action": action, "amount": dollars})


def make_model(name: str, options: JsonMapping, where: str) -> ScriptedModel:
    """Return the script of a bidder's name."""
    return ScriptedModel(
        options["limit"],
        options["minor"],
        options["phrasing"],
        tuple((mistake, options[mistake]) for mistake in MISTAKES if options[mistake]),
    )
