"""The checks of a bidder."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import aucenv
from aucenv.core.defaults.modules import NoBelief
from aucenv.core.play.table import Table
from aucenv.core.policy import Policy, PolicyError, check_fits, why_unplayable
from aucenv.core.policy import check_policy as check_members
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.core.words.phrases import count
from aucenv.registration import EnvFamily, find_family
from aucenv.testing.contract import ContractError, rule
from aucenv.testing.records import compare_rollouts

GAMES = 4
UNDECLARED = (0.3, 30.0)
"""Values in place of the zeros after the parameters of a rule bidder, which it must not read."""

MakePolicy = Callable[[], Policy]


def check_policy(policy: str | MakePolicy, game: str | EnvFamily, *, scenario: Any = None, seed: int = 0) -> None:
    """Check that a bidder keeps the contract of `aucenv.Policy`.

    Args:
        policy: the name of a bidder, or a function without arguments that creates one, such as its class.
        game: the game that it plays.
        scenario: the scenario; None is the game's default.
        seed: seeds all games.

    Raises:
        ContractError: the bidder breaks a rule; the message says what is wrong, where, and which rule it is.

    Example:
        >>> from aucenv.testing import check_policy
        >>> check_policy("truthful", "sealed_bid")
    """
    family = find_family(game)
    chosen = family.game.load_scenario(family.game.default_scenario if scenario is None else scenario)
    subject = f"bidder {policy if isinstance(policy, str) else getattr(policy, '__name__', type(policy).__name__)}"

    def make() -> Policy:
        return aucenv.make_policy(family.name, policy) if isinstance(policy, str) else policy()

    with rule(subject, "a policy has interface, reset, act and close_game, and can play the scenario"):
        check_fits(check_members(make(), subject), subject, chosen)
    with rule(subject, "a policy can be pickled, so that other processes can play it"):
        pickle.loads(pickle.dumps(make()))  # noqa: S301  # made here
    play = _Play(family, chosen, subject, make)
    for number in range(GAMES):
        play.check_legal(seed + number, number % len(chosen.bidders))
    play.check_seeded(seed)
    play.check_stateless(seed)
    play.check_hidden(seed)
    if isinstance(policy, str):
        play.check_parameters(policy)
        play.check_rollouts(policy, seed)


class _Play:
    """Games of a bidder among copies of itself and the game's first rule bidder."""

    def __init__(self, family: EnvFamily, scenario: Any, subject: str, make: MakePolicy) -> None:
        self.family, self.scenario, self.subject, self.make = family, scenario, subject, make

    def game(self, seed: int, seat: int, policy: Policy | None = None) -> Any:
        """Play a game with the policy in a seat, and return its record."""
        bidders = import_module(self.family.game.bidders).BIDDERS
        able = [each.name for each in bidders if not each.cheats and each.why_unplayable(self.scenario) is None]
        if not able:
            raise ContractError(
                f"game {self.family.label}",
                f"no rule bidder can play the scenario {self.scenario.name!r}",
                "a game has a rule bidder for each scenario",
            )
        lineup: list[Any] = [able[0]] * len(self.scenario.bidders)
        lineup[seat] = self.make() if policy is None else policy
        on_round = getattr(policy, "keep_table", None)
        return aucenv.play(self.family, self.scenario, lineup, seed, on_round=on_round)

    def check_legal(self, seed: int, seat: int) -> None:
        """Check that its actions are legal."""
        try:
            record = self.game(seed, seat)
        except PolicyError as error:
            raise ContractError(self.subject, str(error), "act returns a legal action of its interface") from error
        name = record.seats[seat]["seat"]
        for decision in record.decisions:
            if decision["seat"] == name and decision["attempts"]:
                refused = decision["attempts"][0]
                raise ContractError(
                    self.subject,
                    f"{refused.get('action')!r} is refused in game {seed}, item {decision['item']}: "
                    f"{refused.get('refused')}",
                    "act returns a legal action of its interface",
                )

    def check_seeded(self, seed: int) -> None:
        """Check that nothing but the seed of `reset` makes its decisions random."""
        records = []
        for number in (1, 2):
            random.seed(number)
            np.random.seed(number)  # noqa: NPY002  # a policy must not use it
            records.append(self.game(seed, 0).to_json())
        if records[0] != records[1]:
            raise ContractError(
                self.subject, f"two games of seed {seed} differ", "all randomness comes from the seed of reset"
            )

    def check_stateless(self, seed: int) -> None:
        """Check that a game does not depend on earlier ones."""
        used = self.make()
        if getattr(used, "in_order", False):
            return
        for number in range(1, 3):
            self.game(seed + number, 0, used)
        if self.game(seed, 0, used).to_json() != self.game(seed, 0).to_json():
            raise ContractError(
                self.subject, f"game {seed} differs after other games", "reset discards the state of the last game"
            )

    def check_rollouts(self, name: str, seed: int) -> None:
        """Check that a rule bidder, which reads the state in rollouts, bids there as it bids with a view."""
        if parse_bidder(name).kind in [each.name for each in import_module(self.family.game.bidders).BIDDERS]:
            compare_rollouts(self.subject, self.family, self.scenario, [name] * len(self.scenario.bidders), seed)

    def check_parameters(self, name: str) -> None:
        """Check that a rule bidder reads no more values of `params` than it declares parameters."""
        for bidder in import_module(self.family.game.bidders).BIDDERS:
            if bidder.name == parse_bidder(name).kind:
                declared = len(bidder.parameters)
                plain = _actions(self.game(0, 0))
                for number in UNDECLARED:
                    policy: Any = self.make()
                    policy.params = np.concatenate([policy.params[:declared], np.full(8, number)])
                    if _actions(self.game(0, 0, policy)) != plain:
                        raise ContractError(
                            self.subject,
                            f"its decisions depend on params[{declared}] or later ones, but it declares "
                            f"{count(declared, 'parameter')}",
                            "decide reads the values of the parameters that the bidder declares",
                        )

    def check_hidden(self, seed: int) -> None:
        """Check that its decisions do not depend on what its view hides."""
        if getattr(self.make(), "cheats", False):
            return
        plain = self.game(seed, 0)
        changed = self.game(seed, 0, _OtherHidden(self.make(), self.family))
        if _actions(changed) != _actions(plain):
            raise ContractError(
                self.subject,
                f"game {seed} differs if what is hidden from the bidder is changed while it decides",
                "act reads only the view that it gets, and the observation",
            )


