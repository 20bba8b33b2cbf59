"""Invalid input to environments: every error states the value and what was expected."""

from __future__ import annotations

import re

import numpy as np
import pytest
from games import CASES, every_case

import aucenv

english = aucenv.english_v0


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"scenario": "standrad-20k-random"}, r"expected one of .*standrad.* \(did you mean 'standard-20k-random'"),
        ({"scenario": 7}, "scenario: expected a name, a path or a Scenario, got 7"),
        ({"num_bidders": 1}, "num_bidders: expected a whole number from 2 to 16, got 1"),
        ({"num_bidders": 17}, "from 2 to 16, got 17"),
        ({"num_bidders": 2.5}, "whole number from 2 to 16, got 2.5"),
        ({"num_items": 0}, "num_items: expected a whole number of at least 1, got 0"),
        ({"num_items": 11}, "from 1 to 10, got 11"),
        ({"budget": 0}, "budget: expected dollars between 0.01 .*, got 0"),
        ({"budget": -5}, "got -5"),
        ({"budget": float("nan")}, "got nan"),
        ({"budget": float("inf")}, "got inf"),
        ({"budget": "20k"}, "got '20k'"),
        ({"item_order": "up"}, "item_order: expected one of random, ascending, descending, given, got 'up'"),
        ({"interface": "words"}, "interface: expected one of vector, amount, text, got 'words'"),
        ({"interface": {"bidder_0": "vector"}}, "interface: expected one for each of bidder_0, bidder_1, bidder_2"),
        ({"illegal": "ignore"}, "illegal: expected one of refuse, clip, raise, got 'ignore'"),
        ({"max_retries": -1}, "max_retries: expected a whole number of at least 0, got -1"),
        ({"max_cycles": 0}, "max_cycles: expected a whole number from 1 to 2147483648, got 0"),
        ({"ladder": 0}, "ladder: expected a whole number from 1 to 1000, got 0"),
        ({"render_mode": "gif"}, "render_mode: expected one of ansi, human, rgb_array, got 'gif'"),
    ],
)
@pytest.mark.parametrize("make", [english.env, english.raw_env, english.parallel_env], ids=["env", "raw", "parallel"])
def test_invalid_arguments_are_refused(make, kwargs, message):
    with pytest.raises(ValueError, match=message):
        make(**kwargs)


def test_the_error_for_an_unknown_argument_names_it():
    with pytest.raises(TypeError, match="num_bider"):
        english(num_bider=3)


def test_the_error_for_an_unknown_environment_names_it():
    with pytest.raises(AttributeError, match="englsh_v0"):
        _ = aucenv.englsh_v0
    with pytest.raises(
        ValueError,
        match=rf"game: expected one of {', '.join(CASES)}, got 'englsh' \(did you mean 'english'",
    ):
        aucenv.play("englsh", "standard-20k-random", ["rule"] * 3)


@pytest.mark.parametrize("make", [english.env, english.raw_env])
def test_aec_environments_refuse_steps_before_reset_and_after_the_end(make):
    env = make(num_items=1)
    with pytest.raises((AssertionError, RuntimeError, AttributeError), match="reset"):
        env.step(0)
    with pytest.raises(
        RuntimeError, match=r"last\(\) was called before reset\(\) or after the end of the game: call re"
    ):
        env.last()
    env.reset(seed=0)
    for _ in env.agent_iter():
        env.last()
        env.step(None if any(env.terminations.values()) else 0)
    for call in (env.last, lambda: env.last(observe=False), lambda: env.step(0)):
        with pytest.raises(RuntimeError, match=r"was called before reset\(\) or after the end of the game: call reset"):
            call()
    env.reset()
    env.last()


def test_parallel_environments_refuse_steps_before_reset_and_after_the_end():
    env = english.parallel_env(num_items=1)
    with pytest.raises(RuntimeError, match="before reset"):
        env.step({})
    env.reset(seed=0)
    env.step(dict.fromkeys(env.agents, 0))
    with pytest.raises(RuntimeError, match="after the end"):
        env.step({})


