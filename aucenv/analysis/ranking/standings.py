"""Compute the ranking of bidders from records, as rows of plain data."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from aucenv.analysis.agents.agents import bidders_in_words, bidders_that_cheat, legal_decisions, note_on_bidder
from aucenv.analysis.ranking.ratings import rate
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import Estimate, ratio
from aucenv.analysis.statistics.metrics import bidder_figures, counts_of, figures_of, game_of, scores_by_bidder
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord

Row = JsonObject


def standings(records: Sequence[GameRecord]) -> list[Row]:
    """Rank bidders by rating, then by mean score.

    A bidder whose rating is tied with that of the first bidder of a rank shares this rank. Without
    an interval of their difference, two ratings are tied if they are equal. Bidders without a legal decision come last,
    with neither rank nor rating; their games count for the others.

    Returns:
        A row for each bidder: bidder, rank, rating, the game's FIGURES, games (their number), decisions and
        legal_decisions (their numbers), note (only in the rows of bidders that cheat, or of whose decisions less than
        half are legal), cheats and replies_in_words (true, only in the rows of bidders that do), head_to_head (by
        rival) and, if the game has COUNTS, these under their name. Every figure has *_low and *_high, the ends of its
        95% interval. They are None if the figure is not defined, if too few deals contribute, or if there is no
        interval for the reasons given in `intervals.ratio` and `ratings.Ratings`.
    """
    game = game_of(records)
    figures = figures_of(game)
    ratings = rate(records)
    counts = counts_of(figures)
    counts_by_bidder = counts.count(records) if counts is not None else {}
    in_words = bidders_in_words(records)
    decisions, cheats = legal_decisions(records), bidders_that_cheat(records)
    games = Counter(bidder for record in records for bidder in scores_by_bidder(record))
    rows: list[Row] = []
    for bidder, estimates in bidder_figures(records).items():
        legal, total = decisions.get(bidder, (0, 0))
        rating = ratings.of(bidder) if legal or not total else Estimate(None)
        row: Row = {"bidder": bidder, "rank": None}
        for name, estimate in {"rating": rating, **estimates}.items():
            row |= _flat(name, estimate)
        row |= {"games": games[bidder], "decisions": total, "legal_decisions": legal}
        if note := note_on_bidder(legal, total, bidder in cheats):
            row["note"] = note
        if bidder in cheats:
            row["cheats"] = True
        if bidder in in_words:
            row["replies_in_words"] = True
        if counts is not None and bidder in counts_by_bidder:
            row[counts.name] = counts_by_bidder[bidder]
        rows.append(row)
    rows = in_order(rows, game)
    rank, first = 1, rows[0]["bidder"] if rows else ""
    duels = head_to_head(records)
    for place, row in enumerate(rows, start=1):
        bidder = row["bidder"]
        if row["rating"] is not None:
            if not ratings.tied(first, bidder):
                rank, first = place, bidder
            row["rank"] = rank
        rivals = [rival["bidder"] for rival in rows if rival["bidder"] in duels[bidder]]
        row["head_to_head"] = {rival: _duel(duels[bidder][rival], figures.SCORE) for rival in rivals}
    return rows


def in_order(rows: Iterable[Row], game: str) -> list[Row]:
    """Return the rows of a ranking from the best to the worst; those without a rating are the last."""
    score = f"{figures_of(game).SCORE}_mean"
    return sorted(rows, key=lambda r: (r["rating"] is None, -(r["rating"] or 0), -(r[score] or 0), r["bidder"]))


def _flat(name: str, estimate: Estimate) -> Row:
    keys = (name, f"{name}_low", f"{name}_high")
    values = dataclasses.astuple(estimate)
    return {key: None if value is None else round(value, 6) for key, value in zip(keys, values, strict=True)}


def _duel(duel: HeadToHead, score: str) -> Row:
    counts = {"games": duel.games, "wins": duel.wins, "draws": duel.draws, "losses": duel.losses}
    return {**counts, **_flat(f"{score}_difference", duel.score_difference)}


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
