"""Compute the ranking of bidders from records, as rows of plain data."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from aucenv.analysis.agents import bidders_in_words
from aucenv.analysis.head_to_head import HeadToHead, head_to_head
from aucenv.analysis.intervals import Estimate
from aucenv.analysis.metrics import bidder_figures, counts_of, figures_of, game_of, scores_by_bidder
from aucenv.analysis.ratings import rate
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord

Row = JsonObject


def standings(records: Sequence[GameRecord]) -> list[Row]:
    """Rank bidders by rating, then by mean score.

    A bidder whose rating is tied with that of the first bidder of a rank shares this rank. Without
    an interval of their difference, two ratings are tied if they are equal.

    Returns:
        A row for each bidder: bidder, rank, rating, the game's FIGURES, games (their number), replies_in_words (true,
        only in the rows of bidders that do), head_to_head (by rival) and, if the game has COUNTS, these under their
        name. Every figure has *_low and *_high, the ends of its 95%
        interval. They are None if the figure is not defined, if too few deals contribute, or if there is no interval
        for the reasons given in `intervals.ratio` and `ratings.Ratings`.
    """
    figures = figures_of(game_of(records))
    score = figures.SCORE
    ratings = rate(records)
    estimates = bidder_figures(records)
    counts = counts_of(figures)
    counts_by_bidder = counts.count(records) if counts is not None else {}
    duels = head_to_head(records)
    in_words = bidders_in_words(records)
    games = Counter(bidder for record in records for bidder in scores_by_bidder(record))
    rating = {bidder: ratings.of(bidder) for bidder in estimates}
    order = sorted(estimates, key=lambda b: (-(rating[b].value or 0), -(estimates[b][f"{score}_mean"].value or 0), b))
    rows: list[Row] = []
    rank, first = 1, order[0] if order else ""
    for place, bidder in enumerate(order, start=1):
        if not ratings.tied(first, bidder):
            rank, first = place, bidder
        row: Row = {"bidder": bidder, "rank": rank}
        for name, estimate in {"rating": rating[bidder], **estimates[bidder]}.items():
            row |= _flat(name, estimate)
        row["games"] = games[bidder]
        if bidder in in_words:
            row["replies_in_words"] = True
        if counts is not None and bidder in counts_by_bidder:
            row[counts.name] = counts_by_bidder[bidder]
        row["head_to_head"] = {rival: _duel(duels[bidder][rival], score) for rival in order if rival in duels[bidder]}
        rows.append(row)
    return rows


def _flat(name: str, estimate: Estimate) -> Row:
    keys = (name, f"{name}_low", f"{name}_high")
    values = dataclasses.astuple(estimate)
    return {key: None if value is None else round(value, 6) for key, value in zip(keys, values, strict=True)}


def _duel(duel: HeadToHead, score: str) -> Row:
    counts = {"games": duel.games, "wins": duel.wins, "draws": duel.draws, "losses": duel.losses}
    return {**counts, **_flat(f"{score}_difference", duel.score_difference)}
