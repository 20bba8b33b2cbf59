"""How far bidders are from an equilibrium in two small games, exactly: NashConv of CFR+, PPO and rule bidders.

NashConv is the sum over the seats of what a best response gains. CFR+ (Tammelin, 2014) approaches an equilibrium in
two-player zero-sum games; these are none, so its NashConv is reported, too. PPO's average policy is that of the later
half of the networks of a run; see `integrations.open_spiel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.benchmarks.studies.cells import Row
from aucenv.benchmarks.studies.jobs import run_jobs
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import Drawing, draw_bars, legend_above
from aucenv.core.files import to_pretty_json, write_atomically
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.english.game import Bidder, EnglishScenario, Item
from aucenv.policy.registry import playable_bidders
from aucenv.registration import find_family

TINY_ENGLISH = EnglishScenario(
    "tiny-english",
    (Item(1, "Widget A", 1000, 2000), Item(2, "Widget B", 1000, 3000)),
    (Bidder("Alex", 3000), Bidder("Blair", 3000)),
    "given",
    increment=0.5,
)
SMALL_CLOCK = ClockScenario(
    "small-clock",
    direction="descending",
    values="ipv",
    num_bidders=2,
    num_rounds=1,
    value_range=(0, 4),
    highest_price=4,
)
GAMES: dict[str, tuple[str, Any, dict[str, int]]] = {
    "tiny-english": ("english", TINY_ENGLISH, {"ladder": 2}),
    "small-clock": ("clock", SMALL_CLOCK, {}),
}
"""Study's name of each game -> its name, its scenario, and arguments that set the number of its vector actions."""
CFR_ITERATIONS = 1000
SETTINGS = {
    "num_envs": 1024,
    "num_steps": 16,
    "updates": 200,
    "save_every": 5,
    "hidden": (32, 32),
    "learning_rate": 2e-3,
    "gamma": 1.0,
    "entropy_weight": 0.01,
    "minibatches": 8,
    "epochs": 3,
    "clip": 0.2,
    "head": "vector",
    "earlier_selves": 1000,
    "rival_share": 0.0,
}
"""PPO's settings: self-play alone, in which every network that is saved is kept."""
SEEDS = 3
RANDOM = ("random", "regret")
"""Rule bidders whose bids are drawn from the key of their seat, of which there is only one in a tree."""

COLUMNS = {
    "game": ("game", "{}"),
    "bidder": ("bidder", "{}"),
    "nash_conv": ("NashConv, $", "{:,.2f}"),
    "share": ("NashConv / range of payoffs, %", "{:.2f}"),
}


def run(out: Path, bidders: Sequence[str], games: int | None, seed: int, workers: int, advance: Any) -> list[Row]:
    """Train the networks that the folder does not have yet, and return the rows of the table.

    Args:
        out: the folder of the study.
        bidders: none, because all rule bidders are measured.
        games: None, because no games are counted.
        seed: the first seed of PPO.
        workers: the number of runs at a time.
        advance: called with the numbers of finished and of all runs.
    """
    if bidders or games is not None:
        raise ValueError("study rl/small-games: expected neither --bidder nor --games, because it is exact")
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(out, name, seed + number) for name in GAMES for number in range(SEEDS)]
    advance(0, len(jobs))
    for number, _ in enumerate(run_jobs(_train, jobs, workers), 1):
        advance(number, len(jobs))
    return [row for name in GAMES for row in _rows(out, name, [seed + number for number in range(SEEDS)])]


def _train(out: Path, name: str, seed: int) -> None:
    """Train a network in self-play; a run that was interrupted continues."""
    import torch
    from aucenv.training.ppo.config import PPOConfig
    from aucenv.training.ppo.ppo import Learner

    torch.set_num_threads(1)
    game, scenario, arguments = GAMES[name]
    file = out / f"{name}.json"
    write_atomically(file, to_pretty_json(scenario.to_dict()))
    settings: dict[str, Any] = {**SETTINGS, "scenario": str(file), "arguments": arguments, "seed": seed}
    config = PPOConfig.read(str(out / f"{name}-{seed}"), game, {}, **settings)
    Learner(config, lambda path: []).train(lambda figures: None)


def _rows(out: Path, name: str, seeds: Sequence[int]) -> list[Row]:
    """Return the rows of one game."""
    import pyspiel
    from aucenv.training.ppo.checkpoint import read_checkpoint
    from aucenv.training.ppo.choosers import network_chooser, rule_chooser

    from aucenv.integrations.open_spiel import turn_game

    game, scenario, arguments = GAMES[name]
    number = find_family(game).game.num_actions(scenario, **arguments)
    tree = turn_game(game, scenario, number)
    solver = pyspiel.CFRPlusSolver(tree.spiel)
    for _ in range(CFR_ITERATIONS):
        solver.evaluate_and_update_policy()
    rows = [_row(tree, name, f"CFR+, {CFR_ITERATIONS:,} iterations", [solver.average_policy()])]
    average, last = [], []
    for seed in seeds:
        paths = sorted((out / f"{name}-{seed}" / "selves").glob("*.safetensors"))
        choosers = [network_chooser(game, read_checkpoint(path), number) for path in paths]
        average.append(tree.policy(*choosers[len(choosers) // 2 :]))
        last.append(tree.policy(choosers[-1]))
    rows += [_row(tree, name, "PPO, average policy", average), _row(tree, name, "PPO, last policy", last)]
    for bidder in playable_bidders(game, scenario):
        if bidder in RANDOM:
            continue
        try:
            policy = tree.policy(rule_chooser(game, bidder, scenario, number))
        except ValueError:  # it bids amounts that are none of the vector actions
            continue
        rows.append(_row(tree, name, bidder, [policy]))
    return rows


def _row(tree: Any, name: str, bidder: str, policies: Sequence[Any]) -> Row:
    """Return the row of a bidder: the mean over several runs, and the least and the most of them."""
    import pyspiel
    from open_spiel.python.algorithms.exploitability import nash_conv  # type: ignore[import-untyped]

    values = [
        pyspiel.nash_conv(tree.spiel, policy) if isinstance(policy, pyspiel.Policy) else nash_conv(tree.spiel, policy)
        for policy in policies
    ]
    mean = float(np.mean(values))
    row: Row = {"game": name, "bidder": bidder, "nash_conv": mean, "share": 100 * mean / tree.payoff_range()}
    return row | {"runs": [float(value) for value in values], "range": tree.payoff_range(), "nodes": tree.num_nodes}


def draw(rows: Sequence[Row], figure: Drawing) -> None:
    """Draw NashConv relative to the range of payoffs as bars, on a logarithmic axis."""
    panels = figure.subplots(1, len(GAMES), squeeze=False)
    for axes, name in zip(panels[0], GAMES, strict=True):
        bars = [row for row in rows if row["game"] == name]
        draw_bars(axes, range(len(bars)), [{"share": max(row["share"], 1e-3)} for row in bars], "share", 0.7, name)
        axes.set_yscale("log")
        axes.set_xticks(range(len(bars)), [row["bidder"] for row in bars], rotation=60, ha="right", size=7)
        axes.set_ylabel("NashConv / range of payoffs, %")
    legend_above(figure)


STUDY: Study = Study(
    name="rl/small-games",
    about=(
        "NashConv in two small games of two bidders: an English auction of two items, and a descending clock with "
        "five values."
    ),
    columns=COLUMNS,
    train=run,
    extra="ppo",
    draw=draw,
)
