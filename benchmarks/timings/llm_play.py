"""Measure language models' games per hour, against the rate that the endpoint's latency alone would allow."""

from __future__ import annotations

import heapq
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.agents.conversation import PlainAgent
from aucenv.baselines.llm.endpoints.client import ApiModel
from aucenv.baselines.llm.prompts import prompts
from aucenv.benchmarks.timings.timing import Timings

from aucenv.core.records.record import GameRecord
from aucenv.envs.english.game import GAME
from aucenv.runs.executors import play_many
from aucenv.runs.model_calls.calls import Completion, Model, Pause, Request
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import Match, play

ITEMS = 2
SEATS = 3


@contextmanager
def loopback(latency: float) -> Iterator[str]:
    """Start a server in a separate process, which replies after `latency` seconds, and yield its URL."""
    command = [sys.executable, "-m", "aucenv.benchmarks.timings.loopback", "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def time_models(games: int, in_flight: int, latency: float, alone: int) -> Timings:
    """Measure finished games per hour: three models, the first two standard items, every call in the journal.

    Args:
        games: the number of games that are played concurrently, `in_flight` at a time.
        latency: seconds that the server takes for each call.
        alone: the number of games that are also played one at a time.
    """
    with loopback(latency) as url, tempfile.TemporaryDirectory() as folder:
        _play_games(url, Path(folder) / "warm", range(10**6, 10**6 + 2), 2)
        many, seconds = _play_games(url, Path(folder) / "many", range(games), in_flight)
        single, alone_seconds = _play_games(url, Path(folder) / "alone", range(alone), 1)
    ideal = makespan([sequential_calls(record) * latency for record in many], in_flight)
    together, best, one = f"{in_flight} games in flight", "the ideal", "one game at a time"
    figures = {
        together: [3600 * len(many) / seconds],
        best: [3600 * len(many) / ideal],
        one: [3600 * len(single) / alone_seconds],
    }
    overhead = package_overhead(games=20)
    notes = [
        f"The ideal: every call takes {latency:g} s and nothing else takes time. Games have the calls that they had in "
        "the measurement, a round takes as long as its slowest seat, and fewer games are in flight at the end.",
        f"The package's work per decision, without the call: median {1000 * statistics.median(overhead):.2f} ms of "
        f"{len(overhead)} (one thread; a model against two rule bidders).",
    ]
    title = f"Models: {games} games of {SEATS} models, {ITEMS} items, {latency:g} s a call"
    return Timings(title, "games/h", figures, [(together, best), (together, one)], notes)


def _play_games(url: str, folder: Path, numbers: Iterable[int], in_flight: int) -> tuple[list[GameRecord], float]:
    scenario = GAME.load_scenario("standard-20k-random").changed(num_items=ITEMS)
    names = tuple(f"m{seat}=llm:openai:m,base_url={url}" for seat in range(SEATS))
    matches = [Match("english", scenario, names, (0, number), number) for number in numbers]
    folder.mkdir()
    journal = CallJournal(folder / "calls.jsonl")
    started = time.perf_counter()
    with (folder / "games.jsonl").open("w", encoding="utf-8") as file:
        records = []
        for record in play_many(matches, concurrency=in_flight, journal=journal):
            file.write(record.to_json() + "\n")
            records.append(record)
    seconds = time.perf_counter() - started
    journal.close()
    return sorted(records, key=lambda record: record.index), seconds


def sequential_calls(record: GameRecord) -> int:
    """Return the number of a game's calls that had to wait for each other.

    Seats answer in parallel, so each round counts the replies of the seat that gave the most replies.
    """
    rounds: dict[tuple[int, int], int] = {}
    for decision in record.decisions:
        key = (decision["item"], decision["round"])
        replies = len(decision["attempts"]) + (decision["action"] is not None)
        rounds[key] = max(rounds.get(key, 0), replies)
    return sum(rounds.values())


def makespan(seconds: Sequence[float], in_flight: int) -> float:
    """Return the total time of games of these lengths, started in order with at most `in_flight` at a time."""
    free = [0.0] * in_flight
    for length in seconds:
        heapq.heapreplace(free, free[0] + length)
    return max(free)


class Stopwatch:
    """A wrapper of a model that measures the start and end of each call."""

    def __init__(self, model: Model) -> None:
        self.name, self.endpoint = model.name, model.endpoint
        self._model = model
        self.calls: list[tuple[float, float]] = []

    def complete(self, request: Request, pause: Pause) -> Completion:
        """Return the model's reply."""
        started = time.perf_counter()
        completion = self._model.complete(request, pause)
        self.calls.append((started, time.perf_counter()))
        return completion


def package_overhead(games: int) -> list[float]:
    """Return the seconds from each reply to the next request, in whole games with the journal in a file."""
    with loopback(0.0) as url, tempfile.TemporaryDirectory() as folder:
        clock = Stopwatch(ApiModel("m", url))
        journal = CallJournal(Path(folder) / "calls.jsonl")
        for number in range(games + 1):
            if number == 1:
                clock.calls.clear()  # the first game also compiles and loads code
            plain = prompts("plain", PlainAgent.VARIABLES, None)
            bidder = PlainAgent("english", clock, SamplingOptions(0.0, 100, "drawn"), plain)
            play("english", "standard-20k-random", [bidder, "rule", "value"], number, index=number, journal=journal)
        journal.close()
    return [started - ended for (_, ended), (started, _) in zip(clock.calls, clock.calls[1:], strict=False)]
