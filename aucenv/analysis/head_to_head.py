"""Compare every pair of bidders over the games in which both play."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from aucenv.analysis.design import Design
from aucenv.analysis.intervals import Estimate, ratio
from aucenv.analysis.metrics import scores_by_bidder
from aucenv.core.record import GameRecord


@dataclasses.dataclass(frozen=True)
class HeadToHead:
    """Results of one bidder against another.

    Attributes:
        wins, draws, losses: numbers of games with a higher, an equal or a lower score.
        score_difference: mean over the games, in dollars or days.
    """

    wins: int
    draws: int
    losses: int
    score_difference: Estimate

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


def head_to_head(records: Sequence[GameRecord]) -> dict[str, dict[str, HeadToHead]]:
    """Return the comparison of each bidder with each rival that it met, by labels, in order of first appearance."""
    design = Design.of_records(records)
    differences: dict[tuple[str, str], list[tuple[int, float]]] = {}
    bidders: dict[str, None] = {}
    for record, deal in zip(records, design.deals.tolist(), strict=True):
        scores = scores_by_bidder(record)
        bidders.update(dict.fromkeys(scores))
        for bidder, score in scores.items():
            for rival, rival_score in scores.items():
                if rival != bidder:
                    differences.setdefault((bidder, rival), []).append((deal, score - rival_score))
    return {
        bidder: {
            rival: _compare(differences[bidder, rival], design) for rival in bidders if (bidder, rival) in differences
        }
        for bidder in bidders
    }


def _compare(differences: Sequence[tuple[int, float]], design: Design) -> HeadToHead:
    sums = np.zeros((design.num_deals, 2))
    for deal, difference in differences:
        sums[deal] += difference, 1
    return HeadToHead(
        wins=sum(difference > 0 for _, difference in differences),
        draws=sum(difference == 0 for _, difference in differences),
        losses=sum(difference < 0 for _, difference in differences),
        score_difference=ratio(sums, design),
    )
