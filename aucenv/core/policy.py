"""The Policy protocol, with its errors and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping
from aucenv.core.words.bidder_name import label_of

if TYPE_CHECKING:  # importing numba takes long, and the commands need only the errors
    import numpy as np

    from aucenv.core.scenarios import Scenario
    from aucenv.core.views.seat_view import GameView


Objective = tuple[str, str | None]
"""An objective of the scenario's bidders, and the name of the target item, or None."""


class Policy(Protocol):
    """A bidder: any object with these four members. There is no base class.

    Attributes:
        interface: The type of the actions that `act` returns: "vector", an int; "amount", dollars, where a negative
            number withdraws; "text", a reply in words.

    A policy may also have these members:

    - `notes`: a dict that `act` sets, and that is recorded with the decision. Some entries have a fixed format, which
      the game's `check_notes` checks.
    - `why_unplayable(scenario)`: returns the reason why the policy cannot play a scenario, or None if it can.
    - `stated_objective(scenario, seat)`: returns the objective that the policy pursues in a seat, by its number, as a
      pair of the objective and the name of its target item or None; or None if it pursues that of the scenario. The
      notes of its seat in the record state it, and `aucenv records show` prints it.
    - `cheats`: if true, the policy's views hide nothing, and it is left out of the default bidders.
    - `observes`: if false, `act` gets an empty observation, which saves time.
    - `waits`: if true, the policy waits for a model or a person; such policies act at the same time, and their games
      run in threads.
    - `post(view, observation, deliver)`: is called in place of `act` by `aucenv.play`. It returns at once, and later,
      in any thread, calls `deliver` once: with an action, with None to make no bid, or with an exception. So one
      thread can wait for all seats of a table. The observation also has `retries_left`, how often the seat is
      asked again if its actions are refused. `check_time()` is called while the table waits, and `cancel()` if the
      game ends without the action.
    - `watch(view)`: receives the view of its seat at the beginning of each round, even if it has nothing to decide.
    - `one_at_a_time`: if true, the policy plays one game at a time.
    - `models`: the models that the policy may call.
    - `use_calls(calls)`: receives, before `reset`, the `aucenv.runs.model_calls.journal.SeatCalls` through which the
      policy calls
      its models.
    - `in_order`: if true, the policy learns from earlier games of a run, so its games are played one after another.
    """

    @property
    def interface(self) -> Literal["vector", "amount", "text"]:
        """The type of the actions that `act` returns; it may be a plain attribute."""
        ...

    def reset(self, seat: str, seed: int) -> None:
        """Start a game: discard the state of the last game, and derive all randomness from `seed`."""

    def act(self, view: GameView, observation: JsonMapping) -> int | float | str:
        """Return an action.

        If the action is refused, `act` is called again, and `view.refused` is the reason.

        Args:
            view: The game's View.
            observation: The observation that an environment with this interface returns.
        """
        ...

    def close_game(self, view: GameView) -> dict | None:
        """Receive the final view when the game is over; return notes to record for the seat, or None."""


class PolicyError(RuntimeError):
    """A bidder raised an exception, or returned an action outside its interface's action space."""


class ModelFailure(RuntimeError):
    """A model call failed permanently, or after all retries; the message states where and why."""


def check_policy(policy: Any, where: str) -> Policy:
    """Return `policy` if it has the members of a Policy.

    Raises:
        ValueError: A member is missing, or the interface is unknown; the message names it.
    """
    missing = [name for name in ("interface", "reset", "act", "close_game") if not hasattr(policy, name)]
    if missing:
        raise ValueError(f"{where}: expected a Policy; {type(policy).__name__} has no {', '.join(missing)}")
    one_of(f"{where}, interface", policy.interface, ("vector", "amount", "text"))
    return policy


def why_unplayable(policy: Any, scenario: Scenario) -> str | None:
    """Return the reason why a policy cannot play a scenario, or None if it can."""
    if hasattr(policy, "why_unplayable"):
        return policy.why_unplayable(scenario)
    return None


def check_fits(policy: Policy, name: str, scenario: Scenario) -> None:
    """Raise unless the policy can play the scenario.

    Raises:
        ValueError: It cannot; the message names the bidder, the scenario and the reason.
    """
    reason = why_unplayable(policy, scenario)
    if reason is not None:
        raise ValueError(f"bidder {label_of(name)!r}, scenario {scenario.name!r}: {reason}")


def compiled_numbers(policy: Any, name: str, scenario: Scenario) -> tuple[int, np.ndarray]:
    """Return a rule bidder's or network's kind and float64 parameters, as the game's compiled `decide` takes them.

    A rule bidder has (8,) parameters, a network more.

    Raises:
        ValueError: It cannot play the scenario, or not in compiled code; the message names the bidder.
    """
    check_fits(policy, name, scenario)
    try:
        return policy.numbers(scenario)
    except ValueError as error:
        raise ValueError(f"bidder {label_of(name)!r}: {error}") from None
