"""Rule bidders of all games are created by name, documented, seeded, picklable and legal, compiled or not."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys

import pytest
from games import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

import aucenv
from aucenv.policy.registry import make_policy, playable_bidders, scripted_bidders
from aucenv.registration import find_family

PLAYED = {
    "english": ("standard-10k-random", "standard-40k-descending", "niche-20k"),
    "harbor": ("evaluation-single", "train-mixed", "fresh-2-none"),
    "sealed_bid": ("second-ipv",),
    "clock": ("ascending-ipv",),
    "ebay": ("hard", "soft"),
    "water_allocation": ("low",),
}
BIDDERS = [(game, name) for game in CASES for name in scripted_bidders(game)]


@pytest.mark.parametrize(("game", "name"), BIDDERS)
def test_bidders_are_documented_seeded_picklable_and_legal(game, name):
    assert len(scripted_bidders(game)[name].about) > 30
    policy = make_policy(game, name)
    assert policy.interface == "amount"
    assert pickle.loads(pickle.dumps(policy)).params.tolist() == policy.params.tolist()
    for scenario in PLAYED.get(game, (find_family(game).game.default_scenario,)):
        bidders = [name] * len(find_family(game).game.load_scenario(scenario).bidders)
        records = [aucenv.play(game, scenario, bidders, seed) for seed in (1, 1, 2)]
        assert records[0].to_json() == records[1].to_json() != records[2].to_json()
        for record in records:
            assert not any(decision["attempts"] for decision in record.decisions)
            assert not any(seat.get("void_bids") for seat in record.outcome["seats"])


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
@settings(max_examples=20)
@given(data=st.data())
def test_bidders_are_never_refused_and_deterministic_in_any_scenario(case, data):
    scenario = data.draw(case.quick_scenarios)
    playable = playable_bidders(case.name, scenario)
    bidders = [data.draw(st.sampled_from(playable)) for _ in scenario.bidders]
    first, again = (aucenv.play(case.name, scenario, bidders, 5) for _ in range(2))
    assert first.to_json() == again.to_json()
    assert not any(decision["attempts"] for decision in first.decisions)


GAMES = (
    ("harbor", "fresh-1-mixed", ["expact", "persona", "expact_true"], ["second_order", "expact_blind", "pace"]),
    ("sealed_bid", "first-ipv", ["equilibrium", "regret", "random"], ["naive", "shade", "truthful"]),
    ("clock", "ascending-apv", ["equilibrium", "shade", "random"], ["naive", "truthful", "shade"]),
    ("ebay", "soft", ["truthful", "sniper", "incremental"], ["naive", "shade", "random"]),
    (
        "water_allocation",
        "low",
        ["planner", "thirst", "salary", "share", "random"],
        ["saver", "outbid", "planner", "share", "salary"],
    ),
)
"""Game, scenario and lineups; `test_english_properties.py` has those of English auctions."""
SHORTER = {"harbor": {"num_items": 6}, "water_allocation": {"days": 5, "start_health": 3}}


@functools.cache
def played() -> str:
    """Return the records of the games."""
    lines = []
    for game, name, *lineups in GAMES:
        scenario = find_family(game).game.load_scenario(name).changed(**SHORTER.get(game, {}))
        lines += [aucenv.play(game, scenario, bidders, seed).to_json() for seed, bidders in enumerate(lineups)]
    return "\n".join(lines)


@pytest.mark.parametrize(("hide", "off"), [("", "1"), ("sys.modules['numba'] = None", "0")], ids=["off", "without"])
def test_compiled_or_not_bidders_bid_the_same(hide, off):
    code = f"import sys, warnings\n{hide}\nwarnings.simplefilter('ignore')\nimport {__name__} as test\nprint(test.played())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.rstrip("\n") == played()
