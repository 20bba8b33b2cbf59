"""Learners in sealed-bid auctions with a closed-form equilibrium: utility loss, and the distance to the equilibrium.

The measures are those of bnelearn (Heidekrueger et al., "Equilibrium learning in combinatorial auctions", 2021; Bichler
et al., Nature Machine Intelligence, 2021): the utility loss against rivals that bid in the same way, and the root mean
square of the difference between bids and equilibrium bids. Both are exact expectations; see `theory`. PPO learns from
sampled rounds. Regret matching (Hart and Mas-Colell, 2000) and fictitious play (Brown, 1951) are given the expected
profit of every bid at every value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.benchmarks.studies.cells import Row, distinct
from aucenv.benchmarks.studies.jobs import run_jobs
from aucenv.benchmarks.studies.study import Study

from aucenv import theory
from aucenv.analysis.plots import Drawing, legend_above
from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.envs.sealed_bid.game import GAME, SealedBidScenario
from aucenv.policy.registry import make_policy

FORMATS: dict[str, JsonObject] = {
    "first price, n = 2": {"pricing": "first", "num_bidders": 2},
    "first price, n = 3": {"pricing": "first", "num_bidders": 3},
    "second price, n = 3": {"pricing": "second", "num_bidders": 3},
    "second price, affiliated, n = 3": {"pricing": "second", "num_bidders": 3, "values": "apv"},
    "second price, common, n = 3": {"pricing": "second", "num_bidders": 3, "values": "cv"},
    "third price, n = 3": {"pricing": "third", "num_bidders": 3, "bid_cap": None},
    "all-pay, n = 3": {"pricing": "all_pay", "num_bidders": 3},
}
"""Arguments of the environments of each format with a closed form, in games of one round."""
LEARNERS = ("ppo", "regret-matching", "fictitious-play")
SEEDS = 3
STEPS = 1000
"""Updates of PPO, and iterations of the others."""
POINTS = 10
"""Evaluations of each run."""
SETTINGS: dict[str, JsonObject] = {
    "third price, n = 3": {"head": "vector", "hidden": (64, 64), "entropy_weight": 0.01},
    "all-pay, n = 3": {"first_share": 0.5},
}
"""PPO's settings where the defaults do not fit: no share of the value is an equilibrium bid of a third-price auction,
because these exceed values, and in all-pay auctions everybody loses at the default `first_share`.
"""

COLUMNS = {
    "format": ("format", "{}"),
    "learner": ("learner", "{}"),
    "loss": ("utility loss, $", "{:.3f}"),
    "loss_share": ("loss / range of values, %", "{:.3f}"),
    "worst": ("largest loss at a value / range, %", "{:.2f}"),
    "distance": ("L2 distance to the equilibrium, $", "{:.2f}"),
}


def scenario_of(title: str) -> SealedBidScenario:
    """Return the scenario of a format."""
    scenario: SealedBidScenario = GAME.choose_scenario(GAME.default_scenario, {**FORMATS[title], "num_rounds": 1})
    return scenario


def run(out: Path, bidders: Sequence[str], games: int | None, seed: int, workers: int, advance: Any) -> list[Row]:
    """Train what the folder does not have yet, and return the rows of the table.

    Args:
        out: the folder of the study.
        bidders: names of learners; none: all.
        games: None, because no games are counted.
        seed: the first seed of PPO.
        workers: the number of runs at a time.
        advance: called with the numbers of finished and of all runs.
    """
    if games is not None:
        raise ValueError("study rl/closed-forms: expected no --games, because its figures are exact")
    learners = [one_of("bidder", name, LEARNERS) for name in bidders] or list(LEARNERS)
    out.mkdir(parents=True, exist_ok=True)
    jobs = [
        (out, title, learner, each)
        for title in FORMATS
        for learner in learners
        for each in range(seed, seed + (SEEDS if learner == "ppo" else 1))
    ]
    advance(0, len(jobs))
    for number, _ in enumerate(run_jobs(_run_job, jobs, workers), 1):
        advance(number, len(jobs))
    results = [json.loads(_file(*job).read_text()) for job in jobs]
    return [_row(title, learner, results) for title in FORMATS for learner in learners]


def _file(out: Path, title: str, learner: str, seed: int) -> Path:
    name = title.replace(" = ", "").replace(", ", "-").replace(" ", "-")
    return out / f"{name}-{learner}-{seed}.json"


def _run_job(out: Path, title: str, learner: str, seed: int) -> None:
    """Train one learner, and write its curve; nothing if the file exists."""
    file = _file(out, title, learner, seed)
    if file.exists():
        return
    if learner == "ppo":
        curve = _train_ppo(file.with_suffix(""), title, seed)
    else:
        steps = {"regret-matching": regret_matching, "fictitious-play": fictitious_play}[learner]
        curve = _curve(scenario_of(title), steps)
    write_atomically(file, to_pretty_json({"format": title, "learner": learner, "seed": seed, "curve": curve}))


def measures(scenario: SealedBidScenario, bids: np.ndarray) -> JsonObject:
    """Return the utility loss, its largest value at a signal, and the distance to the equilibrium, in dollars.

    Args:
        scenario: a scenario with a closed form.
        bids: a rule; see `theory`.
    """
    grid, profits = theory.bid_grid(scenario), theory.expected_profits(scenario, bids)
    rule = _probabilities(grid, bids)
    earned = (profits * rule).sum(axis=1)
    mean = rule @ grid / 100
    wanted = np.minimum(theory.equilibrium_bids(scenario), grid[-1] / 100)
    weights = theory.probabilities(scenario)
    return {
        "loss": theory.utility_loss(scenario, bids),
        "worst": float((profits.max(axis=1) - earned).max()),
        "distance": float(np.sqrt(weights @ (mean - wanted) ** 2)),
    }


def _probabilities(grid: np.ndarray, bids: np.ndarray) -> np.ndarray:
    """Return a rule as the probability of each bid, (signals, bids)."""
    if bids.dtype.kind == "f":
        return bids
    table = np.zeros((len(bids), len(grid)))
    table[np.arange(len(bids)), np.searchsorted(grid, bids)] = 1
    return table


def _train_ppo(out: Path, title: str, seed: int) -> list[JsonObject]:
    import torch
    from aucenv.training.ppo.config import PPOConfig
    from aucenv.training.ppo.ppo import Learner

    torch.set_num_threads(1)
    scenario = scenario_of(title)
    settings: JsonObject = {**SETTINGS.get(title, {}), "arguments": {**FORMATS[title], "num_rounds": 1}}
    settings |= {"updates": STEPS, "save_every": STEPS // POINTS, "seed": seed}

    def evaluate(path: Path) -> list[JsonObject]:
        return [measures(scenario, theory.policy_bids(scenario, make_policy("sealed_bid", f"ppo:{path}")))]

    learner = Learner(PPOConfig.read(str(out), "sealed_bid", {}, **settings), evaluate)
    learner.train(lambda figures: None)
    return [{"step": row.pop("update"), **row} for row in learner.evaluations()]


Steps = Callable[[SealedBidScenario], Iterator[np.ndarray]]
"""A function that yields the rule after each iteration: (signals, bids) probabilities."""


def _curve(scenario: SealedBidScenario, steps: Steps) -> list[JsonObject]:
    curve: list[JsonObject] = []
    for step, rule in enumerate(steps(scenario)):
        if step % (STEPS // POINTS) == 0:
            curve.append({"step": step, **measures(scenario, rule)})
        if step == STEPS:
            break
    return curve


def regret_matching(scenario: SealedBidScenario) -> Iterator[np.ndarray]:
    """Yield the average rule of regret matching at every signal, from uniform bids up to the signal."""
    rule = _uniform(scenario)
    regrets, total = np.zeros_like(rule), rule.copy()
    for step in range(1, STEPS + 2):
        yield total / step
        profits = theory.expected_profits(scenario, rule)
        regrets += profits - (profits * rule).sum(axis=1, keepdims=True)
        positive = np.maximum(regrets, 0)
        mass = positive.sum(axis=1, keepdims=True)
        rule = np.where(mass > 0, positive / np.where(mass > 0, mass, 1), rule)
        total += rule


def fictitious_play(scenario: SealedBidScenario) -> Iterator[np.ndarray]:
    """Yield the average rule of fictitious play at every signal, from uniform bids up to the signal."""
    total = _uniform(scenario)
    grid = theory.bid_grid(scenario)
    for step in range(1, STEPS + 2):
        yield total / step
        total += _probabilities(grid, theory.best_response(scenario, total / step)[0])


def _uniform(scenario: SealedBidScenario) -> np.ndarray:
    """Return the rule that bids uniformly up to the signal."""
    grid, signals = theory.bid_grid(scenario), theory.signals(scenario)
    allowed = (grid[None] <= np.maximum(signals[:, None], 0)).astype(float)
    return allowed / allowed.sum(axis=1, keepdims=True)


def _row(title: str, learner: str, results: Sequence[JsonObject]) -> Row:
    """Return the means of a learner over its seeds at the end, and its curves."""
    curves = [each["curve"] for each in results if (each["format"], each["learner"]) == (title, learner)]
    low, high = scenario_of(title).value_range
    mean = {name: float(np.mean([curve[-1][name] for curve in curves])) for name in ("loss", "worst", "distance")}
    return {
        "format": title,
        "learner": learner,
        "seeds": len(curves),
        "loss": mean["loss"],
        "loss_share": 100 * mean["loss"] / (high - low),
        "worst": 100 * mean["worst"] / (high - low),
        "distance": mean["distance"],
        "curves": curves,
    }


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw utility losses and distances over training, one line for each run, on logarithmic axes."""
    titles = distinct(rows, "format")
    panels = figure.subplots(2, len(titles), sharex=True, squeeze=False)
    for column, title in enumerate(titles):
        for number, row in enumerate(row for row in rows if row["format"] == title):
            for curve in row["curves"]:
                for axes, name in zip(panels[:, column], ("loss", "distance"), strict=True):
                    steps = [point["step"] for point in curve]
                    axes.plot(steps, [max(point[name], 1e-4) for point in curve], f"C{number}", label=row["learner"])
                    axes.set_yscale("log")
        panels[0, column].set_title(title.replace(", ", "\n"), size=7)
        panels[1, column].set_xlabel("step", size=7)
    panels[0, 0].set_ylabel("utility loss, $")
    panels[1, 0].set_ylabel("L2 distance, $")
    legend_above(figure)


STUDY: Study = Study(
    name="rl/closed-forms",
    about="Learners in sealed-bid auctions of one round: utility loss and distance to the equilibrium after training.",
    columns=COLUMNS,
    train=run,
    extra="ppo",
    draw=draw,
    size=(10.0, 8.0),
)
