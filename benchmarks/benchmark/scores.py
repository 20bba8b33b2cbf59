"""Scores: what a bidder earns, normalised between `random` and the reference of each table, with intervals."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from aucenv.benchmarks.benchmark.plan import Plan
from aucenv.benchmarks.benchmark.references import score_of

from aucenv.analysis.agents.agents import note_on_bidder, replies_in_words, seat_cheats
from aucenv.analysis.statistics.intervals import interval, resample
from aucenv.core.files import JsonObject
from aucenv.core.play.bid_errors import count_bid_errors
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of
from aucenv.policy.guests import is_guest

ISOLATED, IN_PROCESS = "isolated", "in process"
"""Where the code of a bidder runs: in a process of its own, or in that of the tables."""
DIGITS = 6
"""The decimals of scores in `table.json`."""


@dataclasses.dataclass(frozen=True)
class TableScores:
    """The scores of one bidder at one table, by deal.

    Attributes:
        scores: (deals,), what the bidder earns.
        zero: (deals,), what `random` earns in the same deals.
        one: (deals,), what the reference earns in the same deals.
        scale: The score of the reference minus that of `random` by which scores are divided; None is that of the
            resampled deals.
    """

    scores: np.ndarray
    zero: np.ndarray
    one: np.ndarray
    scale: float | None = None

    def share(self, times: np.ndarray) -> np.ndarray:
        """Return the normalised score in each resample: (resamples,); NaN if `random` earns as much as the reference.

        Args:
            times: (resamples, deals), how often each resample contains each deal.
        """
        won = times @ (self.scores - self.zero)
        possible = times @ (self.one - self.zero if self.scale is None else np.full(len(self.one), self.scale))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(possible == 0, np.nan, won / possible)


def score_rows(plan: Plan, records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return the rows of the benchmark's table, one for each bidder.

    A row has `bidder`, `rank`, `overall` with its interval, `games` with the score of each game that the bidder plays
    and of each of its tables, `left_out` with the games that it cannot play and why, `failed_bid_rate`,
    `unreadable_rate`, `process` (whether the bidder's code runs "in process" with the tables, or "isolated"), and
    `decisions`, `legal_decisions`, `note` and `cheats` as in `standings`. The overall score is the mean over the games
    that the bidder plays.

    Ranks are those among the bidders that play the same games. The bidders of most games come first, then those of
    fewer, in the order of the plan's games; each such group is in the order of its ranks. Bidders without a legal
    decision have no rank, and are the last of their group.

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
        row = {"bidder": label, "rank": None, **_fields("overall", np.mean(shares, axis=0), deals), "games": games}
        row["process"] = ISOLATED if plan.guests.isolated and is_guest(name) else IN_PROCESS
        rows.append({**row, "left_out": dict(plan.left_out.get(label, {})), **rates[label]})
    return [row for group in rows_by_games(rows, plan.games).values() for row in _ranked(group)]


def rows_by_games(rows: Iterable[JsonObject], games: Sequence[str]) -> dict[tuple[str, ...], list[JsonObject]]:
    """Return the rows of the bidders that play the same games, by these games; those of most games come first.

    Args:
        games: All games, in the order in which groups of equal size come.
    """
    groups: dict[tuple[str, ...], list[JsonObject]] = {}
    for row in rows:
        groups.setdefault(tuple(row["games"]), []).append(row)
    return dict(sorted(groups.items(), key=lambda group: (-len(group[0]), [games.index(game) for game in group[0]])))


def _ranked(rows: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the rows of bidders that play the same games in order, with their ranks."""

    def score(row: JsonObject) -> float:
        return -np.inf if row["overall"] is None else row["overall"]

    ranked = [row for row in rows if row["legal_decisions"] or not row["decisions"]]
    for row in ranked:
        row["rank"] = 1 + sum(score(other) > score(row) for other in ranked)
    return sorted(rows, key=lambda row: (row["rank"] is None, -score(row)))


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
    scores, zero, one = (
        np.array(part, float) for part in (earned, reference.zero[: len(earned)], reference.one[: len(earned)])
    )
    scale = float(np.mean(reference.one) - np.mean(reference.zero)) if plan.is_xs else None
    return TableScores(scores, zero, one, scale)


def _game_row(plan: Plan, game: str, played: Mapping[str, TableScores]) -> tuple[JsonObject, np.ndarray]:
    """Return the scores of a bidder in a game, and its score in all deals and in each resample.

    Deals with the same number are resampled together at all tables. A score is not defined if `random` earns as much
    as the reference of a table, as it may with few deals; those of size XS are divided by a difference over all deals.
    """
    tables, shares = {}, []
    for table in plan.tables(game):
        scores, reference = played[table.key], plan.references.tables[table.key]
        deals = len(scores.scores)
        shares.append(scores.share(np.vstack([np.ones(deals, int), resample(np.arange(deals))])))
        zero = scores.zero.mean()
        one = scores.one.mean() if scores.scale is None else zero + scores.scale
        means = {"mean": scores.scores.mean(), "zero": zero, "one": one}
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
    """Return the shares of failed bids and of unreadable replies of each bidder, and its decisions, by its label."""
    by_index = {record.index: record for record in records}
    sums: dict[str, Any] = {}
    in_words: dict[str, bool] = {}
    cheats: dict[str, bool] = {}
    for entry in plan.entries():
        record, label = by_index[entry.index], label_of(entry.bidder)
        player = record.seats[entry.deal.seat]
        seat = player["seat"]
        errors = count_bid_errors(record)[seat]
        decisions = sum(one["seat"] == seat for one in record.decisions)
        counted = (*errors.failed_bid_rate, *errors.unreadable_rate, errors.correct, decisions)
        sums[label] = sums.get(label, 0) + np.array(counted)
        in_words[label] = in_words.get(label, False) or replies_in_words(record, seat)
        cheats[label] = cheats.get(label, False) or seat_cheats(player)
    rates = {}
    for label, counts in sums.items():
        failed, readable, unreadable, replies, legal, decisions = counts.tolist()
        rates[label] = {
            "failed_bid_rate": round(failed / readable, DIGITS) if readable else None,
            "unreadable_rate": round(unreadable / replies, DIGITS) if replies else None,
            "replies_in_words": in_words[label],
            "decisions": decisions,
            "legal_decisions": legal,
        }
        if note := note_on_bidder(legal, decisions, cheats[label]):
            rates[label]["note"] = note
        if cheats[label]:
            rates[label]["cheats"] = True
    return rates
