"""Hidden values have no effect on anything that a seat receives."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from games import CASES, all_move, every_case, every_shape
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import WORDED, Player, of_few_shapes, scenarios

import aucenv
from aucenv.policy.registry import rule_bidders
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.leaks import change_hidden, compare_received, play_turns, received

FORMS = ({}, {"observation": "flat", "infos": "full"}, {"infos": "none"}, {"rivals": {"bidder_1": "random"}})


@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 60))
@settings(max_examples=30)
def test_hidden_fields_do_not_affect_what_a_seat_receives(case, shapes, data, seed, steps):
    rng = np.random.default_rng(seed)
    env = case.family.raw_env(scenario=data.draw(case.scenarios_of(shapes)), **data.draw(st.sampled_from(FORMS)))
    env.reset(seed=seed)
    play_turns(env, rng, steps)
    for seat in (int(agent.removeprefix("bidder_")) for agent in env.possible_agents):
        compare_received(Case(case.family, env.scenario, case.hide, seed), env, seat, rng)


@given(of_few_shapes(scenarios(max_bidders=5, max_items=5)), st.integers(0, 10**6), st.integers(0, 30))
@settings(max_examples=30)
def test_rewards_reveal_nothing_before_the_item_is_sold(scenario, seed, steps):
    rng = np.random.default_rng(seed)
    env = aucenv.english_v0.parallel_env(scenario=scenario)
    observations, _ = env.reset(seed=seed)
    for _ in range(steps):
        if not env.agents:
            return
        actions = {a: int(rng.choice(np.flatnonzero(o["action_mask"]))) for a, o in observations.items()}
        other = copy.deepcopy(env)
        change_hidden(Case(aucenv.english_v0, scenario, CASES["english"].hide, seed), other, 0, rng)
        other.table.state["key"] = env.table.state["key"]  # the same tie-breaks
        other.table.state["forced_tie"] = -1
        item = env.table.item
        observations, rewards, *_ = env.step(actions)
        _, rewards_other, *_ = other.step(actions)
        if env.table.item == item:
            assert rewards == rewards_other == dict.fromkeys(rewards, 0.0)


def test_a_view_gives_no_access_to_hidden_values():
    env = aucenv.english_v0.raw_env()
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    play_turns(env, rng, 30)
    view = env.view("bidder_1")
    row = view.row[0]
    assert not row["key"]
    assert not row["bias"].any()
    assert not row["noise"].any()
    assert not row["estimate"][[0, 2]].any()
    assert not row["seat_key"][[0, 2]].any()
    assert not row["value"][row["winner"] < 0].any()
    assert all(item.true_value is None for item in view.items if not item.sold)
    assert not {"scenario", "table"} & set(dir(view))
    row["budget"][:] = 0  # changes only the copy
    assert env.view("bidder_1").budget > 0


@all_move
@pytest.mark.parametrize("interface", ["vector", WORDED, "text"], ids=["vector", "all three", "text"])
def test_nothing_changes_before_the_round_closes(case, interface):
    env = case.family.raw_env(**case.three, interface=interface)
    env.reset(seed=1)

    def everything_shown():
        agents = env.possible_agents
        views = [env.view(agent) for agent in agents]
        return [
            [env.observe(agent) for agent in agents],
            copy.deepcopy(env.infos),
            dict(env.rewards),
            [view.row.tobytes() for view in views],
            [repr(view) for view in views],
            [env.text(agent) for agent in agents],
        ]

    before = everything_shown()
    legal = case.legal(env)
    write_reply = case.family.game.words.reply_writer(env.scenario)
    actions = {"vector": 1, "amount": legal, "text": write_reply(round(legal * 100))}
    for agent in ("bidder_0", "bidder_1"):
        env.step(actions[interface[agent] if isinstance(interface, dict) else interface])
        assert data_equivalence(before, everything_shown())
    env.step(actions[interface["bidder_2"] if isinstance(interface, dict) else interface])
    assert not data_equivalence(before, everything_shown())


def test_a_view_cannot_change_the_table():
    env = aucenv.english_v0.raw_env()
    env.reset(seed=3)
    for _ in range(3):
        env.step(1)
    view = env.view("bidder_0")
    assert isinstance(view._history, tuple)
    view.history.clear()
    assert len(env.view("bidder_1").history) == 3


PRIVATE = {
    "english": "view.estimate",
    "harbor": "view.about_me",
    "sealed_bid": "view.value",
    "clock": "view.limit",
    "ebay": "view.maximum",
}
"""A public name of the View of seat 1 that changes with what is hidden from seat 0."""


@pytest.mark.parametrize("name", PRIVATE)
def test_the_leak_check_compares_public_names_of_all_kinds(name):
    case = Case(CASES[name].family, CASES[name].short, CASES[name].hide, 5)
    env = case.family.raw_env(scenario=case.scenario)
    env.reset(seed=4)
    other = copy.deepcopy(env)
    change_hidden(case, other, 0, np.random.default_rng(1))
    before, after = (received(case, each, 1) for each in (env, other))
    assert not data_equivalence(before[PRIVATE[name]], after[PRIVATE[name]])
    with pytest.raises(ContractError, match=r"view\.|observation|info|text"):
        compare_received(
            Case(case.family, case.scenario, lambda row, seat, rng: case.hide(row, 1 - seat, rng), 5),
            env,
            1,
            np.random.default_rng(1),
        )


def test_only_the_oracle_cheats():
    cheats = {case: [name for name, bidder in rule_bidders(case).items() if bidder.cheats] for case in CASES}
    assert {case: names for case, names in cheats.items() if names} == {
        "english": ["oracle"],
        "harbor": ["expact_true"],
    }


def test_only_policies_marked_as_cheats_see_true_values():
    true_values = []

    class Peeking(Player):
        def act(self, view, observation):
            true_values.append(view.items[-1].true_value)
            return -1

    class Marked(Peeking):
        cheats = True

    aucenv.play("english", "standard-20k-random", [Peeking(), Peeking(), Peeking()])
    assert set(true_values) == {None}
    true_values.clear()
    aucenv.play("english", "standard-20k-random", [Marked(), Marked(), Marked()])
    assert None not in true_values
