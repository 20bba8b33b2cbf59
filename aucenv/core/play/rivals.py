"""Rivals: the bidders of the seats that an environment plays itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.game import Game
from aucenv.core.kernel import draw_below
from aucenv.core.play.engine import Engine
from aucenv.core.play.rollouts import stacked
from aucenv.core.play.table import Table
from aucenv.core.policy import Policy, PolicyError, check_fits, check_policy, compiled_numbers
from aucenv.core.scenarios import Scenario
from aucenv.core.state import LEARNER, MIXTURE, NOBODY, OUTSIDE, seat_names
from aucenv.core.words.bidder_name import label_of, public_name

RANDOM_SEAT = "random"


@dataclasses.dataclass(frozen=True)
class NamedPolicy:
    """A policy that was created by the name of a bidder."""

    name: str
    policy: Policy


class Mixture(tuple[NamedPolicy, ...]):
    """Named policies, of which one is drawn for each game; an environment creates it for `rule|value`, or `rule`."""

    def __repr__(self) -> str:
        return repr("|".join(public_name(bidder.name) for bidder in self))


Rival = Policy | Mixture


@dataclasses.dataclass(frozen=True)
class SeatingPlan:
    """The possible bidders of each seat. Positions are counted around the table from seat `first`, position 0.

    Attributes:
        first: The seat of position 0; None draws it for each game.
        choices: The bidders of each position, of which one is drawn for each game; empty for a learner.
    """

    first: int | None
    choices: tuple[Mixture | tuple[Policy, ...], ...]

    def seats(self, first: int) -> dict[str, int]:
        """Return the learners' seats by name if position 0 is seat `first`; the name of a drawn seat is "learner"."""
        learning = [seat for seat in range(len(self.choices)) if not self.choices[self.position(seat, first)]]
        names = seat_names(len(self.choices))
        return {"learner" if self.first is None else names[seat]: seat for seat in learning}

    @property
    def agents(self) -> dict[str, int]:
        """The learners' seats by name, before a game is dealt."""
        return self.seats(self.first or 0)

    def position(self, seat: int, first: int) -> int:
        """Return the position of a seat, if position 0 is seat `first`."""
        return (seat - first) % len(self.choices)

    def draw(self, key: int) -> tuple[int, dict[int, tuple[int, int]]]:
        """Draw the seats of the game with this key.

        Returns:
            The seat of position 0; and for each rival's seat, its position and the index of the bidder drawn for it.
        """
        seats = len(self.choices)
        first = int(draw_below(seats, key, LEARNER, 0, 0, 0)) if self.first is None else self.first
        drawn = {}
        for seat in range(seats):
            position = self.position(seat, first)
            if self.choices[position]:
                drawn[seat] = position, int(draw_below(len(self.choices[position]), key, MIXTURE, 0, 0, seat))
        return first, drawn


def read_rivals(
    rivals: Mapping[str, Rival] | Sequence[Rival] | None, num_bidders: int, seat: int | str | None = None
) -> SeatingPlan:
    """Return the plan of the seats that rivals play.

    Args:
        rivals: A bidder for each seat that the environment plays: a mapping by seat ("bidder_1"), or a list for the
            seats after the only learner's, in order around the table.
        num_bidders: The number of seats.
        seat: The learner's seat; "random" draws it for each game. None: with a list, the learner has seat 0; with a
            mapping, all seats without a rival are learners'.

    Raises:
        ValueError: A seat is unknown, every seat has a rival, the number of bidders is wrong, one policy is used for
            two seats, or a bidder is a name, for which only the environments of a game create a policy.
    """
    names = seat_names(num_bidders)
    is_random = seat == RANDOM_SEAT
    number = 0 if seat is None or is_random else _seat_number(seat, names)
    if isinstance(rivals, Mapping):
        for name in rivals:
            one_of("rivals, seat", name, names)
        if len(rivals) == num_bidders:
            raise ValueError(f"rivals: expected at least one seat without a rival, got all of {', '.join(names)}")
        if is_random:
            raise ValueError("rivals: with seat='random', expected a list of bidders for the seats after the learner's")
        if seat is not None and (names[number] in rivals or len(rivals) != num_bidders - 1):
            raise ValueError(f"rivals: expected bidders for all seats but {names[number]}, got {', '.join(rivals)}")
        bidders: list[Any] = [rivals.get(name) for name in names]
        first: int | None = 0
    else:
        rival_list = [*rivals] if rivals is not None else []
        if isinstance(rivals, str) or len(rival_list) != num_bidders - 1:
            raise ValueError(
                f"rivals: expected a list of {num_bidders - 1} bidders, for the seats after the learner's, or bidders "
                f"by seat ({{'bidder_1': ...}}), got {rivals!r:.80}"
            )
        bidders = [None, *rival_list]
        first = None if is_random else number
    choices = tuple(_choices(bidder, position) for position, bidder in enumerate(bidders))
    policy_ids = [id(bidder) for bidders in choices for bidder in bidders if not isinstance(bidder, NamedPolicy)]
    if len(set(policy_ids)) < len(policy_ids):
        raise ValueError("rivals: expected a separate policy for each seat, got the same object twice")
    if is_random and policy_ids:
        raise ValueError("rivals: expected names of bidders with seat='random', got a Policy")
    return SeatingPlan(first, choices)


def _seat_number(seat: int | str, names: list[str]) -> int:
    if isinstance(seat, str):
        return names.index(one_of("seat", seat, [*names, RANDOM_SEAT]))
    return one_of("seat", seat, range(len(names)))