BAD = [
    *(11, -1, 1.0, "1", True, [1], (1,)),
    *(np.float64(1), np.bool_(True), np.str_("1"), np.array(1.0), np.array([True]), np.array(["1"])),
    *(
        np.array([11]),
        np.array([[-1]]),
        np.array([1, 1]),
        np.array([]),
        np.zeros((0, 1), int),
        np.array([1], object) * 11,
    ),
]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_an_invalid_vector_action_is_refused_and_changes_nothing(bad):
    env = english.raw_env()
    env.reset(seed=0)
    before = env.state()
    with pytest.raises(ValueError, match="bidder_0: expected a whole number from 0 to 10 as action, got "):
        env.step(bad)
    assert env.agent_selection == "bidder_0"
    assert np.array_equal(env.state(), before)
    env.step(1)
    assert env.agent_selection == "bidder_1"


@pytest.mark.parametrize("bad", [11, np.array([11]), np.array([1.0]), [1]], ids=repr)
def test_wrapped_environments_name_an_invalid_vector_action(bad):
    env = english()
    env.reset(seed=0)
    message = f"bidder_0: expected an action in Discrete(11), got {bad!r}"
    with pytest.raises(AssertionError, match=re.escape(message)):
        env.step(bad)


def one_elements(value, dtype):
    """Return a value as NumPy scalar and as arrays of one element."""
    return [np.array(value, dtype)[()], *(np.array(value, dtype).reshape(shape) for shape in ((), (1,), (1, 1)))]


@every_case
@pytest.mark.parametrize("interface", ["vector", "amount", "share", "text"])
def test_numpy_scalars_and_arrays_of_one_element_are_actions(case, interface):
    """All forms play the same game as with Python's numbers and strings, and record the same."""
    scale = "share" if interface == "share" else "dollars"
    options = {"interface": "amount" if interface == "share" else interface, "amount_scale": scale, **case.strict}
    env = case.family.env(**options)
    env.reset(seed=0)
    value = {"vector": 0, "amount": case.legal(env), "share": 0.5, "text": case.reply}[interface]
    given = {"vector": [np.int8, np.uint8, np.int64], "text": [str]}.get(interface, [np.float32, np.float64, object])

    def decided(form, action):
        env = getattr(case.family, form)(**options)
        env.reset(seed=0)
        if form == "parallel_env":
            env.step(dict.fromkeys(env.agents, action))
        else:
            while not env.unwrapped.table.rounds:
                env.step(action)
        return [(each.seat, each.amount, each.action) for each in env.unwrapped.table.decisions]

    for form in ("env", "raw_env", "parallel_env"):
        expected = decided(form, value)
        for action in [each for dtype in given for each in one_elements(value, dtype)]:
            assert decided(form, action) == expected, (form, repr(action))


@pytest.mark.parametrize(
    "bad", [5, np.array(5), np.array(["I pass!", "I pass!"]), np.array([]), ["I pass!"], b"I pass!"]
)
def test_an_action_that_is_not_one_reply_is_refused(bad):
    env = english(interface="text")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="bidder_0: expected a reply in words as action, got "):
        env.step(bad)


@pytest.mark.parametrize(
    "bad", ["1000", True, np.array([1000.0, 2.0]), [1000.0], 1j, np.array([True]), np.array(["1"])]
)
def test_an_action_that_is_not_one_number_is_refused(bad):
    env = english(interface="amount")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="bidder_0: expected one number of dollars as action, got "):
        env.step(bad)


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), 1e30, 0.0])
def test_an_impossible_amount_is_an_illegal_bid_and_not_an_error(amount):
    env = english(interface="amount")
    env.reset(seed=0)
    env.step(np.array([amount]))
    assert env.agent_selection == "bidder_0"
    assert env.infos["bidder_0"]["refused"]


def test_parallel_steps_name_missing_and_unknown_agents_and_accept_all_actions_or_none():
    env = english.parallel_env()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"unknown: \['bidder_7'\], missing: \['bidder_2'\]"):
        env.step({"bidder_0": 1, "bidder_1": 1, "bidder_7": 1})
    with pytest.raises(ValueError, match="bidder_1: expected a whole number"):
        env.step({"bidder_0": 1, "bidder_1": 99, "bidder_2": 1})
    assert env.table.pending == [0, 1, 2]
    assert env.table.decisions == []


