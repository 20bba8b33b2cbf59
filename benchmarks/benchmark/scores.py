"""Scores: what a bidder earns, normalised between `random` and the reference of each table, with intervals."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.benchmark.plan import Plan
from aucenv.benchmarks.benchmark.references import score_of

from aucenv.analysis.intervals import interval, resample
from aucenv.core.bid_errors import count_bid_errors
from aucenv.core.bidder_name import label_of
from aucenv.core.files import JsonObject
from aucenv.core.record import GameRecord

DIGITS = 6
"""The decimals of scores in `table.json`."""


@dataclasses.dataclass(frozen=True)
class TableScores:
    """The scores of one bidder at one table, by deal.

    Attributes:
        scores: (deals,), what the bidder earns.
        zero: (deals,), what `random` earns in the same deals.
        one: (deals,), what the reference earns in the same deals.
    """

    scores: np.ndarray
    zero: np.ndarray
    one: np.ndarray

    def share(self, times: np.ndarray) -> np.ndarray:
        """Return the normalised score in each resample: (resamples,); NaN if `random` earns as much as the reference.

        Args:
            times: (resamples, deals), how often each resample contains each deal.
        """
        won, possible = times @ (self.scores - self.zero), times @ (self.one - self.zero)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(possible == 0, np.nan, won / possible)


def score_rows(plan: Plan, records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return the rows of the benchmark's table, one for each bidder, best first.

    A row has `bidder`, `rank`, `overall` with its interval, `games` with the score of each game that the bidder plays
    and of each of its tables, `left_out` with the games that it cannot play and why, `failed_bid_rate` and
    `unreadable_rate`. The overall score is the mean over the games that the bidder plays.

    Args:
        records: The records of all games of the plan.
    """
    played = _by_table(plan, records)
    rates = _rates(plan, records)
    rows = []
    for name in plan.bidders:
        label = label_of(name)
        games, shares = {}, []
        for game in plan.games:
            if plan.plays(name, game) and plan.tables(game):
                games[game], of_game = _game_row(plan, game, played[label])
                shares.append(of_game)
        deals = min(row["deals"] for row in games.values())
        row = {"bidder": label, "rank": 0, **_fields("overall", np.mean(shares, axis=0), deals), "games": games}
        rows.append({**row, "left_out": dict(plan.left_out.get(label, {})), **rates[label]})
    rows.sort(key=lambda row: -_or_lowest(row["overall"]))
    for row in rows:
        row["rank"] = 1 + sum(_or_lowest(other["overall"]) > _or_lowest(row["overall"]) for other in rows)
    return rows


def _or_lowest(score: float | None) -> float:
    return -np.inf if score is None else score


def _by_table(plan: Plan, records: Sequence[GameRecord]) -> dict[str, dict[str, TableScores]]:
    """Return the scores of each bidder, by its label and the key of the table."""
    by_index = {record.index: record for record in records}
    scores: dict[str, dict[str, list[float]]] = {}
    for entry in plan.entries():
        of_bidder = scores.setdefault(label_of(entry.bidder), {})
        of_table = of_bidder.setdefault(entry.deal.table.key, [])
        of_table.append(score_of(by_index[entry.index], entry.deal.seat))
    return {
        label: {key: _scores(plan, key, earned) for key, earned in tables.items()} for label, tables in scores.items()
    }


def _scores(plan: Plan, key: str, earned: Sequence[float]) -> TableScores:
    reference = plan.references.tables[key]
    parts = (earned, reference.zero[: len(earned)], reference.one[: len(earned)])
    return TableScores(*(np.array(part, float) for part in parts))


def _game_row(plan: Plan, game: str, played: Mapping[str, TableScores]) -> tuple[JsonObject, np.ndarray]:
    """Return the scores of a bidder in a game, and its score in all deals and in each resample.

    Deals with the same number are resampled together at all tables. A score is not defined if `random` earns as much
    as the reference of a table, as it may with few deals.
    """
    tables, shares = {}, []
    for table in plan.tables(game):
        scores, reference = played[table.key], plan.references.tables[table.key]
        deals = len(scores.scores)
        shares.append(scores.share(np.vstack([np.ones(deals, int), resample(np.arange(deals))])))
        means = {"mean": scores.scores.mean(), "zero": scores.zero.mean(), "one": scores.one.mean()}
        tables[table.name] = {
            **_fields("score", shares[-1], deals),
            **{name: round(float(value), DIGITS) for name, value in means.items()},
            "reference": reference.bidder,
            "deals": deals,
        }
    deals = min(row["deals"] for row in tables.values())
    all_tables = np.mean(shares, axis=0)
    return {**_fields("score", all_tables, deals), "deals": deals, "tables": tables}, all_tables


def _fields(name: str, shares: np.ndarray, deals: int) -> JsonObject:
    """Return the fields of a score and of the ends of its interval; None if they are not defined.

    Args:
        shares: The score in all deals, then in each resample.
    """
    low, high = interval(shares[1:], deals) if not np.isnan(shares[0]) else (None, None)
    values = {name: None if np.isnan(shares[0]) else float(shares[0]), f"{name}_low": low, f"{name}_high": high}
    return {key: None if value is None else round(value, DIGITS) for key, value in values.items()}


def _rates(plan: Plan, records: Sequence[GameRecord]) -> dict[str, JsonObject]:
    """Return the shares of failed bids and of unreadable replies of each bidder, by its label."""
    by_index = {record.index: record for record in records}
    sums: dict[str, Any] = {}
    in_words = set()
    for entry in plan.entries():
        record, label = by_index[entry.index], label_of(entry.bidder)
        seat = record.seats[entry.deal.seat]["seat"]
        errors = count_bid_errors(record)[seat]
        sums[label] = sums.get(label, 0) + np.array([errors.failed_bid_rate, errors.unreadable_rate])
        if any(isinstance(one["action"], str) for one in record.decisions if one["seat"] == seat):
            in_words.add(label)
    names = ("failed_bid_rate", "unreadable_rate")
    return {
        label: {name: round(int(a) / int(b), DIGITS) if b else None for name, (a, b) in zip(names, both, strict=True)}
        | {"replies_in_words": label in in_words}
        for label, both in sums.items()
    }
