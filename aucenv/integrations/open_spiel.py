"""OpenSpiel: a small scenario of any game as a sequential game, built from the same rules.

The moves of a round are turns: the seats that have a decision choose one after another, and none sees the moves of the
others before the round closes. The deal and the winner of a tie are chance nodes. OpenSpiel reads the tree as a game in
extensive form; its algorithms find exact best responses, and its solvers approximate equilibria.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aucenv.core.game import Game
from aucenv.core.state import IDLE, NOBODY, RUNNING, seat_names
from aucenv.registration import find_family

try:
    import pyspiel
    from open_spiel.python.policy import TabularPolicy  # type: ignore[import-untyped]
except ModuleNotFoundError as error:
    if error.name not in ("pyspiel", "open_spiel"):
        raise
    raise ImportError("aucenv.integrations.open_spiel needs OpenSpiel: pip install open_spiel") from error

MAX_DEALS = 10_000
MAX_NODES = 2_000_000
KEY = 1
"""The key of the game: no random number is drawn from it, because deals and ties are chance nodes."""

_INFORMATION_SET = re.compile(r"\bi(\d+)$")

Path = tuple[tuple[int, int] | None, ...]
"""For each seat, the number of its last information set and its action there; None before its first decision."""
Chooser = Callable[[np.ndarray, int], np.ndarray]
"""A function from a state of one row and a seat to the probabilities of its vector actions."""


def turn_game(game: str, scenario: Any, num_actions: int | None = None) -> TurnGame:
    """Return a scenario as an OpenSpiel game, whose payoffs are dollars, or days in water allocation.

    Args:
        game: The name of the game.
        scenario: A scenario, its name or its file. Its deal must not be random, but for the values of sealed bids and
            clocks with independent private values, of which all combinations are dealt.
        num_actions: The number of vector actions; None: that of the scenario.

    Raises:
        ValueError: The deal is random in another way, or there are more than MAX_DEALS of them.
    """
    declared = find_family(game).game
    chosen = declared.load_scenario(scenario)
    number = declared.num_actions(chosen) if num_actions is None else num_actions
    return TurnGame(declared, _deals(declared, chosen), number)


def _deals(game: Game, scenario: Any) -> list[np.ndarray]:
    """Return all equally likely states after the deal, of one row each."""
    template = scenario.template()

    def deal(key: int) -> np.ndarray:
        row = template.copy()
        game.rules.deal(row, 0, template, key)
        return row

    first, second = deal(KEY), deal(KEY + 1)
    if hasattr(scenario, "value_range"):
        if scenario.values != "ipv":
            raise ValueError(f"scenario {scenario.name!r}: expected independent private values, got {scenario.values}")
        low, high, step = (round(100 * dollars) for dollars in (*scenario.value_range, scenario.value_step))
        seats, rounds = len(scenario.bidders), scenario.num_items
        grid = range(low, high + 1, step)
        if len(grid) ** (seats * rounds) > MAX_DEALS:
            raise ValueError(f"scenario {scenario.name!r}: expected at most {MAX_DEALS:,} combinations of values")
        rows = []
        for values in itertools.product(grid, repeat=seats * rounds):
            row = first.copy()
            row["value"][0, :seats, :rounds] = np.reshape(values, (seats, rounds))
            rows.append(row)
        return rows
    for name in first.dtype.names or ():
        if name not in ("key", "seat_key") and not np.array_equal(first[name], second[name]):
            raise ValueError(f"scenario {scenario.name!r}: expected a deal that is not random, but {name!r} is drawn")
    return [first]


@dataclasses.dataclass(frozen=True)
class InformationSet:
    """The information of a seat at a decision.

    Attributes:
        row: A state of the game, of one row, in which the seat has this information.
        legal: The legal vector actions.
        before: The number of the seat's information set before it, and the action there; None for the first.
    """

    row: np.ndarray
    legal: list[int]
    before: tuple[int, int] | None


class TurnGame:
    """The tree of a game whose rounds are turns; see `turn_game`.

    Args:
        game: The game.
        deals: States after the deal, of one row each; all are equally likely.
        num_actions: The number of vector actions.

    Attributes:
        spiel: The same game for OpenSpiel.
        information_sets: For each seat, its information sets, each after the one before it.

    Raises:
        ValueError: The tree has more than MAX_NODES nodes.
    """

    def __init__(self, game: Game, deals: Sequence[np.ndarray], num_actions: int) -> None:
        self.game, self.num_actions, self.num_seats = game, num_actions, int(deals[0]["num_seats"][0])
        self.information_sets: list[list[InformationSet]] = [[] for _ in range(self.num_seats)]
        self._numbers: list[dict[bytes, int]] = [{} for _ in range(self.num_seats)]
        self._lines = [f'EFG 2 R "{game.name}" {{ {" ".join(map(_quoted, seat_names(self.num_seats)))} }}']
        self._outcomes = self._chances = 0
        start: Path = (None,) * self.num_seats
        self._write_chance([(deal, self._after([b""] * self.num_seats, deal)) for deal in deals], start)
        self.spiel = pyspiel.load_efg_game("\n".join(self._lines))

    @property
    def num_nodes(self) -> int:
        """The number of nodes of the tree."""
        return len(self._lines) - 1

    def policy(self, *choosers: Chooser) -> TabularPolicy:
        """Return the average of behaviors as an OpenSpiel policy, the same in all seats.

        A behavior weighs as much at an information set as it is likely to lead there, so that the average earns,
        against any rivals, what a bidder earns that draws one of the behaviors before the game.
        """
        behavior = [self._averaged(seat, choosers) for seat in range(self.num_seats)]
        tabular = TabularPolicy(self.spiel)
        for number, state in enumerate(tabular.states):
            seat = state.current_player()
            name = _INFORMATION_SET.search(state.information_state_string())
            assert name is not None
            probabilities = behavior[seat][int(name[1])]
            for action in state.legal_actions():
                place = int(state.action_to_string(seat, action)[1:])
                tabular.action_probability_array[number][action] = probabilities[place]
        return tabular

    def _averaged(self, seat: int, choosers: Sequence[Chooser]) -> list[np.ndarray]:
        """Return the average probabilities of the actions at each information set of a seat."""
        reached, average = np.ones((len(self.information_sets[seat]), len(choosers))), []
        chosen: list[np.ndarray] = []
        for number, each in enumerate(self.information_sets[seat]):
            probabilities = np.array([choose(each.row, seat) for choose in choosers])
            outside = 1 - probabilities[:, each.legal].sum(axis=1)
            assert np.abs(outside).max() < 1e-6, f"expected probabilities of the legal actions {each.legal}"
            if each.before is not None:
                before, action = each.before
                reached[number] = reached[before] * chosen[before][:, action]
            chosen.append(probabilities)
            weights = reached[number] if reached[number].sum() > 0 else np.ones(len(choosers))
            average.append(weights @ probabilities / weights.sum())
        return average

    def payoff_range(self) -> float:
        """Return the largest payoff of any seat less the smallest."""
        return self._most - self._least

    _least, _most = math.inf, -math.inf

    def _add(self, line: str) -> None:
        if len(self._lines) > MAX_NODES:
            raise ValueError(f"{self.game.name}: expected a tree of at most {MAX_NODES:,} nodes")
        self._lines.append(line)

    def _after(self, known: list[bytes], row: np.ndarray) -> list[bytes]:
        """Return digests of everything that each seat has observed, with its current observation."""
        copies, digests = self.game.view.make_view.copies, []
        for seat, before in enumerate(known):
            digests.append(hashlib.sha256(before + copies.row(row, seat).tobytes()).digest())
        return digests

    def _write_chance(self, outcomes: list[tuple[np.ndarray, list[bytes]]], path: Path) -> None:
        """Write the nodes from here on, with a chance node if there are several equally likely states."""
        if len(outcomes) > 1:
            self._chances += 1
            actions = " ".join(f'"{number}" {1 / len(outcomes)!r}' for number in range(len(outcomes)))
            self._add(f'c "" {self._chances} "" {{ {actions} }} 0')
        for row, known in outcomes:
            self._write_round(row, known, [], path)

    def _write_round(self, row: np.ndarray, known: list[bytes], moves: list[int], path: Path) -> None:
        """Write the nodes from here on, in a round in which some seats have moved.

        Args:
            row: The state of the game before the round closes.
            known: A digest of everything that each seat has observed.
            moves: The moves of the first of the acting seats.
            path: The last decision of each seat.
        """
        if row["status"][0] != RUNNING:
            self._write_end(row)
            return
        acting = np.flatnonzero(row["acting"][0]).tolist()
        if len(moves) == len(acting):
            self._write_chance([(after, self._after(known, after)) for after in self._closed(row, acting, moves)], path)
            return
        seat = acting[len(moves)]
        masks = np.zeros((self.num_seats, self.num_actions), np.int8)
        self.game.features.mask(row, 0, masks)
        legal = np.flatnonzero(masks[seat]).tolist()
        number = self._numbers[seat].setdefault(known[seat], len(self._numbers[seat]))
        if number == len(self.information_sets[seat]):
            self.information_sets[seat].append(InformationSet(row, legal, path[seat]))
        actions = " ".join(f'"a{action}"' for action in legal)
        self._add(f'p "" {seat + 1} {number + 1} "i{number}" {{ {actions} }} 0')
        for action in legal:
            self._write_round(row, known, [*moves, action], (*path[:seat], (number, action), *path[seat + 1 :]))

    def _closed(self, row: np.ndarray, acting: list[int], moves: list[int]) -> list[np.ndarray]:
        """Return the states after a round, for each winner of its tie if there is one."""
        amounts = np.full(self.num_seats + 1, IDLE, np.int64)
        for seat, action in zip(acting, moves, strict=True):
            amounts[seat] = self.game.features.amount(row, 0, seat, action)
        outcomes: dict[bytes, np.ndarray] = {}
        for winner in acting:
            after = row.copy()
            after["forced_tie"] = winner
            self.game.rules.step(after, 0, amounts)
            after["forced_tie"] = NOBODY
            outcomes.setdefault(after.tobytes(), after)
        return list(outcomes.values())

    def _write_end(self, row: np.ndarray) -> None:
        rules: Any = self.game.rules
        results = np.zeros((self.num_seats, len(rules.RESULT)), np.int64)
        rules.result(row, 0, results)
        payoffs = (results[:, 0] / (100 if rules.RESULT[0] == "profit" else 1)).tolist()
        self._least, self._most = min(self._least, *payoffs), max(self._most, *payoffs)
        self._outcomes += 1
        self._add(f't "" {self._outcomes} "" {{ {", ".join(map(repr, payoffs))} }}')


def _quoted(text: str) -> str:
    return f'"{text}"'
