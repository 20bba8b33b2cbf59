"""The tasks in the prompts of all agents, as a script recognizes them; their texts are in `prompts/` and the games."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources

from aucenv.core.files import JsonObject
from aucenv.core.reader.wording import acts_in_words
from aucenv.core.words.money import CURRENCIES
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.envs.single_item.wording import words
from aucenv.runs.model_calls.calls import Message

PHASES = {
    "rating": "Rate this resident on each scale",
    "self-rating": "rate your play on each scale",
    "predict": "You are not asked for your bid yet",
    "predict deeper": "Suppose that each bidder counts on these bids",
    "plan": "Make a plan for the auction",
    "replan": "Decide whether your priorities should change",
    "belief": "bring your beliefs up to date",
    "rule": "Which of the rules A to F",
    "profile": "Bring your profile of one of the other bidders up to date",
    "second_order": "Put yourself in the place",
    "lessons": "Write down what you should know",
    "rivals": "one sentence that will help you",
    "reflect": "Look back at the round that was played last",
    "new plan": "Write down your plan for the rounds to come",
    "first plan": "write down a plan: how you will choose",
    "tick": "Answer 'I stay' or 'I leave'",
    "falling tick": "Answer 'I wait' or 'I take it'",
    "day": "today your health falls to",
    "proxy": "Answer 'I hold', or set your maximum",
    "only hold": "answer 'I hold'",
    "sealed": "Answer with your bid as one number",
    "bid": '"I bid $X!" with your bid',
    "plain bid": "Least bid: $",
}
"""Phase -> a text by which its task is recognized; earlier entries take precedence."""
PUBLISHED = {
    "plan": "Work out a strategy for the auction",
    "replan": "Go over your strategy in the light of this",
    "belief": "First note what was remarkable",
    "profile": "what kind of buyer is it",
    "bid": "The auctioneer says:",
    "day": "before you choose today's bid",
    "reflect": "Analyze this round as if you had bid otherwise",
    "new plan": "Which ways of bidding will you try out now",
    "first plan": "will you try out? Write it down as your plan",
    "sealed": "Reply with your bid alone",
    "tagged tick": "Reply with three parts between tags",
    "tagged move": "Reply with four parts between tags",
}
"""The same for the prompts of presets, if no entry of PHASES fits."""
PACKAGED = {"any sale": "What do you bid?", "any offer": ", yes or no?"}
"""The same for games of other packages, whose texts state "is worth $X", and for an offer "the price is $X"."""
TEMPLATES = {"reflect": "reflect", "new plan": "replan", "first plan": "plan"}
"""Phase -> the template of `plan-bid-reflect` with its task, which has the same name in each language."""
SIGNS = re.escape("".join(CURRENCIES.values()))
AMOUNT = re.compile(rf"[{SIGNS}]([0-9][0-9,]*(?:\.[0-9]+)?)")


@dataclasses.dataclass(frozen=True)
class Task:
    """A task of a model.

    Attributes:
        phase: the kind of task, a key of PHASES, PUBLISHED or PACKAGED.
        text: the message with the task.
        messages: the whole conversation.
        language: the language of the task.
    """

    phase: str
    text: str
    messages: Sequence[Message]
    language: str = "english"

    @property
    def system(self) -> str:
        """The first message, with the rules and the goal."""
        return self.messages[0]["content"]

    @property
    def asked(self) -> str:
        """All messages except the model's own."""
        return "\n".join(message["content"] for message in self.messages if message["role"] == "user")


def task_of(messages: Sequence[Message]) -> Task | None:
    """Return the last task in a conversation: a request to repeat a reply has the task that it repeats.

    None: there is no task that is known.
    """
    texts = [message["content"] for message in messages if message["role"] != "assistant"]
    for text in reversed(texts):
        for phase, sign in (*PHASES.items(), *PUBLISHED.items(), *PACKAGED.items()):
            if sign in text:
                return Task(phase, text, messages)
        for language, phase, sign in _translated():
            if sign in text:
                return Task(phase, text, messages, language)
    return None


@lru_cache
def _translated() -> list[tuple[str, str, str]]:
    """Return language, phase and a text of the task, for each task in a language other than English."""
    signs = []
    for language in LANGUAGES:
        if language != "english":
            known = words(language)
            asked = {"tick": known.ask_ascending, "falling tick": known.ask_descending, "sealed": known.ask}
            templates = resources.files("aucenv.baselines.llm") / "prompts" / "plan-bid-reflect" / language
            for phase, name in TEMPLATES.items():
                text = (templates / f"{name}.md").read_text(encoding="utf-8")
                signs += [
                    (language, phase, line.partition("{")[0]) for line in text.splitlines() if line[:1] not in "{"
                ]
            acts = acts_in_words(language)
            for phase, text in asked.items():
                filled = text.format(**{**acts, "in_advance": "{", "example": "{"})
                signs.append((language, phase, filled.partition("{")[0]))
    return signs


def amounts(text: str) -> list[float]:
    """Return the amounts of money in a text."""
    return [float(match.replace(",", "")) for match in AMOUNT.findall(text)]


def field_value(template: str, text: str) -> float | None:
    """Return the amount in the last place where a text has a phrase with one field in braces; None: it has none."""
    before, after = re.split(r"\{\w+\}", template)[:2]
    pattern = rf"{re.escape(before)}[{SIGNS}]?([0-9][0-9,]*(?:\.[0-9]+)?)[{SIGNS}]?{re.escape(after)}"
    matches = re.findall(pattern, text)
    return float(matches[-1].replace(",", "")) if matches else None


def json_after(text: str, start: str) -> JsonObject:
    """Return the first JSON object after a phrase."""
    rest = text[text.index(start) :]
    data: JsonObject = json.JSONDecoder().raw_decode(rest, rest.index("{"))[0]
    return data


def first_match(patterns: Iterable[str], text: str) -> re.Match[str] | None:
    """Return the match of the first pattern that a text has; `^` matches at each line."""
    return next((match for pattern in patterns if (match := re.search(pattern, text, re.MULTILINE))), None)