def _actions(record: Any) -> list[Any]:
    return [decision["action"] for decision in record.decisions]


class _OtherHidden:
    """A bidder during whose decisions the table has other hidden values.

    Args:
        policy: the bidder.
        family: the environments of its game.
    """

    observes = True

    def __init__(self, policy: Policy, family: EnvFamily) -> None:
        self.policy, self.interface, self._belief = policy, policy.interface, family.game.belief
        self.table: Table | None = None

    def why_unplayable(self, scenario: Any) -> str | None:
        """Return why the bidder cannot play a scenario."""
        return why_unplayable(self.policy, scenario)

    def reset(self, seat: str, seed: int) -> None:
        self.policy.reset(seat, seed)

    def act(self, view: Any, observation: Any) -> Any:
        """Decide while the table has other values where the seat may know none."""
        if isinstance(self._belief, NoBelief) or self.table is None:
            return self.policy.act(view, observation)
        state = self.table.state.copy()
        self._belief.resample(self.table.state, 0, view.seat_number, 1)
        try:
            return self.policy.act(view, observation)
        finally:
            self.table.state[:] = state

    def keep_table(self, table: Table) -> None:
        """Receive the table, as `on_round` of `aucenv.play`."""
        self.table = table

    def close_game(self, view: Any) -> Any:
        return self.policy.close_game(view)
