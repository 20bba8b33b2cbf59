"""Checks of a game's declaration and its scenarios."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
from gymnasium.utils.env_checker import data_equivalence

from aucenv.testing.contract import Case, ContractError

TURNS, MORE_TURNS = 25, 60
"""Number of turns before an environment is copied, and after it."""


def check_pickles(case: Case) -> None:
    """Check that the game, its environments and a running game can be pickled and copied."""
    if pickle.loads(pickle.dumps(case.game)) is not case.game:  # noqa: S301  # made here
        raise ContractError(
            case.subject, "an unpickled Game is another one", "a Game pickles by the module that declares it"
        )
    env = case.family.raw_env(scenario=case.scenario)
    env.reset(seed=case.seed)
    play_turns(env, TURNS, case.seed)
    state = env.state()
    clones = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]  # noqa: S301  # made here
    played = [play_turns(clone, MORE_TURNS, case.seed + 1) for clone in clones]
    if not np.array_equal(env.state(), state):
        raise ContractError(case.subject, "a copy of an environment changes the original", "a copy shares nothing")
    if not data_equivalence(played, [play_turns(env, MORE_TURNS, case.seed + 1)] * len(clones)):
        raise ContractError(case.subject, "a copy of an environment plays another game", "a copy has the same state")
    for wrapped in (case.family(scenario=case.scenario), case.family.parallel_env(scenario=case.scenario)):
        wrapped.reset(seed=case.seed)
        if not np.array_equal(pickle.loads(pickle.dumps(wrapped)).state(), wrapped.state()):  # noqa: S301  # made here
            raise ContractError(case.subject, "a pickled environment has another state", "pickles keep the state")


def play_turns(env: Any, turns: int, seed: int) -> list[Any]:
    """Play random legal actions for a number of turns, and return what `env.last()` returned."""
    rng, received = np.random.default_rng(seed), []
    for _ in env.agent_iter(turns):
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        received.append((observation, reward, terminated, truncated, info))
    return received


def check_scenarios(case: Case) -> None:
    """Check all named scenarios."""
    for name in case.game.scenarios:
        scenario = case.game.load_scenario(name)
        where = f"scenario {name!r}"
        if scenario.name != name:
            raise ContractError(case.subject, f"{where} has the name {scenario.name!r}", "a scenario has its own name")
        data = json.loads(json.dumps(scenario.to_dict()))
        if case.game.load_scenario(data) != scenario:
            raise ContractError(case.subject, f"{where} differs after to_dict and load_scenario", "both are the same")
        template = scenario.template()
        if template.shape != (1,) or template.dtype.names != tuple(case.game.rules.State.FIELDS):
            raise ContractError(
                case.subject, f"{where}: template() has other fields", "a template has the dtype of State"
            )
        if int(template["num_seats"][0]) != len(scenario.bidders):
            raise ContractError(
                case.subject, f"{where}: num_seats is {template['num_seats'][0]}", "it is the number of bidders"
            )
    if case.scenario.changed(num_items=1).num_items != 1:
        raise ContractError(case.subject, "changed(num_items=1) has more items", "every game supports num_items")
