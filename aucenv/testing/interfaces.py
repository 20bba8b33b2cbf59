"""PettingZoo's and Gymnasium's own tests."""

from __future__ import annotations

import contextlib
import functools
import io

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from aucenv.testing.contract import Case

INTERFACES = ("vector", "amount", "text")
CYCLES = 100


def check_pettingzoo(case: Case) -> None:
    """Run PettingZoo's tests of the interfaces."""
    with contextlib.redirect_stdout(io.StringIO()):  # they print that they passed
        for interface in INTERFACES:
            arguments = {"scenario": case.scenario, "interface": interface}
            api_test(case.family(**arguments), num_cycles=CYCLES)
            parallel_api_test(case.family.parallel_env(**arguments), num_cycles=CYCLES)
        seed_test(functools.partial(case.family.env, scenario=case.scenario), num_cycles=CYCLES)
        parallel_seed_test(functools.partial(case.family.parallel_env, scenario=case.scenario), num_cycles=CYCLES)


def check_gymnasium(case: Case) -> None:
    """Run Gymnasium's test of the environment of one seat, among the game's first honest rule bidders."""
    from aucenv.testing.records import honest_bidders

    rivals = (honest_bidders(case) * case.num_seats)[: case.num_seats - 1]
    check_env(case.family.seat_env(scenario=case.scenario, rivals=rivals), skip_render_check=True)
