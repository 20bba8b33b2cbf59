"""Bidders that speak of themselves by their names."""

from __future__ import annotations

import pytest

import aucenv
from aucenv.core.adapters.actions import in_first_person


@pytest.mark.parametrize(
    ("reply", "read_as"),
    [
        ("Alex bids $4,400!", "I bid $4,400!"),
        ("*Alex raises to $4,400.*", "*I raise to $4,400.*"),
        ("It is worth it.\n\n**Alex withdraws.**", "It is worth it.\n\n**I withdraw.**"),
        ("ALEX is out.", "I am out."),
        ("Alex passes.", "I pass."),
        ("Alex says: I bid $4!", "I bid $4!"),
    ],
)
def test_a_decision_in_the_third_person_is_the_bidders(reply, read_as):
    assert in_first_person(reply, "Alex", ["Blair"]) == read_as


@pytest.mark.parametrize(
    "reply",
    [
        "Alex bids $4 and Blair raises to $5.",
        "Alexa bids $4.",
        "So far, Alex bids $4.",
        "> Alex bids $4",
        "Alex, Blair",
    ],
)
def test_reports_stay_unchanged(reply):
    assert in_first_person(reply, "Alex", ["Blair"]) == reply


@pytest.mark.parametrize("version", ["english_v0", "harbor_v0", "sealed_bid_v0", "water_allocation_v0"])
def test_every_game_reads_decisions_beside_the_name_of_their_bidder(version):
    env = getattr(aucenv, version).parallel_env(interface="text", infos="full")
    env.reset(seed=1)
    own, other = env.agents[:2]
    name = env.unwrapped.table.scenario_text.names[0]
    *_, infos = env.step(dict.fromkeys(env.agents, f"{name} bids about $30."))
    assert "unclear" in infos[own]["refused"]
    assert "no decision" in infos[other]["refused"]
