"""Seats that an environment plays itself: who sits there, and how it is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from aucenv.core.bidder_name import label_of
from aucenv.core.checks import one_of
from aucenv.core.game import Game
from aucenv.core.game_modules import Scenario
from aucenv.core.kernel import draw_below
from aucenv.core.policy import Policy, PolicyError, check_fits, check_policy
from aucenv.core.rival_kernels import RivalKernels, rival_kernels
from aucenv.core.state import LEARNER, MIXTURE, NOBODY, seat_names
from aucenv.core.table import Table

Rival = str | Policy
RANDOM_SEAT = "random"


@dataclasses.dataclass(frozen=True)
class SeatingPlan:
    """Who may sit where. Places are counted from the seat `first`, which has place 0, round the table.

    Attributes:
        first: the seat of place 0; None = drawn for each game.
        choices: by place, the bidders of whom one is drawn for each game; none where a learner sits.
    """

    first: int | None
    choices: tuple[tuple[Rival, ...], ...]

    def seats(self, first: int) -> dict[str, int]:
        """The learners' seats by name, where place 0 is at seat `first`; "learner" where that is drawn."""
        learning = [seat for seat in range(len(self.choices)) if not self.choices[self.place(seat, first)]]
        names = seat_names(len(self.choices))
        return {"learner" if self.first is None else names[seat]: seat for seat in learning}

    @property
    def agents(self) -> dict[str, int]:
        """The learners' seats by name, before a game is dealt."""
        return self.seats(self.first or 0)

    def place(self, seat: int, first: int) -> int:
        return (seat - first) % len(self.choices)

    def sit(self, key: int) -> tuple[int, dict[int, tuple[int, int]]]:
        """The first seat of the game with this key; by seat, the place and which of its choices plays."""
        seats = len(self.choices)
        first = int(draw_below(seats, key, LEARNER, 0, 0, 0)) if self.first is None else self.first
        sitting = {}
        for seat in range(seats):
            place = self.place(seat, first)
            if self.choices[place]:
                sitting[seat] = place, int(draw_below(len(self.choices[place]), key, MIXTURE, 0, 0, seat))
        return first, sitting


def read_rivals(
    rivals: Mapping[str, Rival] | Sequence[Rival] | None, num_bidders: int, seat: int | str | None = None
) -> SeatingPlan:
    """Who plays the seats that learn nothing.

    Args:
        rivals: a bidder for each seat that the environment plays, by seat ("bidder_1"); or a list, one for each seat
            after the one learner's, round the table. A bidder is a name, several names with `|` between them, of which
            one is drawn for each game, or a Policy.
        seat: the learner's; "random" = drawn for each game; None = the first one, or all that `rivals` leaves.

    Raises:
        ValueError: an unknown seat, no seat left to learn, not as many bidders as seats, or a policy given twice.
    """
    names = seat_names(num_bidders)
    drawn = seat == RANDOM_SEAT
    number = 0 if seat is None or drawn else _seat_number(seat, names)
    if isinstance(rivals, Mapping):
        for name in rivals:
            one_of("rivals, seat", name, names)
        if len(rivals) == num_bidders:
            raise ValueError(f"rivals: expected a seat left to learn, got bidders for all of {', '.join(names)}")
        if drawn:
            raise ValueError("rivals: expected a list with seat='random', of bidders for the seats after the learner's")
        if seat is not None and (names[number] in rivals or len(rivals) != num_bidders - 1):
            raise ValueError(f"rivals: expected bidders for all seats but {names[number]}, got {', '.join(rivals)}")
        chosen: list[Any] = [rivals.get(name) for name in names]
        first: int | None = 0
    else:
        listed = [*rivals] if rivals is not None else []
        if isinstance(rivals, str) or len(listed) != num_bidders - 1:
            raise ValueError(
                f"rivals: expected a list of {num_bidders - 1} bidders, for the seats after the learner's, or bidders "
                f"by seat ({{'bidder_1': ...}}), got {rivals!r:.80}"
            )
        chosen = [None, *listed]
        first = None if drawn else number
    choices = tuple(_choices(bidder) for bidder in chosen)
    own = [id(bidder) for several in choices for bidder in several if not isinstance(bidder, str)]
    if len(set(own)) < len(own):
        raise ValueError("rivals: expected a policy of its own for each seat, got the same object twice")
    if drawn and own:
        raise ValueError("rivals: expected names of bidders with seat='random', got a Policy")
    return SeatingPlan(first, choices)


def _seat_number(seat: int | str, names: list[str]) -> int:
    if isinstance(seat, str):
        return names.index(one_of("seat", seat, [*names, RANDOM_SEAT]))
    return one_of("seat", seat, range(len(names)))


def _choices(bidder: Any) -> tuple[Any, ...]:
    if bidder is None:
        return ()
    return tuple(bidder.split("|")) if isinstance(bidder, str) else (bidder,)


