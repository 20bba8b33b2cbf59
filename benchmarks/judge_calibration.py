"""Measure whether the weights that the judge gives to its rivals' families are calibrated, and draw the curves.

`python -m aucenv.benchmarks.judge_calibration --out calibration.png` plays games against rivals from the judge's prior.
"""

from __future__ import annotations

import argparse
import dataclasses
from functools import partial
from pathlib import Path

import numpy as np
import typer
from aucenv.training.rlact.judges.inferred_rivals import infer_rivals, prior
from aucenv.training.rlact.states.decision_points import Decisions

from aucenv.analysis.plots import Drawing, write_figure
from aucenv.core.adapters.threads import Threads
from aucenv.core.checks import whole_number
from aucenv.core.play.engine import EMPTY_MEMORY
from aucenv.core.play.table import Table
from aucenv.core.state import WITHDRAW
from aucenv.registration import find_family

GAMES = ("english", "harbor")
BINS = 5
SEATS = 3
PART = 32
"""The number of games in which rivals are inferred at a time, which limits the memory."""


@dataclasses.dataclass(frozen=True, eq=False)
class Calibration:
    """The weights of families, at a random point of each game.

    Attributes:
        weights: (games, rivals, families).
        is_true: (games, rivals, families) Whether the rival is of the family.
        items: (games,) The number of closed items.
    """

    weights: np.ndarray
    is_true: np.ndarray
    items: np.ndarray

    def bins(self) -> list[tuple[float, float, int]]:
        """Return for each bin the mean weight, the share of true families, and the number of weights."""
        number = np.minimum((self.weights * BINS).astype(int), BINS - 1)
        return [
            (float(self.weights[inside].mean()), float(self.is_true[inside].mean()), int(inside.sum()))
            for inside in (number == index for index in range(BINS))
            if inside.any()
        ]


def calibrate(game: str, games: int, seed: int = 0) -> Calibration:
    """Play games up to a random item against two bidders of the judge's prior, and infer these.

    The judge's seat bids or withdraws at random.
    """
    rng, members = np.random.default_rng(seed), prior(game)
    family = find_family(game)
    scenario = family.parallel_env(num_bidders=SEATS).scenario
    views, truths = [], []
    for number in range(games):
        rivals = rng.choice(len(members.kinds), SEATS - 1)
        table = Table(family.game, scenario, ["amount"] * SEATS)
        table.reset((seed, number))
        _play_to_item(table, rivals, int(rng.integers(scenario.num_items - 1)), rng)
        if not table.over:
            views.append(table.view(0))
            truths.append(members.family[rivals])
    decisions = Decisions(
        game,
        np.concatenate([view.row for view in views]),
        np.zeros(len(views), np.int64),
        [view.scenario_text for view in views],
        [view._history for view in views],
        [()] * len(views),
    )
    weights, keys = [], np.arange(len(views))[:, None]
    with Threads(1) as threads:
        for first in range(0, len(views), PART):
            inferred = infer_rivals(decisions.part(first, first + PART), keys[first : first + PART], 0, threads)
            weights += [rivals.by_family() for rivals in inferred]
    is_true = np.array(truths)[..., None] == np.arange(len(members.families))
    return Calibration(np.array(weights), is_true, decisions.rows["item"])


def _play_to_item(table: Table, rivals: np.ndarray, item: int, rng: np.random.Generator) -> None:
    """Play until the item is open, or longer if the judge's seat has nothing to decide then."""
    members, game = prior(table.game.name), table.game
    memory = np.empty(game.rollouts.memory_size(SEATS, int(table.state["num_items"][0])))
    while not table.over and (table.item < item or not table.is_pending(0)):
        for seat in table.pending:
            amount = int(table.state["least"][0]) if rng.random() < 0.5 else WITHDRAW
            if seat > 0:
                kind, params = members.kinds[rivals[seat - 1]], members.params[rivals[seat - 1]]
                memory[0] = EMPTY_MEMORY
                amount = game.rollouts.decide(kind, params, table.state, 0, seat, memory)
            table.submit(seat, amount / 100 if amount >= 0 else -1.0)


def draw(curves: dict[str, Calibration], path: Path) -> None:
    """Draw the calibration curve of each game, with standard errors as if all weights were independent.

    Raises:
        ImportError: matplotlib is not installed.
    """
    write_figure([path], partial(_draw, curves), (5.3, 4.5))


def _draw(curves: dict[str, Calibration], figure: Drawing) -> None:
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
    for game, calibration in curves.items():
        weights, shares, numbers = np.array(calibration.bins()).T
        axes.errorbar(weights, shares, np.sqrt(shares * (1 - shares) / numbers), marker="o", capsize=3, label=game)
    axes.set(xlabel="weight of a family", ylabel="share of cases in which it is the true one", xlim=(0, 1), ylim=(0, 1))
    axes.legend(frameon=False)


def main() -> None:
    """Print the calibration of each game, and write the figure."""
    parser = argparse.ArgumentParser(prog="python -m aucenv.benchmarks.judge_calibration", description=__doc__)
    parser.add_argument("--games", type=int, default=3000, help="number of games of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the figure")
    args = parser.parse_args()
    whole_number("--games", args.games, 1)
    curves = {game: calibrate(game, args.games, args.seed) for game in GAMES}
    for game, calibration in curves.items():
        typer.echo(f"{game}: weight, share of true families, number")
        for weight, share, number in calibration.bins():
            typer.echo(f"  {weight:.2f}  {share:.2f}  {number}")
    if args.out is not None:
        draw(curves, args.out)


if __name__ == "__main__":
    main()
