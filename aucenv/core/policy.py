"""What a bidder is: the Policy protocol, its errors and checks."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from aucenv.core.bidder_name import label_of
from aucenv.core.checks import one_of
from aucenv.core.deprecation import warn_renamed
from aucenv.core.files import JsonMapping
from aucenv.core.game_modules import Scenario
from aucenv.core.seat_view import GameView


class Policy(Protocol):
    """Something that bids. Whatever has these four is one; nothing need be inherited.

    Attributes:
        interface: what `act` returns: "vector", an int; "amount", dollars, negative = withdraw; "text", a reply.

    A policy may also have these members:

    - `notes`: a dict that it sets in `act`, and that the record keeps with the decision. Some names have a fixed form:
      see the game's `check_notes`.
    - `why_unplayable(scenario)`: returns why it cannot play a scenario, or None if it can.
    - `cheats`: if true, its views hide nothing, and it is never a default bidder.
    - `observes`: if false, it gets an empty observation, which saves time.
    - `waits`: if true, it waits for a model or a person: such seats act at the same time, and games run in threads.
    - `models`: the models that it may call; `use_calls(calls)` gives it, before `reset`, the
      `aucenv.runs.journal.SeatCalls` through which it calls them.
    - `in_order`: if true, it learns from one game for the next, so the games of a run are played one after another.
    """

    @property
    def interface(self) -> Literal["vector", "amount", "text"]:
        """What `act` returns; a plain attribute will do."""
        ...

    def reset(self, seat: str, seed: int) -> None:
        """A game begins: forget the last one; draw all randomness from `seed`."""

    def act(self, view: GameView, observation: JsonMapping) -> int | float | str:
        """Decide. `view` is the game's View, `observation` what the interface's env observes.

        After a refusal it is asked again, and `view.refused` says why.
        """
        ...

    def close_game(self, view: GameView) -> dict | None:
        """The game is over: the last news. What it returns, if anything, are notes that the record keeps by seat."""


class PolicyError(RuntimeError):
    """A bidder failed: it raised, or answered with something that is no action of its interface."""


class ModelFailure(RuntimeError):
    """A model cannot be asked: its endpoint says so, or has not answered for too long. Says where and why."""


def check_policy(policy: Any, where: str) -> Policy:
    """`policy`, if it has what a Policy has.

    Raises:
        ValueError: it has not; says what is missing.
    """
    missing = [name for name in ("interface", "reset", "act", "close_game") if not hasattr(policy, name)]
    if missing:
        raise ValueError(f"{where}: expected a Policy; {type(policy).__name__} has no {', '.join(missing)}")
    one_of(f"{where}, interface", policy.interface, ("vector", "amount", "text"))
    return policy


def why_unplayable(policy: Any, scenario: Scenario) -> str | None:
    """Return why a policy cannot play a scenario; None if it can."""
    if hasattr(policy, "why_unplayable"):
        return policy.why_unplayable(scenario)
    if hasattr(policy, "unfit"):
        warn_renamed(f"{type(policy).__name__}.unfit", "why_unplayable", stacklevel=4)
        return policy.unfit(scenario)
    return None


def check_fits(policy: Policy, name: str, scenario: Scenario) -> None:
    """Raise unless the policy can play the scenario.

    Raises:
        ValueError: it cannot; names the bidder, the scenario and the reason.
    """
    reason = why_unplayable(policy, scenario)
    if reason is not None:
        raise ValueError(f"bidder {label_of(name)!r}, scenario {scenario.name!r}: {reason}")
