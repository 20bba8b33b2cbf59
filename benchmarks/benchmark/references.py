"""References: what `random` and the best bidder that is known for a table score in each deal.

`python -m aucenv.benchmarks.benchmark.references` computes those of the suite and writes `references.json`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.benchmarks.benchmark.best_response import BestResponse
from aucenv.benchmarks.benchmark.suite import SIZES, Deal, Suite, SuiteTable, digest_of, load_suite
from aucenv.benchmarks.rankings.leaderboard import honest_bidders
from aucenv.training.rlact.judges.judge_policy import known_rivals_judge

from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.checks import at
from aucenv.core.files import JsonObject, read_object, write_atomically
from aucenv.core.formats.schema import NONEMPTY_TEXT, TEXT, ListOf, MapOf, Object, number
from aucenv.core.progress import track
from aucenv.core.records.record import GameRecord
from aucenv.runs.model_calls.journal import CallJournal
from aucenv.runs.play import Match
from aucenv.runs.run_options import RunOptions

ZERO = "random"
"""The bidder whose normalised score is 0."""
SAMPLES = 64
"""The number of rollouts of each action of the judge."""
CHOICE = range(100_000, 100_040)
"""The numbers of the deals on which the best built-in bidder of a table is chosen; no size has them."""
SPREAD_DEALS = 60
"""The most deals of a table from which the spread of scores is estimated."""
SECONDS = {"english": 0.05, "harbor": 0.2, "sealed_bid": 0.05, "clock": 0.02, "water_allocation": 0.02}
"""About how many seconds the references of one deal take, by game."""

SCORES = ListOf(number(-1e12, 1e12), 1)
TABLE = Object({"reference": NONEMPTY_TEXT, "zero": SCORES, "one": SCORES})
FORMAT = Object({"suite": TEXT, "spread": MapOf(number(0, 1e6)), "tables": MapOf(TABLE)})


@dataclasses.dataclass(frozen=True)
class TableReference:
    """The references of a table.

    Attributes:
        bidder: The name of the reference: "judge", "best response", or the name of a built-in bidder.
        zero: What `random` scores in each deal.
        one: What the reference scores in each deal.
    """

    bidder: str
    zero: tuple[float, ...]
    one: tuple[float, ...]

    @classmethod
    def of(cls, data: JsonObject) -> TableReference:
        """Return the references with this data."""
        return cls(data["reference"], tuple(data["zero"]), tuple(data["one"]))

    def to_dict(self) -> JsonObject:
        """Return the references as data."""
        return {"reference": self.bidder, "zero": list(self.zero), "one": list(self.one)}


@dataclasses.dataclass(frozen=True)
class References:
    """The references of tables.

    Attributes:
        data: The references as data, of which the hash is computed.
        spread: The standard deviation over deals of a bidder's normalised score, averaged over the tables, by game.
        tables: The references of each table, by its key.
    """

    data: JsonObject
    spread: Mapping[str, float]
    tables: Mapping[str, TableReference]

    @classmethod
    def of(cls, data: JsonObject, where: str) -> References:
        """Return the references with this data.

        Raises:
            ValueError: The data does not have the form; the message names `where` and the field.
        """
        FORMAT.check(data, where)
        tables = {key: TableReference.of(one) for key, one in data["tables"].items()}
        for key, table in tables.items():
            if len(table.zero) != len(table.one):
                raise ValueError(f"{at(where, f'tables.{key}')}: expected as many scores in zero as in one")
        return cls(data, data["spread"], tables)


@lru_cache
def suite_references() -> References:
    """Return the committed references of the suite.

    Raises:
        ValueError: They are those of another suite.
    """
    references = References.of(read_object(Path(__file__).with_name("references.json")), "references.json")
    suite, computed = digest_of(load_suite().fixed), references.data["suite"]
    if computed != suite:
        raise ValueError(
            f"references.json: suite: expected {suite:.16}, the digest of suite.json, got {computed:.16}; run "
            "python -m aucenv.benchmarks.benchmark.references"
        )
    return references


def suite_hash(suite: Suite, references: References) -> str:
    """Return the hash of a suite and its references, as 64 hexadecimal digits."""
    return digest_of(suite.fixed, references.data)


def score_of(record: GameRecord, seat: int) -> float:
    """Return the score of a seat: its profit, or the days that it lived."""
    return record.outcome["seats"][seat][figures_of(record.game).SCORE]


def reference_policy(deal: Deal, kind: str, bidder: str = "") -> Any:
    """Return the reference of a deal: a policy, or the name of a built-in bidder.

    Args:
        kind: The kind of reference of the game.
        bidder: The best built-in bidder of the table, for the kind "best bidder".
    """
    if kind == "judge":
        return known_rivals_judge(deal.table.game, deal.lineup(""), SAMPLES)
    return BestResponse(deal.loaded, deal.lineup(""), deal.seat) if kind == "best response" else bidder


def seconds_of(games: Iterable[str], workers: int = 1) -> float:
    """Return about how many seconds it takes to compute the references of deals of these games."""
    return sum(SECONDS.get(game, 0.05) for game in games) / workers


def compute(
    deals: Sequence[Deal],
    suite: Suite,
    workers: int = 1,
    bidders: Mapping[str, str] | None = None,
) -> dict[str, TableReference]:
    """Compute the references of deals, by the key of their table.

    Args:
        deals: The deals; those of a table in the order of their numbers.
        workers: The number of processes.
        bidders: The best built-in bidder of tables, by key; None chooses them.
    """
    tables = {deal.table.key: deal.table for deal in deals}
    names = {}
    for key, table in tables.items():
        kind = suite.kinds[table.game]
        given = (bidders or {}).get(key)
        names[key] = kind if kind != "best bidder" else given or best_bidder(table, workers)
    one = [reference_policy(deal, suite.kinds[deal.table.game], names[deal.table.key]) for deal in deals]
    scores = play_deals([*deals, *deals], [ZERO] * len(deals) + one, workers)
    zero, ones = scores[: len(deals)], scores[len(deals) :]
    pairs = [(deal.table.key, *both) for deal, *both in zip(deals, zero, ones, strict=True)]
    return {
        key: TableReference(names[key], *zip(*(pair for of, *pair in pairs if of == key), strict=True))
        for key in tables
    }


def best_bidder(table: SuiteTable, workers: int = 1) -> str:
    """Return the honest built-in bidder with the highest mean score in the deals CHOICE; the first one in a tie."""
    deals = [table.deal(number) for number in CHOICE]
    names = honest_bidders(table.game, deals[0].loaded)
    scores = play_deals(deals * len(names), [name for name in names for _ in deals], workers)
    return names[int(np.argmax(np.reshape(scores, (len(names), -1)).mean(axis=1).round(9)))]


def play_deals(deals: Sequence[Deal], bidders: Sequence[Any], workers: int) -> list[float]:
    """Return the score of a tested bidder in each deal."""
    matches = [
        Match(deal.table.game, deal.loaded, deal.lineup(bidder), deal.seed, index)
        for index, (deal, bidder) in enumerate(zip(deals, bidders, strict=True))
    ]
    scores = [0.0] * len(matches)
    executor = RunOptions(workers).executor(matches)
    for record in track(executor.play(matches, CallJournal()), "games for references", len(matches)):
        scores[record.index] = score_of(record, deals[record.index].seat)
    return scores


def spread_of(suite: Suite, game: str, references: Mapping[str, TableReference], workers: int) -> float:
    """Return the spread of the scores of a game: see `References`; the mean over its honest built-in bidders."""
    tables = suite.tables[game]
    number = min(SPREAD_DEALS, max(suite.sizes.values()) * suite.deals_per_round[game])
    deals = [table.deal(deal) for table in tables for deal in range(number)]
    able = [honest_bidders(game, table.deal(0).loaded) for table in tables]
    names = [name for name in able[0] if name != ZERO and all(name in others for others in able)]
    scores = play_deals(deals * len(names), [name for name in names for _ in deals], workers)
    shares = np.reshape(scores, (len(names), len(tables), number))
    one = np.array([references[table.key].one[:number] for table in tables])
    zero = np.array([references[table.key].zero[:number] for table in tables])
    scale = (one - zero).mean(axis=1, keepdims=True)
    normalised = (shares - zero).mean(axis=2, keepdims=True) / scale
    left = ((shares - zero) - normalised * (one - zero)) / scale
    return round(float(np.sqrt((left.mean(axis=1).std(axis=1, ddof=1) ** 2).mean())), 4)


def to_text(data: JsonObject) -> str:
    """Return the references as JSON with one line for each table."""
    lines = [f"    {json.dumps(key)}: {json.dumps(table)}" for key, table in data["tables"].items()]
    head = f'  "suite": {json.dumps(data["suite"])},\n  "spread": {json.dumps(data["spread"])},\n'
    return f'{{\n{head}  "tables": {{\n' + ",\n".join(lines) + "\n  }\n}\n"


def main(arguments: Iterable[str] | None = None) -> None:
    """Compute the references of the suite, and write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1, help="Number of worker processes.")
    parser.add_argument("--game", action="append", help="Compute only this game, and keep the references of others.")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    suite, path = load_suite(), Path(__file__).with_name("references.json")
    kept = read_object(path) if chosen.game and path.exists() else {"spread": {}, "tables": {}}
    tables, spread = dict(kept["tables"]), dict(kept["spread"])
    for game in chosen.game or suite.games:
        deals = [
            table.deal(number)
            for table in suite.tables[game]
            for number in range(suite.sizes[SIZES[-1]] * suite.deals_per_round[game])
        ]
        computed = compute(deals, suite, chosen.workers)
        tables |= {key: one.to_dict() for key, one in computed.items()}
        spread[game] = spread_of(suite, game, computed, chosen.workers)
        keys = [table.key for game in suite.games for table in suite.tables[game]]
        data = {
            "suite": digest_of(suite.fixed),
            "spread": {game: spread[game] for game in suite.games if game in spread},
            "tables": {key: tables[key] for key in keys if key in tables},
        }
        write_atomically(path, to_text(data))


if __name__ == "__main__":
    main()
