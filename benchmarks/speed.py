"""Measure speed, in ratios to other libraries that are measured in the same run.

`python -m aucenv.benchmarks.speed aec|batch|sealed|play|guests|rollout|judge|learner|llm` runs one; `report` writes all
to SPEED.md.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from aucenv.benchmarks.timings.aec_play import time_aec
from aucenv.benchmarks.timings.batch_play import HOW_IT_PLAYS, STEPS_PER_CALL, BatchPlay, python_seat
from aucenv.benchmarks.timings.first_step import time_first_steps
from aucenv.benchmarks.timings.guest_play import time_guests
from aucenv.benchmarks.timings.judge_play import time_judge
from aucenv.benchmarks.timings.peers import AUCARENA_GAMES_PER_SECOND, kuhn_poker, sealed_auction
from aucenv.benchmarks.timings.timing import Timings, absent, alternate, machine

import aucenv
from aucenv.core.files import JsonObject
from aucenv.core.play.table import Table

app = typer.Typer(help="Measure speed, in ratios to other libraries measured in the same run.", add_completion=False)

Seconds = Annotated[float, typer.Option(help="Seconds for each subject in each round.")]
Rounds = Annotated[int, typer.Option(help="Number of rounds, after one warm-up round.")]
NumEnvs = Annotated[int, typer.Option(help="Number of games in the batch.")]
NumThreads = Annotated[int, typer.Option("--threads", help="Number of threads.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

RULES, STANDARD = ["rule"] * 3, "standard-20k-random"


def time_batch(num_envs: int, num_threads: int, seconds: float, rounds: int) -> Timings:
    """Measure decisions per second of the batched engine, against pgx's kuhn_poker."""
    play = BatchPlay(num_envs, num_threads, seconds)
    with_rivals, in_harbor = (
        BatchPlay(num_envs, num_threads, seconds, family, rivals=RULES[1:])
        for family in (aucenv.english_v0, aucenv.harbor_v0)
    )
    engine, written, peer = "english_v0.batch_env", "writing its buffers, nothing else", "pgx kuhn_poker"
    called, beside, seat = f"{engine}, called from Python", f"{engine} beside two rule rivals", "seat_env beside them"
    subjects: dict[str, Callable[[], float]] = {engine: play.looped, called: play.called, written: play.writes}
    beside_in_harbor = "harbor_v0.batch_env beside two rule rivals"
    subjects |= {beside: with_rivals.called, beside_in_harbor: in_harbor.called}
    subjects[seat] = partial(python_seat, RULES[1:], seconds)
    pairs = [(engine, written), (called, written), (beside, called), (beside_in_harbor, beside), (beside, seat)]
    notes = [HOW_IT_PLAYS]
    try:
        subjects["with a torch policy"] = play.with_network()
        pairs.append(("with a torch policy", called))
    except ImportError as error:
        notes.append(absent("torch", error))
    try:
        peer_called = f"{peer}, called from Python"
        subjects |= {peer: kuhn_poker(num_envs, seconds, STEPS_PER_CALL), peer_called: kuhn_poker(num_envs, seconds, 1)}
        pairs = [(engine, peer), (called, peer_called), *pairs]
    except ImportError as error:
        notes.append(absent(peer, error))
    figures = alternate(subjects, rounds)
    states = alternate({"states": play.states, "steps": play.steps}, rounds)
    steps_each = statistics.median(states["steps"]) / statistics.median(states["states"])
    notes.append(f"The central state of all rows takes {steps_each:.2f} times as long as a step called from Python.")
    title = f"Batch: {num_envs} games, {num_threads} threads, random legal play"
    return Timings(title, "decisions/s", figures, pairs, notes)


def parallel_rounds(env: Any, seconds: float, highest: int) -> float:
    """Return the rounds per second of a Parallel env, with vector actions drawn in advance from 1 to `highest`."""
    numbers = np.random.default_rng(0).integers(1, highest + 1, (1000, len(env.possible_agents))).tolist()
    actions = [dict(zip(env.possible_agents, row, strict=True)) for row in numbers]
    rounds = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        env.reset()
        while env.agents:
            env.step(actions[rounds % 1000])
            rounds += 1
    return rounds / elapsed


