"""Speed, as ratios against a peer in the same run: `python -m aucenv.benchmarks.speed aec|play|rollout`.

Subjects alternate, round by round, so that the machine's drift hits all of them; figures are medians.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Annotated, Any

import typer

import aucenv
from aucenv.results import versions

app = typer.Typer(help="Speed, as ratios against a peer in the same run.", add_completion=False)

AUCARENA_GAMES_PER_SECOND = 21
"""AucArena's own program with rule bidders and no LLM, as measured on a machine like this project's."""

Seconds = Annotated[float, typer.Option(help="Time for each subject in each round.")]
Rounds = Annotated[int, typer.Option(help="Rounds, after one that is not counted.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def steps_with_sampling(env: Any, seconds: float) -> float:
    """AEC steps per second of random legal play, as a training loop without a network makes them."""
    spaces = {agent: env.action_space(agent) for agent in env.possible_agents}
    steps = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            env.step(None if terminated or truncated else spaces[agent].sample(observation["action_mask"]))
            steps += 1
    return steps / elapsed


def steps_without_sampling(env: Any, seconds: float, games: int = 200) -> float:
    """The same with actions that were sampled before, so that little but the environment is timed."""
    sampled = [_sample(env, seed) for seed in range(games)]
    steps = 0
    started = time.perf_counter()
    for seed in cycle(range(games)):
        env.reset(seed=seed)
        for _, action in zip(env.agent_iter(), sampled[seed], strict=True):
            env.last()
            env.step(action)
        steps += len(sampled[seed])
        if (elapsed := time.perf_counter() - started) >= seconds:
            break
    return steps / elapsed


def _sample(env: Any, seed: int) -> list[int | None]:
    env.reset(seed=seed)
    actions: list[int | None] = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else int(env.action_space(agent).sample(observation["action_mask"]))
        actions.append(action)
        env.step(action)
    return actions


def alternate(subjects: dict[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Every subject's figure in each round; the round before the first only warms up."""
    figures: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, measure in subjects.items():
            figure = measure()
            if number:
                figures[name].append(figure)
    return figures


def report(
    figures: dict[str, list[float]], unit: str, ratios: list[tuple[str, str]], notes: list[str], as_json: bool
) -> None:
    """Print each subject's median and range, and the ratios of the given pairs, round by round."""
    data: dict[str, Any] = {"unit": unit, "figures": {}, "ratios": {}, "notes": notes}
    for name, values in figures.items():
        data["figures"][name] = _spread(values)
    for above, below in ratios:
        pairs = zip(figures[above], figures[below], strict=True)
        data["ratios"][f"{above} / {below}"] = _spread([a / b for a, b in pairs])
    data["machine"] = {"cpus": os.cpu_count(), "platform": platform.platform(), **versions()}
    if as_json:
        print(json.dumps(data, indent=2))
        return
    for name, spread in data["figures"].items():
        print(f"{name:<44} {spread['median']:>14,.0f} {unit}  ({spread['min']:,.0f} to {spread['max']:,.0f})")
    for name, spread in data["ratios"].items():
        print(f"{name:<80} {spread['median']:>6.2f}  ({spread['min']:.2f} to {spread['max']:.2f})")
    for note in notes:
        print(note)


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


@app.command()
def aec(seconds: Seconds = 1.0, rounds: Rounds = 5, as_json: Json = False) -> None:
    """AEC steps per second, against PettingZoo's tictactoe_v3: wrapped and raw, with and without sampling."""
    families: dict[str, Any] = {"english_v0": aucenv.english_v0}
    notes = []
    try:
        from pettingzoo.classic import tictactoe_v3

        families["tictactoe_v3"] = tictactoe_v3
    except ImportError as error:
        notes.append(f"absent: tictactoe_v3 ({error}); pip install 'aucenv[bench]'")
    measures = {"sampling": steps_with_sampling, "no sampling": steps_without_sampling}
    subjects: dict[str, Callable[[], float]] = {}
    pairs = []
    for form, make in (("wrapped", "env"), ("raw", "raw_env")):
        for how, measure in measures.items():
            for name, family in families.items():
                env = getattr(family, make)()
                subjects[f"{name}, {form}, {how}"] = partial(measure, env, seconds)
            if "tictactoe_v3" in families:
                pairs.append((f"english_v0, {form}, {how}", f"tictactoe_v3, {form}, {how}"))
    report(alternate(subjects, rounds), "steps/s", pairs, notes, as_json)


@app.command()
def play(games: int = 200, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Games per second of `aucenv.play` with records: three rule bidders, standard items."""

    def measure() -> float:
        started = time.perf_counter()
        for i in range(games):
            aucenv.play("english", "standard-20k-random", ["rule"] * 3, (0, i)).to_json()
        return games / (time.perf_counter() - started)

    _report_games(measure, "play, one process", rounds, as_json)


@app.command()
def rollout(games: int = 20_000, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Games per second of `aucenv.rollout`: three rule bidders, standard items."""

    def measure() -> float:
        started = time.perf_counter()
        aucenv.rollout("english", "standard-20k-random", ["rule"] * 3, games)
        return games / (time.perf_counter() - started)

    _report_games(measure, "rollout, one thread", rounds, as_json)


def _report_games(measure: Callable[[], float], name: str, rounds: int, as_json: bool) -> None:
    figures = alternate({name: measure}, rounds)
    ratio = statistics.median(figures[name]) / AUCARENA_GAMES_PER_SECOND
    report(
        figures,
        "games/s",
        [],
        [f"AucArena's program: {AUCARENA_GAMES_PER_SECOND} games/s; ratio {ratio:,.0f}"],
        as_json,
    )


if __name__ == "__main__":
    app()
