"""Bidders of models that play again with their recorded calls in place of the endpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.bidder import SCRIPTED, make_recorded

from aucenv.core.formats.differences import first_difference
from aucenv.core.policy import ModelFailure
from aucenv.core.words.bidder_name import BidderSpec, parse_bidder
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Call, Message, Model, Request
from aucenv.runs.model_calls.journal import CallJournal, SeatCalls, conversations

MODEL = "llm"
"""The kind of bidders that call a model."""
CODE = ("memory", "reasoner", "strategy")
"""Options whose values may name code, or another bidder."""


class _Missing(ModelFailure):
    """A call that is not recorded."""


class _Differs(ValueError):
    """A call that differs from the one that the agent makes."""


class RecordedCalls(CallJournal):
    """The recorded calls of a game, which agents make again.

    Args:
        calls: The calls, with all of their messages.

    Attributes:
        used: The keys of the calls that the agents have made again.
    """

    def __init__(self, calls: Sequence[tuple[Call, Sequence[Message]]]) -> None:
        super().__init__()
        self.recorded = {call.key: (call, messages) for call, messages in calls}
        self.used: set[tuple] = set()

    def at(self, game: int, seat: str) -> SeatCalls:
        """Return the recorded calls of one seat in one game."""
        return _RecordedSeat(self, game, seat)


@dataclasses.dataclass(frozen=True)
class _RecordedSeat(SeatCalls):
    """The recorded calls of one seat in one game."""

    journal: RecordedCalls

    def ask(self, model: Model, request: Request, decision: int, attempt: int, purpose: str = "bid") -> Call:
        """Return the recorded call.

        Raises:
            _Missing: There is none.
            _Differs: It has other messages or settings, or is that of another model.
        """
        key = (self.game, self.seat, decision, attempt, self.prefix + purpose)
        place = f"call {self.prefix}{purpose}, decision {decision}, attempt {attempt}"
        if key not in self.journal.recorded:
            raise _Missing(f"{place}: expected this call in calls.jsonl, got none")
        call, messages = self.journal.recorded[key]
        self.journal.used.add(key)
        given = {name: call.settings.get(name, value) for name, value in request.settings.items()}
        pairs = {
            "model": (model.name, call.model),
            "messages": (list(request.messages), list(messages)),
            "settings": (request.settings, given),
            "request": (request.digest(model.name), call.request),
        }
        for name, (expected, got) in pairs.items():
            different = first_difference(expected, got, name)
            if different is not None:
                path, wanted, recorded = different
                raise _Differs(f"{place}: {path}: expected {wanted}, as its agent sends it, got {recorded}")
        return call


def is_model(name: str) -> bool:
    """Return whether a bidder calls a model."""
    return parse_bidder(name).kind == MODEL


def why_unproved(name: str, game: str) -> str:
    """Return why the decisions of a model's bidder cannot be made again; "" if they can."""
    spec = parse_bidder(name)
    for option in CODE:
        value = spec.params.get(option, "")
        if value.startswith(("py:", "adviser:")):
            return f"its {option} is code or another bidder"
    params = {key: value for key, value in _without_secrets(spec).items() if key != "prompts"}
    plain = dataclasses.replace(spec, params=params)
    learns = spec.arg != SCRIPTED and getattr(make_recorded(game, plain), "in_order", False)
    return "it learns from game to game" if learns else ""


def recorded_bidder(game: str, name: str, prompts: Path | None = None) -> Any:
    """Return the bidder of a model for recorded calls, which needs neither a key nor weights.

    Args:
        prompts: A folder with copies of the templates of bidders, by label; None: those that the name states are used.
    """
    spec = parse_bidder(name)
    return make_policy(game, name) if spec.arg == SCRIPTED else make_recorded(game, _recorded_spec(spec, prompts))


def _recorded_spec(spec: BidderSpec, prompts: Path | None) -> BidderSpec:
    """Return a bidder's specification without secrets, and with the copies of its templates."""
    params = _without_secrets(spec)
    if prompts is not None and "prompts" in params:
        params["prompts"] = str(prompts / spec.label)
    return BidderSpec(spec.label, spec.kind, spec.arg, params)


def _without_secrets(spec: BidderSpec) -> dict[str, str]:
    return {key: value for key, value in spec.params.items() if not key.startswith("header.")}


def calls_by_game(calls: Sequence[Call]) -> Mapping[int, list[tuple[Call, Sequence[Message]]]]:
    """Return the calls of each game, with all of their messages."""
    games: dict[int, list[tuple[Call, Sequence[Message]]]] = {}
    for call, messages in conversations(calls):
        games.setdefault(call.game, []).append((call, messages))
    return games
