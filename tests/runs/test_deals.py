"""Digests of deals."""

from __future__ import annotations

import pytest

from aucenv.registration import find_family
from aucenv.runs.deals import deal_digest


def scenario_of(game, name, **changes):
    return {**find_family(game).game.load_scenario(name).to_dict(), **changes}


def test_deals_that_draw_the_same_values_share_a_digest():
    scenario = scenario_of("english", "standard-20k-random")
    digest = deal_digest("english", scenario, [5, 1])
    renamed = {**scenario, "bidders": [{**bidder, "name": f"N{i}"} for i, bidder in enumerate(scenario["bidders"])]}
    assert deal_digest("english", {**renamed, "name": "another"}, (5, 1)) == digest
    assert deal_digest("english", scenario, [5, 1, 0]) == digest  # numpy draws the same from both
    assert len(digest) == 64
    int(digest, 16)


@pytest.mark.parametrize(
    "changes", [{"seed": [1, 5]}, {"seed": [5]}, {"scenario": "standard-40k-random"}, {"game": "sealed_bid"}]
)
def test_other_deals_have_other_digests(changes):
    digest = deal_digest("english", scenario_of("english", "standard-20k-random"), [5, 1])
    game = changes.get("game", "english")
    default = find_family(game).game.default_scenario if game != "english" else "standard-20k-random"
    scenario = scenario_of(game, changes.get("scenario", default))
    assert deal_digest(game, scenario, changes.get("seed", [5, 1])) != digest
