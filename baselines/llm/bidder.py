"""Bidders that ask a model: `llm:openai:MODEL` and `llm:local:MODEL`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
from aucenv.baselines.llm.cache import CachedModel
from aucenv.baselines.llm.options import LOCAL_OPTIONS, OPENAI_OPTIONS, read_options

from aucenv.calls import FAILED, Call, Message, Model, Request
from aucenv.core.actions import FailedReply
from aucenv.core.checks import one_of
from aucenv.journal import CallJournal, SeatCalls
from aucenv.policy import BidderSpec
from aucenv.registration import find_family

PLACES = {
    "openai": ("aucenv.baselines.llm.client", OPENAI_OPTIONS),
    "local": ("aucenv.baselines.llm.local", LOCAL_OPTIONS),
}
"""Where models are asked: the module whose `make_model(name, options, where)` makes one, and its bidders' options."""


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


def make(game: str, spec: BidderSpec) -> PlainBidder:
    """A bidder that asks a model.

    Raises:
        ValueError: no such place, parameter or model, a missing key, or a package that is not installed.
    """
    where = f"bidder {spec.label!r}"
    place, _, name = (spec.arg or "").partition(":")
    one_of(f"{where}, llm:PLACE:MODEL, place", place, PLACES)
    if not name:
        raise ValueError(f"{where}: expected llm:{place}:MODEL, got llm:{spec.arg}")
    module, known = PLACES[place]
    options = read_options(known, spec.params, where)
    try:
        model: Model = import_module(module).make_model(name, options, where)
    except ModuleNotFoundError as error:
        raise ValueError(f"{where}: {error.name} is not installed: pip install 'aucenv[{_EXTRAS[place]}]'") from None
    if options.get("cache") is not None:
        if options["temperature"] != 0:
            raise ValueError(f"{where}, cache: expected temperature 0, got {options['temperature']}")
        model = CachedModel(model, Path(options["cache"]))
    manner = Manner(options["temperature"], options["max_tokens"], options["seed"])
    return PlainBidder(game, model, manner)


_EXTRAS = {"openai": "llm", "local": "transformers"}


class PlainBidder:
    """A model that is told what the env's text interface tells, and answers in its own words; one conversation a game.

    Args:
        game: "english", ...: whose words are told.
    """

    interface: Literal["vector", "amount", "text"] = "text"
    waits = True

    def __init__(self, game: str, model: Model, manner: Manner) -> None:
        self.model = model
        self.manner = manner
        self._game = game
        self._calls: SeatCalls | None = None
        self._next_calls: SeatCalls | None = None
        self._seed = 0
        self._decision = -1
        self._attempt = 0
        self._messages: list[Message] = []

    def use_calls(self, calls: SeatCalls) -> None:
        """Ask through these in the next game."""
        self._next_calls = calls

    def reset(self, seat: str, seed: int) -> None:
        self._calls, self._next_calls = self._next_calls or CallJournal().at(0, seat), None
        self._seed = seed
        self._decision, self._attempt = -1, 0
        self._messages = [{"role": "system", "content": instructions()}]

    def act(self, view: Any, observation: Mapping[str, Any]) -> str:
        if view.refused is None:
            self._decision, self._attempt = self._decision + 1, 0
            told = observation["text"]
        else:
            self._attempt += 1
            describe = find_family(self._game).game.text.describe
            told = describe(view, (sys.maxsize, view.item_number))  # of the history, nothing again
        self._messages.append({"role": "user", "content": told})
        call = self._ask()
        self._messages.append({"role": "assistant", "content": call.reply or "(no answer)"})
        return FailedReply(call.reply, FAILED[call.finish]) if call.finish in FAILED else call.reply

    def _ask(self) -> Call:
        assert self._calls is not None
        seed = self.manner.seed
        if seed == "drawn":
            drawn = np.random.SeedSequence([self._seed, self._decision, self._attempt]).generate_state(1)
            seed = int(drawn[0]) >> 1
        request = Request(tuple(self._messages), self.manner.temperature, self.manner.max_tokens, seed)
        return self._calls.ask(self.model, request, self._decision, self._attempt)

    def close_game(self, view: Any) -> None:
        pass


def instructions() -> str:
    """What a plain bidder is told before the game."""
    return resources.files("aucenv.baselines.llm").joinpath("prompts/plain.md").read_text(encoding="utf-8").strip()
