"""What a bidder is: the Policy protocol, its errors and checks."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from aucenv.core.bidder_name import label_of
from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping
from aucenv.core.game_modules import Scenario
from aucenv.core.seat_view import GameView


class Policy(Protocol):
    """Something that bids. Whatever has these four is one; nothing need be inherited.

    Attributes:
        interface: what `act` returns: "vector", an int; "amount", dollars, negative = withdraw; "text", a reply.

    A policy that has a dict `notes` after `act` finds it kept in the record's decision (some names have a form, see the
    game's `check_notes`). One whose `cheats`
    is true gets views that hide nothing, and is never among the defaults. One whose `observes` is false gets an
    empty observation, sooner. One with `unfit(scenario)` says there why it cannot play a scenario; None where it can.
    One whose `waits` is true waits for a model or a person: the seats of a round that wait are asked at the same time,
    and games run in threads. One with `use_calls(calls)` is given, before `reset`, the
    `aucenv.runs.journal.SeatCalls` through which it asks models; its `models` are those that it may ask. One whose
    `in_order` is true learns from a game for the next: a run's games are then played one by one.
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


def check_fits(policy: Policy, name: str, scenario: Scenario) -> None:
    """Nothing, if the policy can play the scenario.

    Raises:
        ValueError: it cannot; says why.
    """
    unfit = getattr(policy, "unfit", None)
    reason = unfit(scenario) if unfit is not None else None
    if reason is not None:
        raise ValueError(f"bidder {label_of(name)!r}, scenario {scenario.name!r}: {reason}")
