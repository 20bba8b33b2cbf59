"""Measure the decisions per second of bidders that play in processes of their own."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from aucenv.benchmarks.timings.timing import Timings, alternate

import aucenv
from aucenv.policy.guests import IN_PROCESS, Guests
from aucenv.runs.play import play

SCENARIO = "standard-20k-random"
CONSTANT = """
class Constant:
    interface = "amount"
    observes = False

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return -1

    def close_game(self, view):
        return None
"""


def time_guests(games: int, rounds: int) -> Timings:
    """Measure decisions per second of three bidders that always withdraw, isolated and in this process."""
    deals = itertools.count()
    scenario = aucenv.english_v0.game.load_scenario(SCENARIO)

    def rate(bidder: str, guests: Guests) -> float:
        started, decisions = time.perf_counter(), 0
        for deal in itertools.islice(deals, games):
            decisions += len(play("english", scenario, [bidder] * 3, (0, deal), guests=guests).decisions)
        return decisions / (time.perf_counter() - started)

    with TemporaryDirectory() as folder:
        file = Path(folder) / "constant.py"
        file.write_text(CONSTANT)
        name = f"py:{file}:Constant"
        subjects = {
            "isolated": lambda: rate(name, Guests(isolated=True)),
            "in process": lambda: rate(name, IN_PROCESS),
        }
        figures = alternate(subjects, rounds)
    title = "Guests: three bidders that always withdraw, standard items"
    return Timings(title, "decisions/s", figures, [("in process", "isolated")])