class RivalPolicies:
    """The rivals of one table: their policies, asked one after the other.

    Raises:
        ValueError: an unknown bidder, or one that cannot play the scenario.
    """

    def __init__(self, rivals: SeatingPlan, game: Game, scenario: Scenario) -> None:
        registry = import_module("aucenv.policy.registry")
        self.rivals = rivals
        self.label = f"{game.name}_v{game.version}"
        self._policies: list[list[Policy]] = []
        self._names: list[list[str]] = []
        for place, choices in enumerate(rivals.choices):
            policies: list[Policy] = []
            names = []
            for bidder in choices:
                if isinstance(bidder, str):
                    name, policy = label_of(bidder), registry.make_policy(game.name, bidder)
                else:
                    name, policy = type(bidder).__name__, check_policy(bidder, f"rivals, place {place}")
                check_fits(policy, name, scenario)
                policies.append(policy)
                names.append(name)
            self._policies.append(policies)
            self._names.append(names)
        self.sitting: dict[int, Policy] = {}
        self.names: dict[int, str] = {}
        """By seat, who plays the current game."""

    def sit(self, table: Table, interfaces: Sequence[str]) -> dict[str, int]:
        """Take the seats of the game that `table` has just dealt.

        Args:
            interfaces: the learners', in the order of their seats.

        Returns:
            Where the learners sit.
        """
        first, sitting = self.rivals.sit(int(table.state["key"][0]))
        learners = self.rivals.seats(first)
        self.sitting = {seat: self._policies[place][number] for seat, (place, number) in sitting.items()}
        self.names = {seat: self._names[place][number] for seat, (place, number) in sitting.items()}
        of_seats: dict[int, str] = dict(zip(learners.values(), interfaces, strict=True))
        of_seats |= {seat: policy.interface for seat, policy in self.sitting.items()}
        table.interfaces = tuple(of_seats[seat] for seat in range(table.num_seats))
        for seat, policy in self.sitting.items():
            with self._named(table, seat):
                policy.reset(table.scenario_text.seats[seat], int(table.state["seat_key"][0, seat]))
        return learners

    def play_on(self, table: Table) -> None:
        """Let those that owe a decision answer, and play the rounds in which nobody else has one."""
        while not table.over:
            rounds = table.rounds
            for seat in table.pending:
                if seat in self.sitting:
                    self._answer(table, seat)
            if table.hold_open and not table.pending:
                table.close_round()
            if table.rounds == rounds:
                return
        for seat, policy in self.sitting.items():
            with self._named(table, seat):
                policy.close_game(self._view(table, seat))

    def names_at(self, table: Table) -> dict[str, str]:
        return {table.scenario_text.seats[seat]: name for seat, name in self.names.items()}

    def _answer(self, table: Table, seat: int) -> None:
        policy = self.sitting[seat]
        with self._named(table, seat):
            while table.is_pending(seat):
                observation = table.observe(seat) if getattr(policy, "observes", True) else {}
                if table.submit(seat, policy.act(self._view(table, seat), observation)) is None:
                    break

    def _view(self, table: Table, seat: int) -> Any:
        return table.view(seat, reveal=getattr(self.sitting[seat], "cheats", False))

    def _named(self, table: Table, seat: int) -> _Named:
        return _Named(f"rival {self.names[seat]!r} at {table.scenario_text.seats[seat]}, {self.label}", table)


class _Named:
    """Names the rival, the game and the moment in an error."""

    def __init__(self, who: str, table: Table) -> None:
        self.who, self.table = who, table

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception):
            moment = f"item {self.table.item}, round {self.table.round}"
            raise PolicyError(f"{self.who}, {moment}: {error}") from error


def allocate_rule_rivals(
    rivals: SeatingPlan, game: Game, scenario: Scenario, num_envs: int
) -> tuple[RivalKernels, tuple[Any, ...]]:
    """The compiled step with rule bidders at the table, and the arrays `rivals` that it takes, for so many rows.

    Raises:
        ValueError: one is no rule bidder of the game, or cannot play the scenario.
    """
    registry = import_module("aucenv.policy.registry")
    bidders = [bidder for several in rivals.choices for bidder in several]
    for bidder in bidders:
        if not isinstance(bidder, str):
            expected = "expected names of rule bidders in a batch; parallel_env takes any policy"
            raise ValueError(f"rivals: {expected}, got a {type(bidder).__name__}")
    read = [registry.rule_numbers(game.name, bidder, scenario) for bidder in bidders]
    seated = rival_kernels(game, registry.scripted_module(game.name).ROLLOUTS)
    seats = len(rivals.choices)
    counts = np.array([len(several) for several in rivals.choices], np.int64)
    arrays = (
        NOBODY if rivals.first is None else rivals.first,
        counts,
        np.array([kind for kind, _ in read], np.int64),
        np.array([params for _, params in read]).reshape(len(read), -1),
        np.full((num_envs, seats), NOBODY, np.int64),
        np.zeros((num_envs, int((counts == 0).sum())), np.int64),
        np.zeros((num_envs, seated.memory_size(seats, scenario.num_items))),
    )
    return seated, arrays
