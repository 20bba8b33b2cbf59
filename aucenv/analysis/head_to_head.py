"""Records -> how each bidder fares against each other one, over the games in which both sit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from aucenv.analysis.metrics import scores_by_bidder
from aucenv.analysis.resampling import Estimate, deal_numbers, ratio, resample
from aucenv.core.record import GameRecord


@dataclasses.dataclass(frozen=True)
class HeadToHead:
    """One bidder against another.

    Attributes:
        wins, draws, losses: games with a higher, the same or a lower score.
        score_difference: mean over the games; dollars, or days.
    """

    wins: int
    draws: int
    losses: int
    score_difference: Estimate

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


def head_to_head(records: Sequence[GameRecord]) -> dict[str, dict[str, HeadToHead]]:
    """Every bidder against every other that it met, by label, in order of first appearance."""
    deals = deal_numbers(records)
    times = resample(deals)
    differences: dict[tuple[str, str], list[tuple[int, float]]] = {}
    bidders: dict[str, None] = {}
    for record, deal in zip(records, deals.tolist(), strict=True):
        scores = scores_by_bidder(record)
        bidders.update(dict.fromkeys(scores))
        for bidder, score in scores.items():
            for rival, other in scores.items():
                if rival != bidder:
                    differences.setdefault((bidder, rival), []).append((deal, score - other))
    return {
        bidder: {
            rival: _compare(differences[bidder, rival], times) for rival in bidders if (bidder, rival) in differences
        }
        for bidder in bidders
    }


def _compare(differences: Sequence[tuple[int, float]], times: np.ndarray) -> HeadToHead:
    sums = np.zeros((times.shape[1], 2))
    for deal, difference in differences:
        sums[deal] += difference, 1
    return HeadToHead(
        wins=sum(difference > 0 for _, difference in differences),
        draws=sum(difference == 0 for _, difference in differences),
        losses=sum(difference < 0 for _, difference in differences),
        score_difference=ratio(sums, times),
    )
