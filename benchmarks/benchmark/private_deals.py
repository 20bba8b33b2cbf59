"""Private deals: deals of the user's that replace those of the suite, at its tables and against its rivals."""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.references import (
    References,
    TableReference,
    compute,
    seconds_of,
    to_text,
)
from aucenv.benchmarks.benchmark.suite import Deal, Suite, SuiteTable, digest_of

from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject, parse_object, read_lines, read_object, write_atomically
from aucenv.core.formats.folders import RESULTS, check_folder
from aucenv.core.kernel import read_seed
from aucenv.core.policy import check_fits
from aucenv.core.scenarios import Scenario, is_file
from aucenv.policy.registry import make_policy
from aucenv.runs.deals import deal_digest

FORMAT = ("game", "table", "scenario", "seed")
SEED_BITS = 63
"""The most bits of a drawn seed."""
LEAST_PRIVATE = 2**48
"""A seed whose words are all below this number can be guessed."""
REFERENCES_FILE = "references.json"
"""The file of a results folder with the references of private deals."""


@dataclasses.dataclass(frozen=True)
class PrivateDeals:
    """Private deals and their references.

    Attributes:
        where: The file that they are from.
        data: The deals as data, which a results folder keeps.
        deals: The deals of each table, by its key.
        references: Their references.
    """

    where: str
    data: tuple[JsonObject, ...]
    deals: Mapping[str, tuple[Deal, ...]]
    references: References

    def of_game(self, game: str) -> bool:
        """Return whether there are deals of a game."""
        return any(dealt[0].table.game == game for dealt in self.deals.values())


def read_private_deals(path: Path, suite: Suite) -> tuple[JsonObject, ...]:
    """Return the private deals of a file, one for each table at which a line's deal is played.

    Each line is {"game", "seed"}, optionally with "scenario", the name of a scenario or the path of its file, which
    replaces those of the tables, and "table", the only table at which it is played.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not a deal, its scenario does not suit a table, or a deal is there twice; the message
            names file and line.
    """
    data: list[JsonObject] = []
    lines: dict[tuple[str, str], str] = {}
    for where, line in read_lines(path):
        for table, row in _read_line(parse_object(line, where), where, suite):
            deal = _deal(table, 0, row)
            digest = deal_digest(table.game, deal.loaded.to_dict(), deal.seed)
            earlier = lines.setdefault((table.key, digest), where)
            if earlier != where:
                raise ValueError(f"{where}: expected a new deal of {table.key}, got that of {earlier}; remove one")
            data.append(row)
    if not data:
        raise ValueError(f"{path}: expected a deal on each line, got an empty file")
    return tuple(data)


