"""The meta-game, in which a strategy is a bidder for a seat: payoffs of all lineups, alpha-rank and the Nash average.

Sources: Omidshafiei et al., "alpha-rank: Multi-agent evaluation by evolution", Scientific Reports 9, 2019; Balduzzi et
al., "Re-evaluating evaluation", NeurIPS 2018.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np

from aucenv.analysis.statistics.design import Lineup, lineup_of
from aucenv.analysis.statistics.metrics import scores_by_bidder
from aucenv.core.checks import number, one_of
from aucenv.core.extras import explain_missing_package
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import ShownFigure, TextTable
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of

SELECTION, POPULATION = 100.0, 50
"""alpha-rank's intensity of selection, for payoffs divided by their range, and the size of each population."""
MAX_LINEUPS = 5000
"""Maximum number of lineups of a meta-game, whose Markov chain is a full matrix."""
FLOOR = 1e-12
"""The least probability of which a logarithm is taken."""
TITLE = "meta-game"
HEADINGS = ("bidder", "alpha-rank", "Nash average", "gain of a best response", "gain / range")

Payoffs = Mapping[Lineup, Mapping[str, float]]
"""The mean score of each bidder in each lineup, over its seats and games."""


def lineups_of(bidders: Sequence[str], seats: int) -> list[Lineup]:
    """Return all lineups, in each of which a bidder may have several seats.

    Raises:
        ValueError: There are more than MAX_LINEUPS.
    """
    size = math.comb(len(bidders) + seats - 1, seats)
    if size > MAX_LINEUPS:
        raise ValueError(
            f"--meta: expected at most {MAX_LINEUPS:,} lineups, got {size:,}: {len(bidders)} bidders in {seats} seats"
        )
    return [tuple(sorted(lineup)) for lineup in combinations_with_replacement(bidders, seats)]


def payoffs_of(records: Sequence[GameRecord]) -> dict[Lineup, dict[str, float]]:
    """Return the payoffs of the lineups that these games have."""
    sums: dict[Lineup, dict[str, list[float]]] = {}
    for record in records:
        lineup = lineup_of(record)
        for bidder, score in scores_by_bidder(record).items():
            sums.setdefault(lineup, {}).setdefault(bidder, []).append(score)
    return {
        lineup: {bidder: math.fsum(scores) / len(scores) for bidder, scores in of_lineup.items()}
        for lineup, of_lineup in sums.items()
    }


def alpha_rank(payoffs: Payoffs, bidders: Sequence[str]) -> dict[str, float]:
    """Return the share of each bidder among the seats, in the stationary distribution of alpha-rank.

    The model has one population for each seat. Seats are exchangeable, so that its states are lineups.

    Args:
        payoffs: of all lineups.
        bidders: their bidders.

    Raises:
        ValueError: A lineup is missing.
    """
    seats = len(next(iter(payoffs)))
    states = lineups_of(bidders, seats)
    missing = [lineup for lineup in states if lineup not in payoffs]
    if missing:
        raise ValueError(f"meta-game: expected games of all {len(states)} lineups, got none of {', '.join(missing[0])}")
    numbers = {lineup: state for state, lineup in enumerate(states)}
    values = [score for of_lineup in payoffs.values() for score in of_lineup.values()]
    scale = SELECTION / ((max(values) - min(values)) or 1.0)
    moves = np.zeros((len(states), len(states)))
    rate = 1 / (seats * (len(bidders) - 1)) if len(bidders) > 1 else 0.0
    for state, lineup in enumerate(states):
        for seat, resident in enumerate(lineup):
            for mutant in bidders:
                if mutant != resident:
                    after = tuple(sorted((*lineup[:seat], mutant, *lineup[seat + 1 :])))
                    advantage = scale * (payoffs[after][mutant] - payoffs[lineup][resident])
                    moves[state, numbers[after]] += rate * fixation(advantage)
        moves[state, state] = 1 - moves[state].sum()
    stationary = _stationary(moves)
    shares = {
        bidder: float(sum(p * lineup.count(bidder) / seats for p, lineup in zip(stationary, states, strict=True)))
        for bidder in bidders
    }
    return {bidder: max(0.0, share) for bidder, share in shares.items()}


def fixation(advantage: float, population: int = POPULATION) -> float:
    """Return the probability that a mutant takes over a population: (1 - exp(-a)) / (1 - exp(-m a)).

    Args:
        advantage: its payoff less that of the residents, times the intensity of selection.
        population: the size m of the population.
    """
    if abs(advantage) < 1e-12:
        return 1 / population
    if advantage * population < -700:  # exp overflows
        return 0.0
    return math.expm1(-advantage) / math.expm1(-population * advantage)


def _stationary(moves: np.ndarray) -> np.ndarray:
    """Return the stationary distribution of a Markov chain, a row vector p with p = p moves that sums to 1."""
    size = len(moves)
    equations = np.vstack([moves.T - np.eye(size), np.ones(size)])
    solution: np.ndarray = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0]
    return np.maximum(solution, 0) / np.maximum(solution, 0).sum()


