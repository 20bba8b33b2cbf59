"""Results folders for tests of reports: games of all kinds, with rule bidders and the script in place of a model."""

from __future__ import annotations

from games import CASES

from aucenv.registration import find_family
from aucenv.runs.play import play
from aucenv.runs.results import ResultsFolder

BIDDERS = {
    **{name: (f"p=llm:scripted,agent={case.agent}", *case.rivals) for name, case in CASES.items()},
    "english": ("a=llm:scripted,agent=bdi", "rule", "b=llm:scripted,agent=bdi,over_budget=0.1,wrong_belief=0.3"),
}
GAMES = 2


def play_into(folder, game, bidders=None):
    """Play games of a game's default scenario into a results folder, and return it."""
    family = find_family(game)
    scenario = family.game.load_scenario(family.game.default_scenario)
    bidders = bidders or BIDDERS[game]
    results = ResultsFolder(folder, {"game": game, "games": GAMES, "bidders": list(bidders)})
    for index in range(GAMES):
        results.append(play(family, scenario, bidders, (0, index), index=index, journal=results.journal))
    results.finish([], "")
    return folder
