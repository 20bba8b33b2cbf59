"""Evaluate models of RLAct and bidders at the tables of `rlact_evaluation.json`, a file older than all results.

`python -m aucenv.benchmarks.rlact_evaluation --set NAME --model DIR ... --out DIR` compares the models, one for each
training seed, with the bidders in the file.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import typer
from aucenv.baselines.population.families import load_population
from aucenv.benchmarks.benchmark.suite import SuiteTable, digest_of
from aucenv.training.rlact.judges.continuations import is_rule_bidder
from aucenv.training.rlact.judges.row_games import RuleRows, SeatGame, profits_of, surplus

from aucenv.analysis.markdown import table as markdown
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest

PLAN = Path(__file__).with_name("rlact_evaluation.json")
SEATS = (0, 1, 2)
LEVEL = 0.95
HEADINGS = ("bidder", "mean, %", "lead of the models, points", "95% interval", "p (Holm)")


@dataclasses.dataclass(frozen=True)
class TableSet:
    """Tables at which a bidder meets fixed rivals, each deal in all three seats.

    Attributes:
        name: the name of the set.
        game: the name of the game.
        deals: the number of deals of each table.
        comparators: the names of the bidders with which models are compared.
        tables: the tables.
    """

    name: str
    game: str
    deals: int
    comparators: tuple[str, ...]
    tables: tuple[SuiteTable, ...]

    def games(self, table: SuiteTable, deals: int) -> list[SeatGame]:
        """Return the games of a table: the first `deals` deals, one after the other, in all seats."""
        return list(self._games(table, deals))

    def _games(self, table: SuiteTable, deals: int) -> Iterator[SeatGame]:
        for deal in map(table.deal, range(deals)):
            for seat in SEATS:
                lineup = table.lineup(None, seat)
                yield SeatGame(deal.loaded, (*lineup[:seat], *lineup[seat + 1 :]), seat, deal.seed)


def table_set(name: str) -> TableSet:
    """Return a set of the plan.

    Raises:
        ValueError: There is no such set, or the population is another one than that of the plan.
    """
    plan = read_object(PLAN, PLAN.name)
    population = load_population()
    if plan["population"] != {"version": population.version, "digest": population.digest}:
        raise ValueError(f"{PLAN.name}: expected the population {plan['population']}, got {population.version}")
    data = plan["sets"][one_of("set", name, plan["sets"])]
    tables = tuple(
        SuiteTable(data["game"], each["name"], each["scenario"], tuple(each["rivals"]), SEATS, each["seed"])
        for each in data["tables"]
    )
    return TableSet(name, data["game"], data["deals"], tuple(data["comparators"]), tables)


def profit_ratios(tables: TableSet, bidder: str, deals: int, workers: int = 1) -> np.ndarray:
    """Return a bidder's profit in percent of the sum of true values less starting prices, (tables, deals).

    Each figure is the mean over the three seats.
    """
    jobs = [(tables, bidder, table, deals) for table in tables.tables]
    if workers == 1:
        return np.array([_at_table(job) for job in jobs])
    with ProcessPoolExecutor(workers) as pool:
        return np.array(list(pool.map(_at_table, jobs)))


def _at_table(job: tuple[TableSet, str, SuiteTable, int]) -> np.ndarray:
    tables, bidder, table, deals = job
    game, games = tables.game, tables.games(table, deals)
    policy: Any = RuleRows(game, bidder) if is_rule_bidder(game, bidder) else make_policy(game, bidder)
    surpluses = np.array([surplus(game, each) for each in games[:: len(SEATS)]])
    profits: np.ndarray = profits_of(policy, game, games).reshape(deals, len(SEATS)).mean(1)
    return 100 * profits / surpluses


def differences(models: np.ndarray, other: np.ndarray, resamples: int) -> tuple[float, float, float, float]:
    """Return the mean lead of models, the ends of its 95% interval, and a two-sided p-value.

    Training seeds and, at each table, deals are resampled with replacement (percentile bootstrap).

    Args:
        models: (seeds, tables, deals) profits.
        other: (tables, deals) or (seeds, tables, deals), the profits of a comparator, with the same seeds.
        resamples: the number of resamples.
    """
    leads = models - other
    seeds, tables, deals = leads.shape
    rng, means = np.random.default_rng(seeds * tables * deals), np.empty(resamples)
    for i in range(resamples):
        by_deal = leads[rng.integers(seeds, size=seeds)].mean(0)
        means[i] = by_deal[np.arange(tables)[:, None], rng.integers(deals, size=(tables, deals))].mean()
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    tail = (1 + min((means <= 0).sum(), (means >= 0).sum())) / (1 + resamples)
    return float(leads.mean()), float(low), float(high), min(1.0, 2 * float(tail))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, in the given order."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(np.argsort(p_values, kind="stable").tolist()):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def compare(models: np.ndarray, others: Mapping[str, np.ndarray], resamples: int) -> list[JsonObject]:
    """Return a row for the models, and one for each comparator, by decreasing profit.

    Args:
        models: (seeds, tables, deals) profits in percent.
        others: the same of each comparator, (tables, deals) or (seeds, tables, deals).
        resamples: the number of resamples.
    """
    results = [differences(models, other, resamples) for other in others.values()]
    adjusted = holm([p for *_, p in results])
    rows: list[JsonObject] = [_row("the models", models)]
    rows += [
        {**_row(name, other), "lead": round(lead, 4), "low": round(low, 4), "high": round(high, 4), "p": round(p, 5)}
        for (name, other), (lead, low, high, _), p in zip(others.items(), results, adjusted, strict=True)
    ]
    return [rows[0], *sorted(rows[1:], key=lambda row: -row["mean"])]


def _row(name: str, profits: np.ndarray) -> JsonObject:
    by_table = profits.reshape(-1, *profits.shape[-2:]).mean((0, 2))
    return {"bidder": name, "mean": round(float(by_table.mean()), 4), "tables": by_table.round(4).tolist()}


def to_markdown(tables: TableSet, rows: Sequence[JsonObject]) -> str:
    """Return the table of a comparison, with the mean profit at each table."""
    names = [table.name for table in tables.tables]
    lines = [
        [
            row["bidder"],
            f"{row['mean']:.2f}",
            f"{row['lead']:+.2f}" if "lead" in row else "-",
            f"{row['low']:+.2f} to {row['high']:+.2f}" if "lead" in row else "-",
            f"{row['p']:.4f}" if "lead" in row else "-",
            *(f"{value:.1f}" for value in row["tables"]),
        ]
        for row in rows
    ]
    return markdown([*HEADINGS, *names], lines)


def cached_ratios(out: Path, tables: TableSet, bidder: str, deals: int, workers: int) -> np.ndarray:
    """Return `profit_ratios`, from a file in the folder `out` if there is one of the same bidder and deals."""
    data = [dataclasses.asdict(table) for table in tables.tables]
    settings = [tables.game, data, bidder, file_digest(bidder), deals]
    path = out / f"{digest_of(*settings)[:16]}.json"
    if path.is_file():
        return np.array(json.loads(path.read_text(encoding="utf-8"))["profits"])
    profits = profit_ratios(tables, bidder, deals, workers)
    write_atomically(path, json.dumps({"set": tables.name, "bidder": bidder, "profits": profits.round(6).tolist()}))
    return profits


def main() -> None:
    """Compare models at a set of tables, and write the results."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--set", required=True, help="the name of a set in rlact_evaluation.json")
    parser.add_argument("--model", action="append", required=True, help="the folder of a model; one for each seed")
    parser.add_argument("--bidder", action="append", default=[], help="another bidder to compare the models with")
    parser.add_argument("--deals", type=int, help="deals of each table, if not those of the set")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results; it saves finished bidders")
    options = parser.parse_args()
    tables = table_set(options.set)
    deals = tables.deals if options.deals is None else whole_number("--deals", options.deals, 1)
    options.out.mkdir(parents=True, exist_ok=True)

    def profits(bidder: str) -> np.ndarray:
        return cached_ratios(options.out, tables, bidder, deals, options.workers)

    models = np.array([profits(f"rlact:{folder}") for folder in options.model])
    others = {name: profits(name) for name in (*options.bidder, *tables.comparators)}
    rows = compare(models, others, read_object(PLAN, PLAN.name)["resamples"])
    name = options.set.replace(", ", "-").replace(" ", "-")
    write_atomically(options.out / f"{name}.json", to_pretty_json({"set": options.set, "deals": deals, "rows": rows}))
    write_atomically(options.out / f"{name}.md", to_markdown(tables, rows))
    typer.echo(to_markdown(tables, rows))


if __name__ == "__main__":
    main()
