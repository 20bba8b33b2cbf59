"""Reasoners: what an agent does before it asks its model for a bid.

A reasoner is any object with the method of `Reasoner`; `reasoner=py:FILE.py:CLASS` in a bidder's name selects one of
the user.

K-level reasoning follows the level-k model of game theory: a bidder of level 0 bids by habit, and one of level k
responds best to bidders of level k - 1. With `k`, the model predicts its rivals' bids as those of level k - 1, in k
calls, one for each level, and then responds to them with its bid.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from aucenv.baselines.llm.agents.agent import Agent, chat_message
from aucenv.baselines.llm.json_replies import Malformed, as_number, by_name, last_object
from aucenv.baselines.llm.prompts import Variables, prompts

from aucenv.core.files import JsonMapping
from aucenv.core.words.money import MAX_DOLLARS, money
from aucenv.policy.user_code import load_user_object
from aucenv.runs.model_calls.calls import Message

T = TypeVar("T")
Bids = dict[str, float | None]
"""Name of a bidder -> its predicted bid in dollars; None = no bid."""


@dataclasses.dataclass(frozen=True)
class Situation:
    """A decision that is about to be made.

    Attributes:
        view: everything that the seat knows.
        text: what has happened since the seat's last decision, and how it stands, in words.
        rivals: the names of the rivals that can bid.
        sign: the sign of the currency.
        agent: the agent, whose model is asked.
        context: the messages with which every request begins.
    """

    view: Any
    text: str
    rivals: tuple[str, ...]
    sign: str
    agent: Agent
    context: tuple[Message, ...]

    def ask(self, purpose: str, task: str, read: Callable[[str], T]) -> T | None:
        """Ask the model, at most three times, until its reply can be parsed; the calls are recorded.

        Args:
            purpose: names the calls in records; different for each task of a decision.
            task: the user message.
            read: parses a reply; raises `Malformed` with a reason, which the model sees in the next request.

        Returns:
            The parsed reply; None if none could be parsed, which is noted as mistakes.
        """
        messages = [*self.context, chat_message("user", task)]
        value, _ = self.agent.ask_until_read(messages, purpose, read, again="shared/again")
        return value

    def note(self, name: str, value: Any) -> None:
        """Set a note on the decision, JSON data that the record keeps."""
        self.agent.notes[name] = value


class Reasoner(Protocol):
    """Reasons before a bid."""

    def prepare(self, situation: Situation) -> str:
        """Return a text that the request for the bid ends with; "" for none."""
        ...


class Direct:
    """Asks for the bid at once."""

    def prepare(self, situation: Situation) -> str:
        return ""


class KLevel:
    """Predicts the rivals' bids level by level, and asks for the best response to them.

    The notes of a decision have the entry `predictions`: [{level, bids {name: dollars, null = no bid}}].

    Args:
        k: the number of levels; at least 1.
    """

    VARIABLES: Variables = (
        ("predict", frozenset({"situation", "bidders", "expected"})),
        ("respond", frozenset({"expected"})),
    )
    languages = ("english",)

    def __init__(self, k: int) -> None:
        self.k = k
        self._prompts = prompts("k-level", self.VARIABLES, None)

    def prepare(self, situation: Situation) -> str:
        everybody = (situation.view.name, *situation.rivals)
        levels: list[Bids] = []
        for level in range(self.k if situation.rivals else 0):
            bidders = situation.rivals if level == self.k - 1 else everybody
            expected = _lines(levels[-1], situation.sign) if levels else []
            task = self._prompts.render("predict", situation=situation.text, bidders=bidders, expected=expected)
            names = situation.view.scenario_text.names
            bids = situation.ask(f"predict {level}", task, predictions_reader(bidders, names))
            if bids is None:
                break
            levels.append(bids)
        if not levels:
            return ""
        situation.note("predictions", [{"level": level, "bids": bids} for level, bids in enumerate(levels)])
        of_rivals = {name: levels[-1][name] for name in situation.rivals}
        return self._prompts.render("respond", expected=_lines(of_rivals, situation.sign))


def predictions_reader(bidders: Sequence[str], names: Sequence[str]) -> Callable[[str], Bids]:
    """Return a function that reads a bid of each of `bidders` from a reply; other `names` may have bids, too."""

    def read(reply: str) -> Bids:
        stated = by_name("bids", last_object(reply, lambda data: bool(data)).items(), names)
        for name in bidders:
            if name not in stated:
                raise Malformed(f"there is no bid of {name!r}")
        return {
            name: None if stated[name] is None else as_number(f"bid of {name}", stated[name], 0, MAX_DOLLARS)
            for name in bidders
        }

    return read


def _lines(bids: Bids, sign: str) -> list[str]:
    return [f"{name}: {'no bid' if bid is None else money(bid, sign)}" for name, bid in bids.items()]


def make_reasoner(options: JsonMapping) -> Reasoner:
    """Return the reasoner of a bidder's options.

    Raises:
        ValueError: if `k` is given without reasoner=k-level, or a user-defined class cannot be loaded or has no method
            `prepare`.
    """
    kind, k = options["reasoner"], options["k"]
    if k is not None and kind != "k-level":
        raise ValueError(f"k: expected reasoner=k-level beside it, got k={k} with reasoner={kind}; leave k out")
    if kind.startswith("py:"):
        reasoner: Reasoner = load_user_object(kind.removeprefix("py:"), "reasoner", ("prepare",))
        return reasoner
    return KLevel(1 if k is None else k) if kind == "k-level" else Direct()
