"""Old public names work, with a warning that names the new one."""

from __future__ import annotations

import pytest

import aucenv
from aucenv.core.policy import why_unplayable


@pytest.fixture
def table():
    env = aucenv.english_v0(num_items=1)
    env.reset(seed=0)
    return env.unwrapped.table


@pytest.mark.parametrize(("old", "new"), [("tell", "text"), ("facts", "full_info"), ("owes", "is_pending")])
def test_old_methods_of_a_table_warn_and_work(table, old, new):
    with pytest.warns(DeprecationWarning, match=f"Table.{old} is deprecated: use {new}"):
        assert getattr(table, old)(1) == getattr(table, new)(1)


@pytest.mark.parametrize(
    ("owner", "old", "new"),
    [
        (lambda table: table, "owing", "pending"),
        (lambda table: table, "catalogue", "scenario_text"),
        (lambda table: table.view(0), "catalogue", "scenario_text"),
        (lambda table: table.game, "rows", "kernels"),
        (lambda table: aucenv.english_v0.batch_env(1), "chance", "rng_states"),
        (lambda table: _water_view(), "own", "resident"),
    ],
)
def test_old_attributes_warn_and_work(table, owner, old, new):
    owner = owner(table)
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated: use {new}"):
        assert getattr(owner, old) is getattr(owner, new) or getattr(owner, old) == getattr(owner, new)


def test_a_policy_with_the_old_method_is_refused_with_its_reason():
    class Old:
        interface = "amount"

        def reset(self, seat, seed): ...

        def act(self, view, observation):
            return -1

        def close_game(self, view): ...

        def unfit(self, scenario):
            return "it plays two items" if scenario.num_items != 2 else None

    with pytest.warns(DeprecationWarning, match=r"Old\.unfit is deprecated: use why_unplayable"):
        assert why_unplayable(Old(), _scenario(1)) == "it plays two items"
    with (
        pytest.warns(DeprecationWarning, match="why_unplayable"),
        pytest.raises(ValueError, match=r"bidder 'Old', scenario '.*': it plays two items"),
    ):
        aucenv.play("english", _scenario(1), [Old(), "rule", "value"], seed=0)


def _scenario(num_items):
    return aucenv.english_v0(num_items=num_items).unwrapped.scenario


def _water_view():
    env = aucenv.water_allocation_v0()
    env.reset(seed=0)
    return env.unwrapped.view("bidder_0")
