"""The networks that are part of aucenv: their files and card, their play, and the leaderboard without torch."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
from aucenv.training.ppo.bidder import MODELS, bundled_checkpoints, has_network
from aucenv.training.ppo.evaluation import SeatGames, compare

from aucenv.policy.registry import make_policy
from aucenv.registration import FAMILIES, find_family

CASES = [
    ("english", {}, ("rule|value|pace|drain",) * 2, "rule"),
    ("harbor", {}, ("expact", "persona"), "rule"),
    ("sealed_bid", {"scenario": "first-ipv"}, ("ppo",) * 2, "shade"),
    ("sealed_bid", {"scenario": "all-pay-ipv"}, ("ppo",) * 2, "shade"),
    ("clock", {}, ("truthful",) * 2, "shade"),
    ("water_allocation", {}, ("thirst", "saver", "outbid", "salary"), "thirst"),
]
"""Game, scenario, rivals, and a bidder that earns less in the same seats."""
GAMES = tuple(dict.fromkeys(game for game, *_ in CASES))


def scenario_of(game, scenario=None):
    declared = find_family(game).game
    return declared.load_scenario(scenario or declared.default_scenario)


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_a_network_for_its_default_scenario(game):
    scenario = scenario_of(game)
    assert has_network(game, scenario)
    assert make_policy(game, "ppo").why_unplayable(scenario) is None


def test_files_are_small_and_the_card_has_their_digests_and_commands():
    card = (MODELS / "README.md").read_text()
    files = sorted(MODELS.glob("*.safetensors"))
    assert len(files) == sum(len(bundled_checkpoints(game)) for game in FAMILIES) >= len(GAMES)
    for path in files:
        assert path.stat().st_size < 1 << 20
        assert hashlib.sha256(path.read_bytes()).hexdigest() in card
        assert f"| `{path.stem}` |" in card
    assert card.count("aucenv train ppo --game") == len(files)


def test_a_network_refuses_other_mechanisms():
    policy = make_policy("sealed_bid", "ppo")
    assert policy.why_unplayable(scenario_of("sealed_bid", "first-ipv")) is None
    assert "trained for 'first-ipv'" in policy.why_unplayable(scenario_of("sealed_bid", "second-ipv"))


QUICK = ("sealed_bid",)


@pytest.mark.parametrize(
    ("game", "arguments", "rivals", "other"),
    [case if case[0] in QUICK else pytest.param(*case, marks=pytest.mark.slow) for case in CASES],
)
def test_networks_earn_more_than_a_rule_bidder_in_the_same_seats(game, arguments, rivals, other):
    games = SeatGames(game, scenario_of(game, **arguments), rivals, 400, 77)
    _, row = compare(games, "ppo", [other], 1)
    assert row["low"] > 0


def test_the_first_command_shows_the_network_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from aucenv.cli import main\n"
        "main(['leaderboard', '--games', '20', '--set', 'num_items=10', '--csv', '-'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1000:]
    assert any(",ppo," in f",{line}" for line in done.stdout.splitlines())