def advantages(payoffs: Payoffs, bidders: Sequence[str]) -> np.ndarray:
    """Return how much more each bidder earns than each other, as a mean over the lineups with both: (bidders, bidders).

    The matrix is antisymmetric; it is 0 where two bidders have not met.
    """
    sums, counts = np.zeros((2, len(bidders), len(bidders)))
    numbers = {bidder: place for place, bidder in enumerate(bidders)}
    for scores in payoffs.values():
        for one, score in scores.items():
            for other, other_score in scores.items():
                if one != other:
                    sums[numbers[one], numbers[other]] += score - other_score
                    counts[numbers[one], numbers[other]] += 1
    result: np.ndarray = sums / np.maximum(counts, 1)
    return result


def nash_average(matrix: np.ndarray) -> np.ndarray:
    """Return the Nash equilibrium of the largest entropy of the symmetric zero-sum game: (bidders,) probabilities.

    Args:
        matrix: (bidders, bidders), antisymmetric: what the row's bidder gains from the column's.

    Raises:
        MissingExtra: scipy is not installed.
    """
    with explain_missing_package("--meta", "stats"):
        from scipy.optimize import linprog, minimize
    size = len(matrix)
    scaled = matrix / (np.abs(matrix).max() or 1.0)
    start = linprog(
        np.zeros(size), A_ub=scaled, b_ub=np.zeros(size), A_eq=np.ones((1, size)), b_eq=[1.0], bounds=(0, 1)
    ).x
    best = minimize(
        lambda p: float((p * np.log(np.maximum(p, FLOOR))).sum()),
        start,
        jac=lambda p: np.log(np.maximum(p, FLOOR)) + 1,
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(size)},
            {"type": "ineq", "fun": lambda p: -scaled @ p, "jac": lambda p: -scaled},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    result = np.maximum(best.x if best.success else start, 0)
    result[result < 1e-9] = 0
    return result / result.sum()


def add_meta_game(rows: Sequence[JsonObject], records: Sequence[GameRecord]) -> None:
    """Add to the rows of a ranking `meta`: the bidder's `alpha_rank`, `nash_average` and `payoffs` by lineup.

    The strategies of the meta-game are the bidders with a rank.

    Raises:
        ValueError: There are no games of a lineup.
        MissingExtra: scipy is not installed.
    """
    ranked = [row for row in rows if row["rank"] is not None]
    if not ranked:
        return
    bidders = [row["bidder"] for row in ranked]
    payoffs = {lineup: each for lineup, each in payoffs_of(records).items() if each.keys() <= set(bidders)}
    ranks, average = alpha_rank(payoffs, bidders), nash_average(advantages(payoffs, bidders))
    for row, share in zip(ranked, average, strict=True):
        bidder = row["bidder"]
        scores = {", ".join(lineup): each[bidder] for lineup, each in payoffs.items() if bidder in each}
        row["meta"] = {
            "alpha_rank": round(ranks[bidder], 6),
            "nash_average": round(float(share), 6),
            "payoffs": {lineup: round(score, 6) for lineup, score in sorted(scores.items())},
        }


def cells(rows: Sequence[JsonObject]) -> list[list[str]]:
    """Return the cells of the table of a meta-game, of the rows that have `meta`."""
    lines = []
    for row in rows:
        if "meta" in row:
            meta, gain = row["meta"], row.get("exploit")
            shares = [f"{meta[name]:.1%}" for name in ("alpha_rank", "nash_average")]
            text = "-"
            if gain is not None:
                text = f"{gain['gain']:,.2f} ({gain['low']:,.2f} to {gain['high']:,.2f})"
                text = ShownFigure(text, gain["gain"], gain["low"], gain["high"])
            lines.append([row["bidder"], *shares, text, "-" if gain is None else f"{gain['gain'] / gain['range']:.2%}"])
    return lines


def meta_table(rows: Sequence[JsonObject]) -> TextTable:
    """Return the table of a meta-game; without lines if the rows have none."""
    note = "a gain is a lower bound on exploitability, from `aucenv exploit`"
    return TextTable(TITLE, HEADINGS, cells(rows), note if any("exploit" in row for row in rows) else "")


def exploits_by_label(results: Sequence[JsonObject], bidders: Sequence[str], game: str) -> dict[str, JsonObject]:
    """Return the results of `aucenv exploit` by the label of their bidder.

    Args:
        results: The results.
        bidders: The labels of the bidders that play.
        game: The name of the game.

    Raises:
        ValueError: A result is of another game, or of a bidder that does not play.
    """
    chosen = {}
    for result in results:
        one_of("--exploit, game", result.get("game"), [game])
        chosen[one_of("--exploit, bidder", label_of(str(result.get("bidder"))), bidders)] = result
        for name in ("gain", "low", "high", "range"):
            number(f"--exploit, {name}", result.get(name), -1e12, 1e12)
    return chosen