def _choices(bidder: Any, position: int) -> tuple[Any, ...]:
    if isinstance(bidder, str):
        raise ValueError(
            f"rivals, position {position}: expected a Policy, got the name {public_name(bidder)!r}; "
            "the environments of a game, such as aucenv.english_v0.parallel_env, take names"
        )
    if bidder is None:
        return ()
    return bidder if isinstance(bidder, Mixture) else (bidder,)


class RivalPolicies:
    """The policies of the rivals at one table, which act one after another.

    Attributes:
        plan: The possible bidders of each seat.
        seated: The policies in the current game, by seat.
        names: Their names, by seat.

    Raises:
        ValueError: A bidder is no Policy, or cannot play the scenario.
    """

    def __init__(self, plan: SeatingPlan, game: Game, scenario: Scenario) -> None:
        self.plan = plan
        self.label = f"{game.name}_v{game.version}"
        self._policies: list[list[Policy]] = []
        self._names: list[list[str]] = []
        for position, choices in enumerate(plan.choices):
            policies: list[Policy] = []
            names = []
            for bidder in choices:
                if isinstance(bidder, NamedPolicy):
                    name, policy = label_of(bidder.name), bidder.policy
                else:
                    name, policy = type(bidder).__name__, check_policy(bidder, f"rivals, position {position}")
                check_fits(policy, name, scenario)
                policies.append(policy)
                names.append(name)
            self._policies.append(policies)
            self._names.append(names)
        self.seated: dict[int, Policy] = {}
        self.names: dict[int, str] = {}

    def take_seats(self, table: Table, interfaces: Sequence[str]) -> dict[str, int]:
        """Draw the rivals of the game that `table` has just dealt, and reset their policies.

        Args:
            interfaces: The learners' interfaces, in the order of their seats.

        Returns:
            The learners' seats by name.
        """
        first, drawn = self.plan.draw(int(table.state["key"][0]))
        learners = self.plan.seats(first)
        self.seated = {seat: self._policies[position][number] for seat, (position, number) in drawn.items()}
        self.names = {seat: self._names[position][number] for seat, (position, number) in drawn.items()}
        by_seat: dict[int, str] = dict(zip(learners.values(), interfaces, strict=True))
        by_seat |= {seat: policy.interface for seat, policy in self.seated.items()}
        table.interfaces = tuple(by_seat[seat] for seat in range(table.num_seats))
        for seat, policy in self.seated.items():
            with self._error_context(table, seat):
                policy.reset(table.scenario_text.seats[seat], int(table.state["seat_key"][0, seat]))
        return learners

    def play_rivals(self, table: Table) -> None:
        """Submit the actions of rivals until a learner has a decision or the game is over."""
        while not table.over:
            rounds = table.rounds
            for seat in table.pending:
                if seat in self.seated:
                    self._act(table, seat)
            if table.hold_open and not table.pending:
                table.close_round()
            if table.rounds == rounds:
                return
        for seat, policy in self.seated.items():
            with self._error_context(table, seat):
                policy.close_game(self._view(table, seat))

    def names_by_seat(self, table: Table) -> dict[str, str]:
        """Return the names of the rivals in the current game, by the name of their seat."""
        return {table.scenario_text.seats[seat]: name for seat, name in self.names.items()}

    def _act(self, table: Table, seat: int) -> None:
        policy = self.seated[seat]
        with self._error_context(table, seat):
            while table.is_pending(seat):
                observation = table.observe(seat) if getattr(policy, "observes", True) else {}
                if table.submit(seat, policy.act(self._view(table, seat), observation)) is None:
                    break

    def _view(self, table: Table, seat: int) -> Any:
        return table.view(seat, reveal=getattr(self.seated[seat], "cheats", False))

    def _error_context(self, table: Table, seat: int) -> _ErrorContext:
        return _ErrorContext(f"rival {self.names[seat]!r} at {table.scenario_text.seats[seat]}, {self.label}", table)


class _ErrorContext:
    """A context that adds the rival, the game, the item and the round to errors."""

    def __init__(self, rival: str, table: Table) -> None:
        self.rival, self.table = rival, table

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception):
            time = f"item {self.table.item}, round {self.table.round}"
            raise PolicyError(f"{self.rival}, {time}: {error}") from error


def allocate_rule_rivals(
    plan: SeatingPlan, game: Game, scenario: Scenario, num_envs: int, learners: tuple[np.ndarray, ...]
) -> tuple[Engine, tuple[Any, ...]]:
    """Return the engine with rule bidders in some seats, and the tuple `seating` that it takes.

    Args:
        learners: The arrays of the learners, as in that tuple.

    Raises:
        ValueError: A bidder was not created by its name, cannot play the scenario, or does not play in compiled code.
    """
    numbers = []
    for bidder in (bidder for choices in plan.choices for bidder in choices):
        if not isinstance(bidder, NamedPolicy):
            expected = "expected names of rule bidders in a batch; parallel_env takes any policy"
            raise ValueError(f"rivals: {expected}, got a {type(bidder).__name__}")
        numbers.append(compiled_numbers(bidder.policy, bidder.name, scenario))
    kinds = np.array([kind for kind, _ in numbers], np.int64)
    rollouts = game.rollouts_of(kinds)
    seats = len(plan.choices)
    counts = np.array([len(choices) for choices in plan.choices], np.int64)
    arrays = (
        NOBODY if plan.first is None else plan.first,
        counts,
        kinds,
        stacked([params for _, params in numbers]),
        np.full((num_envs, seats), OUTSIDE, np.int64),
        np.zeros((num_envs, int((counts == 0).sum())), np.int64),
        np.zeros((num_envs, rollouts.memory_size(seats, scenario.num_items))),
        learners,
    )
    return game.engine_of(kinds), arrays
