"""Hidden values have no effect on anything that a seat receives."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest
from games import CASES, every_shape
from gymnasium.utils.env_checker import data_equivalence
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import WORDED, of_few_shapes, scenarios

import aucenv
from aucenv.core.bidder_name import parse_bidder
from aucenv.policy.registry import rule_bidders, scripted_bidders

FORMS = ({}, {"observation": "flat", "infos": "full"}, {"infos": "none"}, {"rivals": {"bidder_1": "random"}})
every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def change_hidden(case, env, seat: int, rng: np.random.Generator) -> None:
    """Change everything that is hidden from `seat`."""
    case.hide(env.table.state[0], seat, rng)
    env.table.restore(env.table.snapshot())  # writes the observations again


def visible_to(case, env, seat: int) -> list:
    """Return everything that a seat receives: observation, info, view, text, and the bids of honest rule bidders."""
    agent, game = f"bidder_{seat}", case.family.game
    view = env.view(agent)
    info_values = np.empty(game.report.num_info_values(env.table.num_seats), np.int64)
    game.report.write_info_values(env.table.state, 0, info_values)
    info = game.report.full_info(info_values.tolist(), seat, env.table.scenario_text)
    received = [env.observe(agent), env.infos[agent], info, view.row.tobytes(), env.text(agent)]
    public = [name for name in dir(type(view)) if isinstance(getattr(type(view), name), property)]
    for name in public:
        value = getattr(view, name)
        received.append([dataclasses.astuple(x) for x in value] if name in ("items", "history") else repr(value))
    if env.table.state["acting"][0, seat]:
        for bidder in scripted_bidders(case.name).values():
            if not bidder.cheats and bidder.why_unplayable(env.scenario) is None:
                numbers = bidder.read_parameters(parse_bidder(bidder.name))
                received.append(bidder.decide(bidder.kind, numbers, env.table.state, 0, seat))
                assert received[-1] == bidder.decide(bidder.kind, numbers, view.row, 0, seat)
    return received


def advance(env, rng: np.random.Generator, steps: int) -> None:
    """Play random legal actions until the game is over or `steps` turns are played."""
    for _ in range(steps):
        if any(env.terminations.values()):
            return
        env.step(int(rng.choice(np.flatnonzero(env.action_mask(env.agent_selection)))))


@pytest.mark.filterwarnings("ignore:.*View.* is deprecated")
@every_shape
@every_case
@given(st.data(), st.integers(0, 10**6), st.integers(0, 60))
@settings(max_examples=30)
def test_hidden_fields_do_not_affect_what_a_seat_receives(case, shapes, data, seed, steps):
    rng = np.random.default_rng(seed)
    env = case.family.raw_env(scenario=data.draw(case.scenarios_of(shapes)), **data.draw(st.sampled_from(FORMS)))
    env.reset(seed=seed)
    advance(env, rng, steps)
    for seat in (int(agent.removeprefix("bidder_")) for agent in env.possible_agents):
        other = copy.deepcopy(env)
        change_hidden(case, other, seat, rng)
        assert data_equivalence(visible_to(case, env, seat), visible_to(case, other, seat))


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
        change_hidden(CASES["english"], other, 0, rng)
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
    advance(env, rng, 30)
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


@every_case
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
    write_reply = case.family.game.text.reply_writer(env.scenario)
    actions = {"vector": 1, "amount": legal, "text": write_reply(round(legal * 100))}
    for agent in ("bidder_0", "bidder_1"):
        env.step(actions[interface[agent] if isinstance(interface, dict) else interface])
        assert data_equivalence(before, everything_shown())
    env.step(actions[interface["bidder_2"] if isinstance(interface, dict) else interface])
    assert not data_equivalence(before, everything_shown())


def test_only_the_refused_seat_sees_a_refusal():
    env = aucenv.english_v0.raw_env(interface="amount")
    env.reset(seed=1)
    views = [env.view(agent).refused for agent in env.agents]
    env.step(1.0)
    assert views == [None] * 3
    assert [bool(env.view(agent).refused) for agent in env.agents] == [True, False, False]
    assert [bool(env.infos[agent]["refused"]) for agent in env.agents] == [True, False, False]


def test_a_view_cannot_change_the_table():
    env = aucenv.english_v0.raw_env()
    env.reset(seed=3)
    for _ in range(3):
        env.step(1)
    view = env.view("bidder_0")
    assert isinstance(view._history, tuple)
    view.history.clear()
    assert len(env.view("bidder_1").history) == 3


def test_only_the_oracle_cheats():
    cheats = {case: [name for name, bidder in rule_bidders(case).items() if bidder.cheats] for case in CASES}
    assert {case: names for case, names in cheats.items() if names} == {
        "english": ["oracle"],
        "harbor": ["expact_true"],
    }


def test_only_policies_marked_as_cheats_see_true_values():
    true_values = []

    class Peeking:
        interface = "amount"

        def reset(self, seat, seed):
            pass

        def act(self, view, observation):
            true_values.append(view.items[-1].true_value)
            return -1

        def close_game(self, view):
            pass

    class Marked(Peeking):
        cheats = True

    aucenv.play("english", "standard-20k-random", [Peeking(), Peeking(), Peeking()])
    assert set(true_values) == {None}
    true_values.clear()
    aucenv.play("english", "standard-20k-random", [Marked(), Marked(), Marked()])
    assert None not in true_values