@every_case
def test_parallel_steps_ignore_actions_of_agents_that_are_not_asked(case):
    """The game of all agents' actions is the one of the asked agents' actions alone, which may be anything."""
    games, dead = [], set()
    options = {**case.three, **({"on_death": "terminate"} if case.family.game.seats_die else {})}
    for others in ({}, {"legal": 0}, {"outside": 10**6}, {"object": object()}, {"nothing": None}):
        env = case.family.parallel_env(**options)
        env.reset(seed=3)
        rng = np.random.default_rng(0)
        while env.agents and env.table.rounds < 40:
            dead |= set(env.possible_agents) - set(env.agents)
            asked = [agent for agent in env.agents if env.table.is_pending(env.possible_agents.index(agent))]
            actions = {agent: int(rng.choice(np.flatnonzero(env.action_mask(agent)))) for agent in asked}
            idle = [agent for agent in env.possible_agents if agent not in asked]
            env.step(actions | {agent: action for agent in idle for action in others.values()})
        games.append([(each.seat, each.amount) for each in env.table.decisions])
    assert all(game == games[0] for game in games)
    assert bool(dead) == case.family.game.seats_die


@pytest.mark.parametrize("name", ["bidder_9", "Alex", "", 0, None, "bidder_1"])
def test_parallel_steps_refuse_names_that_were_never_agents(name):
    env = english.parallel_env(rivals={"bidder_1": "rule"})
    env.reset(seed=0)
    with pytest.raises(ValueError, match=rf"unknown: \[{name!r}\], missing: \[\]"):
        env.step({**dict.fromkeys(env.agents, 0), name: 0})
    assert env.table.decisions == []


@pytest.mark.parametrize("make", [english.raw_env, english.parallel_env])
@pytest.mark.parametrize("call", ["observe", "view", "text", "state", "render"])
def test_nothing_can_be_observed_before_reset(make, call):
    env = make(render_mode="ansi")
    with pytest.raises(RuntimeError, match="no game has been dealt yet: call reset"):
        getattr(env, call)(*(["bidder_0"] if call in ("observe", "view", "text") else []))


def test_an_invalid_action_keeps_the_accumulated_reward():
    env = english.raw_env(num_items=2, interface="amount")
    env.reset(seed=0)
    for action in (env.infos["bidder_0"]["least_bid"], -1, -1):
        env.step(action)
    reward = env.last()[1]
    assert reward > 0
    with pytest.raises(ValueError, match="got 'x'"):
        env.step("x")
    assert env.last()[1] == reward
    assert env.rewards["bidder_0"] == reward


def test_numpy_numbers_and_large_integers_are_accepted():
    env = english.raw_env(budget=np.float32(20_000), num_items=np.int64(3), interface="amount", infos="full")
    assert env.scenario.bidders[0].budget == 20_000
    assert type(env.scenario.bidders[0].budget) is float
    env.reset(seed=np.int64(3))
    env.step(10**400)
    assert "above the remaining budget" in env.infos["bidder_0"]["refused"]


def test_a_table_refuses_a_second_action_in_a_round():
    env = english.parallel_env()
    env.reset(seed=0)
    env.table.submit(1, 1)
    with pytest.raises(RuntimeError, match=r"bidder_1 has nothing to decide now; pending: \[0, 2\]"):
        env.table.submit(1, 1)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_an_invalid_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed: expected a whole number of at least 0"):
        english().reset(seed=seed)


@pytest.mark.parametrize("interface", ["vector", "amount", "text"])
def test_none_is_not_an_action_of_a_living_agent(interface):
    env = english.raw_env(interface=interface, idle_turns=True)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="bidder_0: expected an action, got None"):
        env.step(None)
    assert env.agent_selection == "bidder_0"


def test_none_is_the_only_action_of_a_dead_agent():
    env = english.raw_env(num_items=1)
    env.reset(seed=0)
    while not any(env.terminations.values()):
        env.step(0)
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)


def test_rendering_without_a_render_mode_warns(caplog):
    env = english()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