def draw_private_deals(games: Sequence[str], suite: Suite, number: int) -> str:
    """Return the lines of a file of private deals: this number of deals of each game, with drawn seeds.

    Raises:
        ValueError: A game is not part of the suite.
    """
    chosen = dict.fromkeys(one_of("--game", game, suite.games) for game in games)
    rows = [
        {"game": game, "seed": [LEAST_PRIVATE + secrets.randbelow(2**SEED_BITS - LEAST_PRIVATE)]}
        for game in chosen
        for _ in range(number)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def guessable_seeds(data: Sequence[JsonObject]) -> list[list[int]]:
    """Return the seeds of deals that can be found by trying seeds; those of the included suite are among them."""
    return [row["seed"] for row in data if max(row["seed"]) < LEAST_PRIVATE]


def _read_line(data: JsonObject, where: str, suite: Suite) -> list[tuple[SuiteTable, JsonObject]]:
    """Return the tables at which the deal of a line is played, with the deal as data."""
    for name in data:
        one_of(f"{where}: field", name, FORMAT)
    for name in ("game", "seed"):
        if name not in data:
            raise ValueError(f'{where}: expected {{"game": ..., "seed": ...}}, got no field {name!r}')
    game = one_of(f"{where}: game", data["game"], suite.games)
    try:
        seed = read_seed(data["seed"])
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    tables = {table.name: table for table in suite.tables[game]}
    if "table" in data:
        tables = {data["table"]: tables[one_of(f"{where}: table", data["table"], tables)]}
    rows = []
    for table in tables.values():
        scenario = data.get("scenario", table.deal(0).scenario)
        row = {"game": game, "table": table.name, "scenario": scenario, "seed": seed}
        try:
            loaded = _check_scenario(table, row)
        except ValueError as error:
            raise ValueError(f"{where}: table {table.name}: {error}") from None
        rows.append((table, {**row, "scenario": loaded.to_dict()} if is_file(scenario) else row))
    return rows


def _check_scenario(table: SuiteTable, row: JsonObject) -> Scenario:
    """Return the scenario of a deal.

    Raises:
        ValueError: There is no such scenario, or it has another number of seats, or a rival cannot play it.
    """
    loaded = _deal(table, 0, row).loaded
    seats = len(loaded.bidders)
    if seats != len(table.rivals) + 1:
        raise ValueError(f"scenario {loaded.name!r}: expected {len(table.rivals) + 1} seats, got {seats}")
    for name in table.rivals:
        check_fits(make_policy(table.game, name), name, loaded)
    return loaded


def _deal(table: SuiteTable, number: int, row: JsonObject) -> Deal:
    return Deal(table, number, row["scenario"], tuple(row["seed"]))


def deals_by_table(data: Sequence[JsonObject], suite: Suite) -> dict[str, tuple[Deal, ...]]:
    """Return the deals of each table, by its key.

    Raises:
        ValueError: A deal names no table of the suite.
    """
    deals: dict[str, list[Deal]] = {}
    for row in data:
        table = suite.table(f"{row['game']}/{row['table']}")
        dealt = deals.setdefault(table.key, [])
        dealt.append(_deal(table, len(dealt), row))
    return {key: tuple(dealt) for key, dealt in deals.items()}


def seconds_needed(data: Sequence[JsonObject], workers: int = 1) -> float:
    """Return about how many seconds it takes to compute the references of private deals."""
    return seconds_of([row["game"] for row in data], workers)


def digest_of_deals(suite: Suite, private: Sequence[JsonObject] | None) -> str:
    """Return the digest of the private deals at the tables of a suite; None are all deals of the suite."""
    return digest_of(suite.fixed) if private is None else digest_of(suite.fixed, list(private))


def cached_references(data: Sequence[JsonObject] | None, suite: Suite, folder: Path | None) -> References | None:
    """Return the references of deals that a results folder keeps; None if it has none of these deals.

    Args:
        data: The private deals; None are the deals of the suite.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file does not hold references.
    """
    path = None if folder is None else folder / REFERENCES_FILE
    if path is None or not path.exists():
        return None
    references = References.of(read_object(path), str(path))
    return references if references.data["suite"] == digest_of_deals(suite, data) else None


def write_references(folder: Path, references: JsonObject) -> None:
    """Write references into a results folder, which is created if it does not exist."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / REFERENCES_FILE, to_text(references))


def compute_references(
    data: Sequence[JsonObject],
    suite: Suite,
    of_suite: References,
    folder: Path | None = None,
    workers: int = 1,
) -> References:
    """Compute the references of private deals, and keep them in a results folder.

    Args:
        of_suite: The references of the suite, which name the best bidder of each table.

    Raises:
        OSError: The folder belongs to another command, or cannot be written.
    """
    if folder is not None:
        check_folder(folder, *RESULTS)
    deals = [deal for dealt in deals_by_table(data, suite).values() for deal in dealt]
    bidders = {key: table.bidder for key, table in of_suite.tables.items()}
    tables: dict[str, TableReference] = compute(deals, suite, workers, bidders)
    computed = {
        "suite": digest_of_deals(suite, data),
        "spread": dict(of_suite.spread),
        "tables": {key: table.to_dict() for key, table in tables.items()},
    }
    if folder is not None:
        write_references(folder, computed)
    return References.of(computed, REFERENCES_FILE)