def time_sealed(num_envs: int, num_threads: int, seconds: float, rounds: int) -> Timings:
    """Measure rounds per second of sealed_bid_v0, Parallel and batched, against OpenSpiel's games per second."""
    family = aucenv.sealed_bid_v0
    subjects: dict[str, Callable[[], float]] = {}
    pairs, notes = [], []
    for highest in (99, 10):
        values: JsonObject = {"reveal": "price", "value_range": (0, highest), "bid_cap": highest}
        one, many = f"parallel_env, values to {highest}", f"batch_env, values to {highest}"
        subjects[one] = partial(parallel_rounds, family.parallel_env(**values), seconds, highest)
        subjects[many] = BatchPlay(num_envs, num_threads, seconds, family, **values).rounds
        peer = f"OpenSpiel first_sealed_auction, values to {highest}"
        try:
            subjects[peer] = sealed_auction(3, highest, seconds)
            pairs += [(one, peer), (many, peer)]
        except ImportError as error:
            notes.append(absent("OpenSpiel", error))
    title = f"Sealed bids: first price, 3 bidders; batch: {num_envs} games, {num_threads} threads"
    return Timings(title, "rounds/s", alternate(subjects, rounds), pairs, notes)


def games_per_second(games: int, play: Callable[[], Any]) -> float:
    started = time.perf_counter()
    play()
    return games / (time.perf_counter() - started)


def time_play(games: int, rounds: int) -> Timings:
    """Measure games per second of `aucenv.play` with records."""

    def play() -> None:
        for i in range(games):
            aucenv.play("english", STANDARD, RULES, (0, i)).to_json()

    name = "play and its record, one process"
    figures = alternate({name: partial(games_per_second, games, play)}, rounds)
    return Timings("Play: three rule bidders, standard items", "games/s", figures, notes=[aucarena_note(figures[name])])


def time_rollout(games: int, num_threads: int, rounds: int) -> Timings:
    """Measure whole games, and continuations of a game, per second in compiled code."""
    table = Table(aucenv.english_v0.game, aucenv.english_v0.game.load_scenario(STANDARD), ["amount"] * 3)
    table.reset(0)
    policies = [aucenv.make_policy("english", name) for name in RULES]
    while table.item < 5:
        for seat in table.pending:
            table.submit(seat, policies[seat].act(table.view(seat), {}))
    snapshot, keys = table.snapshot(), np.arange(games)
    whole = f"whole games, {num_threads} threads"
    subjects = {
        whole: lambda: aucenv.rollout("english", STANDARD, RULES, games, num_threads=num_threads),
        f"continuations from the sixth of ten items, {num_threads} threads": lambda: aucenv.continue_from(
            snapshot, {}, RULES, keys, num_threads=num_threads, hidden_from=f"bidder_{table.pending[0]}"
        ),
    }
    measures = {name: partial(games_per_second, games, subject) for name, subject in subjects.items()}
    figures = alternate(measures, rounds)
    notes = [aucarena_note(figures[whole]), common_numbers(snapshot, f"bidder_{table.pending[0]}")]
    return Timings("Rollouts: three rule bidders, standard items", "games/s", figures, notes=notes)


def aucarena_note(games: list[float]) -> str:
    ratio = statistics.median(games) / AUCARENA_GAMES_PER_SECOND
    return f"AucArena's program plays {AUCARENA_GAMES_PER_SECOND} games/s; ratio {ratio:,.0f}."


def common_numbers(snapshot: Any, seat: str, number: int = 20_000) -> str:
    """Describe how much common random numbers reduce the variance of the difference between two first actions."""
    least = snapshot.state["least"][0] / 100
    bidders = ["value", "pace", "random"]

    def profits(action: float, keys: np.ndarray) -> np.ndarray:
        results = aucenv.continue_from(snapshot, {seat: action}, bidders, keys, hidden_from=seat)["profit"]
        return results[:, int(seat.removeprefix("bidder_"))] / 100

    keys = np.arange(number)
    paired = np.var(profits(least, keys) - profits(-1, keys))
    apart = np.var(profits(least, keys) - profits(-1, keys + number))
    return (
        f"Bidding or withdrawing, {number:,} continuations each with {', '.join(bidders)}: equal keys reduce the "
        f"variance of the difference in profit from {apart:,.0f} to {paired:,.0f}, a factor of {apart / paired:.1f}."
    )


def show(timings: Timings, as_json: bool) -> None:
    print(json.dumps(timings.to_dict(), indent=2) if as_json else timings.to_markdown())


