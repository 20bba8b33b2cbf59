"""PettingZoo's and Gymnasium's own tests."""

from __future__ import annotations

import contextlib
import functools
import io
from collections.abc import Mapping
from typing import Any

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.utils.conversions import aec_to_parallel

from aucenv.registration import EnvFamily
from aucenv.testing.contract import Case, draws_pictures

INTERFACES = ("vector", "amount", "text")
CYCLES = 100


def check_pettingzoo(case: Case) -> None:
    """Run PettingZoo's tests of the interfaces, of pictures and of the conversion to a Parallel environment."""
    arguments = {"scenario": case.scenario}
    for interface in INTERFACES:
        check_interface(case.family, {**arguments, "interface": interface})
    with contextlib.redirect_stdout(io.StringIO()):  # the tests print that they pass
        if draws_pictures():
            render_test(functools.partial(case.family.env, **arguments))
        converted = aec_to_parallel(case.family.env(**arguments, idle_turns=True, illegal="clip"))
        parallel_api_test(converted, num_cycles=CYCLES)


def check_interface(family: EnvFamily, arguments: Mapping[str, Any], cycles: int = CYCLES) -> None:
    """Run PettingZoo's tests of the API, of seeds and of states for environments with these arguments.

    Args:
        cycles: the number of turns of each test.
    """
    env, parallel_env = functools.partial(family.env, **arguments), functools.partial(family.parallel_env, **arguments)
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(env(), num_cycles=cycles)
        api_test(family.raw_env(**arguments), num_cycles=cycles)
        parallel_api_test(parallel_env(), num_cycles=cycles)
        seed_test(env, num_cycles=cycles)
        parallel_seed_test(parallel_env, num_cycles=cycles)
        state_test(family.env(**{**arguments, "illegal": "clip"}), parallel_env())


def check_gymnasium(case: Case) -> None:
    """Run Gymnasium's test of the environment of one seat, among the game's first honest rule bidders."""
    from aucenv.testing.records import honest_bidders

    rivals = (honest_bidders(case) * case.num_seats)[: case.num_seats - 1]
    check_env(case.family.seat_env(scenario=case.scenario, rivals=rivals), skip_render_check=True)
