"""check_policy passes for good bidders, and finds what is wrong in others."""

from __future__ import annotations

import dataclasses
import random
import sys

import numpy as np
import pytest
from aucenv.baselines.scripted import sealed_bid

from aucenv.core.play.table import Table
from aucenv.policy.registry import playable_bidders
from aucenv.registration import FAMILIES, find_family
from aucenv.testing import ContractError, check_policy


class Good:
    """Bids a random share of its value."""

    interface = "amount"

    def reset(self, seat, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, view, observation):
        return float(round(view.value * self.rng.random()))

    def close_game(self, view):
        return {"share": 1}


class KeepsState(Good):
    bids = 0

    def act(self, view, observation):
        self.bids += 1
        return float(min(self.bids, 99))


class UsesGlobalRandomness(Good):
    def act(self, view, observation):
        return float(random.randint(0, 99))


class UsesNumpysRandomness(Good):
    def act(self, view, observation):
        return float(np.random.randint(0, 99))  # noqa: NPY002


class OutOfRange(Good):
    def act(self, view, observation):
        return 1e9


class WrongType(Good):
    def act(self, view, observation):
        return "forty"


class Incomplete:
    interface = "amount"

    def reset(self, seat, seed): ...

    def act(self, view, observation):
        return 1.0


class Fails(Good):
    def act(self, view, observation):
        return view.valeu


class CannotBeSent(Good):
    def __init__(self):
        self.write = lambda: None


class ReadsTheTable(Good):
    """Looks for the table among the variables of its callers, and reads the values of its rivals."""

    def act(self, view, observation):
        frame, tables = sys._getframe(), []
        while frame is not None:
            tables += [each for each in frame.f_locals.values() if type(each) is Table]
            frame = frame.f_back
        return float(sum(int(table.state["value"][0].sum()) for table in tables) // 100 % 100)


WRONG = {
    KeepsState: "differs after other games",
    UsesGlobalRandomness: "two games of seed 0 differ",
    UsesNumpysRandomness: "two games of seed 0 differ",
    OutOfRange: "is refused in game 0, item 0: $1,000,000,000 is above the highest legal bid of $99",
    WrongType: "failed at bidder_0",
    Incomplete: "has no close_game",
    Fails: "has no attribute 'valeu'",
    CannotBeSent: "pickle",
    ReadsTheTable: "differs if what is hidden from the bidder is changed",
}


def test_a_good_bidder_passes():
    check_policy(Good, "sealed_bid")


@pytest.mark.parametrize("game", FAMILIES)
def test_the_bidders_of_aucenv_pass(game):
    scenario = find_family(game).game.load_scenario(find_family(game).game.default_scenario)
    for name in playable_bidders(game, scenario)[:3]:
        check_policy(name, game)


def test_a_rule_bidder_that_reads_a_parameter_that_it_does_not_declare_is_named(monkeypatch):
    bidders = [
        dataclasses.replace(each, parameters=()) if each.name == "shade" else each for each in sealed_bid.BIDDERS
    ]
    monkeypatch.setattr(sealed_bid, "BIDDERS", bidders)
    with pytest.raises(ContractError, match=r"depend on params\[0\] or later ones, but it declares 0 parameters"):
        check_policy("shade", "sealed_bid")


@pytest.mark.parametrize("policy", WRONG, ids=lambda policy: policy.__name__)
def test_what_is_wrong_is_named(policy):
    with pytest.raises(ContractError) as raised:
        check_policy(policy, "sealed_bid")
    assert WRONG[policy] in raised.value.what
    assert policy.__name__ in str(raised.value)