@app.command()
def aec(seconds: Seconds = 1.0, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure AEC steps per second, against PettingZoo's tictactoe_v3: wrapped and raw, with and without sampling."""
    show(time_aec(seconds, rounds), as_json)


@app.command()
def batch(
    num_envs: NumEnvs = 4096,
    num_threads: NumThreads = 2,
    seconds: Seconds = 2.0,
    rounds: Rounds = 5,
    as_json: Json = False,
) -> None:
    """Measure decisions per second of the batched engine, against pgx's kuhn_poker and against writing its buffers."""
    show(time_batch(num_envs, num_threads, seconds, rounds), as_json)


@app.command()
def sealed(
    num_envs: NumEnvs = 4096,
    num_threads: NumThreads = 2,
    seconds: Seconds = 1.0,
    rounds: Rounds = 5,
    as_json: Json = False,
) -> None:
    """Measure rounds per second of sealed bids, Parallel and batched, against OpenSpiel's first_sealed_auction."""
    show(time_sealed(num_envs, num_threads, seconds, rounds), as_json)


@app.command()
def play(games: int = 200, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure games per second of `aucenv.play` with records: three rule bidders, standard items."""
    show(time_play(games, rounds), as_json)


@app.command()
def guests(games: int = 200, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure decisions per second of bidders in processes of their own."""
    show(time_guests(games, rounds), as_json)


@app.command()
def rollout(games: int = 200_000, num_threads: NumThreads = 2, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure games and continuations per second in compiled code: three rule bidders, standard items."""
    show(time_rollout(games, num_threads, rounds), as_json)


@app.command()
def judge(states: int = 200, num_threads: NumThreads = 2, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure continuations per second of the simulator judge, from the middle of housing auctions."""
    show(time_judge(states, num_threads, rounds), as_json)


@app.command()
def learner(updates: int = 10, rounds: Rounds = 5, as_json: Json = False) -> None:
    """Measure decisions per second of PPO in self-play, against PPO in JAX on pgx's leduc_holdem."""
    from aucenv.benchmarks.timings.learner_play import time_learner

    show(time_learner(updates, rounds), as_json)


@app.command()
def people(tables: int = 30, rounds: Rounds = 3, as_json: Json = False) -> None:
    """Measure the milliseconds from the last answer of a round to the next request, at live tables of `aucenv host`."""
    from aucenv.benchmarks.timings.people_play import time_people

    show(time_people(tables, rounds), as_json)


@app.command()
def llm(
    games: int = 400,
    in_flight: Annotated[int, typer.Option("--concurrency", help="Number of games in flight.")] = 64,
    latency: Annotated[float, typer.Option(help="Seconds that the server takes for each call.")] = 1.0,
    alone: Annotated[int, typer.Option(help="Number of games that are also played one at a time.")] = 3,
    decisions: Annotated[int, typer.Option(help="Number of decisions of the finetuned model; 0: none.")] = 60,
    rounds: Rounds = 3,
    as_json: Json = False,
) -> None:
    """Measure language models' games per hour with a loopback server, against the ideal and one game at a time.

    Then measure the decisions per second of the finetuned model of the bidder rlact-smollm2, if what it needs is
    installed.
    """
    from aucenv.benchmarks.timings.llm_play import time_models

    served = time_models(games, in_flight, latency, alone)
    finetuned = _time_finetuned(decisions, rounds) if decisions else None
    if as_json:
        print(json.dumps(served.to_dict() | {"finetuned": finetuned and finetuned.to_dict()}, indent=2))
    else:
        print("\n".join(each.to_markdown() for each in (served, finetuned) if each))


def _time_finetuned(decisions: int, rounds: int) -> Timings | None:
    """Measure the finetuned model, or return None if what it needs is not installed."""
    from aucenv.baselines.llm.local_models.smollm2 import check_package

    try:
        check_package()
        from aucenv.benchmarks.timings.rlact_play import time_rlact
    except (ImportError, ValueError) as error:
        print(f"left out rlact-smollm2: {error}", file=sys.stderr)
        return None
    return time_rlact(decisions, rounds)


@app.command("report")
def write_report(file: Annotated[Path, typer.Argument(help="Output file.")] = Path("benchmarks/SPEED.md")) -> None:
    """Run all benchmarks, and write their figures to a file."""
    from aucenv.benchmarks.timings.learner_play import time_learner
    from aucenv.benchmarks.timings.llm_play import time_models
    from aucenv.benchmarks.timings.people_play import time_people

    parts = [
        time_aec(1.0, 5).to_markdown(),
        time_batch(4096, 2, 2.0, 5).to_markdown(),
        time_sealed(4096, 2, 1.0, 5).to_markdown(),
        time_play(200, 5).to_markdown(),
        time_guests(200, 5).to_markdown(),
        time_rollout(200_000, 2, 5).to_markdown(),
        time_judge(200, 2, 5).to_markdown(),
        time_learner(10, 5).to_markdown(),
        time_people(30, 3).to_markdown(),
        time_models(400, 64, 1.0, 3).to_markdown(),
        *(finetuned.to_markdown() for finetuned in [_time_finetuned(60, 3)] if finetuned),
        time_first_steps(),
    ]
    about = ", ".join(f"{name} {value}" for name, value in machine().items() if value)
    intro = "Written by `python -m aucenv.benchmarks.speed report`. Subjects alternate; medians and ranges of 5 rounds."
    file.write_text("\n".join([f"# Speed\n\n{intro}\n\nMachine: {about}.\n", *parts]), encoding="utf-8")


if __name__ == "__main__":
    app()
