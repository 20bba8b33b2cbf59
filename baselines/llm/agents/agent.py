"""What all agents share: a model, prompts, and calls that the run's journal keeps."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
from aucenv.baselines.llm.json_replies import Malformed, without_thinking
from aucenv.baselines.llm.prompts import Prompts, Variables

from aucenv.core.actions import FailedReply
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.seat_view import SeatView
from aucenv.runs.calls import FAILED, Message, Model, Request
from aucenv.runs.journal import CallJournal, SeatCalls

T = TypeVar("T")
NOTHING = "(no answer)"
"""An empty reply, in a conversation."""
Mistake = dict[str, str]
"""What went wrong: {"phase", "kind", "what"}."""
RETRIES = 2
"""How often a model is asked again for JSON that could not be read (AucArena, HARBOR)."""


@dataclasses.dataclass(frozen=True)
class Manner:
    """How a model is asked.

    Attributes:
        temperature: None leaves it to the endpoint.
        max_tokens: of a reply.
        seed: of the replies; "drawn": from the game's; None: none.
    """

    temperature: float | None
    max_tokens: int
    seed: int | Literal["drawn"] | None


def said(role: str, content: str) -> Message:
    return {"role": role, "content": content}


class Agent:
    """A bidder that asks a model: before a decision as it likes, then for its answer.

    Attributes:
        VARIABLES: of its prompts.
        notes: for the record, of the decision that it makes.
    """

    VARIABLES: Variables = ()
    interface: Literal["vector", "amount", "text"] = "text"
    waits = True
    observes = False

    def __init__(self, game: str, model: Model, manner: Manner, prompts: Prompts) -> None:
        self.game = game
        self.model = model
        self.manner = manner
        self.prompts = prompts
        self.notes: JsonObject = {}
        self._calls: SeatCalls | None = None
        self._next_calls: SeatCalls | None = None
        self._seed = 0
        self._decision = -1
        self._attempt = 0

    @classmethod
    def made_with(cls, game: str, options: JsonMapping) -> JsonObject:
        """The arguments of its own, of its bidder's options.

        Raises:
            ValueError: they will not do.
        """
        return {}

    @property
    def models(self) -> tuple[Model, ...]:
        """All that it asks."""
        return (self.model,)

    def use_calls(self, calls: SeatCalls) -> None:
        """Ask through these in the next game."""
        self._next_calls = calls

    def reset(self, seat: str, seed: int) -> None:
        self._calls, self._next_calls = self._next_calls or CallJournal().at(0, seat), None
        self._seed = seed
        self._decision, self._attempt = -1, 0
        self.notes = {}

    def act(self, view: SeatView, observation: JsonMapping) -> str:
        if view.refused is None:
            self._begin_decision()
            self.prepare(view)
        else:
            self._attempt += 1
        return self.answer(view, observation)

    def prepare(self, view: SeatView) -> None:
        """What it does once before it answers, however often it is then refused."""

    def answer(self, view: SeatView, observation: JsonMapping) -> str:
        """Its answer; `view.refused` says why the last one did not count."""
        raise NotImplementedError

    def close_game(self, view: SeatView) -> JsonObject:
        return {}

    def _begin_decision(self) -> None:
        self._decision, self._attempt = self._decision + 1, 0
        self.notes = {}

    def ask(self, messages: Sequence[Message], purpose: str = "bid", attempt: int | None = None) -> str:
        """The model's reply; a FailedReply where it is none.

        Args:
            purpose: tells a decision's calls apart.
            attempt: at the same purpose; None: the decision's.
        """
        assert self._calls is not None
        attempt = self._attempt if attempt is None else attempt
        seed = self.manner.seed
        if seed == "drawn":
            entropy = [self._seed, self._decision, attempt]
            entropy += [] if purpose == "bid" else [zlib.crc32(purpose.encode())]
            seed = int(np.random.SeedSequence(entropy).generate_state(1)[0]) >> 1
        request = Request(tuple(messages), self.manner.temperature, self.manner.max_tokens, seed)
        call = self._calls.ask(self.model, request, self._decision, attempt, purpose)
        return FailedReply(call.reply, FAILED[call.finish]) if call.finish in FAILED else call.reply

    def ask_until_read(
        self,
        messages: Sequence[Message],
        purpose: str,
        read: Callable[[str], T],
        retries: int = RETRIES,
        mistakes: list[Mistake] | None = None,
    ) -> tuple[T | None, list[Message]]:
        """Ask until a reply can be read; what cannot be is noted as a mistake, and told to the model.

        Args:
            purpose: its first word names the phase.
            read: raises Malformed.
            mistakes: where they are noted; None: among the decision's.

        Returns:
            What was read, None where nothing could be; and all messages, with the last reply.
        """
        told = list(messages)
        for attempt in range(retries + 1):
            reply = self.ask(told, purpose, attempt)
            told.append(said("assistant", spoken(reply)))
            try:
                return read(whole(reply)), told
            except Malformed as error:
                self.mistake(purpose.split()[0], "malformed", str(error), mistakes)
                if attempt < retries:
                    told.append(said("user", self.prompts.render("again", mistakes=[str(error)])))
        return None, told

    def ask_text(self, messages: Sequence[Message], purpose: str) -> str:
        """What the model writes, without its thinking; "" where it writes nothing, which is noted as a mistake."""
        reply = self.ask(messages, purpose, 0)
        text = without_thinking(reply)
        if isinstance(reply, FailedReply):
            self.mistake(purpose.split()[0], "malformed", reply.reason)
        elif not text:
            self.mistake(purpose.split()[0], "malformed", "there is nothing in it")
        return text

    def mistake(self, phase: str, kind: str, what: str, among: list[Mistake] | None = None) -> None:
        """Note an error of the model's, by default among the decision's."""
        noted = self.notes.setdefault("mistakes", []) if among is None else among
        noted.append({"phase": phase, "kind": kind, "what": what})


def spoken(reply: str) -> str:
    """A reply as a conversation can hold it."""
    return str(reply) or NOTHING


def whole(reply: str) -> str:
    """A reply, if it is one.

    Raises:
        Malformed: it was cut off, or refused.
    """
    if isinstance(reply, FailedReply):
        raise Malformed(reply.reason)
    return reply
