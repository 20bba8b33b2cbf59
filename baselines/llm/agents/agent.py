"""The base class of agents, which call a model with prompts. All calls go through the journal of the run."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from aucenv.baselines.llm.json_replies import Malformed, without_thinking
from aucenv.baselines.llm.prompts import Prompts, Variables

from aucenv.core.adapters.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.views.seat_view import GameView, SeatView
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import FAILED, Message, Model, Request, failure_reason
from aucenv.runs.model_calls.journal import CallJournal, SeatCalls

T = TypeVar("T")
EMPTY_REPLY = "(no answer)"
"""The text that replaces an empty reply in a conversation."""
Mistake = dict[str, str]
"""A mistake of the model, as noted in records: {"phase": ..., "kind": ..., "what": description}."""
RETRIES = 2
"""The maximum number of further calls after a reply that could not be parsed (as in AucArena and HARBOR)."""

FORM_VARIABLES: Variables = (("answer_in_json", frozenset({"actions", "with_number", "with_null", "with_either"})),)
"""The template about the form of structured replies, in `prompts/shared` and for other languages in its folders."""


@dataclasses.dataclass(frozen=True)
class SamplingOptions:
    """Sampling options of a model's replies.

    Attributes:
        temperature: the sampling temperature; None: the endpoint's default.
        max_tokens: the maximum number of tokens of a reply.
        seed: the seed of all replies; "drawn": a new seed for each call, derived from the bidder's; None: no seed.
        structured: whether a reply with a decision is a JSON object of the game's form.
        top_p: the probability of the most likely tokens from which each token is sampled; None: the endpoint's default.
        as_tool: whether this object consists of the arguments of a tool which the model must call.
    """

    temperature: float | None
    max_tokens: int
    seed: int | Literal["drawn"] | None
    structured: bool = False
    top_p: float | None = None
    as_tool: bool = False

    @classmethod
    def of(cls, options: JsonMapping) -> SamplingOptions:
        """Return the sampling options of a bidder, from the values of its options."""
        names = ("temperature", "max_tokens", "seed", "top_p")
        reply = options["reply"]
        return cls(**{name: options[name] for name in names}, structured=reply != "words", as_tool=reply == "tools")


def chat_message(role: str, content: str) -> Message:
    """Return a chat message."""
    return {"role": role, "content": content}


class Agent:
    """A bidder that calls a model: any number of times to prepare a decision, and then for the reply with the decision.

    Attributes:
        VARIABLES: the names of its prompt templates, each with the variables that the template may use.
        notes: its notes on the current decision, which the record keeps.
    """

    VARIABLES: Variables = ()
    interface: Literal["vector", "amount", "text"] = "text"
    waits = True
    observes = False

    def __init__(self, game: str, model: Model, sampling: SamplingOptions, prompts: Prompts) -> None:
        self.game = game
        self.model = model
        self.sampling = sampling
        self.prompts = prompts
        self.notes: JsonObject = {}
        self._calls: SeatCalls | None = None
        self._next_calls: SeatCalls | None = None
        self._seed = 0
        self._decision = -1
        self._attempt = 0
        self._form: ReplyForm | None = None
        self._language = "english"

    @classmethod
    def init_arguments(cls, game: str, options: JsonMapping) -> JsonObject:
        """Return this class's further constructor arguments, built from the bidder's options.

        Raises:
            ValueError: if an option is invalid.
        """
        return {}

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that the agent may call."""
        return (self.model,)

    def use_calls(self, calls: SeatCalls) -> None:
        """Set the object through which the agent calls its models in the next game."""
        self._next_calls = calls

    def reset(self, seat: str, seed: int) -> None:
        self._calls, self._next_calls = self._next_calls or CallJournal().at(0, seat), None
        self._seed = seed
        self._decision, self._attempt = -1, 0
        self.notes = {}

    def act(self, view: GameView, observation: JsonMapping) -> str:
        if self.sampling.structured:
            self._form, self._language = self.reply_form(view), self.language(view)
        if view.refused is None:
            self._begin_decision()
            self.prepare(view)
        else:
            self._attempt += 1
        return self.answer(view, observation)

    def prepare(self, view: SeatView) -> None:
        """Prepare a decision: called once, before its first reply, and not again when a reply is refused."""

    def write_reply(self, amount: int, view: GameView, write: Callable[[int], str]) -> str:
        """Return a model's reply with a decision, in the form that the prompts ask for: used by dry runs.

        Args:
            amount: the decision, as the game's text module reads it from replies.
            write: returns the simplest reply for an amount.
        """
        return write(amount)

    def reply_form(self, view: GameView) -> ReplyForm:
        """Return the form of a structured reply."""
        text: Any = find_family(self.game).game.words  # `bidder.make` has checked that it has forms
        form: ReplyForm = text.reply_form(view.scenario_text)
        return form

    def language(self, view: GameView) -> str:
        """Return the language of the prompts, one of LANGUAGES."""
        language: str = getattr(getattr(view.scenario_text, "scenario", None), "language", "english")
        return language if language in LANGUAGES else "english"

    def bid_message(self, content: str) -> Message:
        """Return the user message that asks for a decision; it ends with the form of the reply if that is structured.

        Args:
            content: the agent's own words.
        """
        if self._form is None:
            return chat_message("user", content)
        folder = "shared" if self._language == "english" else f"shared/{self._language}"
        ((template, variables),) = FORM_VARIABLES
        groups: dict[str, list[str]] = {name: [] for name in variables}
        for action, amount in self._form.actions:
            for name in ("actions", f"with_{amount}"):
                groups[name].append(json.dumps(action))
        line = self.prompts.render(f"{folder}/{template}", **groups)
        return chat_message("user", f"{content}\n\n{line}")

    def answer(self, view: SeatView, observation: JsonMapping) -> str:
        """Return the agent's reply; `view.refused` is the reason why the previous one was refused."""
        raise NotImplementedError

    def close_game(self, view: SeatView) -> JsonObject:
        return {}

    def _begin_decision(self) -> None:
        self._decision, self._attempt = self._decision + 1, 0
        self.notes = {}

    def ask(self, messages: Sequence[Message], purpose: str = "bid", attempt: int | None = None) -> str:
        """Return the model's reply; a FailedReply if it cannot be used, for example because it was cut off.

        Args:
            purpose: distinguishes the calls of one decision.
            attempt: the number of earlier calls for the same purpose; None: the decision's number of refused replies.
        """
        assert self._calls is not None
        attempt = self._attempt if attempt is None else attempt
        seed = self.sampling.seed
        if seed == "drawn":
            entropy = [self._seed, self._decision, attempt]
            entropy += [] if purpose == "bid" else [zlib.crc32(purpose.encode())]
            seed = int(np.random.SeedSequence(entropy).generate_state(1)[0]) >> 1
        form = self._form if purpose == "bid" else None
        sampling = self.sampling
        as_tool = form is not None and sampling.as_tool
        request = Request(
            tuple(messages), sampling.temperature, sampling.max_tokens, seed, form, sampling.top_p, as_tool=as_tool
        )
        call = self._calls.ask(self.model, request, self._decision, attempt, purpose)
        return FailedReply(call.reply, failure_reason(call.finish)) if call.finish in FAILED else call.reply

    def ask_until_read(
        self,
        messages: Sequence[Message],
        purpose: str,
        read: Callable[[str], T],
        retries: int = RETRIES,
        mistakes: list[Mistake] | None = None,
        again: str = "again",
    ) -> tuple[T | None, list[Message]]:
        """Call the model until its reply can be parsed, at most `retries` + 1 times.

        A reply that cannot be parsed is noted as a mistake. The next request explains the mistake to the model.

        Args:
            purpose: the purpose of the calls; its first word names the phase.
            read: parses a reply; raises Malformed if it cannot.
            mistakes: the list to append mistakes to; None: that of the decision's notes.
            again: the template of the next request.

        Returns:
            The parsed reply, or None if no reply could be parsed; and the whole conversation, including the last reply.
        """
        conversation = list(messages)
        for attempt in range(retries + 1):
            reply = self.ask(conversation, purpose, attempt)
            conversation.append(chat_message("assistant", message_content(reply)))
            try:
                return read(require_complete(reply)), conversation
            except Malformed as error:
                self.note_mistake(purpose.split()[0], "malformed", str(error), mistakes)
                if attempt < retries:
                    conversation.append(chat_message("user", self.prompts.render(again, mistakes=[str(error)])))
        return None, conversation

    def ask_text(self, messages: Sequence[Message], purpose: str) -> str:
        """Return the model's reply without its thinking.

        A reply that is empty, was cut off, or is a refusal is noted as a mistake.
        """
        reply = self.ask(messages, purpose, 0)
        text = without_thinking(reply)
        if isinstance(reply, FailedReply):
            self.note_mistake(purpose.split()[0], "malformed", reply.reason)
        elif not text:
            self.note_mistake(purpose.split()[0], "malformed", "there is nothing in it")
        return text

    def note_mistake(self, phase: str, kind: str, description: str, mistakes: list[Mistake] | None = None) -> None:
        """Append a mistake of the model to `mistakes`; None: to those of the decision's notes."""
        entries = self.notes.setdefault("mistakes", []) if mistakes is None else mistakes
        entries.append({"phase": phase, "kind": kind, "what": description})


def message_content(reply: str) -> str:
    """Return the content of the message for a reply: EMPTY_REPLY if it is empty."""
    return str(reply) or EMPTY_REPLY


def require_complete(reply: str) -> str:
    """Return the reply if it is complete.

    Raises:
        Malformed: if it was cut off, or is a refusal.
    """
    if isinstance(reply, FailedReply):
        raise Malformed(reply.reason)
    return reply
